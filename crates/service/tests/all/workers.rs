//! Tests of workers in separate processes: if one dies or hangs, no job and no value is lost.

use std::path::Path;
use std::time::Duration;

use cryptable::{Engine, ReadOptions};
use cryptable_service::messages::{Job, State};
use cryptable_service::{Config, Limits, Retention, Stopper, Store};
use rusqlite::Connection;

use crate::support::{Process, Server, User, process_folder, squares, wait_until};

/// Number of values of a job, which takes many turns.
const VALUES: u64 = 600;

fn limits() -> Limits {
    let (turn, lease) = (Duration::from_millis(50), Duration::from_secs(2));
    let keep = Retention { look: Duration::from_millis(500), ..Retention::default() };
    Limits { turn, lease, keep, ..Limits::default() }
}

/// Runs a worker that the tests start and kill.
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

fn user(server: &Server, name: &str) -> User {
    User::new(server.client(name).patience(Duration::from_secs(60)), Engine::Single)
}

fn order(user: &User) -> Job {
    let values: Vec<u64> = (0..VALUES).map(|x| x * 7 % 4).collect();
    user.client.order(&user.order_of(&user.send(&values), &["squares", "again"])).unwrap()
}

/// Waits until a job is done, and compares every value.
fn check(user: &User, job: &Job) {
    let done = user.wait(job);
    assert_eq!(done.state, State::Done, "{done:?}");
    let expected: Vec<u64> = (0..VALUES).map(|x| (x * 7 % 4).pow(2) % 4).collect();
    assert_eq!([0, 1].map(|place| user.result(&done, place)), [&expected[..]; 2]);
}

/// A server that does not run jobs itself, and its database.
struct Watched {
    server: Server,
    database: Database,
}

enum Database {
    Sqlite(Connection),
    #[cfg(feature = "postgres")]
    Postgres(Box<std::cell::RefCell<postgres::Client>>),
}

impl Watched {
    fn start(database: Option<String>, files: Option<String>) -> Self {
        let url = database.clone();
        let change = |config| Config { worker: false, database, files, ..config };
        let server = Server::start_with(limits(), change);
        for name in ["squares", "again"] {
            server.store().add_table(name, &squares(4)).unwrap();
        }
        let path = server.folder.path().join("service.sqlite");
        let database = match url {
            #[cfg(feature = "postgres")]
            Some(url) => {
                assert!(!path.exists());
                let client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
                Database::Postgres(Box::new(client.into()))
            }
            _ => {
                let database = Connection::open(path).unwrap();
                database.busy_timeout(Duration::from_secs(20)).unwrap();
                Database::Sqlite(database)
            }
        };
        Self { server, database }
    }

    /// Returns the lease of a job, its worker, and whether it is partly done.
    fn lease(&self, job: &Job) -> (u64, String, bool) {
        let query = "SELECT lease, worker, progress > 0 AND state = 'running' FROM job WHERE id = ";
        match &self.database {
            Database::Sqlite(database) => {
                let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
                database.query_row(&format!("{query}?1"), [&job.id], row).unwrap()
            }
            #[cfg(feature = "postgres")]
            Database::Postgres(client) => {
                let query = format!("{query}$1");
                let row = client.borrow_mut().query_one(&query, &[&job.id]).unwrap();
                (row.get::<_, i64>(0) as u64, row.get(1), row.get(2))
            }
        }
    }

    /// Waits until one of the workers is in the middle of a job, and returns its position and the lease.
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

    /// Waits until this number of files exists, since joined parts are removed a moment after their job is done.
    fn expect_files(&self, expected: usize) {
        expect(&self.server.folder.path().join("files"), expected);
    }
}

fn expect(folder: &Path, expected: usize) {
    let count = || std::fs::read_dir(folder).unwrap().count();
    wait_until("files that are not needed are gone", || count() == expected);
}

/// Kills a worker in the middle of a job, and returns two clients and their jobs, both of which were completed.
fn kill_one(watched: &Watched, folders: [&Path; 2]) -> [(User, Job); 2] {
    let users = ["one", "two"].map(|name| user(&watched.server, name));
    let mut workers: Vec<Process> = folders.into_iter().map(worker).collect();
    let jobs: Vec<Job> = users.iter().map(order).collect();
    let (place, lease) = watched.in_midst(&jobs[0], &workers);
    let dead = format!("worker-{}-", workers[place].id());
    workers[place].kill();
    for (user, job) in users.iter().zip(&jobs) {
        check(user, job);
    }
    let (now, name, _) = watched.lease(&jobs[0]);
    assert!(now > lease && !name.starts_with(&dead), "lease {now} after {lease}, of {name}");
    let [one, two] = users;
    let mut jobs = jobs.into_iter();
    [one, two].map(|user| (user, jobs.next().unwrap()))
}

#[test]
fn a_killed_worker_loses_no_job_and_no_value() {
    let watched = Watched::start(None, None);
    kill_one(&watched, [watched.server.folder.path(); 2]);
    // For each client, a key, a file of ciphertexts and two results remain: the dead worker's parts were joined and
    // removed.
    watched.expect_files(8);
}

