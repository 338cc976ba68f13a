//! Parameters of functions of integers.

use std::f64::consts::SQRT_2;

use cryptable_lattice::error::demand;
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::{Error, FailureProbability, NoiseBound, Result, SecurityLevel};
use serde::{Deserialize, Serialize};

use crate::decomposition::{DigitDecomposition, HomDecompFdfb, HomDecompReduce, HomFloor};
use crate::face_parameters::face_parameters;
use crate::full_domain::{FdfbCompress, FullDomainMethod, TableKind};
use crate::functions::LargePlan;
use crate::noise::NoiseModel;
use crate::parameters::{GadgetLiteral, Parameters as FhewParameters, ParametersLiteral};
use crate::serialization::digest;
use crate::variance::Variance;

/// Domain of digests.
const DIGEST_CONTEXT: &str = "cryptable: parameters of functions of integers";

/// Default for log2 of the largest failure probability of a function.
const LOG2_FAIL: f64 = FailureProbability::DEFAULT.log2();

/// Default for toy parameters, whose noise is that of test keys.
const TOY_LOG2_FAIL: f64 = -40.0;

/// Base of digits.
pub const RADIX_BASE: u64 = 1 << RADIX_BASE_LOG2;

/// Bits of a digit: sums and comparisons of two digits need 16 values, the largest table that these parameters support.
pub(super) const RADIX_BASE_LOG2: u32 = 3;

/// Modulus of radix digits: a spare bit has room for differences, carries and selectors.
pub(super) const RADIX_MODULUS: u64 = 2 * RADIX_BASE;

/// Largest number of bits of an integer.
const MAX_BITS: u32 = 28;

/// Largest number of bits under primes below 2^47, for which the kernels are fastest.
const MAX_USUAL_BITS: u32 = 24;

/// Largest number of digits of a radix integer: 63 bits.
pub const MAX_RADIX_DIGITS: usize = 21;

/// An algorithm of digit decomposition, by its name in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Algorithm {
    #[serde(rename = "HomDecomp-Reduce")]
    Reduce,
    #[serde(rename = "HomDecomp-FDFB")]
    Fdfb,
    #[serde(rename = "HomFloor")]
    Floor,
    #[serde(rename = "HomFloorAlt")]
    FloorAlt,
}

impl Algorithm {
    const ALL: [Self; 4] = [Self::Reduce, Self::Fdfb, Self::Floor, Self::FloorAlt];

    fn decomposition(self) -> &'static dyn DigitDecomposition {
        match self {
            Self::Reduce => &HomDecompReduce,
            Self::Fdfb => &HomDecompFdfb,
            Self::Floor => &HomFloor { twice: false },
            Self::FloorAlt => &HomFloor { twice: true },
        }
    }
}

/// Parameters as stored in files.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Literal {
    security: SecurityLevel,
    bits: u32,
    numbers: ParametersLiteral,
    /// log2 of the failure probability that functions are planned for. `None` means the default for the security level; the
    /// field is then absent from the canonical bytes, as in versions that did not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log2_fail: Option<f64>,
    /// Algorithm that decomposes integers into digits. `None` means HomDecomp-Reduce; the field is then absent from the
    /// canonical bytes, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    algorithm: Option<Algorithm>,
}

impl Literal {
    fn decomposition(&self) -> &'static dyn DigitDecomposition {
        self.algorithm.unwrap_or(Algorithm::Reduce).decomposition()
    }

    /// Returns log2 of the largest failure probability of a function.
    fn limit(&self) -> f64 {
        let usual = if self.security.is_insecure() { TOY_LOG2_FAIL } else { LOG2_FAIL };
        self.log2_fail.unwrap_or(usual)
    }
}

/// Parameters of functions of integers. Immutable, cheap to clone.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Literal,
    fhew: FhewParameters,
    plan: LargePlan,
    largest_input: Variance,
    log2_fail: f64,
    digest: [u8; 32],
}

