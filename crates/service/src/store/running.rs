//! The life of a running job: it is taken, runs in turns, and ends.

use std::time::Duration;

use super::sql::{OptionalExtension, Transaction, params};

use super::Store;
use super::parts::{Part, parts};
use crate::Result;
use crate::messages::Order;

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
    /// File of the key for bits of several owners, if results are for them.
    pub(crate) bits_key: Option<String>,
    /// Digests of the tables; for several owners, each followed by the number of a bit.
    pub(crate) tables: Vec<String>,
    /// Number of the lease, which rises each time the job is taken.
    pub(crate) lease: u64,
    /// Whether this worker was the last one that ran the job.
    pub(crate) was_own: bool,
    /// Files to which the last worker appended results, one per table; empty in the first turn.
    pub(crate) results: Vec<String>,
    /// Parts of the results that come before these files, for each table.
    pub(crate) parts: Vec<Vec<Part>>,
}

/// A complete result.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub(crate) file: String,
    pub(crate) bytes: u64,
}

/// The time that a turn took, and the job's progress after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) spent: Duration,
    /// Share of the job that is done, 0 to 1.
    pub(crate) progress: f64,
}

impl Store {
    /// Takes the next job for a worker: that of the client who has used the least time. The job is running from then on.
    pub(crate) fn take_job(&self, worker: &str) -> Result<Option<QueuedJob>> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        // The worker runs no job at the moment, so such a job is one whose outcome could not be recorded.
        let query = "UPDATE job SET state = 'queued' WHERE state = 'running' AND worker = ?1";
        transaction.execute(query, [worker])?;
        let found = transaction
            .query_row(
                "SELECT job.id, client, key, ciphertext, tables, name, lease, worker, sent_order FROM job
                 JOIN client ON job.client = client.id
                 WHERE state = 'queued' ORDER BY used_us, sequence LIMIT 1",
                [],
                |row| {
                    let (tables, last): (String, String) = (row.get(4)?, row.get(7)?);
                    let tables = serde_json::from_str(&tables).unwrap_or_default();
                    let lease: u64 = row.get(6)?;
                    let order: String = row.get(8)?;
                    let order = serde_json::from_str::<Order>(&order).ok();
                    Ok(QueuedJob {
                        bits_key: order.and_then(|order| order.bits_key),
                        id: row.get(0)?,
                        client: row.get(1)?,
                        client_name: row.get(5)?,
                        key: row.get(2)?,
                        ciphertext: row.get(3)?,
                        tables,
                        lease: lease + 1,
                        was_own: last == worker,
                        results: Vec::new(),
                        parts: Vec::new(),
                    })
                },
            )
            .optional()?;
        let Some(mut job) = found else { return Ok(None) };
        if let Some(sha256) = &mut job.bits_key {
            let query = "SELECT id FROM object WHERE client = ?1 AND kind = 'evaluation-key' AND sha256 = ?2";
            *sha256 =
                transaction.query_row(query, params![job.client, &*sha256], |row| row.get(0))?;
        }
        job.results = result_files(&transaction, &job.id)?;
        job.parts = parts(&transaction, &job.id, job.tables.len())?;
        transaction.execute(
            "UPDATE job SET state = 'running', lease = ?2, worker = ?3, beat = 0 WHERE id = ?1",
            params![job.id, job.lease, worker],
        )?;
        transaction.commit()?;
        Ok(Some(job))
    }

    /// Records the files to which a job writes its results, before they exist. None is complete before the job is done.
    /// Like all calls for a running job, returns whether the worker still holds the job.
    pub(crate) fn begin_results(&self, job: &QueuedJob, files: &[String]) -> Result<bool> {
        self.while_held(job, |transaction| {
            for (place, file) in files.iter().enumerate() {
                let values = params![job.id, place as u64, file];
                transaction.execute("INSERT INTO result VALUES (?1, ?2, ?3, 0)", values)?;
            }
            Ok(())
        })
    }

    /// Returns whether a job is waiting.
    pub(crate) fn is_queued(&self, id: &str) -> Result<bool> {
        let query = "SELECT EXISTS(SELECT 1 FROM job WHERE id = ?1 AND state = 'queued')";
        self.reader().query_row(query, [id], |row| row.get(0))
    }

    /// Charges a turn to the client of a running job. Returns whether the job has to stop, because another client who
    /// has used no more time has a waiting job, or because the worker no longer holds this job.
    pub(crate) fn end_turn(&self, job: &QueuedJob, turn: Turn) -> Result<bool> {
        let mut waits = false;
        let is_held = self.while_held(job, |transaction| {
            charge(transaction, job.client, turn.spent)?;
            let query = "UPDATE job SET attempts = 0, progress = ?2 WHERE id = ?1";
            transaction.execute(query, params![job.id, turn.progress])?;
            waits = transaction.query_row(
                "SELECT EXISTS(SELECT 1 FROM job JOIN client ON job.client = client.id
                 WHERE state = 'queued' AND client.id != ?1
                 AND used_us <= (SELECT used_us FROM client WHERE id = ?1))",
                [job.client],
                |row| row.get(0),
            )?;
            Ok(())
        })?;
        Ok(waits || !is_held)
    }

    /// Marks a job as done. Its results are on the disk. Files of parts that were joined are removed.
    pub(crate) fn finish_job(
        &self,
        job: &QueuedJob,
        results: &[Whole],
        spent: Duration,
    ) -> Result<bool> {
        let is_held = self.while_held(job, |transaction| {
            charge(transaction, job.client, spent)?;
            let total: u64 = results.iter().map(|whole| whole.bytes).sum();
            transaction.execute(
                "UPDATE job SET state = 'done', reserved = ?2, ended = ?3 WHERE id = ?1",
                params![job.id, total, self.clock.now()],
            )?;
            for (place, Whole { file, bytes }) in results.iter().enumerate() {
                transaction.execute(
                    "UPDATE result SET file = ?3, bytes = ?4 WHERE job = ?1 AND place = ?2",
                    params![job.id, place as u64, file, bytes],
                )?;
            }
            let query = "DELETE FROM result WHERE job = ?1 AND place >= ?2";
            transaction.execute(query, params![job.id, results.len() as u64])?;
            transaction.execute("DELETE FROM part WHERE job = ?1", [&job.id])?;
            Ok(())
        })?;
        self.remove_files()?;
        Ok(is_held)
    }

    /// Marks a running job as failed, and removes its results.
    pub(crate) fn fail_job(&self, job: &QueuedJob, reason: &str) -> Result<bool> {
        let is_held = self.while_held(job, |rows| self.fail(rows, &job.id, reason))?;
        self.remove_files()?;
        Ok(is_held)
    }

    pub(super) fn fail(&self, rows: &Transaction<'_>, id: &str, reason: &str) -> Result<()> {
        for query in ["DELETE FROM result WHERE job = ?1", "DELETE FROM part WHERE job = ?1"] {
            rows.execute(query, [id])?;
        }
        rows.execute(
            "UPDATE job SET state = 'failed', reserved = 0, reason = ?2, ended = ?3 WHERE id = ?1",
            params![id, reason, self.clock.now()],
        )?;
        Ok(())
    }

    /// Queues a running job again.
    pub(crate) fn requeue_job(&self, job: &QueuedJob, spent: Duration) -> Result<bool> {
        self.while_held(job, |transaction| {
            charge(transaction, job.client, spent)?;
            transaction.execute("UPDATE job SET state = 'queued' WHERE id = ?1", [&job.id])?;
            Ok(())
        })
    }
}

