//! Parameters of packed lookups: a literal is validated into an immutable value.

use cryptable_ckks::dry_run::DryRunParameters;
use cryptable_lattice::ERROR_VARIANCE;
use cryptable_lattice::SwitchingKeyShape;
use cryptable_lattice::security::{self, SecretDistribution};
use cryptable_ring::Ring;
use cryptable_ring::primes::ntt_primes;
use serde::{Deserialize, Serialize};

use crate::Table;
use crate::methods::circuit::Circuit;
use crate::methods::failure::FailureEstimate;
use crate::methods::homomorphic_dft::key_shape;
use cryptable_lattice::error::{Error, Result};

/// How a homomorphic DFT is cut into matrices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DftLiteral {
    /// Butterfly levels merged in each matrix, in order of application; their sum is log2 of the
    /// number of slots.
    pub stages: Vec<u32>,
    /// Primes that all matrices share.
    pub primes: usize,
    /// Baby steps a matrix: more are faster and need more keys.
    pub baby_steps: usize,
}

/// How a table is evaluated as a multiplexer tree over digits (BMT, CMT).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MultiplexerLiteral {
    /// Sizes of the digits, the least significant first; their product is the input modulus.
    pub digits: Vec<u64>,
    /// How many digits each selector joins, the least significant first. The last selector chooses
    /// columns of the table, the others rows.
    pub selectors: Vec<usize>,
    /// Times that deltas are cleaned by 3x² - 2x³.
    pub delta_cleanings: u32,
    /// Whether selectors are joined by the cleaning polynomial of AND.
    pub cleaning_and: bool,
    /// Levels for entries that are plaintexts or ciphertexts (tables of slots, encrypted tables): 1; for
    /// tables of integers, the same for all slots: 0.
    #[serde(default)]
    pub entry_levels: u32,
}

/// All choices that make a parameter set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParametersLiteral {
    /// Name, for people; toy sets say `insecure`.
    pub name: String,
    /// Ring degree N.
    pub ring_degree: usize,
    /// Input modulus p of the tables.
    pub input_modulus: u64,
    /// Output modulus P of the tables.
    pub output_modulus: u64,
    /// Values a ciphertext, a power of two of at most N.
    pub slots: usize,
    /// log2 of the primes of the chain.
    pub log2_scale: f64,
    /// log2 of the special primes.
    pub log2_special: f64,
    /// Digits (dnum) of keys at the top of the chain.
    pub digits: usize,
    /// CoeffsToSlots.
    pub coeffs_to_slots: DftLiteral,
    /// SlotsToCoeffs.
    pub slots_to_coeffs: DftLiteral,
    /// log2 of the number of Chebyshev coefficients of the exponential.
    pub chebyshev_log_length: u32,
    /// log2 of the baby steps of the Chebyshev evaluation.
    pub chebyshev_log_babies: u32,
    /// Doublings of the angle after the Chebyshev evaluation.
    pub doublings: u32,
    /// Doublings that are cleaned, the last ones.
    #[serde(default)]
    pub wave_cleanings: u32,
    /// The digits of a multiplexer tree; AKP if there are none.
    #[serde(default)]
    pub multiplexer: Option<MultiplexerLiteral>,
    /// log2 of the baby steps of the interpolation.
    pub log_babies: u32,
    /// Bits of the interpolation's constants, which stay in the scale.
    pub constant_bits: f64,
    /// Ciphertexts of the client are modulo 2 to this power.
    pub log2_ciphertext_modulus: u32,
    /// Hamming weight of the encapsulated secret.
    pub sparse_weight: u32,
    /// Stated failure probability a value, log2.
    pub log2_fail: f64,
}

impl ParametersLiteral {
    /// The share of the failure probability that the overflow bound may use: half.
    #[must_use]
    pub fn log2_fail_overflow(&self) -> f64 {
        self.log2_fail - 1.0 - self.log2_raises()
    }

    /// log2 of how often a value is raised: once, or once a digit.
    #[must_use]
    pub fn log2_raises(&self) -> f64 {
        self.multiplexer.as_ref().map_or(0.0, |m| (m.digits.len() as f64).log2())
    }

    /// Variance of a coefficient's noise after the switch from the client's modulus to q_0 = `scale`.
    #[must_use]
    pub fn input_noise(&self, scale: f64) -> f64 {
        let ratio = scale / f64::from(self.log2_ciphertext_modulus).exp2();
        ERROR_VARIANCE * ratio * ratio + (1.0 + 2.0 * self.ring_degree as f64 / 3.0) / 12.0
    }

    /// The table that amplifies noise most: 1/2 at 0 and -1/2 elsewhere.
    #[must_use]
    pub fn worst_table(&self) -> Table {
        let half = self.output_modulus / 2;
        Table::from_fn(self.input_modulus, self.output_modulus, |x| {
            if x == 0 { half.saturating_sub(1) } else { half }
        })
        .expect("moduli are validated before")
    }

