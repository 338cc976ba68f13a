//! NAND on a batch of bits, on the first card: every result checked, and the time of one as a line of JSON.
//!
//! `cargo run --release -p cryptable-gpu --example gate_batches [-- NUMBER]`

mod support;

use std::time::Instant;

use cryptable_fhew::gates::{Gate, decrypt_bit, encrypt_bit};
use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_fhew::parameters::Parameters;
use cryptable_gpu::fhew::GateKey;
use cryptable_lattice::Result;
use rayon::prelude::*;

/// Bits of a batch, if the command line names no other number.
const BATCH: usize = 16_384;
/// Batches that are timed, after one that is not.
const RUNS: usize = 3;

fn main() -> Result<()> {
    let Some((count, device)) = support::batch(BATCH) else { return Ok(()) };
    let secret = SecretKey::generate(&Parameters::gates_128());
    let key = EvaluationKey::expand(&secret.evaluation_key());
    let gates = GateKey::new(&device, &key)?;
    let plain = |factor: usize, index: usize| index * factor / 16 % 2 == 1;
    let encrypt = |factor| -> Vec<_> {
        let of = |index| encrypt_bit(&secret, plain(factor, index));
        (0..count).into_par_iter().map(of).collect()
    };
    let (lhs, rhs) = (encrypt(5), encrypt(11));
    gates.gates(Gate::Nand, &lhs, &rhs)?;
    let (mut with_transfers, mut resident) = (f64::INFINITY, f64::INFINITY);
    let mut results = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        results = gates.gates(Gate::Nand, &lhs, &rhs)?;
        with_transfers = with_transfers.min(start.elapsed().as_secs_f64());
        let batches = [gates.upload(&lhs)?, gates.upload(&rhs)?];
        device.check()?;
        let start = Instant::now();
        let _results = gates.evaluate(Gate::Nand, &batches[0], &batches[1])?;
        device.check()?;
        resident = resident.min(start.elapsed().as_secs_f64());
    }
    let is_wrong = |(index, result)| -> Result<bool> {
        let expected = Gate::Nand.apply(plain(5, index), plain(11, index));
        Ok(decrypt_bit(&secret, result)? != expected)
    };
    let wrong = results.par_iter().enumerate().map(is_wrong).collect::<Result<Vec<bool>>>()?;
    let wrong = wrong.into_iter().filter(|&wrong| wrong).count();
    let each = |seconds: f64| seconds * 1e6 / count as f64;
    println!(
        "{{\"method\":\"NAND\",\"device\":\"{}\",\"batch\":{count},\"us_per_gate\":{:.3},\
         \"us_per_gate_resident\":{:.3},\"values_checked\":{count},\"wrong\":{wrong}}}",
        device.properties()?.name,
        each(with_transfers),
        each(resident),
    );
    Ok(())
}
