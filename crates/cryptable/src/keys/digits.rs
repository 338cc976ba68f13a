//! Digits of packed values: of keys of multiplexer trees and of comparisons.

use super::packed_parts::each_part;
use crate::{Ciphertext, EvaluationKey, Execution, Parameters, PreparedTable, Result, Table};

impl Parameters {
    /// Sizes of the digits that values are decomposed into, the least significant first; one digit, where the parameters
    /// take values as one.
    ///
    /// # Errors
    /// If they are of another engine.
    pub fn digit_sizes(&self) -> Result<Vec<u64>> {
        let literal = self.packed()?.literal();
        Ok(match &literal.multiplexer {
            _ if !literal.digits.is_empty() => literal.digits.clone(),
            Some(tree) => tree.digits.clone(),
            None => vec![literal.input_modulus],
        })
    }
}

impl EvaluationKey {
    /// Decomposes every value into digits ([`Parameters::digit_sizes`]) and maps them through tables, any number on each
    /// digit: functional digit decomposition. The digits themselves come from identity tables.
    ///
    /// ```
    /// use cryptable::comparisons::{Request, Signedness::Unsigned};
    /// use cryptable::{Execution, SecretKey, Table};
    /// let secret = SecretKey::generate(&Request::new(8).insecure_toy().plan()?);
    /// let server = secret.evaluation_key();
    /// let sizes = server.parameters().digit_sizes()?;
    /// let identity = |&p: &u64| Ok(vec![Table::from_fn(p, p, |digit| digit)?]);
    /// let tables = sizes.iter().map(identity).collect::<cryptable::Result<Vec<_>>>()?;
    /// let values = secret.encrypt_integers(&[77, 200], Unsigned)?;
    /// let digits = server.decompose(&values, &tables, Execution::default())?;
    /// assert_eq!(secret.decrypt(&digits[0][0])?, [77 % sizes[0], 200 % sizes[0]]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`crate::engines::packed::EvaluationKey::decompose`].
    pub fn decompose(
        &self,
        input: &Ciphertext,
        tables: &[Vec<Table>],
        execution: Execution<'_>,
    ) -> Result<Vec<Vec<Ciphertext>>> {
        let key = self.packed()?;
        let outputs = each_part(input, execution, |part, progress| {
            Ok(key.decompose(part, tables, progress)?.into_iter().flatten().collect())
        })?;
        let mut outputs = outputs.into_iter();
        Ok(tables.iter().map(|of| outputs.by_ref().take(of.len()).collect()).collect())
    }

    /// The values without their lowest digits, so many of them: `⌊m/(p_0⋯p_{count-1})⌋`, which may be looked up as values are.
    ///
    /// # Errors
    /// As [`crate::engines::packed::EvaluationKey::floor`].
    pub fn floor(
        &self,
        input: &Ciphertext,
        count: usize,
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        let key = self.packed()?;
        let mut outputs = each_part(input, execution, |part, progress| {
            Ok(vec![key.floor(part, count, progress)?])
        })?;
        Ok(outputs.swap_remove(0))
    }

    /// Maps a digit, which [`EvaluationKey::decompose`] gave, through tables.
    ///
    /// # Errors
    /// As [`crate::engines::packed::EvaluationKey::lookup_digit`].
    pub fn lookup_digit(
        &self,
        digit: &Ciphertext,
        tables: &[&PreparedTable],
        execution: Execution<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let key = self.packed()?;
        let tables = tables.iter().map(|table| table.packed()).collect::<Result<Vec<_>>>()?;
        each_part(digit, execution, |part, progress| key.lookup_digit(part, &tables, progress))
    }
}
