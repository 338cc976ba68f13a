//! Placeholder for object stores in builds without the feature `s3`.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// An object store, of which there are no values in this build.
#[derive(Debug)]
pub(in crate::store) enum Remote {}

impl Remote {
    pub(in crate::store) fn open(url: &str) -> Result<Self> {
        let text = format!(
            "this program was built without object stores such as {url}: build it with `--features s3`"
        );
        Err(Error::Operator(text))
    }

    pub(in crate::store) fn put(&self, _: &str, _: &Path) -> Result<()> {
        match *self {}
    }

    pub(in crate::store) fn get(&self, _: &str, _: &Path) -> Result<PathBuf> {
        match *self {}
    }

    pub(in crate::store) fn remove(&self, _: &str) -> Result<()> {
        match *self {}
    }
}
