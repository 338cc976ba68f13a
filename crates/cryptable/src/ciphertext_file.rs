//! Files of ciphertexts, written and read one ciphertext at a time.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | magic `CRYPTCTS` |
//! | 8 | 4 | format version |
//! | 12 | 2 | engine: 0 packed, 1 single, 2 leveled |
//! | 14 | 2 | marks: 1 if the values are signed, plus 2 if each ciphertext stands alone |
//! | 16 | 32 | digest of the parameters of all ciphertexts |
//! | 48 | 16 | identifier of the client's key |
//! | 64 | 8 | modulus of the values |
//! | 72 | … | for each ciphertext, its length in 8 bytes, never 0, and its wire format |
//! | … | 8 | zero |
//! | … | 8 | number of values |
//! | … | 8 | number of ciphertexts |
//! | … | 32 | BLAKE3 digest of everything before |
//!
//! All numbers are little-endian. Numbers that are known only at the end stand at the end, so that a file can be
//! written to a pipe. Digests detect damage, not forgery. Each ciphertext has a checksum of its own; the digest over
//! all of them also detects missing, swapped and repeated ciphertexts, before any work is done.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use cryptable_wire::{FORMAT_VERSION, Header, KeyId, WireError, peek_header};

use crate::ciphertext::{Contents, Marks, Part};
use crate::{Ciphertext, Engine, ReadOptions, Result, memory};

const HEADER_BYTES: usize = 72;

/// Bytes of the end mark, two numbers and the digest.
const TRAILER_BYTES: usize = 24 + blake3::OUT_LEN;

/// Length in bytes of the longest ciphertext that readers accept.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 30;

/// Bytes of memory for each byte of a ciphertext that is read: the byte itself, and the word that it is decoded to.
const MEMORY_PER_BYTE: u64 = 2;

/// Limit on further bytes of memory: unpacked words of packed values, or one word for each ciphertext of single values.
const UNPACKED_BYTES: u64 = 16 << 20;

/// Bytes that are hashed at a time.
const HASH_BATCH: usize = 1 << 20;

/// The contents and size of a file of ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CiphertextFileSummary {
    /// Properties that all ciphertexts share.
    pub contents: Contents,
    /// Number of values.
    pub values: u64,
    /// Number of ciphertexts in the file, counting each part of every [`Ciphertext`] that was pushed.
    pub ciphertexts: u64,
    /// Length of the file in bytes.
    pub bytes: u64,
    /// BLAKE3 digest of the whole file except the digest itself.
    pub digest: [u8; 32],
}

impl CiphertextFileSummary {
    /// The first eight bytes of a file of ciphertexts.
    pub const MAGIC: [u8; 8] = *b"CRYPTCTS";
}

/// Writes a file of ciphertexts to any [`Write`], in bounded memory.
///
/// ```
/// use cryptable::{CiphertextReader, CiphertextWriter, Engine, Parameters, SecretKey};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
/// let first = secret.encrypt(&[1, 2, 3])?;
/// let mut writer = CiphertextWriter::new(Vec::new(), first.contents())?;
/// writer.push(&first)?;
/// writer.push(&secret.encrypt(&[0])?)?;
/// let (file, summary) = writer.finish()?;
/// assert_eq!((summary.values, summary.bytes), (4, file.len() as u64));
///
/// let mut reader = CiphertextReader::new(std::io::Cursor::new(file))?;
/// let mut values = Vec::new();
/// while let Some(ciphertext) = reader.next_ciphertext()? {
///     values.extend(secret.decrypt(&ciphertext)?);
/// }
/// assert_eq!(values, [1, 2, 3, 0]);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Debug)]
pub struct CiphertextWriter<W> {
    writer: W,
    hasher: blake3::Hasher,
    summary: CiphertextFileSummary,
}

