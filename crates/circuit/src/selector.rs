//! Encrypted bits as RGSW ciphertexts, and the CMUX gate.

use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_ring::Buffer;
use cryptable_ring::external_product::{ExternalProduct, GadgetProduct, RgswGadget, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};

use crate::leveled::{LeveledCiphertext, halves_of_bits};

/// An RGSW ciphertext of a bit: 2ℓ rows, of bit·weight(k) and of bit·s·weight(k).
#[derive(Debug)]
pub struct Selector {
    gadget: Gadget,
    rows: PreparedRows,
    /// bit·weight(ℓ - 1) once more: all that [`CmuxGates::select_bits`] needs.
    highest_row: PreparedRows,
}

impl Selector {
    /// From 2ℓ RLWE ciphertexts.
    ///
    /// # Panics
    /// If their number is not 2ℓ.
    #[must_use]
    pub fn from_rows(ring: &PrimeRing, gadget: Gadget, rows: &[RlweCiphertext]) -> Self {
        assert_eq!(rows.len(), 2 * gadget.length(), "rows of a selector");
        let prepared = |rows: &[RlweCiphertext]| {
            ring.prepare_rows(1, rows.len(), |_, words| {
                for (out, row) in words.chunks_exact_mut(2 * ring.degree()).zip(rows) {
                    out.copy_from_slice(row.words());
                }
            })
        };
        let highest = gadget.length() - 1;
        let highest_row = prepared(&rows[highest..=highest]);
        Self { gadget, rows: prepared(rows), highest_row }
    }

    /// The decomposition of what it multiplies.
    #[must_use]
    pub fn gadget(&self) -> Gadget {
        self.gadget
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.highest_row.bytes()
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

    /// `bit ? one : zero` of plain polynomials, whose coefficients are 0 or Q/2, a bit each.
    ///
    /// Of their difference, which is 0 or Q/2 and has no mask, only the highest digit is not 0: 3 transforms instead of
    /// 2(ℓ + 1). The noise is that of [`CmuxGates::select_assign`], which has nothing else to multiply either.
    ///
    /// # Panics
    /// If the selector has more rows than there is room for, or there are not N bits.
    #[must_use]
    pub fn select_bits(
        &mut self,
        selector: &Selector,
        zero: &[u64],
        one: &[u64],
    ) -> LeveledCiphertext {
        let highest = Gadget::new(selector.gadget.modulus(), selector.gadget.base_log2(), 1);
        let difference: Vec<u64> = zero.iter().zip(one).map(|(zero, one)| zero ^ one).collect();
        let mut polynomial = Buffer::zeroed(self.ring.degree());
        halves_of_bits(&mut polynomial, &difference);
        let mut chosen = LeveledCiphertext::of_bits(self.ring, zero);
        GadgetProduct { ring: self.ring, gadget: highest }.add(
            chosen.fractions_mut(),
            &polynomial,
            selector.highest_row.key(0),
            &mut self.scratch,
        );
        chosen
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