/// Returns the files of a job's results in the order of its tables.
fn result_files(transaction: &Transaction<'_>, job: &str) -> Result<Vec<String>> {
    let mut query = transaction.prepare("SELECT file FROM result WHERE job = ?1 ORDER BY place")?;
    let files = query.query_map([job], |row| row.get(0))?;
    files.collect()
}

/// Adds time to a client's account, which determines the order in which clients' jobs run.
fn charge(transaction: &Transaction<'_>, client: i64, spent: Duration) -> Result<()> {
    let spent = u64::try_from(spent.as_micros()).unwrap_or(u64::MAX >> 1);
    transaction.execute(
        "UPDATE client SET used_us = used_us + ?2 WHERE id = ?1",
        params![client, spent],
    )?;
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use tempfile::tempdir;

    use super::*;

    pub(in crate::store) fn add_job(store: &Store, id: &str, client: &str) {
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
        let job = store.take_job("server-1").unwrap().unwrap();
        let result = "0123456789abcdef0123456789abcdef".to_owned();
        std::fs::write(store.file(&result), "kept").unwrap();
        store.begin_results(&job, std::slice::from_ref(&result)).unwrap();
        ended(&store);
        // The job makes progress, so the next end of a server counts as the first one again.
        let job = store.take_job("server-1").unwrap().unwrap();
        assert_eq!(job.results, std::slice::from_ref(&result));
        store.end_turn(&job, turn).unwrap();
        ended(&store);
        assert!(store.is_queued("job").unwrap() && store.file(&result).exists());
        store.take_job("server-1").unwrap().unwrap();
        ended(&store);
        let found = store.job(job.client, "job").unwrap();
        assert!(found.state.is_final(), "{found:?}");
        assert!(found.reason.unwrap().contains("the server ended twice"));
        assert!(store.take_job("server-1").unwrap().is_none() && !store.file(&result).exists());
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
        let a = store.take_job("server-1").unwrap().unwrap();
        assert_eq!(a.id, "a");
        assert!(store.end_turn(&a, turn(5)).unwrap(), "the other client waits");
        store.requeue_job(&a, Duration::ZERO).unwrap();
        // Two jobs of four seconds are less than one of five seconds and a second one.
        let c = store.take_job("server-1").unwrap().unwrap();
        assert_eq!(c.id, "c");
        store.finish_job(&c, &[], Duration::from_secs(4)).unwrap();
        let d = store.take_job("server-1").unwrap().unwrap();
        assert_eq!(d.id, "d");
        assert!(!store.end_turn(&d, turn(0)).unwrap());
        store.finish_job(&d, &[], Duration::from_secs(4)).unwrap();
        assert_eq!(store.take_job("server-1").unwrap().unwrap().id, "a");
    }
}
