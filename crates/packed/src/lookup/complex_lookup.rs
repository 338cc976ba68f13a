//! Lookups of complex tables: one bootstrap, one SlotsToCoeffs and one result for both parts of outputs.
//!
//! If there are half as many values as coefficients, a slot holds one value. Both parts of a table are evaluated on the
//! same powers or selectors and joined to x + iy, so that SlotsToCoeffs moves x and y to two coefficients, the
//! imaginary part n coefficients after the real one.
//!
//! AKP's SlotsToCoeffs uses the order of all slots, whereas values have that of half of the slots: value k of n is at
//! coefficient 2k, or at 2k + 1 - n in the second half. A tree moves digits back to their places in the input, so that
//! inputs fill the first n coefficients, and value k is at coefficient k of both input and output.
//!
//! Appendix C of Dumezy et al. (TCHES 2026(1), ePrint 2025/1301) has complex outputs in slots, and uses a level for
//! products with complex constants. The integers of both parts, which share the selectors, need no level.

use cryptable_lattice::Progress;
use cryptable_lattice::coefficient_ciphertext::CoefficientLayout;
use cryptable_lattice::error::{Error, Result};

use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::prepared_table::PreparedTable;
use crate::parameters::circuit::Circuit;
use crate::tables::real_table::ComplexTable;

/// A complex table in the form that lookups of one parameter set use.
#[derive(Debug)]
pub struct PreparedComplexTable([PreparedTable; 2]);

impl PreparedComplexTable {
    /// The size in memory, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.0.iter().map(PreparedTable::memory_bytes).sum()
    }
}

impl EvaluationKey {
    /// Encodes a complex table once, for any number of lookups.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::prepare`]; if the parameters have no complex outputs ([`crate::Request::complex_outputs`]).
    pub fn prepare_complex(&self, table: &ComplexTable) -> Result<PreparedComplexTable> {
        self.check_complex_outputs()?;
        let [re, im] = table.tables();
        Ok(PreparedComplexTable([self.prepare(re)?, self.prepare(im)?]))
    }

    /// Maps values through complex tables. Returns one result per table, which `SecretKey::decrypt_complex` decrypts.
    ///
    /// ```
    /// use cryptable_packed::{ComplexTable, Parameters, Progress, RealDecryption, SecretKey};
    /// use num_complex::Complex64;
    /// let roots: Vec<_> = (0..4).map(|k| 0.4 * Complex64::I.powi(k)).collect();
    /// let table = ComplexTable::new(4, &roots, 256)?;
    /// // `Request { complex_outputs: true, ..Request::new(4, 256) }` gives 128-bit parameters.
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_complex(4, 256, 512)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let prepared = key.prepare_complex(&table)?;
    /// let input = secret.encrypt(&[1, 2])?;
    /// let output = key.lookup_complex(&input, &[&prepared], Progress::silent())?.swap_remove(0);
    /// let found = secret.decrypt_complex(&output, RealDecryption::default())?;
    /// assert_eq!(found, [table.rounded()[1], table.rounded()[2]]);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup_many`]; if the parameters have no complex outputs.
    pub fn lookup_complex(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedComplexTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        self.check_complex_outputs()?;
        let noise = self.checked_noise(input, u64::MAX)?;
        let parts: Vec<&PreparedTable> = tables.iter().flat_map(|table| &table.0).collect();
        let layout = input.body().layout;
        let bodies = match self.parameters().circuit() {
            Circuit::Multiplexer(circuit) => {
                let parts = self.forms(&parts, PreparedTable::matrices)?;
                let inputs = [(input, 0..circuit.digits().len())];
                let mut bodies = self.lookup_tree(circuit, &inputs, &parts, progress)?;
                let count = layout.slots / 2 + layout.count;
                bodies.iter_mut().for_each(|body| body.layout.count = count);
                bodies
            }
            Circuit::Akp(circuit) => {
                let parts = self.forms(&parts, PreparedTable::interpolation)?;
                let (slots, count) = (2 * layout.slots, 2 * layout.count);
                let layout = CoefficientLayout { slots, count, ..layout };
                self.lookup_akp(circuit, input.body(), &parts, layout, progress)?
            }
            Circuit::MultiPrecision(_) => unreachable!("validation refuses complex outputs"),
        };
        Ok(self.results(bodies, noise))
    }

