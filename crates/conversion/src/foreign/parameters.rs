//! Parameters of other libraries' LWE ciphertexts of bits, by name.

use cryptable_bits as bits;
use cryptable_fhew::noise::{Variance, second_moment};
use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::lwe_list::LweShape;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{NoiseBound, SecurityLevel};

use crate::literal::{BlockLiteral, ParametersLiteral};
use crate::parameters::Parameters;

/// Parameters of another library's ciphertexts `(a, b)` of bits, with `b - ⟨a, s⟩ = phase + noise`.
///
/// ```
/// use cryptable_conversion::foreign::ForeignParameters;
/// let openfhe = ForeignParameters::named("openfhe-std128")?;
/// assert_eq!((openfhe.shape().dimension, openfhe.shape().modulus), (554, 1 << 11));
/// assert!(ForeignParameters::named("openfhe-std192").is_err());
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignParameters {
    name: &'static str,
    security: SecurityLevel,
    dimension: usize,
    secret: SecretDistribution,
    log2_modulus: u32,
    /// Phase of false, in eighths of the modulus; the phase of true is two eighths larger.
    eighths_of_false: u64,
    /// Standard deviation of the library's own ciphertexts, fresh or results of gates, as a fraction of the modulus.
    deviation: f64,
    /// log2 of the modulus of packing and extraction: the largest at which the secret has 128 bits of security with
    /// errors of deviation 3.2.
    log2_key_modulus: u32,
    key_switching: GadgetLiteral,
    rows_per_digit_size: bool,
}

/// OpenFHE 1.6.1 with STD128, GINX: a bit is 0 or a quarter. Its gates leave 19.4 units of 2,048 by formula (key switching of
/// dimension 1,024 by two digits of seven bits at 2^14, and the rounding from there); 19.8 measured on 150 NANDs. Digits of six
/// bits with a row per size keep extraction below that.
const OPENFHE_STD128: ForeignParameters = ForeignParameters {
    name: "openfhe-std128",
    security: SecurityLevel::Bits128,
    dimension: 554,
    secret: SecretDistribution::UniformTernary,
    log2_modulus: 11,
    eighths_of_false: 0,
    deviation: 20.0 / 2048.0,
    log2_key_modulus: 14,
    key_switching: GadgetLiteral { base_log2: 6, length: 2 },
    rows_per_digit_size: true,
};

/// tfhe-rs 1.8.2, module `boolean`, `DEFAULT_PARAMETERS`: a bit is -1/8 or 1/8. Its gates leave 2^-9.54 by formula (key switching
/// of dimension 1,536 by five digits of three bits, errors of 2^-17.4).
const TFHE_RS_BOOLEAN: ForeignParameters = ForeignParameters {
    name: "tfhe-rs-boolean",
    security: SecurityLevel::Bits128,
    dimension: 805,
    secret: SecretDistribution::Binary,
    log2_modulus: 32,
    eighths_of_false: 7,
    deviation: 0.00138,
    log2_key_modulus: 18,
    key_switching: GadgetLiteral { base_log2: 2, length: 8 },
    rows_per_digit_size: false,
};

/// A toy for tests, shaped as OpenFHE's.
const INSECURE_TOY: ForeignParameters = ForeignParameters {
    name: "insecure-toy",
    security: SecurityLevel::Insecure,
    dimension: 32,
    deviation: 8.0 / 2048.0,
    key_switching: GadgetLiteral { base_log2: 4, length: 3 },
    ..OPENFHE_STD128
};

impl ForeignParameters {
    /// All parameters of 128 bits.
    pub const ALL: [Self; 2] = [OPENFHE_STD128, TFHE_RS_BOOLEAN];

