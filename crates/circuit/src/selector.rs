//! Encrypted bits as RGSW ciphertexts, and the CMUX gate.

use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_ring::external_product::{ExternalProduct, RgswGadget, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};

use crate::leveled::LeveledCiphertext;

/// An RGSW ciphertext of a bit: 2ℓ rows, of bit·weight(k) and of bit·s·weight(k).
#[derive(Debug)]
pub struct Selector {
    gadget: Gadget,
    rows: PreparedRows,
}

impl Selector {
    /// From 2ℓ RLWE ciphertexts.
    ///
    /// # Panics
    /// If their number is not 2ℓ.
    #[must_use]
    pub fn from_rows(ring: &PrimeRing, gadget: Gadget, rows: &[RlweCiphertext]) -> Self {
        assert_eq!(rows.len(), 2 * gadget.length(), "rows of a selector");
        let prepared = ring.prepare_rows(1, rows.len(), |_, words| {
            for (out, row) in words.chunks_exact_mut(2 * ring.degree()).zip(rows) {
                out.copy_from_slice(row.words());
            }
        });
        Self { gadget, rows: prepared }
    }

    /// The decomposition of what it multiplies.
    #[must_use]
    pub fn gadget(&self) -> Gadget {
        self.gadget
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.bytes()
    }
}

/// CMUX gates over one ring, with room that is reused.
#[derive(Debug)]
pub struct CmuxGates<'a> {
    ring: &'a PrimeRing,
    scratch: Scratch,
}

impl<'a> CmuxGates<'a> {
    /// Room for selectors of this decomposition.
    #[must_use]
    pub fn new(ring: &'a PrimeRing, gadget: Gadget) -> Self {
        Self { ring, scratch: Scratch::new(ring, 2 * gadget.length()) }
    }

    /// `zero += selector ⊡ (one - zero)`: `one` if the bit is 1. 2(ℓ + 1) transforms.
    ///
    /// # Panics
    /// If the selector has more rows than there is room for.
    pub fn select_assign(
        &mut self,
        selector: &Selector,
        zero: &mut LeveledCiphertext,
        one: &LeveledCiphertext,
    ) {
        let mut difference = one.clone();
        difference.sub_assign(zero);
        let product =
            ExternalProduct { ring: self.ring, gadget: RgswGadget::uniform(selector.gadget) };
        let key = selector.rows.key(0);
        product.add(zero.fractions_mut(), difference.fractions(), key, &mut self.scratch);
    }

    /// `ciphertext *= X^(exponent·bit)`.
    ///
    /// # Panics
    /// If the selector has more rows than there is room for, or the exponent is 2N or more.
    pub fn rotate_if_assign(
        &mut self,
        selector: &Selector,
        ciphertext: &mut LeveledCiphertext,
        exponent: usize,
    ) {
        let product =
            ExternalProduct { ring: self.ring, gadget: RgswGadget::uniform(selector.gadget) };
        let key = selector.rows.key(0);
        product.rotate_if_assign(ciphertext.fractions_mut(), exponent, key, &mut self.scratch);
    }
}
