//! Tests that servers that behave differently from this one do a client no harm.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use cryptable_service::{Client, ClientError};

/// Returns a client of a server that gives one answer to everything, and the requests that the server received.
fn answering(answer: String) -> (Client, std::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, requests) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream: TcpStream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let head: Vec<String> =
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
            let _ = tell.send(head.join("\n"));
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (Client::new(&url, "TOKEN").patience(Duration::ZERO), requests)
}

#[test]
fn results_end_where_they_were_said_to() {
    let (said, sent) = (10, 1 << 20);
    let head = format!("HTTP/1.1 206 Partial Content\r\ncontent-length: {sent}\r\n\r\n");
    let (client, _requests) = answering(head + &"x".repeat(sent));
    let order = serde_json::json!({"key": "", "ciphertext": "", "tables": ["one"]});
    let job = serde_json::json!({
        "id": "0", "state": "done", "progress": 1.0, "estimate_s": 1.0, "order": order, "results": [said]
    });
    let job = serde_json::from_value(job).unwrap();
    let mut result = Vec::new();
    client.fetch(&job, 0, &mut result).unwrap();
    assert_eq!(result.len() as u64, said);
}

#[test]
fn nothing_is_sent_where_a_server_points_to() {
    let (elsewhere, requests) = answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]".into());
    let url = format!("{elsewhere:?}");
    let url = url.trim_start_matches("Client(").split(',').next().unwrap();
    let head = format!("HTTP/1.1 307 Elsewhere\r\nlocation: {url}\r\ncontent-length: 0\r\n\r\n");
    let (client, _requests) = answering(head);
    let Err(ClientError::Refused(problem)) = client.tables() else { panic!("it was followed") };
    assert_eq!(problem.status, 307);
    assert!(requests.try_recv().is_err(), "a request went elsewhere");
}