    /// Returns the parameters with a name of [`ForeignParameters::ALL`].
    ///
    /// # Errors
    /// If there are none; the error lists the known names.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|it| it.name == name).ok_or_else(|| {
            let known = Self::ALL.map(|it| it.name).join(" or ");
            Error::mismatch("parameters of foreign ciphertexts", name, known)
        })
    }

    /// Returns a toy for tests: **insecure**.
    #[must_use]
    pub fn insecure_toy() -> Self {
        INSECURE_TOY
    }

    /// Returns the parameters named in a key file, toys included.
    pub(super) fn of_file(name: &[u8]) -> Result<Self> {
        if name == INSECURE_TOY.name.as_bytes() {
            return Ok(INSECURE_TOY);
        }
        Self::named(&name.escape_ascii().to_string())
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the security level: 128 bits, or none for toys.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.security
    }

    /// Returns dimension and modulus of the ciphertexts.
    #[must_use]
    pub fn shape(&self) -> LweShape {
        LweShape { dimension: self.dimension, modulus: 1 << self.log2_modulus }
    }

    /// Returns the distribution of secrets.
    #[must_use]
    pub fn secret(&self) -> SecretDistribution {
        self.secret
    }

    /// Returns the phase of false as a fraction of the modulus; the phase of true is a quarter larger.
    #[must_use]
    pub fn phase_of_false(&self) -> f64 {
        self.eighths_of_false as f64 / 8.0
    }

    /// Returns the standard deviation that the library's ciphertexts may have, as a fraction of the modulus.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Returns the shifts of bodies, in units of a modulus: to phases ±1/8, and back.
    pub(super) fn shifts(&self, modulus: u64) -> [u64; 2] {
        [15 - self.eighths_of_false, 1 + self.eighths_of_false]
            .map(|eighths| modulus / 8 * (eighths % 8))
    }

    /// Returns the fastest parameters of packed bits that evaluate `gates` gates at once, or the largest number that
    /// fits. The noise of OpenFHE needs three cleanings, and levels for them.
    ///
    /// ```
    /// use cryptable_conversion::foreign::ForeignParameters;
    /// let openfhe = ForeignParameters::named("openfhe-std128")?;
    /// let packed = openfhe.packed(16_384)?;
    /// assert!(packed.bits() >= 16_384 && openfhe.log2_fail(&packed)? < -40.0);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// Never, for parameters of this library.
    pub fn packed(&self, gates: usize) -> Result<bits::Parameters> {
        if self.security == SecurityLevel::Insecure {
            return bits::Parameters::insecure_toy(bits::Packing::Sparse(64));
        }
        let cleaning = bits::Parameters::cleaning_128(bits::Packing::of_bits(gates, 1 << 14))?;
        if self.log2_fail(&cleaning).is_ok() {
            return Ok(cleaning);
        }
        bits::Parameters::balanced_128(bits::Packing::of_bits(gates, 1 << 15))
    }

    /// Returns the parameters of packing and extraction for a ring of packed bits.
    ///
    /// # Errors
    /// If a number is out of bounds, or the secret has less than 128 bits.
    pub fn conversion(&self, packed: &bits::Parameters) -> Result<Parameters> {
        let ring_degree = packed.literal().ring_degree;
        let is_toy = self.security == SecurityLevel::Insecure
            || packed.security_level() == SecurityLevel::Insecure;
        let block = |literal: BlockLiteral, share: usize| match is_toy {
            true => BlockLiteral { degree: ring_degree / share, ..literal },
            false => literal,
        };
        Parameters::new(ParametersLiteral {
            security: if is_toy { SecurityLevel::Insecure } else { SecurityLevel::Bits128 },
            lwe_dimension: self.dimension,
            lwe_secret: self.secret,
            log2_lwe_modulus: self.log2_key_modulus,
            ring_degree,
            bottom_prime: packed.bottom_prime(),
            packing: block(BlockLiteral::PACKING_128, 4),
            extraction: block(BlockLiteral::EXTRACTION_128, 8),
            key_switching: Some(self.key_switching),
            rows_per_digit_size: self.rows_per_digit_size,
            extraction_secret: SecretDistribution::UniformTernary,
        })
    }

    /// Returns an upper bound of log2 of the probability that a gate's result is wrong, in any round of bootstraps of
    /// packed bits. Inputs are the library's ciphertexts or results of such gates.
    ///
    /// # Errors
    /// The errors of [`super::ForeignGates::new`].
    pub fn log2_fail(&self, packed: &bits::Parameters) -> Result<f64> {
        let conversion = self.conversion(packed)?;
        let (own, common) = (self.input_noise(&conversion), conversion.packing_noise().into());
        // The other bound is better if noise is far from the decision, or if bootstraps add more noise than inputs
        // have.
        match packed.noise_of_rounds(own, common) {
            Ok(_) => Ok(packed.literal().log2_fail),
            Err(_) => packed.log2_fail_of_noisy_gates(own, common),
        }
    }

    /// Returns the noise of results in the library's modulus that extraction and its rounding add to that of cleaned
    /// bits.
    pub(super) fn result_noise(&self, conversion: &Parameters) -> NoiseBound {
        let rounding = self.rounding_to(self.log2_modulus, self.log2_key_modulus);
        (conversion.extraction_noise() + rounding).into()
    }

    /// Returns the noise of inputs in the modulus of keys: that of the library or of results, whichever is larger.
    pub(super) fn input_noise(&self, conversion: &Parameters) -> NoiseBound {
        let larger = NoiseBound::new(self.deviation, 0.0).max(self.result_noise(conversion));
        let rounding = self.rounding_to(self.log2_key_modulus, self.log2_modulus);
        larger.with_independent(rounding.into())
    }

    /// Returns the variance of rounding ciphertexts to a modulus; 0 if the modulus does not shrink.
    fn rounding_to(&self, log2_modulus: u32, log2_from: u32) -> Variance {
        let norm = self.dimension as f64 * second_moment(self.secret);
        let units = if log2_modulus < log2_from { (1.0 + norm) / 12.0 } else { 0.0 };
        Variance::of_units(units, f64::from(log2_modulus).exp2())
    }
}
