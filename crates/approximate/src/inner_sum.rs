//! Sums over slots, by rotations that double what is summed.

use cryptable_lattice::error::{Result, demand};

use crate::ciphertext::Ciphertext;
use crate::evaluation_key::EvaluationKey;

impl EvaluationKey {
    /// In every slot j the sum of slots `j, j + 1, …, j + count - 1`, cyclically: of all slots, if `count` is their number.
    /// Takes rotations by the powers of two below `count`, and bounds grow by that factor.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy()?);
    /// let keys = KeySet::new().rotations_by_powers_of_two(4);
    /// let server = secret.evaluation_key_for(&keys, Progress::silent())?;
    /// let sum = server.inner_sum(&secret.encrypt_reals(&[0.5, 0.25, -1.0, 0.125])?, 4)?;
    /// assert!((secret.decrypt_reals(&sum)?[0] + 0.125).abs() < 1e-6);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `count` is not a power of two of at most the number of slots; as [`EvaluationKey::rotate`] and
    /// [`EvaluationKey::add`].
    pub fn inner_sum(&self, ct: &Ciphertext, count: usize) -> Result<Ciphertext> {
        let ok = count.is_power_of_two() && count <= ct.slots();
        let limit = "a power of two, at most the number of slots";
        demand(ok, "number of summed slots", count as f64, limit)?;
        (0..count.ilog2())
            .try_fold(ct.clone(), |sum, k| self.add(&sum, &self.rotate(&sum, 1 << k)?))
    }
}
