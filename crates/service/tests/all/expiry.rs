//! Tests of expiry with a clock that the test moves: some objects are removed, and others stay.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use cryptable::Engine;
use cryptable_service::messages::Job;
use cryptable_service::{Client, ClientError, Clock, Limits, Retention};

use crate::support::{Server, User, squares, wait_until};

const HOUR: u64 = 3600;
const START: u64 = 1_700_000_000;

/// Returns a server whose time stands still until the test moves it.
fn server(keep: Retention) -> (Server, Arc<AtomicU64>) {
    let time = Arc::new(AtomicU64::new(START));
    let clock = {
        let time = time.clone();
        Clock::new(move || time.load(Ordering::Relaxed))
    };
    let server = Server::start_at(Limits { keep, ..Limits::default() }, clock);
    server.store().add_table("squares", &squares(4)).unwrap();
    (server, time)
}

fn retention() -> Retention {
    Retention { look: Duration::from_millis(20), ..Retention::default() }
}

fn hours(count: u64) -> Option<Duration> {
    Some(Duration::from_secs(count * HOUR))
}

fn run(user: &User, ciphertext: &str) -> Job {
    user.wait(&user.client.order(&user.order_of(ciphertext, &["squares"])).unwrap())
}

fn is_gone(user: &User, job: &Job) -> bool {
    let found = user.client.job(&job.id);
    matches!(found, Err(ClientError::Refused(problem)) if problem.status == 404)
}

fn files(server: &Server) -> usize {
    std::fs::read_dir(server.folder.path().join("files")).unwrap().count()
}

#[test]
fn finished_jobs_go_by_age_and_their_files_with_them() {
    let (server, time) = server(Retention { jobs: hours(2), ..retention() });
    let user = User::new(server.client("one"), Engine::Single);
    let sent = user.send(&[1, 2]);
    let old = run(&user, &sent);
    assert_eq!((old.ended, old.expires), (Some(START), Some(START + 2 * HOUR)));
    time.fetch_add(HOUR, Ordering::Relaxed);
    let young = run(&user, &sent);
    assert_eq!(files(&server), 4);
    time.fetch_add(HOUR, Ordering::Relaxed);
    wait_until("the old job is gone", || is_gone(&user, &old));
    wait_until("its result is gone", || files(&server) == 3);
    assert_eq!(user.result(&young, 0), [1, 0]);
    // Keys stay, whatever the time is.
    time.fetch_add(1000 * HOUR, Ordering::Relaxed);
    wait_until("only the key is left", || files(&server) == 1);
    assert_eq!(user.client.keys().unwrap()[0].sha256, user.key);
    // Counters follow the files.
    wait_until("both jobs and the ciphertext are counted", || {
        let (_, metrics) = server.send("GET /metrics", "", "", "");
        metrics.contains("cryptable_expired_jobs_total 2\n")
            && metrics.contains("cryptable_expired_ciphertexts_total 1\n")
    });
}

#[test]
fn the_oldest_results_make_room_for_those_that_follow() {
    let keep = Retention { jobs: None, client_results: 1000, ..retention() };
    let (server, time) = server(keep);
    let [one, other] = ["one", "other"].map(|name| User::new(server.client(name), Engine::Single));
    let others = run(&other, &other.send(&[1]));
    let (small, large) = (one.send(&[1]), one.send(&[1; 500]));
    let first = run(&one, &small);
    assert!(first.results[0] < 1000 && first.expires.is_none());
    time.fetch_add(1, Ordering::Relaxed);
    let second = run(&one, &large);
    assert!(second.results[0] > 1000);
    // This result is too large even alone, but it is the last one.
    wait_until("the first is gone", || is_gone(&one, &first));
    std::thread::sleep(Duration::from_millis(60));
    assert!(!is_gone(&one, &second) && !is_gone(&other, &others));
    let third = run(&one, &small);
    wait_until("the second is gone", || is_gone(&one, &second));
    assert!(!is_gone(&one, &third));
}

#[test]
fn abandoned_uploads_and_unused_files_go() {
    let keep = Retention { uploads: hours(1), ciphertexts: hours(10), ..retention() };
    let (server, time) = server(keep);
    let token = crate::support::token(&server);
    let announce = |digit: &str| {
        let digest = digit.repeat(64);
        let body = format!(r#"{{"kind":"ciphertext","length":10,"sha256":"{digest}"}}"#);
        let (status, answer) = server.send("POST /v1/uploads", &token, "", body);
        assert_eq!(status, 201, "{answer}");
        let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
        format!("/v1/uploads/{}", answer["id"].as_str().unwrap())
    };
    let status = |line: String| server.send(&line, &token, "", "").0;
    let (abandoned, active) = (announce("1"), announce("2"));
    let user = User::new(Client::new(&server.url(), &token), Engine::Single);
    let (client, used, unused) = (&user.client, user.send(&[1]), user.send(&[2]));
    time.fetch_add(HOUR / 2, Ordering::Relaxed);
    let part = format!("PATCH {active}");
    assert_eq!(server.send(&part, &token, "upload-offset: 0\r\n", "abc").0, 204);
    time.fetch_add(HOUR / 2, Ordering::Relaxed);
    wait_until("the abandoned one is gone", || status(format!("HEAD {abandoned}")) == 404);
    assert_eq!(status(format!("HEAD {active}")), 200);
    // A job uses a file, which therefore stays for another period.
    time.fetch_add(6 * HOUR, Ordering::Relaxed);
    let job = run(&user, &used);
    time.fetch_add(4 * HOUR, Ordering::Relaxed);
    wait_until("what nobody used is gone", || {
        client.ciphertexts().unwrap().iter().all(|file| file.sha256 != unused)
    });
    assert_eq!(client.ciphertexts().unwrap()[0].sha256, used);
    assert!(!is_gone(&user, &job));
    // A client may remove a job sooner.
    client.remove_job(&job.id).unwrap();
    client.remove_ciphertext(&used).unwrap();
    assert!(client.ciphertexts().unwrap().is_empty() && client.jobs().unwrap().is_empty());
}

#[test]
fn jumps_of_the_clock_remove_nothing() {
    let (now, steady) = (Arc::new(AtomicU64::new(START)), Arc::new(AtomicU64::new(0)));
    let read = |time: &Arc<AtomicU64>| {
        let time = time.clone();
        move || time.load(Ordering::Relaxed)
    };
    let clock = Clock::new(read(&now)).with_steady(read(&steady));
    let keep = Retention { jobs: hours(2), ciphertexts: hours(3), ..retention() };
    let server = Server::start_at(Limits { keep, ..Limits::default() }, clock);
    server.store().add_table("squares", &squares(4)).unwrap();
    let user = User::new(server.client("one"), Engine::Single);
    let (client, job) = (&user.client, run(&user, &user.send(&[1, 2])));
    std::thread::sleep(Duration::from_millis(100));
    for jump in [1000 * HOUR, 0] {
        now.store(START + jump, Ordering::Relaxed);
        wait_until("the job's time has moved along", || {
            client.job(&job.id).is_ok_and(|job| job.ended == Some(START + jump))
        });
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(client.ciphertexts().unwrap().len(), 1);
    }
    // Time that passes does count.
    for clock in [&now, &steady] {
        clock.fetch_add(2 * HOUR, Ordering::Relaxed);
    }
    wait_until("the job is gone", || is_gone(&user, &job));
    assert_eq!(client.ciphertexts().unwrap().len(), 1);
}
