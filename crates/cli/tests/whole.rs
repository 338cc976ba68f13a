//! The server's program as its users and its operator see it: crowded by bad clients, on a full disk, killed at any
//! moment. Every result is compared with the table in clear, and no token may be in the log.
#![cfg(all(unix, feature = "client", feature = "serve"))]

#[path = "whole/ends.rs"]
mod ends;
#[path = "../../service/tests/support/mod.rs"]
mod requests;
mod server;
#[path = "whole/strangers.rs"]
mod strangers;
mod support;
#[path = "whole/users.rs"]
mod users;

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cryptable_service::ClientError;
use rand::{Rng, SeedableRng, rngs::StdRng};

use requests::{answer, send, wait_until};
use server::Process;
use strangers::{STRANGERS, WRONG_TOKEN, clean_up, repeat};
use support::Workspace;
use users::{MODULUS, Ordered, User, address, offer_tables};

/// Number of kills in `make test`; `make test-all` uses more.
const FEW: usize = 10;
const MANY: usize = 50;

/// Number of users in a crowd, and of requests of each.
const USERS: usize = 8;
const REQUESTS: usize = 200;

/// Number of requests per lookup.
const SELDOM: usize = 50;

/// Returns the seed of a test. With this number in the environment, the test draws the same again, except keys and ciphertexts,
/// which are always new.
fn seed() -> u64 {
    let given = std::env::var("CRYPTABLE_TEST_SEED").ok();
    let seed = given.map_or_else(rand::random, |text| text.parse().unwrap());
    println!("CRYPTABLE_TEST_SEED={seed}");
    seed
}

/// Checks that the log of a server that ended has no token, no failure, and nothing but text.
fn check_log(workspace: &Workspace, users: &[User]) {
    let log = workspace.text("log");
    let tokens = users.iter().map(|user| user.token.as_str()).chain([WRONG_TOKEN]);
    for token in tokens {
        assert!(!log.contains(token), "a token is in the log");
    }
    for wrong in ["ERROR", "panicked"] {
        let found: Vec<&str> = log.lines().filter(|line| line.contains(wrong)).collect();
        assert!(found.is_empty(), "{found:?}");
    }
    assert!(log.contains("job is done"));
}

/// Removes everything that users have. Checks that a restarted server finds no unknown file, and that no file is left.
fn end(workspace: &Workspace, process: Process, users: &[User]) {
    assert!(process.terminate().success());
    assert!(Process::start(workspace).terminate().success());
    let left: Vec<_> = std::fs::read_dir(workspace.path("service/files")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!workspace.path("service/lost").exists());
    check_log(workspace, users);
}

#[test]
fn a_crowd_of_bad_clients_keeps_nobody_from_right_results() {
    let seed = seed();
    let workspace = Workspace::new();
    offer_tables(&workspace);
    let process = Process::start_with(&workspace, "--connections 64 --silence 1");
    let address = address(&process);
    let users: Vec<User> =
        (0..USERS).map(|index| User::new(&workspace, &process, &format!("user-{index}"))).collect();
    let bad = User::new(&workspace, &process, "bad");
    let (done, start) = (AtomicBool::new(false), Instant::now());
    let (rounds, longest) = std::thread::scope(|scope| {
        let strangers: Vec<_> = (0..2 * STRANGERS.len())
            .map(|index| {
                let (done, token) = (&done, &bad.token);
                scope.spawn(move || repeat(done, || STRANGERS[index / 2](address, token, index)))
            })
            .collect();
        let good: Vec<_> = (0_u64..)
            .zip(&users)
            .map(|(index, user)| {
                scope.spawn(move || {
                    let mut rng = StdRng::seed_from_u64(seed.wrapping_add(index));
                    let mut longest = Duration::ZERO;
                    for request in 0..REQUESTS {
                        let start = Instant::now();
                        assert_eq!(user.client.tables().unwrap().len(), 2);
                        longest = longest.max(start.elapsed());
                        if request % SELDOM == 0 {
                            user.look_up(&mut rng);
                        }
                    }
                    longest
                })
            })
            .collect();
        let longest = good.into_iter().map(|user| user.join()).collect::<Vec<_>>();
        done.store(true, Ordering::Relaxed);
        let rounds = strangers.into_iter().map(|stranger| stranger.join().unwrap());
        let rounds: Vec<usize> = rounds.collect();
        (rounds, longest.into_iter().map(Result::unwrap).max().unwrap())
    });
    let all = users.len() * REQUESTS;
    println!(
        "{all} requests beside {rounds:?} bad ones in {:?}, longest {longest:?}",
        start.elapsed()
    );
    assert!(rounds.iter().all(|&rounds| rounds > 0), "{rounds:?}");
    assert!(longest < Duration::from_secs(10), "{longest:?}");
    // The resources that the crowd held are released.
    #[cfg(target_os = "linux")]
    wait_until("connections are closed", || {
        std::fs::read_dir(format!("/proc/{}/fd", process.id())).unwrap().count() < 40
    });
    (0..2 * STRANGERS.len()).for_each(|index| clean_up(address, &bad.token, index));
    for user in users.iter().chain([&bad]) {
        user.leave(&[]);
    }
    let users: Vec<User> = users.into_iter().chain([bad]).collect();
    end(&workspace, process, &users);
}

