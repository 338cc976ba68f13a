//! Lookups of complex tables: one bootstrap, one SlotsToCoeffs and one result for both parts of outputs.
//!
//! A slot holds one value where they are half as many as coefficients. Both parts of a table are interpolated on the same
//! powers and joined, x + iy, so that SlotsToCoeffs takes x and y to two coefficients. It goes by the order of all slots,
//! values by that of half of them: value k of n is at coefficient 2k, or 2k + 1 - n from the second half on, and its
//! imaginary part n coefficients after it. (Appendix C of Dumezy et al., TCHES 2026(1), ePrint 2025/1301, has complex
//! outputs in slots.)

use cryptable_lattice::Progress;
use cryptable_lattice::coefficient_ciphertext::CoefficientLayout;
use cryptable_lattice::error::{Error, Result};

use crate::akp::AkpCircuit;
use crate::ciphertext::Ciphertext;
use crate::keys::evaluation_key::EvaluationKey;
use crate::lookup::prepared_table::PreparedTable;
use crate::parameters::circuit::Circuit;
use crate::tables::real_table::ComplexTable;

/// A complex table in the form that lookups of one parameter set use.
#[derive(Debug)]
pub struct PreparedComplexTable([PreparedTable; 2]);

impl PreparedComplexTable {
    /// Bytes in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.0.iter().map(PreparedTable::memory_bytes).sum()
    }
}

impl EvaluationKey {
    /// Encodes a complex table once, for any number of lookups.
    ///
    /// # Errors
    /// As [`EvaluationKey::prepare`]; if the parameters have no complex outputs ([`crate::Request::complex_outputs`]).
    pub fn prepare_complex(&self, table: &ComplexTable) -> Result<PreparedComplexTable> {
        self.complex_circuit()?;
        let [re, im] = table.tables();
        Ok(PreparedComplexTable([self.prepare(re)?, self.prepare(im)?]))
    }

    /// Maps values through complex tables: a result for each, which `SecretKey::decrypt_complex` decrypts.
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
    /// As [`EvaluationKey::lookup_many`]; if the parameters have no complex outputs.
    pub fn lookup_complex(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedComplexTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let circuit = self.complex_circuit()?;
        let noise = self.checked_noise(input)?;
        let parts: Vec<&PreparedTable> = tables.iter().flat_map(|table| &table.0).collect();
        let parts = self.forms(&parts, PreparedTable::interpolation)?;
        let layout = input.body().layout;
        let layout =
            CoefficientLayout { slots: 2 * layout.slots, count: 2 * layout.count, ..layout };
        let bodies = self.lookup_akp(circuit, input.body(), &parts, layout, progress)?;
        Ok(self.results(bodies, noise))
    }

    /// The circuit, if its outputs are complex.
    fn complex_circuit(&self) -> Result<&AkpCircuit> {
        let literal = self.parameters().literal();
        match self.parameters().circuit() {
            Circuit::Akp(circuit) if literal.complex_outputs => Ok(circuit),
            _ => {
                let what = format!("complex tables: {} has real outputs", literal.name);
                Err(Error::Unsupported(what))
            }
        }
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

    /// The coefficient of the real part of value k of n, among those that hold values; the imaginary part is n after it.
    fn place(k: usize, n: usize) -> usize {
        let half = n / 2;
        2 * (k % half) + k / half
    }

    impl SecretKey {
        /// Decrypts results of complex tables: both parts fractions of the output modulus P within [-1/2, 1/2), by default
        /// the exact multiples of 1/P that the table has, as [`SecretKey::decrypt_reals`] gives them.
        ///
        /// # Errors
        /// If it is of other parameters or another client, or no result of complex tables; if the precision asked for is
        /// finer than the steps of the table, or flooding would leave nothing of the values.
        pub fn decrypt_complex(
            &self,
            ciphertext: &Ciphertext,
            options: RealDecryption,
        ) -> Result<Vec<Complex64>> {
            let body = self.complex_body(ciphertext)?;
            let parts = body.decrypt_reals(self.secret(), options)?;
            let slots = parts.len() / 2;
            let value = |k| {
                let at = place(k, slots);
                Complex64::new(parts[at], parts[slots + at])
            };
            Ok((0..ciphertext.count() / 2).map(value).collect())
        }

        /// Signed distances of the phases of complex results from those of `expected`, residues of both parts of every
        /// value, in half steps of the output modulus: as secret as [`SecretKey::errors`]. Feature `diagnostics`.
        ///
        /// # Errors
        /// If it is of other parameters or another client, or no result of complex tables.
        ///
        /// # Panics
        /// If there are not as many values as slots.
        #[cfg(feature = "diagnostics")]
        pub fn complex_errors(
            &self,
            ciphertext: &Ciphertext,
            expected: &[[u64; 2]],
        ) -> Result<Vec<f64>> {
            let body = self.complex_body(ciphertext)?;
            let slots = body.layout.slots / 2;
            assert_eq!(expected.len(), slots, "values");
            let mut residues = vec![0; 2 * slots];
            for (k, parts) in expected.iter().enumerate() {
                let at = place(k, slots);
                (residues[at], residues[slots + at]) = (parts[0], parts[1]);
            }
            Ok(body.errors(self.secret(), &residues))
        }

        /// The checked ciphertext, with all coefficients that may hold values.
        fn complex_body(&self, ciphertext: &Ciphertext) -> Result<CoefficientCiphertext> {
            let slots = self.parameters().literal().output_slots();
            ciphertext.check_slots(self.parameters(), self.binding(), None, slots)?;
            let mut body = ciphertext.body().clone();
            body.layout = CoefficientLayout { count: slots, ..body.layout };
            Ok(body)
        }
    }
}
