//! Parameters of single-value lookups: a method, its parameters, and the moduli of tables.

use cryptable_lattice::error::{Error, Result, demand};
use cryptable_lattice::noise_bound::{check_log2_fail, largest_admitted, largest_where};
use cryptable_lattice::security::LweInstance;
use cryptable_lattice::{NoiseBound, SecurityLevel, SumLimits, Table};
use serde::{Deserialize, Serialize};

use super::Request;
use super::request::{check_moduli, log2_fail_of_hidden, method};
use crate::face_parameters::face_parameters;
use crate::full_domain::{self, FullDomainMethod, LookupNoise};
use crate::noise::NoiseModel;
use crate::parameters::{Parameters as FhewParameters, ParametersLiteral};
use crate::serialization::literal_bytes;

/// Parameters as stored in files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Literal {
    method: String,
    input_modulus: u64,
    output_modulus: u64,
    security: SecurityLevel,
    /// log2 of the stated failure probability per value.
    log2_fail: f64,
    numbers: ParametersLiteral,
}

/// log2 of the failure probability that toys state if they reach it.
const TOY_LOG2_FAIL: f64 = -40.0;

/// A method, its parameters, and the moduli of the tables that it looks up. Immutable, cheap to clone.
///
/// The stated failure probability holds for every table of these moduli, on fresh values and on results of lookups.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Literal,
    method: &'static dyn FullDomainMethod,
    fhew: FhewParameters,
    noise: LookupNoise,
    log2_fail: f64,
    digest: [u8; 32],
}

impl Parameters {
    /// Returns the fastest 128-bit parameters for the moduli of a table, with failures below 2^-64 per value.
    ///
    /// # Errors
    /// Same as [`Parameters::candidates`].
    pub fn for_table(table: &Table) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// Returns the fastest 128-bit parameters for a request.
    ///
    /// # Errors
    /// Same as [`Parameters::candidates`].
    pub fn choose(request: &Request) -> Result<Self> {
        Ok(Self::candidates(request)?.swap_remove(0))
    }

    /// Returns the fastest 128-bit parameters of every method that satisfies a request, the fastest method first.
    ///
    /// # Errors
    /// If a modulus is not from 2 to 2^24, the failure probability is not below 1, there is no method of that name,
    /// or no method supports the moduli and reaches the failure probability.
    pub fn candidates(request: &Request) -> Result<Vec<Self>> {
        request.candidates()
    }

