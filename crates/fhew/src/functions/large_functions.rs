//! Functions of one ciphertext of large precision: their rotation keys, failure probabilities and evaluation.
//!
//! A sign (Liu, Micciancio, Polyakov, ASIACRYPT 2022; Sec. 4 of Ma et al., TCHES 2024) is the upper bit of the highest
//! digit, and a comparison is the sign of a difference. Modulo 2^bits, |x| is x or -x, and each is the sum of its digits
//! times their weights. Multiplying a digit by the sign of x needs two bootstraps. The first, that of FDFB-Compress, brings
//! the digit to (-1/4, 1/4) of the modulus; the sign adds a half; and the second bootstrap returns the digit or its
//! negative, since its test polynomial is negacyclic like all others.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, NoiseBound, Result};

use crate::decomposition::digit_decomposition::DigitDecomposition;
use crate::decomposition::large_precision::check_large;
use crate::decomposition::plan::Decomposition;
use crate::full_domain::compress::FdfbCompress;
use crate::full_domain::table_lookup::slot_phase;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance, log2_sum};
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode};

/// A plan of functions of large precision, made from parameters without a key: how inputs are decomposed, and which
/// rotation key computes results.
#[derive(Clone, Debug)]
pub struct LargePlan {
    decomposition: Decomposition,
    rotation_key: usize,
    output_noise: Variance,
    log2_fail: f64,
}

impl LargePlan {
    /// Plans for inputs with noise `input` (a fraction of q_0; a variance, or a bound with a bias), digits of
    /// `base_log2` bits, and a failure probability of at most 2^`limit` per function.
    ///
    /// # Errors
    /// Same as [`Decomposition::plan`], or if no rotation key is precise enough for results.
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
        // The input of a comparison has the noise of two inputs.
        let each = limit - 2.0;
        let of_two = input.with_independent(input);
        let plan = Decomposition::plan(&model, algorithm, bits, base_log2, of_two, each)?;
        let folding = Self::folding_log2_fail(&model, &plan);
        let margin = f64::from(bits + 1).exp2().recip();
        let mut best = None;
        for rotation_key in 0..model.parameters().rotation_gadgets().len() {
            let output_noise = model.large_rotation(rotation_key) * plan.digits() as f64;
            // A maximum adds twice an input, and a result adds another input.
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
        Ok(Self { decomposition: plan, rotation_key, output_noise, log2_fail })
    }

    /// Returns log2 of the probability that a digit with its sign is mistaken for another.
    fn folding_log2_fail(model: &NoiseModel, plan: &Decomposition) -> f64 {
        let sign = model.blind_rotation() + model.key_switching();
        let margin = 0.25 / f64::from(1u32 << plan.digit_bits(0));
        let tail = (model.bootstrap() + sign).law().log2_exceeds(margin);
        log2_sum((0..plan.digits()).map(|_| tail))
    }

    /// Returns the decomposition of inputs.
    #[must_use]
    pub fn decomposition(&self) -> &Decomposition {
        &self.decomposition
    }

    /// Returns the number of the rotation key that computes results.
    pub(crate) fn rotation_key(&self) -> usize {
        self.rotation_key
    }

    /// Returns log2 of the failure probability of a function, including decryption of its result.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns the variance of a result that is an integer, as a fraction of q_0, without terms that are linear in inputs.
    #[must_use]
    pub fn output_noise(&self) -> Variance {
        self.output_noise
    }

    /// Returns the number of blind rotations of a sign.
    #[must_use]
    pub fn sign_rotations(&self) -> usize {
        self.decomposition.rotations() + 1
    }

    /// Returns the number of blind rotations of an absolute value, ReLU or maximum.
    #[must_use]
    pub fn absolute_rotations(&self) -> usize {
        self.sign_rotations() + 2 * self.decomposition.digits()
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
    key: &'a EvaluationKey,
    plan: LargePlan,
}

impl<'a> LargeFunctions<'a> {
    /// Plans for a key, like [`LargePlan::new`].
    ///
    /// # Errors
    /// Same as [`LargePlan::new`].
    pub fn new(
        key: &'a EvaluationKey,
        algorithm: &'static dyn DigitDecomposition,
        bits: u32,
        base_log2: u32,
        input: impl Into<NoiseBound>,
        limit: f64,
    ) -> Result<Self> {
        let plan = LargePlan::new(key.parameters(), algorithm, bits, base_log2, input, limit)?;
        Ok(Self::with_plan(key, plan))
    }

    /// Combines a key with a plan that was made for the parameters of the key.
    pub(crate) fn with_plan(key: &'a EvaluationKey, plan: LargePlan) -> Self {
        Self { key, plan }
    }

    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> &LargePlan {
        &self.plan
    }

    /// Returns 1 if x < 0, else 0: phase sign·q/`output_modulus`, LWE modulo the LWE modulus.
    ///
    /// Needs a decomposition and one bootstrap.
    ///
    /// # Errors
    /// If the ciphertext does not have large precision, or the output modulus is below 2 or above the LWE modulus.
    pub fn sign(&self, x: &LweCiphertext, output_modulus: u64) -> Result<LweCiphertext> {
        let q = self.key.parameters().lwe_modulus();
        if !(2..=q).contains(&output_modulus) {
            let reason = format!("it must be from 2 to the LWE modulus {q}");
            return Err(Error::PlaintextModulus { modulus: output_modulus, reason });
        }
        let digits = self.plan.decomposition.evaluate(self.key, x)?.into_lookup_inputs(self.key);
        Ok(self.sign_of(&digits, output_modulus))
    }

