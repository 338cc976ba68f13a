//! Formulas over several columns: a method of keys, and the request.

pub(crate) mod request;

use cryptable_lattice::error::{check_equal, check_signs};
use cryptable_packed::PreparedFormulas;

use crate::ciphertext::Part;
use crate::engine::other_engine;
use crate::{Ciphertext, Engine, Error, EvaluationKey, Execution, Progress, Result};

impl EvaluationKey {
    /// Evaluates formulas on columns of packed values, row by row: trees of choices, sums of tables, filters. Formulas
    /// refer to columns by their position in `columns`. Results are modulo the output modulus, and signed if a formula
    /// has negative results.
    ///
    /// ```
    /// use cryptable::engines::packed::{Formula, PreparedFormulas};
    /// use cryptable::{Execution, Request, SecretKey};
    /// // A tree of three leaves: 10 if x < 4, else 20 if y < 2, else 30.
    /// let leaf = |value| Box::new(Formula::Constant(value));
    /// let right = Formula::Choice { column: 1, within: vec![[0, 2]], then: leaf(20), otherwise: leaf(30) };
    /// let tree = Formula::Choice { column: 0, within: vec![[0, 4]], then: leaf(10), otherwise: Box::new(right) };
    /// let formulas = PreparedFormulas::new(&[tree], 16)?;
    /// let request = Request::formulas(&formulas, 64);
    /// # let request = request.insecure_toy(); /*
    /// let plan = request.plan()?;                          // 128 bits of security
    /// # */ let plan = request.plan()?;
    /// println!("{plan}");                                  // time and memory
    ///
    /// let secret = SecretKey::generate(&plan);
    /// let server = secret.evaluation_key();
    /// let (x, y) = (secret.encrypt(&[3, 4, 15])?, secret.encrypt(&[0, 1, 9])?);
    /// let results = server.evaluate(&[&x, &y], &formulas, Execution::default())?;
    /// assert_eq!(secret.decrypt(&results[0])?, [10, 20, 30]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// [`PreparedFormulas::network`] creates the formulas of quantised networks, layers of sums and tables.
    ///
    /// Results of [`PreparedFormulas::by_group`] are added up by group: counts, sums, histograms. Each result then
    /// holds partial sums in all slots of full ciphertexts, to be added up by [`crate::engines::packed::group_totals`].
    ///
    /// Formulas of [`PreparedFormulas::sort`] return all columns with their rows sorted; columns must then fit in one
    /// ciphertext each.
    ///
    /// # Errors
    /// If columns are signed, not packed, of another client or other parameters, or differ in their number of values;
    /// if the key is not for formulas ([`crate::Request::formulas`]), or not for these; [`Error::NoiseTooLarge`] if the
    /// failure probability of a result would exceed the stated one; [`Error::Cancelled`].
    pub fn evaluate(
        &self,
        columns: &[&Ciphertext],
        formulas: &PreparedFormulas,
        execution: Execution<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let key = self.packed()?;
        let Some(first) = columns.first() else {
            return Err(Error::TooSmall { name: "number of columns", value: 0, limit: 1 });
        };
        let parts = first.parts().len();
        for column in columns {
            check_signs("values of a column", column.is_signed(), false, "the inputs of formulas")?;
            check_equal("number of values of a column", column.count(), first.count())?;
            check_equal("number of parts of a column", column.parts().len(), parts)?;
        }
        if formulas.is_sort() && parts > 1 {
            let name = "number of ciphertexts of a column whose rows are sorted";
            return Err(Error::TooLarge { name, value: parts as u64, limit: 1 });
        }
        execution.run(|whole| {
            let mut outputs: Vec<Vec<Part>> = vec![Vec::new(); formulas.formulas()];
            for index in 0..parts {
                let share = whole.part(index..index + 1, parts);
                let of_column = |column: &&Ciphertext| match &column.parts()[index] {
                    Part::Packed(part) => Ok(part.clone()),
                    other => Err(other_engine("ciphertext", Engine::Packed, other.engine())),
                };
                let inputs = columns.iter().map(of_column).collect::<Result<Vec<_>>>()?;
                let inputs: Vec<_> = inputs.iter().collect();
                let results = key.evaluate(&inputs, formulas, Progress::new(&share))?;
                outputs.iter_mut().zip(results).for_each(|(all, part)| all.push(part.into()));
            }
            let signed = |(parts, (low, _)): (Vec<Part>, (i64, i64))| {
                let output = Ciphertext::new(parts)?.with_signed(low < 0);
                Ok(output.with_standalone(columns.iter().any(|column| column.is_standalone())))
            };
            outputs.into_iter().zip(formulas.ranges()).map(signed).collect()
        })
    }
}
