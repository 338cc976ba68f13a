//! Tests of clients with many files and jobs: limits on their number, lists in pages, and disk space.

use std::time::Duration;

use cryptable::Engine;
use cryptable_service::messages::{Job, Kind, Object, State};
use cryptable_service::{Client, Limits, Problem, Retention};

use crate::support::{Server, User, refused, token, upload, wait_until};

fn announce(server: &Server, token: &str, index: usize, length: u64) -> (u16, String) {
    let body = format!(r#"{{"kind":"ciphertext","length":{length},"sha256":"{index:064x}"}}"#);
    server.send("POST /v1/uploads", token, "", body)
}

/// Returns the name of the limit that an answer says was exceeded, and the status.
fn exceeded((status, body): (u16, String)) -> (u16, String) {
    let problem: Problem = serde_json::from_str(&body).unwrap();
    (status, problem.exceeded.unwrap().name)
}

#[test]
fn files_are_counted_and_each_counts_a_block() {
    let limits = Limits { client_objects: 3, client_uploads: 99, ..Limits::default() };
    let server = Server::start(limits);
    let token = token(&server);
    for index in 0..3 {
        assert_eq!(announce(&server, &token, index, 1).0, 201);
    }
    assert_eq!(exceeded(announce(&server, &token, 3, 1)), (413, "client-objects".into()));
    let limits = Limits { client_bytes: 3 * 4096, client_uploads: 99, ..Limits::default() };
    let server = Server::start(limits);
    let token = crate::support::token(&server);
    for index in 0..3 {
        assert_eq!(announce(&server, &token, index, 1).0, 201);
    }
    assert_eq!(exceeded(announce(&server, &token, 3, 1)), (413, "client-bytes".into()));
}

#[test]
fn the_disk_and_all_clients_together_have_limits() {
    let server = Server::start(Limits { total_bytes: Some(10_000), ..Limits::default() });
    assert_eq!(announce(&server, &token(&server), 1, 6000).0, 201);
    assert_eq!(exceeded(announce(&server, &token(&server), 1, 6000)), (507, "total-bytes".into()));
    // A reserve that exceeds every disk.
    let server = Server::start(Limits { free_bytes: 1 << 60, ..Limits::default() });
    assert_eq!(exceeded(announce(&server, &token(&server), 1, 6000)), (507, "free-bytes".into()));
}

#[test]
fn lists_come_in_pages() {
    let server = Server::with_squares(Limits::default());
    let token = token(&server);
    let user = User::new(Client::new(&server.url(), &token), Engine::Single);
    let client = &user.client;
    let file = || user.secret.encrypt(&[1]).unwrap().to_bytes();
    let sent: Vec<Object> =
        (0..5).map(|_| upload(client, Kind::Ciphertext, file()).unwrap()).collect();
    let order = user.order_of(&sent[0].sha256, &["squares"]);
    let jobs: Vec<Job> = (0..3).map(|_| client.order(&order).unwrap()).collect();
    jobs.iter().for_each(|job| _ = user.wait(job));
    assert_eq!(client.ciphertexts().unwrap(), sent);
    let listed = client.jobs().unwrap();
    assert!(listed.iter().map(|job| &job.id).eq(jobs.iter().map(|job| &job.id)));
    assert!(listed.iter().all(|job| job.results.len() == 1));
    // Without the client: pages of two entries, each with a link to the next page.
    for (path, expected) in [("ciphertexts", 5), ("jobs", 3), ("keys", 1)] {
        let (mut next, mut found) = (Some(format!("/v1/{path}?limit=2")), Vec::new());
        while let Some(address) = next {
            let line = format!("GET {address} HTTP/1.0\r\nauthorization: Bearer {token}\r\n\r\n");
            let (head, body) = server.whole(line);
            let page: Vec<serde_json::Value> = serde_json::from_str(&body).unwrap();
            assert!(page.len() == 2 || !head.contains("link: "), "{head}");
            found.extend(page);
            next = head
                .split_once("link: <")
                .map(|(_, rest)| rest.split('>').next().unwrap().to_owned());
        }
        assert_eq!(found.len(), expected, "{path}");
    }
    assert_eq!(server.send("GET /v1/jobs?limit=0", &token, "", "").0, 400);
}

#[test]
fn the_oldest_jobs_go_beyond_so_many() {
    let keep =
        Retention { client_jobs: 2, look: Duration::from_millis(20), ..Retention::default() };
    let server = Server::with_squares(Limits { keep, ..Limits::default() });
    let user = User::new(server.client("one"), Engine::Single);
    let (client, order) = (&user.client, user.order_of(&user.send(&[1]), &["squares"]));
    let jobs: Vec<String> = (0..4).map(|_| client.order(&order).unwrap().id).collect();
    wait_until("two jobs are left, the last ones", || {
        let left = client.jobs().unwrap();
        left.iter().all(|job| job.state == State::Done)
            && left.iter().map(|job| &job.id).eq(&jobs[2..])
    });
    wait_until("their files, the key and the ciphertexts are left", || {
        std::fs::read_dir(server.folder.path().join("files")).unwrap().count() == 4
    });
}

#[test]
fn a_removed_client_frees_the_worker() {
    let server = Server::with_squares(Limits::default());
    let (one, other) = (server.client("one"), server.client("other"));
    let order = |client: &Client, values: usize| {
        let user = User::new(client.clone(), Engine::Single);
        let part = user.secret.encrypt(&[1; 100]).unwrap();
        let parts: Vec<_> = (0..values.div_ceil(100)).map(|_| part.clone()).collect();
        let bytes = cryptable::Ciphertext::join(parts).unwrap().to_bytes();
        let sent = upload(client, Kind::Ciphertext, bytes).unwrap();
        client.order(&user.order_of(&sent.sha256, &["squares"])).unwrap().id
    };
    // A job that takes minutes.
    let long = order(&one, 300_000);
    wait_until("it runs", || one.job(&long).unwrap().state == State::Running);
    let short = order(&other, 1);
    server.store().remove_client("one").unwrap();
    wait_until("the other's job is done", || other.job(&short).unwrap().state == State::Done);
    assert_eq!(refused(one.job(&long)).status, 401);
}
