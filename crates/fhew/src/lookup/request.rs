//! Requests for parameters, and the search among all methods.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result, demand};
use rayon::prelude::*;

use super::Parameters;
use crate::cost;
use crate::full_domain::{self, FullDomainMethod, HiddenTable};
use crate::parameter_choice::{DEFAULT_LOG2_FAIL, choose};

/// Largest modulus of values in any engine.
pub(super) const MAX_MODULUS: u64 = 1 << 24;

/// A request for parameters.
///
/// ```
/// use cryptable_fhew::lookup::{Parameters, Request};
/// // Odd moduli need one bootstrap for any table.
/// let found = Parameters::candidates(&Request::new(5, 5))?;
/// assert_eq!(found[0].method_name(), "odd modulus");
/// assert!(found[0].log2_fail() <= -64.0 && found[0].security_bits() >= 128.0);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Input modulus p of tables.
    pub input_modulus: u64,
    /// Output modulus P of tables.
    pub output_modulus: u64,
    /// log2 of the largest failure probability per value; -64 if `None`.
    pub log2_fail: Option<f64>,
    /// Name of the method, as returned by [`Parameters::method_name`]; any method if `None`.
    pub method: Option<String>,
    /// Bits κ by which results hide tables from the holder of the secret key, rounded up to 40, 64 or 128; tables are not
    /// hidden if `None`.
    pub hidden_bits: Option<u32>,
}

impl Request {
    /// Requests any method, with failures below 2^-64 per value.
    #[must_use]
    pub fn new(input_modulus: u64, output_modulus: u64) -> Self {
        Self { input_modulus, output_modulus, log2_fail: None, method: None, hidden_bits: None }
    }

    /// Returns log2 of the largest failure probability. It is lower for hidden tables, where a wrong decision would reveal
    /// another output.
    fn log2_fail(&self) -> f64 {
        let asked = self.log2_fail.unwrap_or(DEFAULT_LOG2_FAIL);
        let hiding = self.hidden_bits.and_then(hiding);
        hiding.map_or(asked, |method| asked.min(log2_fail_of_hidden(method.bits)))
    }

    /// Returns the methods that may satisfy the request.
    fn methods(&self) -> Result<Vec<&'static dyn FullDomainMethod>> {
        match (&self.method, self.hidden_bits) {
            (None, None) => Ok(full_domain::methods_for(self.input_modulus).to_vec()),
            (Some(name), None) => Ok(vec![method(name)?]),
            (None, Some(bits)) => {
                hiding(bits).map(|method| vec![method as &dyn FullDomainMethod]).ok_or_else(|| {
                    let limit = HIDDEN_BITS;
                    Error::TooLarge { name: "bits of hidden tables", value: bits.into(), limit }
                })
            }
            (Some(_), Some(_)) => {
                Err(Error::Unsupported("hidden tables with a chosen method".into()))
            }
        }
    }

    /// Returns the same request for other moduli.
    fn with_moduli(&self, input_modulus: u64, output_modulus: u64) -> Self {
        Self { input_modulus, output_modulus, ..self.clone() }
    }

    /// Returns the fastest 128-bit parameters of every method that satisfies the request, the fastest method first.
    ///
    /// # Errors
    /// If a modulus is not from 2 to 2^24, the failure probability is not below 1, there is no method of that name,
    /// or no method supports the moduli and reaches the failure probability.
    pub(super) fn candidates(&self) -> Result<Vec<Parameters>> {
        check_moduli(self.input_modulus, self.output_modulus)?;
        let value = self.log2_fail();
        demand(value < 0.0, "log2 of the failure probability", value, "it must be below 0")?;
        let found = self.search()?;
        if found.is_empty() { Err(self.unserved()) } else { Ok(found) }
    }

    /// Finds parameters for every method that has any, the fastest first.
    fn search(&self) -> Result<Vec<Parameters>> {
        let Self { input_modulus, output_modulus, .. } = *self;
        let chosen = self.methods()?.into_par_iter().filter_map(|method| {
            let fhew = choose(method, input_modulus, output_modulus, self.log2_fail()).ok()?;
            Parameters::secure(method, fhew, input_modulus, output_modulus, self.log2_fail()).ok()
        });
        let mut found: Vec<Parameters> = chosen.collect();
        let model = CostModel::default();
        let seconds = |found: &Parameters| {
            model.seconds(&cost::lookup(found.method(), found.fhew().literal()))
        };
        found.sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
        Ok(found)
    }

    /// Returns the error if no method satisfies the request: the modulus at fault, and the nearest one that is supported.
    fn unserved(&self) -> Error {
        let Self { input_modulus, output_modulus, .. } = *self;
        let serves = |input_modulus, output_modulus| {
            let found = self.with_moduli(input_modulus, output_modulus).search();
            found.is_ok_and(|found| !found.is_empty())
        };
        // A table can be filled up to a larger modulus with entries that no value reaches.
        let larger = [input_modulus + 1, input_modulus.next_power_of_two()]
            .into_iter()
            .find(|&larger| larger > input_modulus && serves(larger, output_modulus));
        if let (Some(larger), None) = (larger, &self.method) {
            return Error::Unsupported(format!(
                "single values of moduli {input_modulus} -> {output_modulus} with failures below 2^{}: the nearest \
                 supported input modulus is {larger}; fill the table up to it with any outputs",
                self.log2_fail()
            ));
        }
        // Odd moduli are compared with the odd numbers below powers of two.
        let odd = input_modulus % 2;
        let (what, limit) = if serves(input_modulus, 2) {
            let limit = largest_served(output_modulus, |modulus| serves(input_modulus, modulus));
            ("output", limit)
        } else {
            let served = |modulus| serves(modulus - odd, output_modulus.min(2));
            ("input", largest_served(input_modulus, served))
        };
        let limit = limit.unwrap_or(1);
        Error::Unsupported(format!(
            "single values of moduli {input_modulus} -> {output_modulus} with failures below 2^{}: {what} moduli are \
             supported up to 2^{}",
            self.log2_fail(),
            limit.ilog2()
        ))
    }
}

