//! Continuous functions of integers that are read as fractions, v = x/2^(bits - 1) in [-1, 1): FDFB-Compress with
//! padding (Sec. 4.2 of Ma et al., TCHES 2024), two bootstraps for any function.
//!
//! Results are approximate: the phase at which a function is looked up has the noise of two switches to 2N, one or two
//! thousandths.

use std::fmt;

use cryptable_lattice::{Error, NoiseBound, Progress, Result};
#[cfg(feature = "client")]
use cryptable_ring::rounding::nearest_integer;

use super::ciphertexts::Encoding;
use super::interchange::precise_rotation;
use super::{EncryptedIntegers, EvaluationKey, Parameters};
use crate::full_domain::{CompressContinuous, ContinuousFunction};
use crate::noise::NoiseModel;

/// Phase of v = 1, as a fraction of the modulus: phases are from -1/2 to below 1/2.
const SCALE: f64 = 0.5;

/// A real function F from [-1, 1) to [-1, 1).
///
/// F must be Lipschitz on each half, v < 0 and v >= 0: |F(v) - F(w)| <= L·|v - w|. If F jumps at 0, a value within the
/// noise of 0 may have the result of the other side.
#[derive(Clone, Copy)]
pub struct RealFunction<'a> {
    /// The function F itself. Values outside [-1, 1) wrap around.
    pub function: &'a (dyn Fn(f64) -> f64 + Sync),
    /// Lipschitz constant L: the largest slope of F on either side of 0.
    pub lipschitz: f64,
}

impl fmt::Debug for RealFunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RealFunction").field("lipschitz", &self.lipschitz).finish_non_exhaustive()
    }
}

impl Parameters {
    /// Returns the noise of F(v), as a fraction of 2 (the length of [-1, 1)), for inputs with this noise:
    /// `L²·(σ_in² + σ_ks² + σ_ms² + σ_boot²/k²) + σ_acc²`, k almost 1/2 (Theorem 8).
    ///
    /// # Errors
    /// If L is negative or not a finite number, or bootstraps are too noisy for continuous functions.
    pub fn continuous_noise(&self, lipschitz: f64, input: NoiseBound) -> Result<NoiseBound> {
        if !(lipschitz >= 0.0 && lipschitz.is_finite()) {
            let (name, limit) = ("Lipschitz constant", "it must be 0 or a positive number".into());
            return Err(Error::Parameter { name, value: lipschitz, limit });
        }
        let (model, method) = self.continuous_method()?;
        let recovered = method.recovered(&model, self.phase_noise(&model, input).law());
        let rotation = model.large_rotation(precise_rotation(self.fhew()));
        let output = recovered.times(lipschitz).with_independent(rotation.law());
        Ok(NoiseBound::of_law(output, lipschitz * input.bias()))
    }

    /// Returns the largest |v| that is mistaken for a value at the other end of [-1, 1) with no more than the stated failure
    /// probability, for inputs with this noise.
    ///
    /// # Errors
    /// If bootstraps are too noisy for continuous functions.
    pub fn continuous_limit(&self, input: NoiseBound) -> Result<f64> {
        let (model, _) = self.continuous_method()?;
        Ok(1.0 - self.phase_noise(&model, input).largest(self.limit()) / SCALE)
    }

    fn continuous_method(&self) -> Result<(NoiseModel, CompressContinuous)> {
        let model = NoiseModel::new(self.fhew());
        let method = CompressContinuous::new(&model, self.limit())?;
        Ok((model, method))
    }

    /// Returns the noise of an integer's phase modulo 2N.
    fn phase_noise(&self, model: &NoiseModel, input: NoiseBound) -> NoiseBound {
        input.with_independent(model.common(self.fhew().rotation_modulus()).into())
    }
}

