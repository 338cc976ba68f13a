//! A file of ciphertexts.
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | magic `CRYPTCTS` |
//! | 8 | 4 | format version |
//! | 12 | 4 | mode: 0 for packed values, 1 for single ones, 2 for values bit by bit |
//! | 16 | 32 | digest of the parameters of all ciphertexts |
//! | 48 | 16 | identifier of the client's key |
//! | 64 | 8 | modulus of the values |
//! | 72 | 8 | number of values |
//! | 80 | 8 | number of ciphertexts |
//! | 88 | 32 | BLAKE3 digest of all that follows the header |
//! | 120 | 32 | BLAKE3 digest of the header before |
//! | 152 | … | for each ciphertext, its length in 8 bytes and its wire format |
//!
//! All numbers are little-endian. Digests detect damage, not forgery. Each ciphertext has a checksum of
//! its own; the digest over all of them also detects missing, swapped and repeated ones, before any
//! work is done.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use cryptable::KeyId;

use crate::atomic_file::{Access, AtomicFile};
use crate::formats;
use crate::input_file;
use crate::mode::{AnyCiphertext, Mode};
use crate::report::hex;

/// First bytes of a file of ciphertexts.
pub const MAGIC: [u8; 8] = *b"CRYPTCTS";

const VERSION: u32 = 1;
const HEADER_BYTES: usize = 152;

/// Longest ciphertext that is read.
const MAX_CIPHERTEXT_BYTES: u64 = 64 << 20;

/// What all ciphertexts of a file have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// How values are encrypted.
    pub mode: Mode,
    /// Digest of their parameters.
    pub parameter_digest: [u8; 32],
    /// The key they are encrypted under.
    pub key_id: KeyId,
    /// Modulus of their values.
    pub modulus: u64,
}

/// The header of a file of ciphertexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What all ciphertexts have in common.
    pub contents: Contents,
    /// Number of values.
    pub values: u64,
    /// Number of ciphertexts; those of values by themselves hold some each.
    pub ciphertexts: u64,
    body_digest: [u8; 32],
}

impl Header {
    /// Number of ciphertexts as people count them: values by themselves are one each.
    pub fn encryptions(&self) -> u64 {
        if self.contents.mode.is_by_value() { self.values } else { self.ciphertexts }
    }

    /// A digest of the whole file: of its header, which has one of all ciphertexts.
    pub fn digest(self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }

    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(mode_number(self.contents.mode).to_le_bytes());
        bytes.extend(self.contents.parameter_digest);
        bytes.extend(self.contents.key_id.0);
        for number in [self.contents.modulus, self.values, self.ciphertexts] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.body_digest);
        let digest = blake3::hash(&bytes);
        bytes.extend(digest.as_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Result<Self> {
        let (content, digest) = bytes.split_at(HEADER_BYTES - 32);
        ensure!(content.starts_with(&MAGIC), "not a file of ciphertexts");
        let version = u32::from_le_bytes(array(content, 8));
        ensure!(version == VERSION, "format version {version}: this program reads {VERSION}");
        ensure!(blake3::hash(content) == *digest, "the header is damaged");
        let number = u32::from_le_bytes(array(content, 12));
        let mode = Mode::ALL.into_iter().find(|&mode| mode_number(mode) == number);
        let mode = mode.with_context(|| format!("unknown mode {number}"))?;
        let number = |position| u64::from_le_bytes(array(content, position));
        let contents = Contents {
            mode,
            parameter_digest: array(content, 16),
            key_id: KeyId(array(content, 48)),
            modulus: number(64),
        };
        let (values, ciphertexts) = (number(72), number(80));
        Ok(Self { contents, values, ciphertexts, body_digest: array(content, 88) })
    }
}

/// How the header names a mode.
fn mode_number(mode: Mode) -> u32 {
    match mode {
        Mode::Packed => 0,
        Mode::Single => 1,
        Mode::Bits => 2,
    }
}

/// A field of known length at a place that is known to exist.
fn array<const LENGTH: usize>(bytes: &[u8], start: usize) -> [u8; LENGTH] {
    bytes[start..start + LENGTH].try_into().expect("a slice of this length")
}

/// A file of ciphertexts being written.
pub struct ContainerWriter {
    file: AtomicFile,
    header: Header,
    hasher: blake3::Hasher,
}

