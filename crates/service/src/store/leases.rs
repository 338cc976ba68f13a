//! Leases, which determine which worker runs a job and whether it is still alive.
//!
//! Each time a worker takes a job, the number of the job's lease rises. All of the worker's records about the job state
//! that number, so a worker whose job was given to another one can no longer change anything. While it runs a job, a
//! worker increments the job's beats. A job whose beats stand still for a while is queued again. Every worker measures
//! that while with its own steady clock, so clocks of different machines are never compared.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::sql::{Connection, Transaction, params};

use super::{QueuedJob, Store};
use crate::Result;

/// Number of servers or workers that may end while a job runs without progress. The job then fails, since it may have
/// caused their end.
const MAX_ATTEMPTS: u32 = 2;

/// The reason of such a failure.
const FATAL: &str = "the server ended twice while the job ran, perhaps because of it, so it will not run again; \
                     order fewer values or tables at a time, or ask the operator, who finds the reason in the \
                     server's log";

/// Prefix of the names of workers within a server, which end together with it.
pub(crate) const IN_SERVER: &str = "server-";

/// The beats of running jobs as a worker saw them last.
#[derive(Debug, Default)]
pub(crate) struct Beats(HashMap<String, Seen>);

/// A beat, and the time when it was first seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    lease: u64,
    beat: u64,
    since: Instant,
}

impl Store {
    /// Queues the jobs again that were running in the last server when it ended.
    pub(super) fn recover_jobs(&self) -> Result<()> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        transaction.execute(
            "UPDATE job SET state = 'queued', attempts = attempts + 1
             WHERE state = 'running' AND (worker = '' OR worker LIKE ?1)",
            [format!("{IN_SERVER}%")],
        )?;
        self.fail_fatal(&transaction)?;
        transaction.commit()?;
        drop(rows);
        self.remove_files()
    }

    /// Queues the jobs again whose beats have stood still for `patience`, and returns their number. `beats` remembers
    /// the beats from call to call.
    pub(crate) fn requeue_lost(&self, beats: &mut Beats, patience: Duration) -> Result<usize> {
        let lost = self.standing_still(beats, patience)?;
        if lost.is_empty() {
            return Ok(0);
        }
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let mut count = 0;
        for (job, Seen { lease, beat, .. }) in &lost {
            count += transaction.execute(
                "UPDATE job SET state = 'queued', attempts = attempts + 1
                 WHERE id = ?1 AND lease = ?2 AND beat = ?3 AND state = 'running'",
                params![job, lease, beat],
            )?;
        }
        self.fail_fatal(&transaction)?;
        transaction.commit()?;
        drop(rows);
        self.remove_files()?;
        Ok(count)
    }

    fn standing_still(
        &self,
        Beats(seen): &mut Beats,
        patience: Duration,
    ) -> Result<Vec<(String, Seen)>> {
        let mut found = HashMap::new();
        let rows = self.reader();
        let mut query = rows.prepare("SELECT id, lease, beat FROM job WHERE state = 'running'")?;
        let mut running = query.query([])?;
        while let Some(row) = running.next()? {
            let id: String = row.get(0)?;
            let now = Seen { lease: row.get(1)?, beat: row.get(2)?, since: Instant::now() };
            let before = seen.get(&id).filter(|it| (it.lease, it.beat) == (now.lease, now.beat));
            let before = before.copied();
            found.insert(id, before.unwrap_or(now));
        }
        *seen = found;
        let lost = seen.iter().filter(|(_, it)| it.since.elapsed() >= patience);
        Ok(lost.map(|(id, it)| (id.clone(), *it)).collect())
    }

    /// Marks waiting jobs as failed that have been tried too often.
    fn fail_fatal(&self, transaction: &Transaction<'_>) -> Result<()> {
        let query = "SELECT id FROM job WHERE state = 'queued' AND attempts >= ?1";
        let mut query = transaction.prepare(query)?;
        let found = query.query_map([MAX_ATTEMPTS], |row| row.get(0))?;
        let found: Vec<String> = found.collect::<Result<_>>()?;
        found.iter().try_for_each(|id| self.fail(transaction, id, FATAL))
    }

    /// Records that the worker of a job is alive, and the job's progress. Returns whether the worker still holds the
    /// job.
    pub(crate) fn beat(&self, id: &str, lease: u64, progress: f64) -> Result<bool> {
        let changed = self.rows().execute(
            "UPDATE job SET beat = beat + 1, progress = max(progress, ?3)
             WHERE id = ?1 AND lease = ?2 AND state = 'running'",
            params![id, lease, progress],
        )?;
        Ok(changed == 1)
    }

    /// Returns whether a job runs and its worker still holds it. Clients and operators may have removed it, and another
    /// worker may have it.
    pub(crate) fn holds(&self, job: &QueuedJob) -> Result<bool> {
        holds(&self.reader(), job)
    }

    /// Makes changes in one transaction if the worker still holds the job, and returns whether it does.
    pub(super) fn while_held(
        &self,
        job: &QueuedJob,
        change: impl FnOnce(&Transaction<'_>) -> Result<()>,
    ) -> Result<bool> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        if !holds(&transaction, job)? {
            return Ok(false);
        }
        change(&transaction)?;
        transaction.commit()?;
        Ok(true)
    }
}