    /// Checks that outputs are complex.
    fn check_complex_outputs(&self) -> Result<()> {
        let literal = self.parameters().literal();
        if literal.complex_outputs {
            return Ok(());
        }
        let what = format!("complex tables: {} has real outputs", literal.name);
        Err(Error::Unsupported(what))
    }
}

#[cfg(feature = "client")]
mod client {
    use cryptable_lattice::coefficient_ciphertext::{
        CoefficientCiphertext, CoefficientLayout, RealDecryption,
    };
    use cryptable_lattice::error::Result;
    use num_complex::Complex64;

    use crate::ciphertext::Ciphertext;
    use crate::keys::secret_key::SecretKey;
    use crate::literal::ParametersLiteral;

    /// The index of the coefficient of value k's real part; the imaginary part is at this index plus the number of
    /// values.
    fn place(literal: &ParametersLiteral, k: usize) -> usize {
        let half = literal.slots / 2;
        if literal.multiplexer.is_some() { k } else { 2 * (k % half) + k / half }
    }

    /// Number of values of a result with this number of coefficients.
    fn values_of(literal: &ParametersLiteral, count: usize) -> usize {
        if literal.multiplexer.is_some() { count - literal.slots } else { count / 2 }
    }

    impl SecretKey {
        /// Decrypts results of complex tables. Both parts are fractions of the output modulus P within [-1/2, 1/2), by
        /// default the exact multiples of 1/P that the table holds, as in [`SecretKey::decrypt_reals`].
        ///
        /// # Errors
        /// If the ciphertext has other parameters, belongs to another client, or is not a result of complex tables; if
        /// the requested precision is finer than the steps of the table, or flooding would leave nothing of the values.
        pub fn decrypt_complex(
            &self,
            ciphertext: &Ciphertext,
            options: RealDecryption,
        ) -> Result<Vec<Complex64>> {
            let body = self.complex_body(ciphertext)?;
            let parts = body.decrypt_reals(self.secret(), options)?;
            let literal = self.parameters().literal();
            let value = |k| {
                let at = place(literal, k);
                Complex64::new(parts[at], parts[literal.slots + at])
            };
            Ok((0..values_of(literal, ciphertext.count())).map(value).collect())
        }

        /// Signed distances of the phases of complex results from those of `expected`, which has the residues of both
        /// parts of every value, in half steps of the output modulus. These distances are as secret as
        /// [`SecretKey::errors`]. Feature `diagnostics`.
        ///
        /// # Errors
        /// If the ciphertext has other parameters, belongs to another client, or is not a result of complex tables.
        ///
        /// # Panics
        /// If the number of values differs from the number of slots.
        #[cfg(feature = "diagnostics")]
        pub fn complex_errors(
            &self,
            ciphertext: &Ciphertext,
            expected: &[[u64; 2]],
        ) -> Result<Vec<f64>> {
            let body = self.complex_body(ciphertext)?;
            let literal = self.parameters().literal();
            let slots = literal.slots;
            assert_eq!(expected.len(), slots, "values");
            let mut residues = vec![0; 2 * slots];
            for (k, parts) in expected.iter().enumerate() {
                let at = place(literal, k);
                (residues[at], residues[slots + at]) = (parts[0], parts[1]);
            }
            Ok(body.errors(self.secret(), &residues))
        }

        /// Checks a ciphertext, and returns it with all coefficients that may hold values.
        fn complex_body(&self, ciphertext: &Ciphertext) -> Result<CoefficientCiphertext> {
            let literal = self.parameters().literal();
            let slots = literal.output_slots();
            ciphertext.check_slots(self.parameters(), self.binding(), None, slots)?;
            if literal.multiplexer.is_some() {
                // Inputs of trees have values in the first half of the coefficients only.
                ciphertext.check_count(literal.slots + 1..=slots)?;
            }
            let mut body = ciphertext.body().clone();
            body.layout = CoefficientLayout { count: slots, ..body.layout };
            Ok(body)
        }
    }
}
