//! Bootstrapping: restores all levels.

use std::borrow::Cow;

use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_lattice::error::{Error, Result, demand};

use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;

impl EvaluationKey {
    /// Returns the same slots with all levels, whatever level they have. Parts must be within [-1, 1]; errors grow to
    /// those that the result states. Real slots need one exponential in place of two, and so do fewer slots than half
    /// the ring degree.
    ///
    /// ```
    /// use cryptable_approximate::{KeySet, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_bootstrapping()?);
    /// let server = secret.evaluation_key_for(&KeySet::new().bootstrapping(), Progress::silent())?;
    /// let x = secret.encrypt_reals(&[0.5, -0.25, 1.0])?;
    /// let x = server.bootstrap(&server.lower(&x, 0)?)?;
    /// assert_eq!(x.level(), secret.parameters().levels());
    /// assert!((secret.decrypt_reals(&x)?[1] + 0.25).abs() < 1e-5);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters, or its slots may be larger;
    /// [`Error::MissingKey`].
    pub fn bootstrap(&self, ct: &Ciphertext) -> Result<Ciphertext> {
        self.check(&[ct])?;
        let missing = Error::MissingKey { method: "bootstrapping", key: "its keys" };
        let (circuit, matrices) = self.bootstrap_parts().ok_or(missing)?;
        let bound = ct.bounds().part();
        demand(bound <= 1.0, "bound of slots to be bootstrapped", bound, "it must be at most 1")?;
        let ((evaluator, dry_run), parts) = (self.arithmetics(), ct.bounds().parts());
        let bottom = circuit.to_coefficients(&evaluator, &matrices.slots_to_coeffs, &ct.inner);
        let raised = mod_raise::raise(&evaluator, &bottom.parts, circuit.raised_basis());
        let phases = circuit.phases(&evaluator, &matrices.coeffs_to_slots, raised, parts);
        let inner = circuit.evaluate(&evaluator, phases, matrices.mask(parts));
        let (shape, bias) = circuit.predict(&dry_run, &ct.shape, parts, bound);
        let tags = Tags { bias: ct.tags.bias + bias, ..ct.tags };
        Ok(Ciphertext::join(inner, shape, tags))
    }

    /// Returns the ciphertext with at least `levels` levels: as it is, or bootstrapped if bootstraps are automatic.
    ///
    /// # Errors
    /// If it has fewer levels and bootstraps are not automatic or do not leave more; also the errors of
    /// [`EvaluationKey::bootstrap`].
    pub(crate) fn with_levels<'a>(
        &self,
        ct: &'a Ciphertext,
        levels: usize,
    ) -> Result<Cow<'a, Ciphertext>> {
        if ct.level() >= levels {
            return Ok(Cow::Borrowed(ct));
        }
        if self.is_automatic() && self.parameters().levels() >= levels {
            return Ok(Cow::Owned(self.bootstrap(ct)?));
        }
        let (name, value) = ("level of an operand", ct.level() as u64);
        Err(Error::TooSmall { name, value, limit: levels as u64 })
    }
}
