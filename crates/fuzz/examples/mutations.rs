//! Fuzzes readers without coverage, on mutations of seeds and of accepted inputs, for machines without a build for
//! coverage. Prints a row of the table in `docs/fuzzing.md` for each reader.
//!
//! `cargo run --profile checks -p cryptable-fuzz --example mutations -- SECONDS NAME...`

use std::time::{Duration, Instant};

use cryptable_fuzz::mutation::mutated;
use cryptable_fuzz::targets::{TARGETS, Target};

/// Number of accepted inputs that are kept as starting points.
const KEPT: usize = 64;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|text| text.parse().ok()).expect("seconds");
    for name in arguments {
        let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target");
        fuzz(target, Duration::from_secs(seconds));
    }
}

fn fuzz(target: Target, time: Duration) {
    let seeds = (target.seeds)();
    let mut pool = seeds.clone();
    let (start, mut inputs, mut accepted) = (Instant::now(), 0u64, 0u64);
    while start.elapsed() < time {
        let input = mutated(&pool[inputs as usize % pool.len()], inputs);
        if target.run(&input) {
            accepted += 1;
            if pool.len() < seeds.len() + KEPT {
                pool.push(input);
            } else {
                let place = seeds.len() + accepted as usize % KEPT;
                pool[place] = input;
            }
        }
        inputs += 1;
    }
    println!("| `{}` | {inputs} | {accepted} |", target.name);
}
