//! Messages under an AES key, unencrypted on the client's side: encryption and opening.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::transciphering::{Message, MessageEncryptor};
use zeroize::Zeroizing;

use super::client::{aes_key, report_message};
use super::counter_record::CounterRecord;
use crate::args::Global;
use crate::args::aes::{AesEncryptArgs, AesOpenArgs};
use crate::atomic_file::{self, Access};
use crate::{input_file, key_input, report};

/// Largest message from a pipe, in bytes. The message is kept in memory, since its length comes first in the output and
/// plaintext must not be written to a disk.
const MAX_PIPED_BYTES: u64 = 1 << 30;

/// Bytes per piece of a message from a pipe.
const PIECE_BYTES: u64 = 1 << 20;

/// Encrypts a message, piece by piece.
///
/// # Errors
/// If a file cannot be read or written, if the AES key does not have 16 bytes, or if a counter block was used before.
pub fn encrypt(global: Global, args: &AesEncryptArgs) -> Result<()> {
    let start = Instant::now();
    let key = aes_key(global, &args.source)?;
    let failed = || format!("cannot encrypt {}", input_file::name(&args.input));
    let mut input = Input::open(args)?;
    let mut record = CounterRecord::beside(args.source.key_file.as_deref(), key.id())?;
    let mut output = atomic_file::create(&args.file.output, Access::Public)?;
    let mut encryptor = MessageEncryptor::with_used(key, record.take_used());
    let encryption = encryptor.take(args.counter, input.length).with_context(failed)?;
    // Recorded on the disk before a byte is written: whatever happens next, these counters are never used again.
    record.keep(&encryption.counters(), args.counter.is_some())?;
    encryption.encrypt_stream(&mut input.bytes, &mut output).with_context(failed)?;
    report::note(global, record.note());
    let output_bytes = output.commit(true)?;
    report_message(
        global,
        "message by AES-128 in counter mode",
        &args.file.output,
        input.length,
        output_bytes,
        start,
    )
}

/// Checks a message and decrypts it.
///
/// # Errors
/// If a file cannot be read or written, or if the message belongs to another key or was changed.
pub fn open(global: Global, args: &AesOpenArgs) -> Result<()> {
    let start = Instant::now();
    let key = aes_key(global, &args.source)?;
    let named = || input_file::name(&args.input);
    let file = key_input::map(&args.input)?;
    let message = Message::from_bytes(file.as_ref()).with_context(named)?;
    let mut output = atomic_file::create(&args.output, Access::Private)?;
    key.open_stream(&message, &mut output).with_context(named)?;
    let output_bytes = output.commit(true)?;
    report_message(
        global,
        "message",
        &args.output,
        message.bytes().len() as u64,
        output_bytes,
        start,
    )
}

/// A message of known length.
struct Input {
    bytes: Box<dyn Read>,
    length: u64,
}

impl Input {
    fn open(args: &AesEncryptArgs) -> Result<Self> {
        let name = input_file::name(&args.input);
        let mut file = input_file::open(&args.input)?;
        match length_of(&mut file) {
            Some(length) => Ok(Self { bytes: Box::new(file), length }),
            None => read_pieces(file).with_context(|| format!("cannot read {name}")),
        }
    }
}

/// Returns the length of a regular file that is read from its start; `None` for other inputs.
fn length_of(file: &mut File) -> Option<u64> {
    let metadata = file.metadata().ok()?;
    let is_whole = metadata.is_file() && file.stream_position().ok()? == 0;
    is_whole.then_some(metadata.len())
}

/// Reads everything from a pipe.
fn read_pieces(mut pipe: File) -> Result<Input> {
    let (mut pieces, mut length) = (VecDeque::new(), 0);
    loop {
        let mut piece = Zeroizing::new(Vec::with_capacity(PIECE_BYTES as usize));
        let found = pipe.by_ref().take(PIECE_BYTES).read_to_end(&mut piece)? as u64;
        if found == 0 {
            return Ok(Input { bytes: Box::new(Pieces { pieces, done: 0 }), length });
        }
        length += found;
        ensure!(length <= MAX_PIPED_BYTES, "more than {MAX_PIPED_BYTES} bytes from a pipe");
        pieces.push_back(piece);
    }
}

/// Bytes in pieces, which are cleared once they are read, and never grow, since growing would leave copies behind.
struct Pieces {
    pieces: VecDeque<Zeroizing<Vec<u8>>>,
    /// Number of bytes of the first piece that have been read.
    done: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(first) = self.pieces.front() else { return Ok(0) };
        let read = (&first[self.done..]).read(buffer)?;
        self.done += read;
        if self.done == first.len() {
            self.pieces.pop_front();
            self.done = 0;
        }
        Ok(read)
    }
}
