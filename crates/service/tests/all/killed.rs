//! Tests that a killed server loses no registered key, no confirmed part, and no accepted job.

use std::io::{Cursor, Read, Write};
use std::net::TcpListener;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use cryptable::Engine;
use cryptable_service::messages::{Kind, State};
use cryptable_service::{Client, Config, Limits, Service, Store};

use crate::support::{Process, User, config, process_folder, squares, wait_until};

const SERVER: &str = "killed::server_process";

/// Runs the server, in a separate process that the tests start and kill.
#[test]
#[ignore = "it is the server that other tests of this file start"]
fn server_process() {
    let Some(folder) = process_folder() else { return };
    // The port of the first start is kept, since clients know it.
    let known = std::fs::read_to_string(folder.join("address")).ok();
    let mut config: Config = config(&folder.join("service"), Limits::default());
    if let Some(address) = known.and_then(|text| text.parse().ok()) {
        config.listen = address;
    }
    let service = Service::open(config).unwrap();
    std::fs::write(folder.join("new"), service.address().to_string()).unwrap();
    std::fs::rename(folder.join("new"), folder.join("address")).unwrap();
    service.run().unwrap();
}

fn url(folder: &Path) -> String {
    let start = Instant::now();
    loop {
        match std::fs::read_to_string(folder.join("address")) {
            Ok(address) => return format!("http://{address}"),
            Err(error) => assert!(start.elapsed() < Duration::from_secs(20), "{error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_server_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let store = Store::open(&folder.join("service")).unwrap();
    store.add_table("squares", &squares(4)).unwrap();
    let token = store.add_client("one").unwrap();
    let mut process = Process::start(SERVER, folder);
    let client = Client::new(&url(folder), &token).patience(Duration::from_secs(20));
    let client = client.part_bytes(1 << 18);
    let user = User::new(client, Engine::Single);
    let client = &user.client;

    // In the middle of an upload, after the first part, the server dies and is restarted.
    let values: Vec<u64> = (0..300_000).map(|x| x % 4).collect();
    let many = user.secret.encrypt(&values[..100]).unwrap();
    let big: Vec<_> = (0..values.len() / 100).map(|_| many.clone()).collect();
    let big = cryptable::Ciphertext::join(big).unwrap().to_bytes();
    let mut killed = false;
    let mut resumed_at = None;
    let mut progress = |share: f64| {
        if killed && resumed_at.is_none() {
            resumed_at = Some(share);
        }
        if share > 0.0 && !killed {
            killed = true;
            process.kill();
            process = Process::start(SERVER, folder);
        }
        ControlFlow::Continue(())
    };
    let length = big.len();
    assert!(length > 1 << 19, "{length} bytes have two parts");
    let sent = client.upload(Kind::Ciphertext, &mut Cursor::new(big), &mut progress).unwrap();
    assert!(killed && resumed_at.unwrap() > 0.0, "what was confirmed is not sent again");

    // The server dies in the middle of a job, with another job waiting.
    let long = client.order(&user.order_of(&sent.sha256, &["squares"])).unwrap();
    let small = user.send(&[3, 2, 1, 0]);
    let waiting = client.order(&user.order_of(&small, &["squares"])).unwrap();
    while client.job(&long.id).unwrap().state == State::Queued {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(client.job(&waiting.id).unwrap().state, State::Queued);
    let progress = || client.job(&long.id).unwrap().progress;
    let start = Instant::now();
    while progress() < 0.002 {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let before = progress();
    process.kill();
    let _process = Process::start(SERVER, folder);
    // Both jobs and the key still exist; the long job continues where it was, or at most one part before.
    assert!(!client.job(&long.id).unwrap().state.is_final());
    let database = rusqlite::Connection::open(folder.join("service/service.sqlite")).unwrap();
    let kept = || -> Option<u64> {
        let query = "SELECT max(count) FROM part WHERE job = ?1";
        database.query_row(query, [&long.id], |row| row.get(0)).unwrap()
    };
    wait_until("what the first server did is kept", || kept() > Some(0));
    // Progress is stated in millionths.
    let part = 100.0 / 300_000.0 + 2e-6;
    let kept = kept().unwrap() as f64 / 300_000.0;
    assert!(kept >= before - part, "{kept} after {before}");
    client.remove_job(&long.id).unwrap();
    assert_eq!(user.result(&user.wait(&waiting), 0), [1, 0, 1, 0]);
}

#[test]
fn killed_in_the_middle_of_load() {
    const CLIENTS: u64 = 4;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let store = Store::open(&folder.join("service")).unwrap();
    store.add_table("squares", &squares(4)).unwrap();
    let mut process = Process::start(SERVER, folder);
    let url = url(folder);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|index| {
                let token = store.add_client(&format!("client-{index}")).unwrap();
                let client = Client::new(&url, &token).patience(Duration::from_secs(30));
                scope.spawn(move || {
                    let user = User::new(client, Engine::Single);
                    for round in 0..8 {
                        let values = [index, round % 4, 3];
                        assert_eq!(user.squares(&values), values.map(|x| x * x % 4));
                    }
                })
            })
            .collect();
        while !clients.iter().all(|client| client.is_finished()) {
            std::thread::sleep(Duration::from_millis(400));
            process.kill();
            process = Process::start(SERVER, folder);
            // The start of the server takes part of the time.
            std::thread::sleep(Duration::from_millis(600));
        }
    });
}

/// Checks that a removal is complete if the server died after it and before it answered.
#[test]
fn what_was_removed_by_an_interrupted_request_is_removed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = Client::new(&format!("http://{}", listener.local_addr().unwrap()), "token")
        .patience(Duration::from_secs(20));
    let server = std::thread::spawn(move || {
        let body = r#"{"type":"urn:cryptable:problem:not-found","title":"not found","status":404,"detail":"no job"}"#;
        let head = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length";
        for is_first in [true, false, false] {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 1000]).unwrap();
            if !is_first {
                write!(stream, "{head}: {}\r\n\r\n{body}", body.len()).unwrap();
            }
        }
    });
    client.remove_job("0").unwrap();
    // A missing file is reported.
    assert!(client.remove_job("0").unwrap_err().to_string().contains("404"));
    server.join().unwrap();
}
