//! `cryptable encrypt-table`: encryption of a table that the server cannot read.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Progress;
use cryptable::engines::packed::{EntryKind, SlotTables};
use serde_json::json;

use super::table_files;
use crate::args::{EncryptTableArgs, Global};
use crate::atomic_file::{self, Access};
use crate::formats::csv::ReadNote;
use crate::formats::table::Moduli;
use crate::formats::value_tables::{ValueTableOptions, ValueTables};
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input, progress};

/// Description of the keys that encrypt tables.
const OTHER_KEYS: &str = "keys from keygen --table-kind encrypted";

/// Encrypts one table for all values, or one per value.
pub fn run(global: Global, args: &EncryptTableArgs) -> Result<()> {
    let start = Instant::now();
    let secret = key_input::read_secret_key(global, &args.secret)?;
    let name = input_file::name(&args.secret);
    let key = secret
        .packed()
        .with_context(|| format!("{name} cannot encrypt tables; {OTHER_KEYS} can"))?;
    let parameters = key.parameters();
    ensure!(
        parameters.serves(EntryKind::Encrypted),
        "{name} is a key for tables in the clear; {OTHER_KEYS} encrypt them"
    );
    let (tables, read) = read(
        args,
        (parameters.input_modulus(), parameters.output_modulus()),
        parameters.literal().slots,
    )?;
    let mut file = atomic_file::create(&args.file.output, Access::Public)?;
    progress::shown(global, "encrypted table", |moved| {
        key.write_encrypted_tables(&tables, &mut file, Progress::new(moved))
    })?;
    let output_bytes = file.commit(true)?;
    key_input::warn_of_insecurity(global, &secret.parameters(), &args.secret);
    report::note(global, read.as_ref());
    let encrypt_s = start.elapsed().as_secs_f64();
    let (inputs, outputs) = (tables.input_modulus(), tables.output_modulus());
    let kind = match tables.count() {
        None => format!("a table {inputs} -> {outputs}"),
        Some(count) => format!("tables {inputs} -> {outputs} of {count} values"),
    };
    let text = format!("{kind}, {}, {}", bytes(output_bytes), seconds(encrypt_s));
    let mut fields = json!({
        "tables": tables.count(),
        "input_modulus": inputs,
        "output_modulus": outputs,
        "encrypt_s": encrypt_s,
    });
    if let Some(read) = read {
        fields["read"] = serde_json::to_value(read)?;
    }
    report::written(global, &args.file.output, output_bytes, fields, &text)
}

/// Reads the tables that the arguments name.
fn read(
    args: &EncryptTableArgs,
    moduli: (u64, u64),
    slots: usize,
) -> Result<(SlotTables, Option<ReadNote>)> {
    let name = || input_file::name(&args.table);
    if !args.per_value {
        let known = Moduli { input: Some(moduli.0), output: Some(moduli.1) };
        let (table, note) = table_files::read(&args.reading, &args.table, known)?;
        return Ok((SlotTables::shared(&table)?, note));
    }
    let (signed, header) = (args.reading.signs().outputs, args.reading.stated_header());
    let options = ValueTableOptions { moduli, signed, header };
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
