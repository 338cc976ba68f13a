//! Transforms of both arithmetics against those of the processor.

use cryptable_ring::primes::ntt_primes;
use cryptable_ring::{Basis, Chain, Coefficients, Poly, Ring, SharedLimbs};

use super::*;
use crate::Device;
use crate::ntt_tables::TransformTables;
use crate::poly::DevicePoly;

/// Moduli for a degree: the largest primes below 2^50 and near 2^49, small ones, and two of 59 bits.
fn primes(degree: usize) -> Vec<u64> {
    let mut primes = ntt_primes(degree, 50.0, 2, &[]);
    for (log2, count) in [(49.0, 1), (2.5 + (2.0 * degree as f64).log2(), 1), (59.0, 2), (61.0, 1)]
    {
        primes.extend(ntt_primes(degree, log2, count, &primes));
    }
    primes
}

/// A ring with those moduli, and two products of two primes.
fn ring(degree: usize) -> Ring {
    let mut paired = ntt_primes(degree, 24.98, 2, &[]);
    paired.extend(ntt_primes(degree, 22.0, 2, &paired));
    let shared = SharedLimbs::of_limbs(&[2, 2]);
    let chain = Chain { primes: paired, shared };
    Ring::with_chains(degree, vec![chain, Chain::new(&primes(degree))], &[])
}

/// All moduli of the ring, by number.
fn all(ring: &Ring) -> Vec<usize> {
    (0..ring.moduli().values().len()).collect()
}

/// SplitMix64, of residues.
fn random(seed: u64, count: usize, q: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % q
    };
    (0..count).map(|_| next()).collect()
}

/// Residues that keep numbers at the ends of their ranges, and random ones.
fn input(kind: u64, degree: usize, q: u64) -> Vec<u64> {
    let indices = 0..degree as u64;
    match kind {
        0 => vec![q - 1; degree],
        1 => indices.map(|i| (q - 1) * (i & 1)).collect(),
        2 => indices.map(|i| q / 2 + (i & 1)).collect(),
        3 => indices.map(|i| (q - 1) * (i / (degree as u64 / 2))).collect(),
        4 => vec![0; degree],
        _ => random(kind, degree, q),
    }
}

fn inputs(ring: &Ring, moduli: &[usize], kind: u64) -> Vec<u64> {
    let of = |&index: &usize| input(kind, ring.degree(), ring.modulus(index).value());
    moduli.iter().flat_map(of).collect()
}

fn run(ring: &DeviceRing<'_>, words: &[u64], transform: impl Fn(u64)) -> Vec<u64> {
    let on_card = ring.device().upload(words);
    transform(on_card.address(0));
    let mut out = vec![0; words.len()];
    on_card.read(0, &mut out).unwrap();
    out
}

fn check_all(ring: &Ring, moduli: &[usize], kinds: std::ops::Range<u64>) {
    let (device, degree) = (Device::for_tests(), ring.degree());
    let batch = Batch::of_limbs(Limbs::new(moduli));
    let factors = |seed| {
        let factor = |&m: &usize| {
            let q = ring.modulus(m).value();
            [1, q - 1, q / 2, q / 2 + 1, 0x1234_5678_9abc_def1 % q][(m + seed as usize) % 5]
        };
        moduli.iter().map(factor).collect::<Vec<u64>>()
    };
    for on_card in
        [DeviceRing::new(&device, ring), DeviceRing::with_integer_transforms(&device, ring)]
    {
        for kind in kinds.clone() {
            let words = inputs(ring, moduli, kind);
            let expect = |f: &dyn Fn(usize, usize, &mut [u64])| {
                let mut expected = words.clone();
                for (limb, words) in expected.chunks_mut(degree).enumerate() {
                    f(limb, moduli[limb], words);
                }
                expected
            };
            let found = run(&on_card, &words, |at| forward(&on_card, at, &batch));
            let expected = expect(&|_, m, words| ring.table(m).forward_assign(words));
            assert!(found == expected, "forward, degree {degree}, kind {kind}");
            let found = run(&on_card, &words, |at| inverse(&on_card, at, at, &batch));
            let expected = expect(&|_, m, words| ring.table(m).inverse_assign(words));
            assert!(found == expected, "inverse, degree {degree}, kind {kind}");
            let factors = factors(kind);
            let factors_there = device.upload(&factors);
            let found = run(&on_card, &words, |at| {
                inverse_scaled(&on_card, at, at, &batch, factors_there.address(0));
            });
            let scaled = |limb: usize, m, words: &mut [u64]| {
                ring.table(m).inverse_scaled_assign(words, factors[limb]);
            };
            assert!(found == expect(&scaled), "scaled, degree {degree}, kind {kind}");
        }
    }
}

