//! Digits of packed values, for multiplexer trees and comparisons.

use super::packed_parts::{each_part, parts_of};
use crate::{Ciphertext, EvaluationKey, Execution, Parameters, PreparedTable, Result, Table};

impl Parameters {
    /// Returns the sizes of the digits that a lookup decomposes packed values into, least significant first. Their
    /// product is the input modulus. If values are looked up as a whole, the only size is the input modulus.
    ///
    /// # Errors
    /// [`crate::Error::OtherKind`] if the parameters belong to another engine.
    pub fn digit_sizes(&self) -> Result<Vec<u64>> {
        let literal = self.packed()?.literal();
        Ok(match &literal.multiplexer {
            _ if !literal.digits.is_empty() => literal.digits.clone(),
            Some(tree) => tree.digits.clone(),
            None => vec![literal.input_modulus],
        })
    }

    /// Returns the sizes of the pieces of packed values that [`EvaluationKey::lookup_chain`] reads, least significant
    /// first: digits, or parts of digits that are too large to be read together with a state.
    ///
    /// # Errors
    /// [`crate::Error::OtherKind`] if the parameters belong to another engine; otherwise the errors of
    /// [`crate::engines::packed::Parameters::chain_pieces`].
    pub fn chain_pieces(&self, states: u64) -> Result<Vec<u64>> {
        self.packed()?.chain_pieces(states)
    }
}

impl EvaluationKey {
    /// Decomposes every value into digits and maps these through tables, with any number of tables per digit
    /// (functional digit decomposition).
    ///
    /// `tables[i]` holds the tables for digit i, in the order of [`Parameters::digit_sizes`]; element i of the result
    /// holds their outputs. Identity tables return the digits themselves.
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
    /// Same errors as [`crate::engines::packed::EvaluationKey::decompose`].
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
        let outputs_of_digit = |tables: &Vec<Table>| {
            let found = tables.iter().zip(outputs.by_ref());
            let marked = |output: Ciphertext, table: &Table| {
                output.with_signed(table.signed_outputs()).with_standalone(true)
            };
            found.map(|(table, output)| marked(output, table)).collect()
        };
        Ok(tables.iter().map(outputs_of_digit).collect())
    }

    /// Runs an automaton over the pieces of every value, least significant first, starting in state 0: `tables[i]` maps
    /// `s + states·d`, where s is a state and d is piece i ([`Parameters::chain_pieces`]), to the next state, and the last
    /// table maps it to the result.
    ///
    /// ```
    /// use cryptable::comparisons::Signedness::Unsigned;
    /// use cryptable::{Execution, Request, SecretKey, Table};
    /// let secret = SecretKey::generate(&Request::comparisons(8).insecure_toy().plan()?);
    /// let server = secret.evaluation_key();
    /// // Whether the number of ones among the bits is odd.
    /// let pieces = server.lookup_parameters()?.chain_pieces(2)?;
    /// let parity = |m: u64| (m % 2 + u64::from((m / 2).count_ones())) % 2;
    /// let tables = pieces.iter().map(|p| Table::from_fn(2 * p, 2, parity));
    /// let tables = tables.collect::<cryptable::Result<Vec<_>>>()?;
    /// let values = secret.encrypt_integers(&[77, 200], Unsigned)?;
    /// let found = server.lookup_chain(&values, 2, &tables, Execution::default())?;
    /// assert_eq!(secret.decrypt(&found)?, [0, 1]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// Same errors as [`crate::engines::packed::EvaluationKey::lookup_chain`].
    pub fn lookup_chain(
        &self,
        input: &Ciphertext,
        states: u64,
        tables: &[Table],
        execution: Execution<'_>,
    ) -> Result<Ciphertext> {
        let key = self.packed()?;
        let mut outputs = each_part(input, execution, |part, progress| {
            Ok(vec![key.lookup_chain(part, states, tables, progress)?])
        })?;
        let signed = tables.last().is_some_and(Table::signed_outputs);
        Ok(outputs.swap_remove(0).with_signed(signed).with_standalone(true))
    }

    /// Removes the `count` lowest digits of every value: `⌊m/(p_0⋯p_{count-1})⌋`, with the sizes p_i of
    /// [`Parameters::digit_sizes`]. The result can be looked up like any value.
    ///
    /// # Errors
    /// Same errors as [`crate::engines::packed::EvaluationKey::floor`].
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
        Ok(outputs.swap_remove(0).with_standalone(true))
    }

    /// Maps a digit from [`EvaluationKey::decompose`] through tables, with one result per table.
    ///
    /// # Errors
    /// Same errors as [`crate::engines::packed::EvaluationKey::lookup_digit`].
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
        Ok(signed_as(found, tables, digit.is_standalone()))
    }

    /// Looks up values that are split over several ciphertexts, least significant digits first, in tables of the whole
    /// values.
    ///
    /// Input i is x_i below M_i, and the value is `x = x_0 + M_0·(x_1 + M_1·(…))`. Each modulus M_i is the product of
    /// the next digits of the parameters ([`Parameters::digit_sizes`]), which must be those of a multiplexer tree.
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
    /// Same errors as [`crate::engines::packed::EvaluationKey::lookup_digits`]; [`crate::Error::TooSmall`] if there is no
    /// input.
    pub fn lookup_digits(
        &self,
        inputs: &[Ciphertext],
        tables: &[&PreparedTable],
        execution: Execution<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let key = self.packed()?;
        let of_engine = tables.iter().map(|table| table.of_engine().packed());
        let of_engine = of_engine.collect::<Result<Vec<_>>>()?;
        let (parts, first) = (parts_of(inputs, usize::MAX)?, &inputs[0]);
        let mut index = 0;
        let found = each_part(first, execution, |_, progress| {
            let inputs: Vec<_> = parts.iter().map(|input| input[index].clone()).collect();
            index += 1;
            key.lookup_digits(&inputs, &of_engine, progress)
        })?;
        Ok(signed_as(found, tables, first.is_standalone()))
    }
}

/// Marks the result of each table as signed or unsigned, and all results as standing alone or not.
fn signed_as(
    results: Vec<Ciphertext>,
    tables: &[&PreparedTable],
    standalone: bool,
) -> Vec<Ciphertext> {
    let marked = |(result, table): (Ciphertext, &&PreparedTable)| {
        result.with_signed(table.signed_outputs()).with_standalone(standalone)
    };
    results.into_iter().zip(tables).map(marked).collect()
}

#[cfg(feature = "client")]
impl crate::SecretKey {
    /// Encrypts values below `modulus`, a product of some of the digits, as one of the inputs of
    /// [`EvaluationKey::lookup_digits`].
    ///
    /// # Errors
    /// Same errors as [`crate::engines::packed::SecretKey::encrypt_digits`]; [`crate::Error::TooSmall`] if there is no value.
    pub fn encrypt_digits(&self, values: &[u64], modulus: u64) -> Result<Ciphertext> {
        let key = self.packed()?;
        self.encrypt_parts(values, |values| Ok(key.encrypt_digits(values, modulus)?.into()))
    }
}
