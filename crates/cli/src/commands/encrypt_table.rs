//! `cryptable encrypt-table`: encryption of a table that the server cannot read.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Progress;
use cryptable::engines::packed::{EntryKind, SlotTables};
use serde::Serialize;

use super::table_files;
use crate::args::{EncryptTableArgs, Global};
use crate::atomic_file::{self, Access};
use crate::formats::csv::ReadNote;
use crate::formats::table::Moduli;
use crate::formats::value_tables::{ValueTableOptions, ValueTables};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input, progress};

/// Description of the keys that encrypt tables.
const OTHER_KEYS: &str = "keys of keygen --table-kind encrypted";

/// Encrypts one table for all values, or one per value.
///
/// # Errors
/// If a file cannot be read or written, if the table's moduli are not the key's, or if the key is for unencrypted
/// tables.
pub fn run(global: Global, args: &EncryptTableArgs) -> Result<()> {
    let start = Instant::now();
    let secret = key_input::read_secret_key(global, &args.secret)?;
    let name = input_file::shown(&args.secret).printable();
    let key =
        secret.packed().with_context(|| format!("{name} encrypts no tables, {OTHER_KEYS} do"))?;
    let parameters = key.parameters();
    ensure!(
        parameters.serves(EntryKind::Encrypted),
        "{name} is of a key for tables in the clear; {OTHER_KEYS} encrypt them"
    );
    let (tables, read) = read(
        args,
        (parameters.input_modulus(), parameters.output_modulus()),
        parameters.literal().slots,
    )?;
    let mut file = atomic_file::create(&args.output, Access::Public)?;
    let bar = progress::bar(global, "encrypted table");
    let moved = progress::on(&bar);
    key.write_encrypted_tables(&tables, &mut file, Progress::new(&moved))?;
    bar.finish_and_clear();
    let output_bytes = file.commit(true)?;
    key_input::warn_of_insecurity(global, &secret.parameters(), &args.secret);
    report::note(global, read.as_ref());
    let report = Report {
        output: args.output.clone(),
        read,
        tables: tables.count(),
        input_modulus: tables.input_modulus(),
        output_modulus: tables.output_modulus(),
        output_bytes,
        encrypt_s: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Reads the tables that the arguments name.
fn read(
    args: &EncryptTableArgs,
    moduli: (u64, u64),
    slots: usize,
) -> Result<(SlotTables, Option<ReadNote>)> {
    let name = || input_file::shown(&args.table).printable();
    if !args.per_value {
        let known = Moduli { input: Some(moduli.0), output: Some(moduli.1) };
        let paths = std::slice::from_ref(&args.table);
        let (table, note) = table_files::read_all(&args.reading, paths, known)?.swap_remove(0);
        return Ok((SlotTables::shared(&table)?, note));
    }
    let header = table_files::stated_header(&args.reading);
    let options = ValueTableOptions { moduli, signed: args.reading.signs().outputs, header };
    let mut file = ValueTables::open(&args.table, options)?;
    let tables = file.next_tables(slots)?;
    let tables = tables.with_context(|| format!("{} holds no tables", name()))?;
    ensure!(
        file.next_tables(1)?.is_none(),
        "{}: more than {slots} tables, one for each value of a ciphertext",
        name()
    );
    Ok((tables, file.note()))
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    read: Option<ReadNote>,
    /// Number of tables if there is one per value; `None` if one table serves all.
    tables: Option<usize>,
    input_modulus: u64,
    output_modulus: u64,
    output_bytes: u64,
    encrypt_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = atomic_file::shown(&self.output).printable();
        let Self { input_modulus, output_modulus, .. } = self;
        match self.tables {
            None => write!(f, "{output}: a table {input_modulus} -> {output_modulus}")?,
            Some(count) => {
                write!(
                    f,
                    "{output}: tables {input_modulus} -> {output_modulus} of {count} values"
                )?;
            }
        }
        write!(f, ", {}, {}", bytes(self.output_bytes), seconds(self.encrypt_s))
    }
}
