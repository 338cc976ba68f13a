//! The client's commands for frames: encryption, decryption, and suggestions of schemas.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use cryptable::SecretKey;
use cryptable_frames::{FileFormat, Frame, RecordBatch, suggest};
use serde::Serialize;

use super::{read_frame, read_schema, unwrapped};
use crate::args::frames::{SchemaCommand, SuggestArgs};
use crate::args::{DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access};
use crate::commands::decrypt::no_options_of_values;
use crate::commands::encrypt::EncryptionKey;
use crate::printable::Printable as _;
use crate::report::{self, bytes, counted, seconds};
use crate::{input_file, key_input};

/// Encrypts the columns of a schema.
///
/// # Errors
/// If a file cannot be read or written, or if a value does not fit its column.
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
    let frame = frame.map_err(unwrapped);
    let frame = frame.with_context(|| input_file::shown(&args.input).printable())?;
    let mut file = atomic_file::create(&args.output, Access::Public)?;
    frame.write_to(&mut file)?;
    let output_bytes = file.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.key_file());
    let schema = data.schema();
    let all = schema.fields().iter().map(|field| field.name().clone());
    let report = Report {
        output: args.output.clone(),
        rows: frame.rows(),
        left: all.filter(|name| !frame.names().contains(name)).collect(),
        columns: frame.names(),
        output_bytes,
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Decrypts a frame to a file of columns.
///
/// # Errors
/// If a file cannot be read or written, or if the frame has another key.
pub fn decrypt(global: Global, args: &DecryptArgs, key: &SecretKey, file: &File) -> Result<()> {
    let start = Instant::now();
    no_options_of_values(args, "a frame, of which `decrypt` writes all columns")?;
    let format = format_of(&args.output)?;
    let schema = args.schema.as_deref().map(read_schema).transpose()?;
    let frame = read_frame(global, file, &args.input)?;
    let columns = frame.decrypt(key, schema.as_ref()).map_err(unwrapped);
    let columns = columns.with_context(|| input_file::shown(&args.input).printable())?;
    let mut file = atomic_file::create(&args.output, Access::Private)?;
    let failed = || format!("cannot write {}", atomic_file::shown(&args.output).printable());
    format.write(&mut file, &columns).with_context(failed)?;
    let output_bytes = file.commit(true)?;
    key_input::warn_of_insecurity(global, &key.parameters(), args.secret());
    let schema = columns.schema();
    let report = Report {
        output: args.output.clone(),
        rows: columns.num_rows(),
        columns: schema.fields().iter().map(|field| field.name().clone()).collect(),
        left: Vec::new(),
        output_bytes,
        seconds: start.elapsed().as_secs_f64(),
    };
    report::summary(global, &report)
}

/// Runs a subcommand of `schema`.
///
/// # Errors
/// If a file cannot be read or written, or if no schema can be suggested.
pub fn schema(global: Global, command: &SchemaCommand) -> Result<()> {
    let SchemaCommand::Suggest(SuggestArgs { input, bits, output, .. }) = command;
    let data = read_data(input)?;
    let found = suggest(&data, 1 << bits);
    let (schema, left_out) = found.with_context(|| input_file::shown(input).printable())?;
    let mut file = atomic_file::create(output, Access::Private)?;
    file.write_all(schema.to_json().as_bytes())?;
    file.commit(true)?;
    let rounded = schema.columns().iter().filter(|column| column.literal().round);
    let report = SchemaReport {
        output: output.clone(),
        columns: schema.columns().iter().map(|column| column.name().into()).collect(),
        rounded: rounded.map(|column| column.name().into()).collect(),
        omitted: left_out.into_iter().map(|left| (left.column, left.reason)).collect(),
    };
    report::summary(global, &report)
}

/// Returns the format of a file, by its extension.
fn format_of(path: &Path) -> Result<FileFormat> {
    FileFormat::of(path).ok_or_else(|| {
        let name = path.printable();
        anyhow!("{name}: a file of columns has one of the extensions {}", FileFormat::EXTENSIONS)
    })
}

/// Reads a file of columns.
fn read_data(path: &Path) -> Result<RecordBatch> {
    let format = format_of(path)?;
    let data = format.read(input_file::open(path)?);
    data.with_context(|| input_file::shown(path).printable())
}

#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    rows: usize,
    columns: Vec<String>,
    /// Columns of the data that are not encrypted.
    #[serde(rename = "not_encrypted", skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
    output_bytes: u64,
    seconds: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = atomic_file::shown(&self.output).printable();
        let rows = counted(self.rows as u64, "row");
        let columns = counted(self.columns.len() as u64, "column");
        let (size, time) = (bytes(self.output_bytes), seconds(self.seconds));
        write!(f, "{output}: {rows} of {columns}, {size}, {time}")?;
        match self.left.is_empty() {
            true => Ok(()),
            false => {
                write!(f, "\n  not in the schema, and not encrypted: {}", self.left.join(", "))
            }
        }
    }
}

#[derive(Serialize)]
struct SchemaReport {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    columns: Vec<String>,
    /// Columns whose values are rounded.
    rounded: Vec<String>,
    /// Columns for which nothing is suggested, and why.
    omitted: Vec<(String, String)>,
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = atomic_file::shown(&self.output).printable();
        write!(f, "{output}: {}", counted(self.columns.len() as u64, "column"))?;
        if !self.rounded.is_empty() {
            write!(f, "\n  values are rounded: {}", self.rounded.join(", "))?;
        }
        for (column, reason) in &self.omitted {
            write!(f, "\n  without \"{column}\": {reason}")?;
        }
        Ok(())
    }
}
