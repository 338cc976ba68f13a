//! Boolean gates with one bootstrap each (Ducas, Micciancio, EUROCRYPT 2015; Chillotti et al., J. Cryptology 2020).
//!
//! A bit is the phase 1/8 (true) or -1/8 (false) of the modulus. A gate adds its inputs so that the sign of the sum is the
//! result, and bootstraps the sign. NOT needs no bootstrap.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result};

use crate::cost;
use crate::keys::evaluation_key::EvaluationKey;
#[cfg(feature = "client")]
use crate::keys::secret_key::SecretKey;
use crate::noise::{NoiseModel, Variance, log2_sum};
use crate::parameter_choice::{Search, choose_by};
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode};

/// A gate of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// a ∧ b.
    And,
    /// ¬(a ∧ b).
    Nand,
    /// a ∨ b.
    Or,
    /// ¬(a ∨ b).
    Nor,
    /// a ⊕ b.
    Xor,
    /// ¬(a ⊕ b).
    Xnor,
}

impl Gate {
    /// All gates of two inputs, AND to XNOR.
    pub const ALL: [Self; 6] = [Self::And, Self::Nand, Self::Or, Self::Nor, Self::Xor, Self::Xnor];

    /// Returns the gate's name in options, such as `nand`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Nand => "nand",
            Self::Or => "or",
            Self::Nor => "nor",
            Self::Xor => "xor",
            Self::Xnor => "xnor",
        }
    }

    /// Returns the gate with this name.
    ///
    /// ```
    /// use cryptable_fhew::booleans::Gate;
    /// assert_eq!(Gate::by_name("nand"), Some(Gate::Nand));
    /// assert_eq!(Gate::by_name("mux"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|gate| gate.name() == name)
    }

    /// Returns the factor of both inputs, and the number of eighths of the modulus to add, such that the sum is positive where
    /// the result is true.
    fn sum(self) -> (i64, i64) {
        match self {
            Self::And => (1, -1),
            Self::Nand => (-1, 1),
            Self::Or => (1, 1),
            Self::Nor => (-1, -1),
            Self::Xor => (2, 2),
            Self::Xnor => (-2, -2),
        }
    }

    /// Returns the result for plain bits.
    #[must_use]
    pub fn apply(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a && b,
            Self::Nand => !(a && b),
            Self::Or => a || b,
            Self::Nor => !(a || b),
            Self::Xor => a != b,
            Self::Xnor => a == b,
        }
    }
}

/// Returns `count/8` of a modulus that is a power of two.
fn eighths(count: i64, modulus: u64) -> u64 {
    (count * (modulus as i64 / 8)).rem_euclid(modulus as i64) as u64
}

/// Gates under a server's key.
///
/// ```
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_fhew::gates::{Gate, Gates, decrypt_bit, encrypt_bit};
/// use cryptable_fhew::parameters::Parameters;
/// let secret = SecretKey::generate(&Parameters::gates_128());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let (a, b) = (encrypt_bit(&secret, true), encrypt_bit(&secret, true));
/// let result = Gates::new(&key).evaluate(Gate::Nand, &a, &b)?;
/// assert!(!decrypt_bit(&secret, &result)?);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gates<'a> {
    key: &'a EvaluationKey,
    sign: TestPolynomial,
}

impl<'a> Gates<'a> {
    /// Returns the gates under a key.
    #[must_use]
    pub fn new(key: &'a EvaluationKey) -> Self {
        let parameters = key.parameters();
        let sign = TestPolynomial::sign(parameters.ring(), encode(1, 8, parameters.prime()));
        Self { key, sign }
    }

    /// Evaluates a gate on two bits: one bootstrap.
    ///
    /// # Errors
    /// If a ciphertext does not have the key's parameters.
    pub fn evaluate(
        &self,
        gate: Gate,
        a: &LweCiphertext,
        b: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let (factor, constant) = gate.sum();
        let raw = self.sign_of(&[(factor, a), (factor, b)], constant)?;
        Ok(self.key.key_switch(&raw))
    }

