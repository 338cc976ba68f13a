//! `bench primitives`: the operations that lookups are made of, each with its count.
//!
//! `units` is what was measured, `count_units` what the NTTs alone would take; `bytes` is what the
//! operation has to read and write at least. The distance between them is what is left to gain.

use clap::Args;
use cryptable_ckks::encryption::encrypt;
use cryptable_ckks::{Arithmetic, Evaluator};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::key_switching::switch;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{EvaluationKeys, KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::RandomStream;
use cryptable_ring::selected_product::{TableMatrix, selected_matrix_product};
use cryptable_ring::{Basis, Buffer, Evaluations, Poly, Ring, Rounding};
use num_complex::Complex64;
use serde::Serialize;

use crate::measurement::{median, timed};

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
}

/// One line of output.
#[derive(Debug, Serialize)]
struct Line {
    operation: String,
    ring_degree: usize,
    limbs: usize,
    special: usize,
    digits: usize,
    threads: usize,
    seconds: f64,
    unit_us: f64,
    units: f64,
    transforms: usize,
    count_units: f64,
    bytes: usize,
}

/// What the measurements share.
struct Setup {
    ring: Ring,
    shape: SwitchingKeyShape,
    runs: usize,
    threads: usize,
    unit: f64,
    json: bool,
}

impl Setup {
    /// Measures `f` and prints its line.
    fn measure(&self, operation: &str, transforms: usize, limbs_moved: usize, mut f: impl FnMut()) {
        f();
        let times: Vec<f64> = (0..self.runs.max(1)).map(|_| timed(&mut f).1).collect();
        let seconds = median(&times);
        let degree = self.ring.degree();
        let size = degree as f64 * (degree as f64).log2() / (65536.0 * 16.0);
        let line = Line {
            operation: operation.into(),
            ring_degree: degree,
            limbs: self.shape.basis.main,
            special: self.shape.basis.special,
            digits: self.shape.digits(),
            threads: self.threads,
            seconds,
            unit_us: self.unit * 1e6,
            units: seconds / self.unit,
            transforms,
            count_units: transforms as f64 * size,
            bytes: limbs_moved * degree * 8,
        };
        if self.json {
            println!("{}", serde_json::to_string(&line).expect("numbers and a name"));
        } else {
            println!(
                "{:<16} {:>9.1} u   {:>5} NTTs ({:>7.1} u)   {:>8.1} MB",
                line.operation,
                line.units,
                line.transforms,
                line.count_units,
                line.bytes as f64 / 1e6
            );
        }
    }
}

/// Runs the benchmark.
pub fn run(arguments: &PrimitivesArguments, threads: usize, json: bool) -> anyhow::Result<()> {
    let (degree, limbs) = (arguments.ring_degree, arguments.limbs);
    anyhow::ensure!(degree.is_power_of_two() && (64..=1 << 17).contains(&degree), "ring degree");
    anyhow::ensure!((3..=40).contains(&limbs) && (1..=limbs).contains(&arguments.digits), "limbs");
    let digit_limbs = limbs.div_ceil(arguments.digits);
    let shape =
        SwitchingKeyShape { basis: Basis { main: limbs, special: digit_limbs }, digit_limbs };
    let main = ntt_primes(degree, 49.0, limbs, &[]);
    let special = ntt_primes(degree, 50.0, digit_limbs, &main);
    let setup = Setup {
        ring: Ring::new(degree, &main, &special),
        shape,
        runs: arguments.runs,
        threads,
        unit: cryptable::measure_unit(),
        json,
    };
    measure_ring(&setup);
    measure_table_product(&setup);
    measure_ckks(&setup);
    Ok(())
}

/// NTT and base conversion.
fn measure_ring(setup: &Setup) {
    let (ring, limbs) = (&setup.ring, setup.shape.basis.main);
    let degree = ring.degree();
    let mut limb = Buffer::zeroed(degree);
    setup.measure("ntt", 1, 2, || ring.table(0).forward_assign(&mut limb));
    let sources: Vec<usize> = (0..setup.shape.digit_limbs).collect();
    let source = Buffer::zeroed(degree * sources.len());
    let mut out = Buffer::zeroed(degree * (limbs - sources.len()).max(1));
    let targets = out.len() / degree;
    setup.measure("base conversion", sources.len(), sources.len() + targets, || {
        let mut targets: Vec<(usize, &mut [u64])> = out
            .chunks_mut(degree)
            .enumerate()
            .map(|(i, words)| (sources.len() + i, words))
            .collect();
        ring.convert_base(&sources, &source, &mut targets, Rounding::Exact);
    });
}

/// The product of a table with the columns and selectors of a multiplexer tree, for a table of 16 bits
/// and two limbs: 2^17 multiply-accumulates a limb and coefficient.
fn measure_table_product(setup: &Setup) {
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
    setup.measure("table product", 0, limbs_moved, || {
        let _ = selected_matrix_product(ring, LIMBS, &columns, &matrix, &selectors);
    });
}

/// Key switch, rotation and multiplication.
fn measure_ckks(setup: &Setup) {
    let (ring, shape) = (&setup.ring, setup.shape);
    let (limbs, all) = (shape.basis.main, shape.basis.limbs());
    let mut stream = RandomStream::from_os();
    let dense =
        TernarySecret::sample(ring.degree(), SecretDistribution::UniformTernary, &mut stream);
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
    let key = evaluator.key(rotation, limbs);
    setup.measure("key switch", digits * all, limbs + key_limbs + 2 * all, || {
        let _ = switch(ring, &ct.parts.c1, key, [None, None]);
    });
    setup.measure("rotation", shape.transforms_at(limbs), 4 * limbs + key_limbs, || {
        let _ = evaluator.rotate(&ct, 1);
    });
    let transforms = shape.transforms_at(limbs);
    setup.measure("multiplication", transforms, 6 * limbs + key_limbs, || {
        let _ = evaluator.mul(&ct, &ct);
    });
}