impl<W: Write> CiphertextWriter<W> {
    /// Starts a file for ciphertexts with these contents, as returned by [`Ciphertext::contents`], and writes its
    /// header.
    ///
    /// # Errors
    /// If writing fails.
    pub fn new(writer: W, contents: Contents) -> Result<Self> {
        let (values, ciphertexts, bytes, digest) = (0, 0, 0, [0; 32]);
        let summary = CiphertextFileSummary { contents, values, ciphertexts, bytes, digest };
        let mut file = Self { writer, hasher: blake3::Hasher::new(), summary };
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend(CiphertextFileSummary::MAGIC);
        header.extend(u32::from(FORMAT_VERSION).to_le_bytes());
        header.extend(engine_number(contents.engine).to_le_bytes());
        header.extend(contents.marks().number().to_le_bytes());
        header.extend(contents.parameter_digest);
        header.extend(contents.key_id.0);
        header.extend(contents.modulus.to_le_bytes());
        file.write(&header)?;
        Ok(file)
    }

    /// Appends a ciphertext, part by part. Parts longer than readers accept are split.
    ///
    /// # Errors
    /// If its contents differ from those of the file, or if writing fails.
    pub fn push(&mut self, ciphertext: &Ciphertext) -> Result<()> {
        self.summary.contents.check(&ciphertext.contents(), "ciphertext")?;
        for part in ciphertext.parts() {
            let most = part.values_within(MAX_CIPHERTEXT_BYTES);
            match part.count() > most {
                false => self.push_part(part)?,
                true => part.clone().into_pieces(0, most).try_for_each(|p| self.push_part(&p))?,
            }
        }
        Ok(())
    }

    fn push_part(&mut self, part: &Part) -> Result<()> {
        let bytes = part.to_bytes();
        self.write(&(bytes.len() as u64).to_le_bytes())?;
        self.write(&bytes)?;
        self.summary.values += part.count() as u64;
        self.summary.ciphertexts += 1;
        Ok(())
    }

    /// Returns what was written so far. The digest and length of the whole file are known only after
    /// [`CiphertextWriter::finish`].
    #[must_use]
    pub fn summary(&self) -> &CiphertextFileSummary {
        &self.summary
    }

    /// Flushes the underlying writer.
    ///
    /// # Errors
    /// If flushing fails.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.writer.flush()?)
    }

    /// Completes the file, flushes the writer, and returns it with the summary of the file. Readers refuse a file that
    /// was not finished as truncated.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> Result<(W, CiphertextFileSummary)> {
        let numbers = [0, self.summary.values, self.summary.ciphertexts];
        self.write(&numbers.map(u64::to_le_bytes).concat())?;
        let digest = *self.hasher.finalize().as_bytes();
        self.write(&digest)?;
        self.summary.digest = digest;
        self.writer.flush()?;
        Ok((self.writer, self.summary))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.summary.bytes += bytes.len() as u64;
        self.writer.write_all(bytes)
    }
}

impl CiphertextWriter<BufWriter<File>> {
    /// Continues an unfinished file with these contents after at most `values` values.
    ///
    /// Whole, undamaged ciphertexts are kept as long as they hold at most `values` values together; everything after
    /// them is cut off. [`CiphertextWriter::summary`] tells what was kept. A file with other contents is overwritten.
    ///
    /// ```
    /// use cryptable::{CiphertextWriter, Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let (first, second) = (secret.encrypt(&[1, 2, 3])?, secret.encrypt(&[0])?);
    /// let file = tempfile::tempfile()?;
    /// let mut writer = CiphertextWriter::resume(file.try_clone()?, first.contents(), u64::MAX)?;
    /// writer.push(&first)?;
    /// writer.push(&second)?;
    /// writer.flush()?;
    /// let writer = CiphertextWriter::resume(file, first.contents(), 3)?;
    /// assert_eq!((writer.summary().values, writer.summary().ciphertexts), (3, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn resume(file: File, contents: Contents, values: u64) -> Result<Self> {
        let CiphertextWriter { hasher, summary, .. } = whole_ciphertexts(&file, contents, values)?;
        let mut writer = BufWriter::new(file);
        if summary.ciphertexts == 0 {
            writer.get_ref().set_len(0)?;
            writer.seek(SeekFrom::Start(0))?;
            return Self::new(writer, contents);
        }
        writer.get_ref().set_len(summary.bytes)?;
        writer.seek(SeekFrom::Start(summary.bytes))?;
        Ok(Self { writer, hasher, summary })
    }
}

