//! Files that are being written, and their removal when the program is interrupted.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

use crate::unnamed_file::UnnamedFile;
use crate::{Access, folder_of};

/// Temporary names in use. Whoever holds the lock cannot be interrupted.
static PARTIAL_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// What stands in a temporary name between its target's name and random letters.
const PARTIAL: &str = ".partial-";

/// Delays interruptions as long as it lives, in programs whose handler of interruptions takes it, too.
pub struct Uninterrupted(MutexGuard<'static, BTreeSet<PathBuf>>);

impl Uninterrupted {
    /// Waits for whoever else must not be interrupted.
    #[must_use]
    pub fn start() -> Self {
        Self(PARTIAL_FILES.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes all files that are not whole: the program ends before anybody makes another one.
    pub fn remove_partial_files(&self) {
        for path in &*self.0 {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Returns the name of the file that was to get a temporary name's content, if it is such a name.
#[must_use]
pub fn target_of_partial(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.rsplit_once(PARTIAL).map(|(target, _)| target)
}

/// A file that is being written. It vanishes when it is dropped and when the program is interrupted; where the file
/// system has files without names, it has none before it is whole, and vanishes however the program ends.
#[derive(Debug)]
pub(crate) struct PartialFile {
    /// The name that it will have.
    target: PathBuf,
    /// Taken by [`PartialFile::persist`] and when dropped.
    content: Option<Content>,
}

#[derive(Debug)]
enum Content {
    Unnamed(UnnamedFile),
    Named(NamedTempFile),
}

impl PartialFile {
    /// Makes a file, without a name where the file system has such files.
    ///
    /// # Errors
    /// If the folder takes none, or `target` names no file.
    pub(crate) fn create(target: PathBuf, access: Access) -> io::Result<Self> {
        match UnnamedFile::create(folder_of(&target), access.mode())? {
            Some(file) => Ok(Self { target, content: Some(Content::Unnamed(file)) }),
            None => Self::create_named(target, access),
        }
    }

    /// Makes a file under a temporary name.
    ///
    /// # Errors
    /// As [`PartialFile::create`].
    pub(crate) fn create_named(target: PathBuf, access: Access) -> io::Result<Self> {
        let prefix = prefix(&target);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        set_access(&mut builder, access);
        let mut uninterrupted = Uninterrupted::start();
        let file = builder.tempfile_in(folder_of(&target))?;
        uninterrupted.0.insert(file.path().to_path_buf());
        Ok(Self { target, content: Some(Content::Named(file)) })
    }

    pub(crate) fn file(&mut self) -> &mut File {
        match self.content.as_mut().expect("only taken when it goes") {
            Content::Unnamed(file) => file.file(),
            Content::Named(file) => file.as_file_mut(),
        }
    }

    /// Gives the file its name, and returns it.
    ///
    /// # Errors
    /// If that fails, or a file of that name exists and is not to be replaced. The temporary file is gone then.
    pub(crate) fn persist(
        mut self,
        replace: bool,
        uninterrupted: &mut Uninterrupted,
    ) -> io::Result<PathBuf> {
        let target = std::mem::take(&mut self.target);
        match self.content.take().expect("only taken when it goes") {
            Content::Unnamed(file) => match file.link(&target) {
                Err(error) if replace && error.kind() == io::ErrorKind::AlreadyExists => {
                    replace_by(&file, &target)?;
                }
                linked => linked?,
            },
            Content::Named(file) => {
                uninterrupted.0.remove(file.path());
                let persisted =
                    if replace { file.persist(&target) } else { file.persist_noclobber(&target) };
                // The error holds the temporary file, which vanishes with it.
                persisted.map_err(|error| error.error)?;
            }
        }
        Ok(target)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if let Some(Content::Named(file)) = self.content.take() {
            let mut uninterrupted = Uninterrupted::start();
            uninterrupted.0.remove(file.path());
            drop(file);
        }
    }
}

/// Puts a whole file without a name in the place of another one: links replace nothing, so it gets a temporary name and
/// is renamed. Killed between the two, the program leaves a whole file under a temporary name.
fn replace_by(file: &UnnamedFile, target: &Path) -> io::Result<()> {
    let prefix = prefix(target);
    let mut builder = tempfile::Builder::new();
    let link = builder.prefix(&prefix).make_in(folder_of(target), |name| file.link(name))?;
    // The error holds the temporary name, which vanishes with it.
    link.into_temp_path().persist(target).map_err(|error| error.error)
}

/// What temporary names of a file begin with.
fn prefix(target: &Path) -> String {
    format!(".{}{PARTIAL}", target.file_name().unwrap_or_default().to_string_lossy())
}

#[cfg(unix)]
fn set_access(builder: &mut tempfile::Builder<'_, '_>, access: Access) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(std::fs::Permissions::from_mode(access.mode()));
}

#[cfg(not(unix))]
fn set_access(_: &mut tempfile::Builder<'_, '_>, _: Access) {}
