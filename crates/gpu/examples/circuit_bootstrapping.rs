//! Circuit bootstraps of a batch of bits, on the first card: some compared with the processor's, and the time of one as
//! a line of JSON.
//!
//! `cargo run --release -p cryptable-gpu --example circuit_bootstrapping [-- NUMBER]`

mod support;

use std::time::Instant;

use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_gpu::fhew::CircuitBootstrappingKey;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_leveled::bootstrapping::{CircuitBootstrapping, encrypt_bit};
use cryptable_leveled::parameters::ParameterSet;
use rayon::prelude::*;

/// Bits of a batch, if the command line names no other number.
const BATCH: usize = 4096;
/// Batches that are timed, after one that is not.
const RUNS: usize = 3;
/// Bits whose rows are compared with the processor's.
const COMPARED: usize = 16;

fn main() -> Result<()> {
    let Some((count, device)) = support::batch(BATCH) else { return Ok(()) };
    let set = ParameterSet::Aes128;
    let parameters = set.parameters();
    let secret = SecretKey::generate(parameters.fhew());
    let key = EvaluationKey::expand(&secret.evaluation_key());
    let circuit = CircuitBootstrapping::new(&parameters, &key);
    let on_card = CircuitBootstrappingKey::new(&device, &circuit)?;
    let bits: Vec<LweCiphertext> = (0..count)
        .into_par_iter()
        .map(|index| encrypt_bit(&secret, index * 5 / 16 % 2 == 1))
        .collect();
    let bits: Vec<&LweCiphertext> = bits.iter().collect();
    let mut selectors = on_card.bootstrap_many(&bits)?;
    let mut seconds = f64::INFINITY;
    for _ in 0..RUNS {
        drop(selectors);
        let start = Instant::now();
        selectors = on_card.bootstrap_many(&bits)?;
        device.check()?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }
    let step = count.div_ceil(COMPARED).max(1);
    let mut compared = 0;
    let mut different = 0;
    for index in (0..count).step_by(step) {
        let expected = circuit.bootstrap(bits[index])?;
        compared += 1;
        different += usize::from(!selectors.has_rows_of(&on_card, index, &expected)?);
    }
    println!(
        "{{\"method\":\"circuit bootstrap\",\"set\":\"{set}\",\"device\":\"{}\",\"batch\":{count},\
         \"us_each\":{:.3},\"compared\":{compared},\"different\":{different}}}",
        device.properties()?.name,
        seconds * 1e6 / count as f64,
    );
    Ok(())
}