/// Reads the whole, undamaged ciphertexts at the beginning of a file, at most `values` values, and returns a writer in
/// the state after writing them.
fn whole_ciphertexts(
    file: &File,
    contents: Contents,
    values: u64,
) -> Result<CiphertextWriter<io::Sink>> {
    let (mut reader, end) = (BufReader::new(file), file.metadata()?.len());
    reader.seek(SeekFrom::Start(0))?;
    let mut whole = CiphertextWriter::new(io::sink(), contents)?;
    let mut header = [0; HEADER_BYTES];
    let found = read_up_to(&mut reader, &mut header)?;
    if !parse_header(&header[..found]).is_ok_and(|found| found == contents) {
        return Ok(whole);
    }
    loop {
        let mut length = [0; 8];
        let found = read_up_to(&mut reader, &mut length)?;
        let length = u64::from_le_bytes(length);
        let rest = end.saturating_sub(whole.summary.bytes + found as u64);
        if found < 8 || length == 0 || length > rest.min(MAX_CIPHERTEXT_BYTES) {
            return Ok(whole);
        }
        let mut bytes = memory::zeros("ciphertext", length as usize)?;
        reader.read_exact(&mut bytes)?;
        match Part::from_bytes(contents.engine, &bytes) {
            Ok(part)
                if part.contents(contents.marks()) == contents
                    && whole.summary.values + part.count() as u64 <= values =>
            {
                whole.push_part(&part)?;
            }
            _ => return Ok(whole),
        }
    }
}

/// Reads a file of ciphertexts one by one, with only one in memory. The digest of the whole file is checked first.
/// [`CiphertextWriter`] has an example.
#[derive(Debug)]
pub struct CiphertextReader<R> {
    reader: R,
    summary: CiphertextFileSummary,
    /// Offset at which the next ciphertext starts.
    position: u64,
    ciphertexts_left: u64,
    values_left: u64,
    /// Offset of the last ciphertext read, and its number of values; `None` after a step back.
    last: Option<(u64, u64)>,
    options: ReadOptions,
}

impl<R: Read + Seek> CiphertextReader<R> {
    /// Checks the header, numbers and digest of a file, and moves to its first ciphertext.
    ///
    /// # Errors
    /// If a single bit is wrong, if the format version is another, if the file holds no ciphertext, or if reading
    /// fails.
    pub fn new(mut reader: R) -> Result<Self> {
        reader.seek(SeekFrom::Start(0))?;
        let mut hasher = blake3::Hasher::new();
        let mut header = [0; HEADER_BYTES];
        let found = read_up_to(&mut reader, &mut header)?;
        let contents = parse_header(&header[..found])?;
        hasher.update(&header);
        let bytes = reader.seek(SeekFrom::End(0))?;
        let body = bytes.checked_sub((HEADER_BYTES + TRAILER_BYTES) as u64);
        let needed = (HEADER_BYTES + TRAILER_BYTES) as u64;
        let body = body.ok_or(WireError::Truncated { name: "file", needed, found: bytes })?;
        reader.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
        hash_exactly(&mut reader, body, &mut hasher)?;
        let mut trailer = [0; TRAILER_BYTES];
        reader.read_exact(&mut trailer)?;
        let (numbers, digest) = trailer.split_at(24);
        hasher.update(numbers);
        if hasher.finalize() != *digest {
            return Err(WireError::ChecksumMismatch.into());
        }
        let (end, values, ciphertexts) = (word(numbers, 0), word(numbers, 8), word(numbers, 16));
        if end != 0 || ciphertexts == 0 {
            return Err(
                WireError::invalid("number of ciphertexts", ciphertexts, "at least 1").into()
            );
        }
        let digest = digest.try_into().expect("32 bytes");
        let summary = CiphertextFileSummary { contents, values, ciphertexts, bytes, digest };
        let position = HEADER_BYTES as u64;
        reader.seek(SeekFrom::Start(position))?;
        let (ciphertexts_left, values_left) = (ciphertexts, values);
        let options = ReadOptions::default();
        let last = None;
        Ok(Self { reader, summary, position, ciphertexts_left, values_left, last, options })
    }

