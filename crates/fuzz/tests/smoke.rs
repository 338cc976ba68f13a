//! Runs a few seconds of fuzzing without coverage: all readers accept the seeds, and survive their mutations.

use cryptable_fuzz::mutation::mutated;
use cryptable_fuzz::targets::TARGETS;

/// Number of mutations per seed.
const MUTATIONS: u64 = 60;

#[test]
fn seeds_are_accepted_and_their_mutations_do_no_harm() {
    for target in TARGETS {
        for (index, seed) in (target.seeds)().iter().enumerate() {
            assert!(target.run(seed), "{}: seed {index}", target.name);
            for mutation in 0..MUTATIONS {
                let _ = target.run(&mutated(seed, mutation));
            }
        }
    }
}
