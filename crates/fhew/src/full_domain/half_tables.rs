//! Two negacyclic tables, one for each half of the domain (equations (4) and (5) of Ma et al., TCHES 2024).

use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::method::TableKind;
use crate::multi_value::factored_test::{FactoredTest, MAX_UNSCALED_MODULUS, UnscaledTest};
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode, slot_of};

/// The halves of a table f: f_pos equals f where the sign bit is 0, f_neg where it is 1; elsewhere they are negacyclic.
///
/// For phases x below N, at slot m < p/2: `f_pos(m) = f(m)`, `f_neg(m) = -f(m + p/2)`, as integers modulo P.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HalfTables<'a>(pub(crate) &'a Table);

impl HalfTables<'_> {
    /// Returns f_pos at slot m below p/2.
    pub(crate) fn positive(&self, slot: u64) -> u64 {
        self.0.output(slot)
    }

    /// Returns f_neg at slot m below p/2, as an integer below P.
    pub(crate) fn negative(&self, slot: u64) -> u64 {
        let modulus = self.0.output_modulus();
        (modulus - self.0.output(slot + self.0.input_modulus() / 2)) % modulus
    }

    /// Returns f_neg - f_pos at slot m below p/2, as an integer below P.
    pub(crate) fn difference(&self, slot: u64) -> u64 {
        let modulus = self.0.output_modulus();
        (modulus + self.negative(slot) - self.positive(slot)) % modulus
    }

    /// Returns the test polynomials of f_pos and f_neg.
    pub(crate) fn tests(&self, parameters: &Parameters) -> [TestPolynomial; 2] {
        let modulus = self.0.output_modulus();
        [
            self.test(parameters, modulus, |slot| self.positive(slot)),
            self.test(parameters, modulus, |slot| self.negative(slot)),
        ]
    }

    /// Returns the test polynomial of slot ↦ `of(slot)`·Q/`modulus`.
    pub(crate) fn test(
        &self,
        parameters: &Parameters,
        modulus: u64,
        of: impl Fn(u64) -> u64,
    ) -> TestPolynomial {
        let two_n = parameters.rotation_modulus();
        TestPolynomial::from_fn(parameters.ring(), |x| {
            encode(of(slot_of(x, self.0.input_modulus(), two_n)), modulus, parameters.prime())
        })
    }

    /// Returns TV_1 of f_pos and f_neg, for phases in units of Q/2P.
    pub(crate) fn factored(&self, parameters: &Parameters) -> [FactoredTest; 2] {
        let degree = parameters.ring_degree();
        [
            self.factored_test(degree, |slot| self.positive(slot)),
            self.factored_test(degree, |slot| self.negative(slot)),
        ]
    }

    /// Returns TV_1 of slot ↦ `of(slot)`, for values below P.
    pub(crate) fn factored_test(&self, degree: usize, of: impl Fn(u64) -> u64) -> FactoredTest {
        let slot = |x| slot_of(x, self.0.input_modulus(), 2 * degree as u64);
        UnscaledTest::from_fn(degree, self.0.output_modulus(), |x| of(slot(x))).factored()
    }

    /// Returns |TV_1|² of f_pos and f_neg, on average; for the worst table, its maximum.
    pub(crate) fn squared_norm(parameters: &Parameters, table: TableKind<'_>) -> f64 {
        match table {
            TableKind::Given(table) => {
                let [positive, negative] = HalfTables(table).factored(parameters);
                (positive.squared_norm() + negative.squared_norm()) / 2.0
            }
            TableKind::Worst { input_modulus, output_modulus } => {
                UnscaledTest::worst_squared_norm(input_modulus / 2, output_modulus)
            }
        }
    }
}

/// Checks that a multi-value lookup of both tables is possible: P <= 4,096.
pub(crate) fn check_unscaled_modulus(modulus: u64) -> Result<()> {
    // Units may be halved.
    let limit = MAX_UNSCALED_MODULUS / 2;
    if modulus <= limit {
        return Ok(());
    }
    let reason = format!("multi-value bootstrapping supports outputs modulo at most {limit}");
    Err(Error::PlaintextModulus { modulus, reason })
}
