//! Sums, differences and multiples of single values: exact arithmetic modulo the modulus of the values, without a key
//! and without a bootstrap. Noise grows, and a result that would decrypt wrong too often is refused.

use std::borrow::Cow;

use cryptable_lattice::error::{Result, check_equal, check_values};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::noise_bound::{NoiseBound, least_factor};

use super::{Ciphertext, EvaluationKey};
use crate::test_polynomial::encode;

impl EvaluationKey {
    /// Returns `x + y` modulo the modulus of the values, value by value. The bounds on noise add up, since y may depend on x;
    /// [`super::Parameters::sum_limits`] returns the largest numbers of terms.
    ///
    /// ```
    /// use cryptable_fhew::lookup::{Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(8, 8)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let (x, y) = (secret.encrypt(&[1, 5])?, secret.encrypt(&[2, 4])?);
    /// assert_eq!(secret.decrypt(&key.add(&x, &y)?)?, [3, 1]);
    /// assert_eq!(secret.decrypt(&key.sub(&x, &y)?)?, [7, 1]);
    /// assert_eq!(secret.decrypt(&key.negate(&x)?)?, [7, 3]);
    /// assert_eq!(secret.decrypt(&key.add_plain(&x, &[7, 0])?)?, [0, 5]);
    /// assert_eq!(secret.decrypt(&key.mul_scalar(&x, 3)?)?, [3, 7]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a ciphertext belongs to another client or other parameters, or the moduli or the numbers of values differ;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if the result would decrypt wrong with more than the stated
    /// probability.
    pub fn add(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let [x, y] = self.operands(x, y)?;
        let noise = x.noise() + y.noise();
        self.checked("decryption of the sum", x.modulus(), noise, x.values().add(y.values())?)
    }

    /// Returns `x - y` modulo the modulus of the values, value by value.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::add`].
    pub fn sub(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let [x, y] = self.operands(x, y)?;
        let (noise, values) = (x.noise() + y.noise(), x.values().sub(y.values())?);
        self.checked("decryption of the difference", x.modulus(), noise, values)
    }

    /// Returns `-x` modulo the modulus of the values. The noise stays the same.
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or other parameters.
    pub fn negate(&self, x: &Ciphertext) -> Result<Ciphertext> {
        self.mul_scalar(x, -1)
    }

    /// Adds a constant to each value, modulo the modulus of the values. The noise stays the same, except for the rounding of
    /// encoded constants if the modulus is not a power of two.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::add`], or if the number of constants is not that of the values, or a constant is not below the
    /// modulus.
    pub fn add_plain(&self, x: &Ciphertext, constants: &[u64]) -> Result<Ciphertext> {
        let x = self.switched(x)?;
        let (modulus, q) = (x.modulus(), self.fhew().parameters().lwe_modulus());
        check_values(constants, modulus)?;
        let phases: Vec<u64> = constants.iter().map(|&value| encode(value, modulus, q)).collect();
        let noise = x.noise() + NoiseBound::encoding(q as f64, modulus);
        self.checked("decryption of the sum", modulus, noise, x.values().add_constants(&phases)?)
    }

    /// Returns `factor·x` modulo the modulus of the values. Noise grows by the absolute value of the factor's smallest
    /// representative: 15 counts as -1 modulo 16.
    ///
    /// # Errors
    /// Same as [`EvaluationKey::add`].
    pub fn mul_scalar(&self, x: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        let x = self.switched(x)?;
        let factor = least_factor(factor, x.modulus());
        let noise = x.noise().times(factor.unsigned_abs());
        let values = x.values().mul_scalar(factor);
        self.checked("decryption of the multiple", x.modulus(), noise, values)
    }

    /// Returns both operands under the LWE secret.
    fn operands<'a>(
        &self,
        x: &'a Ciphertext,
        y: &'a Ciphertext,
    ) -> Result<[Cow<'a, Ciphertext>; 2]> {
        let [x, y] = [self.switched(x)?, self.switched(y)?];
        check_equal("modulus of the second operand's values", y.modulus(), x.modulus())?;
        Ok([x, y])
    }

    /// Returns a result after checking that it will decrypt.
    fn checked(
        &self,
        operation: &'static str,
        modulus: u64,
        noise: NoiseBound,
        values: LweList,
    ) -> Result<Ciphertext> {
        let parameters = self.parameters();
        noise.check_decryption(operation, modulus, parameters.stated_log2_fail())?;
        Ok(Ciphertext::new(*self.binding(), modulus, noise, values))
    }
}
