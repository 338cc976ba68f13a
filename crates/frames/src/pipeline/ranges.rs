//! Ranges of values, as far as they are known from tables, from programs, and from schemas whose ranges frames state.

use cryptable::Table;

use super::{Relation, Run};
use crate::error::PipelineProblem;
use crate::program::Program;
use crate::schema::values_of;

/// Stands for the modulus of values about which nothing is known.
const UNKNOWN: u64 = u64::MAX;

/// Bound on ranges of sums of sums, far above every modulus.
const LARGEST: i64 = 1 << 62;

impl Run<'_> {
    /// Returns the least modulus for all outputs of a table. It is unknown for hidden tables, about which results must
    /// reveal nothing.
    pub(super) fn values_needed(&self, table: &Table) -> u64 {
        let is_hidden = |it: cryptable::Parameters| it.hidden_bits().is_some();
        if self.server.lookup_parameters().map_or(true, is_hidden) {
            return UNKNOWN;
        }
        let output = |&value: &u64| match table.signed_outputs() {
            true if value >= table.output_modulus().div_ceil(2) => {
                i128::from(value) - i128::from(table.output_modulus())
            }
            _ => i128::from(value),
        };
        let outputs = table.values().iter().map(output);
        let [low, high] = outputs.fold([0, 0], |[low, high], it| [it.min(low), it.max(high)]);
        let low = if table.signed_outputs() { low.min(-1) } else { low };
        values_of(low, high)
    }

    /// Returns the least modulus for the results of a program; for a sort, that of its columns.
    pub(super) fn values_of_program(&self, program: &Program, inputs: &[String]) -> Vec<u64> {
        if program.formulas().is_sort() {
            return inputs.iter().map(|name| self.columns[name].values_needed()).collect();
        }
        let is_of_groups = program.groups().is_some();
        let needed = |(low, high): (i64, i64)| match is_of_groups {
            true => UNKNOWN,
            false => values_of(low.into(), high.into()),
        };
        program.formulas().ranges().into_iter().map(needed).collect()
    }

    /// Returns the least modulus for a sum, and records the sum's range.
    pub(super) fn add_range(
        &mut self,
        terms: &[String],
        factors: &[i64],
        into: &str,
        is_signed: bool,
    ) -> u64 {
        let mut sum = [0_i64; 2];
        for (name, &factor) in terms.iter().zip(factors) {
            let range = self.sums.get(name).copied().unwrap_or_else(|| self.columns[name].range());
            let mut ends = range.map(|end| end.saturating_mul(factor));
            ends.sort_unstable();
            for (sum, end) in sum.iter_mut().zip(ends) {
                *sum = sum.saturating_add(end).clamp(-LARGEST, LARGEST);
            }
        }
        self.sums.insert(into.into(), sum);
        match sum {
            [low, _] if low < 0 && !is_signed => UNKNOWN,
            [low, high] => values_of(if is_signed { low.min(-1) } else { low }.into(), high.into()),
        }
    }

    /// Checks that residues of a sum determine whether it has the relation to the constant for which the table was
    /// made.
    pub(super) fn check_compared(
        &self,
        name: &str,
        is: Relation,
        table: &Table,
    ) -> Result<(), PipelineProblem> {
        let Some(&[least, largest]) = self.sums.get(name) else { return Ok(()) };
        let (low, high) = (i128::from(least), i128::from(largest));
        let values = self.columns[name].values();
        let (is_signed, modulus) = (values.is_signed(), values.modulus());
        let whole = i128::from(modulus);
        let first = if is_signed { -(whole / 2) } else { 0 };
        let fits = first <= low && high < first + whole;
        let is_told = match is {
            Relation::Equal | Relation::Different => {
                // The constant is the input whose output differs from most others: exactly one integer of the range has
                // its residue.
                let odd = u64::from(is == Relation::Equal);
                let constant = table.values().iter().position(|&output| output == odd);
                constant.is_some_and(|it| {
                    let below = |end: i128| (end - it as i128).div_euclid(whole);
                    below(high) - below(low - 1) <= 1
                })
            }
            _ => false,
        };
        if fits || is_told {
            return Ok(());
        }
        let needed = values_of(if is_signed { low.min(-1) } else { low }, high);
        let needed = needed.checked_next_power_of_two().unwrap_or(u64::MAX);
        let column = name.into();
        Err(PipelineProblem::Wraps { column, low: least, high: largest, modulus, needed })
    }
}
