//! Parameters of single values that may be packed: those of both engines, and of the conversions between them.

use cryptable_fhew::lookup as single;
use cryptable_fhew::parameters::{GadgetLiteral, Parameters as FhewParameters};
use cryptable_lattice::error::check_equal;
use cryptable_lattice::noise_bound::check_log2_fail;
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{FailureProbability, NoiseBound, ReadOptions, Result, SecurityLevel};
use cryptable_packed as packed;

use crate::file_parts::{joined_parameters, split_parameters};
use crate::literal::ParametersLiteral;
use crate::parameters::Parameters as ConversionParameters;
use crate::power_of_two::{added, bottom_prime, rounding_noise};

/// Names of the parts in errors.
const PARTS: [&str; 3] =
    ["parameters of single values", "parameters of packed values", "parameters of conversions"];

/// Domain separation of digests.
const DIGEST_CONTEXT: &str = "cryptable: parameters of single values that may be packed";

/// Digits of extraction's switch to a block's secret at ring degrees 2^15 and 2^16. The digits of
/// [`crate::BlockLiteral::EXTRACTION_128`], of 6 bits, would add 2^-10.9 of the modulus; these add 2^-13.4, for four
/// more transforms.
const EXTRACTION_SWITCHING: GadgetLiteral = GadgetLiteral { base_log2: 3, length: 8 };

/// Parameters of both engines, for the same tables, and of the conversions between them. Immutable.
///
/// By construction, fresh single values can be packed and looked up, and results can be unpacked and, if their modulus
/// is that of inputs, looked up one by one, all with the failure probabilities that the engines' parameters state.
/// [`Parameters::are_chainable`] tells whether such results can also be packed again, and
/// [`Parameters::packs_single_results`] whether results of single lookups can be packed.
#[derive(Clone, Debug)]
pub struct Parameters {
    single: single::Parameters,
    packed: packed::Parameters,
    conversion: ConversionParameters,
}

impl Parameters {
    /// Joins parameters of both engines.
    ///
    /// # Errors
    /// If their moduli or claimed security levels differ; [`cryptable_lattice::Error::NoiseTooLarge`] if fresh single
    /// values have too much noise for packed lookups, or results of packed lookups too much for single ones.
    pub fn new(single: single::Parameters, packed: packed::Parameters) -> Result<Self> {
        let literal = conversion_literal(single.fhew(), &packed);
        Self::assemble(single, packed, ConversionParameters::new(literal)?)
    }

