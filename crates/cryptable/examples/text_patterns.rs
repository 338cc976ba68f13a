//! Counts a pattern in an encrypted text, and increments an encrypted register ten thousand times. Takes some ten seconds
//! on two cores.
//!
//! ```text
//! cargo run --release -p cryptable --example text_patterns
//! ```

use std::time::Instant;

use cryptable::engines::leveled::Automaton;
use cryptable::{Execution, Progress, Request, Result, SecretKey, Table};

/// Counts where the server's pattern occurs in the client's text.
fn patterns() -> Result<()> {
    let bytes = |text: &str| text.bytes().map(u64::from).collect::<Vec<_>>();
    let text = bytes("the rain in spain stays mainly in the plain");
    let plan = Request::new(256, 64).word_length(text.len()).plan()?;
    println!("{}", plan.best().parameters());
    let secret = SecretKey::generate(plan.best());
    let server = secret.evaluation_key();
    let encrypted = secret.encrypt(&text)?;

    // The server knows the pattern, and learns neither the text nor the count.
    let automaton = Automaton::occurrences(&bytes("ain"), 256)?;
    let counts = Table::from_fn(64, 64, |count| count)?;
    let start = Instant::now();
    let execution = Execution::default();
    let found = server.run_automaton(&automaton, &encrypted, text.len(), &counts, execution)?;
    println!("{} bytes read in {:.1} s", text.len(), start.elapsed().as_secs_f64());

    let found = secret.decrypt(&found)?;
    println!("\"ain\" occurs {} times", found[0]);
    assert_eq!(found, [4]);
    Ok(())
}

/// Increments a register by encrypted bits, all of which are chosen again and again, and reads whether it is odd.
fn increments() -> Result<()> {
    let plan = Request::new(2, 2).method("cmux-depth-20200").plan()?;
    let secret = SecretKey::generate(plan.best());
    let server = secret.evaluation_key();
    let (secret, server) = (secret.leveled()?, server.leveled()?);
    let values: Vec<u64> = (0..32).map(|i| i * i % 3 % 2).collect();
    let bits = server.selectors(&[&secret.encrypt(&values)?], Progress::silent())?;
    let mut register = server.cyclic_register(&Table::from_fn(2, 2, |count| count)?)?;
    let steps: Vec<_> = (0..10_000).map(|step| (step % 32, step as u64 / 32 % 3)).collect();
    let expected: u64 = steps.iter().map(|&(bit, number)| values[bit] * number).sum();
    let start = Instant::now();
    server.add_all(&mut register, &bits, &steps, Progress::silent())?;
    let each = start.elapsed().as_secs_f64() / steps.len() as f64;
    println!("{} increments, {:.0} microseconds each", steps.len(), each * 1e6);
    assert_eq!(secret.decrypt(&server.read(&register)?)?, [expected % 2]);
    Ok(())
}

fn main() -> Result<()> {
    patterns()?;
    increments()
}
