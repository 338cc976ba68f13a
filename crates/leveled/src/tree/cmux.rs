//! CMUXes, which choose between two RLWE ciphertexts by an RGSW ciphertext of a bit (Chillotti et al., J. Cryptology
//! 2020): `zero + RGSW ⊡ (one - zero)`.
//!
//! Noise of a CMUX: [`crate::noise::CircuitBootstrappingNoise::cmux`].

use cryptable_lattice::external_product::Scratch;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_ring::Buffer;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;

use super::leveled_ciphertext::LeveledCiphertext;
use super::plaintext_polynomial::PlaintextPolynomial;

/// CMUXes over one ring, with reused scratch memory.
#[derive(Debug)]
pub struct Cmux<'a> {
    ring: &'a PrimeRing,
    scratch: Scratch,
}

impl<'a> Cmux<'a> {
    /// Allocates scratch memory for RGSW ciphertexts of this decomposition.
    #[must_use]
    pub fn new(ring: &'a PrimeRing, gadget: Gadget) -> Self {
        Self { ring, scratch: Scratch::new(ring, 2 * gadget.length()) }
    }

    /// Replaces `zero` by `one` if the bit is 1: `zero += selector ⊡ (one - zero)`. Needs 2(ℓ + 1) transforms.
    ///
    /// # Panics
    /// If the selector has more rows than the scratch is for.
    pub fn select_assign(
        &mut self,
        selector: &RgswCiphertext,
        zero: &mut LeveledCiphertext,
        one: &LeveledCiphertext,
    ) {
        let mut difference = one.clone();
        difference.sub_assign(zero);
        let out = zero.fractions_mut();
        selector.add_product(self.ring, out, difference.fractions(), &mut self.scratch);
    }

    /// Returns `bit ? one : zero` for plain polynomials, whose coefficients are x·Q/2^d with values x of d bits.
    ///
    /// The difference of plain polynomials has no mask, and its coefficients are multiples of Q/2^d, so only the highest of
    /// the selector's gadget digits is not 0. This digit has at least d bits and holds d bits exactly, to whichever side
    /// digits are balanced (half the torus is -B/2 or B/2). The selection needs 3 transforms instead of 2(ℓ + 1). The noise is
    /// that of [`Cmux::select_assign`], which has no other digits to multiply either.
    ///
    /// # Panics
    /// If the selector has more rows than the scratch memory is for, or a base below 2^d, or a polynomial does not have N
    /// coefficients.
    #[must_use]
    pub fn select_plaintexts(
        &mut self,
        selector: &RgswCiphertext,
        zero: &PlaintextPolynomial,
        one: &PlaintextPolynomial,
    ) -> LeveledCiphertext {
        let base_log2 = selector.gadget().base_log2();
        let bits = zero.bits_per_ciphertext().max(one.bits_per_ciphertext());
        assert!(base_log2 >= bits, "a base of {base_log2} bits");
        let mut chosen = LeveledCiphertext::of_plaintexts(self.ring, zero);
        let mut difference = Buffer::zeroed(self.ring.degree());
        one.write_fractions(&mut difference);
        for (word, &zero) in difference.iter_mut().zip(chosen.fractions()) {
            *word = word.wrapping_sub(zero);
        }
        let out = chosen.fractions_mut();
        selector.add_coarse_product(self.ring, out, &difference, &mut self.scratch);
        chosen
    }

    /// Computes `ciphertext *= X^(exponent·bit)` with 2(ℓ + 1) transforms.
    ///
    /// # Panics
    /// If the selector has more rows than the scratch memory is for, or the exponent is 2N or more.
    pub fn rotate_if_assign(
        &mut self,
        selector: &RgswCiphertext,
        ciphertext: &mut LeveledCiphertext,
        exponent: usize,
    ) {
        let fractions = ciphertext.fractions_mut();
        selector.rotate_if_assign(self.ring, fractions, exponent, &mut self.scratch);
    }
}
