//! Sums, differences and multiples of single values: exact arithmetic modulo the modulus of the values, without any key
//! and without a bootstrap. Noise grows, and what would decrypt wrong too often is refused.

use std::borrow::Cow;

use cryptable_lattice::error::{Result, check_equal, check_values};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::noise_bound::{NoiseBound, least_factor};

use super::{Ciphertext, EvaluationKey};
use crate::test_polynomial::encode;

impl EvaluationKey {
    /// `x + y` modulo the modulus of the values, value by value. Bounds on noise add up, as they must where y depends on
    /// x; [`super::Parameters::sum_limits`] says how far.
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
    /// If a ciphertext is of another client or other parameters, or their moduli or counts differ;
    /// [`cryptable_lattice::Error::NoiseTooLarge`] if the result would decrypt wrong with more than the stated
    /// probability.
    pub fn add(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let [x, y] = self.operands(x, y)?;
        let noise = x.noise() + y.noise();
        self.checked("decryption of the sum", x.modulus(), noise, x.values().add(y.values())?)
    }

    /// `x - y` modulo the modulus of the values, value by value.
    ///
    /// # Errors
    /// As [`EvaluationKey::add`].
    pub fn sub(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        let [x, y] = self.operands(x, y)?;
        let (noise, values) = (x.noise() + y.noise(), x.values().sub(y.values())?);
        self.checked("decryption of the difference", x.modulus(), noise, values)
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
    /// As [`EvaluationKey::add`]; if there is not one constant for each value, or one is not below the modulus.
    pub fn add_plain(&self, x: &Ciphertext, constants: &[u64]) -> Result<Ciphertext> {
        let x = self.switched(x)?;
        let (modulus, q) = (x.modulus(), self.fhew().parameters().lwe_modulus());
        check_values(constants, modulus)?;
        let phases: Vec<u64> = constants.iter().map(|&value| encode(value, modulus, q)).collect();
        let noise = x.noise() + NoiseBound::encoding(q as f64, modulus);
        self.checked("decryption of the sum", modulus, noise, x.values().add_constants(&phases)?)
    }

    /// `factor·x` modulo the modulus of the values. Noise grows by the size of the least number that is the factor modulo
    /// that: 15 counts as -1 modulo 16.
    ///
    /// # Errors
    /// As [`EvaluationKey::add`].
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

    /// A result that decrypts.
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
