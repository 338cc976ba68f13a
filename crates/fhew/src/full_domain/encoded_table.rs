//! Tables in the form in which methods look them up.

use std::fmt;

use cryptable_lattice::Table;

use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::FactoredTest;
use crate::parameters::Parameters;
use crate::test_polynomial::TestPolynomial;

/// A table as test polynomials: checked and encoded once by [`crate::full_domain::method::FullDomainMethod::encode`], for
/// any number of inputs.
#[derive(Clone)]
pub struct EncodedTable {
    parameters: Parameters,
    input_modulus: u64,
    output_modulus: u64,
    tests: Vec<TestPolynomial>,
    factored: Vec<FactoredTest>,
}

impl fmt::Debug for EncodedTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodedTable")
            .field("input_modulus", &self.input_modulus)
            .field("output_modulus", &self.output_modulus)
            .finish_non_exhaustive()
    }
}

impl EncodedTable {
    /// Collects the test polynomials, in the method's own order, and those of multi-value bootstrapping.
    pub(crate) fn new(
        parameters: &Parameters,
        table: &Table,
        tests: Vec<TestPolynomial>,
        factored: Vec<FactoredTest>,
    ) -> Self {
        let (input_modulus, output_modulus) = (table.input_modulus(), table.output_modulus());
        Self { parameters: parameters.clone(), input_modulus, output_modulus, tests, factored }
    }

    /// Returns the input modulus p.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Returns the output modulus P.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// Returns the bytes of memory that the test polynomials occupy.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let words = self.tests.iter().map(|test| test.coefficients().len()).sum::<usize>();
        let terms = self.factored.iter().map(|test| test.terms().len()).sum::<usize>();
        8 * words + 16 * terms
    }

    /// Returns the test polynomials, in the method's own order.
    pub(crate) fn tests(&self) -> &[TestPolynomial] {
        &self.tests
    }

    /// Returns test polynomial `index` of the method's own order.
    pub(crate) fn test(&self, index: usize) -> &TestPolynomial {
        &self.tests[index]
    }

    /// Returns the test polynomials of multi-value bootstrapping, in the method's own order.
    pub(crate) fn factored(&self) -> &[FactoredTest] {
        &self.factored
    }

    /// Asserts that tables were encoded for the parameters of a key and have the same moduli.
    ///
    /// # Panics
    /// If they were encoded for other parameters, or their moduli differ.
    pub(crate) fn assert_fit(tables: &[&Self], key: &EvaluationKey) {
        for table in tables {
            assert!(table.parameters == *key.parameters(), "a table encoded for other parameters");
            let moduli = |table: &Self| (table.input_modulus, table.output_modulus);
            assert_eq!(moduli(table), moduli(tables[0]), "moduli of tables of one lookup");
        }
    }
}
