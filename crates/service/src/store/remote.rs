//! An object store, in which servers and workers keep whole files: keys, ciphertexts, tables, results and their parts.
//!
//! The folder then has `files/` for files that are being written here, as always, and `copies/` for copies of files in
//! the object store, which may be removed at any time.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt as _};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Runtime;
use tokio_util::io::StreamReader;

use crate::{Error, Result};

/// Location of the files of a folder.
#[derive(Debug)]
pub(super) struct Remote {
    objects: Arc<dyn ObjectStore>,
    prefix: Location,
    /// `None` only during drop.
    runtime: Option<Runtime>,
}

impl Remote {
    /// Opens an object store: `s3://BUCKET/PREFIX`, with credentials, region and endpoint from the environment, as
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION` and `AWS_ENDPOINT_URL`; `file:///FOLDER`; or `memory:`.
    pub(super) fn open(url: &str) -> Result<Self> {
        let wrong = |reason: String| {
            Error::Operator(format!(
                "{url} is not an object store: {reason}; use s3://BUCKET/PREFIX or file:///FOLDER"
            ))
        };
        let refused = |error: object_store::Error| wrong(error.to_string());
        let (scheme, rest) = url.split_once(':').unwrap_or_default();
        let (objects, prefix): (Arc<dyn ObjectStore>, &str) = match scheme {
            "s3" => {
                let prefix = rest.trim_start_matches('/').split_once('/');
                (signed::open(url).map_err(refused)?, prefix.map_or("", |(_, prefix)| prefix))
            }
            "file" => {
                let folder = Path::new(rest.strip_prefix("//").unwrap_or(rest));
                std::fs::create_dir_all(folder)?;
                let objects = LocalFileSystem::new_with_prefix(folder).map_err(refused)?;
                (Arc::new(objects.with_fsync(true)), "")
            }
            "memory" => (Arc::new(InMemory::new()), ""),
            _ => return Err(wrong("the scheme is neither".to_owned())),
        };
        let prefix = Location::from_url_path(prefix).map_err(|error| wrong(error.to_string()))?;
        Self::of(objects, prefix)
    }

    fn of(objects: Arc<dyn ObjectStore>, prefix: Location) -> Result<Self> {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = Some(runtime.worker_threads(1).thread_name("objects").enable_all().build()?);
        Ok(Self { objects, prefix, runtime })
    }

    fn run<T>(&self, call: impl Future<Output = Result<T>>) -> Result<T> {
        let gone = || io::Error::other("the object store is closed");
        self.runtime.as_ref().ok_or_else(gone)?.block_on(call)
    }

    fn at(&self, name: &str) -> Location {
        self.prefix.clone().join(name)
    }

    /// Uploads a file to the store. It appears whole, or not at all.
    pub(super) fn put(&self, name: &str, from: &Path) -> Result<()> {
        self.run(async {
            let mut file = tokio::fs::File::open(from).await?;
            let mut writer = BufWriter::new(self.objects.clone(), self.at(name));
            if let Err(error) = tokio::io::copy(&mut file, &mut writer).await {
                let _ = writer.abort().await;
                return Err(error.into());
            }
            Ok(writer.shutdown().await?)
        })
    }

    /// Downloads a file, which appears whole in a folder, or not at all.
    pub(super) fn get(&self, name: &str, folder: &Path) -> Result<PathBuf> {
        let unfinished = NamedTempFile::new_in(folder)?;
        self.run(async {
            let found = self.objects.get(&self.at(name)).await.map_err(io::Error::from)?;
            let stream = found.into_stream().map_err(io::Error::from);
            let mut reader = StreamReader::new(stream);
            let mut file = tokio::fs::File::from_std(unfinished.reopen()?);
            tokio::io::copy(&mut reader, &mut file).await?;
            Ok(file.flush().await?)
        })?;
        let path = folder.join(name);
        unfinished.persist(&path).map_err(|error| error.error)?;
        Ok(path)
    }

    /// Removes a file. Succeeds if there is none.
    pub(super) fn remove(&self, name: &str) -> Result<()> {
        let removed = self
            .run(async { Ok(self.objects.delete(&self.at(name)).await.map_err(io::Error::from)?) });
        match removed {
            Err(Error::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            outcome => outcome,
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // A runtime must not wait for its threads when a server drops the last reference.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// S3, with requests signed by HMAC and SHA-256.
mod signed {
    use std::sync::Arc;

    use hmac::{Hmac, KeyInit as _, Mac as _};
    use object_store::aws::AmazonS3Builder;
    use object_store::client::{
        CryptoProvider, DigestAlgorithm, DigestContext, HmacContext, Signer, SigningAlgorithm,
    };
    use object_store::{Error, ObjectStore, Result};
    use sha2::{Digest as _, Sha256};

    pub(super) fn open(url: &str) -> Result<Arc<dyn ObjectStore>> {
        open_by(AmazonS3Builder::from_env().with_url(url))
    }

    pub(super) fn open_by(builder: AmazonS3Builder) -> Result<Arc<dyn ObjectStore>> {
        Ok(Arc::new(builder.with_crypto_provider(Arc::new(Signing)).build()?))
    }

    #[derive(Debug)]
    struct Signing;

    struct Digesting(Sha256, Vec<u8>);

    struct Authenticating(Hmac<Sha256>, Vec<u8>);

    impl CryptoProvider for Signing {
        fn digest(&self, _: DigestAlgorithm) -> Result<Box<dyn DigestContext>> {
            Ok(Box::new(Digesting(Sha256::new(), Vec::new())))
        }

        fn hmac(&self, _: DigestAlgorithm, secret: &[u8]) -> Result<Box<dyn HmacContext>> {
            let mac = Hmac::new_from_slice(secret).map_err(|error| refused(error.to_string()))?;
            Ok(Box::new(Authenticating(mac, Vec::new())))
        }

        fn sign(&self, _: SigningAlgorithm, _: &[u8]) -> Result<Box<dyn Signer>> {
            Err(refused("S3 signs by HMAC".to_owned()))
        }
    }

    fn refused(text: String) -> Error {
        Error::NotSupported { source: text.into() }
    }

    impl DigestContext for Digesting {
        fn update(&mut self, data: &[u8]) {
            self.0.update(data);
        }

        fn finish(&mut self) -> Result<&[u8]> {
            self.1 = self.0.finalize_reset().to_vec();
            Ok(&self.1)
        }
    }

    impl HmacContext for Authenticating {
        fn update(&mut self, data: &[u8]) {
            self.0.update(data);
        }

        fn finish(&mut self) -> Result<&[u8]> {
            self.1 = self.0.clone().finalize().into_bytes().to_vec();
            Ok(&self.1)
        }
    }
}

#[cfg(test)]
mod tests;