    /// Toy parameters for tests: not secure.
    ///
    /// # Errors
    /// If a modulus is too large for the toy: inputs above 1,024, outputs above 4,096.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let name = if input_modulus.is_multiple_of(2) { "FDFB-Compress" } else { "odd modulus" };
        let (fhew, level) = (FhewParameters::insecure_toy(), SecurityLevel::Insecure);
        Self::of_method(method(name)?, fhew, input_modulus, output_modulus, level, TOY_LOG2_FAIL)
    }

    /// Toy parameters that hide tables within 2^-40, for tests: not secure.
    ///
    /// # Errors
    /// If a modulus is too large for the toy, or the input modulus is not a power of two.
    pub fn insecure_toy_hidden(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let method = &full_domain::hiding_methods()[0];
        let (fhew, level) = (FhewParameters::insecure_toy(), SecurityLevel::Insecure);
        let log2_fail = log2_fail_of_hidden(method.bits);
        Self::of_method(method, fhew, input_modulus, output_modulus, level, log2_fail)
    }

    /// Combines a method with parameters that were checked to have 128 bits of security, and states the failure
    /// probability.
    pub(super) fn secure(
        method: &'static dyn FullDomainMethod,
        fhew: FhewParameters,
        input_modulus: u64,
        output_modulus: u64,
        log2_fail: f64,
    ) -> Result<Self> {
        let level = SecurityLevel::Bits128;
        Self::of_method(method, fhew, input_modulus, output_modulus, level, log2_fail)
    }

    fn of_method(
        method: &'static dyn FullDomainMethod,
        fhew: FhewParameters,
        input_modulus: u64,
        output_modulus: u64,
        security: SecurityLevel,
        log2_fail: f64,
    ) -> Result<Self> {
        let (method, numbers) = (method.name().to_owned(), *fhew.literal());
        let literal =
            Literal { method, input_modulus, output_modulus, security, log2_fail, numbers };
        Self::assemble(fhew, literal)
    }

    /// Assembles the parameters from a literal.
    fn assemble(fhew: FhewParameters, literal: Literal) -> Result<Self> {
        let Literal { input_modulus, output_modulus, security, log2_fail: stated, .. } = literal;
        let method = method(&literal.method)?;
        check_moduli(input_modulus, output_modulus)?;
        method.check_input_modulus(&fhew, input_modulus)?;
        let limit = fhew.rotation_modulus();
        if output_modulus > limit {
            return Err(Error::TooLarge { name: "output modulus", value: output_modulus, limit });
        }
        let model = NoiseModel::new(&fhew);
        let noise = LookupNoise::new(method, &model, input_modulus, output_modulus);
        let log2_fail = noise.log2_fail_of_results();
        let is_probability = stated <= 0.0;
        demand(is_probability, "log2 of the failure probability", stated, "it must be at most 0")?;
        // Toys state the probability that they reach.
        let stated = if security.is_insecure() { stated.max(log2_fail.ceil()) } else { stated };
        let limit =
            method.hidden_bits().map_or(stated, |bits| stated.min(log2_fail_of_hidden(bits)));
        if log2_fail > limit {
            return Err(Error::FailureProbability { found: log2_fail, limit });
        }
        let literal = Literal { log2_fail: stated, ..literal };
        let digest = *blake3::hash(&literal_bytes(&literal)).as_bytes();
        Ok(Self { literal, method, fhew, noise, log2_fail, digest })
    }

    /// Returns the full-domain method.
    #[must_use]
    pub fn method(&self) -> &'static dyn FullDomainMethod {
        self.method
    }

    /// Returns the name of the full-domain method, as in its paper; a star stands for multi-value bootstrapping.
    #[must_use]
    pub fn method_name(&self) -> String {
        self.method.name().to_owned()
    }

    /// Returns κ for a method that hides tables: results reveal nothing about a table but its outputs, within a statistical
    /// distance of 2^-κ per lookup.
    #[must_use]
    pub fn hidden_bits(&self) -> Option<u32> {
        self.method.hidden_bits()
    }

    /// Returns the input modulus p of tables.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.literal.input_modulus
    }

    /// Returns the output modulus P of tables.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.literal.output_modulus
    }

    /// Returns the degree N of the ring of blind rotation.
    #[must_use]
    pub fn ring_degree(&self) -> usize {
        self.fhew.ring_degree()
    }

    /// Returns log2 of the probability that a lookup of one value goes wrong, for the worst table and an input that is itself
    /// a result.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns log2 of the stated failure probability per value, which every lookup and every operation on ciphertexts keeps.
    #[must_use]
    pub fn stated_log2_fail(&self) -> f64 {
        self.literal.log2_fail
    }

    /// Returns the same parameters with another stated failure probability per value. If they fail more rarely than stated, the
    /// difference is room for sums.
    ///
    /// ```
    /// use cryptable_fhew::lookup::{Parameters, Request};
    /// let sure = Parameters::choose(&Request { log2_fail: Some(-128.0), ..Request::new(8, 8) })?;
    /// let roomy = sure.stating(-64.0)?;
    /// assert!(roomy.sum_limits().fresh_lookup > sure.sum_limits().fresh_lookup);
    /// assert!(sure.stating(-1000.0).is_err());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::FailureProbability`] if the parameters do not keep the probability; [`Error::Parameter`] if it is above 1, or
    /// not a number.
    pub fn stating(&self, log2_fail: f64) -> Result<Self> {
        Self::assemble(self.fhew.clone(), Literal { log2_fail, ..self.literal.clone() })
    }

    /// Returns the same method and parameters for tables of other, smaller moduli, so that noise is smaller relative to a step
    /// than required. The stated failure probability stays.
    ///
    /// ```
    /// use cryptable_fhew::lookup::{Parameters, Request};
    /// let large = Parameters::choose(&Request::new(16, 16))?;
    /// let small = large.with_moduli(4, 4)?;
    /// assert_eq!(small.fhew().literal(), large.fhew().literal());
    /// assert!(small.log2_fail() < large.log2_fail());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the method does not support a modulus, or fails too often.
    pub fn with_moduli(&self, input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let literal = Literal { input_modulus, output_modulus, ..self.literal.clone() };
        Self::assemble(self.fhew.clone(), literal)
    }

    /// Returns the noise of lookups, for any noise of their inputs.
    #[must_use]
    pub fn noise(&self) -> &LookupNoise {
        &self.noise
    }

    /// Returns the largest noise, without bias, that inputs of lookups may have. With more, lookups would fail more often
    /// than [`Parameters::stated_log2_fail`].
    #[must_use]
    pub fn input_noise_limit(&self) -> NoiseBound {
        largest_admitted(|input| self.admits(input))
    }

    /// Returns the largest numbers of terms of sums.
    ///
    /// ```
    /// use cryptable_fhew::lookup::Parameters;
    /// let limits = Parameters::insecure_toy(8, 8)?.sum_limits();
    /// assert!(limits.fresh_lookup > 1 && limits.result_lookup > 1);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn sum_limits(&self) -> SumLimits {
        let (input, output) = (self.input_modulus(), self.output_modulus());
        let lookups = |one: NoiseBound| largest_where(1.0, |terms| self.admits(one.times(terms)));
        let (fresh, result) = (self.noise.fresh(), self.noise.result());
        SumLimits {
            fresh_lookup: lookups(fresh),
            result_lookup: if input == output { lookups(result) } else { 0 },
            result_decryption: result.terms(output, self.stated_log2_fail()),
            // Parameters are chosen so that results can be inputs, and their results have the same noise.
            lookups_in_a_row: if input == output { None } else { Some(1) },
        }
    }

    /// Returns whether lookups of inputs with this noise keep the stated failure probability.
    fn admits(&self, input: NoiseBound) -> bool {
        self.check_lookup(input).is_ok()
    }

    /// Checks that a lookup of an input with this noise keeps the stated failure probability.
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if it does not.
    pub(super) fn check_lookup(&self, input: NoiseBound) -> Result<()> {
        check_log2_fail("a lookup", self.noise.log2_fail(input), self.stated_log2_fail())
    }

    /// Returns the LWE problems on which the security of the secrets rests.
    #[must_use]
    pub fn lwe_instances(&self) -> Vec<LweInstance> {
        self.fhew.lwe_instances()
    }
}