impl Parameters {
    /// Returns the parameters for integers from -2^(bits - 1) to below 2^(bits - 1), with at least 128 bits of security and
    /// failures of a function below 2^-64. The number of bits is from 4 to 28; above 24, keys need twice the memory.
    ///
    /// ```
    /// use cryptable_fhew::integers::Parameters;
    /// for bits in [24, 28] {
    ///     let parameters = Parameters::new(bits)?;
    ///     assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -64.0);
    /// }
    /// assert!(Parameters::new(29).is_err());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If `bits` is out of this range; the error names the limit.
    pub fn new(bits: u32) -> Result<Self> {
        let set = if bits <= MAX_USUAL_BITS {
            FhewParameters::decomposition_128()
        } else {
            FhewParameters::wide_decomposition_128()
        };
        Self::of_set(&set, bits, None)
    }

    /// Chooses parameters like [`Parameters::new`], with failures of a function below 2^`log2_fail`: down to 2^-128 for
    /// up to 24 bits.
    ///
    /// ```
    /// use cryptable_fhew::integers::Parameters;
    /// let parameters = Parameters::with_log2_fail(24, -128.0)?;
    /// assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -128.0);
    /// assert!(Parameters::with_log2_fail(24, -1000.0).is_err());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same as [`Parameters::new`], or if no parameters reach this probability; the error names the least one.
    pub fn with_log2_fail(bits: u32, log2_fail: f64) -> Result<Self> {
        let usual = Self::new(bits)?;
        if usual.log2_fail <= log2_fail {
            return Ok(usual);
        }
        Self::of_set(&FhewParameters::sure_decomposition_128(), bits, Some(log2_fail))
    }

    /// Returns the parameters with another decomposition algorithm of the paper: `HomDecomp-Reduce` (the default and the
    /// fastest), `HomDecomp-FDFB`, `HomFloor` or `HomFloorAlt`.
    ///
    /// ```
    /// use cryptable_fhew::integers::Parameters;
    /// let parameters = Parameters::new(12)?.with_algorithm("HomFloor")?;
    /// assert_eq!(parameters.algorithm(), "HomFloor");
    /// assert!(parameters.log2_fail() <= -64.0);
    /// assert!(parameters.with_algorithm("HomCeiling").unwrap_err().to_string().contains("HomFloorAlt"));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is no algorithm of this name, or functions by it would fail too often; the error names the probability.
    pub fn with_algorithm(&self, name: &str) -> Result<Self> {
        let found = Algorithm::ALL.into_iter().find(|it| it.decomposition().name() == name);
        let Some(algorithm) = found else {
            let names = Algorithm::ALL.map(|it| it.decomposition().name()).join(", ");
            return Err(Error::Unsupported(format!("the decomposition {name}: there are {names}")));
        };
        let algorithm = (algorithm != Algorithm::Reduce).then_some(algorithm);
        Self::assemble(self.fhew.clone(), Literal { algorithm, ..self.literal })
    }

