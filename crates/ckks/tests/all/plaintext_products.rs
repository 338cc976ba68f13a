//! Products with plaintexts, compared with plain arithmetic, and their noise, compared with the dry run.

use cryptable_ckks::dry_run::{DryRunParameters, PlainShape, Shape, SlotNoise};
use cryptable_ckks::encryption::{decrypt, encrypt, encrypt_seeded};
use cryptable_ckks::plaintext::rounded_coefficients;
use cryptable_ckks::{Arithmetic, DryRun, Evaluator, Plaintext};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{EvaluationKeys, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::replay;
use cryptable_ring::{Basis, Embedding, Ring};
use num_complex::Complex64;

const DEGREE: usize = 1024;
const LIMBS: usize = 3;
const TERMS: usize = 5;

fn setup() -> (Ring, TernarySecret) {
    let ring = Ring::new(DEGREE, &ntt_primes(DEGREE, 49.0, LIMBS, &[]), &[]);
    (ring, TernarySecret::uniform(DEGREE))
}

fn sample(count: usize, seed: usize) -> Vec<Complex64> {
    (0..count)
        .map(|j| Complex64::new((j * j + seed) as f64, (7 * j + 3 * seed) as f64))
        .map(|z| Complex64::new(z.re.sin(), z.im.cos()))
        .collect()
}

/// Ratio of the measured to the predicted deviation of `Σ ct·plain`, rescaled, with plaintexts of this scale.
fn noise_ratio(slots: usize, plain_scale: f64) -> f64 {
    let (ring, secret) = setup();
    let keys = EvaluationKeys::new();
    let evaluator = Evaluator::new(&ring, &keys);
    let primes: Vec<f64> = (0..LIMBS).map(|i| evaluator.prime(i)).collect();
    let unused = SwitchingKeyShape { basis: Basis::new(LIMBS, 1), digit_limbs: 1 };
    let dry_run = DryRun::new(DryRunParameters::new(DEGREE, &primes, unused, 50.0));
    let embedding = Embedding::new(slots);
    let scale = 45f64.exp2();
    let values: Vec<_> = (0..TERMS).map(|k| (sample(slots, k), sample(slots, 100 + k))).collect();
    let encoded: Vec<_> = values
        .iter()
        .map(|(x, y)| {
            let plain = Plaintext::encode(&ring, &embedding, y, plain_scale, LIMBS);
            (encrypt(&ring, &secret, x, scale, LIMBS), plain)
        })
        .collect();
    let pairs: Vec<_> = encoded.iter().map(|(ct, plain)| (ct, plain)).collect();
    let found = evaluator.rescale(evaluator.plain_product_sum(&pairs), 1);
    assert_eq!(found.limbs(), LIMBS - 1);

    // Samples have a mean square of 1 over both parts; encryption noise is that of every coefficient.
    let noise = SlotNoise::gaussian(10.5 * DEGREE as f64 / (scale * scale));
    let shape = Shape::new(LIMBS, scale, 1.0, noise);
    let plain = PlainShape { scale: plain_scale, mean_square: 1.0, slots };
    let predicted = dry_run.rescale(dry_run.plain_product_sum(&[(&shape, &plain); TERMS]), 1);
    assert_eq!((predicted.limbs, predicted.scale), (found.limbs(), found.scale));
    assert!((predicted.power.0 - TERMS as f64).abs() < 1e-9);

    let decrypted = decrypt(&ring, &secret, &found, slots);
    let errors = (0..slots).map(|j| {
        let expected: Complex64 = values.iter().map(|(x, y)| x[j] * y[j]).sum();
        (decrypted[j] - expected).norm_sqr()
    });
    (errors.sum::<f64>() / slots as f64 / predicted.noise.total()).sqrt()
}

#[test]
fn noise_of_products_is_as_predicted() {
    let _replay = replay::begin();
    // At 2^20 the rounding of plaintexts dominates, at 2^49 the noise of ciphertexts.
    for (slots, plain_scale, bounds) in [
        (512, 49f64.exp2(), 0.85..1.15),
        (512, 20f64.exp2(), 0.85..1.15),
        // For sparse packing, the dry run counts the noise of all coefficients.
        (64, 49f64.exp2(), 0.2..0.5),
    ] {
        let ratio = noise_ratio(slots, plain_scale);
        assert!(bounds.contains(&ratio), "{slots} slots, 2^{}: {ratio}", plain_scale.log2());
    }
}

#[test]
fn one_product_equals_a_sum_of_one() {
    let (ring, secret) = setup();
    let keys = EvaluationKeys::new();
    let evaluator = Evaluator::new(&ring, &keys);
    let ct = encrypt(&ring, &secret, &sample(512, 1), 40f64.exp2(), LIMBS);
    let plain =
        Plaintext::encode(&ring, &Embedding::new(512), &sample(512, 2), 40f64.exp2(), LIMBS);
    let product = evaluator.mul_plain(&ct, &plain);
    let mut c0 = ct.parts.c0.clone();
    c0.mul_assign(&ring, &plain.poly);
    assert_eq!(product.parts.c0, c0);
    assert_eq!(product.scale, 80f64.exp2());
}

#[test]
fn seeds_expand_to_the_ciphertext() {
    let (ring, secret) = setup();
    let (slots, scale) = (sample(128, 5), 45f64.exp2());
    let coefficients = rounded_coefficients(DEGREE, &Embedding::new(128), &slots, scale);
    let encrypt = || encrypt_seeded(&ring, &secret, coefficients.clone(), scale, LIMBS);
    let (first, second) = (encrypt(), encrypt());
    assert_ne!(first.seed, second.seed);
    for seeded in [first, second] {
        let found = decrypt(&ring, &secret, &seeded.expand(&ring), 128);
        let worst = found.iter().zip(&slots).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(worst > 0.0 && worst < 1e-9, "{worst:e}");
    }
}