/// A small file system of its own for the server's folder.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    /// Mounts the file system; `None` if that is not permitted.
    fn mount(workspace: &Workspace, mebibytes: u32) -> Option<Self> {
        let path = workspace.path("service");
        std::fs::create_dir(&path).unwrap();
        let options = format!("size={mebibytes}m,mode=700");
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", &options, "cryptable-test"]).arg(&path);
        let is_mounted = command.output().is_ok_and(|output| output.status.success());
        is_mounted.then_some(Self(path))
    }

    /// Fills the disk with a file that does not belong to the server.
    fn fill(&self) -> std::path::PathBuf {
        let path = self.0.join("tables.old");
        let mut file = std::fs::File::create(&path).unwrap();
        while file.write_all(&[7; 4096]).is_ok() {}
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Uploads files until there is no room, the last ones as small as possible; returns their digests.
fn fill(user: &User) -> Vec<String> {
    let mut kept = Vec::new();
    for bytes in [1 << 20, 1 << 16, 1] {
        loop {
            match user.upload(&user.ballast(bytes)) {
                Ok(sent) => kept.push(sent.sha256),
                Err(ClientError::Refused(problem)) => {
                    assert_eq!(problem.status, 507, "{problem}");
                    let limit = problem.exceeded.unwrap().name;
                    assert!(["free-bytes", "total-bytes"].contains(&limit.as_str()), "{limit}");
                    break;
                }
                Err(error) => panic!("{error}"),
            }
            assert!(kept.len() < 1000, "it is never full");
        }
    }
    kept
}

#[test]
fn a_full_disk_stops_neither_reads_nor_accepted_jobs_nor_removals() {
    let mut rng = StdRng::seed_from_u64(seed());
    let workspace = Workspace::new();
    let disk = SmallDisk::mount(&workspace, 24);
    let options = match &disk {
        Some(_) => "--free-bytes 4MiB",
        None => {
            println!("NOT on a small disk: mount is not permitted; --total-bytes stands for it");
            "--total-bytes 16MiB"
        }
    };
    offer_tables(&workspace);
    let process = Process::start_with(&workspace, options);
    let user = User::new(&workspace, &process, "one").in_parts_of(1 << 18);
    let (values, file) = user.draw(&mut rng);
    let sent = user.upload(&file).unwrap();
    let mut first = user.order(&sent, values.clone());
    user.wait(&mut first);
    // One job runs, and one waits, when the disk is full.
    let many: Vec<u64> = (0..3000).map(|_| rng.random_range(0..MODULUS)).collect();
    let long = user.upload(&user.encrypt(&many, 100)).unwrap();
    let mut accepted = [user.order(&long, many), user.order(&sent, values.clone())];
    let kept = fill(&user);
    println!("full after {} files", kept.len());
    let is_done = user.client.job(&accepted[0].job.id).unwrap().state.is_final();
    println!("the long job {} when it was full", if is_done { "was done" } else { "ran" });
    user.fetch(&mut first);
    for ordered in &mut accepted {
        user.wait(ordered);
        user.fetch(ordered);
    }
    user.client.remove_job(&first.job.id).unwrap();
    for file in kept {
        user.client.remove_ciphertext(&file).unwrap();
    }
    let mut last = user.order(&sent, values);
    user.wait(&mut last);
    user.fetch(&mut last);
    let [long, waiting] = accepted;
    if let Some(disk) = &disk {
        filled_by_others(&user, disk, &process);
    }
    user.leave(&[long, waiting, last]);
    assert!(process.terminate().success());
    let log = workspace.text("log");
    assert!(!log.contains(&user.token) && !log.contains("panicked"), "{log}");
}

/// An upload that is announced by hand.
struct Announced<'a> {
    user: &'a User,
    address: SocketAddr,
    id: String,
}

impl<'a> Announced<'a> {
    /// Announces the file, whose digest is known because the server has had it before.
    fn new(user: &'a User, process: &Process, file: &[u8]) -> Self {
        let sent = user.upload(file).unwrap();
        user.client.remove_ciphertext(&sent.sha256).unwrap();
        Self::again(user, process, &sent.sha256, file.len())
    }

