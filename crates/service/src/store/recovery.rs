//! Reconciliation of files with rows when a server starts.
//!
//! ```text
//! a file                                   exists because                                         is removed
//! in a row                                 it is needed                                           no
//! in the table `removed`                   its row was removed, and the server was killed         yes
//! NAME, beside NAME.unfinished             it was being written                                   yes
//! NAME.unfinished, empty                   NAME was being written                                 yes
//! .DIGEST.partial-LETTERS                  a table was being written                              yes
//! an identifier, empty                     its upload was not in a row yet                        yes
//! anything else                            the database belongs to other files, or the file is    moved to lost/
//!                                          not the server's                                       on request
//! ```
//!
//! Nothing is removed while there is a file of the last kind that is not to be moved.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use super::sql::params;
use cryptable_files::{sync_folder, target_of_temporary};

use super::Store;
use super::folder::{self, CONTENT, LOST, create_private, tighten};
use super::table_use::{is_needed, is_offered};
use crate::{Error, Result};

/// Suffix of the empty file that marks another one as unfinished.
pub(super) const UNFINISHED: &str = ".unfinished";

/// Number of hexadecimal digits in the names of files, and of tables.
pub(super) const ID_DIGITS: usize = 32;
pub(super) const DIGEST_DIGITS: usize = 64;

/// Returns whether a name consists of exactly `digits` lower-case hexadecimal digits.
pub(super) fn is_hex(name: &str, digits: usize) -> bool {
    let is_digit = |letter: u8| letter.is_ascii_digit() || (b'a'..=b'f').contains(&letter);
    name.len() == digits && name.bytes().all(is_digit)
}

/// Returns the name of the empty file that marks another one as unfinished.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(UNFINISHED);
    name.into()
}

/// Records on the disk that a file is being written that no row names yet.
pub(super) fn begin_file(path: &Path) -> Result<()> {
    folder::create_file(&unfinished(path))?;
    if let Some(parent) = path.parent() {
        sync_folder(parent)?;
    }
    Ok(())
}

/// Removes a file. Succeeds if there is none.
pub(super) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// A row of the table `removed`, for a file whose own row is gone.
struct Removed {
    id: i64,
    file: String,
}

impl Store {
    /// Removes a file unless a row names it.
    pub(crate) fn discard(&self, id: &str) {
        let path = self.file(id);
        if matches!(self.is_known(id), Ok(false)) && remove_file(&path).is_ok() {
            let _ = fs::remove_file(unfinished(&path));
        }
    }

    /// Removes files whose rows were removed since the last call. [`Self::finish_removals`] removes those that remain.
    pub(super) fn remove_files(&self) -> Result<()> {
        let found = self.removed(self.swept.load(Ordering::Relaxed))?;
        for Removed { id, file } in found {
            if is_hex(&file, ID_DIGITS) {
                let _ = fs::remove_file(self.file(&file));
            }
            self.swept.fetch_max(id, Ordering::Relaxed);
        }
        Ok(())
    }

    fn removed(&self, after: i64) -> Result<Vec<Removed>> {
        let rows = self.reader();
        let mut query = rows.prepare("SELECT id, file FROM removed WHERE id > ?1 ORDER BY id")?;
        let found =
            query.query_map([after], |row| Ok(Removed { id: row.get(0)?, file: row.get(1)? }))?;
        found.collect()
    }

    /// Removes all files whose rows are gone, durably, and forgets them. A table that a job still needs is kept until
    /// later.
    pub(super) fn finish_removals(&self) -> Result<()> {
        let found = self.removed(0)?;
        if found.is_empty() {
            return Ok(());
        }
        // Identifiers are never reused, so files that they named can be removed before the transaction.
        let ids = found.iter().map(|removed| removed.file.clone());
        let gone = self.remove_kept(ids.filter(|file| is_hex(file, ID_DIGITS)));
        let mut rows = self.rows();
        // During the transaction, nobody can name the file of a table in a row.
        let transaction = rows.transaction()?;
        let mut done = Vec::new();
        for Removed { id, file } in found {
            let is_table = is_hex(&file, DIGEST_DIGITS);
            if is_table && is_needed(&transaction, &file)? {
                if is_offered(&transaction, &file)? {
                    done.push(id);
                }
                continue;
            }
            let path = if is_table { self.table_file(&file) } else { self.file(&file) };
            let is_own = is_table || is_hex(&file, ID_DIGITS);
            let is_kept = match is_table {
                true => self.remove_one_kept(&file).is_err(),
                false => is_own && !gone.contains(&file),
            };
            if !is_own || (!is_kept && remove_file(&path).is_ok()) {
                done.push(id);
            }
        }
        for part in CONTENT {
            sync_folder(&self.folder.join(part))?;
        }
        for id in done {
            transaction.execute("DELETE FROM removed WHERE id = ?1", [id])?;
        }
        transaction.commit()
    }

