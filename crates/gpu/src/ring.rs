//! A ring's moduli and tables on a card.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cryptable_ring::{Basis, Ring};

use crate::arguments::Limbs;
use crate::conversion::{Converter, DigitConverters};
use crate::device::{Device, Words};
use crate::ntt_tables::TransformTables;

/// A ring on a card: constants of its moduli, and what transforms, automorphisms and conversions read, made as it is first
/// asked for.
#[derive(Debug)]
pub struct DeviceRing<'a> {
    device: Device,
    ring: &'a Ring,
    moduli: Words,
    converters: Mutex<HashMap<Vec<usize>, Arc<Converter>>>,
    digit_converters: Mutex<HashMap<(Basis, usize), Arc<DigitConverters>>>,
    transforms: TransformTables,
}

impl<'a> DeviceRing<'a> {
    /// Puts a ring on a card.
    #[must_use]
    pub fn new(device: &Device, ring: &'a Ring) -> Self {
        Self::with_transforms(device, ring, TransformTables::new())
    }

    /// As [`DeviceRing::new`], with transforms in integers modulo all numbers: the same results, for comparison with those in
    /// doubles, which moduli below 2^50 otherwise have.
    #[must_use]
    pub fn with_integer_transforms(device: &Device, ring: &'a Ring) -> Self {
        Self::with_transforms(device, ring, TransformTables::of_integers())
    }

    fn with_transforms(device: &Device, ring: &'a Ring, transforms: TransformTables) -> Self {
        let moduli = 0..ring.moduli().values().len();
        let constants: Vec<u64> = moduli.flat_map(|index| modulus_constants(ring, index)).collect();
        Self {
            device: device.clone(),
            ring,
            moduli: device.upload(&constants),
            transforms,
            converters: Mutex::default(),
            digit_converters: Mutex::default(),
        }
    }

    /// The card.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The ring on the processor.
    #[must_use]
    pub fn ring(&self) -> &'a Ring {
        self.ring
    }

    /// The ring degree N.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.ring.degree()
    }

    /// Where the constants of all moduli are, by number.
    pub(crate) fn moduli(&self) -> u64 {
        self.moduli.address(0)
    }

    /// The tables of transforms.
    pub(crate) fn transforms(&self) -> &TransformTables {
        &self.transforms
    }

    /// The moduli of a basis, by number, for kernels.
    pub(crate) fn limbs(&self, basis: Basis) -> Limbs {
        Limbs::new(&self.ring.limb_primes(basis))
    }

    /// The constants that convert residues modulo these moduli, by number, to every modulus.
    pub(crate) fn converter(&self, sources: &[usize]) -> Arc<Converter> {
        let mut converters = self.converters.lock().expect("no panic under lock");
        let found = converters.entry(sources.to_vec());
        let new = || Arc::new(Converter::new(&self.device, self.ring, sources));
        Arc::clone(found.or_insert_with(new))
    }

    /// The constants that raise the digits, of so many limbs, of polynomials of a basis.
    pub(crate) fn digit_converters(
        &self,
        basis: Basis,
        digit_limbs: usize,
    ) -> Arc<DigitConverters> {
        let mut found = self.digit_converters.lock().expect("no panic under lock");
        let new = || {
            let moduli = self.ring.limb_primes(basis);
            let converters: Vec<_> =
                moduli.chunks(digit_limbs).map(|sources| self.converter(sources)).collect();
            let factors: Vec<u64> =
                converters.iter().flat_map(|it| it.scaled_inverses.iter().copied()).collect();
            Arc::new(DigitConverters { factors: self.device.upload(&factors), converters })
        };
        Arc::clone(found.entry((basis, digit_limbs)).or_insert_with(new))
    }
}

/// A modulus with its constants: `Modulus` of `modular.cuh`.
fn modulus_constants(ring: &Ring, index: usize) -> [u64; 5] {
    let q = ring.modulus(index).value();
    // floor(2^128/q): q is odd and above 1, so it does not divide 2^128.
    let barrett = u128::MAX / u128::from(q);
    let reciprocal = 1.0 / q as f64;
    [q, barrett as u64, (barrett >> 64) as u64, reciprocal.to_bits(), ring.imaginary_unit(index)]
}
