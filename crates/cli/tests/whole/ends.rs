//! A server that receives SIGTERM, like containers before they are killed.

use std::time::{Duration, Instant};

use cryptable_service::messages::State;

use crate::requests::wait_until;
use crate::server::Process;
use crate::support::Workspace;
use crate::users::{MODULUS, User, offer_tables};

/// Number of values, enough for a job to run for some seconds.
const VALUES: u64 = 8_000;

/// Number of values per ciphertext, after which a job's state is saved.
const EACH: usize = 100;

#[test]
fn a_job_that_runs_at_sigterm_is_handed_to_the_next_server() {
    let workspace = Workspace::new();
    offer_tables(&workspace);
    let process = Process::start_with(&workspace, "--threads 1");
    let user = User::new(&workspace, &process, "one");
    let values: Vec<u64> = (0..VALUES).map(|index| index * index % MODULUS).collect();
    let sent = user.upload(&user.encrypt(&values, EACH)).unwrap();
    let mut ordered = user.order(&sent, values);
    let id = ordered.job.id.clone();
    wait_until("a part of the job is done", || user.client.job(&id).unwrap().progress > 0.0);
    let before = user.client.job(&id).unwrap();
    assert!(!before.state.is_final(), "the job has too few values");
    let start = Instant::now();
    assert!(process.terminate().success());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let log = workspace.text("log");
    assert!(!log.contains("job is done") && !log.contains("panicked"), "{log}");

    let process = Process::start(&workspace);
    let user = user.at(&process);
    user.wait(&mut ordered);
    assert_eq!((ordered.job.state, &ordered.job.reason), (State::Done, &None));
    user.fetch(&mut ordered);
    user.leave(&[ordered]);
    assert!(process.terminate().success());
}
