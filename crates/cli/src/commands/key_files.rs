//! The two files that key generation writes: both or none.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use crate::atomic_file::{self, Access, AtomicFile, Destination};
use crate::printable::Printable as _;
use crate::report::bytes;

/// Where keys go.
#[derive(Clone, Copy, Debug)]
pub struct KeyFiles<'a> {
    secret: &'a Path,
    evaluation: &'a Path,
    force: bool,
}

impl<'a> KeyFiles<'a> {
    /// Files of these names; `force` replaces existing ones.
    ///
    /// # Errors
    /// If both names are the same, or a file exists and is not to be replaced.
    pub fn new(secret: &'a Path, evaluation: &'a Path, force: bool) -> Result<Self> {
        ensure!(
            secret != evaluation,
            "the secret key and the evaluation key cannot both be {}",
            secret.printable()
        );
        for (path, loss) in [(secret, ", and what it encrypted is lost"), (evaluation, "")] {
            let is_file = matches!(Destination::of(path)?, Destination::File(_));
            if !force && is_file && path.exists() {
                bail!("{} exists; --force replaces it{loss}", path.printable());
            }
        }
        Ok(Self { secret, evaluation, force })
    }

    /// Starts both files, the secret key's readable by its owner only.
    ///
    /// # Errors
    /// If one cannot be created.
    pub fn create(self) -> Result<OpenKeyFiles<'a>> {
        Ok(OpenKeyFiles {
            secret: AtomicFile::create(self.secret, Access::Private)?,
            evaluation: AtomicFile::create(self.evaluation, Access::Public)?,
            names: self,
        })
    }
}

/// Both files being written; dropped before [`OpenKeyFiles::write`] ends, they vanish.
#[derive(Debug)]
pub struct OpenKeyFiles<'a> {
    names: KeyFiles<'a>,
    secret: AtomicFile,
    evaluation: AtomicFile,
}

impl OpenKeyFiles<'_> {
    /// Writes the secret key, lets `evaluation` write the evaluation key, and gives the files their names.
    ///
    /// # Errors
    /// If writing fails: there is then no new file.
    pub fn write<E>(
        mut self,
        secret: &[u8],
        evaluation: impl FnOnce(&mut AtomicFile) -> Result<(), E>,
    ) -> Result<WrittenKeys>
    where
        Result<(), E>: Context<(), E>,
    {
        let KeyFiles { secret: secret_name, evaluation: evaluation_name, force } = self.names;
        self.secret.write_all(secret)?;
        evaluation(&mut self.evaluation)
            .with_context(|| format!("generating {}", evaluation_name.printable()))?;
        // The large file first: if the disk is full, the secret key's file is not there yet.
        let sizes = AtomicFile::commit_all(vec![self.evaluation, self.secret], force)?;
        let (evaluation_bytes, secret_bytes) = (sizes[0], sizes[1]);
        let (secret, evaluation) = (secret_name.to_path_buf(), evaluation_name.to_path_buf());
        Ok(WrittenKeys { secret, secret_bytes, evaluation, evaluation_bytes })
    }
}

/// What was written: part of a report.
#[derive(Debug, Serialize)]
pub struct WrittenKeys {
    secret: PathBuf,
    secret_bytes: u64,
    evaluation: PathBuf,
    evaluation_bytes: u64,
}

impl fmt::Display for WrittenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path| atomic_file::shown(path).printable();
        let (secret, evaluation) = (shown(&self.secret), shown(&self.evaluation));
        writeln!(f, "  {secret}: secret key, {}; keep it", bytes(self.secret_bytes))?;
        writeln!(f, "  {evaluation}: evaluation key, {}", bytes(self.evaluation_bytes))
    }
}
