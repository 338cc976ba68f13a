//! Planning works on shapes, never on keys, matrices or tables: it takes little memory, whatever it plans.
#![cfg(target_os = "linux")]

use std::fs;

use cryptable::{CostModel, Request};

/// Plans take some 15 MB; all matrices of a bootstrap would be gigabytes.
const LIMIT_KB: u64 = 200_000;

#[test]
fn plans_of_all_engines_take_little_memory() {
    for bits in [4, 6, 16, 20] {
        let request = Request::new(1 << bits, 1 << bits).cost_model(CostModel::default());
        request.plan().unwrap();
    }
    // No other test is in this process.
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    assert!(peak < LIMIT_KB, "{peak} kB");
}
