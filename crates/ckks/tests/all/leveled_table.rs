//! Tables of slots without a bootstrap, on a toy ring: values of every input, and errors bounded from both sides.

use std::sync::LazyLock;

use cryptable_ckks::dry_run::{DryRunParameters, Shape, SlotNoise};
use cryptable_ckks::encryption::{decrypt, encrypt};
use cryptable_ckks::leveled_table::LeveledTable;
use cryptable_ckks::paterson_stockmeyer::{PolynomialBasis, Steps};
use cryptable_ckks::{Arithmetic, DryRun, Evaluator};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{EvaluationKeys, KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::replay;
use cryptable_ring::{Basis, Ring};
use num_complex::Complex64;

const DEGREE: usize = 1 << 10;
const LIMBS: usize = 8;

struct InsecureSetup {
    ring: Ring,
    secret: TernarySecret,
    keys: EvaluationKeys,
    primes: Vec<f64>,
}

fn key_shape() -> SwitchingKeyShape {
    SwitchingKeyShape { basis: Basis::new(LIMBS, 3), digit_limbs: 2 }
}

static SETUP: LazyLock<InsecureSetup> = LazyLock::new(|| {
    let _replay = replay::begin();
    let main = ntt_primes(DEGREE, 40.0, LIMBS, &[]);
    let special = ntt_primes(DEGREE, 45.0, 3, &main);
    let ring = Ring::new(DEGREE, &main, &special);
    let secret = TernarySecret::uniform(DEGREE);
    let mut keys = EvaluationKeys::new();
    let secrets = SecretPair { dense: &secret, sparse: &secret };
    let purpose = KeyPurpose::Relinearization;
    keys.insert(purpose, secrets.generate_key(&ring, purpose, key_shape()));
    InsecureSetup { ring, secret, keys, primes: main.iter().map(|&q| q as f64).collect() }
});

impl InsecureSetup {
    fn dry_run(&self) -> DryRun {
        DryRun::new(DryRunParameters::new(DEGREE, &self.primes, key_shape(), 45.0))
    }

    /// Outputs of a table on given slots, and the root mean square that the dry run predicts for noise of this
    /// variance.
    fn run(&self, table: &LeveledTable, inputs: &[f64], variance: f64) -> (Vec<f64>, f64) {
        let slots: Vec<Complex64> = inputs.iter().map(|&x| Complex64::from(x)).collect();
        let scale = self.primes[LIMBS - 1];
        let ct = encrypt(&self.ring, &self.secret, &slots, scale, LIMBS);
        let evaluator = Evaluator::new(&self.ring, &self.keys);
        let output = table.evaluate(&evaluator, &ct, scale);
        assert_eq!(output.limbs(), LIMBS - table.levels());
        assert!((output.scale / scale - 1.0).abs() < 1e-12);
        let found = decrypt(&self.ring, &self.secret, &output, slots.len());
        let dry_run = self.dry_run();
        let power = inputs.iter().map(|x| x * x).sum::<f64>() / inputs.len() as f64;
        let fresh = dry_run.fresh_noise(scale).total();
        let shape = Shape::new(LIMBS, scale, power, SlotNoise::gaussian(fresh + variance));
        let predicted = table.predict(&dry_run, shape, scale);
        assert_eq!((predicted.limbs, predicted.scale), (output.limbs(), output.scale));
        (found.iter().map(|z| z.re).collect(), predicted.noise.total().sqrt())
    }
}

fn root_mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(|x| x * x).sum::<f64>() / count).sqrt()
}

/// Values of all inputs, repeated over the slots.
fn repeated(p: usize) -> Vec<usize> {
    (0..DEGREE / 2).map(|slot| slot % p).collect()
}

#[test]
fn every_value_of_insecure_toys_comes_out() {
    let random = |p: usize| (0..p).map(|m| ((m * m * 5 + 3 * m) % 11) as f64 / 11.0).collect();
    let tables: Vec<(Vec<f64>, usize)> = vec![
        (vec![0.0, 1.0], 1),
        (vec![1.0, 0.0], 3),
        (vec![0.25; 3], 2),
        (vec![-1.0, 0.0, 1.0], 1),
        ((0..4).map(f64::from).collect(), 1),
        (random(5), 2),
        (random(8), 1),
        (vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0], 1),
    ];
    for (values, order) in tables {
        let table = LeveledTable::of_integers(&values, order).unwrap();
        let slots = repeated(values.len());
        let inputs: Vec<f64> = slots.iter().map(|&m| m as f64).collect();
        let (found, predicted) = SETUP.run(&table, &inputs, 0.0);
        let errors: Vec<f64> = found.iter().zip(&slots).map(|(y, &m)| y - values[m]).collect();
        let measured = root_mean_square(errors.iter().copied());
        // Noises of powers count as correlated: predictions are a few bits too large.
        let ratio = measured / predicted;
        let name = format!("{} values of order {order}", values.len());
        // A constant table leaves nothing but a rounding.
        let least = if values.iter().all(|f| *f == values[0]) { 0.0 } else { 0.01 };
        assert!((least..1.2).contains(&ratio), "{name}: {measured:e}, {predicted:e}, {ratio}");
        let worst = errors.iter().fold(0f64, |a, e| a.max(e.abs()));
        assert!(worst < 12.0 * predicted, "{name}: {worst:e}");
    }
}