    /// Refuses ciphertexts that need more memory for reading than [`ReadOptions::max_memory`] allows: twice their
    /// length plus up to 16 MiB.
    #[must_use]
    pub fn with_options(self, options: ReadOptions) -> Self {
        Self { options, ..self }
    }

    /// Returns the contents and size of the file.
    #[must_use]
    pub fn summary(&self) -> &CiphertextFileSummary {
        &self.summary
    }

    /// Reads the next ciphertext; `None` after the last.
    ///
    /// # Errors
    /// If a ciphertext is invalid or needs too much memory, if it or the number of values contradicts the header or
    /// trailer, or if reading fails.
    pub fn next_ciphertext(&mut self) -> Result<Option<Ciphertext>> {
        let marks = self.summary.contents.marks();
        let marked = |part| Ok(Ciphertext::new(vec![part])?.with_marks(marks));
        self.next_part()?.map(marked).transpose()
    }

    /// Moves back before the ciphertext that was read last. Only one step back is possible.
    ///
    /// # Errors
    /// If seeking fails.
    pub fn step_back(&mut self) -> Result<()> {
        if let Some((position, values)) = self.last.take() {
            self.reader.seek(SeekFrom::Start(position))?;
            self.position = position;
            self.ciphertexts_left += 1;
            self.values_left += values;
        }
        Ok(())
    }

    pub(crate) fn next_part(&mut self) -> Result<Option<Part>> {
        let end = self.summary.bytes - TRAILER_BYTES as u64;
        if self.ciphertexts_left == 0 {
            let left = (end - self.position).max(self.values_left);
            let rest = WireError::invalid("what follows the last ciphertext", left, "nothing");
            return if left == 0 { Ok(None) } else { Err(rest.into()) };
        }
        let start = self.position;
        let mut length = [0; 8];
        self.take(&mut length, end)?;
        let length = u64::from_le_bytes(length);
        if length > MAX_CIPHERTEXT_BYTES {
            let (name, limit) = ("ciphertext", MAX_CIPHERTEXT_BYTES);
            return Err(WireError::TooLong { name, length, limit }.into());
        }
        if length > end - self.position {
            let (needed, found) = (length, end - self.position);
            return Err(WireError::Truncated { name: "ciphertext", needed, found }.into());
        }
        let needed = MEMORY_PER_BYTE * length + UNPACKED_BYTES.min(64 * length);
        self.options.check_memory("ciphertext", needed)?;
        let mut bytes = memory::zeros("ciphertext", length as usize)?;
        self.take(&mut bytes, end)?;
        let part = Part::from_bytes(self.summary.contents.engine, &bytes)?;
        let contents = self.summary.contents;
        contents.check(&part.contents(contents.marks()), "ciphertext")?;
        let count = part.count() as u64;
        self.values_left = self.values_left.checked_sub(count).ok_or_else(|| {
            let expected = format!("at most {}, which are left", self.values_left);
            WireError::invalid("number of values of a ciphertext", count, expected)
        })?;
        self.ciphertexts_left -= 1;
        self.last = Some((start, count));
        Ok(Some(part))
    }

    /// Fills `buffer` from the ciphertexts, which end at offset `end`.
    fn take(&mut self, buffer: &mut [u8], end: u64) -> Result<()> {
        let (needed, found) = (buffer.len() as u64, end - self.position);
        if needed > found {
            return Err(WireError::Truncated { name: "ciphertext", needed, found }.into());
        }
        self.reader.read_exact(buffer)?;
        self.position += needed;
        Ok(())
    }
}

