//! The server's key for single values.

use cryptable_lattice::error::{Result, check_equal, check_parameters};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Progress, Table};

use super::{Ciphertext, Parameters, PreparedTable};
use crate::full_domain::EncodedTable;
use crate::keys::ServerKey;

/// Looks single values up in tables. Holds no secret, and is `Sync`.
pub type EvaluationKey = ServerKey<Parameters>;

impl EvaluationKey {
    /// Checks a table and encodes it, once for any number of lookups.
    ///
    /// # Errors
    /// If the table's moduli are not those of the parameters.
    pub fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        let (p, output_modulus) =
            (self.parameters().input_modulus(), self.parameters().output_modulus());
        table.check_moduli(p, output_modulus)?;
        let encoded = self.parameters().method().encode(self.fhew().parameters(), table)?;
        Ok(PreparedTable::new(self.parameters().digest(), encoded))
    }

    /// Looks every value up in every table. Returns one ciphertext of results per table, in the order of the tables.
    ///
    /// Values are distributed over the threads; `progress` counts them. Tables share the bootstraps of a value that do not
    /// depend on the table, and every result has the failure probability of a single lookup ([`Parameters::log2_fail`]).
    /// For k tables, each value needs the following numbers of blind rotations:
    /// - FDFB-Compress, EvalFunc and FDFB-KS: 1 + k instead of 2k (FDFB-KS with 2 digits 2 + k), Comp
    ///   2 + 2k, FDFB-Select 1 + 3k;
    /// - methods with a star, by multi-value bootstrapping: one in all for WoP-PBS1*, WoPPBS1-Refine*,
    ///   WoP-PBS2* and FDFB-BFVMult*, 1 + k for FDFB-Select* and FDFB-SelectAlt*, 1 + 2k for Comp*;
    /// - methods that hide tables: two in all;
    /// - WoP-PBS1 and WoPPBS1-Refine: 1 + k, WoP-PBS2 and FDFB-BFVMult 1 + 2k;
    /// - FDFB-CancelSign, FDFB-SelectAlt, FDFB-BFVMult interleaved and odd moduli: one table after the other.
    ///
    /// ```
    /// use cryptable_fhew::lookup::{Parameters, SecretKey};
    /// use cryptable_lattice::{Progress, Table};
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(8, 8)?);
    /// let key = secret.evaluation_key(Progress::silent())?;
    /// let double = key.prepare(&Table::from_fn(8, 8, |x| 2 * x % 8)?)?;
    /// let square = key.prepare(&Table::from_fn(8, 8, |x| x * x % 8)?)?;
    /// let input = secret.encrypt(&[3, 5])?;
    /// let outputs = key.lookup_many(&input, &[&double, &square], Progress::silent())?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [6, 2]);
    /// assert_eq!(secret.decrypt(&outputs[1])?, [1, 1]);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or other parameters, or its modulus is not p; if a table was prepared for
    /// other parameters, or `progress` asks to stop; `Error::NoiseTooLarge` if a lookup would fail with more than the stated
    /// probability.
    pub fn lookup_many(
        &self,
        input: &Ciphertext,
        tables: &[&PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        self.check(input, tables)?;
        let input = self.switched(input)?;
        self.parameters().check_lookup(input.noise())?;
        let method = self.parameters().method();
        let encoded: Vec<&EncodedTable> = tables.iter().map(|table| table.encoded()).collect();
        let results = progress.map(input.count(), |index| {
            method.lookup_many(self.fhew(), &encoded, &input.values().ciphertext(index))
        })?;
        self.collect(tables.len(), results)
    }

    /// Checks that input and tables belong to this key.
    fn check(&self, input: &Ciphertext, tables: &[&PreparedTable]) -> Result<()> {
        input.check(self.parameters(), self.binding())?;
        let input_modulus = self.parameters().input_modulus();
        check_equal("modulus of the values", input.modulus(), input_modulus)?;
        let expected = self.parameters().digest();
        tables.iter().try_for_each(|table| {
            check_parameters("prepared table", expected, table.parameter_digest())
        })
    }

    /// Collects the results of all values into one ciphertext per table.
    fn collect(
        &self,
        tables: usize,
        mut results: Vec<Vec<LweCiphertext>>,
    ) -> Result<Vec<Ciphertext>> {
        let shape = self.fhew().parameters().lwe_shape();
        let modulus = self.parameters().output_modulus();
        let noise = self.parameters().noise().result();
        let mut outputs = Vec::with_capacity(tables);
        // Starts with the last table, so that every result can be moved out of its list.
        for _ in 0..tables {
            let last = results.iter_mut().map(|of_value| of_value.pop().expect("a result a table"));
            let values = LweList::computed(shape, last)?;
            outputs.push(Ciphertext::new(*self.binding(), modulus, noise, values));
        }
        outputs.reverse();
        Ok(outputs)
    }
}