impl EvaluationKey {
    /// Returns F(v) for every v = x/2^(bits - 1), again as integers F(v)·2^(bits - 1), with the noise of
    /// [`Parameters::continuous_noise`]. |v| must be at most [`Parameters::continuous_limit`].
    ///
    /// Results can be decrypted, or be inputs of further continuous functions, but not of functions by digits, which need
    /// exact integers.
    ///
    /// ```
    /// use cryptable_fhew::integers::{Parameters, RealFunction, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let parameters = Parameters::insecure_toy(16)?;
    /// let secret = SecretKey::generate(&parameters);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let v = secret.encrypt_reals(&[-0.5, 0.25, 0.75])?;
    /// let square = RealFunction { function: &|v| v * v, lipschitz: 2.0 };
    /// let found = secret.decrypt_reals(&key.continuous(&v, &square, Progress::silent())?)?;
    /// for (found, expected) in found.iter().zip([0.25, 0.0625, 0.5625]) {
    ///     assert!((found - expected).abs() < 0.05, "{found}");
    /// }
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as for all functions, or if the integers are results with one bit less, or L is negative or not a finite number.
    pub fn continuous(
        &self,
        x: &EncryptedIntegers,
        function: &RealFunction<'_>,
        progress: Progress<'_>,
    ) -> Result<EncryptedIntegers> {
        let parameters = self.parameters();
        let input = self.noise_of(x)?;
        let noise = parameters.continuous_noise(function.lipschitz, input)?;
        let (_, method) = parameters.continuous_method()?;
        let RealFunction { function, lipschitz } = *function;
        let scaled =
            ContinuousFunction { function, input_scale: SCALE, output_scale: SCALE, lipschitz };
        let rotation_key = precise_rotation(parameters.fhew());
        // No ciphertext claims less noise than a fresh one.
        let noise = noise.max(parameters.fresh_integer_noise());
        self.map_to_noise(x, noise, progress, |x| {
            method.evaluate_large(self.fhew(), rotation_key, &scaled, &self.fhew().key_switch(x))
        })
    }

    /// Returns the noise of integers of [`Parameters::bits`] bits.
    fn noise_of(&self, x: &EncryptedIntegers) -> Result<NoiseBound> {
        match x.encoding() {
            Encoding::Signed { computed: false } => Ok(self.parameters().fresh_integer_noise()),
            Encoding::Signed { computed: true } => {
                Ok(self.parameters().plan().output_noise().into())
            }
            Encoding::Imported { noise } => Ok(noise),
            Encoding::Unsigned => Err(Error::mismatch(
                "input of the function",
                "a result of ReLU or maximum, of one bit less",
                format!("integers of {} bits", self.parameters().bits()),
            )),
        }
    }
}

#[cfg(feature = "client")]
impl super::SecretKey {
    /// Encrypts numbers in [-1, 1), rounded to multiples of 2^-(bits - 1).
    ///
    /// # Errors
    /// If a number is outside this range; the error names it.
    pub fn encrypt_reals(&self, values: &[f64]) -> Result<EncryptedIntegers> {
        let one = f64::from(1u32 << (self.parameters().bits() - 1));
        // The conversion saturates. NaN would become 0, so it is refused first.
        if let Some(&value) = values.iter().find(|value| !(-1.0..1.0).contains(*value)) {
            let limit = "it must be from -1 to below 1".to_owned();
            return Err(Error::Parameter { name: "number", value, limit });
        }
        let rounded = |value: &f64| nearest_integer(value * one).min(one as i64 - 1);
        self.encrypt_full_range(&values.iter().map(rounded).collect::<Vec<i64>>())
    }

    /// Decrypts integers as numbers in [-1, 1).
    ///
    /// Results of continuous functions reveal a part of their noise, and thereby of the secret: do not give them to anyone
    /// who has the ciphertexts (Li, Micciancio, EUROCRYPT 2021).
    ///
    /// # Errors
    /// Same as [`super::SecretKey::decrypt`].
    pub fn decrypt_reals(&self, integers: &EncryptedIntegers) -> Result<Vec<f64>> {
        let unit = 1.0 / f64::from(1u32 << (self.parameters().bits() - 1));
        Ok(self.decrypt(integers)?.into_iter().map(|value| value as f64 * unit).collect())
    }
}