/// Largest κ of hidden tables.
const HIDDEN_BITS: u64 = 128;

/// Returns the method that hides tables by at least this number of bits.
fn hiding(bits: u32) -> Option<&'static HiddenTable> {
    full_domain::hiding_methods().iter().find(|method| method.bits >= bits)
}

/// Returns log2 of the largest failure probability of lookups with hidden tables.
pub(super) fn log2_fail_of_hidden(bits: u32) -> f64 {
    -1.0 - f64::from(bits)
}

/// Checks that values may have these moduli.
pub(super) fn check_moduli(input_modulus: u64, output_modulus: u64) -> Result<()> {
    for (name, value) in [("input modulus", input_modulus), ("output modulus", output_modulus)] {
        if value < 2 {
            return Err(Error::TooSmall { name, value, limit: 2 });
        }
        if value > MAX_MODULUS {
            return Err(Error::TooLarge { name, value, limit: MAX_MODULUS });
        }
    }
    Ok(())
}

/// Returns the method with this name.
///
/// # Errors
/// If there is no such method; the error names all methods.
pub(super) fn method(name: &str) -> Result<&'static dyn FullDomainMethod> {
    full_domain::method(name).ok_or_else(|| {
        let all = full_domain::methods().iter().chain(full_domain::methods_for(1));
        let names: Vec<&str> = all.map(|method| method.name()).collect();
        Error::Unsupported(format!("method {name}: there are {}", names.join("; ")))
    })
}

/// Finds the largest power of two below `modulus` that is supported, by bisection; `None` if not even 2 is.
fn largest_served(modulus: u64, is_served: impl Fn(u64) -> bool) -> Option<u64> {
    // Exponents up to `low` are supported, exponents from `high` on are not.
    let (mut low, mut high) = (0, (modulus - 1).ilog2() + 1);
    while high - low > 1 {
        let middle = low.midpoint(high);
        *(if is_served(1 << middle) { &mut low } else { &mut high }) = middle;
    }
    (low > 0).then(|| 1 << low)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn candidates_are_sorted_and_named_once() {
        let found = Parameters::candidates(&Request::new(4, 4)).unwrap();
        assert!(found.len() > 10);
        let model = CostModel::default();
        assert!(found.is_sorted_by_key(|found| model.seconds(&found.prediction().work)));
        let mut names: Vec<_> = found.iter().map(Parameters::method_name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len());
    }

    #[test]
    fn what_is_not_served_is_named() {
        let message = |request: &Request| Parameters::choose(request).unwrap_err().to_string();
        let unknown = Request { method: Some("Nothing".to_owned()), ..Request::new(16, 16) };
        assert!(message(&unknown).contains("FDFB-Compress") && message(&unknown).contains("odd"));
        let large = message(&Request::new(1 << 14, 16));
        assert!(large.contains("16384 -> 16") && large.contains("input moduli"), "{large}");
        let large = message(&Request::new(16, 1 << 14));
        assert!(large.contains("16 -> 16384") && large.contains("output moduli"), "{large}");
        let large = message(&Request::new((1 << 14) + 1, 16));
        assert!(large.contains("16385 -> 16") && large.contains("up to 2^"), "{large}");
        assert!(message(&Request::new(4, 1)).contains("output modulus is 1"));
        assert!(message(&Request::new((1 << 24) + 2, 4)).contains("at most 16777216"));
        let unsure = Request { log2_fail: Some(f64::NAN), ..Request::new(4, 4) };
        assert!(message(&unsure).contains("failure probability is NaN"));
        // A method for even moduli with an odd modulus, and the other way round.
        for (name, p) in [("FDFB-Compress", 5), ("odd modulus", 4)] {
            let other = Request { method: Some(name.to_owned()), ..Request::new(p, 4) };
            assert!(message(&other).contains("input moduli"), "{}", message(&other));
        }
    }

    #[test]
    fn odd_moduli_that_are_not_served_name_the_next_that_is() {
        let message = |request: &Request| Parameters::choose(request).unwrap_err().to_string();
        for p in [51, 57, 63] {
            let found = message(&Request::new(p, p));
            assert!(found.contains(&format!("supported input modulus is {};", p + 1)), "{found}");
            Parameters::choose(&Request::new(p + 1, p)).unwrap();
        }
        let sure = Request { log2_fail: Some(-128.0), ..Request::new(49, 49) };
        assert!(message(&sure).contains("supported input modulus is 50;"), "{}", message(&sure));
    }

    #[test]
    fn odd_moduli_are_served_as_surely_as_even_ones() {
        for p in [3, 5, 15, 31] {
            let found = Parameters::choose(&Request::new(p, p)).unwrap();
            assert!(found.log2_fail() <= -64.0 && found.security_bits() >= 128.0, "{p}");
            assert_eq!(
                (found.method_name().as_str(), found.method().operations().rotations),
                ("odd modulus", 1)
            );
        }
        let sure = Request { log2_fail: Some(-128.0), ..Request::new(15, 15) };
        assert!(Parameters::choose(&sure).unwrap().log2_fail() <= -128.0);
    }
}
