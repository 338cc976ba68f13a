//! The one worker: it takes jobs one after the other, and the library takes all threads for each.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cryptable::{
    Ciphertext, CiphertextReader, CiphertextWriter, Contents, EvaluationKey, Execution,
    PreparedTable, ReadOptions,
};

use crate::error::is_busy;
use crate::identifiers::new_id;
use crate::limits::Limits;
use crate::store::{QueuedJob, Store};
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

/// Runs jobs in the order in which they were accepted, each client's in turn.
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

/// What became of a job.
enum Outcome {
    /// Files of the results, and their bytes.
    Done(Vec<(String, u64)>),
    Stopped,
    Failed(String),
}

impl Worker {
    pub(crate) fn new(store: Arc<Store>, limits: Limits, options: ReadOptions) -> Self {
        let (current, changed) = Default::default();
        Self { store, limits, options, current, changed, totals: Totals::default() }
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
        // The one that was used last comes last.
        let mut loaded: Vec<Loaded> = Vec::new();
        let mut has_room = true;
        while !self.lock().is_stopped {
            loaded.retain(|loaded| self.store.has_object(&loaded.id).unwrap_or(true));
            let taken = self.store.check_disk(0, &self.limits).and_then(|()| self.store.take_job());
            match &taken {
                Ok(Some(job)) => self.run_one(job, &mut loaded),
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

    /// Stops the job that runs if it was removed with its client, by a command of the operator.
    pub(crate) fn stop_if_removed(&self) -> Result<()> {
        let Some(job) = self.lock().job.clone() else { return Ok(()) };
        if !self.store.has_job(&job)? {
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

    fn run_one(&self, job: &QueuedJob, loaded: &mut Vec<Loaded>) {
        let (is_cancelled, progress) = {
            let mut current = self.lock();
            current.job = Some(job.id.clone());
            current.is_cancelled = Arc::new(AtomicBool::new(current.is_stopped));
            current.progress = Arc::default();
            (current.is_cancelled.clone(), current.progress.clone())
        };
        let start = Instant::now();
        let (id, client) = (job.id.as_str(), job.client.as_str());
        tracing::info!(job = id, client, tables = job.tables.len(), "job starts");
        // A panic is a defect of the library, and ends this job, not the server.
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            self.look_up(job, loaded, (&is_cancelled, &progress))
        }));
        let outcome = match outcome {
            Ok(Ok(results)) => {
                self.totals.jobs.fetch_add(1, Ordering::Relaxed);
                let spent = start.elapsed().as_millis() as u64;
                self.totals.lookup_ms.fetch_add(spent, Ordering::Relaxed);
                Outcome::Done(results)
            }
            Ok(Err(_)) if is_cancelled.load(Ordering::Relaxed) => Outcome::Stopped,
            Ok(Err(error)) => self.failed(error.problem().detail),
            Err(_) => self.failed("the lookup ended by a defect of the library".to_owned()),
        };
        let seconds = start.elapsed().as_secs_f64();
        match &outcome {
            Outcome::Done(results) => {
                let bytes: u64 = results.iter().map(|(_, bytes)| bytes).sum();
                tracing::info!(job = id, client, seconds, bytes, "job is done");
            }
            Outcome::Stopped => tracing::info!(job = id, client, seconds, "job is stopped"),
            Outcome::Failed(reason) => {
                tracing::warn!(job = id, client, seconds, reason, "job failed");
            }
        }
        self.keep_recording(id, &outcome);
        self.lock().job = None;
    }

    /// Records an outcome. What fails is a lock that an operator's command holds, which is waited for: the work is not done
    /// again for that. If it is the disk, the job waits again, and its results go.
    fn keep_recording(&self, job: &str, outcome: &Outcome) {
        let mut left = RECORDINGS;
        while let Err(error) = self.record(job, outcome) {
            tracing::error!(job, %error, "the outcome of a job cannot be recorded");
            left -= u32::from(!matches!(&error, Error::Database(error) if is_busy(error)));
            if left == 0 || self.lock().is_stopped {
                if let Outcome::Done(results) = outcome {
                    results.iter().for_each(|(file, _)| self.store.discard(file));
                }
                break;
            }
            self.wait();
        }
    }

    fn failed(&self, reason: String) -> Outcome {
        self.totals.failures.fetch_add(1, Ordering::Relaxed);
        Outcome::Failed(reason)
    }

    fn record(&self, job: &str, outcome: &Outcome) -> Result<()> {
        match outcome {
            Outcome::Done(results) => self.store.finish_job(job, results),
            Outcome::Stopped => self.store.requeue_job(job),
            Outcome::Failed(reason) => self.store.fail_job(job, reason),
        }
    }

    /// A key, loaded now or before. Others go, the one used longest ago first, until all fit.
    fn key(&self, id: &str, loaded: &mut Vec<Loaded>) -> Result<Arc<EvaluationKey>> {
        if let Some(place) = loaded.iter().position(|other| other.id == id) {
            let found = loaded.remove(place);
            let key = found.key.clone();
            loaded.push(found);
            return Ok(key);
        }
        let path = self.store.file(id);
        let bytes = std::fs::metadata(&path)?.len();
        let taken = |loaded: &[Loaded]| -> u64 {
            loaded.iter().map(|other| other.key.memory_bytes() as u64).sum()
        };
        // A key takes up to some times its file; what it really takes is known afterwards.
        while !loaded.is_empty() && taken(loaded) + bytes > self.limits.memory / 2 {
            loaded.remove(0);
        }
        let key = Arc::new(EvaluationKey::open(&path, self.options)?);
        loaded.push(Loaded { id: id.to_owned(), key: key.clone() });
        while loaded.len() > 1 && taken(loaded) > self.limits.memory / 2 {
            loaded.remove(0);
        }
        Ok(key)
    }

    /// Looks all values up; returns the files of the results and their bytes.
    fn look_up(
        &self,
        job: &QueuedJob,
        loaded: &mut Vec<Loaded>,
        (is_cancelled, progress): (&AtomicBool, &AtomicU64),
    ) -> Result<Vec<(String, u64)>> {
        let key = self.key(&job.key, loaded)?;
        let prepare = |digest: &String| Ok(key.prepare(&self.store.read_table(digest)?)?);
        let tables: Vec<PreparedTable> = job.tables.iter().map(prepare).collect::<Result<_>>()?;
        let tables: Vec<&PreparedTable> = tables.iter().collect();
        let input = File::open(self.store.file(&job.ciphertext))?;
        let mut reader = CiphertextReader::new(BufReader::new(input))?;
        let total = reader.summary().ciphertexts;
        let contents = reader.summary().contents;
        let contents = Contents { modulus: key.parameters().output_modulus(), ..contents };
        let mut outputs = Outputs::create(&self.store, contents, tables.len())?;
        let mut done = 0;
        while let Some(ciphertext) = reader.next_ciphertext()? {
            let moved = |step: usize, steps: usize| {
                let share = WHOLE * step as u64 / steps.max(1) as u64;
                progress.store((done * WHOLE + share) / total, Ordering::Relaxed);
                match is_cancelled.load(Ordering::Relaxed) {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            };
            let execution = Execution::default().threads(self.limits.threads).progress(&moved);
            outputs.push(&key.lookup_many_with(&ciphertext, &tables, execution)?)?;
            self.totals.values.fetch_add(ciphertext.count() as u64, Ordering::Relaxed);
            done += 1;
        }
        outputs.finish()
    }

    fn lock(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Results that are being written; files that are not finished go.
struct Outputs<'a> {
    store: &'a Store,
    files: Vec<String>,
    writers: Vec<CiphertextWriter<BufWriter<File>>>,
}

impl<'a> Outputs<'a> {
    fn create(store: &'a Store, contents: Contents, count: usize) -> Result<Self> {
        let mut outputs = Self { store, files: Vec::new(), writers: Vec::new() };
        for _ in 0..count {
            let id = new_id()?;
            let file = store.create_unfinished(&id)?;
            outputs.files.push(id);
            outputs.writers.push(CiphertextWriter::new(BufWriter::new(file), contents)?);
        }
        Ok(outputs)
    }

    fn push(&mut self, results: &[Ciphertext]) -> Result<()> {
        for (writer, result) in self.writers.iter_mut().zip(results) {
            writer.push(result)?;
        }
        Ok(())
    }

    /// Puts all on the disk.
    fn finish(mut self) -> Result<Vec<(String, u64)>> {
        let mut bytes = Vec::new();
        for writer in self.writers.drain(..) {
            let (file, summary) = writer.finish()?;
            let file = file.into_inner().map_err(|error| Error::Io(error.into_error()))?;
            file.sync_all()?;
            bytes.push(summary.bytes);
        }
        self.store.sync_files()?;
        Ok(std::mem::take(&mut self.files).into_iter().zip(bytes).collect())
    }
}

impl Drop for Outputs<'_> {
    fn drop(&mut self) {
        for id in &self.files {
            self.store.discard(id);
        }
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
            (Outcome::Done(vec![("file".into(), 3)]), "done"),
            (Outcome::Stopped, "queued"),
            (Outcome::Failed("reason".into()), "failed"),
        ];
        for (outcome, expected) in outcomes {
            let folder = tempdir().unwrap();
            let (worker, job, mut other) = with_job(folder.path());
            let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
            let error = worker.record(&job.id, &outcome).unwrap_err();
            assert!(matches!(&error, Error::Database(error) if is_busy(error)), "{error}");
            assert_eq!(state(&lock), "running");
            lock.rollback().unwrap();
            worker.record(&job.id, &outcome).unwrap();
            assert_eq!(state(&other), expected);
        }
    }

    #[test]
    fn an_outcome_is_kept_while_there_is_a_lock() {
        let folder = tempdir().unwrap();
        let (worker, job, mut other) = with_job(folder.path());
        let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        thread::scope(|scope| {
            let running = scope.spawn(|| worker.run_one(&job, &mut Vec::new()));
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
            scope.spawn(|| worker.run_one(&job, &mut Vec::new()));
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
        let file = new_id().unwrap();
        drop(worker.store.create_unfinished(&file).unwrap());
        let reason = "x".repeat(1 << 20);
        let results =
            Outcome::Done((0..2000).map(|_| (format!("{file}{reason:.500}"), 3)).collect());
        thread::scope(|scope| {
            let recording = scope.spawn(|| worker.keep_recording(&job.id, &results));
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
