//! Finds the ten largest values of an encrypted column, and sorts it, without the client.
//!
//! `cargo run --release -p cryptable --example largest_values` runs on a toy ring of 64 places, without security.
//! `... --example largest_values -- full-size` finds the ten largest of 65,536 integers of 16 bits at 128 bits of security, in one
//! or two minutes and with 5 GB of memory; `... -- full-size sort` sorts 256 of them. Every value is checked.

use std::time::Instant;

use cryptable::engines::packed::{self, SecretKey};
use cryptable::integers::{
    ColumnKind, DryRun, Evaluator, decrypt, decrypt_booleans, encrypt, insecure_packed_toy,
    packed_parameters_for,
};
use cryptable::{Progress, Request, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Integers that are searched for.
const LARGEST: u64 = 10;

/// Integers that are sorted at full size.
const SORTED: usize = 256;

fn has(option: &str) -> bool {
    std::env::args().any(|argument| argument == option)
}

fn parameters() -> Result<packed::Parameters> {
    match (has("full-size"), has("sort")) {
        (false, _) => insecure_packed_toy(3, 64),
        (true, false) => {
            let plan = Request::integers(ColumnKind::of::<u16>()).digit_bits(4).plan()?;
            Ok(plan.parameters().packed()?.clone())
        }
        (true, true) => {
            // Tables of six bits whose outputs may differ by up to 31 allow sorting in digits of four bits.
            let request = packed::Request {
                count: Some(SORTED),
                output_range: Some(31),
                ..packed::Request::new(4, 4)
            };
            packed_parameters_for(3, &request)
        }
    }
}

/// Runs the example.
pub fn main() -> Result<()> {
    let parameters = parameters()?;
    println!("{parameters}");
    let places = parameters.literal().slots;
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent())?;
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let values: Vec<u16> = (0..places).map(|_| rng.random()).collect();
    let column = encrypt(&secret, &values)?;
    let mut sorted = values.clone();
    sorted.sort_unstable();

    // Count the lookups before anything is computed.
    let dry_run = DryRun::new(&parameters, places);
    let (planned, server) = (Evaluator::new(&dry_run)?, Evaluator::new(&key)?);
    let fresh = dry_run.fresh::<u16>(&planned);
    if has("sort") {
        let results = planned.sort(&fresh)?;
        let failures = dry_run.failure_probability(results.ciphertexts())?;
        println!("{} lookups; any wrong: {failures}", dry_run.lookups().len());
        let start = Instant::now();
        let found = server.sort(&column)?;
        println!("sort of {places}: {:.1} s", start.elapsed().as_secs_f64());
        assert_eq!(decrypt(&secret, &found)?, sorted);
        return Ok(());
    }
    let (_, results) = planned.largest(&fresh, LARGEST)?;
    let failures = dry_run.failure_probability(results.ciphertexts())?;
    println!("{} lookups; any wrong: {failures}", dry_run.lookups().len());
    let start = Instant::now();
    let (selected, least) = server.largest(&column, LARGEST)?;
    println!("{LARGEST} largest of {places}: {:.1} s", start.elapsed().as_secs_f64());

    // The client.
    let expected = sorted[places - LARGEST as usize];
    assert_eq!(decrypt(&secret, &least)?, vec![expected; places]);
    let selected = decrypt_booleans(&secret, &selected)?;
    assert!(values.iter().zip(&selected).all(|(&value, &is)| is == (value >= expected)));
    println!("all {places} rows right, from {expected} on");
    Ok(())
}
