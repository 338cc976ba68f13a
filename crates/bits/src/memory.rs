//! What bits take in memory: for schedules.

use crate::parameters::Parameters;

/// Ciphertexts of the whole chain that a bootstrap holds at its widest point, a part: baby steps, their accumulators, and
/// temporaries of key switches. Measured at ring degree 2^14: 84.
const CIPHERTEXTS_OF_A_BOOTSTRAP: usize = 96;

impl Parameters {
    /// Bytes of bits with so many levels left.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::latency_128(Packing::Real)?;
    /// // Two polynomials of two limbs, which hold three primes.
    /// assert_eq!(parameters.ciphertext_bytes(0), 2 * 2 * (8 << 14));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn ciphertext_bytes(&self, levels: usize) -> usize {
        let literal = self.literal();
        let primes = (literal.input_limbs() + levels).min(literal.output_limbs());
        let limbs = literal.shared_limbs().limbs(primes);
        self.packing().parts() * self.limb_bytes() * 2 * limbs
    }

    /// Bytes that a bootstrap takes beside its operands, about.
    #[must_use]
    pub fn bootstrap_working_bytes(&self) -> usize {
        let ciphertext = self.limb_bytes() * 2 * self.literal().raised_basis().limbs();
        self.packing().parts() * ciphertext * CIPHERTEXTS_OF_A_BOOTSTRAP
    }

    /// Bytes of a limb of a polynomial.
    fn limb_bytes(&self) -> usize {
        8 * self.literal().ring_degree
    }
}
