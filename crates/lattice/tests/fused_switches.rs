//! Key switches that are fused with what follows them are, word for word, those that are not.

use cryptable_lattice::divided_key_switch::switch_and_divide;
use cryptable_lattice::key_generation::SecretPair;
use cryptable_lattice::key_switching::{add_switched_image, switch};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{KeyPurpose, RlweCiphertext, SwitchingKey, SwitchingKeyShape};
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{Basis, Chain, Evaluations, Poly, Ring, SharedLimbs, kernels};

/// More than one block of the fused passes, at the least.
const DEGREE: usize = 1 << 14;

fn uniform(ring: &Ring, basis: Basis) -> Poly<Evaluations> {
    let mut poly = Poly::zero(ring, basis);
    let seed = Seed::random();
    for (limb, words) in poly.words_mut().chunks_mut(ring.degree()).enumerate() {
        RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, limb as u64)
            .uniform_assign(words, ring.modulus(ring.prime_index(basis, limb)).value());
    }
    poly
}

fn relinearization_key(ring: &Ring, shape: SwitchingKeyShape) -> SwitchingKey {
    let dense = TernarySecret::uniform(ring.degree());
    SecretPair { dense: &dense, sparse: &dense }.generate_key(
        ring,
        KeyPurpose::Relinearization,
        shape,
    )
}

/// Compares the fused switch of `main` primes with a switch and a division.
fn check(ring: &Ring, key: &SwitchingKey, main: usize, rescale: usize, with_sum: bool) {
    let basis = ring.main_basis(main);
    let [poly, add0, add1] = [(); 3].map(|()| uniform(ring, basis));
    let add = if with_sum { [Some(&add0), Some(&add1)] } else { [Some(&add0), None] };
    let apart = switch(ring, &poly, key, add);
    let (c0, c1) = (apart.c0.divide_round(ring, rescale), apart.c1.divide_round(ring, rescale));
    let fused = switch_and_divide(ring, &poly, key, add, rescale);
    assert!(fused.c0 == c0 && fused.c1 == c1, "{basis:?} less {rescale}");
}

#[test]
fn divided_switches() {
    let main = ntt_primes(DEGREE, 49.0, 5, &[]);
    let ring = Ring::new(DEGREE, &main, &ntt_primes(DEGREE, 50.0, 3, &main));
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
    let (small, single) = (ntt_primes(64, 24.9, 4, &[]), ntt_primes(64, 30.0, 1, &[]));
    let main = [small[0], small[1], single[0], small[2], small[3]];
    let chain = Chain { primes: main.to_vec(), shared: SharedLimbs::of_limbs(&[2, 1, 2]) };
    let ring = Ring::with_chains(64, vec![chain], &ntt_primes(64, 46.0, 2, &[]));
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
    // Two blocks of words, which permutations fill from one another.
    const DEGREE: usize = 1 << 14;
    let main = ntt_primes(DEGREE, 49.0, 4, &[]);
    let ring = Ring::new(DEGREE, &main, &ntt_primes(DEGREE, 50.0, 2, &main));
    let basis = Basis::new(4, 2);
    let key = relinearization_key(&ring, SwitchingKeyShape { basis, digit_limbs: 2 });
    let (c0, c1) = (uniform(&ring, basis), uniform(&ring, Basis::main(4)));
    let mut acc = RlweCiphertext { c0: uniform(&ring, basis), c1: uniform(&ring, basis) };
    let permutation = ring.galois_permutation(ring.rotation_element(3));
    let mut expected = acc.clone();
    let mut switched = switch(&ring, &c1, &key, [None, None]);
    switched.c0.add_assign(&ring, &c0);
    for (sum, image) in [(&mut expected.c0, &switched.c0), (&mut expected.c1, &switched.c1)] {
        for (limb, words) in sum.words_mut().chunks_mut(DEGREE).enumerate() {
            let m = ring.modulus(ring.prime_index(basis, limb));
            kernels::permute_add_assign(m, words, image.limb(limb), permutation.whole());
        }
    }
    add_switched_image(&ring, &mut acc, &c0, &c1, &key, &permutation);
    assert!(acc.c0 == expected.c0 && acc.c1 == expected.c1);
}
