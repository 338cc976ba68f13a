//! Sums, differences and multiples of packed values: exact arithmetic modulo the modulus of the values, without any key
//! and without a bootstrap. Noise grows, and what would decrypt wrong too often is refused.

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::Result;
use cryptable_lattice::noise_bound::{NoiseBound, least_factor};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;

impl EvaluationKey {
    /// `x + y` modulo the modulus of the values, value by value. Bounds on noise add up, as they must where y depends on
    /// x; [`crate::Parameters::sum_limits`] says how far.
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
    /// If a ciphertext is of another client or other parameters, or their moduli or counts differ;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if the result would decrypt wrong with more than the stated
    /// probability.
    pub fn add(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.check_operands(&[x, y])?;
        self.checked("decryption of the sum", x.body().add(y.body())?, x.noise() + y.noise())
    }

    /// `x - y` modulo the modulus of the values, value by value.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`].
    pub fn sub(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.check_operands(&[x, y])?;
        let noise = x.noise() + y.noise();
        self.checked("decryption of the difference", x.body().sub(y.body())?, noise)
    }

    /// `-x` modulo the modulus of the values. Noise stays as it is.
    ///
    /// # Errors
    /// If the ciphertext is of another client or other parameters.
    pub fn negate(&self, x: &Ciphertext) -> Result<Ciphertext> {
        self.mul_scalar(x, -1)
    }

    /// `x + constant` modulo the modulus of the values, for each value a constant of its own. Noise stays as it is, but
    /// for what encoding rounds away where the modulus is no power of two.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`]; if there is not one constant for each value, or one is not below the modulus.
    pub fn add_plain(&self, x: &Ciphertext, constants: &[u64]) -> Result<Ciphertext> {
        self.check_operands(&[x])?;
        let modulus = f64::from(self.parameters().literal().log2_ciphertext_modulus).exp2();
        let noise = x.noise() + NoiseBound::encoding(modulus, x.modulus());
        self.checked("decryption of the sum", x.body().add_plain(constants)?, noise)
    }

    /// `factor·x` modulo the modulus of the values. Noise grows by the size of the least number that is the factor modulo
    /// that: 255 counts as -1 modulo 256.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::add`].
    pub fn mul_scalar(&self, x: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        self.check_operands(&[x])?;
        let factor = least_factor(factor, x.modulus());
        let noise = x.noise().times(factor.unsigned_abs());
        self.checked("decryption of the multiple", x.body().mul_scalar(factor), noise)
    }

    /// Moves every value `offset` places on, and takes the first `count` places of the result as values. What leaves at
    /// one end comes in negated at the other; places without a value hold zero in a fresh ciphertext, and anything in
    /// others. Noise stays as it is.
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
    /// If the ciphertext is of another client or other parameters; if there are fewer places than `count`, or `offset` is
    /// further than all of them.
    pub fn shift(&self, x: &Ciphertext, offset: i64, count: usize) -> Result<Ciphertext> {
        self.check_operands(&[x])?;
        Ok(self.result(x.body().shift(offset, count)?, x.noise()))
    }

    fn check_operands(&self, operands: &[&Ciphertext]) -> Result<()> {
        operands.iter().try_for_each(|x| x.check(self.parameters(), self.binding(), None))
    }

    /// A result that decrypts.
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
