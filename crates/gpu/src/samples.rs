//! Rings and polynomials for tests.

use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Basis, Chain, Domain, Poly, Ring, SharedLimbs};

/// SplitMix64.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Eight primes: of 50 bits, pairs of 25 bits that share limbs, of 50 bits, and one of 60 bits; two special ones.
pub(crate) fn ring(degree: usize) -> Ring {
    let (large, small) = (ntt_primes(degree, 50.0, 5, &[]), ntt_primes(degree, 24.9, 4, &[]));
    let huge = ntt_primes(degree, 60.0, 1, &[]);
    let [a, b, c] = [large[0], large[1], large[2]];
    let primes = vec![a, small[0], small[1], b, small[2], small[3], c, huge[0]];
    let chain = Chain { primes, shared: SharedLimbs::of_limbs(&[1, 2, 1, 2, 1, 1]) };
    Ring::with_chains(degree, vec![chain], &large[3..])
}

/// Random words, among them 0 and the largest ones; those only, for seed 0.
pub(crate) fn poly<D: Domain>(ring: &Ring, basis: Basis, seed: u64) -> Poly<D> {
    let mut poly = Poly::unspecified(ring, basis);
    let mut state = seed;
    for (limb, words) in poly.words_mut().chunks_mut(ring.degree()).enumerate() {
        let q = ring.modulus(ring.prime_index(basis, limb)).value();
        for word in words {
            let random = random(&mut state);
            *word = match random >> 61 {
                _ if seed == 0 => q - 1,
                0 => q - 1,
                1 => 0,
                2 => q / 2 + (random & 1),
                _ => random % q,
            };
        }
    }
    poly
}
