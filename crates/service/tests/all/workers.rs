//! Workers that are processes of their own: one that dies or hangs loses no job and no value.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use cryptable::{Ciphertext, Engine, ReadOptions, SecretKey};
use cryptable_service::messages::{Job, Kind, Order, State};
use cryptable_service::{Client, Config, Limits, Stopper, Store};
use rusqlite::Connection;

use crate::support::{Process, Server, keys, process_folder, squares, wait_until};

/// Number of values of a job, which takes many turns.
const VALUES: u64 = 600;

fn limits() -> Limits {
    let (turn, lease) = (Duration::from_millis(50), Duration::from_secs(2));
    Limits { turn, lease, ..Limits::default() }
}

/// A worker that the tests start and kill.
#[test]
#[ignore = "it is the worker that other tests of this file start"]
fn worker_process() {
    let Some(folder) = process_folder() else { return };
    let options = ReadOptions::default().allow_insecure();
    Store::open(&folder).unwrap().work(limits(), options, &Stopper::default()).unwrap();
}

fn worker(folder: &Path) -> Process {
    Process::start("workers::worker_process", folder)
}

/// A client, its keys, and the digest of the evaluation key.
struct User {
    client: Client,
    secret: SecretKey,
    key: String,
}

impl User {
    fn new(server: &Server, name: &str) -> Self {
        let client = server.client(name).patience(Duration::from_secs(60));
        let (secret, key) = keys(Engine::Single, 4);
        let key = client.register(&mut Cursor::new(key)).unwrap().sha256;
        Self { client, secret, key }
    }

    fn order(&self) -> Job {
        let values: Vec<u64> = (0..VALUES).map(|x| x * 7 % 4).collect();
        let bytes = self.secret.encrypt(&values).unwrap().to_bytes();
        let mut silent = |_| ControlFlow::Continue(());
        let sent = self.client.upload(Kind::Ciphertext, &mut Cursor::new(bytes), &mut silent);
        let tables = vec!["squares".to_owned(), "again".to_owned()];
        let (key, ciphertext) = (self.key.clone(), sent.unwrap().sha256);
        self.client.order(&Order { key, ciphertext, tables }).unwrap()
    }

    /// Waits until a job is done, and compares every value.
    fn check(&self, job: &Job) {
        let done = self.client.wait(&job.id, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(done.state, State::Done, "{done:?}");
        for place in 0..2 {
            let mut result = Vec::new();
            self.client.fetch(&done, place, &mut result).unwrap();
            let result = Ciphertext::from_bytes(&result).unwrap();
            let expected: Vec<u64> = (0..VALUES).map(|x| (x * 7 % 4).pow(2) % 4).collect();
            assert_eq!(self.secret.decrypt(&result).unwrap(), expected);
        }
    }
}

/// A server that runs no job itself, and what its database says.
struct Watched {
    server: Server,
    database: Connection,
}

impl Watched {
    fn start() -> Self {
        let server = Server::start_with(limits(), |config| Config { worker: false, ..config });
        for name in ["squares", "again"] {
            server.store().add_table(name, &squares(4)).unwrap();
        }
        let database = Connection::open(server.folder.path().join("service.sqlite")).unwrap();
        database.busy_timeout(Duration::from_secs(20)).unwrap();
        Self { server, database }
    }

    /// The lease of a job, its worker, and whether some of it is done but not all.
    fn lease(&self, job: &Job) -> (u64, String, bool) {
        let query =
            "SELECT lease, worker, progress > 0 AND state = 'running' FROM job WHERE id = ?1";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        self.database.query_row(query, [&job.id], row).unwrap()
    }

    /// Waits until one of the workers is in the midst of a job, and returns its place and the lease.
    fn in_midst(&self, job: &Job, workers: &[Process]) -> (usize, u64) {
        let mut found = None;
        wait_until("a worker is in the midst of the job", || {
            let (lease, name, is_in_midst) = self.lease(job);
            let is_it = |worker: &Process| name.starts_with(&format!("worker-{}-", worker.id()));
            found = workers.iter().position(is_it).filter(|_| is_in_midst).map(|it| (it, lease));
            found.is_some()
        });
        found.unwrap()
    }

    /// Waits until that number of files is there: what was joined is removed a moment after its job is done.
    fn expect_files(&self, expected: usize) {
        let files = self.server.folder.path().join("files");
        let count = || std::fs::read_dir(&files).unwrap().count();
        wait_until("files that are not needed are gone", || count() == expected);
    }
}

#[test]
fn a_killed_worker_loses_no_job_and_no_value() {
    let watched = Watched::start();
    let folder = watched.server.folder.path();
    let users = ["one", "two"].map(|name| User::new(&watched.server, name));
    let mut workers: Vec<Process> = (0..2).map(|_| worker(folder)).collect();
    let jobs: Vec<Job> = users.iter().map(User::order).collect();
    let (place, lease) = watched.in_midst(&jobs[0], &workers);
    let dead = format!("worker-{}-", workers[place].id());
    workers[place].kill();
    for (user, job) in users.iter().zip(&jobs) {
        user.check(job);
    }
    let (now, name, _) = watched.lease(&jobs[0]);
    assert!(now > lease && !name.starts_with(&dead), "lease {now} after {lease}, of {name}");
    // A key, a file of ciphertexts and two results of each client: what the dead worker wrote is joined, and gone.
    watched.expect_files(8);
}

/// The worker wakes when its job is done by another, and spoils nothing.
#[test]
#[cfg(unix)]
fn a_worker_that_hangs_loses_its_job_and_changes_nothing_any_more() {
    let send = |signal: &str, worker: &Process| {
        let (signal, id) = (format!("-{signal}"), worker.id().to_string());
        assert!(std::process::Command::new("kill").args([signal, id]).status().unwrap().success());
    };
    let watched = Watched::start();
    let folder = watched.server.folder.path();
    let user = User::new(&watched.server, "one");
    let mut workers = vec![worker(folder)];
    let job = user.order();
    let (_, lease) = watched.in_midst(&job, &workers);
    // Not while it holds the database's lock, which would stop everybody.
    let lock = watched.database.unchecked_transaction().unwrap();
    lock.execute("UPDATE looked SET at = at", []).unwrap();
    send("STOP", &workers[0]);
    drop(lock);
    workers.push(worker(folder));
    user.check(&job);
    let done = watched.lease(&job);
    assert!(done.0 > lease);
    send("CONT", &workers[0]);
    workers[1].kill();
    // It lives, and takes the next job.
    let next = user.order();
    user.check(&next);
    let name = watched.lease(&next).1;
    assert!(name.starts_with(&format!("worker-{}-", workers[0].id())), "{name}");
    user.check(&job);
    assert_eq!(watched.lease(&job), done);
    watched.expect_files(1 + 2 + 4);
}