/// Checks that parts of results by several workers are joined from the object store. `make s3-tests` starts its server.
#[test]
#[cfg(feature = "s3")]
fn a_known_object_store_serves_workers_of_which_one_is_killed() {
    let Ok(url) = std::env::var("CRYPTABLE_TEST_S3") else { return };
    let watched = Watched::start(None, Some(format!("{url}-{}", std::process::id())));
    let done = kill_one(&watched, [watched.server.folder.path(); 2]);
    watched.expect_files(0);
    let copies = watched.server.folder.path().join("copies");
    std::fs::remove_dir_all(&copies).unwrap();
    std::fs::create_dir(copies).unwrap();
    done.iter().for_each(|(user, job)| check(user, job));
}

/// Checks that the results of each turn go to the object store immediately.
#[test]
#[cfg(feature = "s3")]
fn an_object_store_keeps_what_a_killed_worker_did_and_what_folders_lose() {
    let objects = tempfile::tempdir().unwrap();
    let watched = Watched::start(None, Some(format!("file://{}", objects.path().display())));
    let done = kill_one(&watched, [watched.server.folder.path(); 2]);
    watched.expect_files(0);
    // The table is there, too.
    expect(objects.path(), 9);
    std::fs::remove_dir_all(watched.server.folder.path().join("copies")).unwrap();
    std::fs::create_dir(watched.server.folder.path().join("copies")).unwrap();
    done.iter().for_each(|(user, job)| check(user, job));
    watched.server.store().remove_client("one").unwrap();
    expect(objects.path(), 5);
}

/// Checks workers on several machines. With an object store, each worker has its own folder.
#[test]
#[cfg(all(unix, feature = "postgres"))]
fn machines_share_a_database() {
    let Some(cluster) = crate::cluster::Cluster::start() else { return };
    let (objects, url) = (tempfile::tempdir().unwrap(), cluster.url());
    let files = format!("file://{}", objects.path().display());
    let files = cfg!(feature = "s3").then_some(files);
    let watched = Watched::start(Some(url.clone()), files.clone());
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let folders = folders.each_ref().map(|folder| match files {
        Some(_) => folder.path(),
        None => watched.server.folder.path(),
    });
    for folder in folders {
        Store::open_at(folder, &url).unwrap();
    }
    let done = kill_one(&watched, folders);
    watched.expect_files(if files.is_some() { 0 } else { 8 });
    let other = Config { database: Some(url), ..crate::support::config(folders[0], limits()) };
    let error = cryptable_service::Service::open(other).unwrap_err().to_string();
    assert!(error.contains("another server runs"), "{error}");
    let text = Store::open_at(folders[0], "postgres://elsewhere/x").unwrap_err().to_string();
    assert!(text.contains("the database of") && !text.contains("postgres@"), "{text}");
    watched.server.store().remove_client("one").unwrap();
    assert!(done[0].0.client.job(&done[0].1.id).is_err());
    check(&done[1].0, &done[1].1);
    watched.server.store().remove_client("two").unwrap();
    watched.expect_files(0);
}

/// Returns whether all threads of a process have stopped, which happens some time after the signal.
#[cfg(target_os = "linux")]
fn has_stopped(worker: &Process) -> bool {
    let threads = std::fs::read_dir(format!("/proc/{}/task", worker.id())).unwrap();
    let stat = |path: std::path::PathBuf| std::fs::read_to_string(path.join("stat")).unwrap();
    threads.map(|entry| stat(entry.unwrap().path())).all(|stat| stat.contains(") T "))
}

/// Checks a worker that wakes up after another one has completed its job.
#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_hangs_loses_its_job_and_changes_nothing_any_more() {
    let send = |signal: &str, worker: &Process| {
        let (signal, id) = (format!("-{signal}"), worker.id().to_string());
        assert!(std::process::Command::new("kill").args([signal, id]).status().unwrap().success());
    };
    let watched = Watched::start(None, None);
    let folder = watched.server.folder.path();
    let user = user(&watched.server, "one");
    let mut workers = vec![worker(folder)];
    let job = order(&user);
    let (_, lease) = watched.in_midst(&job, &workers);
    // The worker is not stopped while it holds the database's lock, since that would stop everybody.
    #[allow(irrefutable_let_patterns, reason = "builds without PostgreSQL have one kind")]
    let Database::Sqlite(database) = &watched.database else { unreachable!() };
    let lock = database.unchecked_transaction().unwrap();
    lock.execute("UPDATE looked SET at = at", []).unwrap();
    send("STOP", &workers[0]);
    wait_until("each of its threads has stopped", || has_stopped(&workers[0]));
    drop(lock);
    workers.push(worker(folder));
    check(&user, &job);
    let done = watched.lease(&job);
    assert!(done.0 > lease);
    send("CONT", &workers[0]);
    workers[1].kill();
    // The worker is alive, and takes the next job.
    let next = order(&user);
    check(&user, &next);
    let name = watched.lease(&next).1;
    assert!(name.starts_with(&format!("worker-{}-", workers[0].id())), "{name}");
    check(&user, &job);
    assert_eq!(watched.lease(&job), done);
    watched.expect_files(1 + 2 + 4);
}
