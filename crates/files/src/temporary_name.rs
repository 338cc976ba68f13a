//! Temporary names of files that are being written, and their removal when the program is interrupted.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempPath;

use crate::{Access, folder_of};

/// Temporary names in use. While a thread holds the lock, the program cannot be interrupted.
static IN_USE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Separator between the target's name and the random letters in a temporary name.
const PARTIAL: &str = ".partial-";

/// Guard that delays interruptions while it lives, in programs whose interrupt handler takes this guard, too.
pub struct Uninterrupted(MutexGuard<'static, BTreeSet<PathBuf>>);

impl Uninterrupted {
    /// Waits until no other guard is alive.
    #[must_use]
    pub fn start() -> Self {
        Self(IN_USE.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Removes all incomplete files. The caller then ends the program while it still holds the guard, so that no others
    /// are made.
    pub fn remove_partial_files(&self) {
        self.0.iter().for_each(|path| drop(std::fs::remove_file(path)));
    }
}

/// Returns the name of the target file if `name` is a temporary name.
#[must_use]
pub fn target_of_temporary(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.rsplit_once(PARTIAL).map(|(target, _)| target)
}

/// Returns the prefix of temporary names for a file.
pub(crate) fn prefix(target: &Path) -> String {
    format!(".{}{PARTIAL}", target.file_name().unwrap_or_default().to_string_lossy())
}

/// Temporary name of a file that is being written. The file is removed when this is dropped or the program is
/// interrupted.
#[derive(Debug)]
pub(crate) struct TemporaryName(Option<TempPath>);

impl TemporaryName {
    /// Makes a file under a temporary name in the folder of its target.
    ///
    /// # Errors
    /// If no file can be made in the folder.
    pub(crate) fn create(target: &Path, access: Access) -> io::Result<(File, Self)> {
        let prefix = prefix(target);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix);
        set_access(&mut builder, access);
        let mut uninterrupted = Uninterrupted::start();
        let (file, path) = builder.tempfile_in(folder_of(target))?.into_parts();
        uninterrupted.0.insert(path.to_path_buf());
        Ok((file, Self(Some(path))))
    }

    /// Renames the file to its target.
    ///
    /// # Errors
    /// If that fails, or a file of that name exists and must not be replaced. The temporary file is removed in both
    /// cases.
    pub(crate) fn give(
        mut self,
        target: &Path,
        replace: bool,
        uninterrupted: &mut Uninterrupted,
    ) -> io::Result<()> {
        let path = self.0.take().expect("only taken when it goes");
        uninterrupted.0.remove(&*path);
        let given = if replace { path.persist(target) } else { path.persist_noclobber(target) };
        // The error holds the temporary file, which is removed when it is dropped.
        given.map_err(|error| error.error)
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            Uninterrupted::start().0.remove(&*path);
        }
    }
}

#[cfg(unix)]
fn set_access(builder: &mut tempfile::Builder<'_, '_>, access: Access) {
    use std::os::unix::fs::PermissionsExt as _;
    builder.permissions(std::fs::Permissions::from_mode(access.mode()));
}

#[cfg(not(unix))]
fn set_access(_: &mut tempfile::Builder<'_, '_>, _: Access) {}
