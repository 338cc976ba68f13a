//! Misbehaving clients, each of which repeats its action until it is told to stop.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::requests::{answer, send};

/// A token that belongs to no client.
pub const WRONG_TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Announced lengths of uploads, in bytes.
const LENGTHS: [usize; 3] = [10, 100_000, 1];

/// One action of a stranger, with the token of a client, and a number of its own.
pub type Stranger = fn(SocketAddr, &str, usize);

pub const STRANGERS: [Stranger; 7] =
    [half_a_head, silence, wrong_token, wrong_length, body_without_end, cut_off, no_ciphertext];

/// Repeats an action until `done` is set; returns the number of repetitions.
pub fn repeat(done: &AtomicBool, mut call: impl FnMut()) -> usize {
    let mut count = 0;
    while !done.load(Ordering::Relaxed) {
        call();
        count += 1;
    }
    count
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// Sends an endless request head, one byte at a time.
fn half_a_head(address: SocketAddr, token: &str, _: usize) {
    let mut stream = connect(address);
    let head = format!("GET /v1/tables HTTP/1.1\r\nauthorization: Bearer {token}\r\nx: ");
    let mut rest = head.into_bytes();
    rest.extend([b'x'; 50]);
    for part in rest.chunks(16) {
        if stream.write_all(part).is_err() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Opens a connection and sends nothing until the server closes it, for instance to make room for another one.
fn silence(address: SocketAddr, _: &str, _: usize) {
    let _ = connect(address).read_to_end(&mut Vec::new());
}

fn wrong_token(address: SocketAddr, _: &str, _: usize) {
    let (status, body) = send(address, ("GET /v1/keys", WRONG_TOKEN), "", "");
    assert!([0, 401].contains(&status), "{status}: {body}");
}

/// Sends more bytes than announced, and an invalid digest.
fn wrong_length(address: SocketAddr, token: &str, number: usize) {
    if let Some(path) = announce(address, token, LENGTHS[0], number) {
        let patch = format!("PATCH {path}");
        let (status, body) = send(address, (&patch, token), "upload-offset: 0\r\n", [7; 1000]);
        assert!([0, 413, 429].contains(&status), "{status}: {body}");
        send(address, (&format!("DELETE {path}"), token), "", "");
    }
    let body = r#"{"kind":"ciphertext","length":9,"sha256":"no digest"}"#;
    let (status, body) = send(address, ("POST /v1/uploads", token), "", body);
    assert!([0, 400, 429].contains(&status), "{status}: {body}");
}

/// Sends a gigabyte instead of some kilobytes: the answer comes before all of it is sent.
fn body_without_end(address: SocketAddr, token: &str, _: usize) {
    let mut stream = connect(address);
    let head = format!(
        "POST /v1/jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n",
        1 << 30
    );
    let _ = stream.write_all(head.as_bytes());
    let part = vec![b' '; 1 << 16];
    let sent = (0..1 << 14).take_while(|_| stream.write_all(&part).is_ok()).count();
    assert!(sent < 1 << 10, "the server took {sent} parts of 64 KiB");
}

/// Sends a part of an upload that ends in the middle.
fn cut_off(address: SocketAddr, token: &str, number: usize) {
    let Some(path) = announce(address, token, LENGTHS[1], number) else { return };
    let head = format!(
        "PATCH {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\nupload-offset: 0\r\n\
         content-length: 100000\r\n\r\n0123456789"
    );
    let mut stream = connect(address);
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.shutdown(Shutdown::Write);
    let (status, body) = answer(&mut stream);
    assert!([0, 400, 408, 409, 429].contains(&status), "{status}: {body}");
    send(address, (&format!("DELETE {path}"), token), "", "");
}

/// Uploads meaningless bytes, complete and as announced.
fn no_ciphertext(address: SocketAddr, token: &str, number: usize) {
    let Some(path) = announce(address, token, LENGTHS[2], number) else { return };
    send(address, (&format!("PATCH {path}"), token), "upload-offset: 0\r\n", "x");
    let complete = format!("POST {path}/complete");
    let (status, body) = send(address, (&complete, token), "", "");
    assert!([0, 409, 422, 429].contains(&status), "{status}: {body}");
}

/// Removes the files that a stranger has left.
pub fn clean_up(address: SocketAddr, token: &str, number: usize) {
    for length in LENGTHS {
        let path = announce(address, token, length, number).unwrap();
        let (status, body) = send(address, (&format!("DELETE {path}"), token), "", "");
        assert_eq!(status, 204, "{body}");
    }
}

/// Announces an upload; returns its address, unless there are too many.
fn announce(address: SocketAddr, token: &str, length: usize, number: usize) -> Option<String> {
    let body = format!(
        r#"{{"kind":"ciphertext","length":{length},"sha256":"{length:032x}{number:032x}"}}"#
    );
    let (status, body) = send(address, ("POST /v1/uploads", token), "", body);
    assert!([0, 201, 429].contains(&status), "{status}: {body}");
    let upload: serde_json::Value = serde_json::from_str(&body).ok()?;
    Some(format!("/v1/uploads/{}", upload["id"].as_str()?))
}
