//! Planning and evaluating a decomposition, digit by digit (Algorithms 7 and 8 of Ma et al., TCHES 2024).

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, NoiseBound, Result};

use super::digit_decomposition::{Clearing, ClearingModel, DigitDecomposition, Window};
use super::large_precision::{check_large, check_large_bits};
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, log2_sum};
use crate::parameters::Parameters;

/// Largest number of bits of a digit.
pub const MAX_DIGIT_BITS: u32 = 8;

/// A planned decomposition: the rotation key that every step uses.
#[derive(Clone, Debug)]
pub struct Decomposition {
    algorithm: &'static dyn DigitDecomposition,
    bits: u32,
    base_log2: u32,
    /// For every digit but the highest.
    rotation_keys: Vec<usize>,
    digit_noise: Vec<NoiseLaw>,
    log2_fail: f64,
}

impl Decomposition {
    /// Plans the decomposition of values of `bits` bits into digits of `base_log2` bits; the highest digit has the rest.
    ///
    /// `input` is the noise of ciphertexts, as a fraction of q_0: a variance, such as [`NoiseModel::fresh_large`], or a bound
    /// with a bias, which is subtracted from every margin.
    ///
    /// ```
    /// use cryptable_fhew::decomposition::{Decomposition, HomDecompReduce};
    /// use cryptable_fhew::noise::NoiseModel;
    /// use cryptable_fhew::parameters::Parameters;
    /// let model = NoiseModel::new(&Parameters::decomposition_128());
    /// let plan = Decomposition::plan(&model, &HomDecompReduce, 24, 4, model.fresh_large(), -64.0)?;
    /// assert_eq!(plan.digits(), 6);
    /// assert!(plan.log2_fail() <= -64.0);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `bits` does not fit, a digit has no bits or more than [`MAX_DIGIT_BITS`], or no rotation key is precise enough for
    /// a failure probability of 2^`limit`.
    pub fn plan(
        model: &NoiseModel,
        algorithm: &'static dyn DigitDecomposition,
        bits: u32,
        base_log2: u32,
        input: impl Into<NoiseBound>,
        limit: f64,
    ) -> Result<Self> {
        let input: NoiseBound = input.into();
        let (input, mut bias) = (input.law(), input.bias());
        check_large_bits(model.parameters(), bits)?;
        if !(1..=MAX_DIGIT_BITS).contains(&base_log2) {
            let limit = format!("it must be from 1 to {MAX_DIGIT_BITS}");
            let value = f64::from(base_log2);
            return Err(Error::Parameter { name: "bits of a digit", value, limit });
        }
        let digits = bits.div_ceil(base_log2) as usize;
        let mut plan = Self {
            algorithm,
            bits,
            base_log2,
            rotation_keys: Vec::new(),
            digit_noise: Vec::new(),
            log2_fail: 0.0,
        };
        let mut tails = vec![plan.digit_tail(model, 0, input, bias)];
        let (mut noise, mut worst) = (input, input);
        let finest = model.parameters().rotation_gadgets().len() - 1;
        for digit in 0..digits - 1 {
            let window = plan.window(model.parameters(), digit);
            plan.digit_noise.push(noise);
            let biased = window.of_large_error(bias);
            // An algorithm that subtracts the rest of a window may leave twice its error.
            bias *= if algorithm.remainder() > 0.0 { 1.0 } else { 2.0 };
            for rotation_key in 0..=finest {
                let clearing = ClearingModel { model, rotation_key, window };
                let cleared = algorithm.noise(&clearing, worst);
                let own = cleared.decisions.iter().map(|d| d.noise.log2_exceeds(d.margin - biased));
                let next = plan.digit_tail(model, digit + 1, cleared.worst, bias);
                let tail = log2_sum(own.chain([next]));
                // The coarsest key that keeps the sum of all probabilities within the limit.
                let sum = log2_sum(tails.iter().copied().chain([tail]));
                if sum <= limit || rotation_key == finest {
                    plan.rotation_keys.push(rotation_key);
                    noise = algorithm.noise(&clearing, noise).output;
                    worst = cleared.worst;
                    tails.push(tail);
                    break;
                }
            }
        }
        plan.digit_noise.push(noise);
        plan.log2_fail = log2_sum(tails.into_iter());
        if plan.log2_fail <= limit {
            return Ok(plan);
        }
        let what = format!("{} of values of {bits} bits", algorithm.name());
        Err(Error::FailureUnreachable { what, found: plan.log2_fail, limit })
    }

