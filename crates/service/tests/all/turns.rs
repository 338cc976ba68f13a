//! Jobs run in turns: a long one of one client keeps no other client waiting, and goes on afterwards.

use std::io::Cursor;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cryptable::{Ciphertext, Engine, SecretKey};
use cryptable_service::messages::{Job, Kind, Order, State};
use cryptable_service::{Client, Limits};
use rusqlite::Connection;

use crate::support::{Server, keys, squares, wait_until};

const TURN: Duration = Duration::from_millis(100);

/// Orders a lookup of values in both tables.
fn order(client: &Client, key: &str, ciphertext: &Ciphertext) -> Job {
    let mut silent = |_| ControlFlow::Continue(());
    let bytes = ciphertext.to_bytes();
    let sent = client.upload(Kind::Ciphertext, &mut Cursor::new(bytes), &mut silent).unwrap();
    let tables = vec!["squares".to_owned(), "again".to_owned()];
    client
        .order(&Order { key: key.to_owned(), ciphertext: sent.sha256, tables, bits_key: None })
        .unwrap()
}

fn server(turn: Duration) -> Server {
    let server = Server::start(Limits { turn, ..Limits::default() });
    for name in ["squares", "again"] {
        server.store().add_table(name, &squares(4)).unwrap();
    }
    server
}

/// A client with a key: its keys, and the name of the server's.
fn client(server: &Server, name: &str) -> (Client, SecretKey, String) {
    let client = server.client(name);
    let (secret, key) = keys(Engine::Single, 4);
    let key = client.register(&mut Cursor::new(key)).unwrap().sha256;
    (client, secret, key)
}

/// Values that take minutes.
fn many(secret: &SecretKey) -> Ciphertext {
    let some = secret.encrypt(&[3; 1000]).unwrap();
    Ciphertext::join((0..500).map(|_| some.clone())).unwrap()
}

#[test]
fn a_long_job_keeps_no_other_client_waiting_and_stops_when_it_is_removed() {
    let server = server(TURN);
    let (one, secret, key) = client(&server, "one");
    let long = order(&one, &key, &many(&secret));
    let (other, secret, key) = client(&server, "other");
    wait_until("the long job runs", || one.job(&long.id).unwrap().state == State::Running);
    for round in 0..3 {
        let values = secret.encrypt(&[round, 3]).unwrap();
        let result = other.lookup(&key, &values, "squares").unwrap();
        assert_eq!(secret.decrypt(&result).unwrap(), [round * round % 4, 1]);
    }
    let job = one.job(&long.id).unwrap();
    assert!(!job.state.is_final() && job.progress > 0.0, "{job:?}");
    // Whoever removes it: the operator's command is another process, and tells the server nothing.
    let files = server.folder.path().join("files");
    let count = || std::fs::read_dir(&files).unwrap().count();
    let before = count();
    server.store().remove_client("one").unwrap();
    // Its key, its ciphertexts and two results, which no turn of the job makes again.
    assert_eq!(count(), before - 4);
    let last = order(&other, &key, &secret.encrypt(&[2]).unwrap());
    let mut silent = |_| ControlFlow::Continue(());
    assert_eq!(other.wait(&last.id, &mut silent).unwrap().state, State::Done);
    assert_eq!(count(), before - 4 + 3);
}

