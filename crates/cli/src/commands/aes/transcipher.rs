//! What the server does.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::Table;
use cryptable_leveled::aes::counter_mode::counter_block;
use cryptable_leveled::aes::{BLOCK_BYTES, ROUNDS};
use cryptable_leveled::encrypted_bytes::{
    CHUNK_BYTES, Content, EncryptedBytes, EncryptedBytesWriter,
};
use cryptable_leveled::evaluation_key::CircuitEvaluationKey;
use serde::Serialize;

use crate::args::Global;
use crate::args::aes::AesTranscipherArgs;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::commands::threads;
use crate::formats::raw::read_up_to;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::input_file;
use crate::mapped_file::MappedFile;
use crate::progress;
use crate::report::{self, bytes, seconds};

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
    let round_keys = read_round_keys(&args.encrypted_key)?;
    let key = read_evaluation_key(&args.evaluation)?;
    round_keys.check(key.parameters(), key.client()).with_context(|| {
        format!("{} does not belong to {}", args.encrypted_key.display(), args.evaluation.display())
    })?;
    report::note(global, note.flatten().as_ref());
    let load_s = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let message_bytes = input.bytes;
    let transcipher = Transcipher { key: &key, round_keys: &round_keys, table: table.as_ref() };
    let output_bytes = transcipher.run(global, args, input)?;
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
        let failed = || format!("cannot read {}", name.display());
        // The output says first how long it is.
        let file = input_file::open_seekable(path)?;
        let bytes = file.metadata().with_context(failed)?.len();
        Ok(Self { path: name.to_path_buf(), file, bytes })
    }

    /// The next bytes, as many as fit.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<()> {
        let name = self.path.display();
        let found =
            read_up_to(&mut self.file, buffer).with_context(|| format!("cannot read {name}"))?;
        ensure!(found == buffer.len(), "{name} became shorter while it was read");
        Ok(())
    }
}

/// What turns bytes into ciphertexts.
struct Transcipher<'a> {
    key: &'a CircuitEvaluationKey,
    round_keys: &'a EncryptedBytes,
    table: Option<&'a Table>,
}

impl Transcipher<'_> {
    /// Takes one chunk after the other, so that memory does not grow with the message; returns the output's length.
    ///
    /// The counter goes up by one a block, modulo 2^128 (the standard incrementing function of NIST SP 800-38A,
    /// Appendix B.1); no file is so long that a counter came twice.
    fn run(&self, global: Global, args: &AesTranscipherArgs, mut input: Input) -> Result<u64> {
        let mut output = AtomicFile::create(&args.output, Access::Public)?;
        let (parameters, client) = (self.key.parameters(), self.key.client());
        let mut writer = EncryptedBytesWriter::new(&mut output, parameters, client, input.bytes)?;
        // The table takes as long as a round.
        let steps = ROUNDS + usize::from(self.table.is_some());
        let total = steps as u64 * input.bytes.div_ceil(BLOCK_BYTES as u64);
        let bar = progress::bar(global, "AES rounds");
        let on = progress::on(&bar);
        let (mut buffer, mut left, mut blocks) = ([0; CHUNK_BYTES], input.bytes, 0);
        while left > 0 {
            let chunk = &mut buffer[..left.min(CHUNK_BYTES as u64) as usize];
            input.fill(chunk)?;
            let done = steps as u64 * blocks;
            let step = |rounds: usize| on(done as usize + rounds, total as usize);
            bar.items(blocks, input.bytes.div_ceil(BLOCK_BYTES as u64), "blocks");
            writer.push(&self.chunk(counter_block(args.counter.0, blocks), chunk, &step)?)?;
            left -= chunk.len() as u64;
            blocks += chunk.len().div_ceil(BLOCK_BYTES) as u64;
        }
        writer.finish()?;
        drop(on);
        bar.finish_and_clear();
        output.commit(true)
    }

    /// Ciphertexts of the message's bytes behind some bytes, or of the table's outputs. `step` gets the rounds done.
    fn chunk(
        &self,
        counter: [u8; BLOCK_BYTES],
        bytes: &[u8],
        step: &(dyn Fn(usize) + Sync),
    ) -> Result<EncryptedBytes> {
        let rounds = ROUNDS * bytes.len().div_ceil(BLOCK_BYTES);
        let on = |done, _| step(done);
        let message = self.key.transcipher(self.round_keys, counter, bytes, &on)?;
        let Some(table) = self.table else { return Ok(message) };
        let on = |done: usize, _| step(rounds + done.div_ceil(BLOCK_BYTES));
        Ok(self.key.lookup_bytes(&message, table.values(), &on)?)
    }
}

fn read_round_keys(path: &Path) -> Result<EncryptedBytes> {
    let file = MappedFile::open(path)?;
    EncryptedBytes::from_bytes(Content::RoundKeys, file.as_ref())
        .with_context(|| format!("cannot read {}", input_file::shown(path).display()))
}

fn read_evaluation_key(path: &Path) -> Result<CircuitEvaluationKey> {
    let file = MappedFile::open(path)?;
    CircuitEvaluationKey::from_bytes(file.as_ref())
        .with_context(|| format!("cannot read {}", input_file::shown(path).display()))
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
            atomic_file::shown(&self.output).display(),
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