impl ContainerWriter {
    /// Starts a file.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, contents: Contents) -> Result<Self> {
        let mut file = AtomicFile::create_seekable(path, Access::Public)?;
        // The header is written last, when the numbers in it are known.
        file.write_all(&[0; HEADER_BYTES])?;
        let header = Header { contents, values: 0, ciphertexts: 0, body_digest: [0; 32] };
        Ok(Self { file, header, hasher: blake3::Hasher::new() })
    }

    /// Appends a ciphertext.
    ///
    /// # Errors
    /// If writing fails, or it does not belong to the file's contents.
    pub fn push(&mut self, ciphertext: &AnyCiphertext) -> Result<()> {
        check_contents(ciphertext, &self.header.contents)?;
        let bytes = ciphertext.to_bytes();
        for part in [&(bytes.len() as u64).to_le_bytes()[..], &bytes] {
            self.hasher.update(part);
            self.file.write_all(part)?;
        }
        self.header.values += ciphertext.count() as u64;
        self.header.ciphertexts += 1;
        Ok(())
    }

    /// Completes the file; returns its header and size in bytes.
    ///
    /// # Errors
    /// If writing fails.
    pub fn commit(mut self) -> Result<(Header, u64)> {
        self.header.body_digest = *self.hasher.finalize().as_bytes();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&self.header.to_bytes())?;
        Ok((self.header, self.file.commit(true)?))
    }
}

fn check_contents(ciphertext: &AnyCiphertext, contents: &Contents) -> Result<()> {
    let (found, expected) = (ciphertext.mode(), contents.mode);
    ensure!(found == expected, "a ciphertext of {found} values in a file of {expected} ones");
    let (found, expected) = (ciphertext.parameter_digest(), contents.parameter_digest);
    ensure!(
        found == expected,
        "a ciphertext of parameters {} in a file of {}",
        hex(&found[..8]),
        hex(&expected[..8])
    );
    let (found, expected) = (ciphertext.modulus(), contents.modulus);
    ensure!(found == expected, "a ciphertext of modulus {found} in a file of {expected}");
    Ok(())
}

/// A file of ciphertexts being read.
#[derive(Debug)]
pub struct ContainerReader<R> {
    reader: R,
    path: PathBuf,
    header: Header,
    bytes: u64,
    ciphertexts_left: u64,
    values_left: u64,
}

impl ContainerReader<BufReader<File>> {
    /// Opens a file and checks that it is undamaged.
    ///
    /// # Errors
    /// If it cannot be read or a single bit is wrong.
    pub fn open(path: &Path) -> Result<Self> {
        let file = input_file::open_seekable(path)?;
        Self::new(BufReader::with_capacity(1 << 20, file), input_file::shown(path))
    }
}

