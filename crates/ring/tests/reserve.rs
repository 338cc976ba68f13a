//! Checks that a process with a memory limit notices refused small allocations, and continues.
#![cfg(target_os = "linux")]

use std::env;
use std::process::Command;

use cryptable_ring::{WithReserve, keep_reserve, refused_allocation};

#[global_allocator]
static ALLOCATOR: WithReserve = WithReserve;

const RESERVE: usize = 32 << 20;

/// The environment variable that is set in the process with the limit.
const LIMITED: &str = "CRYPTABLE_TEST_LIMITED";

#[test]
#[ignore = "it is the process that the other test starts"]
fn process_with_a_limit() {
    if env::var_os(LIMITED).is_none() {
        return;
    }
    keep_reserve(RESERVE);
    let mut blocks = Vec::new();
    while refused_allocation().is_none() {
        blocks.push(vec![1_u8; 100_000]);
    }
    // Allocations of the kind that work makes until its next step.
    let more: Vec<Vec<u8>> = (0..100).map(|_| vec![1; 100_000]).collect();
    println!("refused after {} blocks, {} more", blocks.len(), more.len());
    drop((blocks, more));
    keep_reserve(RESERVE);
    assert_eq!(refused_allocation(), None, "the next piece of work has a reserve again");
}

#[test]
fn small_allocations_that_are_refused_do_not_end_the_process() {
    let program = env::current_exe().unwrap();
    let script = "ulimit -v 500000; exec \"$0\" --exact process_with_a_limit --ignored --nocapture";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(program).env(LIMITED, "1");
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("100 more"), "{output:?}");
}