    /// Returns `condition ? a : b`: two bootstraps, one key switch.
    ///
    /// # Errors
    /// Same as [`Gates::evaluate`].
    pub fn mux(
        &self,
        condition: &LweCiphertext,
        a: &LweCiphertext,
        b: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let mut sum = self.sign_of(&[(1, condition), (1, a)], -1)?;
        sum.add_assign(&self.sign_of(&[(-1, condition), (1, b)], -1)?);
        // At most one of the two is true: -1/8 - 1/8 + 1/8, or 1/8 - 1/8 + 1/8.
        sum.add_constant_assign(encode(1, 8, sum.modulus()));
        Ok(self.key.key_switch(&sum))
    }

    /// Returns ¬a, without a bootstrap.
    #[must_use]
    pub fn not(a: &LweCiphertext) -> LweCiphertext {
        let mut result = a.clone();
        result.neg_assign();
        result
    }

    /// Returns the sign of a sum of phases and eighths, as ±1/8: LWE modulo Q.
    fn sign_of(&self, terms: &[(i64, &LweCiphertext)], constant: i64) -> Result<LweCiphertext> {
        let parameters = self.key.parameters();
        let q = parameters.lwe_modulus();
        let mut sum = LweCiphertext::trivial(parameters.lwe_dimension(), q, eighths(constant, q));
        for &(factor, bit) in terms {
            self.key.check(bit)?;
            let mut term = bit.clone();
            term.mul_integer_assign(factor);
            sum.add_assign(&term);
        }
        let phase = self.key.to_rotation_modulus(&sum, parameters.rotation_modulus());
        Ok(self.key.boot_raw(&self.sign, &phase))
    }
}

/// Returns the noise of the noisiest gate's result: that of a MUX, two rotations.
#[must_use]
pub fn noise(model: &NoiseModel) -> Variance {
    model.blind_rotation() * 2.0 + model.key_switching()
}

/// Returns log2 of the probability that the worst gate is wrong when its inputs are results of gates; a MUX counts
/// twice.
#[must_use]
pub fn log2_fail(model: &NoiseModel) -> f64 {
    log2_fail_of(model, noise(model))
}

/// Returns log2 of the failure probability, like [`log2_fail`], for independent inputs of this noise.
pub(crate) fn log2_fail_of(model: &NoiseModel, input: Variance) -> f64 {
    let switch = model.lwe_modulus_switch(model.parameters().rotation_modulus());
    let single = input * 2.0 + switch;
    let double = input * 8.0 + switch;
    let tails = [(single, 0.125), (single, 0.125), (double, 0.25)];
    log2_sum(tails.into_iter().map(|(noise, margin)| noise.law().log2_exceeds(margin)))
}

/// Returns the fastest parameters for Boolean gates that fail with probability at most 2^`limit`.
///
/// # Errors
/// If no parameters reach this probability.
pub fn choose(limit: f64) -> Result<Parameters> {
    let error =
        |found| Error::FailureUnreachable { what: "a Boolean gate".to_owned(), found, limit };
    choose_by(Search::PLAIN, cost::bootstrap, limit, log2_fail).map_err(error)?
}

/// Encrypts a bit for gates.
#[cfg(feature = "client")]
#[must_use]
pub fn encrypt_bit(secret: &SecretKey, bit: bool) -> LweCiphertext {
    let q = secret.parameters().lwe_modulus();
    secret.encrypt_phase(bit_phase(bit, q), q)
}

/// Returns the phase of a bit: 1/8 of the modulus for true, -1/8 for false.
#[cfg(feature = "client")]
pub(crate) fn bit_phase(bit: bool, modulus: u64) -> u64 {
    // 1 or 7 eighths, without a branch.
    let is_false = u64::from(!bit);
    (modulus / 8) * (1 + 6 * is_false)
}

/// Decrypts a bit encrypted for gates, or a gate's result.
///
/// # Errors
/// If the ciphertext's dimension is not that of the parameters.
#[cfg(feature = "client")]
pub fn decrypt_bit(secret: &SecretKey, ciphertext: &LweCiphertext) -> Result<bool> {
    Ok(secret.noisy_phase(ciphertext)? < ciphertext.modulus() / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_set_is_the_fastest() {
        let named = Parameters::gates_128();
        assert_eq!(choose(-64.0).unwrap().literal(), named.literal());
        assert!(log2_fail(&NoiseModel::new(&named)) <= -64.0);
        assert!(named.security_bits() >= 128.0);
    }
}
