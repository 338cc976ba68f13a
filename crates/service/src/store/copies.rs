//! Whole files, wherever they are kept: only in the folder, or in an object store with copies in the folder.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::sql::OptionalExtension;

use super::Store;
use super::folder::{CONTENT, COPIES, create_private};
use super::recovery::{DIGEST_DIGITS, ID_DIGITS, is_hex, remove_file};
use super::remote::Remote;
use crate::{Error, Result};

/// Name of the row that states where files are kept.
const FILES: &str = "files";

/// Time after which a copy that nobody reads is removed.
const COPY_AGE: Duration = Duration::from_secs(3600);

impl Store {
    /// Opens the object store of the folder, if it has one.
    pub(super) fn with_remote(mut self) -> Result<Self> {
        if let Some(url) = self.files_url()? {
            create_private(&self.folder.join(COPIES))?;
            self.remote = Some(Remote::open(&url)?);
        }
        Ok(self)
    }

    fn files_url(&self) -> Result<Option<String>> {
        let query = "SELECT value FROM setting WHERE name = ?1";
        self.reader().query_row(query, [FILES], |row| row.get(0)).optional()
    }

    /// Keeps all whole files in an object store from now on, and uploads those that already exist. Only the server
    /// calls this, when it starts.
    pub(crate) fn keep_files_at(self, url: &str) -> Result<Self> {
        match self.files_url()? {
            Some(before) if before == url => return Ok(self),
            Some(before) => {
                let text = format!("the files of this folder are in {before}, not in {url}");
                return Err(Error::Operator(text));
            }
            None => {}
        }
        let remote = Remote::open(url)?;
        for name in self.whole_files()? {
            let path = self.path_here(&name);
            if path.exists() {
                remote.put(&name, &path)?;
            }
        }
        self.rows().execute("INSERT INTO setting VALUES (?1, ?2)", [FILES, url])?;
        self.with_remote()
    }

    fn whole_files(&self) -> Result<Vec<String>> {
        let rows = self.reader();
        let mut query = rows.prepare(
            "SELECT id FROM object UNION SELECT digest FROM lookup_table UNION SELECT file FROM part WHERE count > 0
             UNION SELECT file FROM result JOIN job ON result.job = job.id WHERE state = 'done'
             UNION SELECT value FROM job, json_each(job.tables) WHERE state IN ('queued', 'running')",
        )?;
        let found = query.query_map([], |row| row.get(0))?;
        found.collect()
    }

    /// Returns whether files are kept in an object store.
    pub(crate) fn has_remote(&self) -> bool {
        self.remote.is_some()
    }

    fn path_here(&self, name: &str) -> PathBuf {
        if is_hex(name, DIGEST_DIGITS) { self.table_file(name) } else { self.file(name) }
    }

    fn copy(&self, name: &str) -> PathBuf {
        self.folder.join(COPIES).join(name)
    }

    /// Returns the path of a whole file in the folder, after fetching it if necessary.
    pub(crate) fn fetch(&self, name: &str) -> Result<PathBuf> {
        let (here, copy) = (self.path_here(name), self.copy(name));
        let Some(remote) = self.remote.as_ref().filter(|_| !here.exists()) else {
            return Ok(here);
        };
        match File::open(&copy) {
            Ok(file) => file.set_modified(SystemTime::now())?,
            Err(_) => drop(remote.get(name, &self.folder.join(COPIES))?),
        }
        Ok(copy)
    }

    /// Uploads a whole file to the object store, if there is one. A row may name it from then on.
    pub(crate) fn keep(&self, name: &str) -> Result<()> {
        self.remote.as_ref().map_or(Ok(()), |remote| remote.put(name, &self.path_here(name)))
    }

    /// Makes a copy of a file that is in the object store and that a row names.
    pub(crate) fn make_copy(&self, name: &str) {
        if self.has_remote() {
            // Other calls find the file in either place.
            let _ = fs::rename(self.path_here(name), self.copy(name));
        }
    }

    /// Removes files whose rows are gone from the object store, and returns those that no longer exist.
    pub(super) fn remove_kept(&self, names: impl Iterator<Item = String>) -> HashSet<String> {
        names.filter(|name| self.remove_one_kept(name).is_ok()).collect()
    }

    pub(super) fn remove_one_kept(&self, name: &str) -> Result<()> {
        let Some(remote) = &self.remote else { return Ok(()) };
        remote.remove(name)?;
        Ok(remove_file(&self.copy(name))?)
    }

    /// Removes copies that nobody has read for a while, or that no row names. If other machines share the database, it
    /// also removes files that a job left here and that no row names any more.
    pub(crate) fn remove_old_copies(&self) -> Result<()> {
        if !self.has_remote() {
            return Ok(());
        }
        self.remove_if(COPIES, |is_old, is_known| is_old || !is_known)?;
        if self.url.is_some() {
            // A row names a file soon after the file was written.
            self.remove_if(CONTENT[0], |is_old, is_known| is_old && !is_known)?;
        }
        Ok(())
    }

    /// Removes those files of a part of the folder for which `is_unneeded` returns true, given whether they are old and
    /// known.
    fn remove_if(&self, part: &str, is_unneeded: impl Fn(bool, bool) -> bool) -> Result<()> {
        for entry in fs::read_dir(self.folder.join(part))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let time = entry.metadata().and_then(|metadata| metadata.modified());
            let is_old = time.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > COPY_AGE));
            // Other names belong to copies that are being fetched.
            let is_whole = is_hex(&name, ID_DIGITS) || is_hex(&name, DIGEST_DIGITS);
            if is_unneeded(is_old, !is_whole || self.is_known(&name)?) {
                remove_file(&entry.path())?;
            }
        }
        Ok(())
    }
}
