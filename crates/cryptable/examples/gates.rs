//! Adds two encrypted 4-bit numbers by Boolean gates, with one bootstrap per gate. Takes about a second on two cores.
//!
//! ```text
//! cargo run --release -p cryptable --example gates
//! ```

use cryptable::gates::EvaluationKey;
use cryptable::gates::{EncryptedBits, Gate, Parameters};
use cryptable::{Progress, Result, SecretKey};

/// Returns the bits of a number, lowest first.
fn bits(number: u32) -> [bool; 4] {
    [0, 1, 2, 3].map(|i| number >> i & 1 == 1)
}

/// Adds two numbers with a ripple-carry adder: five gates per bit.
fn add(key: &EvaluationKey, a: &EncryptedBits, b: &EncryptedBits) -> Result<EncryptedBits> {
    let silent = Progress::silent();
    // Gates that do not depend on carries are evaluated for all bits at once.
    let differ = key.gate(Gate::Xor, a, b, silent)?;
    let both = key.gate(Gate::And, a, b, silent)?;
    let mut carry = both.bit(0)?;
    let mut sum = vec![differ.bit(0)?];
    for i in 1..a.count() {
        let propagate = differ.bit(i)?;
        sum.push(key.gate(Gate::Xor, &propagate, &carry, silent)?);
        let passed_on = key.gate(Gate::And, &propagate, &carry, silent)?;
        carry = key.gate(Gate::Or, &both.bit(i)?, &passed_on, silent)?;
    }
    sum.push(carry);
    EncryptedBits::join(&sum.iter().collect::<Vec<_>>())
}

fn main() -> Result<()> {
    let parameters = Parameters::default_128();
    println!(
        "{:.0} bits of security, a gate fails with probability 2^{:.0}",
        parameters.security_bits(),
        parameters.log2_fail()
    );
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let (secret, key) = (secret.gates()?, key.gates()?);
    for (a, b) in [(9, 6), (13, 11)] {
        let sum = add(key, &secret.encrypt(&bits(a)), &secret.encrypt(&bits(b)))?;
        let sum: u32 = secret.decrypt(&sum)?.iter().rev().fold(0, |n, &bit| 2 * n + u32::from(bit));
        println!("{a} + {b} = {sum}");
        assert_eq!(sum, a + b);
    }
    Ok(())
}