    fn again(user: &'a User, process: &Process, sha256: &str, length: usize) -> Self {
        let address = address(process);
        let body = format!(r#"{{"kind":"ciphertext","length":{length},"sha256":"{sha256}"}}"#);
        let (status, body) = send(address, ("POST /v1/uploads", &user.token), "", body);
        assert_eq!(status, 201, "{body}");
        let upload: serde_json::Value = serde_json::from_str(&body).unwrap();
        Self { user, address, id: upload["id"].as_str().unwrap().to_owned() }
    }

    /// Begins to send a part from the start on.
    fn begin(&self, length: usize) -> TcpStream {
        let (id, token) = (&self.id, &self.user.token);
        let head = format!(
            "PATCH /v1/uploads/{id} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\n\
             upload-offset: 0\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
        );
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }
}

/// Another program fills the disk while a part arrives. Checks that the server says so, and continues when there is room.
fn filled_by_others(user: &User, disk: &SmallDisk, process: &Process) {
    let file = user.ballast(4 << 20);
    let upload = Announced::new(user, process, &file);
    let on_disk = disk.0.join("files").join(&upload.id);
    let half = file.len() / 2;
    let mut stream = upload.begin(file.len());
    stream.write_all(&file[..half]).unwrap();
    wait_until("half is there", || on_disk.metadata().unwrap().len() >= half as u64);
    let other = disk.fill();
    // The server may answer before all is sent.
    let _ = stream.write_all(&file[half..]);
    let (status, body) = answer(&mut stream);
    assert_eq!(status, 507, "{body}");
    // The server still answers requests that need no room.
    assert_eq!(user.client.tables().unwrap().len(), 2);
    assert!(!user.client.jobs().unwrap().is_empty());
    let refused = user.upload(&user.ballast(1000)).unwrap_err();
    assert!(refused.to_string().contains("no room"), "{refused}");
    std::fs::remove_file(other).unwrap();
    let sent = user.upload(&file).unwrap();
    user.client.remove_ciphertext(&sent.sha256).unwrap();
}

#[test]
fn what_could_not_be_written_has_not_arrived() {
    const KIBIBYTES: u32 = 1024;
    let workspace = Workspace::new();
    offer_tables(&workspace);
    let process = Process::start(&workspace);
    let user = User::new(&workspace, &process, "one");
    let file = user.ballast(3 << 20);
    let sha256 = user.upload(&file).unwrap().sha256;
    user.client.remove_ciphertext(&sha256).unwrap();
    drop(process);
    let process = Process::start_with_small_files(&workspace, KIBIBYTES);
    let upload = Announced::again(&user, &process, &sha256, file.len());
    let mut stream = upload.begin(file.len());
    let _ = stream.write_all(&file);
    assert!([0, 500].contains(&answer(&mut stream).0));
    let again = format!("PATCH /v1/uploads/{}", upload.id);
    let offset = || {
        let place = (again.as_str(), user.token.as_str());
        let wrong = format!("upload-offset: {}\r\n", file.len() + 1);
        let (_, body) = send(upload.address, place, &wrong, "");
        serde_json::from_str::<serde_json::Value>(&body).unwrap()["offset"].as_u64()
    };
    wait_until("the part has ended", || offset().is_some());
    let offset = offset().unwrap();
    assert!(offset <= u64::from(KIBIBYTES) << 10, "{offset} bytes are said to be there");
    drop(process);
    let process = Process::start(&workspace);
    let user = user.at(&process);
    assert_eq!(user.upload(&file).unwrap().bytes, file.len() as u64);
    assert!(process.terminate().success());
}

/// Actions of users when the server is killed.
const DOINGS: [&str; 5] = ["nothing", "uploads", "waits", "downloads", "removals"];

/// Current action of a user, which the killer reads.
struct Doing<'a>(&'a AtomicUsize);

impl Doing<'_> {
    fn now<T>(&self, what: &str, call: impl FnOnce() -> T) -> T {
        let place = DOINGS.iter().position(|doing| *doing == what).unwrap();
        self.0.store(place, Ordering::Relaxed);
        let result = call();
        self.0.store(0, Ordering::Relaxed);
        result
    }
}

