//! Tables of up to eight bits between bootstraps.

use cryptable_ckks::{Arithmetic, Ciphertext};
use cryptable_lattice::error::{Error, Result, check_equal};

use crate::bit_table::BitTable;
use crate::encrypted_bits::EncryptedBits;
use crate::evaluation_key::EvaluationKey;
use crate::table_of_bits;

impl EvaluationKey {
    /// Evaluates tables of the same k bits, k up to 8. The results are ⌈log2 k⌉ levels below the lowest input. Tables
    /// are evaluated by characters, see `F = Σ_S w_S·χ_S` in `table_of_bits.rs`, and share the products of characters.
    /// The error of each input enters the result at most once; roundings are added.
    ///
    /// ```
    /// use cryptable_bits::{BitTable, Packing, Parameters, SecretKey};
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
    /// let server = secret.evaluation_key(Progress::silent())?;
    /// let x = [[false, true, true], [true, true, false], [false, true, false]];
    /// let x = [secret.encrypt(&x[0])?, secret.encrypt(&x[1])?, secret.encrypt(&x[2])?];
    /// let multiplexer = BitTable::from_fn(3, |x| if x & 1 == 1 { x & 2 != 0 } else { x & 4 != 0 })?;
    /// let majority = BitTable::from_fn(3, |x| x.count_ones() >= 2)?;
    /// let outputs = server.tables(&[multiplexer, majority], &[&x[0], &x[1], &x[2]])?;
    /// assert_eq!(secret.decrypt(&outputs[0])?, [false, true, false]);
    /// assert_eq!(secret.decrypt(&outputs[1])?, [false, true, false]);
    /// assert_eq!(outputs[0].levels(), x[0].levels() - 2);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there are no tables, or their number of inputs is not the number of bits; if the bits belong to another
    /// client or to other parameters, or their numbers differ; if levels are missing; if a result would be too noisy
    /// ([`Error::NoiseTooLarge`]).
    pub fn tables(
        &self,
        tables: &[BitTable],
        inputs: &[&EncryptedBits],
    ) -> Result<Vec<EncryptedBits>> {
        let left = inputs.iter().map(|bits| bits.levels()).min().unwrap_or(0);
        let taken = tables.iter().map(BitTable::levels).max().unwrap_or(0);
        self.tables_at(tables, inputs, left.saturating_sub(taken))
    }

    /// Evaluates like [`EvaluationKey::tables`], with results that have `levels` levels left: inputs are first lowered
    /// to the levels that this needs, where products are cheapest.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::tables`].
    pub fn tables_at(
        &self,
        tables: &[BitTable],
        inputs: &[&EncryptedBits],
        levels: usize,
    ) -> Result<Vec<EncryptedBits>> {
        self.check(inputs)?;
        let Some(first) = tables.first() else {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        };
        for table in tables {
            check_equal("number of inputs of a table", table.inputs(), inputs.len())?;
        }
        let levels = levels + first.levels();
        self.limbs_above(inputs, levels)?;
        let limbs = self.parameters().literal().input_limbs() + levels;
        let noises: Vec<_> = inputs.iter().map(|bits| self.noise_at(bits, limbs)).collect();
        let noises = self.parameters().noise_after_tables(tables, &noises, levels);
        let limit = self.parameters().literal().log2_fail;
        noises.iter().try_for_each(|noise| noise.check("the table", limit))?;
        let parts = (0..inputs[0].parts.len()).collect();
        let by_part = self.evaluator().map_all(parts, |part: usize| {
            let lowered = inputs.iter().map(|bits| self.lowered(&bits.parts[part], limbs));
            let inputs: Vec<Ciphertext> = lowered.collect();
            let circuit = self.parameters().circuit();
            table_of_bits::evaluate(&self.evaluator(), circuit, &inputs, tables)
        });
        Ok(self.join_parts(by_part, inputs[0].count, &noises))
    }
}
