//! Tables of bridges: packed tables whose outputs are integers with headroom, or digits of leveled values.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cryptable::Table;
use cryptable::engines::{leveled, packed};

use super::plan::HEADROOM_BITS;
use crate::args::bridge::BridgeRunArgs;
use crate::args::common::name_of;
use crate::formats::domain::Signs;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::input_file;

/// Returns the path of the table of every operand. The arguments name one table per operand, or one for all.
pub fn paths(args: &BridgeRunArgs) -> Result<Vec<&PathBuf>> {
    let (found, operands) = (args.tables.len(), args.op.operands());
    let inputs = args.inputs.len();
    let op = name_of(&args.op);
    ensure!(
        inputs == operands,
        "{inputs} --input, but {op} takes {operands}: one for each operand"
    );
    ensure!(
        found == 1 || found == operands,
        "{found} --table, but {op} takes one for all operands, or {operands}"
    );
    Ok((0..operands).map(|index| &args.tables[index.min(found - 1)]).collect())
}

/// Reads a table whose outputs are integers with one bit of headroom, and subtracts the threshold: `f(x) - threshold`
/// in two's complement.
pub fn of_integers(args: &BridgeRunArgs, path: &Path, p: u64, bits: u32) -> Result<Table> {
    let entries = read(args.signed, path, p, 1 << (bits - HEADROOM_BITS))?;
    let modulus = 1i64 << bits;
    let half = modulus / 2;
    let shifted = |entry: i64| -> Result<u64> {
        let threshold = args.threshold.unwrap_or(0);
        let value = entry.checked_sub(threshold).filter(|value| (-half..half).contains(value));
        let value = value.with_context(|| {
            format!("--threshold {threshold}: outputs minus it must be from {} to {}, but one is {entry}", -half, half - 1)
        })?;
        Ok(value.rem_euclid(modulus) as u64)
    };
    let entries = entries.into_iter().map(shifted).collect::<Result<Vec<_>>>()?;
    Ok(Table::new(p, modulus as u64, entries)?)
}

/// Reads a table, and returns one table for each digit of its outputs, lowest first.
pub fn of_digits(
    args: &BridgeRunArgs,
    path: &Path,
    packed: &packed::Parameters,
    leveled: &leveled::Parameters,
) -> Result<Vec<Table>> {
    let (p, digit, modulus) =
        (packed.input_modulus(), packed.output_modulus(), leveled.input_modulus());
    let entries = read(args.signed, path, p, modulus)?;
    let place = |index: usize| {
        let size = digit.pow(index as u32);
        let digits = |&entry: &i64| entry.rem_euclid(modulus as i64) as u64 / size % digit;
        Ok(Table::new(p, digit, entries.iter().map(digits).collect())?)
    };
    (0..leveled.ciphertexts_of(modulus)).map(place).collect()
}

/// Reads the outputs of a table as integers.
fn read(signed: bool, path: &Path, input: u64, output: u64) -> Result<Vec<i64>> {
    let moduli = Moduli { input: Some(input), output: Some(output) };
    let options = TableOptions { signs: Signs::both(signed), ..TableOptions::plain(moduli) };
    let (table, _) = table::read(path, &options)?;
    let shown = || input_file::name(path);
    ensure!(
        table.input_modulus() == input,
        "{}: {} inputs, not {input}",
        shown(),
        table.input_modulus()
    );
    let integer = |&value: &u64| {
        let value = value as i64;
        if signed && value >= output as i64 / 2 { value - output as i64 } else { value }
    };
    Ok(table.values().iter().map(integer).collect())
}

/// Reads the second table, which maps leveled values to leveled values.
pub fn second(args: &BridgeRunArgs, leveled: &leveled::Parameters) -> Result<Table> {
    let path = args.second_table.as_deref().context("table needs --second-table")?;
    let moduli =
        Moduli { input: Some(leveled.input_modulus()), output: Some(leveled.output_modulus()) };
    let options = TableOptions { signs: Signs::both(args.signed), ..TableOptions::plain(moduli) };
    Ok(table::read(path, &options)?.0)
}
