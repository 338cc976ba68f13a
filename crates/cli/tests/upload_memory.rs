//! Server's memory while it checks an upload: a stated multiple of the file, also of one that nobody encrypted.
#![cfg(all(target_os = "linux", feature = "client", feature = "serve"))]

mod server;
mod support;

use std::io::Cursor;
use std::ops::ControlFlow;

use cryptable_fuzz::forged::{file_of, single_values};
use cryptable_service::Client;
use cryptable_service::messages::Kind;
use server::Process;
use support::Workspace;

/// Most values of one ciphertext, of as many words as make a dozen megabytes of it.
const VALUES: usize = 1 << 16;
const DIMENSION: usize = 256;

/// Memory of a ciphertext beside twice its bytes, and of the server's threads meanwhile.
const BESIDE: u64 = (16 + 8) << 20;

/// How many times its file an evaluation key of these toys takes at most while it is checked: words are unpacked, and masks come from
/// a seed.
const KEY_MULTIPLE: u64 = 8;

/// The most memory that a process has held.
fn peak(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

/// Uploads to a new server, which has threads and buffers from a first upload; returns how much more memory it took.
fn taken_by_upload(kind: Kind, file: &[u8]) -> u64 {
    let workspace = Workspace::new();
    let process = Process::start(&workspace);
    let token = workspace.succeed("serve client add --folder service --name one");
    let client = Client::new(&process.url, token.trim());
    let upload = |kind, file: &[u8]| {
        let mut silent = |_| ControlFlow::Continue(());
        client.upload(kind, &mut Cursor::new(file), &mut silent).unwrap()
    };
    upload(Kind::Ciphertext, &file_of(&single_values(1, DIMENSION, false)));
    let before = peak(&process);
    assert_eq!(upload(kind, file).bytes, file.len() as u64);
    let taken = peak(&process) - before;
    assert!(process.terminate().success());
    taken
}

#[test]
fn uploads_take_a_stated_multiple_of_memory() {
    let file = file_of(&single_values(VALUES, DIMENSION, false));
    let taken = taken_by_upload(Kind::Ciphertext, &file);
    // Words of six bits take ten times as much if they are unpacked.
    assert!(taken < 2 * file.len() as u64 + BESIDE, "{taken} bytes of {}", file.len());
}

#[test]
fn every_kind_of_upload_takes_a_stated_multiple_of_memory() {
    let values = "1\n".repeat(200_000);
    for engine in ["packed", "single", "leveled"] {
        let here = Workspace::with_keys(&format!("--mode {engine} --bits 2"));
        here.write("values.csv", &values);
        here.succeed("encrypt --secret client.key --input values.csv --output values.ct");
        for (kind, name, multiple) in
            [(Kind::EvaluationKey, "server.key", KEY_MULTIPLE), (Kind::Ciphertext, "values.ct", 2)]
        {
            let file = here.read(name);
            let taken = taken_by_upload(kind, &file);
            println!("{engine}, {name}: {taken} bytes of {}", file.len());
            let allowed = multiple * file.len() as u64 + BESIDE;
            assert!(taken < allowed, "{engine}, {name}: {taken} bytes of {}", file.len());
        }
    }
}
