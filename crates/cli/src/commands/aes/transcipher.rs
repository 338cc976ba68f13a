//! What the server does.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable_circuit::encrypted_bytes::{Content, EncryptedBytes};
use cryptable_circuit::evaluation_key::CircuitEvaluationKey;
use serde::Serialize;

use super::{read, write};
use crate::args::Global;
use crate::args::aes::AesTranscipherArgs;
use crate::commands::threads;
use crate::formats::table::{self, Moduli};
use crate::mapped_file::MappedFile;
use crate::progress;
use crate::report::{self, bytes, seconds};

/// Longest input: its ciphertexts take half a gigabyte of memory twice, and half an hour.
const MAX_MESSAGE_BYTES: u64 = 4096;

/// Values of a byte.
const BYTE_VALUES: u64 = 256;

/// Turns bytes of AES into homomorphic ciphertexts, and maps them through a table if there is one.
///
/// # Errors
/// If a file cannot be read or written, or keys do not belong together.
pub fn run(global: Global, args: &AesTranscipherArgs) -> Result<()> {
    let start = Instant::now();
    // The cheap checks first: the key takes a while.
    let moduli = Moduli { input: Some(BYTE_VALUES), output: Some(BYTE_VALUES) };
    let table = args.table.as_deref().map(|path| table::read(path, moduli)).transpose()?;
    let input = read(&args.input, MAX_MESSAGE_BYTES)?;
    let round_keys = read_round_keys(&args.key)?;
    let key = read_evaluation_key(&args.evaluation)?;
    round_keys.check(key.parameters(), key.client()).with_context(|| {
        format!("{} does not belong to {}", args.key.display(), args.evaluation.display())
    })?;
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let bar = progress::bar(global, "AES rounds");
    let mut output = key.transcipher(&round_keys, args.counter.0, &input, &progress::on(&bar))?;
    bar.finish_and_clear();
    if let Some(table) = &table {
        let bar = progress::bar(global, "table");
        output = key.lookup_bytes(&output, table.values(), &progress::on(&bar))?;
        bar.finish_and_clear();
    }
    let eval_s = start.elapsed().as_secs_f64();
    let report = TranscipherReport {
        output_bytes: write(&args.output, &output.to_bytes())?,
        output: args.output.clone(),
        message_bytes: input.len(),
        key_memory_bytes: key.memory_bytes() as u64,
        load_s,
        eval_s,
        threads: threads(global),
        peak_rss_bytes: report::peak_memory_bytes(),
    };
    report::summary(global, &report)
}

fn read_round_keys(path: &Path) -> Result<EncryptedBytes> {
    let file = MappedFile::open(path)?;
    EncryptedBytes::from_bytes(Content::RoundKeys, file.as_ref())
        .with_context(|| format!("cannot read {}", path.display()))
}

fn read_evaluation_key(path: &Path) -> Result<CircuitEvaluationKey> {
    let file = MappedFile::open(path)?;
    CircuitEvaluationKey::from_bytes(file.as_ref())
        .with_context(|| format!("cannot read {}", path.display()))
}

#[derive(Serialize)]
struct TranscipherReport {
    output: PathBuf,
    message_bytes: usize,
    output_bytes: u64,
    key_memory_bytes: u64,
    load_s: f64,
    eval_s: f64,
    threads: usize,
    peak_rss_bytes: Option<u64>,
}

impl fmt::Display for TranscipherReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: ciphertexts of {}, {}; key loaded in {}, transciphered in {} on {} thread{}",
            self.output.display(),
            bytes(self.message_bytes as u64),
            bytes(self.output_bytes),
            seconds(self.load_s),
            seconds(self.eval_s),
            self.threads,
            if self.threads == 1 { "" } else { "s" }
        )?;
        match self.peak_rss_bytes {
            Some(peak) => write!(f, "; peak memory {}", bytes(peak)),
            None => Ok(()),
        }
    }
}
