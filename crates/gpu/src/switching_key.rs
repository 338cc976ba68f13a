//! Switching keys in the memory of a card: words of 64 bits, so that nothing is unpacked where they are used.

use std::collections::HashMap;

use cryptable_lattice::{EvaluationKeys, SwitchingKey, SwitchingKeyShape};
use cryptable_ring::Isa;
use rayon::prelude::*;

use crate::device::Words;
use crate::ring::DeviceRing;

/// One key: bodies, then masks, `[digit][limb][coefficient]` each.
#[derive(Debug)]
pub(crate) struct DeviceKey {
    shape: SwitchingKeyShape,
    words: Words,
}

impl DeviceKey {
    fn upload(ring: &DeviceRing<'_>, key: &SwitchingKey) -> Self {
        let (shape, degree) = (key.shape(), ring.degree());
        let (limbs, digits) = (shape.basis.limbs(), shape.digits());
        let mut words = ring.device().allocate(2 * digits * limbs * degree);
        let mut rows = vec![0; limbs * degree];
        for index in 0..2 * digits {
            rows.par_chunks_mut(degree).enumerate().for_each(|(limb, out)| {
                let (b, a) = key.limb(index % digits, shape.basis, limb);
                let row = if index < digits { b } else { a };
                row.unpack(Isa::detect(), out);
            });
            words.write(index * limbs * degree, &rows);
        }
        Self { shape, words }
    }

    /// Basis, digits and limbs a digit.
    pub(crate) fn shape(&self) -> SwitchingKeyShape {
        self.shape
    }

    /// Where bodies and masks are.
    pub(crate) fn rows(&self) -> [u64; 2] {
        [self.words.address(0), self.words.address(self.words.len() / 2)]
    }
}

/// All switching keys of a client on a card, found by the keys on the processor.
#[derive(Debug)]
pub struct DeviceKeys<'a> {
    keys: &'a EvaluationKeys,
    /// By where the key is on the processor, which stays as long as this does.
    by_address: HashMap<usize, DeviceKey>,
}

impl<'a> DeviceKeys<'a> {
    /// Copies all keys to the card of a ring.
    #[must_use]
    pub fn upload(ring: &DeviceRing<'_>, keys: &'a EvaluationKeys) -> Self {
        let upload = |(_, key)| (address(key), DeviceKey::upload(ring, key));
        Self { keys, by_address: keys.iter().map(upload).collect() }
    }

    /// The keys on the processor: the same search finds the cheapest of a purpose.
    pub(crate) fn on_processor(&self) -> &'a EvaluationKeys {
        self.keys
    }

    /// The copy of a key.
    ///
    /// # Panics
    /// If it is not one of these.
    pub(crate) fn of(&self, key: &SwitchingKey) -> &DeviceKey {
        &self.by_address[&address(key)]
    }
}

fn address(key: &SwitchingKey) -> usize {
    std::ptr::from_ref(key).addr()
}
