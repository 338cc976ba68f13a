//! Computes mean and variance of an encrypted vector, and the logistic function of each of its numbers, with a
//! bootstrap on the way. Takes some seconds and 4 GB at 128 bits of security, or no time on a toy ring.
//!
//! ```text
//! cargo run --release -p cryptable --example encrypted_statistics [-- --toy]
//! ```

use cryptable::ckks::{KeySet, Parameters, Polynomial};
use cryptable::{Progress, Result, SecretKey};

fn main() -> Result<()> {
    let is_toy = std::env::args().any(|argument| argument == "--toy");
    let parameters = if is_toy {
        Parameters::insecure_toy_bootstrapping()?
    } else {
        Parameters::bootstrapping_128()?
    };
    let slots = parameters.slots();
    println!(
        "{slots} slots, {} levels, {:.0} bits",
        parameters.levels(),
        parameters.security_bits()
    );
    let secret = SecretKey::generate(&parameters);
    let secret = secret.ckks()?;
    let keys = KeySet::new().rotations_by_powers_of_two(slots).bootstrapping();
    // Ciphertexts without enough levels are bootstrapped automatically.
    let server =
        secret.evaluation_key_for(&keys, Progress::silent())?.bootstrapping_automatically(true);

    let values: Vec<f64> = (0..slots).map(|j| (j as f64 * 0.37).sin()).collect();
    let x = secret.encrypt_reals(&values)?;

    // The server computes sums over all slots, then multiplies by constants.
    let share = (1.0 / slots as f64).into();
    let mean = server.mul_constant(&server.inner_sum(&x, slots)?, share)?;
    let squares = server.mul(&x, &x)?;
    let mean_square = server.mul_constant(&server.inner_sum(&squares, slots)?, share)?;
    let variance = server.sub(&mean_square, &server.mul(&mean, &mean)?)?;
    let logistic = |x: f64| 1.0 / (1.0 + (-4.0 * x).exp());
    let series = Polynomial::interpolate(logistic, 1.0, 31)?;
    let y = server.polynomial(&server.polynomial(&x, &series)?, &series)?;

    let count = slots as f64;
    let true_mean = values.iter().sum::<f64>() / count;
    let true_variance = values.iter().map(|x| x * x).sum::<f64>() / count - true_mean * true_mean;
    let found = [&mean, &variance].map(|ct| secret.decrypt_reals(ct).map(|slots| slots[0]));
    let [found_mean, found_variance] = found;
    println!("mean {:.6}, in the clear {true_mean:.6}", found_mean?);
    println!("variance {:.6}, in the clear {true_variance:.6}", found_variance?);
    let found = secret.decrypt_reals(&y)?;
    let off = found.iter().zip(&values).map(|(y, &x)| (y - logistic(logistic(x))).abs());
    println!(
        "logistic function twice: off by {:.1e} at most, {} levels left",
        off.fold(0.0, f64::max),
        y.level()
    );
    Ok(())
}
