//! Key switching: exact noise on many coefficients, the security of sparse-secret encapsulation, and switches that are
//! fused with the following steps, whose results must equal those of the unfused ones word for word.

use cryptable_lattice::divided_key_switch::{switch_and_divide, switch_and_rescale};
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::key_switching::{add_switched_image, switch};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{KeyPurpose, RlweCiphertext, SwitchingKey, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose, replay};
use cryptable_ring::{Basis, Chain, Coefficients, Evaluations, Poly, Ring, SharedLimbs, kernels};

const DEGREE: usize = 2048;
const LIMBS: usize = 6;

/// At least two blocks of fused passes.
const FUSED_DEGREE: usize = 1 << 14;

fn ring(degree: usize, limbs: usize, special: usize, log2_special: f64) -> Ring {
    let main = ntt_primes(degree, 49.0, limbs, &[]);
    Ring::new(degree, &main, &ntt_primes(degree, log2_special, special, &main))
}

/// Returns a ring with a chain in limbs of 49.8, 30 and 49.8 bits, and special primes of 46.
fn shared_ring(degree: usize, special: usize) -> Ring {
    let (small, single) = (ntt_primes(degree, 24.9, 4, &[]), ntt_primes(degree, 30.0, 1, &[]));
    let primes = vec![small[0], small[1], single[0], small[2], small[3]];
    let chain = Chain { primes, shared: SharedLimbs::of_limbs(&[2, 1, 2]) };
    Ring::with_chains(degree, vec![chain], &ntt_primes(degree, 46.0, special, &[]))
}

fn secrets() -> (TernarySecret, TernarySecret) {
    let mut stream = RandomStream::from_os();
    let dense = TernarySecret::sample(DEGREE, &mut stream);
    (dense, TernarySecret::of_weight(DEGREE, 32, &mut stream))
}

fn uniform(ring: &Ring, basis: Basis) -> Poly<Evaluations> {
    let mut poly = Poly::zero(ring, basis);
    let seed = Seed::random();
    for (limb, words) in poly.words_mut().chunks_mut(ring.degree()).enumerate() {
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, limb as u64)
            .uniform_assign(words, ring.modulus(ring.prime_index(basis, limb)).value());
    }
    poly
}

