//! Polynomials against big integers.

use num_bigint::BigInt;

use super::*;
use crate::primes::ntt_primes;
use crate::{Chain, SharedLimbs};

/// A ring whose second main modulus and last special one are products of two primes.
fn ring() -> Ring {
    let mut moduli = ntt_primes(32, 45.0, 7, &[]);
    let pairs = ntt_primes(32, 22.5, 4, &[]);
    (moduli[1], moduli[6]) = (pairs[0] * pairs[1], pairs[2] * pairs[3]);
    Ring::new(32, &moduli[..4], &moduli[4..])
}

/// A chain of seven primes in limbs of two, one, two and two, and two special primes.
fn shared_ring() -> Ring {
    let primes = ntt_primes(32, 24.9, 9, &[]);
    let shared = SharedLimbs::of_limbs(&[2, 1, 2, 2]);
    let chain = Chain { primes: primes[..7].to_vec(), shared };
    Ring::with_chains(32, vec![chain], &primes[7..])
}

/// Returns the centred integers of a polynomial, by the Chinese remainder theorem.
fn integers(ring: &Ring, poly: &Poly<Coefficients>) -> Vec<BigInt> {
    let primes: Vec<BigInt> = ring
        .limb_primes(poly.basis())
        .iter()
        .map(|&i| BigInt::from(ring.modulus(i).value()))
        .collect();
    let product: BigInt = primes.iter().product();
    (0..ring.degree())
        .map(|i| {
            let mut x = BigInt::from(0);
            for (limb, q) in primes.iter().enumerate() {
                let hat = &product / q;
                let inverse = hat.modinv(q).expect("coprime moduli");
                x += &hat * (inverse * poly.limb(limb)[i] % q);
            }
            let x = x % &product;
            if &x * 2 > product { x - &product } else { x }
        })
        .collect()
}

fn sample(ring: &Ring, basis: Basis) -> Poly<Coefficients> {
    let mut poly = Poly::<Coefficients>::zero(ring, basis);
    let mut state = 7u64;
    poly.for_each_limb(ring, |_, _| ());
    let degree = ring.degree();
    for (limb, words) in poly.words_mut().chunks_mut(degree).enumerate() {
        let m = ring.modulus(ring.prime_index(basis, limb));
        for word in words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(limb as u64 | 1);
            *word = m.reduce(state >> 20);
        }
    }
    poly
}

/// The product of the primes of a basis.
fn modulus(ring: &Ring, basis: Basis) -> BigInt {
    let moduli = ring.limb_primes(basis).into_iter();
    moduli.map(|i| BigInt::from(ring.modulus(i).value())).product()
}

fn check_division(ring: &Ring, basis: Basis, rescale: usize) {
    let poly = sample(ring, basis);
    let before = integers(ring, &poly);
    let after = poly.into_evaluations(ring).divide_round(ring, rescale);
    let kept_basis = basis.without_special().lowered(basis.main - rescale);
    assert_eq!(after.basis(), kept_basis);
    let kept = modulus(ring, kept_basis);
    let dropped = modulus(ring, basis) / &kept;
    for (x, y) in before.iter().zip(integers(ring, &after.into_coefficients(ring))) {
        // 2·|x - y·D| <= D, up to a multiple of the remaining modulus.
        let mut distance = (x - &y * &dropped) % (&kept * &dropped);
        if &distance * 2 > &kept * &dropped {
            distance -= &kept * &dropped;
        } else if &distance * -2 > &kept * &dropped {
            distance += &kept * &dropped;
        }
        assert!(distance.magnitude() * 2u8 <= *dropped.magnitude(), "{basis:?}: {distance}");
    }
}

#[test]
fn divide_round_is_division_rounded_to_nearest() {
    for (special, rescale) in [(0, 1), (3, 0), (3, 1), (1, 0), (2, 2)] {
        check_division(&ring(), Basis::new(4, special), rescale);
    }
    let ring = shared_ring();
    for main in 2..=7 {
        for special in 0..=2 {
            for rescale in usize::from(special == 0)..main.min(5) {
                let basis = Basis { special, ..ring.main_basis(main) };
                check_division(&ring, basis, rescale);
            }
        }
    }
}

#[test]
fn dropped_primes_leave_residues() {
    let ring = shared_ring();
    for (from, to) in [(7, 6), (7, 4), (6, 5), (5, 4), (3, 2), (3, 1), (2, 1), (4, 4)] {
        let poly = sample(&ring, ring.main_basis(from));
        let modulus = modulus(&ring, ring.main_basis(to));
        let residue = |x: BigInt| ((x % &modulus) + &modulus) % &modulus;
        let expected: Vec<BigInt> = integers(&ring, &poly).into_iter().map(residue).collect();
        let limbs: Vec<u64> = (0..ring.main_basis(to).limbs())
            .flat_map(|limb| poly.limb_of(&ring, to, limb).into_owned())
            .collect();
        let mut dropped = poly;
        dropped.drop_to(&ring, to);
        assert_eq!(dropped.words(), limbs);
        let found = integers(&ring, &dropped).into_iter().map(residue);
        assert!(found.eq(expected), "{from} to {to} primes");
    }
}

#[test]
fn switching_chains_is_a_rounded_multiple() {
    let small = ntt_primes(32, 24.9, 5, &[]);
    let chains = vec![
        Chain { primes: small, shared: SharedLimbs::of_limbs(&[2, 1, 2]) },
        Chain::new(&ntt_primes(32, 47.0, 3, &[])),
    ];
    let ring = Ring::with_chains(32, chains, &[]);
    for (from, to) in [((1, 3), (0, 5)), ((1, 2), (0, 4)), ((0, 5), (1, 2)), ((0, 2), (1, 1))] {
        let poly = sample(&ring, ring.chain_basis(from.0, from.1));
        let x = integers(&ring, &poly);
        let found = poly.into_evaluations(&ring).switch_chain(&ring, to.0, to.1);
        let moduli = [from, to].map(|(chain, main)| modulus(&ring, ring.chain_basis(chain, main)));
        let [q, target] = &moduli;
        for (x, y) in x.iter().zip(integers(&ring, &found.into_coefficients(&ring))) {
            // 2·|x·Q' - y·Q| <= Q, up to a multiple of Q·Q'.
            let all = q * target;
            let distance = (((x * target - y * q) % &all) + &all) % &all;
            let distance = (&all - &distance).min(distance);
            assert!(distance * 2 <= *q, "{from:?} to {to:?}");
        }
    }
}

#[test]
fn conversions_keep_centred_integers() {
    let ring = ring();
    let poly = sample(&ring, Basis::new(0, 3));
    let expected = integers(&ring, &poly);
    let source = poly.into_evaluations(&ring);
    let mut out = vec![0u64; 4 * 32];
    let mut targets: Vec<(usize, &mut [u64])> = out.chunks_mut(32).enumerate().collect();
    ring.convert_base(&[4, 5, 6], source.words(), &mut targets);
    let out = Poly::<Coefficients>::from_words(&ring, Basis::main(4), out);
    assert_eq!(integers(&ring, &out), expected);
}
