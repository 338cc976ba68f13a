//! Computes an exact activation function on encrypted floats: GELU of all 65,536 bfloat16 numbers at once.
//!
//! `cargo run --release -p cryptable --example bfloat16_gelu`

use std::ops::ControlFlow;
use std::time::Instant;

use cryptable::bfloat16::{gelu, table};
use cryptable::{Engine, Execution, Request, SecretKey};
use half::bf16;
use rand::seq::SliceRandom;

/// Number of results that are printed.
const SAMPLE: usize = 10;

fn main() -> cryptable::Result<()> {
    let table = table(gelu)?;
    let plan = Request::for_table(&table).engine(Engine::Packed).plan()?;
    println!("{plan}");

    // The client encrypts every bit pattern once, in random order.
    let secret = SecretKey::generate(plan.best());
    let keys = |done, total| report("keys", done, total);
    let evaluation_key = secret.evaluation_key_with(Execution::default().progress(&keys))?;
    let mut patterns: Vec<u64> = (0..=u64::from(u16::MAX)).collect();
    patterns.shuffle(&mut rand::rng());
    let input = secret.encrypt(&patterns)?;

    // The server holds only the evaluation key.
    let start = Instant::now();
    let prepared = evaluation_key.prepare(&table)?;
    let gelu_of = |done, total| report("GELU", done, total);
    let output =
        evaluation_key.lookup_with(&input, &prepared, Execution::default().progress(&gelu_of))?;
    let seconds = start.elapsed().as_secs_f64();

    // The client decrypts and compares bit by bit.
    let results = secret.decrypt(&output)?;
    let expected = patterns.iter().map(|&pattern| table.values()[pattern as usize]);
    let wrong = results.iter().zip(expected).filter(|(found, right)| **found != *right).count();
    println!("{:>12} {:>14} {:>14}", "x", "GELU(x)", "in doubles");
    for (&pattern, &result) in patterns.iter().zip(&results).take(SAMPLE) {
        let (x, y) = (bf16::from_bits(pattern as u16), bf16::from_bits(result as u16));
        println!("{:>12.5e} {:>14.5e} {:>14.5e}", x.to_f64(), y.to_f64(), gelu(x.to_f64()));
    }
    let milliseconds = seconds * 1e3 / patterns.len() as f64;
    println!("{seconds:.1} s, {milliseconds:.3} ms a number; {wrong} of {} wrong", results.len());
    assert_eq!(wrong, 0, "a result differs from the table");
    Ok(())
}

/// Shows progress on standard error.
fn report(name: &str, done: usize, total: usize) -> ControlFlow<()> {
    eprint!("\r{name} {done}/{total} ");
    if done == total {
        eprintln!();
    }
    ControlFlow::Continue(())
}
