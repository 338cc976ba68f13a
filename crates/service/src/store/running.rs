//! The life of a job: it is taken, runs in turns, and ends.

use std::fs::File;
use std::time::Duration;

use rusqlite::{OptionalExtension, Transaction, params};

use super::{Store, folder};
use crate::Result;

/// Number of servers that may end while a job runs without progress. The job then fails, since it may have caused their
/// end.
const MAX_ATTEMPTS: u32 = 2;

/// The reason of such a failure.
const FATAL: &str = "the server ended twice while the job ran, and may have died of it, so it does not run again; order fewer \
                     values or tables at a time, or ask the operator, who finds the reason in the server's log";

/// A job as the worker receives it.
#[derive(Clone, Debug)]
pub(crate) struct QueuedJob {
    pub(crate) id: String,
    pub(crate) client: i64,
    /// Name of the client.
    pub(crate) client_name: String,
    /// Files of the key and of the ciphertexts.
    pub(crate) key: String,
    pub(crate) ciphertext: String,
    /// Digests of the tables.
    pub(crate) tables: Vec<String>,
    /// Files of results that earlier turns started, one per table; empty in the first turn.
    pub(crate) results: Vec<String>,
}

/// The time that a turn took, and the progress of the job after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) spent: Duration,
    /// Share of the job that is done, 0 to 1.
    pub(crate) progress: f64,
}

impl Store {
    /// Queues the jobs again that were running when the last server ended. A job fails if this happened twice without
    /// progress.
    pub(super) fn recover_jobs(&self) -> Result<()> {
        let fatal: Vec<String> = {
            let mut rows = self.rows();
            let transaction = rows.transaction()?;
            transaction.execute(
                "UPDATE job SET state = 'queued', attempts = attempts + 1 WHERE state = 'running'",
                [],
            )?;
            let found = {
                let query = "SELECT id FROM job WHERE state = 'queued' AND attempts >= ?1";
                let mut query = transaction.prepare(query)?;
                query
                    .query_map([MAX_ATTEMPTS], |row| row.get(0))?
                    .collect::<rusqlite::Result<_>>()?
            };
            transaction.commit()?;
            found
        };
        fatal.iter().try_for_each(|id| self.fail_job(id, FATAL))
    }

    /// Takes the next job: that of the client who has used the least time. The job is running from then on.
    pub(crate) fn take_job(&self) -> Result<Option<QueuedJob>> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        // The only worker runs no job at the moment, so such a job is one whose outcome could not be recorded.
        transaction.execute("UPDATE job SET state = 'queued' WHERE state = 'running'", [])?;
        let found = transaction
            .query_row(
                "SELECT job.id, client, key, ciphertext, tables, name FROM job
                 JOIN client ON job.client = client.id
                 WHERE state = 'queued' ORDER BY used_us, sequence LIMIT 1",
                [],
                |row| {
                    let tables: String = row.get(4)?;
                    let tables = serde_json::from_str(&tables).unwrap_or_default();
                    Ok(QueuedJob {
                        id: row.get(0)?,
                        client: row.get(1)?,
                        client_name: row.get(5)?,
                        key: row.get(2)?,
                        ciphertext: row.get(3)?,
                        tables,
                        results: Vec::new(),
                    })
                },
            )
            .optional()?;
        let Some(mut job) = found else { return Ok(None) };
        job.results = result_files(&transaction, &job.id)?;
        transaction.execute("UPDATE job SET state = 'running' WHERE id = ?1", [&job.id])?;
        transaction.commit()?;
        Ok(Some(job))
    }

    /// Records the files in which a job writes its results. None is complete before the job is done.
    pub(crate) fn begin_results(&self, id: &str, files: &[String]) -> Result<()> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        for (place, file) in files.iter().enumerate() {
            let values = params![id, place as u64, file];
            transaction.execute("INSERT INTO result VALUES (?1, ?2, ?3, 0)", values)?;
        }
        Ok(transaction.commit()?)
    }

    /// Opens a file of results, and creates it if necessary. An empty file that no row names is removed when a server
    /// starts.
    pub(crate) fn open_result(&self, file: &str) -> Result<File> {
        Ok(folder::open_file(&self.file(file))?)
    }

    /// Returns whether a job exists and is running. Clients and operators may have removed it.
    pub(crate) fn is_running(&self, id: &str) -> Result<bool> {
        let query = "SELECT EXISTS(SELECT 1 FROM job WHERE id = ?1 AND state = 'running')";
        Ok(self.reader().query_row(query, [id], |row| row.get(0))?)
    }

    /// Returns whether a job is waiting.
    pub(crate) fn is_queued(&self, id: &str) -> Result<bool> {
        let query = "SELECT EXISTS(SELECT 1 FROM job WHERE id = ?1 AND state = 'queued')";
        Ok(self.reader().query_row(query, [id], |row| row.get(0))?)
    }

    /// Charges a turn to the client of a running job. Returns whether the job has to stop: another client's job waits
    /// that has used no more time, or this job was removed.
    pub(crate) fn end_turn(&self, job: &QueuedJob, turn: Turn) -> Result<bool> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        charge(&transaction, job.client, turn.spent)?;
        let query = "UPDATE job SET attempts = 0, progress = ?2 WHERE id = ?1";
        let is_gone = transaction.execute(query, params![job.id, turn.progress])? == 0;
        let waits: bool = transaction.query_row(
            "SELECT EXISTS(SELECT 1 FROM job JOIN client ON job.client = client.id
             WHERE state = 'queued' AND client.id != ?1
             AND used_us <= (SELECT used_us FROM client WHERE id = ?1))",
            [job.client],
            |row| row.get(0),
        )?;
        transaction.commit()?;
        Ok(waits || is_gone)
    }

    /// Marks a job as done. Its results are on the disk, and `bytes` are their lengths.
    pub(crate) fn finish_job(&self, job: &QueuedJob, bytes: &[u64], spent: Duration) -> Result<()> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        charge(&transaction, job.client, spent)?;
        let total: u64 = bytes.iter().sum();
        transaction.execute(
            "UPDATE job SET state = 'done', reserved = ?2, ended = ?3 WHERE id = ?1 AND state = 'running'",
            params![job.id, total, self.clock.now()],
        )?;
        for (place, bytes) in bytes.iter().enumerate() {
            transaction.execute(
                "UPDATE result SET bytes = ?3 WHERE job = ?1 AND place = ?2",
                params![job.id, place as u64, bytes],
            )?;
        }
        Ok(transaction.commit()?)
    }

    /// Marks a job as failed, and removes its results.
    pub(crate) fn fail_job(&self, id: &str, reason: &str) -> Result<()> {
        {
            let mut rows = self.rows();
            let transaction = rows.transaction()?;
            transaction.execute("DELETE FROM result WHERE job = ?1", [id])?;
            transaction.execute(
                "UPDATE job SET state = 'failed', reserved = 0, reason = ?2, ended = ?3 WHERE id = ?1",
                params![id, reason, self.clock.now()],
            )?;
            transaction.commit()?;
        }
        self.remove_files()
    }

    /// Queues a running job again.
    pub(crate) fn requeue_job(&self, job: &QueuedJob, spent: Duration) -> Result<()> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        charge(&transaction, job.client, spent)?;
        let query = "UPDATE job SET state = 'queued' WHERE id = ?1 AND state = 'running'";
        transaction.execute(query, [&job.id])?;
        Ok(transaction.commit()?)
    }
}

