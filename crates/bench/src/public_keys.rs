//! `bench public-keys`: encryption with the public keys of each engine.

use clap::Args;
use cryptable::{Engine, Parameters, Request, SecretKey};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::contract::{Contract, print_line};
use crate::measurement::{Checked, Runs, median, timed, try_timed};

/// Engines, and the moduli and numbers of values that are measured.
const CASES: [(Engine, u64, usize); 3] =
    [(Engine::Packed, 256, 65_536), (Engine::Single, 16, 1_000), (Engine::Leveled, 256, 1_000)];

/// Arguments of `bench public-keys`.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  cryptable --threads 1 --json bench public-keys")]
pub struct PublicKeysArguments {
    /// Encryptions to take the median of.
    #[arg(long, default_value_t = 15)]
    runs: usize,
    /// Seed of the random values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// INSECURE parameters of small rings, for tests.
    #[arg(long, hide = true)]
    insecure_toy: bool,
}

/// Runs the benchmark. In a line, `eval_s` is the time to encrypt all values with the public key, and `encrypt_s` with the
/// secret key. `eval_key_bytes` is the size of the public key; `input_bytes` and `output_bytes` are the sizes of ciphertexts
/// from the secret and the public key.
pub fn run(arguments: &PublicKeysArguments, json: bool) -> anyhow::Result<()> {
    for (engine, modulus, count) in CASES {
        print_line(&measure(arguments, engine, modulus, count)?, json)?;
    }
    Ok(())
}

fn measure(
    arguments: &PublicKeysArguments,
    engine: Engine,
    modulus: u64,
    count: usize,
) -> anyhow::Result<Contract> {
    let parameters = if arguments.insecure_toy {
        Parameters::insecure_toy(engine, modulus, modulus)?
    } else {
        let request = Request::new(modulus, modulus).engine(engine).values(count as u64);
        request.plan()?.best().parameters().clone()
    };
    let secret = SecretKey::generate(parameters.clone());
    let (public, keygen_s) = try_timed(|| secret.public_key())?;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> = (0..count).map(|_| rng.random_range(0..modulus)).collect();
    let (mut runs, mut own) = (Runs::start(), Vec::new());
    let (mut checked, mut bytes) = (Checked::default(), [0; 2]);
    for _ in 0..arguments.runs.max(1) {
        let (by_secret, time) = timed(|| secret.encrypt(&values));
        own.push(time);
        let (by_secret, by_public) = (by_secret?, runs.time(|| public.encrypt(&values))?);
        bytes = [by_secret.to_bytes().len(), by_public.to_bytes().len()];
        checked.compare(&secret.decrypt(&by_public)?, &values);
    }
    let mut line = Contract {
        method: format!("encryption by a public key, {engine} values"),
        bits_in: (modulus as f64).log2(),
        bits_out: (modulus as f64).log2(),
        modulus_in: modulus,
        ring_degree: parameters.ring_degree(),
        keygen_s,
        encrypt_s: median(&own),
        eval_key_bytes: public.to_bytes().len(),
        input_bytes: bytes[0],
        output_bytes: bytes[1],
        values_checked: checked.values,
        wrong: checked.wrong,
        log2_fail: parameters.log2_fail(),
        security_bits: parameters.security_bits(),
        table: "identity".into(),
        ..Contract::here()
    };
    runs.enter(&mut line, count, 0.0);
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::parsed;

    #[test]
    fn toys_of_every_engine_are_measured() {
        let arguments = parsed("--runs 1 --insecure-toy");
        for (engine, modulus, count) in CASES {
            let line = measure(&arguments, engine, modulus.min(16), count.min(100)).unwrap();
            assert_eq!((line.wrong, line.values_checked), (0, count.min(100)), "{}", line.method);
            assert!(line.output_bytes > line.input_bytes, "{}", line.method);
        }
    }
}
