//! Evaluates a gate on all pairs of ciphertexts of another library, by bootstraps of thousands of bits.
//!
//! `cargo run --release -p cryptable --example foreign_gates -- FOLDER openfhe-std128 nand`
//!
//! The folder has the files key.lwe, x.lwe and y.lwe, which `comparisons/openfhe/lists.py` writes with OpenFHE, and gets
//! result.lwe, which the same program checks. Their layout is in `crates/conversion/src/foreign/file.rs`. `cryptable foreign` does
//! the same with a file of keys between client and server.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use cryptable::Progress;
use cryptable::gates::Gate;
use cryptable::packed_gates::foreign::{ForeignParameters, ForeignSecret};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, set, gate] = arguments.as_slice() else {
        return Err("give a folder, openfhe-std128 or tfhe-rs-boolean, and a gate".into());
    };
    let (folder, parameters) = (Path::new(folder), ForeignParameters::named(set)?);
    let (x, y) = (std::fs::read(folder.join("x.lwe"))?, std::fs::read(folder.join("y.lwe"))?);
    let (x, y) = (parameters.read_list(&x)?, parameters.read_list(&y)?);

    // The client has the other library's secret.
    let secret = ForeignSecret::from_bytes(&parameters, &std::fs::read(folder.join("key.lwe"))?)?;
    let server = secret.gates(&parameters.packed(x.len())?, Progress::silent())?;
    println!(
        "{}, {} bits at once: {:.2} GB of keys, {:.1} bits of security, a gate is wrong with 2^{:.1}",
        parameters.name(),
        server.bits_at_once(),
        server.memory_bytes() as f64 / 1e9,
        server.security_bits(),
        server.log2_fail()
    );

    // The server holds no secret. The first gate makes matrices.
    let gate = Gate::by_name(gate).ok_or("and, nand, or, nor, xor, xnor are gates")?;
    for _ in 0..2 {
        let start = Instant::now();
        let result = server.gate(gate, &x, &y, Progress::silent())?;
        println!("{} gates in {:.3} s", result.len(), start.elapsed().as_secs_f64());
        std::fs::write(folder.join("result.lwe"), parameters.write_list(&result)?)?;
    }
    Ok(())
}