    /// Returns the name of the algorithm that decomposes integers into digits.
    #[must_use]
    pub fn algorithm(&self) -> &'static str {
        self.literal.decomposition().name()
    }

    /// Builds parameters from a set of 128 bits of security.
    fn of_set(fhew: &FhewParameters, bits: u32, log2_fail: Option<f64>) -> Result<Self> {
        let (security, numbers) = (SecurityLevel::Bits128, *fhew.literal());
        let literal = Literal { security, bits, numbers, log2_fail, algorithm: None };
        Self::assemble(fhew.clone(), literal)
    }

    /// Toy parameters for tests: not secure.
    ///
    /// # Errors
    /// Same as [`Parameters::new`].
    pub fn insecure_toy(bits: u32) -> Result<Self> {
        let gadget = |base_log2, length| Some(GadgetLiteral { base_log2, length }.into());
        let fhew = FhewParameters::insecure(ParametersLiteral {
            finer_rotations: [gadget(9, 4), gadget(5, 8), None],
            ..*FhewParameters::insecure_toy().literal()
        })?;
        let (security, numbers) = (SecurityLevel::Insecure, *fhew.literal());
        let literal = Literal { security, bits, numbers, log2_fail: None, algorithm: None };
        Self::assemble(fhew, literal)
    }

    fn assemble(fhew: FhewParameters, literal: Literal) -> Result<Self> {
        let (bits, limit) = (literal.bits, literal.limit());
        demand(
            (4..=MAX_BITS).contains(&bits),
            "bits of an integer",
            bits.into(),
            "it must be from 4 to 28",
        )?;
        demand(
            (-1000.0..0.0).contains(&limit),
            "log2 of the failure probability",
            limit,
            "it must be from -1000 to below 0",
        )?;
        let model = NoiseModel::new(&fhew);
        let algorithm = literal.decomposition();
        let plan = |input| LargePlan::new(&fhew, algorithm, bits, RADIX_BASE_LOG2, input, limit);
        let fresh = plan(model.fresh_large())?;
        // Inputs may be results if the parameters leave room for their noise.
        let of_results = plan(fresh.output_noise()).ok();
        let of_results = of_results.filter(|plan| plan.output_noise() <= fresh.output_noise());
        let (plan, largest_input) = match of_results {
            Some(plan) => (plan, fresh.output_noise()),
            None => (fresh, model.fresh_large()),
        };
        let log2_fail = plan.log2_fail().max(radix_log2_fail(&model));
        // NaN is within no limit.
        if log2_fail.is_nan() || log2_fail > limit {
            let what = "a function of integers".to_owned();
            return Err(Error::FailureUnreachable { what, found: log2_fail, limit });
        }
        let digest = digest(DIGEST_CONTEXT, &literal);
        Ok(Self { literal, fhew, plan, largest_input, log2_fail, digest })
    }

    /// Returns the bits of an integer, including the sign.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.literal.bits
    }

    /// Returns log2 of the probability that a function of one integer goes wrong, including decryption of its result: that
    /// of the function most likely to fail.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns whether results of [`super::EvaluationKey::absolute`] may be inputs of further functions; for other numbers of
    /// bits their noise is too large, and [`super::EvaluationKey::to_radix`] comes first.
    #[must_use]
    pub fn results_are_inputs(&self) -> bool {
        self.largest_input > NoiseModel::new(&self.fhew).fresh_large()
    }

    pub(super) fn plan(&self) -> &LargePlan {
        &self.plan
    }

    /// Plans functions of integers that another method computed with this noise, also if their errors depend on each other.
    ///
    /// # Errors
    /// If the functions would fail too often.
    pub(super) fn plan_of_imported(&self, noise: NoiseBound) -> Result<LargePlan> {
        // A plan assumes two independent inputs. Deviations of dependent errors add up, which is a factor of √2.
        let input = NoiseBound::of_law(noise.law().times(SQRT_2), noise.bias());
        let (bits, limit, algorithm) = (self.bits(), self.limit(), self.literal.decomposition());
        LargePlan::new(&self.fhew, algorithm, bits, RADIX_BASE_LOG2, input, limit)
    }

    /// Returns log2 of the largest failure probability that tables of digits are planned for.
    pub(super) fn limit(&self) -> f64 {
        self.literal.limit()
    }

    /// Returns the shape of ciphertexts of whole integers, under the ring secret.
    #[must_use]
    pub fn large_shape(&self) -> LweShape {
        self.fhew.public_shape()
    }
}

face_parameters!(
    "those of functions of integers",
    "cryptable: identifier of a secret key for integers",
    IntegerSecretKey,
    IntegerEvaluationKey,
    IntegerPublicKey
);

/// Returns log2 of the probability that an operation on a radix integer goes wrong.
///
/// The noisiest input is a digit plus B times a selector, where the digit is a sum of two results: B² + 2 times the
/// variance of a result. An operation needs at most four tables per digit.
fn radix_log2_fail(model: &NoiseModel) -> f64 {
    let (input_modulus, output_modulus) = (RADIX_MODULUS, RADIX_MODULUS);
    let table = TableKind::Worst { input_modulus, output_modulus };
    let result = FdfbCompress.noise(model, table, model.fresh().law()).output;
    let input = result.times(((RADIX_BASE * RADIX_BASE + 2) as f64).sqrt());
    let one = FdfbCompress.noise(model, table, input).log2_fail(output_modulus);
    FailureProbability::from_log2(one).of_any(4 * MAX_RADIX_DIGITS).log2()
}
