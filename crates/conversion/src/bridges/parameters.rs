//! Parameters of a bridge: those of both engines, and of the conversions between them.

use cryptable_fhew::integers;
use cryptable_fhew::noise::Variance;
use cryptable_lattice::error::check_equal;
use cryptable_lattice::lwe::modulus_switch_variance;
use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{
    Error, FailureProbability, NoiseBound, ReadOptions, Result, SecurityLevel,
};
use cryptable_leveled::lookup as leveled;
use cryptable_packed as packed;

use super::target::{Target, limit};
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::file_parts::{joined_parameters, split_parameters};
use crate::literal::ParametersLiteral;
use crate::packing::SeededRingPackingKey;
use crate::parameters::Parameters as ConversionParameters;
use crate::power_of_two::{added, bottom_prime, rounding_noise};

/// Names of the parts in errors.
const PARTS: [&str; 3] =
    ["parameters of packed values", "parameters of single values", "parameters of conversions"];

/// Domain separation of digests.
const DIGEST_CONTEXT: &str = "cryptable: parameters of a bridge";

/// Ring degree and slots of toys of the packed engine, whose blocks have the degree of toys of single values.
const TOY: (usize, usize) = (2048, 1024);

/// Parameters of packed values, of single ones, and of the conversions between them. Immutable.
///
/// By construction, results of packed lookups of fresh values can be extracted and used with the failure probability
/// that the packed engine's parameters state.
#[derive(Clone, Debug)]
pub struct Parameters<T: Target> {
    packed: packed::Parameters,
    target: T,
    conversion: ConversionParameters,
}

impl Parameters<integers::Parameters> {
    /// Returns toy parameters for tests, with tables whose outputs are whole integers of `bits` bits: not secure.
    ///
    /// # Errors
    /// If a modulus or the noise is too large for the toys.
    pub fn insecure_toy(input_modulus: u64, bits: u32) -> Result<Self> {
        let packed = packed::Parameters::insecure_toy_of(input_modulus, 1 << bits, TOY.0, TOY.1)?;
        Self::new(packed, integers::Parameters::insecure_toy(bits)?)
    }
}

impl Parameters<leveled::Parameters> {
    /// Returns toy parameters for tests, with tables whose outputs are digits of two bits, of values below both moduli:
    /// not secure.
    ///
    /// # Errors
    /// Same errors as for integers.
    pub fn insecure_toy(input_modulus: u64, leveled_modulus: u64) -> Result<Self> {
        let packed = packed::Parameters::insecure_toy_of(input_modulus, 4, TOY.0, TOY.1)?;
        Self::new(packed, leveled::Parameters::insecure_toy(leveled_modulus, leveled_modulus)?)
    }
}

impl<T: Target> Parameters<T> {
    /// Joins parameters of both engines.
    ///
    /// # Errors
    /// If the other engine does not accept the output modulus of packed lookups, or the claimed security levels differ;
    /// [`Error::NoiseTooLarge`] if extracted results of packed lookups would fail too often.
    pub fn new(packed: packed::Parameters, target: T) -> Result<Self> {
        let found = Self::unchecked(packed, target)?;
        found.check_outward()?;
        Ok(found)
    }

    /// Joins parameters like [`Parameters::new`], whatever noise results of packed lookups have.
    pub(super) fn unchecked(packed: packed::Parameters, target: T) -> Result<Self> {
        let degree = packed.ring_degree();
        let bottom = bottom_prime(degree);
        let literal = if packed.security_level().is_insecure() {
            ParametersLiteral::insecure_between(target.fhew(), degree, bottom)
        } else {
            ParametersLiteral::between_128(target.fhew(), degree, bottom)
        };
        let literal = literal.under_ring_secret(target.fhew());
        Self::assemble(packed, target, ConversionParameters::new(literal)?)
    }

    /// Checks that the next operation on an extracted result keeps the stated failure probability per value.
    pub(super) fn check_outward(&self) -> Result<()> {
        let found = self.outward_log2_fail()?;
        check_log2_fail("the operation on a packed lookup's result", found, self.limit())
    }

    fn assemble(
        packed: packed::Parameters,
        target: T,
        conversion: ConversionParameters,
    ) -> Result<Self> {
        let literal = conversion.literal();
        check_equal("ring degree", literal.ring_degree, packed.ring_degree())?;
        let numbers = target.fhew().literal();
        check_equal("dimension of packed values", literal.lwe_dimension, numbers.ring_degree)?;
        check_equal("degree of a block", literal.extraction.degree, numbers.ring_degree)?;
        let secrets = [literal.lwe_secret, literal.extraction_secret];
        if secrets != [numbers.ring_secret; 2] || literal.key_switching.is_some() {
            let (found, expected) = (format!("{secrets:?}"), "those of single values");
            return Err(Error::mismatch("secrets of conversions", found, expected));
        }
        for found in [target.security_level(), literal.security] {
            check_equal("security level", found, packed.security_level())?;
        }
        Ok(Self { packed, target, conversion })
    }

