//! A worker, in the server or in a separate process. It runs jobs in turns, one at a time; the library uses all threads
//! for each of them.

pub(crate) mod joint;
mod keys;
mod results;
mod started;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cryptable::engines::packed::EntryKind;
use cryptable::{
    Ciphertext, CostModel, EvaluationKey, Execution, Parameters, PreparedTable, ReadOptions, memory,
};

use self::keys::LoadedKeys;
use self::started::Started;
use crate::error::is_busy;
use crate::identifiers::random_hex;
use crate::limits::Limits;
use crate::store::{Beats, QueuedJob, Store, Turn, Whole};
use crate::{Error, Result};

/// Longest interval at which the queue is checked, and longest time between two beats.
const LOOK: Duration = Duration::from_secs(2);

/// Interval at which an idle worker checks whether other processes changed something.
const GLANCE: Duration = Duration::from_millis(50);

/// Number of beats within the time after which a silent worker loses its job.
const BEATS: u32 = 4;

/// Number of attempts to record an outcome that the database refuses for another reason than a lock, such as a full
/// disk.
const RECORDINGS: u32 = 5;

/// Value of the progress counter that means 100 %.
const WHOLE: u64 = 1_000_000;

/// The state of the running job, and requests to the worker.
#[derive(Debug, Default)]
struct Current {
    job: Option<Held>,
    is_cancelled: Arc<AtomicBool>,
    progress: Arc<AtomicU64>,
    has_new: bool,
    is_stopped: bool,
}

impl Current {
    /// Returns the share of the running job that is done.
    fn share(&self) -> f64 {
        self.progress.load(Ordering::Relaxed) as f64 / WHOLE as f64
    }
}

/// The running job and the number of its lease.
#[derive(Clone, Debug)]
struct Held {
    job: String,
    lease: u64,
}

/// Totals of the worker since it started.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) values: AtomicU64,
    pub(crate) jobs: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) lookup_ms: AtomicU64,
}

/// Runs jobs in turns. The next job is always the oldest one of the client who has used the least time.
#[derive(Debug)]
pub(crate) struct Worker {
    /// Name that no other worker has.
    name: String,
    store: Arc<Store>,
    limits: Limits,
    options: ReadOptions,
    current: Mutex<Current>,
    changed: Condvar,
    pub(crate) totals: Totals,
}

/// Objects that are kept from turn to turn.
#[derive(Default)]
struct Kept {
    keys: LoadedKeys,
    /// Jobs that wait for their next turn, most recently run last.
    jobs: Vec<Started>,
}

/// Number of jobs that are kept open between turns, each with one file per table. Others are reopened.
const KEPT_JOBS: usize = 8;

/// The outcome of a turn.
enum Outcome {
    /// The job is done.
    Done(Vec<Whole>),
    /// The job waits for its next turn or for the next server, or has gone to another worker.
    Stopped,
    Failed(String),
}

impl Worker {
    /// Creates a worker, whose name begins with `kind`.
    pub(crate) fn new(
        store: Arc<Store>,
        limits: Limits,
        options: ReadOptions,
        kind: &str,
    ) -> Result<Self> {
        let (current, changed, totals) = Default::default();
        let name = format!("{kind}{}-{}", std::process::id(), random_hex::<8>()?);
        Ok(Self { name, store, limits, options, current, changed, totals })
    }

    /// Notifies the worker of a new job.
    pub(crate) fn wake(&self) {
        self.lock().has_new = true;
        self.changed.notify_all();
    }

