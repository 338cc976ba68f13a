//! Parameters of single-value lookups: a method, its numbers, and the moduli of tables.

use cryptable_fhew::full_domain::{self, FullDomainMethod};
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameter_choice::{Cost, DEFAULT_LOG2_FAIL, choose};
use cryptable_fhew::parameters::{Parameters as FhewParameters, ParametersLiteral};
use serde::{Deserialize, Serialize};

use crate::LookupTable;
use crate::error::{Error, Result};

/// What parameters are chosen for.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Input modulus p.
    pub input_modulus: u64,
    /// Output modulus P.
    pub output_modulus: u64,
    /// Name of the method, by [`FullDomainMethod::name`]; the fastest if `None`.
    pub method: Option<&'a str>,
    /// log2 of the largest failure probability of a value.
    pub log2_fail: f64,
}

impl Request<'_> {
    /// The fastest method with failures below 2^-64.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self { input_modulus, output_modulus, method: None, log2_fail: DEFAULT_LOG2_FAIL }
    }
}

/// What files hold of parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Literal {
    method: String,
    input_modulus: u64,
    output_modulus: u64,
    insecure: bool,
    numbers: ParametersLiteral,
}

/// A method, its parameters, and the moduli of the tables that it looks up. Immutable, cheap to clone.
#[derive(Clone, Debug)]
pub struct Parameters {
    literal: Literal,
    method: &'static dyn FullDomainMethod,
    fhew: FhewParameters,
    log2_fail: f64,
}

impl Parameters {
    /// The fastest 128-bit parameters for the moduli of a table, failures below 2^-64 a value.
    ///
    /// # Errors
    /// If no method takes them.
    pub fn for_table(table: &LookupTable) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// The fastest 128-bit parameters for a request.
    ///
    /// # Errors
    /// If there is no method of that name, or none reaches the failure probability.
    pub fn choose(request: &Request<'_>) -> Result<Self> {
        let candidates: Vec<&'static dyn FullDomainMethod> = match request.method {
            Some(name) => vec![method(name)?],
            None => full_domain::methods().to_vec(),
        };
        let Request { input_modulus, output_modulus, log2_fail, .. } = *request;
        let mut best: Option<(f64, Self)> = None;
        let mut refusal = None;
        for candidate in candidates {
            match choose(candidate, input_modulus, output_modulus, log2_fail) {
                Ok(fhew) => {
                    let units = Cost::of(candidate.rotations(), fhew.literal()).units();
                    if best.as_ref().is_none_or(|(least, _)| units < *least) {
                        let moduli = (input_modulus, output_modulus);
                        best = Some((units, Self::assemble(candidate, fhew, moduli, false)?));
                    }
                }
                Err(error) => refusal = Some(error),
            }
        }
        match (best, refusal) {
            (Some((_, parameters)), _) => Ok(parameters),
            (None, Some(error)) => Err(error.into()),
            (None, None) => Err(Error::Unsupported("single values: no method".to_owned())),
        }
    }

    /// Toy parameters for tests: not secure.
    ///
    /// # Errors
    /// If the moduli are too large for the toy.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        let moduli = (input_modulus, output_modulus);
        Self::assemble(method("FDFB-Compress")?, FhewParameters::insecure_toy(), moduli, true)
    }

    fn assemble(
        method: &'static dyn FullDomainMethod,
        fhew: FhewParameters,
        (input_modulus, output_modulus): (u64, u64),
        insecure: bool,
    ) -> Result<Self> {
        fhew.check_plaintext_modulus(input_modulus)?;
        if output_modulus < 2 {
            return Err(Error::TooSmall {
                name: "output modulus",
                value: output_modulus,
                limit: 2,
            });
        }
        let limit = fhew.rotation_modulus();
        if output_modulus > limit {
            return Err(Error::TooLarge { name: "output modulus", value: output_modulus, limit });
        }
        let model = NoiseModel::new(&fhew);
        let log2_fail = full_domain::log2_fail(method, &model, input_modulus, output_modulus);
        let literal = Literal {
            method: method.name().to_owned(),
            input_modulus,
            output_modulus,
            insecure,
            numbers: *fhew.literal(),
        };
        Ok(Self { literal, method, fhew, log2_fail })
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> &'static dyn FullDomainMethod {
        self.method
    }

    /// The numbers behind it.
    #[must_use]
    pub fn fhew(&self) -> &FhewParameters {
        &self.fhew
    }

    /// Input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.literal.input_modulus
    }

    /// Output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.literal.output_modulus
    }

    /// log2 of the probability that a lookup of one value goes wrong, its input a result itself.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Estimated security in bits; that of toys is 0.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        if self.literal.insecure { 0.0 } else { self.fhew.security_bits() }
    }

    /// Predicted time of a lookup of one value, in u.
    #[must_use]
    pub fn eval_units(&self) -> f64 {
        Cost::of(self.method.rotations(), self.fhew.literal()).units()
    }

    /// Canonical bytes, of which the digest names these parameters.
    ///
    /// # Panics
    /// Never: the numbers serialise.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(&self.literal).expect("a literal serialises")
    }

    /// Reads what [`Parameters::to_bytes`] wrote and validates it: 128 bits of security, unless they say that they
    /// are insecure.
    ///
    /// # Errors
    /// If the bytes are no parameters, or those are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let literal: Literal = serde_json::from_slice(bytes)
            .map_err(|error| Error::Unsupported(format!("these parameters: {error}")))?;
        let fhew = if literal.insecure {
            FhewParameters::insecure(literal.numbers)?
        } else {
            FhewParameters::new(literal.numbers)?
        };
        let moduli = (literal.input_modulus, literal.output_modulus);
        Self::assemble(method(&literal.method)?, fhew, moduli, literal.insecure)
    }

    /// BLAKE3 of [`Parameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }
}

fn method(name: &str) -> Result<&'static dyn FullDomainMethod> {
    full_domain::method(name).ok_or_else(|| {
        let names: Vec<&str> = full_domain::methods().iter().map(|method| method.name()).collect();
        Error::Unsupported(format!("method {name}: there are {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for parameters in [
            Parameters::insecure_toy(4, 8).unwrap(),
            Parameters::choose(&Request::new(16, 16)).unwrap(),
        ] {
            let read = Parameters::from_bytes(&parameters.to_bytes()).unwrap();
            assert_eq!(read.literal, parameters.literal);
            assert_eq!(read.digest(), parameters.digest());
        }
    }

    #[test]
    fn defaults_are_secure_and_sure() {
        let table = LookupTable::from_fn(16, 16, |x| x).unwrap();
        let parameters = Parameters::for_table(&table).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        assert!(parameters.log2_fail() <= -64.0);
    }

    #[test]
    fn what_is_not_served_is_named() {
        let message = |request: &Request<'_>| Parameters::choose(request).unwrap_err().to_string();
        let unknown = Request { method: Some("Nothing"), ..Request::new(16, 16) };
        assert!(message(&unknown).contains("FDFB-Compress"));
        assert!(message(&Request::new(1 << 14, 16)).contains("16384"));
        assert!(Parameters::insecure_toy(5, 4).is_err());
        let mut literal = Parameters::choose(&Request::new(16, 16)).unwrap().literal;
        literal.numbers.lwe_dimension = 100;
        let bytes = serde_json::to_vec(&literal).unwrap();
        assert!(Parameters::from_bytes(&bytes).unwrap_err().to_string().contains("100"));
    }
}
