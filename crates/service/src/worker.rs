//! The one worker: it runs jobs in turns, one at a time, and the library takes all threads for each.

mod started;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cryptable::engines::packed::EntryKind;
use cryptable::{
    Ciphertext, CostModel, EvaluationKey, Execution, Parameters, PreparedTable, ReadOptions,
};

use self::started::Started;
use crate::error::is_busy;
use crate::limits::Limits;
use crate::store::{QueuedJob, Store, Turn};
use crate::{Error, Result};

/// How often the queue is looked at when nobody says that there is a job: the operator's commands do not.
pub(crate) const LOOK: Duration = Duration::from_secs(2);

/// How often an outcome is recorded that the database refuses, when it is not for a lock: as when the disk is full.
const RECORDINGS: u32 = 5;

/// Progress in parts of a million.
const WHOLE: u64 = 1_000_000;

/// What is told of the job that runs, and to the worker.
#[derive(Debug, Default)]
struct Current {
    job: Option<String>,
    is_cancelled: Arc<AtomicBool>,
    progress: Arc<AtomicU64>,
    has_new: bool,
    is_stopped: bool,
}

/// What the worker has done since it started.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) values: AtomicU64,
    pub(crate) jobs: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) lookup_ms: AtomicU64,
}

/// Runs jobs in turns: always that of the client who has used the least time, its first one first.
#[derive(Debug)]
pub(crate) struct Worker {
    store: Arc<Store>,
    limits: Limits,
    options: ReadOptions,
    current: Mutex<Current>,
    changed: Condvar,
    pub(crate) totals: Totals,
}

/// A key that stays loaded, and when it was used last.
struct Loaded {
    id: String,
    key: Arc<EvaluationKey>,
}

/// What stays from turn to turn.
#[derive(Default)]
struct Kept {
    /// Keys; the one that was used last comes last.
    keys: Vec<Loaded>,
    /// Jobs that wait for their next turn; the one that ran last comes last.
    jobs: Vec<Started>,
}

/// Jobs that are kept between turns, each with a file for each of its tables; others are opened again.
const KEPT_JOBS: usize = 8;

/// What became of a job.
enum Outcome {
    /// Bytes of the results.
    Done(Vec<u64>),
    /// It waits: for its next turn, or for the next server.
    Stopped,
    Failed(String),
}

impl Worker {
    pub(crate) fn new(store: Arc<Store>, limits: Limits, options: ReadOptions) -> Self {
        let (current, changed, totals) = Default::default();
        Self { store, limits, options, current, changed, totals }
    }

    /// There is a new job.
    pub(crate) fn wake(&self) {
        self.lock().has_new = true;
        self.changed.notify_all();
    }

