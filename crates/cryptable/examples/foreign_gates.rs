//! Evaluates a gate on all pairs of ciphertexts of another library, by bootstraps of thousands of bits.
//!
//! `cargo run --release -p cryptable --example foreign_gates -- FOLDER openfhe-std128 nand`
//!
//! The folder has the files key.lwe, x.lwe and y.lwe, which `comparisons/openfhe/lists.py` writes with OpenFHE, and gets
//! result.lwe, which the same program checks. Their layout is in `crates/conversion/src/foreign/file.rs`.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use cryptable::Progress;
use cryptable::bits::{Packing, Parameters};
use cryptable::gates::Gate;
use cryptable::packed_gates::foreign::{ForeignGatesSecret, ForeignParameters, ForeignSecret};

fn gate_of(name: &str) -> Result<Gate, Box<dyn Error>> {
    let gates = ["and", "nand", "or", "nor", "xor", "xnor"].into_iter().zip(Gate::ALL);
    let found = gates.into_iter().find(|(known, _)| *known == name);
    Ok(found.ok_or_else(|| format!("{name} is no gate: and, nand, or, nor, xor, xnor"))?.1)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, set, gate] = arguments.as_slice() else {
        return Err("give a folder, openfhe-std128 or tfhe-rs-boolean, and a gate".into());
    };
    let (folder, parameters) = (Path::new(folder), ForeignParameters::named(set)?);
    let (x, y) = (std::fs::read(folder.join("x.lwe"))?, std::fs::read(folder.join("y.lwe"))?);
    let (x, y) = (parameters.read_list(&x)?, parameters.read_list(&y)?);

    // The client has the other library's secret, and makes one of the ring. Noise of OpenFHE wants levels for cleaning.
    let packing = |degree| Packing::of_bits(x.len(), degree);
    let packed = match parameters.log2_fail(&Parameters::cleaning_128(packing(1 << 14))?) {
        Ok(_) => Parameters::cleaning_128(packing(1 << 14))?,
        Err(_) => Parameters::balanced_128(packing(1 << 15))?,
    };
    let secret = ForeignSecret::from_bytes(&parameters, &std::fs::read(folder.join("key.lwe"))?)?;
    let server = ForeignGatesSecret::generate(&secret, &packed)?.gates(Progress::silent())?;
    println!(
        "{}, {} bits at once: {:.2} GB of keys, {:.1} bits of security, a gate is wrong with 2^{:.1}",
        parameters.name(),
        server.bits_at_once(),
        server.memory_bytes() as f64 / 1e9,
        server.security_bits(),
        server.log2_fail()
    );

    // The server holds no secret. The first gate makes matrices.
    let gate = gate_of(gate)?;
    for _ in 0..2 {
        let start = Instant::now();
        let result = server.gate(gate, &x, &y, Progress::silent())?;
        println!("{} gates in {:.3} s", result.len(), start.elapsed().as_secs_f64());
        std::fs::write(folder.join("result.lwe"), parameters.write_list(&result)?)?;
    }
    Ok(())
}