fn holds(rows: &Connection, job: &QueuedJob) -> Result<bool> {
    let query =
        "SELECT EXISTS(SELECT 1 FROM job WHERE id = ?1 AND lease = ?2 AND state = 'running')";
    rows.query_row(query, params![job.id, job.lease], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use tempfile::tempdir;

    use super::*;
    use crate::store::running::tests::add_job;
    use crate::store::{Turn, Whole};

    fn store(folder: &std::path::Path) -> Store {
        let store = Store::open(folder).unwrap();
        store.add_client("one").unwrap();
        add_job(&store, "job", "one");
        store
    }

    #[test]
    fn a_job_of_a_worker_that_is_silent_goes_to_another_and_the_first_changes_nothing_any_more() {
        let folder = tempdir().unwrap();
        let store = store(folder.path());
        let first = store.take_job("worker-1").unwrap().unwrap();
        let mut beats = Beats::default();
        let mut lost = || store.requeue_lost(&mut beats, Duration::ZERO).unwrap();
        // A beat seen for the first time has stood still for no time, which is enough for a patience of zero.
        assert_eq!(lost(), 1);
        assert_eq!(lost(), 0);
        let turn = Turn { spent: Duration::from_secs(9), progress: 0.9 };
        let whole = Whole { file: "0123".into(), bytes: 3 };
        let refused = |job: &QueuedJob| {
            assert!(!store.holds(job).unwrap());
            assert!(!store.beat(&job.id, job.lease, 0.9).unwrap());
            assert!(store.end_turn(job, turn).unwrap(), "it has to stop");
            assert!(!store.begin_results(job, &["0123".into()]).unwrap());
            assert!(!store.finish_job(job, std::slice::from_ref(&whole), turn.spent).unwrap());
            assert!(!store.requeue_job(job, turn.spent).unwrap());
            assert!(!store.fail_job(job, "reason").unwrap());
            let found = store.job(job.client, &job.id).unwrap();
            assert!(!found.state.is_final() && found.progress < 0.9, "{found:?}");
        };
        refused(&first);
        let second = store.take_job("worker-2").unwrap().unwrap();
        assert!(second.lease > first.lease);
        refused(&first);
        // The same applies if both are one worker.
        store.requeue_job(&second, Duration::ZERO).unwrap();
        let third = store.take_job("worker-2").unwrap().unwrap();
        refused(&second);
        assert!(store.beat(&third.id, third.lease, 0.5).unwrap());
        assert!(store.finish_job(&third, &[], Duration::ZERO).unwrap());
        let used = "SELECT used_us FROM client";
        let used: u64 = store.rows().query_row(used, [], |row| row.get(0)).unwrap();
        assert_eq!(used, 0, "clients pay for no work that did not count");
    }

    #[test]
    fn a_job_whose_worker_beats_stays_its() {
        let folder = tempdir().unwrap();
        let store = store(folder.path());
        let job = store.take_job("worker-1").unwrap().unwrap();
        let mut beats = Beats::default();
        let patience = Duration::from_millis(40);
        let start = Instant::now();
        while start.elapsed() < 3 * patience {
            assert!(store.beat(&job.id, job.lease, 0.0).unwrap());
            assert_eq!(store.requeue_lost(&mut beats, patience).unwrap(), 0);
        }
        std::thread::sleep(patience);
        assert_eq!(store.requeue_lost(&mut beats, patience).unwrap(), 1);
        assert!(!store.holds(&job).unwrap());
    }

    /// Checks a job that may have caused the end of its workers.
    #[test]
    fn a_job_that_two_workers_ended_with_fails() {
        let folder = tempdir().unwrap();
        let store = store(folder.path());
        let mut client = 0;
        for worker in ["worker-1", "worker-2"] {
            client = store.take_job(worker).unwrap().unwrap().client;
            assert_eq!(store.requeue_lost(&mut Beats::default(), Duration::ZERO).unwrap(), 1);
        }
        let found = store.job(client, "job").unwrap();
        assert!(found.reason.unwrap().contains("ended twice"));
        assert!(store.take_job("worker-3").unwrap().is_none());
    }

    #[test]
    fn a_server_that_starts_leaves_jobs_of_other_processes_alone() {
        let folder = tempdir().unwrap();
        let store = store(folder.path());
        let job = store.take_job("worker-1").unwrap().unwrap();
        drop(store.start_serving().unwrap());
        assert!(store.holds(&job).unwrap());
    }
}
