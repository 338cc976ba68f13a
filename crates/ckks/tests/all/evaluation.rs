//! Tests of the evaluator against plain arithmetic, on a toy ring.

use std::f64::consts::TAU;

use cryptable_ckks::bootstrapping::subring_trace::{SubringTrace, TraceHalvings};
use cryptable_ckks::chebyshev::ChebyshevSeries;
use cryptable_ckks::dft_factors::{
    DiagonalMatrix, coeffs_to_slots, coeffs_to_slots_sparse, slots_to_coeffs,
    slots_to_coeffs_sparse,
};
use cryptable_ckks::diagonal_matrix::Diagonal;
use cryptable_ckks::dry_run::{DryRunParameters, Shape};
use cryptable_ckks::encryption::{decrypt, encrypt};
use cryptable_ckks::linear_transform::DiagonalLimb;
use cryptable_ckks::paterson_stockmeyer::{ConstantScale, PolynomialBasis, Steps};
use cryptable_ckks::{
    Arithmetic, Ciphertext, DryRun, Evaluator, LinearTransform, Plaintext, TransformPlan,
};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{EvaluationKeys, KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::{RandomStream, replay};
use cryptable_ring::{Basis, Embedding, Isa, Ring};
use num_complex::Complex64;

const DEGREE: usize = 512;
const LIMBS: usize = 9;

struct Setup {
    ring: Ring,
    dense: TernarySecret,
    sparse: TernarySecret,
    keys: EvaluationKeys,
    shape: SwitchingKeyShape,
}

fn shape() -> SwitchingKeyShape {
    SwitchingKeyShape { basis: Basis::new(LIMBS, 3), digit_limbs: 3 }
}

fn setup() -> Setup {
    setup_of(DEGREE)
}

fn setup_of(degree: usize) -> Setup {
    let main = ntt_primes(degree, 49.0, LIMBS, &[]);
    let special = ntt_primes(degree, 50.0, 3, &main);
    let ring = Ring::new(degree, &main, &special);
    let dense = TernarySecret::uniform(degree);
    let sparse = TernarySecret::of_weight(degree, 32, &mut RandomStream::from_os());
    let mut setup = Setup { ring, dense, sparse, keys: EvaluationKeys::new(), shape: shape() };
    setup.add_key(KeyPurpose::Relinearization, shape());
    setup
}

impl Setup {
    fn add_key(&mut self, purpose: KeyPurpose, shape: SwitchingKeyShape) {
        if self.keys.find_shape(purpose, shape.basis).is_none() {
            let secrets = SecretPair { dense: &self.dense, sparse: &self.sparse };
            let key = secrets.generate_key(&self.ring, purpose, shape);
            self.keys.insert(purpose, key);
        }
    }

    fn add_galois(&mut self, element: usize) {
        self.add_key(KeyPurpose::Galois(element as u32), self.shape);
    }

    fn encrypt(&self, slots: &[Complex64]) -> Ciphertext {
        encrypt(&self.ring, &self.dense, slots, self.ring.main_prime(0) as f64, LIMBS)
    }

    fn check(&self, ct: &Ciphertext, expected: &[Complex64], tolerance: f64) {
        let found = decrypt(&self.ring, &self.dense, ct, expected.len());
        let worst = found.iter().zip(expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(worst < tolerance, "error {worst:e}");
        assert!(worst > 1e-18, "no noise at all");
    }
}

fn sample(count: usize) -> Vec<Complex64> {
    (0..count).map(|i| Complex64::from_polar(0.9, i as f64 * 0.37)).collect()
}

#[test]
fn products_rotations_and_conjugates() {
    let mut setup = setup();
    let rotation = 5;
    setup.add_galois(setup.ring.rotation_element(rotation));
    setup.add_galois(setup.ring.conjugation_element());
    let evaluator = Evaluator::new(&setup.ring, &setup.keys);
    let slots = sample(DEGREE / 2);
    let ct = setup.encrypt(&slots);
    setup.check(&ct, &slots, 1e-10);

    let squares: Vec<_> = slots.iter().map(|z| z * z).collect();
    let product = evaluator.mul(&ct, &ct);
    assert_eq!(product.limbs(), LIMBS - 1);
    setup.check(&product, &squares, 1e-9);

    let rotated: Vec<_> = (0..slots.len()).map(|j| slots[(j + rotation) % slots.len()]).collect();
    setup.check(&evaluator.rotate(&ct, rotation), &rotated, 1e-9);
    let conjugates: Vec<_> = slots.iter().map(|z| z.conj()).collect();
    setup.check(&evaluator.conjugate(&ct), &conjugates, 1e-9);

    let mut turned = ct.clone();
    evaluator.mul_imaginary_unit_assign(&mut turned);
    evaluator.add_constant_assign(&mut turned, Complex64::new(0.25, -2.0));
    let expected: Vec<_> =
        slots.iter().map(|z| z * Complex64::I + Complex64::new(0.25, -2.0)).collect();
    setup.check(&turned, &expected, 1e-9);
}

#[test]
fn polynomials_in_both_bases() {
    let setup = setup();
    let evaluator = Evaluator::new(&setup.ring, &setup.keys);
    let slots = sample(DEGREE / 2);
    for (length, log_length, log_babies) in [(16usize, 4, 2), (11, 4, 2), (3, 2, 1), (16, 4, 4)] {
        let coefficients: Vec<_> = (0..length)
            .map(|k| Complex64::new(1.0 / (k + 1) as f64, 0.3 - 0.1 * k as f64))
            .collect();
        let ct = setup.encrypt(&slots);
        let steps = Steps::new(&evaluator, PolynomialBasis::Power, &ct, log_length, log_babies);
        let result = steps.evaluate(&evaluator, &coefficients, ConstantScale::Kept(24.0));
        assert_eq!(result.limbs(), LIMBS - log_length as usize, "no level for constants");
        let expected: Vec<_> = slots
            .iter()
            .map(|z| coefficients.iter().rev().fold(Complex64::ZERO, |sum, c| sum * z + c))
            .collect();
        setup.check(&result, &expected, 1e-5);
    }

    let reals: Vec<_> =
        (0..DEGREE / 2).map(|i| Complex64::new((i as f64 * 0.7).sin(), 0.0)).collect();
    let exponential = |x: f64| Complex64::from_polar(1.0, TAU * x);
    let series = ChebyshevSeries::interpolate(exponential, 31);
    let ct = setup.encrypt(&reals);
    let steps = Steps::new(&evaluator, PolynomialBasis::Chebyshev, &ct, 5, 3);
    let result = steps.evaluate(&evaluator, &series.coefficients, ConstantScale::Shifted(0.0));
    assert_eq!(result.limbs(), LIMBS - 6);
    let expected: Vec<_> = reals.iter().map(|x| exponential(x.re)).collect();
    setup.check(&result, &expected, 1e-8);
}

/// Applies matrices with four baby steps, of which `keyed` have keys.
fn apply_chain(
    setup: &mut Setup,
    matrices: &[DiagonalMatrix],
    keyed: usize,
    ct: Ciphertext,
) -> Ciphertext {
    matrices.iter().fold(ct, |mut ct, matrix| {
        ct.drop_to(&setup.ring, ct.limbs());
        let shape = SwitchingKeyShape { basis: Basis::new(ct.limbs(), 3), digit_limbs: 3 };
        let plan = TransformPlan::new(matrix, setup.ring.degree() / 2, 4, shape, 49f64.exp2());
        let plan = plan.sharing_baby_keys(keyed);
        for rotation in plan.rotations() {
            let element = setup.ring.rotation_element(rotation) as u32;
            setup.add_key(KeyPurpose::Galois(element), shape);
        }
        let transform = LinearTransform::encode(&setup.ring, matrix, plan);
        Evaluator::new(&setup.ring, &setup.keys).transform(&ct, &transform, 1)
    })
}

#[test]
fn homomorphic_dfts_on_full_and_sparse_packings() {
    let mut setup = setup();
    let slots = sample(DEGREE / 2);
    for factors in
        [coeffs_to_slots(DEGREE / 2, &[3, 3, 2], 1.0), slots_to_coeffs(DEGREE / 2, &[2, 3, 3], 0.1)]
    {
        let matrices = factors.matrices();
        let expected = matrices.iter().fold(slots.clone(), |v, m| m.apply(&v));
        for keyed in [4, 3, 2, 1] {
            let ct = setup.encrypt(&slots);
            let result = apply_chain(&mut setup, &matrices, keyed, ct);
            setup.check(&result, &expected, 1e-7);
        }
    }
    let small = sample(16);
    let wide: Vec<_> = (0..32).map(|j| small[j % 16]).collect();
    for factors in
        [coeffs_to_slots_sparse(16, &[2, 2], 1.0), slots_to_coeffs_sparse(16, &[2, 2], 1.0)]
    {
        let matrices = factors.matrices();
        let expected = matrices.iter().fold(wide.clone(), |v, m| m.apply(&v));
        for keyed in [4, 2] {
            let ct = setup.encrypt(&wide);
            let result = apply_chain(&mut setup, &matrices, keyed, ct);
            setup.check(&result, &expected, 1e-7);
        }
    }
}

#[test]
fn diagonals_have_runs_of_words_longer_than_blocks() {
    // Blocks have 4,096 words of 16,384: diagonals of periods 1 and 2 have a single word for each block.
    let mut setup = setup_of(1 << 14);
    let slots = setup.ring.degree() / 2;
    let diagonal = |period| Diagonal { values: sample(period) };
    let periods = [(0, 1), (1, 2), (2, 4), (3, slots), (5, 1), (6, 8)];
    let diagonals = periods.map(|(rotation, period)| (rotation, diagonal(period))).into();
    let matrix = DiagonalMatrix { slots, diagonals };
    let vector = sample(slots);
    let ct = setup.encrypt(&vector);
    let result = apply_chain(&mut setup, std::slice::from_ref(&matrix), 4, ct);
    setup.check(&result, &matrix.apply(&vector), 1e-7);
}

#[test]
fn encoded_diagonals_are_plaintexts() {
    let setup = setup();
    let slots = DEGREE / 2;
    let periods = [(0, 1), (1, 2), (2, slots), (3, slots), (5, 8)];
    let diagonals = periods.map(|(rotation, period)| (rotation, sample(period)));
    let diagonals = diagonals.map(|(rotation, values)| (rotation, Diagonal { values })).into();
    let matrix = DiagonalMatrix { slots, diagonals };
    let plan = TransformPlan::new(&matrix, slots, 2, shape(), 49f64.exp2());
    let transform = LinearTransform::encode(&setup.ring, &matrix, plan);
    let plan = transform.plan();
    let mut found = 0;
    for diagonal in transform.diagonals() {
        let mut values = matrix.diagonals[&diagonal.step().rotation].values.clone();
        let period = values.len();
        values.rotate_right(diagonal.step().giant * plan.giant_rotation % period);
        let embedding = Embedding::new(period);
        let expected =
            Plaintext::encode(&setup.ring, &embedding, &values, plan.scale, plan.limbs).poly;
        assert_eq!(DEGREE >> diagonal.log_run(), 2 * period);
        for limb in 0..plan.limbs {
            let words: Vec<u64> = match diagonal.limb(limb) {
                DiagonalLimb::Packed(row) => {
                    let mut words = vec![0; row.len()];
                    row.unpack(Isa::detect(), &mut words);
                    words
                }
                DiagonalLimb::Runs(words) => {
                    words.iter().flat_map(|&word| vec![word; 1 << diagonal.log_run()]).collect()
                }
            };
            assert!(words == expected.limb(limb), "limb {limb} of {:?}", diagonal.step());
        }
        found += 1;
    }
    assert_eq!(found, periods.len());
}

/// The dry run of a setup's circuits, and the shape of a fresh ciphertext of slots on the unit circle.
fn dry_run(setup: &Setup, scale: f64) -> (DryRun, Shape) {
    let primes: Vec<f64> = (0..LIMBS).map(|i| setup.ring.main_prime(i) as f64).collect();
    let dry_run = DryRun::new(DryRunParameters::new(DEGREE, &primes, setup.shape, 50.0));
    let shape = Shape::new(LIMBS, scale, 1.0, dry_run.fresh_noise(scale));
    (dry_run, shape)
}

/// Variance of a ciphertext's slots about the expected ones.
fn noise(setup: &Setup, ct: &Ciphertext, expected: impl Fn(usize) -> Complex64) -> f64 {
    let found = decrypt(&setup.ring, &setup.dense, ct, DEGREE / 2);
    let errors = found.iter().enumerate().map(|(i, z)| (z - expected(i)).norm_sqr());
    errors.sum::<f64>() / found.len() as f64
}

#[test]
fn dry_run_predicts_limbs_scale_and_noise() {
    let _replay = replay::begin();
    let setup = setup();
    let evaluator = Evaluator::new(&setup.ring, &setup.keys);
    let slots: Vec<_> =
        (0..DEGREE / 2).map(|i| Complex64::from_polar(1.0, i as f64 * 0.37)).collect();
    let ct = setup.encrypt(&slots);
    let (dry_run, shape) = dry_run(&setup, ct.scale);
    let mut real = ct;
    let mut predicted = shape;
    for _ in 0..4 {
        real = evaluator.mul(&real, &real);
        predicted = dry_run.mul(&predicted, &predicted);
    }
    assert_eq!(real.limbs(), predicted.limbs);
    assert!((real.scale / predicted.scale - 1.0).abs() < 1e-12);
    let ratio = noise(&setup, &real, |i| slots[i].powu(16)) / predicted.noise.total();
    assert!((0.2..2.5).contains(&ratio), "measured over predicted variance: {ratio}");
    assert_eq!(dry_run.counts().key_switches, 4);
}

#[test]
fn variances_add_up_in_products_of_declared_sources_only() {
    let _replay = replay::begin();
    let setup = setup();
    let evaluator = Evaluator::new(&setup.ring, &setup.keys);
    let slot = |i: usize, turn: f64| Complex64::from_polar(1.0, i as f64 * turn);
    let turns = [0.37, 1.1];
    let mut real: Vec<_> = turns
        .iter()
        .map(|&turn| setup.encrypt(&(0..DEGREE / 2).map(|i| slot(i, turn)).collect::<Vec<_>>()))
        .collect();
    let (dry_run, shape) = dry_run(&setup, real[0].scale);
    let mut shapes = [shape; 2];
    // The noise is far above the roundings of the products.
    for (ct, shape) in real.iter_mut().zip(&mut shapes) {
        for _ in 0..5 {
            *ct = evaluator.mul(ct, ct);
            *shape = dry_run.mul(shape, shape);
        }
    }
    let operands = [0, 1].map(|k| noise(&setup, &real[k], |i| slot(i, turns[k]).powu(32)));
    let product = |i| slot(i, turns[0] + turns[1]).powu(32);
    let square = |i| slot(i, turns[0]).powu(64);
    let found = noise(&setup, &evaluator.mul(&real[0], &real[1]), product);
    let sum = found / (operands[0] + operands[1]);
    assert!((0.7..1.4).contains(&sum), "independent operands: {sum} times the sum");
    let found = noise(&setup, &evaluator.mul(&real[0], &real[0]), square);
    let sum = found / (2.0 * operands[0]);
    assert!((1.7..2.3).contains(&sum), "equal operands: {sum} times the sum");
    // The dry run uses only declared sources.
    let sum_of = |a: &Shape, b: &Shape| {
        dry_run.mul(a, b).noise.total() / (a.noise.total() + b.noise.total())
    };
    assert!((1.95..2.05).contains(&sum_of(&shapes[0], &shapes[1])));
    for (source, shape) in shapes.iter_mut().enumerate() {
        dry_run.declare_source(shape, source as u32);
    }
    assert!((1.0..1.05).contains(&sum_of(&shapes[0], &shapes[1])));
    assert!((1.95..2.05).contains(&sum_of(&shapes[0], &shapes[0])));
}

#[test]
fn traces_by_hoisted_rotations_are_means_over_all_copies() {
    let _replay = replay::begin();
    let (slots, ring_slots) = (16, DEGREE / 2);
    let mut setup = setup();
    let values = sample(ring_slots);
    let copies = ring_slots / slots;
    let mean = |j: usize| {
        let sum: Complex64 = (0..copies).map(|k| values[(j + k * slots) % ring_slots]).sum();
        sum / copies as f64
    };
    let mut work = Vec::new();
    for halvings in 1..=4 {
        let trace = SubringTrace::new(slots, ring_slots, TraceHalvings(halvings), setup.shape);
        for rotation in trace.plans().iter().flat_map(TransformPlan::rotations) {
            setup.add_galois(setup.ring.rotation_element(rotation));
        }
        let matrices: Vec<_> = trace.encode(&setup.ring).collect();
        let ct = setup.encrypt(&values);
        let (dry_run, shape) = dry_run(&setup, ct.scale);
        let predicted = trace.apply(&dry_run, trace.plans(), shape);
        let result = trace.apply(&Evaluator::new(&setup.ring, &setup.keys), &matrices, ct);
        assert_eq!((result.limbs(), result.scale), (predicted.limbs, predicted.scale));
        assert!((predicted.power.0 * copies as f64 - 1.0).abs() < 1e-12);
        let ratio = noise(&setup, &result, mean) / predicted.noise.total();
        assert!((0.3..2.5).contains(&ratio), "{halvings}: measured over predicted: {ratio}");
        work.push(dry_run.counts().transforms);
    }
    // Four halvings: in four steps, two, two and one.
    assert!(work[1] <= work[0] / 2 && work[1] == work[2] && work[3] < work[2], "{work:?}");
}
