//! Complex slots as real ones and back, with products and exponentials between, beside their dry runs.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::dry_run::{DryRunParameters, PlannedChain, Shape, SlotVariance};
use cryptable_ckks::encryption::{decrypt, encrypt};
use cryptable_ckks::noise_sources::NoiseSources;
use cryptable_ckks::real_slots::RealSlots;
use cryptable_ckks::{Arithmetic, DryRun, Evaluator};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{KeyPurpose, Owners, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::{RandomStream, replay};
use cryptable_ring::{Basis, Chain, Ring, RingModuli};
use num_complex::Complex64;
use std::f64::consts::TAU;

const DEGREE: usize = 512;

/// Maps a ciphertext of complex slots to others.
trait Circuit {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext>;
}

/// Largest error and mean square of errors, over what a dry run predicts.
#[derive(Debug)]
struct Errors {
    largest: f64,
    ratio: f64,
}

/// Runs a circuit on slots at random, and compares every result with `expected` of the parts of slots, and with its dry run.
fn check(
    circuit: &impl Circuit,
    limbs: usize,
    slots: &[Complex64],
    expected: &[&dyn Fn(f64) -> f64],
) -> Vec<Errors> {
    let _replay = replay::begin();
    let main = ntt_primes(2 * DEGREE, 49.0, limbs, &[]);
    let special = ntt_primes(2 * DEGREE, 50.0, 3, &main);
    let ring = Ring::of(RingModuli::new(DEGREE, vec![Chain::new(&main)], &special));
    let uniform = SecretDistribution::UniformTernary;
    let secret = TernarySecret::sample(DEGREE, uniform, &mut RandomStream::from_os());
    let scale = ring.main_prime(0) as f64;

    let shape = SwitchingKeyShape { basis: Basis::new(limbs, 3), digit_limbs: 3 };
    let primes: Vec<f64> = main.iter().map(|&q| q as f64).collect();
    let parameters = DryRunParameters {
        degree: DEGREE,
        noise_coefficients: DEGREE,
        chains: vec![PlannedChain::new(&primes)],
        relinearization: vec![shape],
        automorphism: vec![shape],
        log2_special: 50.0,
        owners: Owners::ONE,
    };
    let dry_run = DryRun::with_real_slots(parameters, scale);
    let noise = dry_run.fresh_noise(scale);
    let mean = slots.iter().map(|z| z.norm_sqr()).sum::<f64>() / slots.len() as f64;
    let (power, sources) = (SlotVariance(mean), NoiseSources::UNKNOWN);
    let shape = Shape { limbs, chain: 0, scale, power, noise, sources };
    let predicted = circuit.run(&dry_run, &shape);

    let requests = dry_run.key_requests();
    assert!(requests.iter().all(|request| request.purpose.is_real()), "{requests:?}");
    assert!(requests.iter().any(|it| it.purpose == KeyPurpose::RealRelinearization));
    let keys = SecretPair { dense: &secret, sparse: &secret }.generate_keys(&ring, &requests);
    let real_slots = RealSlots::new(&ring, scale, limbs, limbs);
    let evaluator = Evaluator::new(&ring, &keys).with_real_slots(&real_slots);
    let results = circuit.run(&evaluator, &encrypt(&ring, &secret, slots, scale, limbs));

    assert_eq!([results.len(), predicted.len()], [expected.len(); 2]);
    let compare = |((result, shape), expected): ((_, &Shape), &&dyn Fn(f64) -> f64)| {
        assert_eq!(evaluator.limbs(result), shape.limbs);
        assert!((evaluator.scale(result) / shape.scale - 1.0).abs() < 1e-9);
        let found = decrypt(&ring, &secret, result, DEGREE / 2);
        let error = |(z, slot): (&Complex64, &Complex64)| {
            (z - Complex64::new(expected(2.0 * slot.re), expected(2.0 * slot.im))).norm()
        };
        let errors: Vec<f64> = found.iter().zip(slots).map(error).collect();
        let square = errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64;
        let largest = errors.into_iter().fold(0.0, f64::max);
        Errors { largest, ratio: square / shape.noise.total() }
    };
    results.iter().zip(&predicted).zip(expected).map(compare).collect()
}

struct Square;

impl Circuit for Square {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext> {
        let real = arithmetic.over_real_slots();
        let parts = arithmetic.enter_real(ct);
        let mut square = real.mul(&parts, &parts);
        real.add_constant_assign(&mut square, Complex64::new(0.25, 0.0));
        vec![arithmetic.rescale(arithmetic.leave_real(&square), 1)]
    }
}

#[test]
fn squares_of_parts() {
    let slots: Vec<_> =
        (0..DEGREE / 2).map(|i| Complex64::from_polar(0.45, i as f64 * 0.37)).collect();
    let errors = check(&Square, 6, &slots, &[&|x| x * x + 0.25]);
    assert!((0.6..1.4).contains(&errors[0].ratio), "{errors:?}");
    assert!(errors[0].largest < 1e-10, "{errors:?}");
}

struct Parts(Exponential);

impl Circuit for Parts {
    fn run<A: Arithmetic>(&self, arithmetic: &A, ct: &A::Ciphertext) -> Vec<A::Ciphertext> {
        let phases = arithmetic.enter_real(ct);
        let parts = self.0.evaluate_parts(&arithmetic.over_real_slots(), &phases);
        let leave = |part| arithmetic.rescale(arithmetic.leave_real(part), 1);
        parts.iter().map(leave).collect()
    }
}

/// Cosines and sines of phases have errors within those of the approximation and of the dry run, which is
/// careful of how errors of a series' steps are correlated.
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
        let expected: [&dyn Fn(f64) -> f64; 2] =
            [&|x| (TAU * bound * x).cos(), &|x| (TAU * bound * x).sin()];
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
