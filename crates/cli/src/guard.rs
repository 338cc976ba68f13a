//! What outputs may replace: nothing that the command reads, and keys only if told.

use std::fs::{self, File, Metadata};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
#[cfg(any(feature = "client", feature = "remote"))]
use cryptable::CIPHERTEXT_FILE_MAGIC;
use cryptable_wire::{ObjectType, WireError, peek_header};

use crate::atomic_file::{is_stdout, target_of};
use crate::formats::raw::read_up_to;
use crate::input_file::is_stdin;
use crate::printable::Printable as _;

/// Bytes at the start of a key that say what it is.
const KEY_HEADER_BYTES: usize = 64;

/// What a command does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads it.
    Input,
    /// Writes it, as text.
    Text,
    /// Writes it, as bytes that no terminal shows.
    Bytes,
    /// Writes it, as a new key; whether it may replace one is for key generation to say.
    #[cfg(feature = "client")]
    NewKey,
}

/// A file that an option names.
#[derive(Clone, Debug)]
pub struct FileArg {
    /// The option, as `--input`.
    pub option: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What is done with it.
    pub role: Role,
}

impl FileArg {
    /// A file that is read.
    pub fn input(option: &'static str, path: &Path) -> Self {
        Self { option, path: path.to_path_buf(), role: Role::Input }
    }

    /// A file of text that is written.
    pub fn text(option: &'static str, path: &Path) -> Self {
        Self { option, path: path.to_path_buf(), role: Role::Text }
    }

    /// A file of bytes that is written.
    pub fn bytes(option: &'static str, path: &Path) -> Self {
        Self { option, path: path.to_path_buf(), role: Role::Bytes }
    }

    /// A key that is generated.
    #[cfg(feature = "client")]
    pub fn new_key(option: &'static str, path: &Path) -> Self {
        Self { option, path: path.to_path_buf(), role: Role::NewKey }
    }

    fn is_output(&self) -> bool {
        self.role != Role::Input
    }

    /// Whether it is written whatever is there.
    fn is_replaced(&self) -> bool {
        matches!(self.role, Role::Text | Role::Bytes)
    }
}

/// All files of a command.
#[derive(Clone, Debug, Default)]
pub struct FileArgs {
    /// The files.
    pub files: Vec<FileArg>,
    /// Whether keys and read-only files are replaced.
    pub force: bool,
}

impl FileArgs {
    /// Checks that no output replaces an input, another output, or, unless forced, a key or a read-only file.
    ///
    /// # Errors
    /// If one does, or standard input or output would serve twice.
    pub fn check(&self) -> Result<()> {
        self.check_standard_streams()?;
        for (i, output) in self.files.iter().enumerate().filter(|(_, file)| file.is_output()) {
            let identity = Identity::of(output)?;
            for (j, other) in self.files.iter().enumerate() {
                let is_twin = other.is_output() && j <= i;
                if is_twin || identity.is_none() || identity != Identity::of(other)? {
                    continue;
                }
                let (option, other_option) = (output.option, other.option);
                let name = output.path.printable();
                if other.is_output() {
                    bail!("{option} and {other_option} cannot both be {name}");
                }
                bail!(
                    "{option} {name} would replace the file that {other_option} {} reads",
                    other.path.printable()
                );
            }
            if !self.force && output.is_replaced() {
                check_replaced(output)?;
            }
        }
        Ok(())
    }

    fn check_standard_streams(&self) -> Result<()> {
        let inputs = self.files.iter().filter(|file| !file.is_output() && is_stdin(&file.path));
        let outputs = self.files.iter().filter(|file| file.is_output() && is_stdout(&file.path));
        let outputs: Vec<&FileArg> = outputs.collect();
        for (name, files) in [("input", inputs.collect()), ("output", outputs.clone())] {
            if let [first, second, ..] = files[..] {
                bail!("{} and {} cannot both be standard {name}", first.option, second.option);
            }
        }
        let shown = outputs.iter().find(|file| file.role != Role::Text);
        if let (Some(file), true) = (shown, std::io::stdout().is_terminal()) {
            bail!("{} {}: a terminal does not show bytes", file.option, file.path.printable());
        }
        Ok(())
    }
}

/// What tells whether two names are of one regular file.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Device and number of an existing file.
    #[cfg(unix)]
    Existing(u64, u64),
    /// Where a file will be.
    Place(PathBuf),
}

