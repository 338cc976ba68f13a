//! The files that key generation writes: either all of them or none.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::{Execution, KeyId, KeyParameters, SecretKey};
use serde_json::json;
use zeroize::Zeroizing;

use crate::args::Global;
use crate::args::jobs::KeyFileArgs;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::input_file;
use crate::progress;
use crate::report::{self, Report, bytes};

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
            input_file::name(if is_shared(evaluation) { evaluation } else { secret })
        );
        let paths = [
            (Some(secret.as_path()), ", and what it encrypted is lost"),
            (Some(evaluation.as_path()), ""),
            (public, ""),
        ];
        for (path, loss) in paths.iter().filter_map(|&(path, loss)| Some((path?, loss))) {
            atomic_file::check_new(path, force, loss)?;
        }
        Ok(Self { secret, evaluation, public, force })
    }

    /// Generates a secret key for parameters of any kind, and writes all keys, with progress. Returns the key's identifier, the
    /// report of the files, and the seconds that it took.
    ///
    /// # Errors
    /// If writing fails, or keys of this kind have no public key. There is no new file then.
    pub fn generate(
        self,
        global: Global,
        parameters: impl Into<KeyParameters>,
    ) -> Result<(KeyId, Report, f64)> {
        let start = Instant::now();
        let mut files = self.create()?;
        let secret = SecretKey::generate(parameters);
        if let Some(public) = &mut files.public {
            public.write_all(&secret.public_key()?.to_bytes())?;
        }
        let sizes = progress::shown(global, "evaluation key", |moved| {
            let execution = Execution::default().progress(moved);
            files.write(|| secret.to_bytes(), |file| secret.write_evaluation_key(file, execution))
        })?;
        Ok((secret.id(), self.report(&sizes), start.elapsed().as_secs_f64()))
    }

    /// Reports the files, given the bytes of the evaluation key, of the public key if there is one, and of the secret key.
    fn report(&self, sizes: &[u64]) -> Report {
        let [evaluation_bytes, .., secret_bytes] = *sizes else {
            unreachable!("there are two keys at least")
        };
        let shown = atomic_file::name;
        let (secret, evaluation) = (shown(self.secret), shown(self.evaluation));
        let mut fields = json!({
            "secret": self.secret.to_string_lossy(),
            "secret_bytes": secret_bytes,
            "evaluation": self.evaluation.to_string_lossy(),
            "evaluation_bytes": evaluation_bytes,
        });
        let mut text = format!(
            "  {secret}: secret key, {}; keep it\n  {evaluation}: evaluation key, {}\n",
            bytes(secret_bytes),
            bytes(evaluation_bytes)
        );
        if let Some(path) = self.public {
            let (public, size) = (shown(path), bytes(sizes[1]));
            text += &format!("  {public}: public key, {size}; give it to anyone\n");
            report::extend(
                &mut fields,
                json!({ "public": path.to_string_lossy(), "public_bytes": sizes[1] }),
            );
        }
        Report { fields, text }
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
    /// their names. Returns their bytes, those of the secret key last.
    ///
    /// The secret comes last, both on the way to the disk and when names are given:
    /// - Generating an evaluation key takes seconds to minutes. If the process ends meanwhile, it leaves no secret behind, not
    ///   even in a temporary file.
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
    ) -> Result<Vec<u64>>
    where
        Result<(), E>: Context<(), E>,
    {
        let names = self.names;
        evaluation(&mut self.evaluation)
            .with_context(|| format!("generating {}", input_file::name(names.evaluation)))?;
        self.secret.write_all(&secret())?;
        let files = [Some(self.evaluation), self.public, Some(self.secret)];
        Ok(AtomicFile::commit_all(files.into_iter().flatten().collect(), names.force)?)
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
        assert_eq!(written, [14, 6]);
        assert_eq!(std::fs::read(&secret).unwrap(), b"secret");
    }
}