face_parameters!(
    "those of a lookup of single values",
    "cryptable: identifier of a secret key for single values",
    SingleSecretKey,
    SingleEvaluationKey,
    SinglePublicKey
);

#[cfg(test)]
mod tests {
    use cryptable_lattice::ReadOptions;

    use super::*;

    /// Returns options that allow toys, too.
    fn all() -> ReadOptions {
        ReadOptions::default().allow_insecure()
    }

    #[test]
    fn bytes_come_back() {
        for parameters in [
            Parameters::insecure_toy(4, 8).unwrap(),
            Parameters::insecure_toy(5, 8).unwrap(),
            Parameters::choose(&Request::new(16, 16)).unwrap(),
            Parameters::choose(&Request::new(15, 3)).unwrap(),
        ] {
            let read = Parameters::from_bytes(&parameters.to_bytes(), all()).unwrap();
            assert_eq!(read.literal, parameters.literal);
            assert_eq!(read.digest(), parameters.digest());
            let strict = Parameters::from_bytes(&parameters.to_bytes(), ReadOptions::default());
            assert_eq!(strict.is_err(), parameters.security_level().is_insecure());
        }
    }

    #[test]
    fn defaults_are_secure_and_sure() {
        let table = Table::from_fn(16, 16, |x| x).unwrap();
        let parameters = Parameters::for_table(&table).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        assert!(parameters.log2_fail() <= -64.0);
    }

    /// A claim of 128 bits is checked, no matter what the reader allows.
    #[test]
    fn false_claims_of_security_are_refused() {
        let mut toy = Parameters::insecure_toy(4, 4).unwrap().literal;
        toy.security = SecurityLevel::Bits128;
        let error = Parameters::from_bytes(&literal_bytes(&toy), all()).unwrap_err();
        assert!(
            matches!(error, Error::Security(_)) || error.to_string().contains("128"),
            "{error}"
        );
        let mut short = Parameters::choose(&Request::new(16, 16)).unwrap().literal;
        short.numbers.lwe_dimension = 100;
        let error = Parameters::from_bytes(&literal_bytes(&short), all()).unwrap_err().to_string();
        assert!(error.contains("100"), "{error}");
        let toy = Parameters::insecure_toy(4, 4).unwrap();
        let error = Parameters::from_bytes(&toy.to_bytes(), ReadOptions::default()).unwrap_err();
        assert!(matches!(error, Error::Insecure), "{error}");
    }

    #[test]
    fn moduli_beyond_the_toy_are_refused() {
        for (p, output_modulus) in [(1, 4), (1026, 4), (1025, 4), (4, 1), (4, 8192)] {
            assert!(Parameters::insecure_toy(p, output_modulus).is_err(), "{p}, {output_modulus}");
        }
    }

    /// A stated probability above 1 would admit sums of any noise.
    #[test]
    fn stated_probabilities_are_at_most_1() {
        let toy = Parameters::insecure_toy(4, 4).unwrap();
        for log2_fail in [1e300, 0.1, f64::NAN] {
            let error = toy.stating(log2_fail).unwrap_err();
            assert!(matches!(error, Error::Parameter { .. }), "{error}");
        }
        let mut literal = toy.literal;
        literal.log2_fail = 1e300;
        assert!(Parameters::from_bytes(&literal_bytes(&literal), all()).is_err());
    }

    #[test]
    fn absurd_numbers_do_no_harm() {
        for security in [SecurityLevel::Bits128, SecurityLevel::Insecure] {
            let mut literal = Parameters::choose(&Request::new(4, 4)).unwrap().literal;
            literal.security = security;
            let text = serde_json::to_string(&literal).unwrap();
            let is_number = |c: char| c.is_ascii_digit() || c == '.';
            let starts = (1..text.len()).filter(|&i| {
                is_number(text.as_bytes()[i].into()) && !is_number(text.as_bytes()[i - 1].into())
            });
            for start in starts {
                let rest = text[start..].trim_start_matches(is_number);
                for number in
                    ["0", "1", "2", "3", "21", "33", "8192", "1e300", "18446744073709551615"]
                {
                    let changed = format!("{}{number}{rest}", &text[..start]);
                    if let Ok(read) = Parameters::from_bytes(changed.as_bytes(), all()) {
                        assert!(read.prediction().key_file_bytes < 1 << 36, "{changed}");
                    }
                }
            }
        }
    }
}