    /// What a dry run needs to know.
    #[must_use]
    pub fn dry_run_parameters(&self, primes: &[f64]) -> DryRunParameters {
        let relinearization = self.relinearization_shapes();
        let mut automorphism: Vec<SwitchingKeyShape> =
            vec![key_shape(self.limbs(), self.digits, self.log2_scale, self.log2_special)];
        let shared = if self.multiplexer.is_some() { relinearization.len() } else { 1 };
        automorphism.extend(relinearization.iter().take(shared));
        let bottom = self.output_limbs();
        automorphism.push(key_shape(bottom, 1, self.log2_scale, self.log2_special));
        DryRunParameters {
            degree: self.ring_degree,
            primes: primes.to_vec(),
            relinearization,
            automorphism,
            log2_special: self.log2_special,
        }
    }
}

/// A validated, immutable parameter set.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: ParametersLiteral,
    main_primes: Vec<u64>,
    special_primes: Vec<u64>,
    security_bits: f64,
    failure: FailureEstimate,
    circuit: Circuit,
}

impl Parameters {
    /// Validates a literal: shapes, security by the embedded tables, failure probability by the noise
    /// model.
    ///
    /// # Errors
    /// If a value is out of range, security is below 128 bits, or the predicted failure probability
    /// exceeds the stated one.
    pub fn new(literal: ParametersLiteral) -> Result<Self> {
        let parameters = Self::new_insecure(literal)?;
        parameters.check_security()?;
        Ok(parameters)
    }

    /// As [`Parameters::new`], for toy sets of tests: security is computed but not demanded.
    ///
    /// # Errors
    /// If a value is out of range or the predicted failure probability exceeds the stated one.
    pub fn new_insecure(literal: ParametersLiteral) -> Result<Self> {
        check_ranges(&literal)?;
        let degree = literal.ring_degree;
        let main_primes = ntt_primes(degree, literal.log2_scale, literal.limbs(), &[]);
        let special_primes =
            ntt_primes(degree, literal.log2_special, literal.widest_basis().special, &main_primes);
        let primes: Vec<f64> = main_primes.iter().map(|&q| q as f64).collect();
        let circuit = Circuit::new(&literal, &primes);
        let failure = FailureEstimate::new(&literal, &circuit);
        if failure.log2_fail() > literal.log2_fail {
            return Err(Error::FailureProbability {
                found: failure.log2_fail(),
                limit: literal.log2_fail,
            });
        }
        let log2_modulus: f64 =
            main_primes.iter().chain(&special_primes).map(|&q| (q as f64).log2()).sum();
        let security_bits =
            security::security_bits(degree, SecretDistribution::UniformTernary, log2_modulus);
        Ok(Self { literal, main_primes, special_primes, security_bits, failure, circuit })
    }

    fn check_security(&self) -> Result<()> {
        let degree = self.literal.ring_degree;
        security::check(degree, SecretDistribution::UniformTernary, self.log2_modulus())?;
        // The sparse secret is only ever used at q_0·p_0.
        let bottom = (self.main_primes[0] as f64).log2() + (self.special_primes[0] as f64).log2();
        let sparse = SecretDistribution::FixedWeightTernary(self.literal.sparse_weight);
        security::check(degree, sparse, bottom)?;
        Ok(())
    }

    /// Input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.literal().input_modulus
    }

    /// Output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.literal().output_modulus
    }

    /// The literal it was made from.
    #[must_use]
    pub fn literal(&self) -> &ParametersLiteral {
        &self.literal
    }

    /// The chain q_0, q_1, …
    #[must_use]
    pub fn main_primes(&self) -> &[u64] {
        &self.main_primes
    }

    /// The special primes.
    #[must_use]
    pub fn special_primes(&self) -> &[u64] {
        &self.special_primes
    }

    /// The ring with all primes and their tables.
    #[must_use]
    pub fn ring(&self) -> Ring {
        Ring::new(self.literal.ring_degree, &self.main_primes, &self.special_primes)
    }

    /// log2 of the product of all primes.
    #[must_use]
    pub fn log2_modulus(&self) -> f64 {
        self.main_primes.iter().chain(&self.special_primes).map(|&q| (q as f64).log2()).sum()
    }

    /// Estimated security level in bits.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.security_bits
    }

    /// Predicted failure probability and its parts.
    #[must_use]
    pub fn failure(&self) -> &FailureEstimate {
        &self.failure
    }

    /// The planned circuit.
    #[must_use]
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The canonical bytes of the literal, of which the digest names these parameters.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&self.literal).expect("a literal serialises")
    }

    /// Reads what [`Parameters::to_bytes`] wrote, and validates it as [`Parameters::new`] does. Toy
    /// parameters are accepted if their name says `insecure`.
    ///
    /// # Errors
    /// If the bytes are no literal, or the literal is not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let literal: ParametersLiteral = serde_json::from_slice(bytes)
            .map_err(|error| Error::Unsupported(format!("these parameters: {error}")))?;
        if literal.name.contains("insecure") {
            Self::new_insecure(literal)
        } else {
            Self::new(literal)
        }
    }

    /// BLAKE3 of [`Parameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

