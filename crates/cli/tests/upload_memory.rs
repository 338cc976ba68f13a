//! Memory of a server while it checks an upload: a stated multiple of the file, even if the file is forged.
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

/// Largest number of values of one ciphertext, which then has a dozen megabytes.
const VALUES: usize = 1 << 16;
const DIMENSION: usize = 256;

/// Memory for a ciphertext in addition to twice its bytes, including that of the server's threads.
const BESIDE: u64 = (16 + 8) << 20;

/// Largest ratio of memory to file size while an evaluation key of these toys is checked: words are unpacked, and masks come
/// from a seed.
const KEY_MULTIPLE: u64 = 8;

/// Returns the peak memory of a process.
fn peak(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

/// Uploads a file to a new server, which has threads and buffers from a first upload; returns the additional memory.
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
    // Words of six bits would take ten times as much memory if they were unpacked.
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
