//! Tests that many connections, slow ones and broken ones do not prevent a client from being served.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cryptable::Engine;
use cryptable_service::{Limits, Problem};

use crate::support::{Server, User, answer, token, wait_until};

/// Number of connections of a crowded server.
const CONNECTIONS: usize = 16;

/// Answer of a server that waits for a body.
const CONTINUE: &[u8; 25] = b"HTTP/1.1 100 Continue\r\n\r\n";

fn crowded() -> Server {
    Server::with_squares(Limits { connections: CONNECTIONS, ..Limits::default() })
}

#[test]
fn strangers_who_hold_every_connection_starve_nobody() {
    let server = crowded();
    let client = server.client("one");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Four times the number of places: heads that never end and arrive byte by byte. As soon as one is dropped, the
        // next one begins.
        for _ in 0..4 * CONNECTIONS {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let Ok(mut stream) = TcpStream::connect(server.address) else { continue };
                    let _ = stream.write_all(b"GET /v1/tables HTTP/1.1\r\nx: ");
                    while !done.load(Ordering::Relaxed) && stream.write_all(b"x").is_ok() {
                        std::thread::sleep(Duration::from_millis(50));
                    }
                }
            });
        }
        let start = Instant::now();
        let user = User::new(client, Engine::Single);
        for round in 0..3 {
            assert_eq!(user.squares(&[round, 3]), [round * round % 4, 1]);
        }
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_client_has_so_many_requests_at_a_time_and_others_have_theirs() {
    let server = Server::start(Limits { client_requests: 4, ..Limits::default() });
    let (greedy, other) = (token(&server), token(&server));
    // A request whose body the server waits for. The server says so, and from then on the request counts. A fifth
    // connection in between would take its place.
    let unfinished = || {
        let mut stream = TcpStream::connect(server.address).unwrap();
        let head = format!(
            "POST /v1/jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {greedy}\r\n\
             content-length: 10\r\nexpect: 100-continue\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut told = [0; CONTINUE.len()];
        stream.read_exact(&mut told).unwrap();
        assert_eq!(told, *CONTINUE);
        stream
    };
    let mut held: Vec<TcpStream> = (0..4).map(|_| unfinished()).collect();
    let (status, body) = server.send("GET /v1/tables", &greedy, "", "");
    assert_eq!(status, 429, "{body}");
    let problem: Problem = serde_json::from_str(&body).unwrap();
    let exceeded = problem.exceeded.unwrap();
    assert_eq!((exceeded.name.as_str(), exceeded.limit), ("client-requests", 4));
    assert_eq!(server.send("GET /v1/tables", &other, "", "").0, 200);
    // A request that goes away makes room, and so does one that is answered.
    drop(held.pop());
    wait_until("there is room again", || server.send("GET /v1/tables", &greedy, "", "").0 == 200);
    for mut stream in held {
        stream.write_all(b"0123456789").unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(answer(&mut stream).0, 400);
    }
}

#[test]
fn bodies_that_end_early_under_load_lose_nothing() {
    let server = crowded();
    let user = User::new(server.client("one"), Engine::Single);
    let token = token(&server);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for index in 0..8 {
            let (token, server, done) = (&token, &server, &done);
            scope.spawn(move || {
                let digest = format!("{index:064x}");
                let body = format!(r#"{{"kind":"ciphertext","length":99999,"sha256":"{digest}"}}"#);
                let (status, answered) = server.send("POST /v1/uploads", token, "", body);
                assert_eq!(status, 201, "{answered}");
                let upload: serde_json::Value = serde_json::from_str(&answered).unwrap();
                let path = format!("/v1/uploads/{}", upload["id"].as_str().unwrap());
                let mut offset = 0;
                while !done.load(Ordering::Relaxed) {
                    // Ten bytes of a thousand arrive; half of the connections do not even wait for an answer.
                    let head = format!(
                        "PATCH {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
                         upload-offset: {offset}\r\ncontent-length: 1000\r\n\r\n0123456789"
                    );
                    let mut stream = TcpStream::connect(server.address).unwrap();
                    let _ = stream.write_all(head.as_bytes());
                    if index % 2 == 0 {
                        let _ = stream.shutdown(std::net::Shutdown::Write);
                        let _ = stream.read_to_end(&mut Vec::new());
                    }
                    drop(stream);
                    let mut stand = TcpStream::connect(server.address).unwrap();
                    let head = format!(
                        "HEAD {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
                         connection: close\r\n\r\n"
                    );
                    let _ = stand.write_all(head.as_bytes());
                    let mut text = String::new();
                    let _ = stand.read_to_string(&mut text);
                    let found = text.split("upload-offset: ").nth(1);
                    let found = found.and_then(|text| text.lines().next()?.parse::<u64>().ok());
                    if let Some(found) = found {
                        assert!(found >= offset && found % 10 == 0, "{offset} to {found}");
                        offset = found;
                    }
                }
                assert!(offset > 0);
            });
        }
        for round in 0..4 {
            assert_eq!(user.squares(&[round]), [round * round % 4]);
        }
        std::thread::sleep(Duration::from_millis(300));
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn requests_that_are_under_way_end_when_the_server_is_told_to() {
    let server = crowded();
    let token = token(&server);
    let body = format!(r#"{{"kind":"ciphertext","length":9,"sha256":"{:064x}"}}"#, 1);
    let (_, upload) = server.send("POST /v1/uploads", &token, "", body);
    let upload: serde_json::Value = serde_json::from_str(&upload).unwrap();
    let line = format!("/v1/uploads/{}", upload["id"].as_str().unwrap());
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "PATCH {line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nupload-offset: 0\r\n\
         expect: 100-continue\r\ncontent-length: 9\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut expected = [0; CONTINUE.len()];
    stream.read_exact(&mut expected).unwrap();
    assert_eq!(&expected, CONTINUE);
    // A silent stranger cannot keep the place.
    let _silent = TcpStream::connect(server.address).unwrap();
    server.stop();
    wait_until("nobody is let in", || TcpStream::connect(server.address).is_err());
    stream.write_all(b"123456789").unwrap();
    assert_eq!(answer(&mut stream).0, 204);
    let start = Instant::now();
    drop(server);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
