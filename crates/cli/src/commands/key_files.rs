//! The files that key generation writes: either all or none.

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

/// The paths of the keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyFiles<'a> {
    secret: &'a Path,
    evaluation: &'a Path,
    public: Option<&'a Path>,
    force: bool,
}

impl<'a> KeyFiles<'a> {
    /// Checks the paths that arguments name.
    pub fn new(args: &'a KeyFileArgs) -> Result<Self> {
        let KeyFileArgs { secret, evaluation, public, force } = args;
        let (public, force) = (public.as_deref(), *force);
        let is_shared = |path: &Path| Some(path) == public;
        ensure!(
            secret != evaluation && !is_shared(secret) && !is_shared(evaluation),
            "every key needs a file of its own: {} is named twice",
            if is_shared(evaluation) { evaluation } else { secret }.printable()
        );
        let paths = [
            (Some(secret.as_path()), ", and what it encrypted is lost"),
            (Some(evaluation.as_path()), ""),
            (public, ""),
        ];
        for (path, loss) in paths.iter().filter_map(|&(path, loss)| Some((path?, loss))) {
            let is_file = atomic_file::target_of(path)?.is_some();
            if !force && is_file && path.exists() {
                bail!("{} exists; --force replaces it{loss}", path.printable());
            }
        }
        Ok(Self { secret, evaluation, public, force })
    }

    /// Generates a secret key for parameters of any kind, and writes all keys, with progress.
    ///
    /// # Errors
    /// If writing fails, or keys of this kind have no public key. There is no new file then.
    pub fn generate(
        self,
        global: Global,
        parameters: impl Into<KeyParameters>,
    ) -> Result<GeneratedKeys> {
        let start = Instant::now();
        let mut files = self.create()?;
        let secret = SecretKey::generate(parameters);
        if let Some(public) = &mut files.public {
            public.write_all(&secret.public_key()?.to_bytes())?;
        }
        let bar = progress::bar(global, "evaluation key");
        let moved = progress::on(&bar);
        let execution = Execution::default().progress(&moved);
        let files = files
            .write(|| secret.to_bytes(), |file| secret.write_evaluation_key(file, execution))?;
        bar.finish_and_clear();
        let keygen_s = start.elapsed().as_secs_f64();
        Ok(GeneratedKeys { key_id: secret.id().to_string(), files, keygen_s })
    }

    /// Starts all files. Only its owner can read the secret key's.
    fn create(self) -> Result<OpenKeyFiles<'a>> {
        let public = self.public.map(|path| atomic_file::create(path, Access::Public));
        Ok(OpenKeyFiles {
            secret: atomic_file::create(self.secret, Access::Private)?,
            evaluation: atomic_file::create(self.evaluation, Access::Public)?,
            public: public.transpose()?,
            names: self,
        })
    }
}

/// All files while they are written. They vanish if this is dropped before [`OpenKeyFiles::write`] ends.
#[derive(Debug)]
struct OpenKeyFiles<'a> {
    names: KeyFiles<'a>,
    secret: AtomicFile,
    evaluation: AtomicFile,
    public: Option<AtomicFile>,
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
        let names = self.names;
        evaluation(&mut self.evaluation)
            .with_context(|| format!("generating {}", names.evaluation.printable()))?;
        self.secret.write_all(&secret())?;
        let files = [Some(self.evaluation), self.public, Some(self.secret)];
        let sizes = AtomicFile::commit_all(files.into_iter().flatten().collect(), names.force)?;
        Ok(WrittenKeys {
            secret: names.secret.to_path_buf(),
            secret_bytes: sizes[sizes.len() - 1],
            evaluation: names.evaluation.to_path_buf(),
            evaluation_bytes: sizes[0],
            public: names.public.map(Path::to_path_buf),
            public_bytes: names.public.map(|_| sizes[1]),
        })
    }
}

/// The result of generating keys, as part of a report.
#[derive(Debug, Serialize)]
pub struct GeneratedKeys {
    /// Identifier of the client's key.
    pub key_id: String,
    /// Paths and sizes of the keys.
    #[serde(flatten)]
    pub files: WrittenKeys,
    /// Seconds that it took.
    pub keygen_s: f64,
}

/// The files of the keys, as part of a report.
#[derive(Debug, Serialize)]
pub struct WrittenKeys {
    #[serde(serialize_with = "report::path")]
    secret: PathBuf,
    secret_bytes: u64,
    #[serde(serialize_with = "report::path")]
    evaluation: PathBuf,
    evaluation_bytes: u64,
    #[serde(serialize_with = "report::optional_path", skip_serializing_if = "Option::is_none")]
    public: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    public_bytes: Option<u64>,
}

impl fmt::Display for WrittenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path| atomic_file::shown(path).printable();
        let (secret, evaluation) = (shown(&self.secret), shown(&self.evaluation));
        writeln!(f, "  {secret}: secret key, {}; keep it", bytes(self.secret_bytes))?;
        writeln!(f, "  {evaluation}: evaluation key, {}", bytes(self.evaluation_bytes))?;
        match (&self.public, self.public_bytes) {
            (Some(path), Some(size)) => {
                writeln!(f, "  {}: public key, {}; give it to anyone", shown(path), bytes(size))
            }
            _ => Ok(()),
        }
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
        let args =
            KeyFileArgs { secret: secret_, evaluation: evaluation_, public: None, force: false };
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