    /// Returns the parameters of packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::Parameters {
        &self.packed
    }

    /// Returns the parameters of the engine at the other end.
    #[must_use]
    pub fn single(&self) -> &T {
        &self.target
    }

    /// Returns the parameters of packing and extraction.
    #[must_use]
    pub fn conversion(&self) -> &ConversionParameters {
        &self.conversion
    }

    /// Returns the noise of values extracted from packed ones with this noise: `σ² + rounding to q_0 + extraction +
    /// rounding to the other modulus`.
    #[must_use]
    pub fn taken_out_noise(&self, packed: NoiseBound) -> NoiseBound {
        let literal = self.conversion.literal();
        let bottom = rounding_noise(literal.ring_degree, literal.bottom_prime as f64);
        let modulus = self.target.shape().modulus;
        let rounding = ExtractionKey::rounding_noise(&self.conversion, modulus);
        added(packed, self.conversion.extraction_noise() + bottom + rounding)
    }

    /// Returns the noise of packed values, given that of the single values: `σ² + switch to the packing's modulus +
    /// packing + rounding to 2^k`.
    #[must_use]
    pub fn packed_noise(&self, single: NoiseBound) -> NoiseBound {
        let modulus = f64::from(self.packed.literal().log2_ciphertext_modulus).exp2();
        let rounding = rounding_noise(self.packed.ring_degree(), modulus);
        let literal = self.conversion.literal();
        let units = modulus_switch_variance(literal.lwe_dimension, literal.lwe_secret);
        let switch = Variance::of_units(units, f64::from(literal.log2_lwe_modulus).exp2());
        added(single, self.conversion.packing_noise() + switch + rounding)
    }

    /// Returns the noise of an extracted result of a packed lookup of a fresh value.
    #[must_use]
    pub fn result_noise(&self) -> NoiseBound {
        let fresh = self.packed.fresh_noise(self.packed.input_modulus());
        self.taken_out_noise(self.packed.result_noise(fresh))
    }

    /// Returns log2 of the probability that a packed lookup of one fresh value goes wrong, or the next operation on its
    /// result.
    ///
    /// # Errors
    /// If the other engine does not accept values of the output modulus.
    fn outward_log2_fail(&self) -> Result<f64> {
        let fresh = self.packed.fresh_noise(self.packed.input_modulus());
        let looked_up = self.packed.lookup_log2_fail(fresh).exp2();
        let goes_on =
            self.target.log2_fail_of(self.packed.output_modulus(), self.result_noise())?;
        Ok((looked_up + goes_on.exp2()).log2())
    }

    /// Returns log2 of [`Parameters::failure_probability`].
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.failure_probability().log2()
    }

    /// Returns the probability that any value of a full packed ciphertext goes wrong in a lookup, extraction and the
    /// next operation, if all values are extracted. [`Plan::failure_probability`](super::Plan::failure_probability)
    /// accounts for the actual number, and for values that are packed again.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        self.value_failure_probability().of_any(self.packed.literal().slots)
    }

    /// Returns the probability that one value goes wrong: in a packed lookup of a fresh value, or in one function or
    /// lookup of its result at the other end.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.outward_log2_fail().expect("checked by construction"))
    }

    /// Returns log2 of the largest accepted failure probability per value.
    pub(super) fn limit(&self) -> f64 {
        limit(self.packed.stated_log2_fail())
    }

    /// Returns the security that the parameters claim.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.packed.security_level()
    }

    /// Returns the LWE problems that all secrets rest on.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        let mut all = self.packed.lwe_instances();
        all.extend(self.target.lwe_instances());
        all.extend(self.conversion.lwe_instances());
        all
    }

    /// Returns the estimated security in bits, the minimum over all parts; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        let parts = [self.target.security_bits(), self.conversion.security_bits()];
        parts.into_iter().fold(self.packed.security_bits(), f64::min)
    }

    /// Returns the number of bytes of memory that a server's key uses.
    #[must_use]
    pub fn key_memory_bytes(&self) -> usize {
        self.conversion.key_memory_bytes()
    }

    /// Returns the bytes of memory needed besides all keys: for a packed lookup in `tables` tables, or for the lists of
    /// `taken_out` values extracted from each result, whichever is larger.
    #[must_use]
    pub fn working_bytes(&self, tables: usize, taken_out: usize) -> usize {
        // One list per digit, and the values made of these lists.
        let lists = 2 * tables * taken_out * 8 * (self.target.shape().dimension + 1);
        let lookup = self.packed.prediction_of(tables);
        (lookup.peak_bytes() - lookup.key_memory_bytes).max(lists)
    }

    /// Returns the number of bytes of a server's key in a file, without headers.
    #[must_use]
    pub fn key_file_bytes(&self) -> u64 {
        SeededRingPackingKey::body_bytes(&self.conversion)
            + SeededExtractionKey::body_bytes(&self.conversion)
    }

    /// Encodes the parameters as canonical bytes: those of all three parts, each preceded by its length.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = [self.packed.to_bytes(), self.target.to_bytes(), self.conversion.to_bytes()];
        joined_parameters(parts)
    }

    /// Reads the output of [`Parameters::to_bytes`] and validates it like [`Parameters::new`].
    ///
    /// # Errors
    /// If the bytes are not parameters, the parameters are not valid, or `options` refuse them because they are
    /// insecure or fail too often.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let [packed, target, conversion] = split_parameters(bytes, PARTS)?;
        let found = Self::assemble(
            packed::Parameters::from_bytes(packed, options)?,
            T::from_bytes(target, options)?,
            ConversionParameters::from_bytes(conversion, options)?,
        )?;
        found.check_outward()?;
        Ok(found)
    }

    /// Returns the BLAKE3 digest of [`Parameters::to_bytes`], which keys store.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        blake3::derive_key(DIGEST_CONTEXT, &self.to_bytes())
    }
}

cryptable_lattice::key_parameters!(Parameters<T>, T: Target);
