//! What the server does.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::Progress;
use cryptable::transciphering::{EncryptedKey, EvaluationKey, Transciphering};
use serde::Serialize;

use crate::args::Global;
use crate::args::aes::AesTranscipherArgs;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::commands::threads;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{input_file, key_input, progress};

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
    let options = TableOptions::plain(moduli);
    let found = args.table.as_deref().map(|path| table::read(path, &options)).transpose()?;
    let (table, note) = found.unzip();
    let input = Input::open(&args.input)?;
    let aes_key = read_aes_key(&args.encrypted_key)?;
    let key = read_evaluation_key(global, &args.evaluation)?;
    aes_key.check(key.parameters(), key.key_id()).with_context(|| {
        format!(
            "{} does not belong to {}",
            args.encrypted_key.printable(),
            args.evaluation.printable()
        )
    })?;
    let table = table.map(|table| key.prepare(&table)).transpose()?;
    report::note(global, note.flatten().as_ref());
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let message_bytes = input.bytes;
    let transciphering = Transciphering::new(&key, &aes_key, table.as_ref())?;
    let output_bytes = transcipher(global, args, &transciphering, input)?;
    let report = TranscipherReport {
        output_bytes,
        output: args.output.clone(),
        message_bytes,
        key_memory_bytes: key.memory_bytes() as u64,
        load_s,
        eval_s: start.elapsed().as_secs_f64(),
        threads: threads(global),
        peak_rss_bytes: report::peak_memory_bytes(),
    };
    report::summary(global, &report)
}

/// A file of known length.
struct Input {
    path: PathBuf,
    file: File,
    bytes: u64,
}

impl Input {
    fn open(path: &Path) -> Result<Self> {
        let name = input_file::shown(path);
        let failed = || format!("cannot read {}", name.printable());
        // The output says first how long it is.
        let file = input_file::open_seekable(path)?;
        let bytes = file.metadata().with_context(failed)?.len();
        Ok(Self { path: name.to_path_buf(), file, bytes })
    }
}

/// Turns all bytes into ciphertexts; returns the output's length.
fn transcipher(
    global: Global,
    args: &AesTranscipherArgs,
    transciphering: &Transciphering<'_>,
    mut input: Input,
) -> Result<u64> {
    let mut output = AtomicFile::create(&args.output, Access::Public)?;
    let bar = progress::bar(global, "AES rounds");
    let moved = progress::on(&bar);
    let (counter, bytes) = (args.counter.0, (&mut input.file as _, input.bytes));
    transciphering
        .transcipher_stream(counter, bytes, &mut output, Progress::new(&moved))
        .with_context(|| format!("cannot transcipher {}", input.path.printable()))?;
    bar.finish_and_clear();
    output.commit(true)
}

fn read_aes_key(path: &Path) -> Result<EncryptedKey> {
    key_input::read_mapped(path, |file| EncryptedKey::from_bytes((**file).as_ref()))
}

fn read_evaluation_key(global: Global, path: &Path) -> Result<EvaluationKey> {
    key_input::read_mapped(path, |file| {
        EvaluationKey::from_shared(file.clone(), global.read_options())
    })
}

#[derive(Serialize)]
struct TranscipherReport {
    output: PathBuf,
    message_bytes: u64,
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
            atomic_file::shown(&self.output).printable(),
            bytes(self.message_bytes),
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
