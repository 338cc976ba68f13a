//! Slots in the half ring and as real slots, with products and exponentials there, and back, compared with their dry
//! runs.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::dry_run::{DryRunParameters, PlannedInner, Shape};
use cryptable_ckks::encryption::{decrypt, encrypt};
use cryptable_ckks::inner_ring::InnerRing;
use cryptable_ckks::real_slots::RealSlots;
use cryptable_ckks::{Arithmetic, DryRun, Evaluator};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::replay;
use cryptable_ring::{Basis, Chain, Ring, RingModuli};
use num_complex::Complex64;
use std::f64::consts::TAU;

const DEGREE: usize = 512;

/// A map from a ciphertext of complex slots to other ciphertexts.
trait Circuit {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext>;
}

/// Largest error, and mean square of errors relative to the prediction of a dry run.
#[derive(Debug)]
struct Errors {
    largest: f64,
    ratio: f64,
}

/// Runs a circuit on slots, in the half ring if they repeat and on their parts otherwise, and compares every result
/// with `expected` for the slots, and with its dry run.
fn check(
    circuit: &impl Circuit,
    limbs: usize,
    slots: &[Complex64],
    expected: &[&dyn Fn(Complex64) -> Complex64],
) -> Vec<Errors> {
    let _replay = replay::begin();
    let is_half = slots.len() < DEGREE / 2;
    let main = ntt_primes(2 * DEGREE, 49.0, limbs, &[]);
    let special = ntt_primes(2 * DEGREE, 50.0, 3, &main);
    let ring = Ring::of(RingModuli::new(DEGREE, vec![Chain::new(&main)], &special));
    let secret = TernarySecret::uniform(DEGREE);
    let scale = ring.main_prime(0) as f64;

    let shape = SwitchingKeyShape { basis: Basis::new(limbs, 3), digit_limbs: 3 };
    let primes: Vec<f64> = main.iter().map(|&q| q as f64).collect();
    let parameters = DryRunParameters {
        noise_coefficients: 2 * slots.len(),
        ..DryRunParameters::new(DEGREE, &primes, shape, 50.0)
    };
    let inner = if is_half { PlannedInner::Half(vec![shape]) } else { PlannedInner::Real(scale) };
    let dry_run = DryRun::new(parameters).with_inner(Some(inner));
    let noise = dry_run.fresh_noise(scale);
    let mean = slots.iter().map(|z| z.norm_sqr()).sum::<f64>() / slots.len() as f64;
    let predicted = circuit.run(&dry_run, &Shape::new(limbs, scale, mean, noise));

    let requests = dry_run.key_requests();
    let is_of_kind = |it: KeyPurpose| if is_half { it.is_half() } else { it.is_real() };
    assert!(requests.iter().all(|request| is_of_kind(request.purpose)), "{requests:?}");
    let keys = SecretPair { dense: &secret, sparse: &secret }.generate_keys(&ring, &requests);
    let real_slots = RealSlots::new(&ring, scale, limbs, limbs);
    let inner = if is_half { InnerRing::Half } else { InnerRing::Real(&real_slots) };
    let evaluator = Evaluator::new(&ring, &keys).with_inner(Some(inner));
    let results = circuit.run(&evaluator, &encrypt(&ring, &secret, slots, scale, limbs));

    assert_eq!([results.len(), predicted.len()], [expected.len(); 2]);
    let compare = |((result, shape), expected): ((_, &Shape), &&dyn Fn(_) -> _)| {
        assert_eq!(evaluator.limbs(result), shape.limbs);
        assert!((evaluator.scale(result) / shape.scale - 1.0).abs() < 1e-9);
        let found = decrypt(&ring, &secret, result, slots.len());
        let error = |(z, &slot): (&Complex64, &Complex64)| -> f64 {
            let expected: Complex64 = expected(slot);
            (z - expected).norm()
        };
        let errors: Vec<f64> = found.iter().zip(slots).map(error).collect();
        let square = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
        let largest = errors.into_iter().fold(0.0, f64::max);
        Errors { largest, ratio: square / shape.noise.total() }
    };
    results.iter().zip(&predicted).zip(expected).map(compare).collect()
}

