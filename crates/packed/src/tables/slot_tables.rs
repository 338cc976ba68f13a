//! Tables in the clear, one per value of a ciphertext.

use cryptable_lattice::Table;
use cryptable_lattice::error::{Error, Result, check_within};
use rayon::prelude::*;

use crate::multiplexer::circuit::MultiplexerCircuit;
use crate::parameters::circuit::Circuit;
use crate::parameters::parameter_set::Parameters;
use crate::parameters::validation::MAX_MODULUS;

/// Number of entries of a table that are moved at once: a cache line.
const LINE: usize = 16;

/// Tables of one pair of moduli: value k of a ciphertext is mapped through table k.
///
/// These tables need parameters of a multiplexer tree with a level for entries, see [`crate::Request::entries`].
///
/// ```
/// use cryptable_packed::{Parameters, Progress, SecretKey, SlotTables, Table};
/// // `Request { entries: EntryKind::Plain, ..Request::new(16, 16) }` gives 128-bit parameters.
/// let secret = SecretKey::generate(&Parameters::insecure_toy_entries(16, 16)?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let multiples = |k| Table::from_fn(16, 16, |x| k * x % 16);
/// let tables = SlotTables::new((0..4).map(multiples).collect::<Result<_, _>>()?)?;
/// let input = secret.encrypt(&[5, 5, 5, 6])?;
/// let output = key.lookup_slots(&input, &tables, Progress::silent())?;
/// assert_eq!(secret.decrypt(&output)?, [0, 5, 10, 2]);
///
/// // The same tables, which the server does not see.
/// let encrypted = secret.encrypt_tables(&tables)?;
/// let output = key.lookup_encrypted(&input, &encrypted, Progress::silent())?;
/// assert_eq!(secret.decrypt(&output)?, [0, 5, 10, 2]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotTables {
    input_modulus: u64,
    output_modulus: u64,
    /// `None`: one table for all values.
    count: Option<usize>,
    /// Outputs of all tables at one input after the other, in the order in which lookups use them. In the order of
    /// tables, every output of tables of 12 bits was on a page of its own, and reading them took as long as everything
    /// else. 32-bit outputs need half of the memory of 64-bit words: there may be 2^28 outputs.
    outputs: Vec<u32>,
}

impl SlotTables {
    /// One table per value.
    ///
    /// # Errors
    /// If there are none, or one has other moduli than the first.
    pub fn new(tables: Vec<Table>) -> Result<Self> {
        let Some(first) = tables.first() else {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        };
        for (index, table) in tables.iter().enumerate() {
            for (name, found, expected) in [
                ("input modulus", table.input_modulus(), first.input_modulus()),
                ("output modulus", table.output_modulus(), first.output_modulus()),
            ] {
                if found != expected {
                    return Err(Error::TableModulus { index, name, found, expected });
                }
            }
        }
        check_output_modulus(first.output_modulus())?;
        let outputs = tables.iter().flat_map(|table| table.values()).map(|&y| y as u32).collect();
        Self::from_outputs(first.input_modulus(), first.output_modulus(), outputs)
    }

    /// One table per value, from the outputs of one table after the other: with the input modulus p and the output
    /// modulus P, value x at position k is mapped to `outputs[p·k + x]`.
    ///
    /// ```
    /// use cryptable_packed::SlotTables;
    /// let tables = SlotTables::from_outputs(2, 4, vec![3, 0, 1, 2])?;
    /// assert_eq!((tables.count(), tables.output(0, 0), tables.output(1, 1)), (Some(2), 3, 2));
    /// assert!(SlotTables::from_outputs(2, 4, vec![3, 0, 1]).is_err());
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a modulus is below 2 or above 2^24, the number of outputs is not a multiple of p, or an output is not below
    /// P.
    pub fn from_outputs(
        input_modulus: u64,
        output_modulus: u64,
        outputs: Vec<u32>,
    ) -> Result<Self> {
        check_output_modulus(output_modulus)?;
        for (name, value) in [("input modulus", input_modulus), ("output modulus", output_modulus)]
        {
            check_within(name, value, 2..)?;
        }
        let (found, count) = (outputs.len(), outputs.len() as u64 / input_modulus);
        if count == 0 || !(found as u64).is_multiple_of(input_modulus) {
            return Err(Error::TableLength { found, expected: input_modulus * count.max(1) });
        }
        if let Some(at) = outputs.iter().position(|&y| u64::from(y) >= output_modulus) {
            let (index, value) = (at % input_modulus as usize, outputs[at].into());
            return Err(Error::TableEntry { index, value, limit: output_modulus });
        }
        let outputs = by_input(&outputs, input_modulus as usize);
        Ok(Self { input_modulus, output_modulus, count: Some(count as usize), outputs })
    }

