//! Computes taxes of encrypted incomes: a threshold and a table of brackets, on integers of 32 bits in digits of three.
//!
//! `cargo run --release -p cryptable --example income_tax` uses a toy ring without security, for 1,024 incomes. `...
//! --example income_tax -- full-size` uses 128 bits of security, for 65,536 incomes; it takes minutes and 5 GB of
//! memory. Every value is checked.

use std::time::Instant;

use cryptable::engines::packed::{Parameters, SecretKey};
use cryptable::integers::{
    ColumnKind, DryRun, Evaluator, Piece, decrypt, decrypt_booleans, encrypt,
};
use cryptable::{Progress, Request, Result};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Annual income from which a declaration is required.
const THRESHOLD: u32 = 60_000;

/// Brackets: the income at which each one begins, and its tax in percent.
const BRACKETS: [(u32, i64); 5] = [(0, 0), (12_000, 14), (30_000, 30), (80_000, 42), (280_000, 45)];

/// Bits per digit.
const DIGIT_BITS: u32 = 3;

fn parameters() -> Result<Parameters> {
    let request = Request::integers(ColumnKind::of::<u32>()).digit_bits(DIGIT_BITS);
    let is_full_size = std::env::args().any(|argument| argument == "full-size");
    let request = if is_full_size { request } else { request.insecure_toy() };
    request.plan()?.parameters().packed().cloned()
}

/// Returns incomes around all brackets, small and large ones, and the largest possible.
fn incomes(count: usize) -> Vec<u32> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    (0..count)
        .map(|i| match i % 4 {
            0 => BRACKETS[i / 4 % 5].0.saturating_add(i as u32 / 20 % 3).saturating_sub(1),
            1 => rng.random_range(0..100_000),
            2 => rng.random_range(0..1_000_000),
            _ => u32::MAX - rng.random::<u32>() % (i as u32 + 1),
        })
        .collect()
}

/// Returns the tax in hundredths of a unit.
fn tax(income: u32) -> u64 {
    let ends = BRACKETS[1..].iter().map(|bracket| bracket.0).chain([u32::MAX]);
    let part = |((start, percent), end): ((u32, i64), u32)| {
        u64::from(income.min(end).saturating_sub(start)) * percent as u64
    };
    BRACKETS.into_iter().zip(ends).map(part).sum()
}

/// Runs the example.
pub fn main() -> Result<()> {
    let parameters = parameters()?;
    println!("{parameters}");
    let incomes = incomes(parameters.literal().slots);
    let pieces = Piece::continuous(&BRACKETS);

    // Count the lookups before anything is computed.
    let dry_run = DryRun::new(&parameters, incomes.len());
    let planned = Evaluator::new(&dry_run)?;
    let taxes = planned.piecewise_linear::<u32, u64>(&dry_run.fresh(&planned), &pieces)?;
    let (lookups, tables) = (dry_run.lookups().len(), dry_run.lookups().iter().sum::<usize>());
    println!(
        "taxes: {lookups} lookups of {tables} tables; any wrong: {}",
        dry_run.failure_probability(taxes.ciphertexts())?
    );

    // The client.
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent())?;
    let encrypted = encrypt(&secret, &incomes)?;

    // The server.
    let server = Evaluator::new(&key)?;
    let start = Instant::now();
    let below = server.lt_constants(&encrypted, &[THRESHOLD])?.swap_remove(0);
    println!("threshold: {:.1} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let taxes = server.piecewise_linear::<u32, u64>(&encrypted, &pieces)?;
    println!("taxes: {:.1} s", start.elapsed().as_secs_f64());

    // The client again.
    let below = decrypt_booleans(&secret, &below)?;
    let taxes = decrypt(&secret, &taxes)?;
    for ((&income, is_below), found) in incomes.iter().zip(below).zip(taxes) {
        assert_eq!(is_below, income < THRESHOLD, "{income}");
        assert_eq!(found, tax(income), "{income}");
    }
    println!("{} incomes, all taxes right", incomes.len());
    Ok(())
}
