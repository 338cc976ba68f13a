//! Encrypted bits as RGSW ciphertexts, and the CMUX gate.

use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_ring::Buffer;
use cryptable_ring::external_product::{ExternalProduct, GadgetProduct, RgswGadget, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};

use crate::digit_polynomial::DigitPolynomial;
use crate::leveled::LeveledCiphertext;

/// An RGSW ciphertext of a bit: 2ℓ rows, of bit·weight(k) and of bit·s·weight(k).
#[derive(Debug)]
pub struct Selector {
    gadget: Gadget,
    rows: PreparedRows,
    /// bit·weight(ℓ - 1) once more: all that [`CmuxGates::select_digits`] needs.
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

    /// `bit ? one : zero` of plain polynomials, whose coefficients are x·Q/2^d with digits x of d bits.
    ///
    /// Of their difference, whose coefficients are such multiples and which has no mask, only the highest of the
    /// selector's digits is not 0, as it has at least d bits: it holds d bits exactly, whichever way digits lean (half
    /// a turn is -B/2 or B/2). That takes 3 transforms instead of 2(ℓ + 1). The noise is that of
    /// [`CmuxGates::select_assign`], which has nothing else to multiply either.
    ///
    /// # Panics
    /// If the selector has more rows than there is room for, or a base below 2^d, or there are not N digits.
    #[must_use]
    pub fn select_digits(
        &mut self,
        selector: &Selector,
        zero: &DigitPolynomial,
        one: &DigitPolynomial,
    ) -> LeveledCiphertext {
        let base_log2 = selector.gadget.base_log2();
        assert!(base_log2 >= zero.digit_bits().max(one.digit_bits()), "a base of {base_log2} bits");
        let highest = Gadget::new(selector.gadget.modulus(), base_log2, 1);
        let mut chosen = LeveledCiphertext::of_digits(self.ring, zero);
        let mut difference = Buffer::zeroed(self.ring.degree());
        one.write_fractions(&mut difference);
        for (word, &zero) in difference.iter_mut().zip(chosen.fractions()) {
            *word = word.wrapping_sub(zero);
        }
        GadgetProduct { ring: self.ring, gadget: highest }.add(
            chosen.fractions_mut(),
            &difference,
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
