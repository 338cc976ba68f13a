//! Memory of bits, for schedules.

use crate::circuit::MAX_MODULUS;
use crate::parameters::Parameters;

/// Number of ciphertexts of the whole chain that a bootstrap holds per part at its peak: baby steps, their
/// accumulators, and temporaries of key switches. Measured at ring degree 2^14: 84.
const CIPHERTEXTS_OF_A_BOOTSTRAP: usize = 96;

impl Parameters {
    /// Returns the size in bytes of bits with `levels` levels left.
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

    /// Bytes of the evaluation key in memory: switching keys, the matrices of CoeffsToSlots, and the matrices of
    /// SlotsToCoeffs for sums that become fractions of these moduli. Equals
    /// [`EvaluationKey::memory_bytes`](crate::EvaluationKey::memory_bytes) after bootstraps with these moduli.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::balanced_128(Packing::Complex)?;
    /// let (keys, all) = (parameters.key_memory_bytes(), parameters.evaluation_key_bytes([2, 3]));
    /// assert!(keys < all && all < 2 * keys);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Panics
    /// If a modulus is not from 2 to 16.
    #[must_use]
    pub fn evaluation_key_bytes(&self, moduli: impl IntoIterator<Item = u64>) -> usize {
        let (circuit, ring) = (self.circuit(), self.moduli());
        // The matrices of all moduli have the same diagonals, with other numbers.
        let count = moduli.into_iter().inspect(|m| assert!((2..=MAX_MODULUS).contains(m))).count();
        self.key_memory_bytes()
            + circuit.coeffs_to_slots.encoded_bytes(&ring)
            + count * circuit.slots_to_coeffs.encoded_bytes(&ring)
    }

    /// Returns approximately how many bytes a bootstrap needs beside its operands.
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