/// Returns the mean square of `c0 + c1·s - c·s'`, the noise of a key switch, on its lowest limb.
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
    // Rounding: (1 + N·2/3)/12. Digits: d·N·(D²/12)·10.5/P², with D and P as log2.
    let rounding = (1.0 + DEGREE as f64 * 2.0 / 3.0) / 12.0;
    // The last case has special primes smaller than a digit, so that the digits' noise dominates.
    for (digit_limbs, special, limbs, log2_special) in [
        (1, 1, 6, 50.0),
        (2, 2, 6, 50.0),
        (3, 3, 6, 50.0),
        (3, 3, 4, 50.0),
        (6, 6, 5, 50.0),
        (1, 1, 6, 40.0),
    ] {
        let ring = ring(DEGREE, LIMBS, special, log2_special);
        let shape = SwitchingKeyShape { basis: Basis::new(LIMBS, special), digit_limbs };
        let digits = shape.digits_at(limbs) as f64;
        let log2_digit = 49.0 * digit_limbs.min(limbs) as f64;
        let ratio = (log2_digit - log2_special * special as f64).exp2();
        let digit_noise = digits * DEGREE as f64 * 10.5 / 12.0 * ratio * ratio;
        let expected = rounding + digit_noise;
        let measured = noise(&ring, shape, limbs);
        // Digits at a partly filled level are smaller than in the formula, so the noise is at most that of the formula.
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
    // With one special prime the noise is that of the digits.
    let ring = shared_ring(DEGREE, 1);
    let special = ntt_primes(DEGREE, 46.0, 1, &[])[0] as f64;
    for (digit_limbs, limbs) in [(1, 5), (1, 4), (1, 3), (1, 2), (2, 5)] {
        let shape = SwitchingKeyShape { basis: ring.full_basis(), digit_limbs };
        let digits = (0..shape.digits_at(limbs)).map(|digit| {
            let range = shape.digit_range(digit, limbs);
            let moduli = range.map(|limb| ring.prime_index(ring.main_basis(limbs), limb));
            moduli.map(|i| ring.modulus(i).value() as f64).product::<f64>()
        });
        let squares: f64 = digits.map(|digit| (digit / special).powi(2)).sum();
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
    // Published at a larger modulus, this key would reveal the sparse secret, and with it the dense one.
    let ring = ring(DEGREE, LIMBS, 1, 50.0);
    let (dense, sparse) = secrets();
    let pair = SecretPair { dense: &dense, sparse: &sparse };
    let shape = SwitchingKeyShape { basis: Basis::new(2, 1), digit_limbs: 1 };
    let _ = pair.generate_key(&ring, KeyPurpose::DenseToSparse, shape);
}

fn relinearization_key(ring: &Ring, shape: SwitchingKeyShape) -> SwitchingKey {
    let dense = TernarySecret::uniform(ring.degree());
    let pair = SecretPair { dense: &dense, sparse: &dense };
    pair.generate_key(ring, KeyPurpose::Relinearization, shape)
}

/// Compares the fused switch of `main` primes with a switch followed by a division.
fn check(ring: &Ring, key: &SwitchingKey, main: usize, rescale: usize, with_sum: bool) {
    let basis = ring.main_basis(main);
    let [poly, add0, add1] = [(); 3].map(|()| uniform(ring, basis));
    let add = if with_sum { [Some(&add0), Some(&add1)] } else { [Some(&add0), None] };
    let apart = switch(ring, &poly, key, add);
    let RlweCiphertext { c0, c1 } = apart.divide_round(ring, rescale);
    let fused = switch_and_divide(ring, &poly, key, add, rescale);
    assert!(fused.c0 == c0 && fused.c1 == c1, "{basis:?} less {rescale}");
}

#[test]
fn divided_switches() {
    let ring = ring(FUSED_DEGREE, 5, 3, 50.0);
    for (digit_limbs, special) in [(3, 3), (5, 1), (1, 2)] {
        let shape = SwitchingKeyShape { basis: Basis::new(5, special), digit_limbs };
        let key = relinearization_key(&ring, shape);
        for (limbs, rescale, with_sum) in
            [(5, 0, false), (5, 1, true), (4, 1, true), (3, 2, true), (1, 0, false)]
        {
            check(&ring, &key, limbs, rescale, with_sum);
        }
    }
}

#[test]
fn divided_switches_where_primes_share_limbs() {
    let ring = shared_ring(64, 2);
    for digit_limbs in [1, 2] {
        let key =
            relinearization_key(&ring, SwitchingKeyShape { basis: ring.full_basis(), digit_limbs });
        for limbs in 1..=5 {
            for rescale in 0..limbs.min(3) {
                check(&ring, &key, limbs, rescale, true);
            }
        }
    }
}

#[test]
fn images_of_switches() {
    // Two blocks of words, between which permutations move words.
    let ring = ring(FUSED_DEGREE, 4, 2, 50.0);
    let basis = Basis::new(4, 2);
    let key = relinearization_key(&ring, SwitchingKeyShape { basis, digit_limbs: 2 });
    let (c0, c1) = (uniform(&ring, basis), uniform(&ring, Basis::main(4)));
    let mut acc = RlweCiphertext { c0: uniform(&ring, basis), c1: uniform(&ring, basis) };
    let permutation = ring.galois_permutation(ring.rotation_element(3));
    let mut expected = acc.clone();
    let mut switched = switch(&ring, &c1, &key, [None, None]);
    switched.c0.add_assign(&ring, &c0);
    for (sum, image) in [(&mut expected.c0, &switched.c0), (&mut expected.c1, &switched.c1)] {
        for (limb, words) in sum.words_mut().chunks_mut(FUSED_DEGREE).enumerate() {
            let m = ring.modulus(ring.prime_index(basis, limb));
            kernels::permute_add_assign(m, words, image.limb(limb), permutation.whole());
        }
    }
    add_switched_image(&ring, &mut acc, &c0, &c1, &key, &permutation);
    assert!(acc.c0 == expected.c0 && acc.c1 == expected.c1);
}
