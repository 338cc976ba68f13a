//! The record of the counter blocks that messages under an AES key have used, in a file beside the key.
//!
//! Each line has the identifier of the AES key, the first counter block in hexadecimal, and the number of blocks. A
//! line is appended and synchronised to the disk before its message is written. The file is locked meanwhile, so that
//! two programs running at the same time use different counters. It holds no secret. Without it, the program cannot notice
//! that a counter given by `--counter` is used twice; random counters do not repeat.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cryptable::transciphering::{AesKeyId, CounterRange, UsedCounters};
use cryptable_wire::hex;

use crate::args::aes::block;
use crate::input_file::{self, is_stdin};

/// Suffix that is appended to the name of the key's file.
const SUFFIX: &str = ".counters";

/// The used counters of an AES key, and the place where they are recorded.
#[derive(Debug)]
pub struct CounterRecord {
    key_id: AesKeyId,
    place: Place,
    used: UsedCounters,
}

#[derive(Debug)]
enum Place {
    /// A locked file.
    File { path: PathBuf, file: File },
    /// No place, since the key comes from no file.
    None,
    /// No reliable place, for this reason.
    Unusable { reason: String },
}

impl CounterRecord {
    /// Opens the record of a key. The file need not exist yet.
    pub fn beside(key_file: Option<&Path>, key_id: AesKeyId) -> Result<Self> {
        let mut record = Self { key_id, place: Place::None, used: UsedCounters::default() };
        let Some(path) = key_file.and_then(record_path) else { return Ok(record) };
        if let Some(reason) = key_file.and_then(other_names) {
            record.place = Place::Unusable { reason };
            return Ok(record);
        }
        match open(&path) {
            Ok(mut file) => {
                let content = read_whole_lines(&mut file)
                    .with_context(|| format!("cannot read {}", input_file::name(&path)))?;
                record.used = parse(&content, key_id).with_context(|| input_file::name(&path))?;
                record.place = Place::File { path, file };
            }
            Err(error) => {
                let reason = format!("cannot write {}: {error}", input_file::name(&path));
                record.place = Place::Unusable { reason };
            }
        }
        Ok(record)
    }

    /// Moves the used counters out of the record.
    pub fn take_used(&mut self) -> UsedCounters {
        std::mem::take(&mut self.used)
    }

    /// Records a message's counters. They are on the disk when the call returns.
    ///
    /// # Errors
    /// If writing fails, or if there is no reliable place and the counters were given, not random.
    pub fn keep(&mut self, counters: &CounterRange, were_given: bool) -> Result<()> {
        match &mut self.place {
            Place::File { path, file } => {
                let (key_id, first) = (self.key_id, hex(&counters.first()));
                let line = format!("{key_id} {first} {}\n", counters.blocks());
                // This is one call, so that a crash leaves the whole line or a beginning of it.
                file.write_all(line.as_bytes())
                    .and_then(|()| file.sync_all())
                    .with_context(|| format!("cannot write {}", input_file::name(path)))
            }
            Place::Unusable { reason } if were_given => {
                bail!("{reason}; --counter needs a record of used counters")
            }
            Place::Unusable { .. } | Place::None => Ok(()),
        }
    }

    /// Returns a warning if the record has no reliable place.
    pub fn note(&self) -> Option<&String> {
        match &self.place {
            Place::Unusable { reason } => Some(reason),
            Place::File { .. } | Place::None => None,
        }
    }
}

/// Returns the path of a key's record; `None` if the key comes from a pipe.
fn record_path(key_file: &Path) -> Option<PathBuf> {
    let is_file = !is_stdin(key_file) && fs::metadata(key_file).is_ok_and(|found| found.is_file());
    // Links are resolved, so that all names of a key have the same record.
    let path = fs::canonicalize(key_file).ok().filter(|_| is_file)?;
    let mut name = OsString::from(path.file_name()?);
    name.push(SUFFIX);
    Some(path.with_file_name(name))
}

/// Returns why a key's file may have more than one record: hard links cannot be resolved, so each has a record of its
/// own.
fn other_names(key_file: &Path) -> Option<String> {
    #[cfg(unix)]
    let names = std::os::unix::fs::MetadataExt::nlink(&fs::metadata(key_file).ok()?);
    #[cfg(not(unix))]
    let names = 1;
    let shown = input_file::name(key_file);
    (names > 1)
        .then(|| format!("{shown} has {names} names (hard links), with a record beside each"))
}

/// Opens a record, which only its owner may read, and locks it until it is dropped.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = input_file::open_companion(path, &mut options)?;
    file.lock()?;
    Ok(file)
}

/// Reads all complete lines. Cuts off the beginning of a line, which a crash left before its message was written.
fn read_whole_lines(file: &mut File) -> std::io::Result<String> {
    let mut content = String::new();
    file.read_to_string(&mut content)?;
    let end = content.rfind('\n').map_or(0, |position| position + 1);
    if end < content.len() {
        content.truncate(end);
        file.set_len(end as u64)?;
    }
    Ok(content)
}

/// Parses the counters of a key. Ignores lines of other keys, which were in the same file before.
fn parse(content: &str, key_id: AesKeyId) -> Result<UsedCounters> {
    let mut used = UsedCounters::default();
    let key_id = key_id.to_string();
    for (number, line) in content.lines().enumerate() {
        let read = || -> Option<(&str, CounterRange)> {
            let mut words = line.split(' ');
            let (id, first, blocks) = (words.next()?, words.next()?, words.next()?);
            let range = CounterRange::new(block(first).ok()?, blocks.parse().ok()?).ok()?;
            Some((id, range)).filter(|_| words.next().is_none())
        };
        let wanted = "a key identifier, a counter and a number of blocks";
        let (id, range) = read().with_context(|| format!("line {} is not {wanted}", number + 1))?;
        if id == key_id {
            used.take(range).with_context(|| format!("line {}", number + 1))?;
        }
    }
    Ok(used)
}