/// Orders jobs until `done` is set. Removes some at once, and some after fetching their results; returns the others.
fn order_jobs(user: &User, doing: &Doing<'_>, done: &AtomicBool, rng: &mut StdRng) -> Vec<Ordered> {
    let mut kept = Vec::new();
    repeat(done, || {
        let (values, file) = user.draw(rng);
        let mut ordered = doing.now("uploads", || {
            let sent = user.upload(&file).unwrap();
            user.order(&sent, values)
        });
        let choice = rng.random_range(0..4);
        if choice > 0 {
            doing.now("waits", || user.wait(&mut ordered));
            doing.now("downloads", || user.fetch(&mut ordered));
        }
        if choice < 2 {
            doing.now("removals", || {
                user.client.remove_job(&ordered.job.id).unwrap();
                user.client.remove_ciphertext(&ordered.job.order.ciphertext).unwrap();
            });
        } else {
            kept.push(ordered);
        }
    });
    // Some are not waited for before the end.
    for _ in 0..10 {
        let (values, file) = user.draw(rng);
        let sent = user.upload(&file).unwrap();
        kept.push(user.order(&sent, values));
    }
    kept
}

/// Sends and removes files of many parts, and reads a long result.
fn send_and_fetch(user: &User, doing: &Doing<'_>, done: &AtomicBool) -> Vec<Ordered> {
    let values = vec![3; 600];
    let sent = user.upload(&user.encrypt(&values, 100)).unwrap();
    let mut long = user.order(&sent, values);
    repeat(done, || {
        let file = user.ballast(1 << 20);
        let sent = doing.now("uploads", || user.upload(&file).unwrap());
        doing.now("waits", || user.wait(&mut long));
        doing.now("downloads", || (0..10).for_each(|_| user.fetch(&mut long)));
        doing.now("removals", || user.client.remove_ciphertext(&sent.sha256).unwrap());
    });
    vec![long]
}

/// Kills a server at random moments of its users' actions, and starts it again; counts the interrupted actions.
fn kill_often(
    mut process: Process,
    workspace: &Workspace,
    kills: usize,
    rng: &mut StdRng,
    doings: &[AtomicUsize],
) -> (Process, [usize; DOINGS.len()]) {
    let mut found = [0; DOINGS.len()];
    for kill in 0..kills {
        std::thread::sleep(Duration::from_millis(rng.random_range(0..400)));
        let wanted = 1 + kill % (DOINGS.len() - 1);
        let is_done = || doings.iter().any(|doing| doing.load(Ordering::Relaxed) == wanted);
        let start = Instant::now();
        while !is_done() && start.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_micros(50));
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(0..1000)));
        doings.iter().for_each(|doing| found[doing.load(Ordering::Relaxed)] += 1);
        process = process.restart(workspace);
    }
    (process, found)
}

fn killed(kills: usize) {
    const USERS: usize = 4;
    let seed = seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let workspace = Workspace::new();
    offer_tables(&workspace);
    let process = Process::start_with(&workspace, "--silence 5 --client-queue 1000");
    let users: Vec<User> = (0..USERS)
        .map(|index| User::new(&workspace, &process, &format!("user-{index}")).in_parts_of(1 << 15))
        .collect();
    let (done, doings) = (AtomicBool::new(false), [const { AtomicUsize::new(0) }; USERS]);
    let start = Instant::now();
    let ((process, found), mut ordered): (_, Vec<Vec<Ordered>>) = std::thread::scope(|scope| {
        let threads: Vec<_> = users
            .iter()
            .zip(&doings)
            .enumerate()
            .map(|(index, (user, doing))| {
                let (doing, done) = (Doing(doing), &done);
                let mut rng = StdRng::seed_from_u64(seed.wrapping_add(1 + index as u64));
                scope.spawn(move || match index {
                    0 => send_and_fetch(user, &doing, done),
                    _ => order_jobs(user, &doing, done, &mut rng),
                })
            })
            .collect();
        let killed = kill_often(process, &workspace, kills, &mut rng, &doings);
        done.store(true, Ordering::Relaxed);
        (killed, threads.into_iter().map(|thread| thread.join().unwrap()).collect())
    });
    let elapsed = start.elapsed();
    for (user, ordered) in users.iter().zip(&mut ordered) {
        for job in ordered.iter_mut() {
            user.wait(job);
            user.fetch(job);
        }
        assert!(!ordered.is_empty());
        user.leave(ordered);
    }
    let jobs: usize = ordered.iter().map(Vec::len).sum();
    // The number of each depends on the machine.
    assert!(kills < MANY || found[1..].iter().all(|&count| count > 0), "{found:?}");
    println!("{kills} kills in {elapsed:?}, {jobs} jobs kept; killed in {DOINGS:?}: {found:?}");
    end(&workspace, process, &users);
}

#[test]
fn killed_ten_times_a_server_loses_and_repeats_nothing() {
    killed(FEW);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn killed_fifty_times_a_server_loses_and_repeats_nothing() {
    killed(MANY);
}
