//! Protection of files from being overwritten: outputs never replace inputs, and replace keys only on request.

use std::fs::{self, File, Metadata};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
#[cfg(any(feature = "client", feature = "remote"))]
use cryptable::CiphertextFileSummary;
use cryptable::packed_gates::foreign::ForeignParameters;
#[cfg(feature = "remote")]
use cryptable_service::messages::Kind;
use cryptable_wire::{ObjectType, WireError, peek_header};

use crate::atomic_file::{self, is_stdout, target_of};
use crate::input_file::{self, is_stdin};

/// How a command uses a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The command reads it.
    Input,
    /// The command writes it, as text.
    Text,
    /// The command writes it, as bytes that a terminal cannot show.
    Bytes,
    /// The command writes it, as a new key. Key generation decides whether it may replace one.
    NewKey,
}

/// A file that an option names.
#[derive(Clone, Debug)]
pub struct FileArg {
    /// Name of the option, such as `--input`.
    pub option: String,
    /// Path of the file.
    pub path: PathBuf,
    /// Use of the file.
    pub role: Role,
}

impl FileArg {
    fn is_output(&self) -> bool {
        self.role != Role::Input
    }

    /// Returns whether the file is written even if another exists in its place.
    fn is_replaced(&self) -> bool {
        matches!(self.role, Role::Text | Role::Bytes)
    }
}

/// All files of a command.
#[derive(Clone, Debug, Default)]
pub struct FileArgs {
    /// The files.
    pub files: Vec<FileArg>,
    /// Whether keys and read-only files may be replaced.
    pub force: bool,
}

impl FileArgs {
    /// Returns these files and others, which the command names itself.
    pub fn and(&self, option: &str, role: Role, paths: &[PathBuf]) -> Self {
        let file = |path: &PathBuf| FileArg { option: option.into(), path: path.clone(), role };
        let files = self.files.iter().cloned().chain(paths.iter().map(file)).collect();
        Self { files, force: self.force }
    }

    /// Checks that no output replaces an input, another output or, unless forced, a key or a read-only file.
    ///
    /// # Errors
    /// If one does, or if standard input or standard output is used twice.
    pub fn check(&self) -> Result<()> {
        self.check_standard_streams()?;
        for (i, output) in self.files.iter().enumerate().filter(|(_, file)| file.is_output()) {
            let identity = Identity::of(output)?;
            for (j, other) in self.files.iter().enumerate() {
                let is_twin = other.is_output() && j <= i;
                if is_twin || identity.is_none() || identity != Identity::of(other)? {
                    continue;
                }
                let (option, other_option) = (&output.option, &other.option);
                let name = atomic_file::name(&output.path);
                if other.is_output() {
                    bail!("{option} and {other_option} cannot both be {name}");
                }
                bail!(
                    "{option} {name} would replace the file that {other_option} {} reads",
                    input_file::name(&other.path)
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
            bail!(
                "{} {}: a terminal cannot show binary data",
                file.option,
                atomic_file::name(&file.path)
            );
        }
        Ok(())
    }
}

/// The identity of a regular file, by which two names of the same file are recognised.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Device and inode of an existing file.
    #[cfg(unix)]
    Existing(u64, u64),
    /// Path at which a file will be created.
    Place(PathBuf),
}

impl Identity {
    /// Returns the identity of a file; `None` if it is not a regular file.
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
        Ok(Self::Place(place.with_context(|| format!("cannot find {}", input_file::name(path)))?))
    }
}

/// Returns the path of a file that does not exist yet, with all links in its directory resolved.
fn place(target: &Path) -> PathBuf {
    let directory = target.parent().filter(|parent| *parent != Path::new(""));
    let directory = fs::canonicalize(directory.unwrap_or(Path::new(".")));
    match (directory, target.file_name()) {
        (Ok(directory), Some(name)) => directory.join(name),
        _ => target.to_path_buf(),
    }
}

/// Checks that the file an output replaces is neither a key nor read-only.
fn check_replaced(output: &FileArg) -> Result<()> {
    let Some(target) = target_of(&output.path)? else { return Ok(()) };
    let Ok(metadata) = fs::metadata(&target) else { return Ok(()) };
    let (option, name) = (&output.option, atomic_file::name(&output.path));
    if let Some(kind) = key_kind(&target)? {
        bail!("{option} {name} exists and is {kind}; --force replaces it");
    }
    let is_read_only = metadata.permissions().readonly();
    ensure!(!is_read_only, "{option} {name} exists and is read-only; --force replaces it");
    Ok(())
}

/// Returns the kind of a file, from its first bytes.
///
/// # Errors
/// If a server does not need such a file, or if the file is secret.
#[cfg(feature = "remote")]
pub fn sendable(file: &File, name: &str) -> Result<Kind> {
    let start = input_file::first_bytes(file).with_context(|| format!("cannot read {name}"))?;
    if start.starts_with(&CiphertextFileSummary::MAGIC) {
        return Ok(Kind::Ciphertext);
    }
    match peek_header(&start).map(|header| header.object_type) {
        Ok(kind) if kind.is_public_key() => Ok(Kind::PublicKey),
        Ok(kind) if kind.is_evaluation_key() => Ok(Kind::EvaluationKey),
        Ok(kind) if kind.is_secret_key() => {
            bail!("{name}: it is {kind}, which never leaves the client; nothing was sent")
        }
        Ok(kind) => {
            bail!("{name}: it is {kind}, neither a key for a server nor a file of ciphertexts")
        }
        Err(_) => bail!("{name}: neither a key for a server nor a file of ciphertexts"),
    }
}

/// Returns the kind of key in a file; `None` if it holds no key.
fn key_kind(path: &Path) -> Result<Option<String>> {
    let failed = || format!("{} exists, and cannot be checked for a key", input_file::name(path));
    let start =
        File::open(path).and_then(|file| input_file::first_bytes(&file)).with_context(failed)?;
    if start.starts_with(ForeignParameters::SECRET) {
        return Ok(Some("an LWE secret of another library".to_owned()));
    }
    Ok(match peek_header(&start) {
        Ok(header) if is_key(header.object_type) => Some(header.object_type.to_string()),
        Err(WireError::UnsupportedVersion { found }) => {
            Some(format!("perhaps a key, of format version {found}"))
        }
        _ => None,
    })
}

/// Checks that the first bytes of a file do not show another kind than a secret key. `option` is for messages.
///
/// # Errors
/// If they belong to another key, another object, or a file of ciphertexts.
#[cfg(feature = "client")]
pub fn check_secret_key(option: &str, start: &[u8]) -> Result<()> {
    match peek_header(start) {
        Ok(header) if !header.object_type.is_secret_key() => {
            let kind = header.object_type;
            let reader = if kind.is_public_key() { ", `encrypt --public` this one" } else { "" };
            bail!("it is {kind}; {option} takes a secret key{reader}")
        }
        Err(_) if start.starts_with(&CiphertextFileSummary::MAGIC) => {
            bail!("it is a file of ciphertexts; {option} takes a secret key")
        }
        _ => Ok(()),
    }
}

/// Returns whether an object is a key, which cannot be made again.
fn is_key(kind: ObjectType) -> bool {
    kind.is_secret_key()
        || kind.is_evaluation_key()
        || kind.is_public_key()
        || kind.is_rekeying_key()
}
