//! Sums, differences and multiples of packed values: exact arithmetic modulo the modulus of the values, without any key
//! and without a bootstrap. Noise grows; results that would decrypt wrong too often are refused.

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::Result;
use cryptable_lattice::noise_bound::{NoiseBound, least_factor};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;

impl EvaluationKey {
    /// Computes `x + y` modulo the modulus of the values, value by value. Bounds on noise add up, since y may depend on
    /// x; [`crate::Parameters::sum_limits`] returns the maximum number of terms.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[1, 9])?, secret.encrypt(&[2, 8])?);
    /// assert_eq!(secret.decrypt(&key.add(&x, &y)?)?, [3, 1]);
    /// assert_eq!(secret.decrypt(&key.sub(&x, &y)?)?, [15, 1]);
    /// assert_eq!(secret.decrypt(&key.negate(&x)?)?, [15, 7]);
    /// assert_eq!(secret.decrypt(&key.add_plain(&x, &[15, 0])?)?, [0, 9]);
    /// assert_eq!(secret.decrypt(&key.mul_scalar(&x, 3)?)?, [3, 11]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a ciphertext belongs to another client or has other parameters, or the moduli or counts differ;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if the result would decrypt wrong with more than the stated
    /// probability.
    pub fn add(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.check_operands(&[x, y])?;
        self.checked("decryption of the sum", x.body().add(y.body())?, x.noise() + y.noise())
    }

    /// Computes `x - y` modulo the modulus of the values, value by value.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`].
    pub fn sub(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.check_operands(&[x, y])?;
        let noise = x.noise() + y.noise();
        self.checked("decryption of the difference", x.body().sub(y.body())?, noise)
    }

    /// Computes `-x` modulo the modulus of the values. Noise does not change.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or has other parameters.
    pub fn negate(&self, x: &Ciphertext) -> Result<Ciphertext> {
        self.mul_scalar(x, -1)
    }

    /// Computes `x + constant` modulo the modulus of the values, with one constant per value. Noise does not change,
    /// except for the rounding of the encoding if the modulus is not a power of two.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`]; if there is not one constant per value, or a constant is not below the
    /// modulus.
    pub fn add_plain(&self, x: &Ciphertext, constants: &[u64]) -> Result<Ciphertext> {
        self.check_operands(&[x])?;
        let modulus = f64::from(self.parameters().literal().log2_ciphertext_modulus).exp2();
        let noise = x.noise() + NoiseBound::encoding(modulus, x.modulus());
        self.checked("decryption of the sum", x.body().add_plain(constants)?, noise)
    }

    /// Computes `factor·x` modulo the modulus of the values. Noise is multiplied by the absolute value of the factor's
    /// smallest representative: 255 counts as -1 modulo 256.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`].
    pub fn mul_scalar(&self, x: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        self.check_operands(&[x])?;
        let factor = least_factor(factor, x.modulus());
        let noise = x.noise().times(factor.unsigned_abs());
        self.checked("decryption of the multiple", x.body().mul_scalar(factor), noise)
    }

    /// Moves every value forward by `offset` places, and returns the first `count` places of the result as values.
    /// Values that leave at one end enter negated at the other. Places without a value hold zero in fresh ciphertexts,
    /// and arbitrary values in others. Noise does not change.
    ///
    /// ```
    /// use cryptable_packed::{Parameters, Progress, SecretKey};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(16, 16)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let x = secret.encrypt(&[1, 9])?;
    /// assert_eq!(secret.decrypt(&key.shift(&x, 2, 4)?)?, [0, 0, 1, 9]);
    /// assert_eq!(secret.decrypt(&key.shift(&x, -1, 1)?)?, [9]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or has other parameters; if there are fewer places than `count`, or
    /// `offset` exceeds their number.
    pub fn shift(&self, x: &Ciphertext, offset: i64, count: usize) -> Result<Ciphertext> {
        self.check_operands(&[x])?;
        Ok(self.result(x.body().shift(offset, count)?, x.noise()))
    }

    fn check_operands(&self, operands: &[&Ciphertext]) -> Result<()> {
        operands.iter().try_for_each(|x| x.check(self.parameters(), self.binding(), None))
    }

    /// Makes a result after checking that its noise admits decryption.
    fn checked(
        &self,
        operation: &'static str,
        body: CoefficientCiphertext,
        noise: NoiseBound,
    ) -> Result<Ciphertext> {
        let limit = self.parameters().stated_log2_fail();
        noise.check_decryption(operation, body.plaintext_modulus, limit)?;
        Ok(self.result(body, noise))
    }
}