/// A function of twice the parts of a slot.
fn of_parts(f: impl Fn(f64) -> f64) -> impl Fn(Complex64) -> Complex64 {
    move |slot| Complex64::new(f(2.0 * slot.re), f(2.0 * slot.im))
}

/// Squares of slots, conjugated and multiplied by i.
struct TurnedSquare;

impl Circuit for TurnedSquare {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext> {
        let half = arithmetic.over_inner();
        let slots = arithmetic.enter_inner(ct);
        let mut square = half.conjugate(&half.mul(&slots, &slots));
        half.mul_imaginary_unit_assign(&mut square);
        vec![arithmetic.leave_inner(&square)]
    }
}

#[test]
fn squares_in_the_half_ring() {
    for count in [DEGREE / 4, DEGREE / 16] {
        let slots: Vec<_> =
            (0..count).map(|i| Complex64::from_polar(0.45, i as f64 * 0.37)).collect();
        let expected = |slot: Complex64| Complex64::I * (slot * slot).conj();
        let errors = check(&TurnedSquare, 6, &slots, &[&expected]);
        assert!((0.6..1.4).contains(&errors[0].ratio), "{errors:?}");
        assert!(errors[0].largest < 1e-10, "{errors:?}");
    }
}

struct Square;

impl Circuit for Square {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext> {
        let real = arithmetic.over_inner();
        let parts = arithmetic.enter_inner(ct);
        let mut square = real.mul(&parts, &parts);
        real.add_constant_assign(&mut square, Complex64::new(0.25, 0.0));
        vec![arithmetic.rescale(arithmetic.leave_inner(&square), 1)]
    }
}

#[test]
fn squares_of_parts() {
    let slots: Vec<_> =
        (0..DEGREE / 2).map(|i| Complex64::from_polar(0.45, i as f64 * 0.37)).collect();
    let errors = check(&Square, 6, &slots, &[&of_parts(|x| x * x + 0.25)]);
    assert!((0.6..1.4).contains(&errors[0].ratio), "{errors:?}");
    assert!(errors[0].largest < 1e-10, "{errors:?}");
}

struct Parts(Exponential);

impl Circuit for Parts {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext> {
        let phases = arithmetic.enter_inner(ct);
        let parts = self.0.evaluate_parts(&arithmetic.over_inner(), &phases);
        let leave = |part| arithmetic.rescale(arithmetic.leave_inner(part), 1);
        parts.iter().map(leave).collect()
    }
}

/// Cosines and sines of phases have errors within those of the approximation and of the dry run, which takes correlated
/// errors of a series' steps into account.
#[test]
fn cosines_and_sines() {
    let bound = 3.2;
    for (cleanings, least_depth, tolerance) in [(0, true, 1e-9), (1, false, 1e-5)] {
        let choice = Exponential::choose(PhaseFunction::Parts, bound, tolerance, cleanings);
        let shape = ExponentialShape { least_depth, ..choice };
        let exponential = Exponential::new(PhaseFunction::Parts, bound, shape);
        let slots: Vec<_> = (0..DEGREE / 2)
            .map(|i| {
                let x = |turn: f64| (i as f64 * turn).sin() / 2.0;
                Complex64::new(x(0.37), x(1.1))
            })
            .collect();
        let cosine = of_parts(|x| (TAU * bound * x).cos());
        let sine = of_parts(|x| (TAU * bound * x).sin());
        let expected: [&dyn Fn(Complex64) -> Complex64; 2] = [&cosine, &sine];
        let limbs = shape.levels() + 4;
        let errors = check(&Parts(exponential), limbs, &slots, &expected);
        let limit = if cleanings > 0 { 2.0 * tolerance } else { 1e-7 };
        assert!(errors.iter().all(|it| it.largest < limit), "{shape:?}: {errors:?}");
        if cleanings == 0 {
            let predicted = errors.iter().all(|it| (0.005..1.1).contains(&it.ratio));
            assert!(predicted, "{shape:?}: {errors:?}");
        }
    }
}