impl<R: Read + Seek> ContainerReader<R> {
    /// Checks that what is read is undamaged; `path` is for messages.
    ///
    /// # Errors
    /// If it cannot be read or a single bit is wrong.
    pub fn new(mut reader: R, path: &Path) -> Result<Self> {
        let name = || path.display().to_string();
        let failed = || format!("cannot read {}", path.display());
        let mut bytes = [0; HEADER_BYTES];
        let found = formats::raw::read_up_to(&mut reader, &mut bytes).with_context(failed)?;
        if found < HEADER_BYTES {
            ensure!(bytes.starts_with(&MAGIC), "{}: not a file of ciphertexts", name());
            bail!("{} is cut short: {found} bytes, {HEADER_BYTES} in the header alone", name());
        }
        let header = Header::from_bytes(&bytes).with_context(name)?;
        let mut hasher = blake3::Hasher::new();
        let body_bytes = std::io::copy(&mut reader, &mut hasher).with_context(failed)?;
        ensure!(
            hasher.finalize() == header.body_digest,
            "{} is damaged or cut short: its checksum does not match",
            name()
        );
        ensure!(header.ciphertexts > 0, "{}: it holds no ciphertext", name());
        reader.seek(SeekFrom::Start(HEADER_BYTES as u64)).with_context(failed)?;
        Ok(Self {
            reader,
            path: path.to_path_buf(),
            header,
            bytes: HEADER_BYTES as u64 + body_bytes,
            ciphertexts_left: header.ciphertexts,
            values_left: header.values,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Checks that the ciphertexts are of a key's mode and parameters.
    ///
    /// # Errors
    /// If they are not.
    pub fn check_parameters(&self, mode: Mode, digest: [u8; 32], key: &Path) -> Result<()> {
        let found = self.header.contents.mode;
        ensure!(
            found == mode,
            "{}: it holds {found} values, but {} is a key for {mode} values",
            self.path.display(),
            key.display()
        );
        let (found, expected) = (self.header.contents.parameter_digest, digest);
        ensure!(
            found == expected,
            "{}: made for parameters {}, but the key {} is for {}",
            self.path.display(),
            hex(&found[..8]),
            key.display(),
            hex(&expected[..8])
        );
        Ok(())
    }

    /// The next ciphertext; `None` after the last.
    ///
    /// # Errors
    /// If the file is not what its header says.
    pub fn next_ciphertext(&mut self) -> Result<Option<AnyCiphertext>> {
        let place = format!(
            "{}, ciphertext {} of {}",
            self.path.display(),
            self.header.ciphertexts - self.ciphertexts_left + 1,
            self.header.ciphertexts
        );
        if self.ciphertexts_left == 0 {
            let name = self.path.display();
            ensure!(self.values_left == 0, "{name}: {} values are missing", self.values_left);
            let mut rest = [0];
            let found = formats::raw::read_up_to(&mut self.reader, &mut rest)
                .with_context(|| format!("cannot read {name}"))?;
            ensure!(found == 0, "{name} goes on after its last ciphertext");
            return Ok(None);
        }
        let ciphertext = self.read_ciphertext().context(place)?;
        self.ciphertexts_left -= 1;
        Ok(Some(ciphertext))
    }

    fn read_ciphertext(&mut self) -> Result<AnyCiphertext> {
        let mut length = [0; 8];
        self.reader.read_exact(&mut length).context("cut short")?;
        let length = u64::from_le_bytes(length);
        ensure!(
            length <= MAX_CIPHERTEXT_BYTES,
            "{length} bytes, above the limit of {MAX_CIPHERTEXT_BYTES}"
        );
        let mut bytes = Vec::new();
        self.reader.by_ref().take(length).read_to_end(&mut bytes).context("cannot read it")?;
        ensure!(bytes.len() as u64 == length, "cut short");
        let ciphertext = AnyCiphertext::from_bytes(&bytes)?;
        check_contents(&ciphertext, &self.header.contents)?;
        let count = ciphertext.count() as u64;
        self.values_left = self
            .values_left
            .checked_sub(count)
            .with_context(|| format!("{count} values, {} are left", self.values_left))?;
        Ok(ciphertext)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use cryptable::{Parameters, SecretKey, single};
    use proptest::prelude::*;

    use super::*;
    use crate::mode::AnySecretKey;

    /// A small file of three ciphertexts, and its values.
    fn file() -> (SecretKey, Vec<u8>, Vec<Vec<u64>>) {
        let parameters = Parameters::insecure_toy(4, 4).unwrap();
        let key = SecretKey::generate(&parameters);
        let contents = Contents {
            mode: Mode::Packed,
            parameter_digest: parameters.digest(),
            key_id: key.id(),
            modulus: 4,
        };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.ct");
        let mut writer = ContainerWriter::create(&path, contents).unwrap();
        let values = vec![vec![1, 2, 3], vec![0; 1024], vec![2]];
        for chunk in &values {
            writer.push(&key.encrypt(chunk).unwrap().into()).unwrap();
        }
        let (header, bytes) = writer.commit().unwrap();
        let file = std::fs::read(&path).unwrap();
        assert_eq!((header.values, header.ciphertexts, bytes), (1028, 3, file.len() as u64));
        (key, file, values)
    }

    fn read(file: &[u8]) -> Result<Vec<AnyCiphertext>> {
        let mut reader = ContainerReader::new(Cursor::new(file), Path::new("a.ct"))?;
        let mut found = Vec::new();
        while let Some(ciphertext) = reader.next_ciphertext()? {
            found.push(ciphertext);
        }
        Ok(found)
    }

    fn error(file: &[u8]) -> String {
        format!("{:#}", read(file).unwrap_err())
    }

    /// Makes the digests fit a changed file again, as a forger would.
    fn forge(file: &mut [u8]) {
        let body = *blake3::hash(&file[HEADER_BYTES..]).as_bytes();
        file[88..120].copy_from_slice(&body);
        let header = *blake3::hash(&file[..120]).as_bytes();
        file[120..HEADER_BYTES].copy_from_slice(&header);
    }

    #[test]
    fn ciphertexts_come_back() {
        let (key, file, values) = file();
        let found = read(&file).unwrap();
        let key = AnySecretKey::Packed(Box::new(key));
        let decrypt = |ciphertext: &AnyCiphertext| key.decrypt(ciphertext).unwrap();
        assert_eq!(found.iter().map(decrypt).collect::<Vec<_>>(), values);
    }

    #[test]
    fn damage_is_found_before_any_ciphertext_is_read() {
        let (_, file, _) = file();
        for position in (0..HEADER_BYTES).chain((HEADER_BYTES..file.len()).step_by(97)) {
            let mut damaged = file.clone();
            damaged[position] ^= 0x10;
            let opened = ContainerReader::new(Cursor::new(&damaged), Path::new("a.ct"));
            assert!(opened.is_err(), "byte {position}");
        }
        for length in (0..HEADER_BYTES).chain((HEADER_BYTES..file.len()).step_by(97)) {
            assert!(error(&file[..length]).starts_with("a.ct"), "{length}");
        }
        assert!(error(&[&file[..], b"x"].concat()).contains("damaged"));
    }

    #[test]
    fn lies_under_valid_digests_are_found() {
        let (_, file, _) = file();
        let forged = |position: usize, bytes: &[u8]| {
            let mut file = file.clone();
            file[position..position + bytes.len()].copy_from_slice(bytes);
            forge(&mut file);
            error(&file)
        };
        assert!(forged(0, b"X").contains("not a file of ciphertexts"));
        assert!(forged(8, &[9]).contains("version 9"));
        assert!(
            forged(12, &[1]).contains("a ciphertext of packed values in a file of single ones")
        );
        assert!(forged(12, &[3]).contains("unknown mode 3"));
        assert!(forged(16, &[0; 32]).contains("ciphertext 1 of 3: a ciphertext of parameters"));
        assert!(forged(64, &[5]).contains("of modulus 4 in a file of 5"));
        assert!(forged(72, &[0, 0]).contains("ciphertext 1 of 3: 3 values, 0 are left"));
        assert!(forged(72, &[255, 255]).contains("values are missing"));
        assert!(forged(80, &[0]).contains("holds no ciphertext"));
        assert!(forged(80, &[2]).contains("values are missing"));
        assert!(forged(80, &[4]).contains("ciphertext 4 of 4: cut short"));
        assert!(forged(HEADER_BYTES, &[255; 8]).contains("above the limit"));
        let mut repeated = [&file[..], &file[HEADER_BYTES..]].concat();
        repeated[80] = 3;
        forge(&mut repeated);
        assert!(error(&repeated).contains("goes on after its last"));
    }

    #[test]
    fn files_hold_values_of_one_mode() {
        let (_, mut file, _) = file();
        let parameters = single::Parameters::insecure_toy(4, 4).unwrap();
        let single = single::SecretKey::generate(&parameters).encrypt(&[1, 2, 3]).unwrap();
        let bytes = single.to_bytes();
        file.truncate(HEADER_BYTES);
        file.extend((bytes.len() as u64).to_le_bytes());
        file.extend(&bytes);
        forge(&mut file);
        assert!(error(&file).contains("a ciphertext of single values in a file of packed ones"));
        let digest = parameters.digest();
        file[12] = 1;
        file[16..48].copy_from_slice(&digest);
        file[72..88]
            .copy_from_slice(&[[3, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0]].concat());
        forge(&mut file);
        assert_eq!(read(&file).unwrap(), [AnyCiphertext::from(single)]);
        let reader = ContainerReader::new(Cursor::new(&file), Path::new("a.ct")).unwrap();
        let check = |mode| reader.check_parameters(mode, digest, Path::new("a.key"));
        assert!(check(Mode::Single).is_ok());
        let message = check(Mode::Packed).unwrap_err().to_string();
        assert_eq!(message, "a.ct: it holds single values, but a.key is a key for packed values");
    }

    proptest! {
        #[test]
        fn random_bytes_do_no_harm(
            header in prop::collection::vec(any::<u8>(), HEADER_BYTES),
            body in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            let mut file = [header, body].concat();
            prop_assert!(read(&file).is_err());
            file[..16].copy_from_slice(b"CRYPTCTS\x01\0\0\0\0\0\0\0");
            forge(&mut file);
            prop_assert!(read(&file).is_err());
        }
    }
}
