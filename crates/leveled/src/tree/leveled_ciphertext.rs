//! RLWE ciphertexts of leveled evaluation, stored as fractions of Q, so that CMUXes need no conversion.

use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::{Buffer, torus};

use super::plaintext_polynomial::PlaintextPolynomial;

/// An RLWE ciphertext: body and mask as fractions of Q in 52 bits ([`cryptable_ring::torus`]).
#[derive(Clone, Debug, PartialEq)]
pub struct LeveledCiphertext {
    fractions: Buffer,
}

impl LeveledCiphertext {
    /// Returns a polynomial modulo Q as a ciphertext without mask or noise.
    ///
    /// # Panics
    /// If the polynomial does not have N coefficients.
    #[must_use]
    pub fn trivial(ring: &PrimeRing, polynomial: &[u64]) -> Self {
        let n = ring.degree();
        assert_eq!(polynomial.len(), n, "coefficients");
        let mut fractions = Buffer::zeroed(2 * n);
        torus::from_residues(ring.modulus(), &mut fractions[..n], polynomial);
        Self { fractions }
    }

    /// Returns a plain polynomial of values x·Q/2^d as a ciphertext.
    ///
    /// # Panics
    /// If the polynomial does not have N coefficients.
    #[must_use]
    pub fn of_plaintexts(ring: &PrimeRing, plaintexts: &PlaintextPolynomial) -> Self {
        let n = ring.degree();
        let mut fractions = Buffer::zeroed(2 * n);
        plaintexts.write_fractions(&mut fractions[..n]);
        Self { fractions }
    }

    /// Converts an RLWE ciphertext modulo Q to fractions.
    #[must_use]
    pub fn new(ring: &PrimeRing, ciphertext: &RlweCiphertext) -> Self {
        let mut fractions = Buffer::unspecified(2 * ring.degree());
        torus::from_residues(ring.modulus(), &mut fractions, ciphertext.words());
        Self { fractions }
    }

    /// Returns the same ciphertext modulo Q.
    #[must_use]
    pub fn to_rlwe(&self, ring: &PrimeRing) -> RlweCiphertext {
        let mut words = Buffer::unspecified(2 * ring.degree());
        torus::to_residues(ring.modulus(), &mut words, &self.fractions);
        RlweCiphertext::from_words(words)
    }

    pub(crate) fn fractions(&self) -> &[u64] {
        &self.fractions
    }

    pub(crate) fn fractions_mut(&mut self) -> &mut [u64] {
        &mut self.fractions
    }

    /// Computes `self -= other`, for bodies and masks.
    pub fn sub_assign(&mut self, other: &Self) {
        for (word, &other) in self.fractions.iter_mut().zip(other.fractions.iter()) {
            *word = word.wrapping_sub(other);
        }
    }

    /// Returns `self·X^exponent`.
    ///
    /// # Panics
    /// If the exponent is 2N or more.
    #[must_use]
    pub fn times_monomial(&self, ring: &PrimeRing, exponent: usize) -> Self {
        let n = ring.degree();
        assert!(exponent < 2 * n, "exponent {exponent}");
        let mut fractions = Buffer::unspecified(2 * n);
        let (shift, flipped) = (exponent % n, exponent >= n);
        for (out, source) in fractions.chunks_exact_mut(n).zip(self.fractions.chunks_exact(n)) {
            for (x, word) in out.iter_mut().enumerate() {
                let (from, wrapped) =
                    if x >= shift { (x - shift, false) } else { (n + x - shift, true) };
                let value = source[from];
                *word = if wrapped == flipped { value } else { value.wrapping_neg() };
            }
        }
        Self { fractions }
    }

    /// Extracts coefficients of the phase as LWE modulo Q under the ring secret.
    ///
    /// # Panics
    /// If a position is not below N.
    #[must_use]
    pub fn extract(
        &self,
        ring: &PrimeRing,
        positions: impl Iterator<Item = usize>,
    ) -> Vec<LweCiphertext> {
        let rlwe = self.to_rlwe(ring);
        positions.map(|position| rlwe.extract(ring, position)).collect()
    }
}