/// Most columns of a multiplexer tree: more than any machine has memory for.
const MAX_COLUMNS: usize = 4096;

/// Checks what the rest of the code takes for granted.
fn check_ranges(literal: &ParametersLiteral) -> Result<()> {
    let at_least = |name, value: u64, limit: u64| {
        if value < limit { Err(Error::TooSmall { name, value, limit }) } else { Ok(()) }
    };
    let at_most = |name, value: u64, limit: u64| {
        if value > limit { Err(Error::TooLarge { name, value, limit }) } else { Ok(()) }
    };
    at_least("input modulus", literal.input_modulus, 2)?;
    let largest_input = if literal.multiplexer.is_some() { 1 << 24 } else { 1 << 12 };
    at_most("input modulus", literal.input_modulus, largest_input)?;
    at_least("output modulus", literal.output_modulus, 2)?;
    at_most("output modulus", literal.output_modulus, 1 << 24)?;
    at_least("ring degree", literal.ring_degree as u64, 64)?;
    at_most("ring degree", literal.ring_degree as u64, 1 << 17)?;
    at_least("values a ciphertext", literal.slots as u64, 8)?;
    at_most("values a ciphertext", literal.slots as u64, literal.ring_degree as u64)?;
    at_most("log2 of the ciphertext modulus", literal.log2_ciphertext_modulus.into(), 48)?;
    at_least("digits", literal.digits as u64, 1)?;
    for (name, value) in
        [("ring degree", literal.ring_degree), ("values a ciphertext", literal.slots)]
    {
        if !value.is_power_of_two() {
            return Err(Error::Unsupported(format!("{name} {value}: it must be a power of two")));
        }
    }
    let levels = (literal.slots / 2).trailing_zeros();
    for (name, dft) in
        [("CoeffsToSlots", &literal.coeffs_to_slots), ("SlotsToCoeffs", &literal.slots_to_coeffs)]
    {
        let sum: u32 = dft.stages.iter().sum();
        if sum != levels || dft.stages.contains(&0) || dft.primes == 0 || dft.baby_steps == 0 {
            return Err(Error::Unsupported(format!(
                "{name} {dft:?} for {levels} butterfly levels"
            )));
        }
    }
    let finite = [literal.log2_scale, literal.log2_special, literal.constant_bits];
    if finite.iter().any(|x| !(0.0..=60.0).contains(x)) || literal.log2_scale < 25.0 {
        return Err(Error::Unsupported(format!("prime sizes and constant bits {finite:?}")));
    }
    if literal.log2_fail.is_nan() || literal.log2_fail >= 0.0 {
        return Err(Error::Unsupported(format!("failure probability 2^{}", literal.log2_fail)));
    }
    let logs = [literal.chebyshev_log_length, literal.chebyshev_log_babies, literal.log_babies];
    if logs.iter().any(|&x| !(1..=8).contains(&x))
        || literal.chebyshev_log_babies > literal.chebyshev_log_length
        || literal.doublings > 8
        || literal.wave_cleanings > literal.doublings
    {
        return Err(Error::Unsupported(format!("polynomial sizes 2^{logs:?}")));
    }
    if let Some(multiplexer) = &literal.multiplexer {
        check_multiplexer(multiplexer, literal)?;
    }
    Ok(())
}

/// Checks that digits make the input modulus, and selectors use every digit.
fn check_multiplexer(multiplexer: &MultiplexerLiteral, literal: &ParametersLiteral) -> Result<()> {
    let MultiplexerLiteral { digits, selectors, delta_cleanings, .. } = multiplexer;
    let sizes = digits.iter().all(|digit| (2..=256).contains(digit)) && digits.len() <= 24;
    let product = sizes.then(|| digits.iter().map(|&digit| u128::from(digit)).product::<u128>());
    let valid = product == Some(literal.input_modulus.into())
        && selectors.len() >= 2
        && !selectors.contains(&0)
        && selectors.iter().try_fold(0usize, |sum, &n| sum.checked_add(n)) == Some(digits.len())
        && *delta_cleanings <= 4
        && multiplexer.entry_levels <= 1
        && (literal.wave_cleanings == 0 || digits.iter().any(|&digit| digit != 2))
        && multiplexer.columns() <= MAX_COLUMNS;
    if !valid {
        let modulus = literal.input_modulus;
        return Err(Error::Unsupported(format!("{multiplexer:?} for input modulus {modulus}")));
    }
    Ok(())
}
