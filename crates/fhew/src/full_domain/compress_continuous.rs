//! Continuous functions by FDFB-Compress (Sec. 4.2 and Supplementary Material A of Ma et al., TCHES 2024): two
//! bootstraps.
//!
//! The first maps phases of the lower half of the domain linearly to (0, 1/4), and those of the upper half to (-1/4, 0), as
//! fractions of the modulus. A padding β on both sides keeps the halves apart despite the first bootstrap's noise.
//! The second inverts the linear map and looks the function up.
//!
//! All phases here are fractions of their ciphertext's modulus, so that β, scales and noise have one meaning.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, Result};

use crate::full_domain::method::{Decision, MethodNoise};
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::NoiseModel;
use crate::test_polynomial::TestPolynomial;

/// A real function v ↦ F(v), and how its values are represented as phases.
///
/// A value v is the phase v·`input_scale` (a fraction of the modulus, in [-1/2, 1/2)), a result the phase
/// F(v)·`output_scale` (modulo 1). F must be Lipschitz on each half, v < 0 and v >= 0; between the halves it may
/// jump.
#[derive(Clone, Copy)]
pub struct ContinuousFunction<'a> {
    /// The function F itself.
    pub function: &'a (dyn Fn(f64) -> f64 + Sync),
    /// Δ_in over the input's modulus.
    pub input_scale: f64,
    /// Δ_out over the output's modulus.
    pub output_scale: f64,
    /// L: |F(v) - F(w)| <= L·|v - w| for v, w of the same half.
    pub lipschitz: f64,
}

impl std::fmt::Debug for ContinuousFunction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContinuousFunction")
            .field("input_scale", &self.input_scale)
            .field("output_scale", &self.output_scale)
            .field("lipschitz", &self.lipschitz)
            .finish_non_exhaustive()
    }
}

impl ContinuousFunction<'_> {
    /// Returns the phase of F(v) for the phase v·input_scale.
    fn at(&self, fraction: f64) -> f64 {
        (self.function)(fraction / self.input_scale) * self.output_scale
    }

    /// Returns the largest slope of the output phase over the input phase: L·output_scale/input_scale.
    #[must_use]
    pub fn gain(&self) -> f64 {
        (self.lipschitz * self.output_scale / self.input_scale).abs()
    }
}

/// FDFB-Compress with β-padding.
///
/// ```
/// use cryptable_fhew::full_domain::{CompressContinuous, ContinuousFunction};
/// use cryptable_fhew::noise::NoiseModel;
/// use cryptable_fhew::parameters::Parameters;
/// // The identity on integer phases modulo 2N = 4,096, back at the LWE modulus with the same size in units.
/// let parameters = Parameters::default_128();
/// let (input, output) = (parameters.rotation_modulus(), parameters.lwe_modulus());
/// let identity = ContinuousFunction {
///     function: &|v| v,
///     input_scale: 1.0 / input as f64,
///     output_scale: 1.0 / output as f64,
///     lipschitz: 1.0,
/// };
/// let method = CompressContinuous::new(&NoiseModel::new(&parameters), -64.0)?;
/// assert!(method.slope() > 0.4 && method.slope() < 0.5);
/// assert_eq!(identity.gain(), 4096.0 / output as f64);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompressContinuous {
    padding: f64,
    slope: f64,
}

/// The largest phase below 1/2 that is distinguished from 1/2, for any N.
const LAST: f64 = 0.5 - 1.0 / 16384.0;

/// Largest padding, as a fraction of the modulus; with more, too little of the domain would remain.
const MAX_PADDING: f64 = 1.0 / 16.0;

impl CompressContinuous {
    /// Chooses the padding β that the first bootstrap's noise exceeds with probability 2^`log2_fail`.
    ///
    /// # Errors
    /// If twice that padding is not below 1/8: too little of the domain would remain.
    ///
    /// # Panics
    /// If `log2_fail` is not finite.
    pub fn new(model: &NoiseModel, log2_fail: f64) -> Result<Self> {
        let padding = model.bootstrap().law().largest(log2_fail);
        if padding >= MAX_PADDING {
            return Err(Error::Parameter {
                name: "padding of FDFB-Compress",
                value: padding,
                limit: "it must be below 1/16 of the modulus: the bootstrap is too noisy"
                    .to_owned(),
            });
        }
        Ok(Self::clamped(model, log2_fail))
    }

    /// Chooses a padding like [`CompressContinuous::new`], but no more than the largest; the caller decides whether that is
    /// enough.
    pub(crate) fn clamped(model: &NoiseModel, log2_fail: f64) -> Self {
        let padding = model.bootstrap().law().largest(log2_fail);
        let padding = padding.min(MAX_PADDING);
        let two_n = model.parameters().rotation_modulus() as f64;
        // x = 0 goes to β and x = N - 1 to 1/4 - β.
        let slope = (0.25 - 2.0 * padding) / (0.5 - 1.0 / two_n);
        Self { padding, slope }
    }

    /// Returns the padding β, as a fraction of the modulus.
    #[must_use]
    pub fn padding(&self) -> f64 {
        self.padding
    }

