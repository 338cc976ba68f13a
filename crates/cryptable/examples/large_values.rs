//! Computes sign, comparison, absolute value, ReLU, maximum and digits of encrypted 20-bit integers, and sums,
//! selection and tables of radix integers. Takes about ten seconds on two cores.
//!
//! ```text
//! cargo run --release -p cryptable --example large_values
//! ```

use cryptable::large_values::Parameters;
use cryptable::large_values::{EvaluationKey, SecretKey};
use cryptable::{Progress, Result, Table};

/// Computes functions of whole integers, each by digit decomposition.
fn whole_integers(secret: &SecretKey, key: &EvaluationKey) -> Result<()> {
    let silent = Progress::silent();
    let (x, y) = (secret.encrypt(&[-123_456, 98_765])?, secret.encrypt(&[98_765, 98_764])?);
    println!("negative         {:?}", secret.decrypt_small(&key.sign(&x, silent)?)?);
    println!("less than        {:?}", secret.decrypt_small(&key.less_than(&x, &y, silent)?)?);
    println!("absolute value   {:?}", secret.decrypt(&key.absolute(&x, silent)?)?);
    println!("max(x, 0)        {:?}", secret.decrypt(&key.relu(&x, silent)?)?);
    let maximum = secret.decrypt(&key.maximum(&x, &y, silent)?)?;
    println!("maximum          {maximum:?}");
    assert_eq!(maximum, [98_765, 98_765]);
    Ok(())
}

/// Computes on integers in digits of base 8, on which operations can follow each other without limit.
fn radix_integers(secret: &SecretKey, key: &EvaluationKey) -> Result<()> {
    let (x, y) = (secret.encrypt_radix(100_000, 6)?, secret.encrypt_radix(54_321, 6)?);
    let sum = key.radix_add(&x, &y)?;
    println!("sum              {}", secret.decrypt_radix(&sum)?);
    let is_less = key.radix_less_than(&x, &y)?;
    let less = key.radix_select(&is_less, &x, &y)?;
    println!("minimum          {}", secret.decrypt_radix(&less)?);
    assert_eq!(secret.decrypt_radix(&less)?, 54_321);
    // Any table of two digits can be looked up.
    let square_root = Table::from_fn(64, 8, |x| x.isqrt())?;
    let root = key.radix_lookup(&secret.encrypt_radix(50, 2)?, &square_root)?;
    println!("square root      {:?}", secret.decrypt_small(&root)?);
    assert_eq!(secret.decrypt_small(&root)?, [7]);
    Ok(())
}

fn main() -> Result<()> {
    let parameters = Parameters::new(20)?;
    println!(
        "{:.0} bits of security, a function fails with probability 2^{:.0}",
        parameters.security_bits(),
        parameters.log2_fail()
    );
    let secret = cryptable::SecretKey::generate(&parameters);
    let key = secret.evaluation_key();
    let (secret, key) = (secret.large_values()?, key.large_values()?);
    whole_integers(secret, key)?;
    // Convert an encrypted integer to radix digits.
    let digits = key.to_radix(&secret.encrypt(&[0o123_456])?, Progress::silent())?;
    println!("digits           {:o}", secret.decrypt_radix(&digits[0])?);
    assert_eq!(secret.decrypt_radix(&digits[0])?, 0o123_456);
    radix_integers(secret, key)
}
