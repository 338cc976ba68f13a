//! Homomorphic digit decomposition (Sec. 4 of Ma et al., TCHES 2024; Liu, Micciancio, Polyakov, ASIACRYPT 2022,
//! "LMP22"): from one ciphertext of large precision to one of every digit. One file an algorithm.
//!
//! All go from the lowest digit up (Algorithms 7 and 8). What is left of the ciphertext modulo its lowest digit's
//! window encrypts that digit. Blind rotations then clear the window, or make its range smaller, so that the next
//! digit, whose window is B times as large, sees B times less of it.
//!
//! The paper switches the modulus by B between digits; here the modulus stays, and windows grow: no rounding, and
//! every noise keeps its unit, a fraction of q_0. A rotation's noise matters less from digit to digit, so each step
//! takes the rotation key of the fewest digits that is precise enough (LMP22 change the base for the same reason).

pub mod hom_decomp_fdfb;
pub mod hom_decomp_reduce;
pub mod hom_floor;
pub mod hom_floor_alt;

use cryptable_lattice::lwe::LweCiphertext;

use crate::error::{Error, Result};
use crate::evaluation_key::EvaluationKey;
use crate::full_domain::{Decision, log2_sum};
use crate::noise::{NoiseModel, Variance};
use crate::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use crate::test_polynomial::TestPolynomial;

/// Largest number of bits of a digit.
pub const MAX_DIGIT_BITS: u32 = 8;

/// One step: the lowest digit that is left, and its window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// log2 of q_0.
    pub log2_modulus: u32,
    /// log2 of the window: the digit is the phase modulo it.
    pub log2_window: u32,
    /// log2 of the digit's base.
    pub base_log2: u32,
}

impl Window {
    /// The window's share of the modulus.
    fn share(self) -> f64 {
        (f64::from(self.log2_window) - f64::from(self.log2_modulus)).exp2()
    }

    /// A variance that is a fraction of the modulus, as one of the window.
    fn of_large(self, variance: Variance) -> Variance {
        variance * self.share().powi(-2)
    }

    /// A variance that is a fraction of the window, as one of the modulus.
    fn to_large(self, variance: Variance) -> Variance {
        variance * self.share().powi(2)
    }

    /// Half a digit's slot, modulo `modulus` for the window.
    fn half_slot(self, modulus: u64) -> u64 {
        modulus >> (self.base_log2 + 1)
    }
}

/// What clears a window: a key, and which of its rotation keys is precise enough.
#[derive(Clone, Copy, Debug)]
pub struct Clearing<'a> {
    /// Keys of the server.
    pub key: &'a EvaluationKey,
    /// Number of the rotation key.
    pub rotation_key: usize,
    /// The window.
    pub window: Window,
}

impl Clearing<'_> {
    /// The ciphertext's phase modulo the window: LWE modulo the LWE modulus, of dimension n.
    ///
    /// Adds the noise of key switching, as a fraction of the window.
    #[must_use]
    pub fn low_phase(&self, large: &LweCiphertext) -> LweCiphertext {
        self.key.key_switch(&large.mod_down(1 << self.window.log2_window))
    }

    /// Looks up `of(x/2N)·window` for a phase x of the window, x < N, and minus that for x + N: a ciphertext of large
    /// precision.
    #[must_use]
    pub fn boot(&self, of: impl Fn(f64) -> f64, phase: &LweCiphertext) -> LweCiphertext {
        let parameters = self.key.parameters();
        let (m, two_n) = (parameters.modulus(), parameters.rotation_modulus());
        let scale = self.window.share() * parameters.prime() as f64;
        let test = TestPolynomial::from_fn(parameters.ring(), |x| {
            m.reduce_i64((of(x as f64 / two_n as f64) * scale).round() as i64)
        });
        let phase = self.key.to_rotation_modulus(phase, two_n);
        let test = test.to_rlwe(parameters.ring());
        let rotated = self.key.blind_rotate_by(self.rotation_key, &test, &phase);
        self.key.to_large(&rotated.extract(parameters.ring(), 0))
    }
}

/// Noise of a cleared window.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearedNoise {
    /// Of what is left of the ciphertext, a fraction of q_0.
    pub output: Variance,
    /// The largest that it may be, where a phase meets a jump of a function.
    pub worst: Variance,
    /// Decisions on the way, besides the digit's own.
    pub decisions: Vec<Decision>,
}

/// An algorithm of homomorphic digit decomposition.
pub trait DigitDecomposition: std::fmt::Debug + Sync {
    /// The paper's name.
    fn name(&self) -> &'static str;

