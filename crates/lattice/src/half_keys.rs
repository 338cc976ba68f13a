//! The secret of the half ring, and switching keys between it and the dense secret.
//!
//! A ciphertext whose message lies in the half ring ([`Ring::half`]) is switched to a secret in that ring, too. The
//! even parts of both its polynomials are then a ciphertext of the half ring. The key for this switch encrypts under a
//! secret of N/2 coefficients. Like that of every key in the half ring, its modulus must therefore be secure for half
//! the degree.
//!
//! The secret is drawn for each evaluation key, since no ciphertext under it leaves the server.

use cryptable_ring::Ring;
use zeroize::Zeroizing;

use crate::evaluation_keys::KeyPurpose;
use crate::key_rows::{EvaluatedSecret, KeyRows, SecretRow, evaluations, fill_from_to};
use crate::secret::TernarySecret;
use crate::switching_key::SwitchingKeyShape;

/// The secret of the half ring.
pub(crate) struct HalfSecret(TernarySecret);

impl HalfSecret {
    /// Draws the secret for the half ring of a ring.
    pub(crate) fn sample(ring: &Ring) -> Self {
        Self(TernarySecret::uniform(ring.half().degree()))
    }

    /// Makes the rows of a key in the half ring, or between it and the dense secret.
    ///
    /// # Panics
    /// If the purpose does not involve the half ring.
    pub(crate) fn fill(
        &self,
        dense: &EvaluatedSecret<'_>,
        purpose: KeyPurpose,
        shape: SwitchingKeyShape,
        rows: KeyRows<'_>,
    ) {
        let ring = dense.ring();
        let own = || EvaluatedSecret::new(ring.half(), &self.0);
        let lifted = self.lifted();
        let of_lifted = |prime| SecretRow::Own(evaluations(ring, prime, &lifted));
        let of_dense = |prime| SecretRow::Shared(dense.limb(prime));
        match purpose {
            KeyPurpose::HalfRelinearization => own().fill_relinearization(shape, rows),
            KeyPurpose::HalfGalois(element) => own().fill_galois(element, shape, rows),
            KeyPurpose::ToHalf => fill_from_to(ring, shape, rows, of_dense, of_lifted),
            KeyPurpose::FromHalf => fill_from_to(ring, shape, rows, of_lifted, of_dense),
            other => unreachable!("{other:?} is no key of the half ring"),
        }
    }

    /// Returns the coefficients of the secret at even powers of X.
    fn lifted(&self) -> Zeroizing<Vec<i64>> {
        let coefficients = self.0.coefficients();
        let mut lifted = Zeroizing::new(vec![0; 2 * coefficients.len()]);
        for (even, &c) in lifted.iter_mut().step_by(2).zip(coefficients) {
            *even = i64::from(c);
        }
        lifted
    }
}
