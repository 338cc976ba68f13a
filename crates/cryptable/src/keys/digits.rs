//! Digits of packed values: of keys of multiplexer trees and of comparisons.

use cryptable_lattice::error::check_equal;

use super::packed_parts::each_part;
use crate::{
    Ciphertext, Error, EvaluationKey, Execution, Parameters, PreparedTable, Result, Table,
};

impl Parameters {
    /// Sizes of the digits that a lookup decomposes packed values into, the least significant first: their product is the input
    /// modulus. A single one, the input modulus itself, where values are looked up as a whole.
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
    /// use cryptable::comparisons::Signedness::Unsigned;
    /// use cryptable::Request;
    /// use cryptable::{Execution, SecretKey, Table};
    /// let secret = SecretKey::generate(&Request::comparisons(8).insecure_toy().plan()?);
    /// let server = secret.evaluation_key();
    /// let sizes = server.lookup_parameters()?.digit_sizes()?;
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
        let of_digit = |of: &Vec<Table>| {
            let found = of.iter().zip(outputs.by_ref());
            found.map(|(table, it)| it.with_signed(table.signed_outputs())).collect()
        };
        Ok(tables.iter().map(of_digit).collect())
    }

    /// The values without their `count` lowest digits ([`Parameters::digit_sizes`]): `⌊m/(p_0⋯p_{count-1})⌋`, which may be looked up
    /// as values are.
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

    /// Maps a digit, which [`EvaluationKey::decompose`] gave, through tables: a result for each.
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
        let of_engine = tables.iter().map(|table| table.of_engine().packed());
        let of_engine = of_engine.collect::<Result<Vec<_>>>()?;
        let found = each_part(digit, execution, |part, progress| {
            key.lookup_digit(part, &of_engine, progress)
        })?;
        Ok(signed_as(found, tables))
    }

    /// Maps values that come in several ciphertexts, the least significant digits first, through tables of all of them
    /// together: `x = x_0 + M_0·(x_1 + M_1·(…))`, where each modulus M_i is the product of the next digits of the parameters
    /// ([`Parameters::digit_sizes`]), which are those of a multiplexer tree.
    ///
    /// ```
    /// use cryptable::engines::packed::{self, MultiplexerLiteral};
    /// use cryptable::{Execution, SecretKey, Table};
    /// let digits = vec![4, 4, 4];
    /// let tree = MultiplexerLiteral { digits, selectors: vec![1, 1, 1], ..Default::default() };
    /// let parameters = packed::Parameters::insecure_toy_tree(8, 1024, 1024, tree, 0)?;
    /// let secret = SecretKey::generate(cryptable::Parameters::from(parameters));
    /// let server = secret.evaluation_key();
    /// let (low, high) = (secret.encrypt_digits(&[3, 0], 4)?, secret.encrypt_digits(&[15, 2], 16)?);
    /// let ones = server.prepare(&Table::from_fn(64, 8, |x| u64::from(x.count_ones()))?)?;
    /// let found = server.lookup_digits(&[low, high], &[&ones], Execution::default())?;
    /// assert_eq!(secret.decrypt(&found[0])?, [6, 1]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`crate::engines::packed::EvaluationKey::lookup_digits`]; if there is no input.
    pub fn lookup_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &[&PreparedTable],
        execution: Execution<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let key = self.packed()?;
        let of_engine = tables.iter().map(|table| table.of_engine().packed());
        let of_engine = of_engine.collect::<Result<Vec<_>>>()?;
        let Some(first) = inputs.first() else {
            return Err(Error::TooSmall { name: "number of inputs", value: 0, limit: 1 });
        };
        let parts = inputs.iter().map(Ciphertext::packed).collect::<Result<Vec<_>>>()?;
        for input in &parts {
            check_equal("number of parts of an input", input.len(), first.parts().len())?;
        }
        let mut index = 0;
        let found = each_part(first, execution, |_, progress| {
            let inputs: Vec<_> = parts.iter().map(|input| input[index].clone()).collect();
            index += 1;
            key.lookup_digits(&inputs, &of_engine, progress)
        })?;
        Ok(signed_as(found, tables))
    }
}

/// Results of tables, which say whether they are signed.
fn signed_as(results: Vec<Ciphertext>, tables: &[&PreparedTable]) -> Vec<Ciphertext> {
    let signed =
        |(result, table): (Ciphertext, &&PreparedTable)| result.with_signed(table.signed_outputs());
    results.into_iter().zip(tables).map(signed).collect()
}

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// Encrypts values below `modulus`, which is a product of some of the digits: one of the inputs of
    /// [`EvaluationKey::lookup_digits`].
    ///
    /// # Errors
    /// As [`crate::engines::packed::SecretKey::encrypt_digits`]; if there is no value.
    pub fn encrypt_digits(&self, values: &[u64], modulus: u64) -> Result<Ciphertext> {
        let key = self.packed()?;
        self.encrypt_parts(values, |values| Ok(key.encrypt_digits(values, modulus)?.into()))
    }
}