    /// Blind rotations for every digit but the highest.
    fn rotations(&self) -> usize;

    /// How far what is left of a cleared window reaches to either side, as a fraction of the window, noise apart.
    fn remainder(&self) -> f64;

    /// Clears the window's phase, or makes its range smaller.
    ///
    /// `large` has half a slot added, and `low` is its phase modulo the window, of dimension n. The result's phase
    /// modulo the window is near 0, within [`DigitDecomposition::remainder`]; above the window it is unchanged.
    fn clear(
        &self,
        clearing: &Clearing<'_>,
        large: &LweCiphertext,
        low: &LweCiphertext,
    ) -> LweCiphertext;

    /// Predicted noise, for a ciphertext of variance `input` (a fraction of q_0).
    fn noise(
        &self,
        model: &NoiseModel,
        rotation_key: usize,
        window: Window,
        input: Variance,
    ) -> ClearedNoise;
}

/// All algorithms, in the paper's order.
#[must_use]
pub fn algorithms() -> &'static [&'static dyn DigitDecomposition] {
    &[
        &hom_floor::HomFloor,
        &hom_floor_alt::HomFloorAlt,
        &hom_decomp_reduce::HomDecompReduce,
        &hom_decomp_fdfb::HomDecompFdfb,
    ]
}

/// The algorithm of a name of [`DigitDecomposition::name`].
#[must_use]
pub fn algorithm(name: &str) -> Option<&'static dyn DigitDecomposition> {
    algorithms().iter().copied().find(|algorithm| algorithm.name() == name)
}

/// A decomposition, planned: which rotation key every step takes.
#[derive(Clone, Debug)]
pub struct Decomposition {
    algorithm: &'static dyn DigitDecomposition,
    bits: u32,
    base_log2: u32,
    /// For every digit but the highest.
    rotation_keys: Vec<usize>,
    digit_noise: Vec<Variance>,
    log2_fail: f64,
}