    /// Reconciles files with rows, and returns the new paths of files that the database did not know.
    ///
    /// # Errors
    /// If there are such files and they are not to be moved. Nothing is changed then.
    pub(super) fn recover_files(&self) -> Result<Vec<PathBuf>> {
        let (mut unneeded, mut unknown) = (Vec::new(), Vec::new());
        for part in CONTENT {
            for entry in fs::read_dir(self.folder.join(part))? {
                let entry = entry?;
                let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
                if !self.is_own(&path, &name)? {
                    unknown.push(path);
                } else if !self.is_known(&name)? {
                    unneeded.push(path);
                } else {
                    tighten(&path)?;
                }
            }
        }
        if !unknown.is_empty() && !self.recover {
            return Err(self.unknown_files(&unknown));
        }
        self.remove_unneeded(&unneeded)?;
        self.finish_removals()?;
        unknown.iter().map(|path| self.move_to_lost(path)).collect()
    }

    fn unknown_files(&self, unknown: &[PathBuf]) -> Error {
        let (count, first, folder) = (unknown.len(), unknown[0].display(), self.folder.display());
        Error::Operator(format!(
            "the database of {folder} does not know {count} of the files there, such as {first}: it is older than they \
             are, or they are not the server's; put the right database back, or start with --recover, which moves them \
             to {LOST}/ and removes none"
        ))
    }

    /// Returns whether a row names a file, or the server or a command was about to write or remove it.
    fn is_own(&self, path: &Path, name: &str) -> Result<bool> {
        let metadata = match fs::symlink_metadata(path) {
            // An operator's command has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            metadata => metadata?,
        };
        if !metadata.is_file() {
            return Ok(false);
        }
        let is_empty = metadata.len() == 0;
        // Checked first: an operator's command removes this marker as soon as the row exists.
        let is_unfinished = unfinished(path).exists();
        if let Some(digest) = target_of_temporary(name) {
            return Ok(is_hex(digest, DIGEST_DIGITS));
        }
        if let Some(digits) = name.strip_suffix(UNFINISHED) {
            let is_name = is_hex(digits, ID_DIGITS) || is_hex(digits, DIGEST_DIGITS);
            return Ok(is_name && is_empty);
        }
        if !is_hex(name, ID_DIGITS) && !is_hex(name, DIGEST_DIGITS) {
            return Ok(false);
        }
        Ok(is_unfinished
            || (is_empty && is_hex(name, ID_DIGITS))
            || self.is_known(name)?
            || self.reader().query_row(
                "SELECT EXISTS(SELECT 1 FROM removed WHERE file = ?1)",
                [name],
                |row| row.get(0),
            )?)
    }

    /// Returns whether a row names a file, or needs the table of this digest.
    pub(super) fn is_known(&self, name: &str) -> Result<bool> {
        if is_hex(name, DIGEST_DIGITS) {
            return is_needed(&self.reader(), name);
        }
        self.reader().query_row(
            "SELECT EXISTS(SELECT 1 FROM upload WHERE id = ?1) OR EXISTS(SELECT 1 FROM object WHERE id = ?1)
             OR EXISTS(SELECT 1 FROM result WHERE file = ?1) OR EXISTS(SELECT 1 FROM part WHERE file = ?1)",
            params![name],
            |row| row.get(0),
        )
    }

    /// Removes files whose writing or removal was interrupted. During the transaction, no command can write a table.
    fn remove_unneeded(&self, paths: &[PathBuf]) -> Result<()> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let ends = |path: &PathBuf| path.to_string_lossy().ends_with(UNFINISHED);
        // The marker of an unfinished file is removed after the file.
        for are_last in [false, true] {
            for path in paths.iter().filter(|path| ends(path) == are_last) {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                // A command may have offered the table in the meantime.
                if !is_hex(&name, DIGEST_DIGITS) || !is_needed(&transaction, &name)? {
                    remove_file(path)?;
                }
            }
            for part in CONTENT {
                sync_folder(&self.folder.join(part))?;
            }
        }
        transaction.commit()
    }

    /// Moves a file to the folder `lost`, under a name that is free there.
    fn move_to_lost(&self, path: &Path) -> Result<PathBuf> {
        let inside = path.strip_prefix(&self.folder).unwrap_or(path);
        let target = self.folder.join(LOST).join(inside);
        let place = target.parent().unwrap_or(&self.folder);
        create_private(&self.folder.join(LOST))?;
        create_private(place)?;
        let name = inside.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut found = target.clone();
        for number in 1_u32.. {
            if fs::symlink_metadata(&found).is_err() {
                break;
            }
            found = place.join(format!("{name}.{number}"));
        }
        fs::rename(path, &found)?;
        tracing::warn!(?path, to = ?found, "the database does not know this file");
        Ok(found)
    }
}