#[test]
fn errors_of_insecure_toys_are_raised_to_the_power_of_the_order() {
    let values = [0.5, -1.0, 0.25, 1.0];
    for order in 1..=3 {
        let table = LeveledTable::of_integers(&values, order).unwrap();
        let slots = repeated(4);
        let coefficients = table.polynomial().error_coefficients();
        let largest = coefficients.iter().fold(0f64, |a, c| a.max(c.abs()));
        for error in [0.01, 0.08] {
            let inputs: Vec<f64> = slots.iter().map(|&m| m as f64 + error).collect();
            let (found, _) = SETUP.run(&table, &inputs, 0.0);
            let power = (error / 1.5f64).powi(order as i32 + 1);
            for (m, &y) in found.iter().enumerate().take(4) {
                let expected = table.function(m as f64 + error);
                assert!((y - expected).abs() < 1e-7, "order {order}: {y} and {expected}");
                let off = y - values[m];
                assert!(off.abs() <= 1.001 * table.largest_deviation(error) + 1e-7);
                let (leading, close) = (coefficients[m] * power, 0.3 * largest * power + 1e-7);
                let is_small = error < 0.05;
                assert!(!is_small || (off - leading).abs() < close, "{order}: {off}, {leading}");
            }
        }
        // Gaussian errors of 3 %.
        let gaussian: Vec<f64> = (0..slots.len())
            .map(|slot| {
                // Box-Muller transform, on points that fill the square evenly.
                let (u, v) = ((slot as f64 + 0.5) / slots.len() as f64, slot as f64 * 0.618_034);
                (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
            })
            .collect();
        let inputs: Vec<f64> =
            slots.iter().zip(&gaussian).map(|(&m, g)| m as f64 + 0.03 * g).collect();
        let (found, predicted) = SETUP.run(&table, &inputs, 0.03 * 0.03);
        let measured = root_mean_square(
            found.iter().zip(&slots).map(|(y, &m)| y - values[m]).collect::<Vec<_>>().into_iter(),
        );
        let ratio = measured / predicted;
        // The highest moments of 512 samples.
        assert!((0.4..1.6).contains(&ratio), "order {order}: {measured:e}, {predicted:e}");
    }
}

#[test]
fn points_anywhere_and_cleanings_of_insecure_toys() {
    // Signs: -1, 0, 1 are mapped to themselves and cleaned. Points outside [-1, 1] cost a level.
    let clean = LeveledTable::new(&[-1.0, 0.0, 1.0], &[-1.0, 0.0, 1.0], 1).unwrap();
    let far = LeveledTable::new(&[-3.0, 0.5, 2.0], &[-1.0, 0.0, 1.0], 1).unwrap();
    assert_eq!((clean.levels(), far.levels()), (3, 4));
    for (table, points) in [(clean, [-1.0, 0.0, 1.0]), (far, [-3.0, 0.5, 2.0])] {
        let inputs: Vec<f64> = (0..DEGREE / 2).map(|slot| points[slot % 3] + 0.01).collect();
        let (found, _) = SETUP.run(&table, &inputs, 0.0);
        for (slot, y) in found.iter().enumerate() {
            let expected = [-1.0, 0.0, 1.0][slot % 3];
            assert!((y - expected).abs() < 2e-3, "slot {slot}: {y}");
        }
    }
    assert!(LeveledTable::new(&[0.0, f64::INFINITY], &[0.0, 1.0], 1).is_err());
    assert!(LeveledTable::of_integers(&[], 1).is_err());
}

#[test]
fn least_depth_serves_both_bases_of_insecure_toys() {
    let slots: Vec<Complex64> =
        (0..DEGREE / 2).map(|i| Complex64::from_polar(0.9, i as f64 * 0.37)).collect();
    let coefficients: Vec<Complex64> =
        (0..16).map(|k| Complex64::new(1.0 / f64::from(k + 1), 0.3 - 0.1 * f64::from(k))).collect();
    let evaluator = Evaluator::new(&SETUP.ring, &SETUP.keys);
    let ct = encrypt(&SETUP.ring, &SETUP.secret, &slots, SETUP.primes[LIMBS - 1], LIMBS);
    for log_babies in 1..=4 {
        let steps = Steps::new(&evaluator, PolynomialBasis::Power, &ct, 4, log_babies);
        let scale = evaluator.prime(3);
        let output = steps.evaluate_at_least_depth(&evaluator, &coefficients, scale);
        assert_eq!((output.limbs(), output.scale), (LIMBS - 4, scale));
        // Several series a level below. Of the last ones, one has only a constant above some zeros, and one only zeros.
        let mut series = vec![coefficients.clone(); 3];
        series[1][9..].fill(Complex64::ZERO);
        series[2][3..].fill(Complex64::ZERO);
        let mut found = steps.evaluate_with_constant_level(&evaluator, &series, scale);
        assert!(found.iter().all(|it| (it.limbs(), it.scale) == (LIMBS - 5, scale)));
        found.push(output);
        series.push(coefficients.clone());
        for (output, coefficients) in found.iter().zip(&series) {
            let found = decrypt(&SETUP.ring, &SETUP.secret, output, slots.len());
            for (y, z) in found.iter().zip(&slots) {
                let expected =
                    coefficients.iter().rev().fold(Complex64::ZERO, |sum, c| sum * z + c);
                assert!((y - expected).norm() < 1e-6, "{y} and {expected}");
            }
        }
    }
}