impl Decomposition {
    /// Plans the decomposition of values of `bits` bits into digits of `base_log2` bits, the highest of what is left.
    ///
    /// `input` is the variance of ciphertexts, a fraction of q_0 (such as [`NoiseModel::fresh_large`]).
    ///
    /// ```
    /// use cryptable_fhew::decomposition::{Decomposition, hom_decomp_reduce::HomDecompReduce};
    /// use cryptable_fhew::noise::NoiseModel;
    /// use cryptable_fhew::parameters::Parameters;
    /// let model = NoiseModel::new(&Parameters::decomposition_128());
    /// let plan = Decomposition::plan(&model, &HomDecompReduce, (24, 4), model.fresh_large(), -64.0)?;
    /// assert_eq!(plan.digits(), 6);
    /// assert!(plan.log2_fail() <= -64.0);
    /// # Ok::<(), cryptable_fhew::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// If bits do not fit, a digit has none or above [`MAX_DIGIT_BITS`], or no rotation key is precise enough for a
    /// failure probability of 2^`limit`.
    pub fn plan(
        model: &NoiseModel,
        algorithm: &'static dyn DigitDecomposition,
        (bits, base_log2): (u32, u32),
        input: Variance,
        limit: f64,
    ) -> Result<Self> {
        model.parameters().check_large_bits(bits)?;
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
        let mut tails = vec![plan.digit_tail(model, 0, input)];
        let (mut noise, mut worst) = (input, input);
        let finest = model.parameters().rotation_gadgets().len() - 1;
        for digit in 0..digits - 1 {
            let window = plan.window(model.parameters(), digit);
            plan.digit_noise.push(noise);
            for rotation_key in 0..=finest {
                let cleared = algorithm.noise(model, rotation_key, window, worst);
                let own = cleared.decisions.iter().map(|d| d.variance.log2_tail(d.margin));
                let next = plan.digit_tail(model, digit + 1, cleared.worst);
                let tail = log2_sum(own.chain([next]));
                // As coarse as keeps the sum of all probabilities within the limit.
                let sum = log2_sum(tails.iter().copied().chain([tail]));
                if sum <= limit || rotation_key == finest {
                    plan.rotation_keys.push(rotation_key);
                    noise = algorithm.noise(model, rotation_key, window, noise).output;
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
        Err(Error::FailureProbability {
            method: algorithm.name(),
            modulus: 1 << bits,
            log2_fail: plan.log2_fail,
            limit,
        })
    }

    /// The window of a digit.
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

    /// log2 of the probability that a digit is taken for another when a blind rotation looks it up.
    fn digit_tail(&self, model: &NoiseModel, digit: usize, large: Variance) -> f64 {
        let window = self.window(model.parameters(), digit);
        let common = model.common(model.parameters().rotation_modulus());
        (window.of_large(large) + common).log2_tail(self.margin(digit, window))
    }

    /// Distance from a digit's phase to the end of its slot, a fraction of its window.
    fn margin(&self, digit: usize, window: Window) -> f64 {
        // What is left of the window below is B times smaller here.
        let left = if digit == 0 { 0.0 } else { self.algorithm.remainder() };
        0.5 / f64::from(1u32 << window.base_log2) - left / f64::from(1u32 << window.base_log2)
    }

    /// Number of digits.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.digit_noise.len()
    }

    /// Bits of a digit: the base's, fewer for the highest.
    #[must_use]
    pub fn digit_bits(&self, digit: usize) -> u32 {
        self.base_log2.min(self.bits - digit as u32 * self.base_log2)
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> &'static dyn DigitDecomposition {
        self.algorithm
    }

    /// Bits of values.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Blind rotations in all.
    #[must_use]
    pub fn rotations(&self) -> usize {
        self.algorithm.rotations() * self.rotation_keys.len()
    }

    /// Number of the rotation key of every step.
    #[must_use]
    pub fn rotation_keys(&self) -> &[usize] {
        &self.rotation_keys
    }

    /// log2 of the failure probability, looking every digit up once included.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Predicted variance of a digit's ciphertext (at the LWE modulus), around the digit's phase and what is left of
    /// lower digits.
    #[must_use]
    pub fn digit_noise(&self, model: &NoiseModel, digit: usize) -> Variance {
        let window = self.window(model.parameters(), digit);
        window.of_large(self.digit_noise[digit]) + model.key_switching()
    }

    /// Digits of a value.
    ///
    /// The phase of digit d of base B = 2^[`Decomposition::digit_bits`] is (d + r)/B of the modulus, |r| at most the
    /// algorithm's [`DigitDecomposition::remainder`] (0 for the lowest digit). Ciphertexts without gaps (such as
    /// extracted CKKS values) are decomposed as well: then r of the lowest digit is what lies below it.
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision ([`EvaluationKey::check_large`]).
    pub fn evaluate(&self, key: &EvaluationKey, input: &LweCiphertext) -> Result<Digits> {
        key.check_large(input)?;
        let mut large = input.clone();
        let mut lower = Vec::with_capacity(self.rotation_keys.len());
        for (digit, &rotation_key) in self.rotation_keys.iter().enumerate() {
            let window = self.window(key.parameters(), digit);
            let clearing = Clearing { key, rotation_key, window };
            let low = clearing.low_phase(&large);
            // From slots around their phases to slots above them: digits are rounded down.
            let mut shifted = low.clone();
            shifted.add_constant_assign(window.half_slot(low.modulus()));
            large.add_constant_assign(window.half_slot(1 << window.log2_window));
            large = self.algorithm.clear(&clearing, &large, &shifted);
            lower.push(low);
        }
        Ok(Digits { lower, highest: large })
    }
}

/// Digits of a value, the lowest first.
#[derive(Clone, Debug)]
pub struct Digits {
    /// All but the highest: LWE modulo the LWE modulus, of dimension n.
    pub lower: Vec<LweCiphertext>,
    /// The highest, whose window is the whole modulus: a ciphertext of large precision.
    pub highest: LweCiphertext,
}

impl Digits {
    /// All digits as further lookups take them: the highest switched to dimension n, too.
    #[must_use]
    pub fn into_lookup_inputs(mut self, key: &EvaluationKey) -> Vec<LweCiphertext> {
        self.lower.push(key.key_switch(&self.highest));
        self.lower
    }
}

impl Parameters {
    /// For decomposition into digits of up to 5 bits, and lookups of them: n = 820, N = 2,048, rotation keys
    /// of 1, 2, 4 and 8 digits.
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn decomposition_128() -> Self {
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        Self::new(ParametersLiteral {
            lwe_dimension: 820,
            log2_lwe_modulus: 20,
            // The largest below 2^47: fractions of it are as small as they get.
            log2_prime: 46.99,
            key_switching: gadget(2, 8),
            finer_rotations: [(15, 2), (9, 4), (5, 8)].map(|(b, l)| Some(gadget(b, l).into())),
            ..*Self::default_128().literal()
        })
        .expect("a valid set")
    }
}
