//! A logistic function of encrypted numbers, with 128-bit parameters and two bootstraps per number.
//!
//! `cargo run --release -p cryptable-fhew --example continuous_function`

use cryptable_fhew::integers::{Parameters, RealFunction, SecretKey};
use cryptable_lattice::{Progress, Result};

fn main() -> Result<()> {
    let parameters = Parameters::new(16)?;
    // The client:
    let secret = SecretKey::generate(&parameters);
    let key = secret.evaluation_key(Progress::silent())?;
    let numbers: Vec<f64> = (-8..=8).map(|i| f64::from(i) / 10.0).collect();
    let encrypted = secret.encrypt_reals(&numbers)?;

    // The server, which holds only the evaluation key:
    let logistic = |v: f64| 0.9 / (1.0 + (-6.0 * v).exp());
    let function = RealFunction { function: &logistic, lipschitz: 1.35 };
    let results = key.continuous(&encrypted, &function, Progress::silent())?;

    // The client again:
    let noise =
        parameters.continuous_noise(function.lipschitz, parameters.fresh_integer_noise())?;
    // The noise is a fraction of the length of [-1, 1), which is 2.
    let deviation = 2.0 * noise.deviation();
    println!("standard deviation at most {deviation:.5}");
    for (number, found) in numbers.iter().zip(secret.decrypt_reals(&results)?) {
        let exact = logistic(*number);
        println!("{number:5.1}: {found:.4}, exactly {exact:.4}");
        assert!((found - exact).abs() < 8.0 * deviation, "{number}: {found}");
    }
    Ok(())
}