    /// The same table for all values. [`EncryptedTables`](crate::EncryptedTables) of a single table are made from it;
    /// if the server may read the table, a [`crate::PreparedTable`] is faster.
    ///
    /// # Errors
    /// If the output modulus is above 2^24.
    pub fn shared(table: &Table) -> Result<Self> {
        let mut one = Self::new(vec![table.clone()])?;
        one.count = None;
        Ok(one)
    }

    /// The number of tables; `None` if one serves all values.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        self.count
    }

    /// Input modulus p of all tables.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.input_modulus
    }

    /// Output modulus P of all tables.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.output_modulus
    }

    /// Returns the output for value x at position k.
    ///
    /// # Panics
    /// If there is no table k, or x is not below p.
    #[must_use]
    pub fn output(&self, k: usize, x: u64) -> u64 {
        assert!(x < self.input_modulus, "an input of {x} in tables of {}", self.input_modulus);
        self.outputs_at(x as usize)[if self.count.is_some() { k } else { 0 }].into()
    }

    /// Outputs of all tables at input x.
    fn outputs_at(&self, x: usize) -> &[u32] {
        let tables = self.count.unwrap_or(1);
        &self.outputs[x * tables..(x + 1) * tables]
    }

    /// Returns the outputs at input x for `slots` values, as fractions of the output modulus within [-1/2, 1/2].
    pub(crate) fn fractions(&self, x: usize, slots: usize) -> Vec<f64> {
        let modulus = self.output_modulus;
        let fraction = |&output: &u32| {
            // Like `Table::centered_value`: half the modulus is negative.
            let output = i64::from(output);
            let half = modulus.div_ceil(2) as i64;
            let centered = if output >= half { output - modulus as i64 } else { output };
            centered as f64 / modulus as f64
        };
        match self.count {
            Some(_) => self.outputs_at(x).iter().map(fraction).collect(),
            None => vec![fraction(&self.outputs_at(x)[0]); slots],
        }
    }

    /// Checks the moduli and the number of tables against parameters.
    pub(crate) fn check(&self, parameters: &Parameters) -> Result<()> {
        for (name, found, expected) in [
            ("input modulus", self.input_modulus, parameters.input_modulus()),
            ("output modulus", self.output_modulus, parameters.output_modulus()),
        ] {
            if found != expected {
                return Err(Error::mismatch(name, found, expected));
            }
        }
        let limit = parameters.literal().slots as u64;
        match self.count {
            Some(count) if count as u64 > limit => {
                Err(Error::TooLarge { name: "number of tables", value: count as u64, limit })
            }
            _ => Ok(()),
        }
    }
}

/// Reorders outputs: from one table of `entries` entries after the other to all tables at one input after the other.
fn by_input(outputs: &[u32], entries: usize) -> Vec<u32> {
    let tables = outputs.len() / entries;
    let mut moved = vec![0; outputs.len()];
    moved.par_chunks_mut(LINE * tables).enumerate().for_each(|(line, moved)| {
        for (k, table) in outputs.chunks_exact(entries).enumerate() {
            let rows = moved.chunks_exact_mut(tables);
            rows.zip(&table[line * LINE..]).for_each(|(row, &output)| row[k] = output);
        }
    });
    moved
}

fn check_output_modulus(value: u64) -> Result<()> {
    check_within("output modulus", value, ..=MAX_MODULUS)
}

/// Returns the circuit if it has a level for entries.
pub(crate) fn entry_circuit(parameters: &Parameters) -> Result<&MultiplexerCircuit> {
    let name = &parameters.literal().name;
    match parameters.circuit() {
        Circuit::Multiplexer(circuit) if circuit.has_entry_level() => Ok(circuit),
        Circuit::Multiplexer(_) => Err(Error::Unsupported(format!(
            "a separate table for every value: {name} has entry_levels = 0, but needs 1"
        ))),
        Circuit::Akp(_) | Circuit::MultiPrecision(_) => Err(Error::Unsupported(format!(
            "a separate table for every value: {name} is not a multiplexer tree"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_those_of_every_table() {
        for (count, p) in [(1, 2), (3, 16), (40, 17), (7, 100)] {
            let output = |k: usize, x: u64| (k as u64 * 31 + x * 7 + k as u64 * x) % 97;
            let all = (0..count).flat_map(|k| (0..p).map(move |x| output(k, x) as u32)).collect();
            let tables = SlotTables::from_outputs(p, 97, all).unwrap();
            let found = |k| (0..p).all(|x| tables.output(k, x) == output(k, x));
            assert!((0..count).all(found), "{count} tables of {p}");
            let fractions = tables.fractions(1, count);
            let expected = |k| (output(k, 1) as f64 + 48.0).rem_euclid(97.0) - 48.0;
            assert!((0..count).all(|k| (fractions[k] * 97.0 - expected(k)).abs() < 1e-9));
        }
    }
}
