//! Functions of one ciphertext of large precision, planned: which rotation keys they take, how they fail.

use cryptable_lattice::{Error, NoiseBound, Result};

use crate::decomposition::digit_decomposition::DigitDecomposition;
use crate::decomposition::plan::Decomposition;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance, log2_sum};
use crate::parameters::Parameters;

/// Plan of functions of large precision under parameters, before there is a key: how inputs are decomposed, and which
/// rotation key makes results.
#[derive(Clone, Debug)]
pub struct LargePlan {
    plan: Decomposition,
    rotation_key: usize,
    output_noise: Variance,
    log2_fail: f64,
}

impl LargePlan {
    /// Plans for inputs with noise `input` (a fraction of q_0; a variance, or a bound with a bias), digits of
    /// `base_log2` bits, and a failure probability of at most 2^`limit` a function.
    ///
    /// # Errors
    /// As [`Decomposition::plan`], or if no rotation key is precise enough for results.
    pub fn new(
        parameters: &Parameters,
        algorithm: &'static dyn DigitDecomposition,
        bits: u32,
        base_log2: u32,
        input: impl Into<NoiseBound>,
        limit: f64,
    ) -> Result<Self> {
        let input: NoiseBound = input.into();
        let model = NoiseModel::new(parameters);
        // A comparison has the noise of two inputs.
        let each = limit - 2.0;
        let of_two = input.with_independent(input);
        let plan = Decomposition::plan(&model, algorithm, bits, base_log2, of_two, each)?;
        let folding = Self::folding_log2_fail(&model, &plan);
        let margin = f64::from(bits + 1).exp2().recip();
        let mut best = None;
        for rotation_key in 0..model.parameters().rotation_gadgets().len() {
            let gadget = model.parameters().rotation_gadgets()[rotation_key];
            let rotation = model.blind_rotation_by(gadget) + model.to_large();
            let output_noise = rotation * plan.digits() as f64;
            // A maximum adds twice an input, and a result another one.
            let result = NoiseBound::from(output_noise);
            let result = result.with_independent(input.times(2)).with_independent(input);
            let tail = result.log2_exceeds(margin);
            let log2_fail = log2_sum([plan.log2_fail(), folding, tail].into_iter());
            best = Some((rotation_key, output_noise, log2_fail));
            if log2_fail <= limit {
                break;
            }
        }
        let (rotation_key, output_noise, log2_fail) = best.expect("there is a rotation key");
        if log2_fail > limit {
            let what = format!("functions of values of {bits} bits");
            return Err(Error::FailureUnreachable { what, found: log2_fail, limit });
        }
        Ok(Self { plan, rotation_key, output_noise, log2_fail })
    }

    /// log2 of the probability that a digit with its sign is taken for another.
    fn folding_log2_fail(model: &NoiseModel, plan: &Decomposition) -> f64 {
        let sign = model.blind_rotation() + model.key_switching();
        let margin = 0.25 / f64::from(1u32 << plan.digit_bits(0));
        let tail = (model.bootstrap() + sign).law().log2_exceeds(margin);
        log2_sum((0..plan.digits()).map(|_| tail))
    }

    /// How inputs are decomposed.
    pub(crate) fn decomposition(&self) -> &Decomposition {
        &self.plan
    }

    /// Number of the rotation key that makes results.
    pub(crate) fn rotation_key(&self) -> usize {
        self.rotation_key
    }

    /// log2 of the failure probability of a function, decrypting its result included.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Variance of a result that is an integer, a fraction of q_0; what is linear in inputs comes on top.
    #[must_use]
    pub fn output_noise(&self) -> Variance {
        self.output_noise
    }
}

/// Functions of ciphertexts of large precision whose values are integers in two's complement.
///
/// Inputs have phase x·q_0/2^bits, x in [-2^(bits-1), 2^(bits-1)), modulo q_0 and of dimension N.
///
/// ```
/// use cryptable_fhew::decomposition::{HomDecompReduce, decrypt_large, encrypt_large};
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_fhew::functions::LargeFunctions;
/// use cryptable_fhew::noise::NoiseModel;
/// use cryptable_fhew::parameters::Parameters;
/// let secret = SecretKey::generate(&Parameters::decomposition_128());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let fresh = NoiseModel::new(key.parameters()).fresh_large();
/// let functions = LargeFunctions::new(&key, &HomDecompReduce, 8, 4, fresh, -64.0)?;
/// let x = encrypt_large(&secret, 256 - 77, 8)?; // -77
/// assert_eq!(decrypt_large(&secret, &functions.absolute(&x)?, 8)?, 77);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LargeFunctions<'a> {
    pub(crate) key: &'a EvaluationKey,
    pub(crate) plan: Decomposition,
    /// Index of the rotation key for lookups that make results.
    rotation_key: usize,
    output_noise: Variance,
    log2_fail: f64,
}

impl<'a> LargeFunctions<'a> {
    /// Plans for a key, as [`LargePlan::new`].
    ///
    /// # Errors
    /// As there.
    pub fn new(
        key: &'a EvaluationKey,
        algorithm: &'static dyn DigitDecomposition,
        bits: u32,
        base_log2: u32,
        input: impl Into<NoiseBound>,
        limit: f64,
    ) -> Result<Self> {
        let plan = LargePlan::new(key.parameters(), algorithm, bits, base_log2, input, limit)?;
        Ok(Self::with_plan(key, &plan))
    }

    /// Functions of a plan for the parameters of the key.
    pub(crate) fn with_plan(key: &'a EvaluationKey, plan: &LargePlan) -> Self {
        let LargePlan { plan, rotation_key, output_noise, log2_fail } = plan.clone();
        Self { key, plan, rotation_key, output_noise, log2_fail }
    }

    /// Number of the rotation key that makes results.
    pub(crate) fn rotation_key(&self) -> usize {
        self.rotation_key
    }

    /// The decomposition of inputs.
    #[must_use]
    pub fn plan(&self) -> &Decomposition {
        &self.plan
    }

    /// log2 of the failure probability of a function, decrypting its result included.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Variance of a result that is an integer, a fraction of q_0; what is linear in inputs comes on top.
    #[must_use]
    pub fn output_noise(&self) -> Variance {
        self.output_noise
    }

    /// Blind rotations of a sign.
    #[must_use]
    pub fn sign_rotations(&self) -> usize {
        self.plan.rotations() + 1
    }

    /// Blind rotations of an absolute value, ReLU or maximum.
    #[must_use]
    pub fn absolute_rotations(&self) -> usize {
        self.sign_rotations() + 2 * self.plan.digits()
    }
}