    /// Returns toy parameters for tests: not secure.
    ///
    /// # Errors
    /// If a modulus or the noise is too large for the toys.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Self::new(
            single::Parameters::insecure_toy(input_modulus, output_modulus)?,
            packed::Parameters::insecure_toy(input_modulus, output_modulus)?,
        )
    }

    fn assemble(
        single: single::Parameters,
        packed: packed::Parameters,
        conversion: ConversionParameters,
    ) -> Result<Self> {
        let (p, output) = (single.input_modulus(), single.output_modulus());
        check_equal("input modulus of packed values", packed.input_modulus(), p)?;
        check_equal("output modulus of packed values", packed.output_modulus(), output)?;
        let degree = conversion.literal().ring_degree;
        check_equal("ring degree", degree, packed.ring_degree())?;
        conversion.check_single(single.fhew())?;
        conversion.check_takes_out_to_lwe()?;
        let claims = [single.security_level(), conversion.literal().security];
        for claim in claims {
            check_equal("security level", claim, packed.security_level())?;
        }
        let found = Self { single, packed, conversion };
        found.check_noise()?;
        Ok(found)
    }

    /// Checks that fresh values can be packed, and results of lookups unpacked.
    fn check_noise(&self) -> Result<()> {
        let (packed, single) = (&self.packed, &self.single);
        let input = self.packed_noise(single.noise().fresh());
        let found = packed.lookup_log2_fail(input);
        check_log2_fail("a packed lookup of a single value", found, packed.stated_log2_fail())?;
        let result = self.single_noise(packed.result_noise(input));
        let (modulus, stated) = (single.output_modulus(), single.stated_log2_fail());
        result.check_decryption("a packed lookup, taken out", modulus, stated)?;
        if single.input_modulus() == modulus {
            let found = single.noise().log2_fail(result);
            check_log2_fail("a lookup of a packed lookup's result", found, stated)?;
        }
        Ok(())
    }

    /// Returns the parameters of single values.
    #[must_use]
    pub fn single(&self) -> &single::Parameters {
        &self.single
    }

    /// Returns the parameters of packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::Parameters {
        &self.packed
    }

    /// Returns the parameters of packing and extraction.
    #[must_use]
    pub fn conversion(&self) -> &ConversionParameters {
        &self.conversion
    }

    /// Returns the noise of packed values, given that of the single values: `σ² + packing + rounding to 2^k`.
    #[must_use]
    pub fn packed_noise(&self, single: NoiseBound) -> NoiseBound {
        let modulus = f64::from(self.packed.literal().log2_ciphertext_modulus).exp2();
        let rounding = rounding_noise(self.packed.ring_degree(), modulus);
        added(single, self.conversion.packing_noise() + rounding)
    }

    /// Returns the noise of single values unpacked from packed ones with this noise: `σ² + rounding to q_0 +
    /// extraction`.
    #[must_use]
    pub fn single_noise(&self, packed: NoiseBound) -> NoiseBound {
        let literal = self.conversion.literal();
        let rounding = rounding_noise(literal.ring_degree, literal.bottom_prime as f64);
        added(packed, self.conversion.extraction_noise() + rounding)
    }

    /// Returns whether single values with this noise can be packed and looked up.
    #[must_use]
    pub fn may_be_packed(&self, single: NoiseBound) -> bool {
        let found = self.packed.lookup_log2_fail(self.packed_noise(single));
        found <= self.packed.stated_log2_fail()
    }

    /// Returns the largest unbiased noise of single values that can be packed and looked up.
    ///
    /// ```
    /// use cryptable_conversion::lookup::Parameters;
    /// let parameters = Parameters::insecure_toy(4, 4)?;
    /// let limit = parameters.input_noise_limit();
    /// assert!(limit.deviation() > parameters.single().noise().fresh().deviation());
    /// assert!(parameters.may_be_packed(limit) && !parameters.may_be_packed(limit.times(2)));
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn input_noise_limit(&self) -> NoiseBound {
        cryptable_lattice::noise_bound::largest_admitted(|input| self.may_be_packed(input))
    }

    /// Returns whether unpacked results of packed lookups can be packed and looked up again.
    #[must_use]
    pub fn are_chainable(&self) -> bool {
        let moduli = [self.single.input_modulus(), self.single.output_modulus()];
        moduli[0] == moduli[1] && self.may_be_packed(self.unpacked_result())
    }

    /// Returns whether results of single lookups can also be packed and looked up.
    #[must_use]
    pub fn packs_single_results(&self) -> bool {
        self.are_chainable() && self.may_be_packed(self.single.noise().result())
    }

    /// Returns the noise of an unpacked result of a packed lookup whose input was fresh.
    fn unpacked_result(&self) -> NoiseBound {
        let input = self.packed_noise(self.single.noise().fresh());
        self.single_noise(self.packed.result_noise(input))
    }

    /// Returns log2 of the probability that a lookup of a fresh value goes wrong, packed or not, including decryption.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        let input = self.packed_noise(self.single.noise().fresh());
        let looked_up = self.packed.lookup_log2_fail(input).exp2();
        let taken_out = self.unpacked_result().log2_fail(self.single.output_modulus()).exp2();
        self.single.log2_fail().max((looked_up + taken_out).log2())
    }

    /// Returns the probability whose log2 is [`Parameters::log2_fail`].
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
    }

    /// Returns the name of the method of packed lookups, for people.
    #[must_use]
    pub fn method_name(&self) -> String {
        format!("packed, {}", self.packed.method_name())
    }

    /// Returns the input modulus p of tables.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.single.input_modulus()
    }

    /// Returns the output modulus P of tables.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.single.output_modulus()
    }

    /// Returns the degree N of the ring of packed values.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        self.packed.ring_degree()
    }

    /// Returns the security that the parameters claim.
    #[must_use]
    pub fn security_level(&self) -> SecurityLevel {
        self.packed.security_level()
    }

    /// Returns the LWE problems that all secrets rest on.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        let mut all = self.single.lwe_instances();
        all.extend(self.packed.lwe_instances());
        all.extend(self.conversion.lwe_instances());
        all
    }

    /// Returns the estimated security in bits, the minimum over all parts; 0 for insecure toys.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        let parts = [self.packed.security_bits(), self.conversion.security_bits()];
        parts.into_iter().fold(self.single.security_bits(), f64::min)
    }

    /// Encodes the parameters as canonical bytes: those of all three parts, each preceded by its length.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let parts = [self.single.to_bytes(), self.packed.to_bytes(), self.conversion.to_bytes()];
        joined_parameters(parts)
    }

    /// Reads the output of [`Parameters::to_bytes`] and validates it like [`Parameters::new`].
    ///
    /// # Errors
    /// If the bytes are not parameters, the parameters are not valid, or `options` refuse them because they are
    /// insecure or fail too often.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let [single, packed, conversion] = split_parameters(bytes, PARTS)?;
        Self::assemble(
            single::Parameters::from_bytes(single, options)?,
            packed::Parameters::from_bytes(packed, options)?,
            ConversionParameters::from_bytes(conversion, options)?,
        )
    }

    /// Returns the BLAKE3 digest of [`Parameters::to_bytes`], which keys store. Single values store
    /// [`single::Parameters::digest`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        blake3::derive_key(DIGEST_CONTEXT, &self.to_bytes())
    }
}

/// Returns the literal of conversions between LWE ciphertexts and a ring.
fn conversion_literal(single: &FhewParameters, packed: &packed::Parameters) -> ParametersLiteral {
    let degree = packed.ring_degree();
    let bottom = bottom_prime(degree);
    let mut literal = if packed.security_level().is_insecure() {
        ParametersLiteral::insecure_between(single, degree, bottom)
    } else {
        ParametersLiteral::between_128(single, degree, bottom)
    };
    literal.extraction.switching = EXTRACTION_SWITCHING;
    literal
}