/// Returns the files of a job's results in the order of its tables.
fn result_files(transaction: &Transaction<'_>, job: &str) -> Result<Vec<String>> {
    let mut query = transaction.prepare("SELECT file FROM result WHERE job = ?1 ORDER BY place")?;
    let files = query.query_map([job], |row| row.get(0))?;
    Ok(files.collect::<rusqlite::Result<_>>()?)
}

/// Adds time to a client's account, by which the jobs of clients take turns.
fn charge(transaction: &Transaction<'_>, client: i64, spent: Duration) -> Result<()> {
    let spent = u64::try_from(spent.as_micros()).unwrap_or(u64::MAX >> 1);
    transaction.execute(
        "UPDATE client SET used_us = used_us + ?2 WHERE id = ?1",
        params![client, spent],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;

    fn add_job(store: &Store, id: &str, client: &str) {
        let row = "INSERT INTO job(id, client, state, sent_order, key, ciphertext, tables, estimate_s, reserved)
                   SELECT ?1, id, 'queued', '{\"key\":\"\",\"ciphertext\":\"\",\"tables\":[]}', 'key', 'values', '[]',
                   0.5, 9 FROM client WHERE name = ?2";
        store.rows().execute(row, [id, client]).unwrap();
    }

    #[test]
    fn a_job_that_two_servers_ended_with_fails() {
        let folder = tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        store.add_client("one").unwrap();
        add_job(&store, "job", "one");
        let ended = |store: &Store| drop(store.start_serving().unwrap());
        let turn = Turn { spent: Duration::from_secs(1), progress: 0.5 };
        let job = store.take_job().unwrap().unwrap();
        let result = "0123456789abcdef0123456789abcdef".to_owned();
        std::fs::write(store.file(&result), "kept").unwrap();
        store.begin_results("job", std::slice::from_ref(&result)).unwrap();
        ended(&store);
        // The job makes progress, so the next end of a server counts as the first one again.
        assert_eq!(store.take_job().unwrap().unwrap().results, std::slice::from_ref(&result));
        store.end_turn(&job, turn).unwrap();
        ended(&store);
        assert!(store.is_queued("job").unwrap() && store.file(&result).exists());
        store.take_job().unwrap().unwrap();
        ended(&store);
        let found = store.job(job.client, "job").unwrap();
        assert!(found.state.is_final(), "{found:?}");
        assert!(found.reason.unwrap().contains("the server ended twice"));
        assert!(store.take_job().unwrap().is_none() && !store.file(&result).exists());
    }

    #[test]
    fn clients_have_turns_by_the_time_that_they_used() {
        let folder = tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        for name in ["one", "two"] {
            store.add_client(name).unwrap();
        }
        for (id, client) in [("a", "one"), ("b", "one"), ("c", "two"), ("d", "two")] {
            add_job(&store, id, client);
        }
        let turn = |seconds| Turn { spent: Duration::from_secs(seconds), progress: 0.1 };
        let a = store.take_job().unwrap().unwrap();
        assert_eq!(a.id, "a");
        assert!(store.end_turn(&a, turn(5)).unwrap(), "the other client waits");
        store.requeue_job(&a, Duration::ZERO).unwrap();
        // Two jobs of four seconds are less than one of five seconds and a second one.
        let c = store.take_job().unwrap().unwrap();
        assert_eq!(c.id, "c");
        store.finish_job(&c, &[], Duration::from_secs(4)).unwrap();
        let d = store.take_job().unwrap().unwrap();
        assert_eq!(d.id, "d");
        assert!(!store.end_turn(&d, turn(0)).unwrap());
        store.finish_job(&d, &[], Duration::from_secs(4)).unwrap();
        assert_eq!(store.take_job().unwrap().unwrap().id, "a");
    }
}
