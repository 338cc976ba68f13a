//! The two files that key generation writes: both or none.

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

/// Where keys go.
#[derive(Clone, Copy, Debug)]
pub struct KeyFiles<'a> {
    secret: &'a Path,
    evaluation: &'a Path,
    force: bool,
}

impl<'a> KeyFiles<'a> {
    /// Takes the files that arguments name.
    ///
    /// # Errors
    /// If both names are the same, or a file exists and is not to be replaced.
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

    /// Draws a secret key for parameters of any kind and writes both keys, with progress.
    ///
    /// # Errors
    /// If writing fails: there is then no new file.
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

    /// Starts both files, the secret key's readable by its owner only.
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

/// Both files being written; dropped before [`OpenKeyFiles::write`] ends, they vanish.
#[derive(Debug)]
struct OpenKeyFiles<'a> {
    names: KeyFiles<'a>,
    secret: AtomicFile,
    evaluation: AtomicFile,
}

impl OpenKeyFiles<'_> {
    /// Lets `evaluation` write the evaluation key, writes the secret key, which `secret` gives, and gives the files
    /// their names.
    ///
    /// The secret comes last, on the way to the disk and when names are given:
    /// - An evaluation key takes from seconds to minutes. Whatever ends the process meanwhile leaves no secret behind,
    ///   not even in a temporary file.
    /// - Of a process killed between the two names there is an evaluation key without its secret, which is of no use
    ///   and reveals nothing. A secret without evaluation key would look like a key; and where `--force` replaces
    ///   keys, the old secret, which alone decrypts what there is, stays until the new one is whole.
    ///
    /// # Errors
    /// If writing fails: there is then no new file.
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

/// What was generated: part of a report.
#[derive(Debug, Serialize)]
pub struct GeneratedKeys {
    /// The client's key.
    pub key_id: String,
    /// Where both keys are.
    #[serde(flatten)]
    pub files: WrittenKeys,
    /// Seconds that it took.
    pub keygen_s: f64,
}

/// What was written: part of a report.
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
