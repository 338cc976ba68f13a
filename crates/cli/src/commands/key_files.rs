//! The two files that key generation writes: either both or none.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use cryptable::{Execution, KeyParameters, SecretKey};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::Global;
use crate::args::jobs::KeyFileArgs;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::printable::Printable as _;
use crate::progress;
use crate::report::{self, bytes};

/// The paths of both keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyFiles<'a> {
    secret: &'a Path,
    evaluation: &'a Path,
    force: bool,
}

impl<'a> KeyFiles<'a> {
    /// Checks the paths that arguments name.
    ///
    /// # Errors
    /// If both paths are the same, or if a file exists and must not be replaced.
    pub fn new(args: &'a KeyFileArgs) -> Result<Self> {
        let (secret, evaluation, force) = (&args.secret, &args.evaluation, args.force);
        ensure!(
            secret != evaluation,
            "the secret key and the evaluation key cannot both be {}",
            secret.printable()
        );
        for (path, loss) in [(secret, ", and what it encrypted is lost"), (evaluation, "")] {
            let is_file = atomic_file::target_of(path)?.is_some();
            if !force && is_file && path.exists() {
                bail!("{} exists; --force replaces it{loss}", path.printable());
            }
        }
        Ok(Self { secret, evaluation, force })
    }

    /// Generates a secret key for parameters of any kind, and writes both keys, with progress.
    ///
    /// # Errors
    /// If writing fails. There is no new file then.
    pub fn generate(
        self,
        global: Global,
        parameters: impl Into<KeyParameters>,
    ) -> Result<GeneratedKeys> {
        let start = Instant::now();
        let files = self.create()?;
        let secret = SecretKey::generate(parameters);
        let bar = progress::bar(global, "evaluation key");
        let moved = progress::on(&bar);
        let execution = Execution::default().progress(&moved);
        let files = files
            .write(|| secret.to_bytes(), |file| secret.write_evaluation_key(file, execution))?;
        bar.finish_and_clear();
        let keygen_s = start.elapsed().as_secs_f64();
        Ok(GeneratedKeys { key_id: secret.id().to_string(), files, keygen_s })
    }

    /// Starts both files. Only its owner can read the secret key's.
    ///
    /// # Errors
    /// If one cannot be created.
    fn create(self) -> Result<OpenKeyFiles<'a>> {
        Ok(OpenKeyFiles {
            secret: atomic_file::create(self.secret, Access::Private)?,
            evaluation: atomic_file::create(self.evaluation, Access::Public)?,
            names: self,
        })
    }
}

/// Both files while they are written. They vanish if this is dropped before [`OpenKeyFiles::write`] ends.
#[derive(Debug)]
struct OpenKeyFiles<'a> {
    names: KeyFiles<'a>,
    secret: AtomicFile,
    evaluation: AtomicFile,
}

impl OpenKeyFiles<'_> {
    /// Writes the evaluation key with `evaluation`, then the secret key that `secret` returns, and gives the files
    /// their names.
    ///
    /// The secret comes last, both on the way to the disk and when names are given:
    /// - Generating an evaluation key takes seconds to minutes. Whatever ends the process meanwhile leaves no secret
    ///   behind, not even in a temporary file.
    /// - A process that is killed between the two names leaves an evaluation key without its secret, which is useless
    ///   and reveals nothing. A secret without an evaluation key would look like a key. And if `--force` replaces keys,
    ///   the old secret, which alone decrypts existing ciphertexts, stays until the new one is complete.
    ///
    /// # Errors
    /// If writing fails. There is no new file then.
    fn write<E>(
        mut self,
        secret: impl FnOnce() -> Zeroizing<Vec<u8>>,
        evaluation: impl FnOnce(&mut AtomicFile) -> Result<(), E>,
    ) -> Result<WrittenKeys>
    where
        Result<(), E>: Context<(), E>,
    {
        let KeyFiles { secret: secret_name, evaluation: evaluation_name, force } = self.names;
        evaluation(&mut self.evaluation)
            .with_context(|| format!("generating {}", evaluation_name.printable()))?;
        self.secret.write_all(&secret())?;
        let sizes = AtomicFile::commit_all(vec![self.evaluation, self.secret], force)?;
        let (evaluation_bytes, secret_bytes) = (sizes[0], sizes[1]);
        let (secret, evaluation) = (secret_name.to_path_buf(), evaluation_name.to_path_buf());
        Ok(WrittenKeys { secret, secret_bytes, evaluation, evaluation_bytes })
    }
}

/// The result of generating keys, as part of a report.
#[derive(Debug, Serialize)]
pub struct GeneratedKeys {
    /// Identifier of the client's key.
    pub key_id: String,
    /// Paths and sizes of both keys.
    #[serde(flatten)]
    pub files: WrittenKeys,
    /// Seconds that it took.
    pub keygen_s: f64,
}

/// The files of both keys, as part of a report.
#[derive(Debug, Serialize)]
pub struct WrittenKeys {
    #[serde(serialize_with = "report::path")]
    secret: PathBuf,
    secret_bytes: u64,
    #[serde(serialize_with = "report::path")]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_comes_last() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name| directory.path().join(name);
        let (secret, evaluation) = (path("client.key"), path("server.key"));
        let (secret_, evaluation_) = (secret.clone(), evaluation.clone());
        let args = KeyFileArgs { secret: secret_, evaluation: evaluation_, force: false };
        let open = || KeyFiles::new(&args).unwrap().create().unwrap();
        let failed = open().write(
            || panic!("there is no secret before the evaluation key is whole"),
            |_| Err::<(), _>(std::io::Error::other("interrupted")),
        );
        assert!(failed.is_err() && !secret.exists() && !evaluation.exists());
        let written = open()
            .write(|| Zeroizing::new(b"secret".to_vec()), |file| file.write_all(b"evaluation key"));
        let written = written.unwrap();
        assert_eq!((written.secret_bytes, written.evaluation_bytes), (6, 14));
        assert_eq!(std::fs::read(&secret).unwrap(), b"secret");
    }
}
