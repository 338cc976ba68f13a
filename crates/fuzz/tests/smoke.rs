//! A few seconds of fuzzing without coverage: mutations of seeds, of which all readers accept the originals.

use cryptable_fuzz::mutation::mutated;
use cryptable_fuzz::targets::TARGETS;

/// Mutations of each seed.
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
