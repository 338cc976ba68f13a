//! `bench primitives`: the operations that lookups are made of, each with its count.
//!
//! `units` is the measured time, `count_units` the time that the NTTs alone would take, and `bytes` the least that the
//! operation has to read and write. The distance of `units` from these bounds shows how much could still be gained. Lines of
//! kernels on every instruction set of the processor follow, with another library's transform.

use clap::Args;
use cryptable_ckks::encryption::encrypt;
use cryptable_ckks::{Arithmetic, Evaluator};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::key_switching::switch;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{EvaluationKeys, KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::selected_product::{TableMatrix, selected_matrix_product};
use cryptable_ring::{Basis, Buffer, Evaluations, Modulus, NttTable, Poly, Ring};
use num_complex::Complex64;

use crate::instruction_sets::measure_instruction_sets;
use crate::primitive_lines::{Bench, Line, Setup};

/// Arguments of `bench primitives`.
#[derive(Debug, Args)]
pub struct PrimitivesArguments {
    /// Ring degree.
    #[arg(long, default_value_t = 65536)]
    ring_degree: usize,
    /// Limbs of the ciphertext.
    #[arg(long, default_value_t = 20)]
    limbs: usize,
    /// Digits of the keys.
    #[arg(long, default_value_t = 2)]
    digits: usize,
    /// Repetitions to take the median of.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Save the measured cost model to the user's cache directory, for later predictions.
    #[arg(long)]
    calibrate: bool,
}

/// Runs the benchmark.
pub fn run(arguments: &PrimitivesArguments, json: bool) -> anyhow::Result<()> {
    for line in measure(arguments)? {
        if json {
            println!("{}", serde_json::to_string(&line)?);
        } else {
            println!(
                "{:<20} {:<10} {:>10.3} u   {:>5} NTTs ({:>8.3} u)   {:>8.3} MB",
                line.operation,
                line.origin.simd,
                line.units,
                line.transforms,
                line.count_units,
                line.bytes as f64 / 1e6
            );
        }
    }
    crate::cost_model::run(arguments.calibrate, json)
}

/// Measures all operations.
fn measure(arguments: &PrimitivesArguments) -> anyhow::Result<Vec<Line>> {
    let (degree, limbs) = (arguments.ring_degree, arguments.limbs);
    anyhow::ensure!(degree.is_power_of_two() && (64..=1 << 17).contains(&degree), "ring degree");
    anyhow::ensure!((3..=40).contains(&limbs) && (1..=limbs).contains(&arguments.digits), "limbs");
    let digit_limbs = limbs.div_ceil(arguments.digits);
    let shape = SwitchingKeyShape { basis: Basis::new(limbs, digit_limbs), digit_limbs };
    let main = ntt_primes(degree, 49.0, limbs, &[]);
    let special = ntt_primes(degree, 50.0, digit_limbs, &main);
    let setup = Setup { ring: Ring::new(degree, &main, &special), shape };
    let mut bench = Bench::start(arguments.runs);
    measure_transforms(&mut bench, &setup);
    measure_conversion(&mut bench, &setup);
    measure_table_product(&mut bench, &setup);
    measure_ckks(&mut bench, &setup);
    measure_instruction_sets(&mut bench, degree);
    Ok(bench.finish())
}

/// Measures transforms: for a prime of 49 bits, a prime of 50 bits and a product of two primes, each in the cache, and for
/// all limbs of a polynomial. At ring degree 65,536, a unit is the time of `tfhe-ntt`'s transform, so that times in units are
/// multiples of it.
fn measure_transforms(bench: &mut Bench, setup: &Setup) {
    let (ring, limbs) = (&setup.ring, setup.shape.basis.main);
    let degree = ring.degree();
    let mut limb = Buffer::zeroed(degree);
    bench.measure(setup, "ntt", 1, 2, || ring.table(0).forward_assign(&mut limb));
    bench.measure(setup, "inverse ntt", 1, 2, || ring.table(0).inverse_assign(&mut limb));
    let wide = ring.table(limbs);
    bench.measure(setup, "wide ntt", 1, 2, || wide.forward_assign(&mut limb));
    bench.measure(setup, "wide inverse ntt", 1, 2, || wide.inverse_assign(&mut limb));
    let primes = ntt_primes(degree, 24.5, 2, &[]);
    let product = NttTable::new(degree, Modulus::new(primes[0] * primes[1])).expect("NTT primes");
    bench.measure(setup, "two-prime ntt", 1, 2, || product.forward_assign(&mut limb));
    let mut words = Buffer::zeroed(degree * limbs);
    bench.measure(setup, "polynomial ntt", limbs, 2 * limbs, || {
        for (prime, limb) in words.chunks_exact_mut(degree).enumerate() {
            ring.table(prime).forward_assign(limb);
        }
    });
}

/// Measures base conversion.
fn measure_conversion(bench: &mut Bench, setup: &Setup) {
    let (ring, limbs) = (&setup.ring, setup.shape.basis.main);
    let degree = ring.degree();
    let sources: Vec<usize> = (0..setup.shape.digit_limbs).collect();
    let source = Buffer::zeroed(degree * sources.len());
    let mut out = Buffer::zeroed(degree * (limbs - sources.len()).max(1));
    let targets = out.len() / degree;
    let limbs_moved = sources.len() + targets;
    bench.measure(setup, "base conversion", sources.len(), limbs_moved, || {
        let mut targets: Vec<(usize, &mut [u64])> = out
            .chunks_mut(degree)
            .enumerate()
            .map(|(i, words)| (sources.len() + i, words))
            .collect();
        ring.convert_base(&sources, &source, &mut targets);
    });
}

/// Measures the product of a table with the columns and selectors of a multiplexer tree, for a table of 16 bits and two limbs:
/// 2^17 multiply-accumulates per limb and coefficient.
fn measure_table_product(bench: &mut Bench, setup: &Setup) {
    const OUTER: usize = 16;
    const INNER: usize = 16;
    const COLUMNS: usize = 256;
    const LIMBS: usize = 2;
    let ring = &setup.ring;
    let poly = || Poly::<Evaluations>::zero(ring, Basis::main(LIMBS));
    let columns: Vec<_> = (0..COLUMNS).map(|_| [poly(), poly()]).collect();
    let selectors: Vec<_> = (0..INNER).map(|_| [poly(), poly()]).collect();
    let columns: Vec<_> = columns.iter().map(|column| column.each_ref()).collect();
    let selectors = [selectors.iter().map(|selector| selector.each_ref()).collect()];
    let entry = |o, i, j| ((o * 31 + i * 17 + j * 101) % (1 << 16)) as i64 - (1 << 15);
    let matrix = TableMatrix::new(OUTER, INNER, COLUMNS, entry);
    let limbs_moved = LIMBS * (2 * (COLUMNS + INNER) + 3 * OUTER);
    bench.measure(setup, "table product", 0, limbs_moved, || {
        let _ = selected_matrix_product(ring, LIMBS, &columns, &matrix, &selectors);
    });
}

/// Measures key switch, rotation and multiplication.
fn measure_ckks(bench: &mut Bench, setup: &Setup) {
    let (ring, shape) = (&setup.ring, setup.shape);
    let (limbs, all) = (shape.basis.main, shape.basis.limbs());
    let dense = TernarySecret::uniform(ring.degree());
    let secrets = SecretPair { dense: &dense, sparse: &dense };
    let rotation = KeyPurpose::Galois(ring.rotation_element(1) as u32);
    let mut keys = EvaluationKeys::new();
    for purpose in [KeyPurpose::Relinearization, rotation] {
        keys.insert(purpose, secrets.generate_key(ring, purpose, shape));
    }
    let evaluator = Evaluator::new(ring, &keys);
    let ct = encrypt(ring, &dense, &[Complex64::ONE; 8], 49f64.exp2(), limbs);
    let digits = shape.digits();
    let key_limbs = 2 * digits * all;
    let key = evaluator.key(rotation, ring.main_basis(limbs));
    let limbs_moved = limbs + key_limbs + 2 * all;
    bench.measure(setup, "key switch", digits * all, limbs_moved, || {
        let _ = switch(ring, &ct.parts.c1, key, [None, None]);
    });
    let transforms = shape.transforms_at(limbs);
    bench.measure(setup, "rotation", transforms, 4 * limbs + key_limbs, || {
        let _ = evaluator.rotate(&ct, 1);
    });
    bench.measure(setup, "multiplication", transforms, 6 * limbs + key_limbs, || {
        let _ = evaluator.mul(&ct, &ct);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::parsed;

    #[test]
    fn operations_of_a_small_ring() {
        let arguments: PrimitivesArguments = parsed("--ring-degree 1024 --limbs 4 --runs 1");
        let lines = measure(&arguments).unwrap();
        let names: Vec<&str> = lines.iter().map(|line| line.operation.as_str()).collect();
        let expected = [
            // On the fastest instruction set.
            "ntt",
            "inverse ntt",
            "wide ntt",
            "wide inverse ntt",
            "two-prime ntt",
            "polynomial ntt",
            "base conversion",
            "table product",
            "key switch",
            "rotation",
            "multiplication",
        ];
        let (fastest, of_sets) = names.split_at(expected.len());
        assert_eq!(fastest, expected);
        let of_set = ["ntt", "inverse ntt", "step, N = 1024", "step, N = 2048"];
        assert!(of_sets.starts_with(&of_set) && of_sets.ends_with(&["tfhe-ntt", "wide tfhe-ntt"]));
        for line in &lines {
            assert!(line.seconds > 0.0 && line.unit_us == lines[0].unit_us, "{line:?}");
            assert!(!line.origin.processor.is_empty());
        }
        assert!(measure(&PrimitivesArguments { limbs: 2, ..arguments }).is_err());
    }
}
