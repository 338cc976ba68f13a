//! Tests that jobs run in turns: one client's long job does not keep other clients waiting, and continues afterwards.

use std::time::{Duration, Instant};

use cryptable::{Ciphertext, Engine};
use cryptable_service::Limits;
use cryptable_service::messages::{Job, Kind, State};
use rusqlite::Connection;

use crate::support::{Server, User, squares, upload, wait_until};

const TURN: Duration = Duration::from_millis(100);

/// Orders a lookup of values in both tables.
fn order(user: &User, ciphertext: &Ciphertext) -> Job {
    let sent = upload(&user.client, Kind::Ciphertext, ciphertext.to_bytes()).unwrap();
    user.client.order(&user.order_of(&sent.sha256, &["squares", "again"])).unwrap()
}

fn server(turn: Duration) -> Server {
    let server = Server::start(Limits { turn, ..Limits::default() });
    for name in ["squares", "again"] {
        server.store().add_table(name, &squares(4)).unwrap();
    }
    server
}

fn user(server: &Server, name: &str) -> User {
    User::new(server.client(name), Engine::Single)
}

/// Returns values whose lookup takes minutes.
fn many(user: &User) -> Ciphertext {
    let some = user.secret.encrypt(&[3; 1000]).unwrap();
    Ciphertext::join((0..500).map(|_| some.clone())).unwrap()
}

#[test]
fn a_long_job_keeps_no_other_client_waiting_and_stops_when_it_is_removed() {
    let server = server(TURN);
    let (one, other) = (user(&server, "one"), user(&server, "other"));
    let long = order(&one, &many(&one));
    wait_until("the long job runs", || one.client.job(&long.id).unwrap().state == State::Running);
    for round in 0..3 {
        assert_eq!(other.squares(&[round, 3]), [round * round % 4, 1]);
    }
    let job = one.client.job(&long.id).unwrap();
    assert!(!job.state.is_final() && job.progress > 0.0, "{job:?}");
    // It does not matter who removes the job: the operator's command is another process, which does not notify the
    // server.
    let files = server.folder.path().join("files");
    let count = || std::fs::read_dir(&files).unwrap().count();
    let before = count();
    server.store().remove_client("one").unwrap();
    // The job's key, its ciphertexts and two results, which no turn of the job may create again.
    assert_eq!(count(), before - 4);
    let last = order(&other, &other.secret.encrypt(&[2]).unwrap());
    assert_eq!(other.wait(&last).state, State::Done);
    assert_eq!(count(), before - 4 + 3);
}

/// Checks the same within one long turn.
#[test]
fn a_job_stops_soon_when_its_client_is_removed() {
    let server = server(Limits::default().turn);
    let (one, other) = (user(&server, "one"), user(&server, "other"));
    let long = order(&one, &many(&one));
    wait_until("the long job runs", || one.client.job(&long.id).unwrap().progress > 0.0);
    server.store().remove_client("one").unwrap();
    let start = Instant::now();
    other.squares(&[2]);
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
}

/// Makes the database of a server record which jobs wait between two turns. The first job may start once there are two,
/// and the client whose turn it is counts as the one who has used the most time, so that both alternate.
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
    let users = ["one", "two"].map(|name| user(&server, name));
    let values: Vec<u64> = (0..200).map(|x| x * 7 % 4).collect();
    let expected: Vec<u64> = values.iter().map(|x| x * x % 4).collect();
    let encrypted = users.each_ref().map(|user| (user, user.secret.encrypt(&values).unwrap()));
    let jobs = encrypted.map(|(user, ciphertext)| order(user, &ciphertext));
    for (user, job) in users.iter().zip(&jobs) {
        let job = user.wait(job);
        assert_eq!(job.state, State::Done, "{job:?}");
        assert_eq!([0, 1].map(|place| user.result(&job, place)), [&expected[..]; 2]);
        let count = "SELECT count(*) FROM waited WHERE job = ?1";
        let waits: u64 = history.query_row(count, [&job.id], |row| row.get(0)).unwrap();
        assert!(waits > 0, "{job:?}");
    }
}

/// Returns the files of a server that are open or mapped in this process; the names of removed files end in `
/// (deleted)`.
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

/// Checks that removed files are closed: an open or mapped file still occupies the disk after its removal, but counts
/// for no client.
#[test]
#[cfg(target_os = "linux")]
fn keys_and_jobs_that_were_removed_give_their_room_on_the_disk_back() {
    let server = server(TURN);
    let one = User::new(server.client("one"), Engine::Packed);
    assert_eq!(one.squares(&[2, 3]), [0, 1]);
    assert!(!files_in_use(&server).is_empty(), "the key stays loaded");
    one.client.remove_key(&one.key).unwrap();
    wait_until("the key has left memory", || files_in_use(&server).is_empty());

    // A job that waits for its next turn has open files, too.
    let (two, three) = (user(&server, "two"), user(&server, "three"));
    let long = order(&two, &many(&two));
    order(&three, &many(&three));
    wait_until("the job waits for its next turn", || {
        let job = two.client.job(&long.id).unwrap();
        job.state == State::Queued && job.progress > 0.0
    });
    server.store().remove_client("two").unwrap();
    wait_until("its files are closed", || {
        !files_in_use(&server).iter().any(|path| path.ends_with(" (deleted)"))
    });
}
