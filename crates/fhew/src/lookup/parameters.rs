//! Parameters of single-value lookups: a method, its numbers, and the moduli of tables.

use crate::cost;
use crate::full_domain::{self, FullDomainMethod};
use crate::keys::serialization::evaluation_key_bytes;
use crate::noise::NoiseModel;
use crate::parameter_choice::{DEFAULT_LOG2_FAIL, choose};
use crate::parameters::{Parameters as FhewParameters, ParametersLiteral};
use cryptable_lattice::cost::CostModel;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result};

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
    pub fn for_table(table: &Table) -> Result<Self> {
        Self::choose(&Request::new(table.input_modulus(), table.output_modulus()))
    }

    /// The fastest 128-bit parameters for a request.
    ///
    /// # Errors
    /// As [`Parameters::candidates`].
    pub fn choose(request: &Request<'_>) -> Result<Self> {
        Ok(Self::candidates(request)?.swap_remove(0))
    }

    /// The fastest 128-bit parameters of every method that serves a request, the fastest method first.
    ///
    /// # Errors
    /// If there is no method of that name, or none takes the moduli and reaches the failure probability.
    pub fn candidates(request: &Request<'_>) -> Result<Vec<Self>> {
        check_moduli(request.input_modulus, request.output_modulus)?;
        let found = Self::search(request)?;
        if found.is_empty() { Err(unserved(request)) } else { Ok(found) }
    }

    /// The parameters of every method that has any, the fastest first.
    fn search(request: &Request<'_>) -> Result<Vec<Self>> {
        let Request { input_modulus, output_modulus, log2_fail, .. } = *request;
        let methods: Vec<&'static dyn FullDomainMethod> = match request.method {
            Some(name) => vec![method(name)?],
            None => full_domain::methods().to_vec(),
        };
        let chosen = methods.into_par_iter().filter_map(|method| {
            let fhew = choose(method, input_modulus, output_modulus, log2_fail).ok()?;
            Self::assemble(method, fhew, (input_modulus, output_modulus), false).ok()
        });
        let mut found: Vec<Self> = chosen.collect();
        found.sort_by(|a, b| a.eval_units().total_cmp(&b.eval_units()));
        Ok(found)
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
        {
            let model = CostModel::default();
            model.seconds(&cost::lookup(self.method, self.fhew.literal())) / model.unit()
        }
    }

    /// Bytes of an evaluation key in its file, but for header and parameters.
    #[must_use]
    pub fn key_file_bytes(&self) -> usize {
        evaluation_key_bytes(&self.fhew)
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

/// Demands moduli that some parameters may take.
fn check_moduli(input_modulus: u64, output_modulus: u64) -> Result<()> {
    if input_modulus < 2 || input_modulus % 2 == 1 {
        let name = "input modulus";
        let (found, expected) = (input_modulus.to_string(), "an even one".to_owned());
        return Err(Error::Mismatch { name, found, expected });
    }
    if output_modulus < 2 {
        return Err(Error::TooSmall { name: "output modulus", value: output_modulus, limit: 2 });
    }
    Ok(())
}

/// The largest power of two below `modulus` that is served, by bisection; `None` if not even 2 is.
fn largest_served(modulus: u64, is_served: impl Fn(u64) -> bool) -> Option<u64> {
    // Exponents up to `low` are served, those from `high` on are not.
    let (mut low, mut high) = (0, (modulus - 1).ilog2() + 1);
    while high - low > 1 {
        let middle = low.midpoint(high);
        *(if is_served(1 << middle) { &mut low } else { &mut high }) = middle;
    }
    (low > 0).then(|| 1 << low)
}

/// Why no method serves a request: the modulus at fault, and what is served in its place.
fn unserved(request: &Request<'_>) -> Error {
    let Request { input_modulus, output_modulus, log2_fail, .. } = *request;
    let serves = |input_modulus, output_modulus| {
        let request = Request { input_modulus, output_modulus, ..*request };
        Parameters::search(&request).is_ok_and(|found| !found.is_empty())
    };
    let (what, limit) = if serves(input_modulus, 2) {
        let limit = largest_served(output_modulus, |modulus| serves(input_modulus, modulus));
        ("output", limit)
    } else {
        ("input", largest_served(input_modulus, |modulus| serves(modulus, output_modulus.min(2))))
    };
    let moduli = format!("single values of moduli {input_modulus} -> {output_modulus}");
    let limit = limit.unwrap_or(1);
    Error::Unsupported(format!(
        "{moduli} with failures below 2^{log2_fail}: {what} moduli are served up to 2^{}",
        limit.ilog2()
    ))
}

fn method(name: &str) -> Result<&'static dyn FullDomainMethod> {
    full_domain::method(name).ok_or_else(|| {
        let names: Vec<&str> = full_domain::methods().iter().map(|method| method.name()).collect();
        Error::Unsupported(format!("method {name}: there are {}", names.join("; ")))
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
        let table = Table::from_fn(16, 16, |x| x).unwrap();
        let parameters = Parameters::for_table(&table).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        assert!(parameters.log2_fail() <= -64.0);
    }

    #[test]
    fn candidates_are_sorted_and_named_once() {
        let found = Parameters::candidates(&Request::new(4, 4)).unwrap();
        assert!(found.len() > 10);
        assert!(found.is_sorted_by_key(Parameters::eval_units));
        let mut names: Vec<_> = found.iter().map(|found| found.method().name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len());
    }

    #[test]
    fn absurd_numbers_do_no_harm() {
        for insecure in [false, true] {
            let mut literal = Parameters::choose(&Request::new(4, 4)).unwrap().literal;
            literal.insecure = insecure;
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
                    if let Ok(read) = Parameters::from_bytes(changed.as_bytes()) {
                        assert!(read.key_file_bytes() < 1 << 36, "{changed}");
                    }
                }
            }
        }
    }

    #[test]
    fn powers_of_two_are_bisected() {
        for (modulus, limit, expected) in [
            (100, 64, Some(64)),
            (65, 64, Some(64)),
            (64, 40, Some(32)),
            (9, 1, None),
            (2, 9, None),
        ] {
            assert_eq!(largest_served(modulus, |modulus| modulus <= limit), expected, "{modulus}");
        }
    }

    #[test]
    fn what_is_not_served_is_named() {
        let message = |request: &Request<'_>| Parameters::choose(request).unwrap_err().to_string();
        let unknown = Request { method: Some("Nothing"), ..Request::new(16, 16) };
        assert!(message(&unknown).contains("FDFB-Compress"));
        let large = message(&Request::new(1 << 14, 16));
        assert!(large.contains("16384 -> 16") && large.contains("input moduli"), "{large}");
        let large = message(&Request::new(16, 1 << 14));
        assert!(large.contains("16 -> 16384") && large.contains("output moduli"), "{large}");
        assert!(message(&Request::new(5, 16)).contains("even"));
        assert!(message(&Request::new(4, 1)).contains("output modulus is 1"));
        assert!(Parameters::insecure_toy(5, 4).is_err());
        let mut literal = Parameters::choose(&Request::new(16, 16)).unwrap().literal;
        literal.numbers.lwe_dimension = 100;
        let bytes = serde_json::to_vec(&literal).unwrap();
        assert!(Parameters::from_bytes(&bytes).unwrap_err().to_string().contains("100"));
    }
}