    /// Returns the window of a digit.
    fn window(&self, parameters: &Parameters, digit: usize) -> Window {
        let log2_modulus = parameters.large_modulus().ilog2();
        let below = digit as u32 * self.base_log2;
        let base_log2 = self.base_log2.min(self.bits - below);
        Window {
            log2_modulus,
            log2_window: log2_modulus - self.bits + below + base_log2,
            base_log2,
        }
    }

    /// Returns log2 of the probability that a digit is mistaken for another when a blind rotation looks it up.
    fn digit_tail(&self, model: &NoiseModel, digit: usize, large: NoiseLaw, bias: f64) -> f64 {
        let window = self.window(model.parameters(), digit);
        let common = model.common(model.parameters().rotation_modulus());
        let margin = self.margin(digit, window) - window.of_large_error(bias);
        window.of_large(large).with_independent(common.law()).log2_exceeds(margin)
    }

    /// Returns the distance from a digit's phase to the end of its slot, as a fraction of its window.
    fn margin(&self, digit: usize, window: Window) -> f64 {
        // The rest of the window below is B times smaller here.
        let left = if digit == 0 { 0.0 } else { self.algorithm.remainder() };
        0.5 / f64::from(1u32 << window.base_log2) - left / f64::from(1u32 << window.base_log2)
    }

    /// Returns the number of digits.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.digit_noise.len()
    }

    /// Returns the bits of a digit: those of the base, or fewer for the highest digit.
    #[must_use]
    pub fn digit_bits(&self, digit: usize) -> u32 {
        self.base_log2.min(self.bits - digit as u32 * self.base_log2)
    }

    /// Returns the algorithm that clears windows.
    #[must_use]
    pub fn algorithm(&self) -> &'static dyn DigitDecomposition {
        self.algorithm
    }

    /// Returns the bits of a value.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns the number of blind rotations in all.
    #[must_use]
    pub fn rotations(&self) -> usize {
        self.algorithm.rotations() * self.rotation_keys.len()
    }

    /// Returns the number of the rotation key of every step.
    #[must_use]
    pub fn rotation_keys(&self) -> &[usize] {
        &self.rotation_keys
    }

    /// Returns log2 of the failure probability, including one lookup per digit.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Predicts the noise of a digit's ciphertext (at the LWE modulus), around the digit's phase plus the rest of lower
    /// digits.
    #[must_use]
    pub fn digit_noise(&self, model: &NoiseModel, digit: usize) -> NoiseLaw {
        let window = self.window(model.parameters(), digit);
        window.of_large(self.digit_noise[digit]).with_independent(model.key_switching().law())
    }

    /// Decomposes a value into digits.
    ///
    /// The phase of digit d of base B = 2^[`Decomposition::digit_bits`] is (d + r)/B of the modulus, |r| at most the
    /// algorithm's [`DigitDecomposition::remainder`] (0 for the lowest digit). Ciphertexts without gaps (such as
    /// extracted CKKS values) can be decomposed, too; r of the lowest digit is then what lies below it.
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision ([`check_large`]).
    pub fn evaluate(&self, key: &EvaluationKey, input: &LweCiphertext) -> Result<Digits> {
        check_large(key.parameters(), input)?;
        let mut large = input.clone();
        let mut lower = Vec::with_capacity(self.rotation_keys.len());
        for (digit, &rotation_key) in self.rotation_keys.iter().enumerate() {
            let window = self.window(key.parameters(), digit);
            let clearing = Clearing { key, rotation_key, window };
            let low = clearing.low_phase(&large);
            // Slots are centred at their phases; half a slot more, and digits are rounded down.
            let mut shifted = low.clone();
            shifted.add_constant_assign(window.half_slot(low.modulus()));
            large.add_constant_assign(window.half_slot(1 << window.log2_window));
            self.algorithm.clear(&clearing, &mut large, &shifted);
            lower.push(low);
        }
        Ok(Digits { lower, highest: large })
    }
}

/// Digits of a value, the lowest first.
#[derive(Clone, Debug)]
pub struct Digits {
    /// All digits but the highest: LWE modulo the LWE modulus, of dimension n.
    pub lower: Vec<LweCiphertext>,
    /// The highest digit, whose window is the whole modulus: a ciphertext of large precision.
    pub highest: LweCiphertext,
}

impl Digits {
    /// Returns all digits as inputs of further lookups: the highest is switched to dimension n, too.
    #[must_use]
    pub fn into_lookup_inputs(mut self, key: &EvaluationKey) -> Vec<LweCiphertext> {
        self.lower.push(key.key_switch(&self.highest));
        self.lower
    }
}