#[test]
fn transforms_are_those_of_the_processor() {
    for log_degree in 8..=12 {
        let ring = ring(1 << log_degree);
        check_all(&ring, &all(&ring), 0..6);
    }
}

#[test]
fn transforms_of_many_rows_are_those_of_the_processor() {
    for log_degree in [13, 14, 15, 17] {
        let degree = 1 << log_degree;
        let ring = Ring::new(degree, &[ntt_primes(degree, 50.0, 1, &[])[0]], &[]);
        check_all(&ring, &[0], 5..6);
        check_all(&ring, &[0], 0..1);
    }
    let degree = 1 << 16;
    let primes = [50.0, 59.0].map(|log2| ntt_primes(degree, log2, 1, &[])[0]);
    let ring = Ring::new(degree, &primes, &[]);
    check_all(&ring, &[1, 0], 5..6);
    check_all(&ring, &[0], 0..4);
}

#[test]
fn own_limbs_of_copies_are_left_as_they_are() {
    let ring = ring(512);
    let moduli = all(&ring);
    let device = Device::for_tests();
    let (copies, limbs) = (4, moduli.len());
    let own = Some(OwnLimbs { digit_limbs: 2, main_limbs: 5 });
    let batch = Batch { copies, own, ..Batch::of_limbs(Limbs::new(&moduli)) };
    let words: Vec<u64> =
        (0..copies).flat_map(|copy| inputs(&ring, &moduli, 10 + u64::from(copy))).collect();
    let is_own = |copy: usize, limb: usize| limb < 5 && limb / 2 == copy;
    let expect = |f: &dyn Fn(usize, &mut [u64])| {
        let mut expected = words.clone();
        for (at, words) in expected.chunks_mut(512).enumerate() {
            if !is_own(at / limbs, at % limbs) {
                f(moduli[at % limbs], words);
            }
        }
        expected
    };
    // At once, one copy after the other, and three at a time.
    for words_at_once in [usize::MAX, 1, 3 * limbs * 512] {
        let transforms = TransformTables::new().at_once(words_at_once);
        let on_card = DeviceRing::with_transforms(&device, &ring, transforms);
        let found = run(&on_card, &words, |at| forward(&on_card, at, &batch));
        assert!(found == expect(&|m, words| ring.table(m).forward_assign(words)));
        let found = run(&on_card, &words, |at| inverse(&on_card, at, at, &batch));
        assert!(found == expect(&|m, words| ring.table(m).inverse_assign(words)));
    }
}

#[test]
fn an_inverse_leaves_its_source() {
    for degree in [256, 2048] {
        let ring = ring(degree);
        let moduli = all(&ring);
        let device = Device::for_tests();
        let on_card = DeviceRing::new(&device, &ring);
        let words = inputs(&ring, &moduli, 7);
        let (from, to) = (device.upload(&words), device.allocate(words.len()));
        let batch = Batch::of_limbs(Limbs::new(&moduli));
        inverse(&on_card, from.address(0), to.address(0), &batch);
        forward(&on_card, to.address(0), &batch);
        for buffer in [from, to] {
            let mut found = vec![0; words.len()];
            buffer.read(0, &mut found).unwrap();
            assert!(found == words);
        }
    }
}

#[test]
fn polynomials_change_their_domain() {
    let ring = ring(1024);
    let on_card = DeviceRing::new(&Device::for_tests(), &ring);
    let basis: Basis = ring.chain_basis(1, 3);
    let words = inputs(&ring, &ring.limb_primes(basis), 9);
    let poly = Poly::<Coefficients>::from_words(&ring, basis, words);
    let evaluations = DevicePoly::upload(&on_card, &poly).into_evaluations(&on_card);
    assert_eq!(evaluations.download(&on_card).unwrap(), poly.clone().into_evaluations(&ring));
    assert_eq!(evaluations.into_coefficients(&on_card).download(&on_card).unwrap(), poly);
}