impl Ciphertext {
    /// Returns a file that holds this ciphertext, in the format of [`CiphertextWriter`].
    ///
    /// ```
    /// use cryptable::{Ciphertext, Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let values = secret.encrypt(&[1, 2, 3])?;
    /// assert_eq!(Ciphertext::from_bytes(&values.to_bytes())?, values);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Panics
    /// Never: writing to memory cannot fail, and all parts fit one file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let written = CiphertextWriter::new(Vec::new(), self.contents()).and_then(|mut writer| {
            writer.push(self)?;
            Ok(writer.finish()?.0)
        });
        written.expect("memory takes all bytes")
    }

    /// Reads all ciphertexts of a file and joins their values, in order.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged file of at least one ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = CiphertextReader::new(io::Cursor::new(bytes))?;
        let mut parts = Vec::new();
        while let Some(part) = reader.next_part()? {
            parts.push(part);
        }
        Ok(Self::new(parts)?.with_marks(reader.summary.contents.marks()))
    }
}

/// Parses a header, which may be truncated.
fn parse_header(header: &[u8]) -> Result<Contents> {
    let magic = &header[..header.len().min(8)];
    if magic != CiphertextFileSummary::MAGIC {
        if let Ok(Header { object_type: found, .. }) = peek_header(header) {
            return Err(WireError::WrongKind { expected: "a file of ciphertexts", found }.into());
        }
        let mut found = [0; 8];
        found[..magic.len()].copy_from_slice(magic);
        return Err(WireError::BadMagic { found }.into());
    }
    let (needed, found) = (HEADER_BYTES as u64, header.len() as u64);
    let truncated = WireError::Truncated { name: "header", needed, found };
    let header: &[u8; HEADER_BYTES] = header.try_into().map_err(|_| truncated)?;
    let half =
        |start: usize| u16::from_le_bytes(header[start..start + 2].try_into().expect("two bytes"));
    let version = u32::from_le_bytes(header[8..12].try_into().expect("four bytes"));
    if version != u32::from(FORMAT_VERSION) {
        let found = u16::try_from(version).unwrap_or(u16::MAX);
        return Err(WireError::UnsupportedVersion { found }.into());
    }
    let engine = Engine::ALL.into_iter().find(|&engine| engine_number(engine) == half(12));
    let Marks { signed, standalone } = match half(14) {
        marks @ 0..=3 => Marks { signed: marks & 1 == 1, standalone: marks & 2 == 2 },
        other => return Err(WireError::invalid("marks of the values", other, "0 to 3").into()),
    };
    Ok(Contents {
        engine: engine.ok_or_else(|| WireError::invalid("engine", half(12), "0, 1 or 2"))?,
        signed,
        standalone,
        parameter_digest: header[16..48].try_into().expect("32 bytes"),
        key_id: KeyId(header[48..64].try_into().expect("16 bytes")),
        modulus: word(header, 64),
    })
}

fn word(bytes: &[u8], start: usize) -> u64 {
    u64::from_le_bytes(bytes[start..start + 8].try_into().expect("eight bytes"))
}

/// Returns the number that stands for an engine in files.
fn engine_number(engine: Engine) -> u16 {
    match engine {
        Engine::Packed => 0,
        Engine::Single => 1,
        Engine::Leveled => 2,
    }
}

/// Fills as much of `buffer` as there is input, and returns the number of bytes read.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize> {
    let limit = buffer.len() as u64;
    let mut bytes = Vec::with_capacity(buffer.len());
    reader.by_ref().take(limit).read_to_end(&mut bytes)?;
    buffer[..bytes.len()].copy_from_slice(&bytes);
    Ok(bytes.len())
}

fn hash_exactly(reader: &mut impl Read, bytes: u64, hasher: &mut blake3::Hasher) -> Result<()> {
    let mut buffer = vec![0; HASH_BATCH.min(bytes as usize)];
    let mut left = bytes;
    while left > 0 {
        let batch = (left as usize).min(buffer.len());
        reader.read_exact(&mut buffer[..batch])?;
        hasher.update_rayon(&buffer[..batch]);
        left -= batch as u64;
    }
    Ok(())
}
