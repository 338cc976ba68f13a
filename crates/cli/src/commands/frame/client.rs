//! The client's commands for frames: encryption, decryption, and suggestions of schemas.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use cryptable::SecretKey;
use cryptable_frames::{FileFormat, FileKind, Frame, RecordBatch, suggest};
use serde_json::json;

use super::{read_frame, read_schema};
use crate::args::frames::{SchemaCommand, SuggestArgs};
use crate::args::{DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access};
use crate::commands::decrypt::no_options_of_values;
use crate::input_file;
use crate::key_input::{self, EncryptionKey};
use crate::report::{self, bytes, counted, seconds};

/// Encrypts the columns of a schema.
pub fn encrypt(
    global: Global,
    args: &EncryptArgs,
    key: EncryptionKey<'_>,
    schema: &Path,
) -> Result<()> {
    let start = Instant::now();
    let schema = read_schema(schema)?;
    let data = read_data(&args.input)?;
    let frame = match key {
        EncryptionKey::Secret(key) => Frame::encrypt(key, &data, &schema),
        EncryptionKey::Public(key) => Frame::encrypt_with_public_key(key, &data, &schema),
    };
    let frame = frame.with_context(|| input_file::name(&args.input))?;
    let mut file = atomic_file::create(&args.output, Access::Public)?;
    frame.write_to(&mut file)?;
    let output_bytes = file.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.key_file());
    let schema = data.schema();
    let all = schema.fields().iter().map(|field| field.name().clone());
    let columns = frame.names();
    let left: Vec<String> = all.filter(|name| !columns.contains(name)).collect();
    report_frame(global, &args.output, output_bytes, frame.rows(), &columns, &left, start)
}

/// Decrypts a frame to a file of columns.
pub fn decrypt(global: Global, args: &DecryptArgs, key: &SecretKey, file: &File) -> Result<()> {
    let start = Instant::now();
    no_options_of_values(args, "a frame, of which `decrypt` writes all columns")?;
    let format = format_of(&args.output)?;
    let schema = args.schema.as_deref().map(read_schema).transpose()?;
    let frame = read_frame(global, file, &args.input)?;
    let columns = frame.decrypt(key, schema.as_ref());
    let columns = columns.with_context(|| input_file::name(&args.input))?;
    let mut file = atomic_file::create(&args.output, Access::Private)?;
    let failed = || format!("cannot write {}", atomic_file::name(&args.output));
    format.write(&mut file, &columns).with_context(failed)?;
    let output_bytes = file.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    let schema = columns.schema();
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().clone()).collect();
    report_frame(global, &args.output, output_bytes, columns.num_rows(), &names, &[], start)
}

/// Runs a subcommand of `schema`.
pub fn schema(global: Global, command: &SchemaCommand) -> Result<()> {
    let SchemaCommand::Suggest(SuggestArgs { input, bits, output, .. }) = command;
    let data = read_data(input)?;
    let found = suggest(&data, 1 << bits);
    let (schema, left_out) = found.with_context(|| input_file::name(input))?;
    let json = schema.to_json();
    let output_bytes = atomic_file::write(output, Access::Private, json.as_bytes(), true)?;
    let rounded = schema.columns().iter().filter(|column| column.literal().round);
    let rounded: Vec<&str> = rounded.map(|column| column.name()).collect();
    let columns: Vec<&str> = schema.columns().iter().map(|column| column.name()).collect();
    let mut text = counted(columns.len() as u64, "column");
    if !rounded.is_empty() {
        text += &format!("\n  values are rounded: {}", rounded.join(", "));
    }
    for column in &left_out {
        text += &format!("\n  without \"{}\": {}", column.column, column.reason);
    }
    if let Some(name) = doubtful_name(input, &data) {
        text += &format!(
            "\n  the first line names columns, and one of them is \"{name}\"; if it has values, write a line of names \
             above it"
        );
    }
    let omitted: Vec<_> = left_out.iter().map(|it| (&it.column, &it.reason)).collect();
    let fields = json!({ "columns": columns, "rounded": rounded, "omitted": omitted });
    report::written(global, output, output_bytes, fields, &text)
}

/// Returns a name in the first line of a CSV file that looks like a value. Columns without a name are named by their
/// number.
fn doubtful_name(path: &Path, data: &RecordBatch) -> Option<String> {
    FileFormat::of(path).filter(|format| format.kind == FileKind::Csv)?;
    let schema = data.schema();
    let mut names = schema.fields().iter().map(|field| field.name().trim()).zip(1..);
    let is_value =
        |&(name, number): &(&str, usize)| name.parse::<f64>().is_ok() && name != number.to_string();
    names.find(is_value).map(|(name, _)| name.into())
}

/// Returns the format of a file, by its extension.
fn format_of(path: &Path) -> Result<FileFormat> {
    FileFormat::of(path).ok_or_else(|| {
        let name = input_file::name(path);
        anyhow!("{name}: a file of columns has one of the extensions {}", FileFormat::EXTENSIONS)
    })
}

/// Reads a file of columns.
fn read_data(path: &Path) -> Result<RecordBatch> {
    let format = format_of(path)?;
    let data = format.read(input_file::open(path)?);
    data.with_context(|| input_file::name(path))
}

/// Reports a file of a frame, or of its columns. Those that are `left` are not encrypted.
fn report_frame(
    global: Global,
    output: &Path,
    output_bytes: u64,
    rows: usize,
    columns: &[String],
    left: &[String],
    start: Instant,
) -> Result<()> {
    let time = start.elapsed().as_secs_f64();
    let count = counted(columns.len() as u64, "column");
    let (rows_, size, shown) = (counted(rows as u64, "row"), bytes(output_bytes), seconds(time));
    let mut text = format!("{rows_} of {count}, {size}, {shown}");
    let mut fields = json!({ "rows": rows, "columns": columns, "seconds": time });
    if !left.is_empty() {
        text += &format!("\n  not in the schema, and not encrypted: {}", left.join(", "));
        fields["not_encrypted"] = left.into();
    }
    report::written(global, output, output_bytes, fields, &text)
}