    /// Ends the worker; the job that it runs waits for the next server.
    pub(crate) fn stop(&self) {
        let mut current = self.lock();
        current.is_stopped = true;
        current.is_cancelled.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Stops a job if it runs.
    pub(crate) fn cancel(&self, job: &str) {
        let current = self.lock();
        if current.job.as_deref() == Some(job) {
            current.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// The share of a job that is done, if it runs.
    pub(crate) fn progress(&self, job: &str) -> Option<f64> {
        let current = self.lock();
        let is_it = current.job.as_deref() == Some(job);
        is_it.then(|| current.progress.load(Ordering::Relaxed) as f64 / WHOLE as f64)
    }

    /// Takes jobs until it is stopped.
    pub(crate) fn run(&self) {
        let mut kept = Kept::default();
        let mut has_room = true;
        while !self.lock().is_stopped {
            self.let_removed_go(&mut kept);
            let taken = self.store.check_disk(0, &self.limits).and_then(|()| self.store.take_job());
            match &taken {
                Ok(Some(job)) => self.run_one(job, &mut kept),
                Ok(None) => self.wait(),
                Err(error) => {
                    // A disk that stays full is told once.
                    if has_room || !matches!(error, Error::Refused(_)) {
                        tracing::error!(%error, "no job can be taken; it is tried again and again");
                    }
                    self.wait();
                }
            }
            has_room = !matches!(taken, Err(Error::Refused(_)));
        }
    }

    /// Closes the files of keys and waiting jobs that were removed, so that the disk has their room again.
    fn let_removed_go(&self, kept: &mut Kept) {
        kept.keys.retain(|loaded| self.store.has_object(&loaded.id).unwrap_or(true));
        kept.jobs.retain(|job| self.store.is_queued(job.id()).unwrap_or(false));
    }

    /// Stops the job that runs if it was removed with its client, by a command of the operator.
    pub(crate) fn stop_if_removed(&self) -> Result<()> {
        let Some(job) = self.lock().job.clone() else { return Ok(()) };
        if !self.store.is_running(&job)? {
            self.cancel(&job);
        }
        Ok(())
    }

    fn wait(&self) {
        let current = self.lock();
        let idle = |current: &mut Current| !current.has_new && !current.is_stopped;
        let waited = self.changed.wait_timeout_while(current, LOOK, idle);
        waited.unwrap_or_else(PoisonError::into_inner).0.has_new = false;
    }

    /// A turn of a job.
    fn run_one(&self, job: &QueuedJob, kept: &mut Kept) {
        let is_cancelled = {
            let mut current = self.lock();
            current.job = Some(job.id.clone());
            current.is_cancelled = Arc::new(AtomicBool::new(current.is_stopped));
            current.progress = Arc::default();
            current.is_cancelled.clone()
        };
        // Begins again whenever the client was charged.
        let (start, mut since) = (Instant::now(), Instant::now());
        let (id, client) = (job.id.as_str(), job.client_name.as_str());
        let tables = job.tables.len();
        match job.results.is_empty() {
            true => tracing::info!(job = id, client, tables, "job starts"),
            false => tracing::info!(job = id, client, tables, "job goes on"),
        }
        // A panic is a defect of the library, and ends this job, not the server.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.look_up(job, kept, &mut since)));
        self.totals.lookup_ms.fetch_add(start.elapsed().as_millis() as u64, Ordering::Relaxed);
        let outcome = match outcome {
            Ok(Ok(outcome)) => {
                let is_done = matches!(outcome, Outcome::Done(_));
                self.totals.jobs.fetch_add(is_done.into(), Ordering::Relaxed);
                outcome
            }
            Ok(Err(_)) if is_cancelled.load(Ordering::Relaxed) => Outcome::Stopped,
            // Removed before it could be cancelled: no row is left that results could belong to.
            Ok(Err(_)) if !self.store.is_running(id).unwrap_or(true) => Outcome::Stopped,
            Ok(Err(Error::Database(error))) if is_busy(&error) => Outcome::Stopped,
            Ok(Err(error)) => self.failed(error.problem().detail),
            Err(_) => self.failed("the lookup ended by a defect of the library".to_owned()),
        };
        let seconds = start.elapsed().as_secs_f64();
        match &outcome {
            Outcome::Done(results) => {
                let bytes: u64 = results.iter().sum();
                tracing::info!(job = id, client, seconds, bytes, "job is done");
            }
            Outcome::Stopped => tracing::info!(job = id, client, seconds, "job waits"),
            Outcome::Failed(reason) => {
                tracing::warn!(job = id, client, seconds, reason, "job failed");
            }
        }
        self.keep_recording(job, &outcome, since);
        self.lock().job = None;
    }

    /// Records an outcome. What fails is a lock that an operator's command holds, which is waited for, or the disk: then the
    /// job waits again, with the results that are in its files.
    fn keep_recording(&self, job: &QueuedJob, outcome: &Outcome, since: Instant) {
        let mut left = RECORDINGS;
        while let Err(error) = self.record(job, outcome, since.elapsed()) {
            tracing::error!(job = job.id, %error, "the outcome of a job cannot be recorded");
            left -= u32::from(!matches!(&error, Error::Database(error) if is_busy(error)));
            if left == 0 || self.lock().is_stopped {
                break;
            }
            self.wait();
        }
    }

    fn failed(&self, reason: String) -> Outcome {
        self.totals.failures.fetch_add(1, Ordering::Relaxed);
        Outcome::Failed(reason)
    }

    fn record(&self, job: &QueuedJob, outcome: &Outcome, spent: Duration) -> Result<()> {
        match outcome {
            Outcome::Done(bytes) => self.store.finish_job(job, bytes, spent),
            Outcome::Stopped => self.store.requeue_job(job, spent),
            Outcome::Failed(reason) => self.store.fail_job(&job.id, reason),
        }
    }

    /// A key, loaded now or before. Others go, the one used longest ago first, until all fit beside the lookup.
    fn key(&self, job: &QueuedJob, loaded: &mut Vec<Loaded>) -> Result<Arc<EvaluationKey>> {
        let taken = |loaded: &[Loaded]| -> u64 {
            loaded.iter().map(|other| other.key.memory_bytes() as u64).sum()
        };
        let found = loaded.iter().position(|other| other.id == job.key);
        let this = match found {
            Some(place) => loaded.remove(place),
            None => {
                let path = self.store.file(&job.key);
                // A key takes up to some times its file; what it really takes is known afterwards.
                let bytes = std::fs::metadata(&path)?.len();
                while !loaded.is_empty() && taken(loaded) + bytes > self.limits.memory / 2 {
                    loaded.remove(0);
                }
                let key = Arc::new(EvaluationKey::open(&path, self.options)?);
                Loaded { id: job.key.clone(), key }
            }
        };
        let parameters = this.key.lookup_parameters()?;
        let values = parameters.values_per_part() as u64;
        let lookup = parameters.lookup_prediction(EntryKind::Shared, job.tables.len(), values);
        let room = self.limits.memory.saturating_sub(lookup.peak_bytes() as u64);
        while !loaded.is_empty() && taken(loaded) > room.min(self.limits.memory / 2) {
            loaded.remove(0);
        }
        let key = this.key.clone();
        loaded.push(this);
        Ok(key)
    }

    /// Looks values up until all are, or another client has its turn.
    fn look_up(&self, job: &QueuedJob, kept: &mut Kept, since: &mut Instant) -> Result<Outcome> {
        let key = self.key(job, &mut kept.keys)?;
        let prepare = |digest: &String| Ok(key.prepare(&self.store.read_table(digest)?)?);
        let tables: Vec<PreparedTable> = job.tables.iter().map(prepare).collect::<Result<_>>()?;
        let tables: Vec<&PreparedTable> = tables.iter().collect();
        let before = kept.jobs.iter().position(|other| other.id() == job.id);
        let mut started = match before.map(|place| kept.jobs.remove(place)) {
            Some(started) => started,
            None => Started::open(&self.store, job, &key, &tables, self.options)?,
        };
        let most = self.values_at_once(&key.lookup_parameters()?, tables.len());
        let mut turn = Instant::now();
        while let Some(pieces) = started.next_pieces(most)? {
            for piece in pieces {
                let results = self.look_up_piece((&key, &tables), &piece, &started)?;
                started.push(&results, piece.count())?;
                self.totals.values.fetch_add(piece.count() as u64, Ordering::Relaxed);
                if turn.elapsed() < self.limits.turn || started.is_done() {
                    continue;
                }
                turn = Instant::now();
                self.let_removed_go(kept);
                if self.end_turn(job, &started, since) {
                    started.pause()?;
                    kept.jobs.push(started);
                    let many = kept.jobs.len().saturating_sub(KEPT_JOBS);
                    kept.jobs.drain(..many);
                    return Ok(Outcome::Stopped);
                }
            }
        }
        Ok(Outcome::Done(started.finish(&self.store)?))
    }

    /// Charges what was done to the client; whether another one has its turn.
    fn end_turn(&self, job: &QueuedJob, started: &Started, since: &mut Instant) -> bool {
        let turn = Turn { spent: since.elapsed(), progress: started.progress(0.0) };
        match self.store.end_turn(job, turn) {
            Ok(waits) => {
                *since = Instant::now();
                waits
            }
            // The job goes on, and what it took is charged later.
            Err(error) => {
                tracing::error!(job = job.id, %error, "a turn cannot be recorded");
                false
            }
        }
    }

    /// Values of a turn at most, so that it ends in time: of single values, which are looked up one by one.
    fn values_at_once(&self, parameters: &Parameters, tables: usize) -> usize {
        let most = parameters.values_per_part();
        if let Parameters::Packed(_) | Parameters::Bridged(_) = parameters {
            return most;
        }
        let prediction = parameters.lookup_prediction(EntryKind::Shared, tables, 1);
        let all = prediction.duration(&CostModel::calibrated(), most as u64, self.limits.threads());
        let share = self.limits.turn.as_secs_f64() / all.as_secs_f64();
        let least = (4 * self.limits.threads()).min(most);
        ((share * most as f64) as usize).clamp(least, most)
    }

    /// Looks up what is looked up at once.
    fn look_up_piece(
        &self,
        (key, tables): (&EvaluationKey, &[&PreparedTable]),
        piece: &Ciphertext,
        started: &Started,
    ) -> Result<Vec<Ciphertext>> {
        let (is_cancelled, progress) = {
            let current = self.lock();
            (current.is_cancelled.clone(), current.progress.clone())
        };
        let moved = |step: usize, steps: usize| {
            let share = step as f64 / steps.max(1) as f64;
            let done = started.progress(share * piece.count() as f64);
            progress.store((WHOLE as f64 * done) as u64, Ordering::Relaxed);
            match is_cancelled.load(Ordering::Relaxed) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let execution = Execution::default().threads(self.limits.threads).progress(&moved);
        Ok(key.lookup_many_with(piece, tables, execution)?)
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::thread;

    use rusqlite::{Connection, TransactionBehavior};
    use tempfile::tempdir;

    use super::*;
    use crate::clock::Clock;

    /// A worker that has taken the one job of a folder, whose key is missing; and what an operator's command opens.
    fn with_job(folder: &Path) -> (Worker, QueuedJob, Connection) {
        let store = Store::open_with(folder, Clock::system(), Duration::from_millis(20)).unwrap();
        store.add_client("one").unwrap();
        let other = Connection::open(folder.join("service.sqlite")).unwrap();
        let row = "INSERT INTO job(id, client, state, sent_order, key, ciphertext, tables, estimate_s, reserved)
                   VALUES ('job', 1, 'queued', '{}', 'key', 'values', '[]', 0.5, 9)";
        other.execute(row, []).unwrap();
        let worker = Worker::new(Arc::new(store), Limits::default(), ReadOptions::default());
        let job = worker.store.take_job().unwrap().expect("a job");
        (worker, job, other)
    }

    fn state(database: &Connection) -> String {
        database.query_row("SELECT state FROM job", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn outcomes_are_refused_under_a_lock_and_recorded_after_it() {
        let outcomes = [
            (Outcome::Done(vec![3]), "done"),
            (Outcome::Stopped, "queued"),
            (Outcome::Failed("reason".into()), "failed"),
        ];
        for (outcome, expected) in outcomes {
            let folder = tempdir().unwrap();
            let (worker, job, mut other) = with_job(folder.path());
            let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
            let error = worker.record(&job, &outcome, Duration::ZERO).unwrap_err();
            assert!(matches!(&error, Error::Database(error) if is_busy(error)), "{error}");
            assert_eq!(state(&lock), "running");
            lock.rollback().unwrap();
            worker.record(&job, &outcome, Duration::ZERO).unwrap();
            assert_eq!(state(&other), expected);
        }
    }

    #[test]
    fn a_job_that_is_removed_between_the_queue_and_its_start_is_no_failure() {
        let folder = tempdir().unwrap();
        let (worker, job, other) = with_job(folder.path());
        other.execute("DELETE FROM job", []).unwrap();
        worker.run_one(&job, &mut Kept::default());
        assert_eq!(worker.totals.failures.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn an_outcome_is_kept_while_there_is_a_lock() {
        let folder = tempdir().unwrap();
        let (worker, job, mut other) = with_job(folder.path());
        let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        thread::scope(|scope| {
            let running = scope.spawn(|| worker.run_one(&job, &mut Kept::default()));
            for _ in 0..5 {
                thread::sleep(Duration::from_millis(60));
                worker.wake();
            }
            assert!(!running.is_finished());
            assert_eq!((state(&lock).as_str(), worker.progress("job")), ("running", Some(0.0)));
            lock.rollback().unwrap();
            worker.wake();
            running.join().unwrap();
        });
        assert_eq!((state(&other).as_str(), worker.progress("job")), ("failed", None));
        assert_eq!(worker.totals.failures.load(Ordering::Relaxed), 1, "the job runs once");
    }

    #[test]
    fn a_stopped_worker_leaves_a_job_without_an_outcome_to_the_next_server() {
        let folder = tempdir().unwrap();
        let (worker, job, mut other) = with_job(folder.path());
        let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| worker.run_one(&job, &mut Kept::default()));
            thread::sleep(Duration::from_millis(60));
            worker.stop();
        });
        assert_eq!(state(&lock), "running");
        lock.rollback().unwrap();
        let _serving = worker.store.start_serving().unwrap();
        assert_eq!(state(&other), "queued");
    }

    #[test]
    fn an_outcome_that_the_disk_refuses_ends_and_the_job_waits_again() {
        let folder = tempdir().unwrap();
        let (worker, job, other) = with_job(folder.path());
        worker.store.hold_size(true);
        let outcome = Outcome::Failed("x".repeat(1 << 20));
        thread::scope(|scope| {
            let recording = scope.spawn(|| worker.keep_recording(&job, &outcome, Instant::now()));
            while !recording.is_finished() {
                thread::sleep(Duration::from_millis(5));
                worker.wake();
            }
        });
        assert_eq!(state(&other), "running");
        worker.store.hold_size(false);
        assert_eq!(worker.store.take_job().unwrap().expect("the job").id, job.id);
    }
}
