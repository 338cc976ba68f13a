//! Merges two sorted encrypted columns by a bitonic network over the places of a ciphertext.
//!
//! `cargo run --release -p cryptable --example merge_sorted_columns` merges columns of 32 integers on a toy ring,
//! without security. `... --example merge_sorted_columns -- full-size` merges two columns of 32,768 integers of 16 bits
//! at 128 bits of security; it takes about ten minutes and 5 GB of memory. Every value is checked.

use std::time::Instant;

use cryptable::engines::packed::{Parameters, Request, SecretKey};
use cryptable::integers::{
    DryRun, Evaluator, decrypt, encrypt, insecure_packed_toy, packed_parameters_for,
};
use cryptable::{Progress, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Bits per digit.
const DIGIT_BITS: u32 = 3;

fn parameters() -> Result<Parameters> {
    if std::env::args().any(|argument| argument == "full-size") {
        // Tables whose outputs may differ by more allow fewer and larger digits.
        let output_range = Some((1 << (2 * DIGIT_BITS - 1)) - 1);
        return packed_parameters_for(DIGIT_BITS, &Request { output_range, ..Request::new(4, 4) });
    }
    insecure_packed_toy(DIGIT_BITS, 64)
}

/// Runs the example.
pub fn main() -> Result<()> {
    let parameters = parameters()?;
    println!("{parameters}");
    let places = parameters.literal().slots;

    // Count the lookups before anything is computed.
    let dry_run = DryRun::new(&parameters, places);
    let planned = Evaluator::new(&dry_run)?;
    let merged = planned.bitonic_merge::<u16>(&dry_run.fresh(&planned))?;
    let lookups = dry_run.lookups().len();
    let failures = dry_run.failure_probability(merged.ciphertexts())?;
    println!("{lookups} lookups; any of the results wrong: {failures}");

    // The owners of the columns sort them: the first ascending, the second descending.
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let mut column = || (0..places / 2).map(|_| rng.random()).collect::<Vec<u16>>();
    let [mut rising, mut falling] = [column(), column()];
    rising.sort_unstable();
    falling.sort_unstable_by(|a, b| b.cmp(a));
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent())?;
    let columns = [encrypt(&secret, &rising)?, encrypt(&secret, &falling)?];

    // The server.
    let server = Evaluator::new(&key)?;
    let start = Instant::now();
    let both = server.concatenate(&columns[0], &columns[1])?;
    let merged = server.bitonic_merge(&both)?;
    println!("merge: {:.1} s", start.elapsed().as_secs_f64());

    // The client.
    let mut expected = [rising, falling].concat();
    expected.sort_unstable();
    assert_eq!(decrypt(&secret, &merged)?, expected);
    println!("{} values, all in order", expected.len());
    Ok(())
}
