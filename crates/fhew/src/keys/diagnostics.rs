//! Phases and errors of ciphertexts, for measuring noise: feature `diagnostics`, which no product may enable.
//!
//! They depend on the noise, and thereby on the secrets (Li, Micciancio, EUROCRYPT 2021): anyone who gets enough of them
//! can recover the secrets.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::kernels;
use zeroize::Zeroizing;

use super::secret_key::SecretKey;
use crate::rlwe::RlweCiphertext;

impl SecretKey {
    /// Returns the phase b + ⟨a, s⟩, under the LWE secret or, by its dimension, the ring secret.
    ///
    /// # Errors
    /// If the dimension is neither n nor N.
    pub fn phase(&self, ciphertext: &LweCiphertext) -> Result<u64> {
        self.noisy_phase(ciphertext)
    }

    /// Returns the phase b + a·s of an RLWE ciphertext, N coefficients modulo Q.
    #[must_use]
    pub fn rlwe_phase(&self, ciphertext: &RlweCiphertext) -> Vec<u64> {
        let ring = self.parameters().ring();
        let residue = |&c: &i8| ring.modulus().reduce_i64(c.into());
        let secret = self.ring_coefficients().iter().map(residue);
        let secret: Zeroizing<Vec<u64>> = Zeroizing::new(secret.collect());
        let mut phase = ciphertext.mask().to_vec();
        ring.multiply_assign(&mut phase, &ring.prepare(&secret));
        kernels::add_assign(ring.modulus(), &mut phase, ciphertext.body());
        phase
    }

    /// Returns the phase minus `expected`, centred, as a fraction of the modulus: the measure of noise.
    ///
    /// # Errors
    /// Same as [`SecretKey::phase`].
    pub fn phase_error(&self, ciphertext: &LweCiphertext, expected: u64) -> Result<f64> {
        let q = ciphertext.modulus() as f64;
        let difference = (self.noisy_phase(ciphertext)? as f64 - expected as f64) / q;
        Ok(difference - difference.round())
    }
}
