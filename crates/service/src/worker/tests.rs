//! Tests of the outcomes of jobs under locks, full disks and removals.

use std::path::Path;
use std::thread;

use rusqlite::{Connection, TransactionBehavior};
use tempfile::tempdir;

use super::*;
use crate::clock::Clock;
use crate::store::IN_SERVER;

/// Returns a worker that has taken the only job of a folder, whose key is missing, and a connection like that of an
/// operator's command.
fn with_job(folder: &Path) -> (Worker, QueuedJob, Connection) {
    let store = Store::open_with(folder, Clock::system(), Duration::from_millis(20)).unwrap();
    store.add_client("one").unwrap();
    let other = Connection::open(folder.join("service.sqlite")).unwrap();
    let row = "INSERT INTO job(id, client, state, sent_order, key, ciphertext, tables, estimate_s, reserved)
               VALUES ('job', 1, 'queued', '{}', 'key', 'values', '[]', 0.5, 9)";
    other.execute(row, []).unwrap();
    let worker =
        Worker::new(Arc::new(store), Limits::default(), ReadOptions::default(), IN_SERVER).unwrap();
    let job = worker.store.take_job(&worker.name).unwrap().expect("a job");
    (worker, job, other)
}

fn state(database: &Connection) -> String {
    database.query_row("SELECT state FROM job", [], |row| row.get(0)).unwrap()
}

#[test]
fn outcomes_are_refused_under_a_lock_and_recorded_after_it() {
    let outcomes = [
        (Outcome::Done(Vec::new()), "done"),
        (Outcome::Stopped, "queued"),
        (Outcome::Failed("reason".into()), "failed"),
    ];
    for (outcome, expected) in outcomes {
        let folder = tempdir().unwrap();
        let (worker, job, mut other) = with_job(folder.path());
        let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let error = worker.record(&job, &outcome, Duration::ZERO).unwrap_err();
        assert!(is_busy(&error), "{error}");
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
    assert_eq!(worker.store.take_job(&worker.name).unwrap().expect("the job").id, job.id);
}
