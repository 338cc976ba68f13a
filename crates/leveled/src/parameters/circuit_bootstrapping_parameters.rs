//! Parameters of circuit bootstrapping (Wang et al., EUROCRYPT 2024, ePrint 2024/323).
//!
//! A circuit bootstrap reads its input right if the sum of the noise of the input, of LWE key switching and of sparse
//! rounding stays below the margin of a digit, `1/2^(d + 1)` of the modulus for d bits per ciphertext, except with a
//! probability of 2^-64. [`CircuitBootstrappingParameters::input_variance`] is the part of this noise that remains for an
//! input with Gaussian noise.

use std::borrow::Cow;

use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{FailureProbability, Result, SecurityLevel};
use cryptable_ring::gadget::Gadget;
use serde::{Deserialize, Serialize};

use cryptable_lattice::error::out_of_range;

/// log2 of the largest probability that a circuit bootstrap reads its input wrong.
pub const LOG2_FAIL: f64 = FailureProbability::DEFAULT.log2();

/// Largest number of bits per ciphertext: three would leave a margin of a sixteenth, for which no parameters were found.
pub const MAX_BITS_PER_CIPHERTEXT: u32 = 2;

/// The name of this number in errors.
const BITS_PER_CIPHERTEXT: &str = "number of a ciphertext's bits";

/// All numbers of a parameter set, before validation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CircuitBootstrappingLiteral {
    /// Security that the set claims.
    pub security: SecurityLevel,
    /// Number of bits per ciphertext, and so per rotation: 1 or 2.
    pub bits_per_ciphertext: u32,
    /// Decomposition of the RGSW ciphertexts that circuit bootstraps compute.
    pub rgsw: GadgetLiteral,
    /// Parameters of blind rotation, key switching, trace and scheme switching.
    pub fhew: ParametersLiteral,
}

/// Validated parameters of circuit bootstrapping. Immutable, cheap to clone.
#[derive(Clone, Debug)]
pub struct CircuitBootstrappingParameters {
    literal: CircuitBootstrappingLiteral,
    fhew: Parameters,
    /// Largest variance of an input's phase, with Gaussian noise, as a fraction of the modulus squared.
    input: Variance,
}

impl PartialEq for CircuitBootstrappingParameters {
    fn eq(&self, other: &Self) -> bool {
        self.literal == other.literal
    }
}

impl CircuitBootstrappingParameters {
    /// Validates a literal: all numbers, and 128 bits of security unless the literal states that it is insecure.
    ///
    /// # Errors
    /// If a ciphertext does not have 1 or 2 bits, or has more than a gadget digit of RGSW ciphertexts; if the decomposition of
    /// RGSW ciphertexts does not fit the prime, or even inputs without noise would fail with a probability above 2^-64; if
    /// parameters of bootstrapping are not valid, or less secure than claimed.
    pub fn new(literal: CircuitBootstrappingLiteral) -> Result<Self> {
        let fhew = match literal.security {
            SecurityLevel::Bits128 => Parameters::new(literal.fhew)?,
            SecurityLevel::Insecure => Parameters::insecure(literal.fhew)?,
        };
        let CircuitBootstrappingLiteral { bits_per_ciphertext, rgsw, .. } = literal;
        let most = MAX_BITS_PER_CIPHERTEXT.min(rgsw.base_log2.max(1));
        if !(1..=most).contains(&bits_per_ciphertext) {
            let limit = format!(
                "1 to {MAX_BITS_PER_CIPHERTEXT}, and no more than a gadget digit of RGSW ciphertexts"
            );
            return Err(out_of_range(BITS_PER_CIPHERTEXT, bits_per_ciphertext.into(), limit));
        }
        let bits = u64::from(rgsw.base_log2).saturating_mul(rgsw.length as u64);
        let limit = fhew.prime().ilog2();
        if rgsw.base_log2 == 0 || rgsw.length == 0 || bits > u64::from(limit) {
            let limit = format!("together they must have from 1 to {limit} bits");
            return Err(out_of_range("number of bits of RGSW gadget digits", bits, limit));
        }
        let mut parameters = Self { literal, fhew, input: Variance::ZERO };
        let spent = parameters.switching(&NoiseModel::new(&parameters.fhew));
        let total = largest_variance(parameters.margin());
        if spent.0.is_nan() || spent.0 >= total.0 {
            let limit = "key switching and sparse rounding leave no margin for noise";
            return Err(out_of_range("number of RGSW gadget digits", rgsw.length as u64, limit));
        }
        parameters.input = Variance(total.0 - spent.0);
        Ok(parameters)
    }

