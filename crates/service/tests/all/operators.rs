//! Tests that the operator's commands, each a separate process, can write to the folder at the same time, while a
//! server runs.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cryptable::Engine;
use cryptable_service::{Config, Limits, Problem, Service, Store};
use rusqlite::{Connection, TransactionBehavior};

use crate::support::{Server, User, squares, token};

const FOLDER: &str = "CRYPTABLE_TEST_OPERATOR_FOLDER";
const NAME: &str = "CRYPTABLE_TEST_OPERATOR_NAME";

/// Adds clients and tables like an operator, in a separate process, and removes some.
#[test]
#[ignore = "it is the operator that other tests of this file start"]
fn operator_process() {
    let (Some(folder), Ok(name)) = (std::env::var_os(FOLDER), std::env::var(NAME)) else { return };
    let folder = Path::new(&folder);
    for round in 0..10 {
        let store = Store::open(folder).unwrap();
        let name = format!("{name}-{round}");
        store.add_client(&name).unwrap();
        store.add_table(&name, &squares(4)).unwrap();
        if round % 2 == 0 {
            store.remove_client(&name).unwrap();
            store.remove_table(&name).unwrap();
        }
    }
}

/// Checks that builds without the page refuse it before they listen. `make page-test` tests builds that have it.
#[test]
#[cfg(not(feature = "page"))]
fn a_build_without_the_page_says_how_to_build_one_that_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let any_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let error = Service::open(Config { page: true, ..Config::new(folder.path(), any_port) });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`make page`"), "{error}");
}

fn operator(folder: &Path, name: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "operators::operator_process", "--ignored", "--nocapture"]);
    command.env(FOLDER, folder).env(NAME, name).stdout(Stdio::null()).spawn().unwrap()
}

fn succeeds(mut operator: Child) -> bool {
    operator.wait().unwrap().success()
}

#[test]
fn commands_that_start_a_folder_at_once_all_succeed() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for index in 0..8 {
                let (folder, start) = (folder.path(), &start);
                scope.spawn(move || {
                    start.wait();
                    Store::open(folder).unwrap().add_client(&format!("client-{index}")).unwrap();
                });
            }
        });
        assert_eq!(Store::open(folder.path()).unwrap().clients().unwrap().len(), 8);
    }
    let folder = tempfile::tempdir().unwrap();
    let operators = (0..4).map(|index| operator(folder.path(), &format!("operator-{index}")));
    let operators: Vec<Child> = operators.collect();
    assert!(operators.into_iter().all(succeeds));
    let store = Store::open(folder.path()).unwrap();
    assert_eq!((store.clients().unwrap().len(), store.tables().unwrap().len()), (20, 20));
}

#[test]
fn requests_that_write_wait_for_operators() {
    let server = Server::start(Limits { client_uploads: 1 << 20, ..Limits::default() });
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            let (token, server, done) = (token(&server), &server, &done);
            scope.spawn(move || {
                let mut index = 0;
                while !done.load(Ordering::Relaxed) {
                    let body =
                        format!(r#"{{"kind":"ciphertext","length":9,"sha256":"{index:064x}"}}"#);
                    let (status, answered) = server.send("POST /v1/uploads", &token, "", body);
                    assert_eq!(status, 201, "{answered}");
                    let upload: serde_json::Value = serde_json::from_str(&answered).unwrap();
                    let line = format!("DELETE /v1/uploads/{}", upload["id"].as_str().unwrap());
                    assert_eq!(server.send(&line, &token, "", "").0, 204);
                    assert_eq!(server.send("GET /v1/tables", &token, "", "").0, 200);
                    index += 1;
                }
                assert!(index > 0);
            });
        }
        let folder = server.folder.path();
        let operators = (0..3).map(|index| operator(folder, &format!("operator-{index}")));
        let succeeded: Vec<bool> =
            operators.collect::<Vec<_>>().into_iter().map(succeeds).collect();
        done.store(true, Ordering::Relaxed);
        assert_eq!(succeeded, [true; 3]);
    });
    assert_eq!(server.store().clients().unwrap().len(), 15 + 2);
}

#[test]
fn a_lock_that_lasts_too_long_is_told_and_harms_nothing() {
    let limits = Limits { lock_wait: Duration::from_millis(500), ..Limits::default() };
    let server = Server::with_squares(limits);
    let user = User::new(server.client("one"), Engine::Single);
    let token = token(&server);
    let body = format!(r#"{{"kind":"ciphertext","length":9,"sha256":"{:064x}"}}"#, 1);
    let announce = || server.send("POST /v1/uploads", &token, "", &body);
    let mut other = Connection::open(server.folder.path().join("service.sqlite")).unwrap();
    let lock = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    std::thread::scope(|scope| {
        let start = Instant::now();
        let waiting: Vec<_> = (0..2).map(|_| scope.spawn(announce)).collect();
        // Readers wait for nobody.
        assert_eq!(server.send("GET /v1/jobs", &token, "", "").0, 200);
        assert!(waiting.iter().all(|request| !request.is_finished()));
        for request in waiting {
            let (status, answered) = request.join().unwrap();
            let problem: Problem = serde_json::from_str(&answered).unwrap();
            assert_eq!((status, problem.word()), (503, "unavailable"), "{answered}");
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    });
    // A client tries again automatically, and a job continues when the lock is released.
    std::thread::scope(|scope| {
        let result = scope.spawn(|| user.squares(&[3]));
        std::thread::sleep(Duration::from_millis(800));
        lock.rollback().unwrap();
        assert_eq!(result.join().unwrap(), [1]);
    });
    assert_eq!(announce().0, 201);
}