    /// Returns k_2 of Theorem 8, the factor by which the first bootstrap shrinks phases: almost 1/2.
    #[must_use]
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// Returns the test polynomial of f'_C of equation (10), with values modulo Q.
    fn compression(&self, key: &EvaluationKey) -> TestPolynomial {
        let parameters = key.parameters();
        let q = parameters.prime() as f64;
        TestPolynomial::from_fn(parameters.ring(), |x| {
            let fraction = x as f64 / parameters.rotation_modulus() as f64;
            ((self.padding + self.slope * fraction) * q).round() as u64
        })
    }

    /// Returns the test polynomial of f'_eval of Supplementary Material A: recovers the phase before compression, clamped to
    /// its half, and applies the function.
    fn evaluation(&self, key: &EvaluationKey, function: &ContinuousFunction<'_>) -> TestPolynomial {
        let parameters = key.parameters();
        let (two_n, q) = (parameters.rotation_modulus(), parameters.prime());
        let encoded = |fraction: f64| {
            let phase = function.at(fraction);
            ((phase - phase.floor()) * q as f64).round() as u64 % q
        };
        TestPolynomial::from_fn(parameters.ring(), |x| {
            let recovered = self.recover(x as f64 / two_n as f64);
            if recovered >= 0.0 {
                encoded(recovered)
            } else {
                parameters.modulus().neg(encoded(recovered))
            }
        })
    }

    /// Returns the phase in [-1/2, 1/2) before compression, for a coefficient x/2N in [0, 1/2) of a test polynomial. Where it
    /// is negative, the second bootstrap returns the negative of the coefficient.
    pub(crate) fn recover(&self, x: f64) -> f64 {
        // Phases from N/2 to N look up the negatives of those from -N/2 to 0.
        let lower = x < 0.25;
        let size = if lower { x } else { 0.5 - x };
        let recovered = (size - self.padding) / self.slope;
        if lower { recovered.clamp(0.0, LAST) } else { recovered.clamp(0.0, LAST) - 0.5 }
    }

    /// Compresses a phase modulo 2N by the first bootstrap.
    pub(crate) fn compress(&self, key: &EvaluationKey, phase: &LweCiphertext) -> LweCiphertext {
        key.boot(&self.compression(key), phase)
    }

    /// Evaluates F(v) for a ciphertext of phase v·input_scale: LWE of dimension n, modulo 2N or any larger modulus (it is
    /// switched to 2N). The result is modulo the LWE modulus, of phase F(v)·output_scale.
    ///
    /// For the result at another power of two, say q' with an output scale of 1/q', switch its modulus.
    ///
    /// # Errors
    /// If the ciphertext's dimension is not n, or its modulus is below 2N.
    pub fn evaluate(
        &self,
        key: &EvaluationKey,
        function: &ContinuousFunction<'_>,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let parameters = key.parameters();
        let two_n = parameters.rotation_modulus();
        LweShape { modulus: input.modulus(), ..parameters.lwe_shape() }.check(input)?;
        if input.modulus() < two_n {
            let expected = format!("at least {two_n}");
            return Err(Error::mismatch("LWE modulus", input.modulus(), expected));
        }
        Ok(key.boot(&self.evaluation(key, function), &self.compressed_phase(key, input)))
    }

    /// Evaluates like [`CompressContinuous::evaluate`], on inputs that have been checked. The result has large precision
    /// ([`crate::decomposition`]) and uses the rotation key of this number; no key switch adds to its noise.
    pub(crate) fn evaluate_large(
        &self,
        key: &EvaluationKey,
        rotation_key: usize,
        function: &ContinuousFunction<'_>,
        input: &LweCiphertext,
    ) -> LweCiphertext {
        let phase = self.compressed_phase(key, input);
        key.boot_large(rotation_key, &self.evaluation(key, function), &phase)
    }

    /// Compresses a ciphertext modulo 2N or more by the first bootstrap. The result is modulo 2N.
    fn compressed_phase(&self, key: &EvaluationKey, input: &LweCiphertext) -> LweCiphertext {
        let two_n = key.parameters().rotation_modulus();
        let compressed = self.compress(key, &key.to_rotation_modulus(input, two_n));
        key.to_rotation_modulus(&compressed, two_n)
    }

    /// Predicts the noise of a result, for an input with noise of law `input` modulo `input_modulus`, away from a jump of F.
    ///
    /// Theorem 8: `gain²·(input + σ_boot²/k_2²)`, for a function of slope L everywhere, plus the noise of the second
    /// bootstrap. The noise of switching the input to 2N counts as input.
    #[must_use]
    pub fn noise(
        &self,
        model: &NoiseModel,
        function: &ContinuousFunction<'_>,
        input: NoiseLaw,
        input_modulus: u64,
    ) -> MethodNoise {
        let two_n = model.parameters().rotation_modulus();
        let switch = model.lwe_modulus_switch(two_n).law();
        let switched = if input_modulus == two_n { input } else { input.with_independent(switch) };
        let last = model.blind_rotation() + model.key_switching();
        let recovered = self.recovered(model, switched).times(function.gain());
        MethodNoise {
            output: recovered.with_independent(last.law()),
            decisions: vec![Decision {
                name: "compressed phase",
                noise: model.bootstrap().law(),
                margin: self.padding,
            }],
        }
    }

    /// Returns the noise of the phase that the second bootstrap recovers, for an input phase with this noise modulo 2N.
    pub(crate) fn recovered(&self, model: &NoiseModel, phase: NoiseLaw) -> NoiseLaw {
        phase.with_independent((model.bootstrap() * self.slope.powi(-2)).law())
    }
}
