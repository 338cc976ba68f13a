//! `cryptable inspect`.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::args::{Global, InspectArgs};
use crate::container::{self, ContainerReader};
use crate::mapped_file::MappedFile;
use crate::report::{self, bytes, hex};

/// Reports on each file.
///
/// # Errors
/// At the first file that cannot be read or is none of ours.
pub fn run(global: Global, args: &InspectArgs) -> Result<()> {
    args.files.iter().try_for_each(|path| report::result(global, &inspect(path)?))
}

fn inspect(path: &Path) -> Result<Report> {
    todo!()
}
