//! Tests that every kind of bad client receives a specific status, and a problem object that names the limit.

use std::io::{Cursor, Write};
use std::net::TcpStream;
use std::time::Duration;

use cryptable::{Engine, SecretKey};
use cryptable_service::messages::Kind;
use cryptable_service::{Client, Limits, Problem};
use sha2::{Digest, Sha256};

use crate::support::{Server, User, answer, keys, refused, squares, token, upload};

/// Returns the problem of an answer.
fn problem((status, body): (u16, String)) -> Problem {
    let problem: Problem =
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{status}: {error}: {body}"));
    assert_eq!(problem.status, status);
    problem
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Announces bytes, and returns the answer.
fn announce(
    server: &Server,
    token: &str,
    kind: &str,
    length: usize,
    digest: &str,
) -> (u16, String) {
    let body = format!(r#"{{"kind":"{kind}","length":{length},"sha256":"{digest}"}}"#);
    server.send("POST /v1/uploads", token, "", body)
}

fn upload_id((status, body): (u16, String)) -> String {
    assert_eq!(status, 201, "{body}");
    let upload: serde_json::Value = serde_json::from_str(&body).unwrap();
    upload["id"].as_str().unwrap().to_owned()
}

#[test]
fn strangers_and_garbage() {
    let server = Server::start(Limits::default());
    let token = token(&server);
    assert_eq!(problem(server.raw("GET /v1/tables HTTP/1.0\r\n\r\n")).status, 401);
    assert_eq!(problem(server.send("GET /v1/tables", "wrong", "", "")).word(), "unauthorized");
    assert_eq!(problem(server.send("GET /v2/tables", &token, "", "")).status, 404);
    assert_eq!(problem(server.send("PUT /v1/tables", &token, "", "")).status, 405);
    assert_eq!(problem(server.send("POST /v1/uploads", &token, "", "{")).word(), "bad-request");
    assert_eq!(problem(server.send("POST /v1/jobs", &token, "", "[1, 2]")).status, 400);
    let long = vec![b' '; 1 << 17];
    assert_eq!(problem(server.send("POST /v1/jobs", &token, "", long)).status, 413);
    assert_eq!(problem(announce(&server, &token, "ciphertext", 9, "abc")).status, 400);
    assert_eq!(problem(announce(&server, &token, "ciphertext", 0, &"0".repeat(64))).status, 400);
    // Bytes that are not HTTP, and heads without end.
    assert_eq!(server.raw("garbage\r\n\r\n").0, 400);
    let endless = [b"GET / HTTP/1.1\r\nx: ".to_vec(), vec![b'x'; 1 << 17]].concat();
    let mut stream = TcpStream::connect(server.address).unwrap();
    let _ = stream.write_all(&endless);
    assert!([0, 431].contains(&answer(&mut stream).0));
    // Bytes that are not a file of the library are refused for both kinds, and so is a secret key, which no server
    // accepts.
    let (secret, _) = keys(Engine::Single, 4);
    let secret_file = secret.to_bytes().to_vec();
    for kind in ["evaluation-key", "ciphertext"] {
        for content in [vec![7; 1000], secret_file.clone()] {
            let announced = announce(&server, &token, kind, content.len(), &sha256(&content));
            let id = upload_id(announced);
            let part = format!("PATCH /v1/uploads/{id}");
            assert_eq!(server.send(&part, &token, "upload-offset: 0\r\n", &content).0, 204);
            let done = server.send(&format!("POST /v1/uploads/{id}/complete"), &token, "", "");
            assert_eq!(problem(done).word(), "unusable");
            // The upload no longer exists.
            assert_eq!(server.send(&format!("HEAD /v1/uploads/{id}"), &token, "", "").0, 404);
        }
    }
    assert_eq!(std::fs::read_dir(server.folder.path().join("files")).unwrap().count(), 0);
}

#[test]
fn truncated_slow_and_misplaced_bodies() {
    let silence = Duration::from_millis(300);
    let server = Server::start(Limits { silence, ..Limits::default() });
    let token = token(&server);
    let (secret, _) = keys(Engine::Single, 4);
    let content = secret.encrypt(&[1; 100]).unwrap().to_bytes();
    let announced = announce(&server, &token, "ciphertext", content.len(), &sha256(&content));
    let id = upload_id(announced);
    let line = format!("PATCH /v1/uploads/{id}");
    let head = |offset: usize, length: usize| {
        format!(
            "{line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nupload-offset: {offset}\r\n\
             content-length: {length}\r\n\r\n"
        )
    };
    // The connection is cut, and what arrived stays.
    let truncated = [head(0, content.len()).as_bytes(), &content[..100]].concat();
    assert_eq!(problem(server.raw(truncated)).word(), "truncated");
    let wait = |offset: usize| {
        for _ in 0..200 {
            let found =
                server.send(&line, &token, &format!("upload-offset: {}\r\n", usize::MAX), "");
            let found = problem(found);
            if found.offset == Some(offset as u64) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("no offset {offset}");
    };
    wait(100);
    // The client falls silent: it is told so, and what arrived stays.
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(head(100, content.len() - 100).as_bytes()).unwrap();
    stream.write_all(&content[100..150]).unwrap();
    assert_eq!(problem(answer(&mut stream)).word(), "slow");
    wait(150);
    // A head that never ends is dropped.
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(b"GET /v1/tables HTTP/1.1\r\n").unwrap();
    assert!([0, 408].contains(&answer(&mut stream).0));
    // Parts elsewhere, nowhere and beyond the end are refused, and so is completion before the file is whole.
    let misplaced = server.send(&line, &token, "upload-offset: 7\r\n", &content[7..]);
    assert_eq!(problem(misplaced).offset, Some(150));
    assert_eq!(problem(server.send(&line, &token, "", &content)).status, 400);
    assert_eq!(problem(server.send(&line, &token, "upload-offset: x\r\n", &content)).status, 400);
    let beyond = server.send(&line, &token, "upload-offset: 150\r\n", &content);
    assert_eq!(problem(beyond).exceeded.unwrap().limit, content.len() as u64);
    let early = server.send(&format!("POST /v1/uploads/{id}/complete"), &token, "", "");
    assert_eq!(problem(early).offset, Some(150));
    // The rest is sent; bytes other than the announced ones are refused.
    let mut wrong = content[150..].to_vec();
    wrong[0] ^= 1;
    assert_eq!(server.send(&line, &token, "upload-offset: 150\r\n", wrong).0, 204);
    let done = server.send(&format!("POST /v1/uploads/{id}/complete"), &token, "", "");
    assert!(problem(done).detail.contains("SHA-256"));
}

#[test]
fn limits_are_named() {
    let (secret, key) = keys(Engine::Single, 4);
    let limits = Limits {
        key_bytes: key.len() as u64,
        ciphertext_bytes: 5000,
        client_bytes: key.len() as u64 + 9500,
        client_objects: 3,
        client_uploads: 2,
        job_tables: 2,
        ..Limits::default()
    };
    let server = Server::start(limits);
    let token = token(&server);
    let digest = |index: usize| format!("{index:064x}");
    let exceeded = |answer| {
        let problem = problem(answer);
        (problem.status, problem.exceeded.unwrap().name)
    };
    let too_long = announce(&server, &token, "evaluation-key", key.len() + 1, &digest(0));
    assert_eq!(exceeded(too_long), (413, "key-bytes".into()));
    let too_long = announce(&server, &token, "ciphertext", 5001, &digest(0));
    assert_eq!(exceeded(too_long), (413, "ciphertext-bytes".into()));
    upload_id(announce(&server, &token, "ciphertext", 10, &digest(1)));
    let id = upload_id(announce(&server, &token, "ciphertext", 10, &digest(2)));
    // The same request sent again does not create another job.
    assert_eq!(upload_id(announce(&server, &token, "ciphertext", 10, &digest(2))), id);
    let many = announce(&server, &token, "ciphertext", 10, &digest(3));
    assert_eq!(exceeded(many), (429, "client-uploads".into()));
    assert_eq!(server.send(&format!("DELETE /v1/uploads/{id}"), &token, "", "").0, 204);
    upload_id(announce(&server, &token, "evaluation-key", key.len(), &digest(4)));
    let full = announce(&server, &token, "ciphertext", 4995, &digest(5));
    let full = problem(full);
    assert_eq!(full.status, 429, "{full}");
    let another = crate::support::token(&server);
    upload_id(announce(&server, &another, "evaluation-key", key.len(), &digest(6)));
    upload_id(announce(&server, &another, "ciphertext", 5000, &digest(7)));
    let no_room = announce(&server, &another, "ciphertext", 5000, &digest(8));
    assert_eq!(exceeded(no_room), (413, "client-bytes".into()));
    let client = Client::new(&server.url(), &crate::support::token(&server));
    let key = client.register(&mut Cursor::new(key)).unwrap().sha256;
    let user = User { client, secret, key };
    let problem = refused(user.client.order(&user.order_of(&user.send(&[1]), &["squares"; 3])));
    assert_eq!(problem.exceeded.unwrap().name, "job-tables");
}

#[test]
fn orders_that_do_not_fit() {
    let limits = Limits { memory: 40 << 20, ..Limits::default() };
    let server = Server::start(limits);
    let store = server.store();
    store.add_table("squares", &squares(4)).unwrap();
    store.add_table("larger", &squares(16)).unwrap();
    let user = User::new(server.client("one"), Engine::Single);
    let (stranger, _) = keys(Engine::Single, 4);
    let (leveled, _) = keys(Engine::Leveled, 4);
    let send = |secret: &SecretKey| {
        let file = secret.encrypt(&[1, 2]).unwrap().to_bytes();
        upload(&user.client, Kind::Ciphertext, file).unwrap().sha256
    };
    let (own, others, other_engine) = (send(&user.secret), send(&stranger), send(&leveled));
    let order =
        |ciphertext: &str, tables: &[&str]| user.client.order(&user.order_of(ciphertext, tables));
    assert_eq!(refused(order(&own, &["nothing"])).status, 404);
    assert_eq!(refused(order(&own, &[])).status, 400);
    assert!(refused(order(&own, &["larger"])).detail.contains("modulus 16"));
    assert_eq!(refused(order(&others, &["squares"])).word(), "unusable");
    assert_eq!(refused(order(&other_engine, &["squares"])).status, 422);
    assert_eq!(refused(order(&"0".repeat(64), &["squares"])).status, 404);
    assert!(order(&own, &["squares"]).is_ok());
}

#[test]
fn what_takes_too_long_or_too_much_memory_is_refused_before_it_is_accepted() {
    let limits = Limits { job_time: Some(Duration::ZERO), memory: 1 << 20, ..Limits::default() };
    let server = Server::with_squares(Limits { memory: 1 << 30, ..limits });
    let user = User::new(server.client("one"), Engine::Single);
    let sent = user.send(&vec![3; 200_000]);
    let problem = refused(user.client.order(&user.order_of(&sent, &["squares"])));
    let exceeded = problem.exceeded.clone().unwrap();
    assert_eq!((problem.status, exceeded.name.as_str(), exceeded.limit), (413, "job-time", 0));
    assert!(problem.detail.contains("order fewer values or tables"), "{}", problem.detail);

    // Reading a ciphertext needs more than twice its bytes.
    let server = Server::start(limits);
    let client = server.client("one");
    let many = user.secret.encrypt(&vec![1; 1024]).unwrap();
    let results = user.secret.evaluation_key();
    let table = results.prepare(&squares(4)).unwrap();
    let many = results.lookup(&many, &table).unwrap().to_bytes();
    let error = upload(&client, Kind::Ciphertext, &many).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("memory is ") && text.contains("at most 1048576"), "{text}");
}

#[test]
fn memory_and_queue_are_limited() {
    let (secret, key) = keys(Engine::Single, 4);
    let bytes = key;
    // The limit is below the key's memory, so the key is refused when it is registered.
    let server = Server::start(Limits { memory: 10_000, ..Limits::default() });
    let client = server.client("one");
    let problem = refused(client.register(&mut Cursor::new(bytes.clone())));
    assert_eq!(problem.exceeded.unwrap().name, "memory");
    let server = Server::with_squares(Limits { client_queue: 1, ..Limits::default() });
    let token = token(&server);
    let client = Client::new(&server.url(), &token).patience(Duration::ZERO);
    let key = client.register(&mut Cursor::new(bytes)).unwrap().sha256;
    let user = User { client, secret, key };
    let order = user.order_of(&user.send(&[1; 5000]), &["squares"]);
    let (client, key) = (&user.client, &user.key);
    let job = client.order(&order).unwrap();
    let problem = refused(client.order(&order));
    assert_eq!((problem.status, problem.exceeded.unwrap().name), (429, "client-queue".into()));
    // Files that a job needs stay; a running job can be stopped.
    assert_eq!(refused(client.remove_key(key)).status, 409);
    client.remove_job(&job.id).unwrap();
    client.remove_key(key).unwrap();
}