    /// Returns all numbers, as validated.
    #[must_use]
    pub fn literal(&self) -> &CircuitBootstrappingLiteral {
        &self.literal
    }

    /// Returns the security that the parameters claim; a claim of 128 bits has been checked.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.literal.security
    }

    /// Returns the least security of LWE and both rings, in bits; 0 if the parameters claim none.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        match self.security_level() {
            SecurityLevel::Bits128 => self.fhew.security_bits(),
            SecurityLevel::Insecure => 0.0,
        }
    }

    /// Returns the parameters of blind rotation, key switching, trace and scheme switching.
    #[must_use]
    pub fn fhew(&self) -> &Parameters {
        &self.fhew
    }

    /// Returns the decomposition of the RGSW ciphertexts that circuit bootstraps compute.
    #[must_use]
    pub fn rgsw_gadget(&self) -> Gadget {
        let GadgetLiteral { base_log2, length } = self.literal.rgsw;
        Gadget::new(self.fhew.prime(), base_log2, length)
    }

    /// Returns θ. Phases are rounded to multiples of 2^θ, so that one rotation computes all rows of all RGSW ciphertexts of a
    /// ciphertext; the automorphisms are those that such phases need.
    #[must_use]
    pub fn sparsity_log2(&self) -> u32 {
        sparsity_log2(&self.literal)
    }

    /// Returns the number of bits per ciphertext, and so per rotation: 1 or 2.
    #[must_use]
    pub fn bits_per_ciphertext(&self) -> u32 {
        self.literal.bits_per_ciphertext
    }

    /// Returns the dimension N and modulus Q of LWE ciphertexts that are inputs of circuit bootstraps or results of tables.
    #[must_use]
    pub fn lwe_shape(&self) -> LweShape {
        LweShape { dimension: self.fhew.ring_degree(), modulus: self.fhew.prime() }
    }

    /// Returns the ciphertexts modulo Q; ciphertexts under public keys are switched to it.
    pub(crate) fn switched<'a>(&self, list: &'a LweList) -> Cow<'a, LweList> {
        if list.shape() != self.fhew.public_shape() {
            return Cow::Borrowed(list);
        }
        Cow::Owned(list.modulus_switch(self.fhew.prime(), self.fhew.literal().ring_secret))
    }

    /// Returns the largest error of a phase for which the plaintext is right, 1/2^(d + 1) for d bits per ciphertext, as a
    /// fraction of the modulus.
    #[must_use]
    pub fn margin(&self) -> f64 {
        0.5 / f64::from(self.bits_per_ciphertext()).exp2()
    }

    /// Checks that ciphertexts hold single bits.
    ///
    /// # Errors
    /// If ciphertexts hold two bits.
    pub(crate) fn check_single_bits(&self) -> Result<()> {
        let bits = self.bits_per_ciphertext();
        if bits == 1 {
            return Ok(());
        }
        Err(out_of_range(BITS_PER_CIPHERTEXT, bits.into(), "this works on single bits only"))
    }

    /// Returns 2N/2^θ, the number of phases after sparse rounding.
    #[must_use]
    pub fn sparse_modulus(&self) -> u64 {
        self.fhew.rotation_modulus() >> self.sparsity_log2()
    }

    /// Returns the largest variance of an input's phase, with Gaussian noise: a circuit bootstrap then fails with probability
    /// 2^-64.
    #[must_use]
    pub fn input_variance(&self) -> Variance {
        self.input
    }

    /// Returns the noise of switching an input to dimension n and to the sparse modulus.
    fn switching(&self, model: &NoiseModel) -> Variance {
        model.key_switching() + model.lwe_modulus_switch(self.sparse_modulus())
    }
}

/// Returns the largest variance of a Gaussian whose errors exceed `margin` with a probability of at most 2^[`LOG2_FAIL`].
fn largest_variance(margin: f64) -> Variance {
    Variance((margin / NoiseLaw::gaussian(1.0).largest(LOG2_FAIL)).powi(2))
}

/// Returns θ of a literal, see [`CircuitBootstrappingParameters::sparsity_log2`].
pub(super) fn sparsity_log2(literal: &CircuitBootstrappingLiteral) -> u32 {
    let rows = (literal.bits_per_ciphertext as usize).saturating_mul(literal.rgsw.length);
    let of_rows = rows.next_power_of_two().ilog2();
    match literal.fhew.rotation_method {
        RotationMethod::SparseAutomorphism { sparsity_log2, .. } => sparsity_log2.max(of_rows),
        _ => of_rows,
    }
}