    /// Stops the worker. The running job waits for the next server.
    pub(crate) fn stop(&self) {
        let mut current = self.lock();
        current.is_stopped = true;
        current.is_cancelled.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Stops a job if it is running.
    pub(crate) fn cancel(&self, job: &str) {
        let current = self.lock();
        if current.job.as_ref().is_some_and(|held| held.job == job) {
            current.is_cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the share of a job that is done, if it is running.
    pub(crate) fn progress(&self, job: &str) -> Option<f64> {
        let current = self.lock();
        current.job.as_ref().is_some_and(|held| held.job == job).then(|| current.share())
    }

    /// Starts a thread that runs jobs until the worker is stopped.
    pub(crate) fn start(self: Arc<Self>) -> Result<JoinHandle<()>> {
        Ok(std::thread::Builder::new().name("worker".into()).spawn(move || self.run())?)
    }

    fn run(&self) {
        std::thread::scope(|scope| {
            scope.spawn(|| self.keep_beating());
            // However the thread ends, it must stop beating.
            let _ = catch_unwind(AssertUnwindSafe(|| self.run_all()));
            self.stop();
        });
    }

    fn run_all(&self) {
        let mut kept = Kept::default();
        let mut has_room = true;
        while !self.lock().is_stopped {
            self.let_removed_go(&mut kept);
            memory::renew_reserve();
            // Read before the queue, so that no change after it is missed.
            let version = self.store.version().unwrap_or(0);
            let next = || self.store.take_job(&self.name);
            let taken = self.store.check_disk(0, &self.limits).and_then(|()| next());
            match &taken {
                Ok(Some(job)) => self.run_one(job, &mut kept),
                Ok(None) => self.wait_for_change(version),
                Err(error) => {
                    // A full disk is reported only once.
                    if has_room || !matches!(error, Error::Refused(_)) {
                        tracing::error!(%error, "no job can be taken; retrying");
                    }
                    self.wait(LOOK);
                }
            }
            has_room = !matches!(taken, Err(Error::Refused(_)));
        }
    }

    /// Records regularly that the worker is alive, and looks for jobs of workers that are not.
    fn keep_beating(&self) {
        let pause = LOOK.min(self.limits.lease / BEATS);
        let mut beats = Beats::default();
        let mut swept = Instant::now();
        let mut current = self.lock();
        while !current.is_stopped {
            drop(current);
            if let Err(error) = self.beat(&mut beats) {
                tracing::error!(%error, "the worker cannot record that it is alive");
            }
            if swept.elapsed() > self.limits.keep.look {
                swept = Instant::now();
                if let Err(error) = self.store.remove_old_copies() {
                    tracing::error!(%error, "copies cannot be removed");
                }
            }
            let idle = |current: &mut Current| !current.is_stopped;
            let waited = self.changed.wait_timeout_while(self.lock(), pause, idle);
            current = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Records that the worker is alive. Stops the running job if the worker no longer holds it, because an operator's
    /// command removed the job or its client, or because another worker has taken it.
    fn beat(&self, beats: &mut Beats) -> Result<()> {
        let (held, share, is_cancelled) = {
            let current = self.lock();
            (current.job.clone(), current.share(), current.is_cancelled.clone())
        };
        if let Some(Held { job, lease }) = held
            && !self.store.beat(&job, lease, share)?
        {
            is_cancelled.store(true, Ordering::Relaxed);
        }
        let lost = self.store.requeue_lost(beats, self.limits.lease)?;
        if lost > 0 {
            tracing::warn!(jobs = lost, "workers stopped responding; their jobs are queued again");
            self.wake();
        }
        Ok(())
    }

    /// Closes the files of removed keys and waiting jobs, which frees their disk space.
    fn let_removed_go(&self, kept: &mut Kept) {
        kept.keys.retain(|id| self.store.has_object(id).unwrap_or(true));
        kept.jobs.retain(|job| self.store.is_queued(job.id()).unwrap_or(false));
    }

    /// Waits for a notification, for at most `time`. Returns whether there was one.
    fn wait(&self, time: Duration) -> bool {
        let current = self.lock();
        let idle = |current: &mut Current| !current.has_new && !current.is_stopped;
        let waited = self.changed.wait_timeout_while(current, time, idle);
        let (mut current, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        current.has_new = false;
        !waited.timed_out()
    }

    /// Waits until there may be a job: for a notification, or until another process has changed rows.
    fn wait_for_change(&self, version: i64) {
        let start = Instant::now();
        while start.elapsed() < LOOK
            && !self.wait(GLANCE)
            && self.store.version().is_ok_and(|found| found == version)
        {}
    }

    /// Runs one turn of a job.
    fn run_one(&self, job: &QueuedJob, kept: &mut Kept) {
        let is_cancelled = {
            let mut current = self.lock();
            current.job = Some(Held { job: job.id.clone(), lease: job.lease });
            current.is_cancelled = Arc::new(AtomicBool::new(current.is_stopped));
            current.progress = Arc::default();
            current.is_cancelled.clone()
        };
        // `since` restarts whenever the client is charged.
        let (start, mut since) = (Instant::now(), Instant::now());
        let (id, client) = (job.id.as_str(), job.client_name.as_str());
        let tables = job.tables.len();
        match job.results.is_empty() {
            true => tracing::info!(job = id, client, tables, "job starts"),
            false => tracing::info!(job = id, client, tables, "job continues"),
        }
        // A panic is a defect of the library. It ends this job, not the server.
        let outcome = catch_unwind(AssertUnwindSafe(|| self.look_up(job, kept, &mut since)));
        self.totals.lookup_ms.fetch_add(start.elapsed().as_millis() as u64, Ordering::Relaxed);
        let outcome = match outcome {
            Ok(Ok(outcome)) => {
                let is_done = matches!(outcome, Outcome::Done(_));
                self.totals.jobs.fetch_add(is_done.into(), Ordering::Relaxed);
                outcome
            }
            Ok(Err(_)) if is_cancelled.load(Ordering::Relaxed) => Outcome::Stopped,
            // The job was removed or taken over before it could be cancelled.
            Ok(Err(_)) if !self.store.holds(job).unwrap_or(true) => Outcome::Stopped,
            Ok(Err(error)) if is_busy(&error) => Outcome::Stopped,
            Ok(Err(error)) => self.failed(error.problem().detail),
            Err(_) => self.failed("a defect in the library ended the lookup".to_owned()),
        };
        let seconds = start.elapsed().as_millis() as f64 / 1e3;
        match &outcome {
            Outcome::Done(results) => {
                let bytes: u64 = results.iter().map(|whole| whole.bytes).sum();
                tracing::info!(job = id, client, seconds, bytes, "job is done");
            }
            Outcome::Stopped => tracing::info!(job = id, client, seconds, "job waits"),
            Outcome::Failed(reason) => {
                tracing::warn!(job = id, client, seconds, reason, "job failed");
            }
        }
        self.keep_recording(job, &outcome, since);
        self.lock().job = None;
        if memory::check_reserve().is_err() {
            // Memory of the job is freed once its key is dropped.
            kept.keys.clear();
        }
    }

    /// Records an outcome. If an operator's command holds a lock, waits for it. If the disk fails repeatedly, gives up;
    /// the job is then queued again, and its results stay in its files.
    fn keep_recording(&self, job: &QueuedJob, outcome: &Outcome, since: Instant) {
        let mut left = RECORDINGS;
        loop {
            let error = match self.record(job, outcome, since.elapsed()) {
                Ok(true) => break,
                Ok(false) => {
                    tracing::info!(job = job.id, "the job was removed, or is another worker's");
                    break;
                }
                Err(error) => error,
            };
            tracing::error!(job = job.id, %error, "the outcome of a job cannot be recorded");
            left -= u32::from(!is_busy(&error));
            if left == 0 || self.lock().is_stopped {
                break;
            }
            self.wait(LOOK);
        }
    }

    fn failed(&self, reason: String) -> Outcome {
        self.totals.failures.fetch_add(1, Ordering::Relaxed);
        Outcome::Failed(reason)
    }

    /// Records an outcome, and returns whether the worker still held the job.
    fn record(&self, job: &QueuedJob, outcome: &Outcome, spent: Duration) -> Result<bool> {
        match outcome {
            Outcome::Done(results) => {
                let is_held = self.store.finish_job(job, results, spent)?;
                results.iter().for_each(|whole| self.store.make_copy(&whole.file));
                Ok(is_held)
            }
            Outcome::Stopped => self.store.requeue_job(job, spent),
            Outcome::Failed(reason) => self.store.fail_job(job, reason),
        }
    }

    /// Looks up values until none is left or another client's turn begins.
    fn look_up(&self, job: &QueuedJob, kept: &mut Kept, since: &mut Instant) -> Result<Outcome> {
        let key = kept.keys.key_of(job, &self.store, self.limits.memory, self.options)?;
        let prepare = |name: &String| Ok(key.prepare(&joint::read_table(&self.store, name)?)?);
        let tables: Vec<PreparedTable> = job.tables.iter().map(prepare).collect::<Result<_>>()?;
        let tables: Vec<&PreparedTable> = tables.iter().collect();
        let before = kept.jobs.iter().position(|other| other.id() == job.id);
        let before = before.map(|place| kept.jobs.remove(place));
        let mut started = match before.and_then(|started| started.go_on(job)) {
            Some(started) => started,
            None => Started::open(&self.store, job, &key, &tables, self.options)?,
        };
        let most = self.values_at_once(&key.lookup_parameters()?, tables.len());
        let mut turn = Instant::now();
        while let Some(pieces) = started.next_pieces(most)? {
            for piece in pieces {
                let results = self.look_up_piece(&key, &tables, &piece, &started)?;
                started.push(&results, piece.count())?;
                self.totals.values.fetch_add(piece.count() as u64, Ordering::Relaxed);
                if turn.elapsed() < self.limits.turn || started.is_done() {
                    continue;
                }
                turn = Instant::now();
                self.let_removed_go(kept);
                let is_over = self.end_turn(job, &started, since);
                started.keep(&self.store, job)?;
                if is_over {
                    started.pause()?;
                    kept.jobs.push(started);
                    let many = kept.jobs.len().saturating_sub(KEPT_JOBS);
                    kept.jobs.drain(..many);
                    return Ok(Outcome::Stopped);
                }
            }
        }
        let results = started.finish(&self.store, job)?;
        Ok(Outcome::Done(match &job.bits_key {
            Some(bits) => self.prepare_for_owners(job, &key, bits, &results)?,
            None => results,
        }))
    }

    /// Converts results for the owners of a joint key, given the file of its key for bits.
    fn prepare_for_owners(
        &self,
        job: &QueuedJob,
        values: &EvaluationKey,
        bits: &str,
        results: &[Whole],
    ) -> Result<Vec<Whole>> {
        let bits = EvaluationKey::open(&self.store.fetch(bits)?, self.options)?;
        let (store, options) = (&*self.store, self.options);
        let ending = joint::Preparation { store, job, values, bits: bits.bits()?, options };
        ending.prepare(results)
    }

    /// Charges the client for the time since the last charge. Returns whether the turn is over.
    fn end_turn(&self, job: &QueuedJob, started: &Started, since: &mut Instant) -> bool {
        let turn = Turn { spent: since.elapsed(), progress: started.progress(0.0) };
        match self.store.end_turn(job, turn) {
            Ok(waits) => {
                *since = Instant::now();
                waits
            }
            // The job continues, and its time is charged later.
            Err(error) => {
                tracing::error!(job = job.id, %error, "a turn cannot be recorded");
                false
            }
        }
    }

    /// Returns the number of values to look up at once. Single values, which are looked up one by one, are limited such
    /// that the turn ends in time.
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

    /// Looks up one piece of a ciphertext in all tables.
    fn look_up_piece(
        &self,
        key: &EvaluationKey,
        tables: &[&PreparedTable],
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