    /// Returns the sign of decomposed digits.
    fn sign_of(&self, digits: &[LweCiphertext], output_modulus: u64) -> LweCiphertext {
        let parameters = self.key.parameters();
        let highest = digits.last().expect("a digit");
        let mut phase = highest.clone();
        // The lower digits move the phase by less than half a slot of the highest digit.
        let bits = self.plan.decomposition.digit_bits(digits.len() - 1);
        phase.add_constant_assign(phase.modulus() >> (bits + 1));
        let phase = self.key.to_rotation_modulus(&phase, parameters.rotation_modulus());
        // -1/2P for phases below 1/2, 1/2P above; then 1/2P is added.
        let half = encode(1, 2 * output_modulus, parameters.prime());
        let test = TestPolynomial::sign(parameters.ring(), parameters.modulus().neg(half));
        let mut sign = self.key.boot_raw(&test, &phase);
        sign.add_constant_assign(half);
        self.key.key_switch(&sign)
    }

    /// Returns 1 if x < y, else 0, like [`LargeFunctions::sign`], for x and y whose difference fits, such as all in
    /// [-2^(bits-2), 2^(bits-2)).
    ///
    /// # Errors
    /// Same as [`LargeFunctions::sign`].
    pub fn less_than(
        &self,
        x: &LweCiphertext,
        y: &LweCiphertext,
        output_modulus: u64,
    ) -> Result<LweCiphertext> {
        self.sign(&self.difference(x, y)?, output_modulus)
    }

    /// Returns x - y.
    fn difference(&self, x: &LweCiphertext, y: &LweCiphertext) -> Result<LweCiphertext> {
        check_large(self.key.parameters(), x)?;
        check_large(self.key.parameters(), y)?;
        let mut difference = x.clone();
        difference.sub_assign(y);
        Ok(difference)
    }

    /// Returns |x| modulo 2^bits.
    ///
    /// Needs a sign, and two bootstraps per digit. The noise is that of one precise rotation per digit
    /// ([`LargePlan::output_noise`]).
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision.
    pub fn absolute(&self, x: &LweCiphertext) -> Result<LweCiphertext> {
        let digits = self.plan.decomposition.evaluate(self.key, x)?.into_lookup_inputs(self.key);
        let half = self.sign_of(&digits, 2);
        let mut sum = LweCiphertext::trivial(x.dimension(), x.modulus(), 0);
        let mut weight_log2 = 0;
        for (index, digit) in digits.iter().enumerate() {
            let bits = self.plan.decomposition.digit_bits(index);
            sum.add_assign(&self.signed_digit(digit, bits, &half, weight_log2));
            weight_log2 += bits;
        }
        Ok(sum)
    }

    /// Returns ±digit·2^`weight_log2`, by a sign of phase 0 or 1/2.
    fn signed_digit(
        &self,
        digit: &LweCiphertext,
        bits: u32,
        half: &LweCiphertext,
        weight_log2: u32,
    ) -> LweCiphertext {
        let parameters = self.key.parameters();
        let (two_n, slots) = (parameters.rotation_modulus(), 1 << bits);
        let phase = slot_phase(self.key, digit, slots, two_n);
        let mut signed = self.key.boot(&FdfbCompress::compression(parameters, slots), &phase);
        signed.add_assign(half);
        let signed = self.key.to_rotation_modulus(&signed, two_n);

        let unit = parameters.prime() as f64 / f64::from(self.plan.decomposition.bits()).exp2();
        let weight = unit * f64::from(weight_log2).exp2();
        let value = |slot: u64| (slot as f64 * weight).round() as u64;
        let test = FdfbCompress::evaluation(parameters, slots, value);
        self.key.boot_large(self.plan.rotation_key, &test, &signed)
    }

    /// Returns max(x, 0), with bits - 1 bits: phase max(x, 0)·q_0/2^(bits-1).
    ///
    /// x + |x| is 2·max(x, 0), the result at a modulus of half the size, without a division. Cost and noise are those of
    /// [`LargeFunctions::absolute`], plus the input's noise.
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision.
    pub fn relu(&self, x: &LweCiphertext) -> Result<LweCiphertext> {
        let mut sum = self.absolute(x)?;
        sum.add_assign(x);
        Ok(sum)
    }

    /// Returns max(x, y) modulo 2^(bits-1), in the form of [`LargeFunctions::relu`], for x and y whose difference fits.
    ///
    /// Computed as y + max(x - y, 0).
    ///
    /// # Errors
    /// If a ciphertext does not have large precision.
    pub fn maximum(&self, x: &LweCiphertext, y: &LweCiphertext) -> Result<LweCiphertext> {
        let mut result = self.relu(&self.difference(x, y)?)?;
        // y modulo 2^(bits-1) has twice the phase.
        result.add_assign(y);
        result.add_assign(y);
        Ok(result)
    }
}