/// In one long turn, too.
#[test]
fn a_job_stops_soon_when_its_client_is_removed() {
    let server = server(Limits::default().turn);
    let (one, secret, key) = client(&server, "one");
    let long = order(&one, &key, &many(&secret));
    let (other, secret, key) = client(&server, "other");
    wait_until("the long job runs", || one.job(&long.id).unwrap().progress > 0.0);
    server.store().remove_client("one").unwrap();
    let start = Instant::now();
    let values = secret.encrypt(&[2]).unwrap();
    other.lookup(&key, &values, "squares").unwrap();
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

/// Has the database of a server write down which jobs wait between two turns. It lets the first job start when there are
/// two, and takes whoever has a turn for the client who has used the most time, so that the two have turns alternately.
fn alternate(server: &Server) -> Connection {
    let database = Connection::open(server.folder.path().join("service.sqlite")).unwrap();
    database.busy_timeout(Duration::from_secs(20)).unwrap();
    let triggers = "
        CREATE TABLE waited(job TEXT);
        CREATE TRIGGER job_waits AFTER UPDATE OF state ON job
          WHEN old.state = 'running' AND new.state = 'queued' AND new.progress > 0
          BEGIN INSERT INTO waited VALUES (new.id); END;
        CREATE TRIGGER job_starts BEFORE UPDATE OF state ON job
          WHEN new.state = 'running' AND (SELECT count(*) FROM job) < 2
          BEGIN SELECT RAISE(ABORT, 'the other job is not there yet'); END;
        CREATE TRIGGER job_runs AFTER UPDATE OF state ON job WHEN new.state = 'running'
          BEGIN UPDATE client SET used_us = (SELECT max(used_us) FROM client) WHERE id = new.client; END;";
    database.execute_batch(triggers).unwrap();
    database
}

#[test]
fn jobs_that_wait_for_their_next_turn_go_on_and_give_all_values() {
    // Every piece of a ciphertext ends a turn.
    let server = server(Duration::ZERO);
    let history = alternate(&server);
    let clients: Vec<_> = ["one", "two"].map(|name| client(&server, name)).into();
    let values: Vec<u64> = (0..200).map(|x| x * 7 % 4).collect();
    let ciphertexts = clients.iter().map(|(_, secret, _)| secret.encrypt(&values).unwrap());
    let ciphertexts: Vec<Ciphertext> = ciphertexts.collect();
    let jobs: Vec<Job> = clients
        .iter()
        .zip(&ciphertexts)
        .map(|((client, _, key), ciphertext)| order(client, key, ciphertext))
        .collect();
    for ((client, secret, _), job) in clients.iter().zip(&jobs) {
        let job = client.wait(&job.id, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(job.state, State::Done, "{job:?}");
        for place in 0..2 {
            let mut result = Vec::new();
            client.fetch(&job, place, &mut result).unwrap();
            let result = Ciphertext::from_bytes(&result).unwrap();
            let expected: Vec<u64> = values.iter().map(|x| x * x % 4).collect();
            assert_eq!(secret.decrypt(&result).unwrap(), expected);
        }
        let count = "SELECT count(*) FROM waited WHERE job = ?1";
        let waits: u64 = history.query_row(count, [&job.id], |row| row.get(0)).unwrap();
        assert!(waits > 0, "{job:?}");
    }
}

/// Files of a server that are open or mapped in this process; those that were removed end in ` (deleted)`.
#[cfg(target_os = "linux")]
fn files_in_use(server: &Server) -> Vec<String> {
    let folder = server.folder.path().canonicalize().unwrap().join("files");
    let folder = folder.to_str().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let mapped = maps.lines().filter_map(|line| Some(line[line.find(folder)?..].to_owned()));
    let open = std::fs::read_dir("/proc/self/fd").unwrap();
    let open = open.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let open = open.map(|path| path.to_string_lossy().into_owned());
    mapped.chain(open.filter(|path| path.starts_with(folder))).collect()
}

/// A file that is open or mapped takes room on the disk after it was removed, and counts for no client.
#[test]
#[cfg(target_os = "linux")]
fn keys_and_jobs_that_were_removed_give_their_room_on_the_disk_back() {
    let server = server(TURN);
    let client_one = server.client("one");
    let (secret, key) = keys(Engine::Packed, 4);
    let key = client_one.register(&mut Cursor::new(key)).unwrap().sha256;
    let result = client_one.lookup(&key, &secret.encrypt(&[2, 3]).unwrap(), "squares").unwrap();
    assert_eq!(secret.decrypt(&result).unwrap(), [0, 1]);
    assert!(!files_in_use(&server).is_empty(), "the key stays loaded");
    client_one.remove_key(&key).unwrap();
    wait_until("the key has left memory", || files_in_use(&server).is_empty());

    // A job that waits for its next turn has files open, too.
    let (two, secret, key) = client(&server, "two");
    let long = order(&two, &key, &many(&secret));
    let (three, secret, key) = client(&server, "three");
    order(&three, &key, &many(&secret));
    wait_until("the job waits for its next turn", || {
        let job = two.job(&long.id).unwrap();
        job.state == State::Queued && job.progress > 0.0
    });
    server.store().remove_client("two").unwrap();
    wait_until("its files are closed", || {
        !files_in_use(&server).iter().any(|path| path.ends_with(" (deleted)"))
    });
}
