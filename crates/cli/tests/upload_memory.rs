//! What checking an upload takes of the server's memory: a stated multiple of the file, also of one that nobody encrypted.
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

/// What a ciphertext takes beside twice its bytes, and what the server's threads may take meanwhile.
const BESIDE: u64 = (16 + 8) << 20;

/// The most memory that a process has held.
fn peak(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() << 10
}

#[test]
fn uploads_take_a_stated_multiple_of_memory() {
    let workspace = Workspace::new();
    let process = Process::start(&workspace);
    let token = workspace.succeed("serve client add --folder service --name one");
    let client = Client::new(&process.url, token.trim());
    let upload = |file: &[u8]| {
        let mut silent = |_| ControlFlow::Continue(());
        client.upload(Kind::Ciphertext, &mut Cursor::new(file), &mut silent).unwrap()
    };
    // Threads and buffers are there from the first on.
    upload(&file_of(&single_values(1, DIMENSION, false)));
    let before = peak(&process);
    let file = file_of(&single_values(VALUES, DIMENSION, false));
    assert_eq!(upload(&file).bytes, file.len() as u64);
    let taken = peak(&process) - before;
    // Words of six bits take ten times as much if they are unpacked.
    assert!(taken < 2 * file.len() as u64 + BESIDE, "{taken} bytes of {}", file.len());
    assert!(process.terminate().success());
}
