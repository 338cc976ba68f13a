//! Searches for rows with the largest values of a column, whose digits are in several columns.

use cryptable::integers::{AnyColumn, ColumnKind, Evaluator, Operand, Operation};
use cryptable::{Ciphertext, Error, Execution};

use super::{Computed, Run};
use crate::error::PipelineProblem;

impl Run<'_> {
    /// Marks the rows that a search finds.
    pub(super) fn search(
        &self,
        columns: &[String],
        operation: &Operation,
        execution: Execution<'_>,
    ) -> Result<Computed, PipelineProblem> {
        let mut words = Vec::with_capacity(columns.len());
        for name in columns {
            let column = &self.columns[name];
            if column.validity().is_some() {
                return Err(PipelineProblem::GapsAsZero(name.clone()));
            }
            let (name, values) = ("a digit of values", column.values());
            if values.is_signed() {
                let like = "the digits of which values are compared";
                return Err(Error::Signs { name, found: true, expected: false, like }.into());
            }
            let parts = values.packed()?;
            let [part] = parts[..] else {
                let name = "number of ciphertexts of a column whose rows are compared";
                let value = parts.len() as u64;
                return Err(Error::TooLarge { name, value, limit: 1 }.into());
            };
            words.push(part);
        }
        let key = self.server.packed()?;
        let found = execution.run(|progress| {
            let server = Evaluator::new(key)?.with_progress(progress);
            let bits = key.parameters().input_modulus().ilog2() * columns.len() as u32;
            let values = server.from_words(ColumnKind::new(bits, false)?, &words)?;
            let values = AnyColumn::Integers(values);
            let found = operation.apply_moving(&server, &[Operand::Column(&values)])?;
            let rows = found.into_iter().find_map(|column| match column {
                AnyColumn::Booleans(rows) => rows.ciphertext().cloned(),
                AnyColumn::Integers(_) => None,
            });
            Ok(rows.expect("rows of encrypted values"))
        })?;
        Ok(Computed::rows(Ciphertext::from(found), None, 2))
    }
}
