//! Key switching: exact noise on many coefficients, and the security of sparse-secret encapsulation.

use cryptable_lattice::divided_key_switch::switch_and_rescale;
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{KeyPurpose, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::replay;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{Basis, Chain, Coefficients, Evaluations, Poly, Ring, SharedLimbs};

const DEGREE: usize = 2048;
const LIMBS: usize = 6;

fn ring(special: usize, log2_special: f64) -> Ring {
    let main = ntt_primes(DEGREE, 49.0, LIMBS, &[]);
    Ring::new(DEGREE, &main, &ntt_primes(DEGREE, log2_special, special, &main))
}

fn secrets() -> (TernarySecret, TernarySecret) {
    let mut stream = RandomStream::from_os();
    let dense = TernarySecret::sample(DEGREE, &mut stream);
    (dense, TernarySecret::of_weight(DEGREE, 32, &mut stream))
}

fn uniform(ring: &Ring, basis: Basis) -> Poly<Evaluations> {
    let mut poly = Poly::zero(ring, basis);
    let seed = Seed::random();
    for (limb, words) in poly.words_mut().chunks_mut(DEGREE).enumerate() {
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, limb as u64)
            .uniform_assign(words, ring.modulus(ring.prime_index(basis, limb)).value());
    }
    poly
}

/// Mean square of `c0 + c1·s - c·s'`, the noise of a key switch, on its lowest limb.
fn noise(ring: &Ring, shape: SwitchingKeyShape, limbs: usize) -> f64 {
    let (dense, sparse) = secrets();
    let pair = SecretPair { dense: &dense, sparse: &sparse };
    let key = pair.generate_key(ring, KeyPurpose::SparseToDense, shape);
    let basis = ring.main_basis(limbs);
    let c = uniform(ring, basis);
    let zero = Poly::<Evaluations>::zero(ring, basis);
    let switched = switch_and_rescale(ring, &zero, &c, &key, 0);
    let mut difference = switched.c1;
    difference.mul_assign(ring, &dense.evaluations(ring, basis));
    difference.add_assign(ring, &switched.c0);
    let mut expected = c;
    expected.mul_assign(ring, &sparse.evaluations(ring, basis));
    difference.sub_assign(ring, &expected);
    let difference: Poly<Coefficients> = difference.into_coefficients(ring);
    let m = ring.modulus(ring.prime_index(basis, 0));
    let squares = difference.limb(0).iter().map(|&x| (m.center(x) as f64).powi(2));
    squares.sum::<f64>() / DEGREE as f64
}

#[test]
fn switching_noise_follows_its_formula_for_any_number_of_digits() {
    let _replay = replay::begin();
    // Rounding: (1 + N·2/3)/12. Digits: d·N·(D²/12)·10.5/P², D and P as log2.
    let rounding = (1.0 + DEGREE as f64 * 2.0 / 3.0) / 12.0;
    // The last has special primes smaller than a digit, so that the digits' noise is what is seen.
    for (digit_limbs, special, limbs, log2_special) in [
        (1, 1, 6, 50.0),
        (2, 2, 6, 50.0),
        (3, 3, 6, 50.0),
        (3, 3, 4, 50.0),
        (6, 6, 5, 50.0),
        (1, 1, 6, 40.0),
    ] {
        let ring = ring(special, log2_special);
        let shape = SwitchingKeyShape { basis: Basis::new(LIMBS, special), digit_limbs };
        let digits = shape.digits_at(limbs) as f64;
        let log2_digit = 49.0 * digit_limbs.min(limbs) as f64;
        let ratio = (log2_digit - log2_special * special as f64).exp2();
        let digit_noise = digits * DEGREE as f64 * 10.5 / 12.0 * ratio * ratio;
        let expected = rounding + digit_noise;
        let measured = noise(&ring, shape, limbs);
        // Digits at a partly filled level are smaller than the formula's: at most the formula.
        let low = if limbs % digit_limbs == 0 { 0.8 } else { 0.3 };
        let found = measured / expected;
        assert!(
            (low..1.25).contains(&found),
            "{digit_limbs} limbs per digit, {special} special, level {limbs}: {found}"
        );
    }
}

#[test]
fn switching_noise_follows_its_formula_where_primes_share_limbs() {
    let _replay = replay::begin();
    // Limbs of 49.8, 30 and 49.8 bits and one special prime of 46: noise is that of the digits.
    let (small, single) = (ntt_primes(DEGREE, 24.9, 4, &[]), ntt_primes(DEGREE, 30.0, 1, &[]));
    let main = [small[0], small[1], single[0], small[2], small[3]];
    let special = ntt_primes(DEGREE, 46.0, 1, &[]);
    let shared = SharedLimbs::of_limbs(&[2, 1, 2]);
    let chain = Chain { primes: main.to_vec(), shared };
    let ring = Ring::with_chains(DEGREE, vec![chain], &special);
    for (digit_limbs, limbs) in [(1, 5), (1, 4), (1, 3), (1, 2), (2, 5)] {
        let shape = SwitchingKeyShape { basis: ring.full_basis(), digit_limbs };
        let digits = (0..shape.digits_at(limbs)).map(|digit| {
            let range = shape.digit_range(digit, limbs);
            let moduli = range.map(|limb| ring.prime_index(ring.main_basis(limbs), limb));
            moduli.map(|i| ring.modulus(i).value() as f64).product::<f64>()
        });
        let squares: f64 = digits.map(|digit| (digit / special[0] as f64).powi(2)).sum();
        let rounding = (1.0 + DEGREE as f64 * 2.0 / 3.0) / 12.0;
        let expected = rounding + squares * DEGREE as f64 * 10.5 / 12.0;
        let found = noise(&ring, shape, limbs) / expected;
        assert!(
            (0.8..1.25).contains(&found),
            "{digit_limbs} limbs per digit, level {limbs}: {found}"
        );
    }
}

#[test]
#[should_panic(expected = "must stay at q0·p0")]
fn the_key_towards_the_sparse_secret_exists_at_the_bottom_only() {
    // Published at a larger modulus, this key reveals the sparse secret, and with it the dense one.
    let ring = ring(1, 50.0);
    let (dense, sparse) = secrets();
    let pair = SecretPair { dense: &dense, sparse: &sparse };
    let shape = SwitchingKeyShape { basis: Basis::new(2, 1), digit_limbs: 1 };
    let _ = pair.generate_key(&ring, KeyPurpose::DenseToSparse, shape);
}
