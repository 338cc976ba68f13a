//! What is removed by itself: finished jobs, abandoned uploads, files that nobody uses.

use std::time::Duration;

use rusqlite::{Params, Transaction, params};

use super::Store;
use crate::Result;
use crate::limits::Retention;

/// How much was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expired {
    pub(crate) jobs: u64,
    pub(crate) uploads: u64,
    pub(crate) ciphertexts: u64,
}

impl Store {
    /// Removes what has been kept long enough. Uploads for which `is_busy` says so stay.
    pub(crate) fn remove_expired(
        &self,
        keep: &Retention,
        is_busy: impl Fn(&str) -> bool,
    ) -> Result<Expired> {
        let now = self.clock.now();
        let before = |age: Option<Duration>| age.and_then(|age| now.checked_sub(age.as_secs()));
        let (jobs, jobs_files) = match before(keep.jobs) {
            Some(time) => self.remove_jobs_ended_by(time)?,
            None => (0, Vec::new()),
        };
        let (beyond, beyond_files) = self.remove_results_beyond(keep.client_results)?;
        let uploads = match before(keep.uploads) {
            Some(time) => self.remove_uploads_untouched_since(time, is_busy)?,
            None => Vec::new(),
        };
        let ciphertexts = match before(keep.ciphertexts) {
            Some(time) => self.remove_ciphertexts_unused_since(time)?,
            None => Vec::new(),
        };
        for files in [&jobs_files, &beyond_files, &uploads, &ciphertexts] {
            self.remove_files(files);
        }
        let (uploads, ciphertexts) = (uploads.len() as u64, ciphertexts.len() as u64);
        Ok(Expired { jobs: jobs + beyond, uploads, ciphertexts })
    }

    fn remove_jobs_ended_by(&self, time: u64) -> Result<(u64, Vec<String>)> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let files = strings(
            &transaction,
            "SELECT file FROM result JOIN job ON result.job = job.id WHERE job.ended <= ?1",
            [time],
        )?;
        let jobs = transaction.execute("DELETE FROM job WHERE ended <= ?1", [time])?;
        transaction.commit()?;
        Ok((jobs as u64, files))
    }

    /// Of every client, the results that ended last stay, as far as they have so many bytes together.
    fn remove_results_beyond(&self, limit: u64) -> Result<(u64, Vec<String>)> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        // Bytes of a job and of all that ended after it; a first one stays whatever it has.
        let jobs = strings(
            &transaction,
            "SELECT id FROM (
               SELECT id, sum(reserved) OVER ended_later AS bytes, row_number() OVER ended_later AS place
               FROM job WHERE state = 'done'
               WINDOW ended_later AS (PARTITION BY client ORDER BY ended DESC, sequence DESC))
             WHERE bytes > ?1 AND place > 1",
            [limit],
        )?;
        let mut files = Vec::new();
        for job in &jobs {
            files.extend(strings(&transaction, "SELECT file FROM result WHERE job = ?1", [job])?);
            transaction.execute("DELETE FROM job WHERE id = ?1", [job])?;
        }
        transaction.commit()?;
        Ok((jobs.len() as u64, files))
    }

    fn remove_uploads_untouched_since(
        &self,
        time: u64,
        is_busy: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let mut ids = strings(&transaction, "SELECT id FROM upload WHERE touched <= ?1", [time])?;
        ids.retain(|id| !is_busy(id));
        for id in &ids {
            transaction.execute("DELETE FROM upload WHERE id = ?1", [id])?;
        }
        transaction.commit()?;
        Ok(ids)
    }

    fn remove_ciphertexts_unused_since(&self, time: u64) -> Result<Vec<String>> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let ids = strings(
            &transaction,
            "SELECT id FROM object WHERE kind = 'ciphertext' AND used <= ?1 AND id NOT IN
             (SELECT ciphertext FROM job WHERE state IN ('queued', 'running'))",
            [time],
        )?;
        for id in &ids {
            transaction.execute("DELETE FROM object WHERE id = ?1", params![id])?;
        }
        transaction.commit()?;
        Ok(ids)
    }
}

fn strings(transaction: &Transaction<'_>, query: &str, values: impl Params) -> Result<Vec<String>> {
    let mut query = transaction.prepare(query)?;
    let found = query.query_map(values, |row| row.get(0))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}
