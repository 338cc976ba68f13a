//! Tests that planning needs little memory, whatever it plans, since it works on shapes, never on keys, matrices or
//! tables.
#![cfg(target_os = "linux")]

use std::fs;

use cryptable::{CostModel, Request};

/// Limit on memory. Plans need some 15 MB, but all matrices of a bootstrap would need gigabytes.
const LIMIT_KB: u64 = 200_000;

#[test]
fn plans_of_all_engines_take_little_memory() {
    for bits in [4, 6, 16, 20] {
        let request = Request::new(1 << bits, 1 << bits).cost_model(CostModel::default());
        request.plan().unwrap();
    }
    // No other test runs in this process.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    assert!(peak < LIMIT_KB, "{peak} kB");
}