impl Identity {
    /// `None` if it is no regular file.
    fn of(file: &FileArg) -> Result<Option<Self>> {
        let stream = match file.role {
            Role::Input if is_stdin(&file.path) => Some("/dev/stdin"),
            role if role != Role::Input && is_stdout(&file.path) => Some("/dev/stdout"),
            _ => None,
        };
        let path = stream.map_or(file.path.as_path(), Path::new);
        Ok(match (fs::metadata(path), stream) {
            (Ok(metadata), _) if metadata.is_file() => Some(Self::existing(&metadata, path)?),
            (Err(_), None) if file.is_output() => {
                target_of(path)?.map(|target| Self::Place(place(&target)))
            }
            _ => None,
        })
    }

    #[cfg(unix)]
    fn existing(metadata: &Metadata, _: &Path) -> Result<Self> {
        use std::os::unix::fs::MetadataExt;
        Ok(Self::Existing(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn existing(_: &Metadata, path: &Path) -> Result<Self> {
        let place = fs::canonicalize(path);
        Ok(Self::Place(place.with_context(|| format!("cannot find {}", path.printable()))?))
    }
}

/// A file that is yet to be made, in its directory without links.
fn place(target: &Path) -> PathBuf {
    let directory = target.parent().filter(|parent| *parent != Path::new(""));
    let directory = fs::canonicalize(directory.unwrap_or(Path::new(".")));
    match (directory, target.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => target.to_path_buf(),
    }
}

/// Checks that what an output replaces is neither a key nor read-only.
fn check_replaced(output: &FileArg) -> Result<()> {
    let Some(target) = target_of(&output.path)? else { return Ok(()) };
    let Ok(metadata) = fs::metadata(&target) else { return Ok(()) };
    let (option, name) = (output.option, output.path.printable());
    if let Some(kind) = key_kind(&target)? {
        bail!("{option} {name} exists and is {kind}; --force replaces it");
    }
    let is_read_only = metadata.permissions().readonly();
    ensure!(!is_read_only, "{option} {name} exists and is read-only; --force replaces it");
    Ok(())
}

/// What a client may send to a server: evaluation keys and ciphertexts.
#[cfg(feature = "remote")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sendable {
    /// An evaluation key.
    EvaluationKey,
    /// A file of ciphertexts.
    Ciphertexts,
}

/// What a file is, by its first bytes.
///
/// # Errors
/// If a server has no use for it, or no business with it.
#[cfg(feature = "remote")]
pub fn sendable(file: &mut File, name: &str) -> Result<Sendable> {
    let mut start = [0; KEY_HEADER_BYTES];
    let failed = || format!("cannot read {name}");
    let found = read_up_to(file, &mut start).with_context(failed)?;
    if start[..found].starts_with(&CIPHERTEXT_FILE_MAGIC) {
        return Ok(Sendable::Ciphertexts);
    }
    match peek_header(&start[..found]).map(|header| header.object_type) {
        Ok(kind) if kind.is_evaluation_key() => Ok(Sendable::EvaluationKey),
        Ok(kind) if kind.is_secret_key() => {
            bail!("{name}: is {kind}, which never leaves the client; nothing was sent")
        }
        Ok(kind) => bail!("{name}: is {kind}, neither an evaluation key nor a file of ciphertexts"),
        Err(_) => bail!("{name}: neither an evaluation key nor a file of ciphertexts"),
    }
}

/// What kind of key a file is, if it is one.
fn key_kind(path: &Path) -> Result<Option<String>> {
    let failed = || format!("cannot read {}, which exists", path.printable());
    let mut start = [0; KEY_HEADER_BYTES];
    let mut file = File::open(path).with_context(failed)?;
    let found = read_up_to(&mut file, &mut start).with_context(failed)?;
    Ok(match peek_header(&start[..found]) {
        Ok(header) if is_key(header.object_type) => Some(header.object_type.to_string()),
        Err(WireError::UnsupportedVersion { found }) => {
            Some(format!("perhaps a key, of format version {found}"))
        }
        _ => None,
    })
}

/// Checks that what an option names is no key of another kind than a secret key.
///
/// # Errors
/// If it is.
#[cfg(feature = "client")]
pub fn check_secret_key(option: &str, start: &[u8]) -> Result<()> {
    match peek_header(start) {
        Ok(header) if !header.object_type.is_secret_key() => {
            bail!("is {}; {option} wants a secret key", header.object_type)
        }
        Err(_) if start.starts_with(&CIPHERTEXT_FILE_MAGIC) => {
            bail!("is a file of ciphertexts; {option} wants a secret key")
        }
        _ => Ok(()),
    }
}

/// Whether it cannot be made again.
fn is_key(kind: ObjectType) -> bool {
    kind.is_secret_key() || kind.is_evaluation_key()
}
