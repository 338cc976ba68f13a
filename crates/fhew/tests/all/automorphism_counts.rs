//! Numbers of automorphisms: from Table 2 of Wang et al. (EUROCRYPT 2024), by the formulas, and measured.

use crate::common;

use common::random_outputs;
use cryptable_fhew::parameters::Parameters;
use cryptable_fhew::rotation::{
    AutomorphismWindow, ExponentGroup, RotationAutomorphisms, Step, automorphism_count,
    expected_automorphisms, expected_sparse_automorphisms,
};
use cryptable_lattice::security::{SecretDistribution, least_lwe_dimension};
use cryptable_papers::wang_2024::RotationCounts;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;

/// The paper's dimension of the AUTO variant (Table 3).
const PAPER_DIMENSION: usize = 458;

/// Returns automorphisms with empty keys, since only steps are counted.
fn automorphisms(degree: usize, window: usize) -> RotationAutomorphisms {
    group_automorphisms(ExponentGroup::odd(degree), window)
}

fn group_automorphisms(group: ExponentGroup, window: usize) -> RotationAutomorphisms {
    let ring = PrimeRing::new(group.degree(), Parameters::insecure_toy().prime());
    let gadget = Gadget::new(ring.modulus().value(), 7, 1);
    let keys = ring.prepare_rows(group.key_count(window), 1, |_, _| ());
    RotationAutomorphisms::new(AutomorphismWindow { group, window, gadget }, keys)
}

/// Returns a mask of uniform words: `kind` of uniform numbers below 2N.
fn mask(degree: usize, dimension: usize, seed: u64, kind: impl Fn(u64) -> u64) -> Vec<u64> {
    let words = random_outputs(dimension as u64, 2 * degree as u64, 1_000_003 * seed + 17);
    words.into_iter().map(|word| kind(word) % (2 * degree as u64)).collect()
}

/// Returns the mean numbers of automorphisms and products over masks of this kind, and the largest number of automorphisms.
fn measure(
    keys: &RotationAutomorphisms,
    degree: usize,
    dimension: usize,
    kind: impl Fn(u64) -> u64,
) -> (f64, f64, usize) {
    let samples = 300;
    let (mut automorphisms, mut products, mut most) = (0, 0, 0);
    for seed in 0..samples {
        let steps = keys.steps(&mask(degree, dimension, seed, &kind));
        let count = automorphism_count(&steps);
        automorphisms += count;
        most = most.max(count);
        products += steps.iter().filter(|step| matches!(step, Step::Product(_))).count();
    }
    (automorphisms as f64 / samples as f64, products as f64 / samples as f64, most)
}

/// Counts the automorphisms of Algorithm 4, line by line, on n uniform balls in N' bins: the paper's Monte Carlo estimate.
fn algorithm_4(places: usize, dimension: usize, window: usize, seed: u64) -> usize {
    let mut filled = vec![false; places];
    for ball in random_outputs(dimension as u64, places as u64, seed) {
        filled[ball as usize] = true;
    }
    let (mut steps, mut count) = (0, 0);
    for place in (1..places).rev() {
        steps += 1;
        if filled[place - 1] || steps == window || place == 1 {
            count += 1;
            steps = 0;
        }
    }
    count
}

/// N = 2048, so that N' = 512, 1024, 2048 means θ = 3, 2, 1; n = 458. For θ = 1 the paper counts on one line of places,
/// but odd numbers are on two, ±g^k, which needs one more automorphism.
#[test]
fn table_2() {
    let degree = 2048;
    for (sparsity, window, paper) in [(3, 8, 302.0), (2, 15, 368.0), (1, 30, 410.0)] {
        let places = (2 * degree) >> sparsity;
        let samples = 400;
        let simulated = (0..samples)
            .map(|seed| algorithm_4(places, PAPER_DIMENSION, window, seed + 1) as f64)
            .sum::<f64>()
            / samples as f64;
        // The paper's windows count powers of 2^θ + 1; ours count powers of 5.
        let powers = if sparsity == 3 { 2 * window } else { window };
        let expected = expected_sparse_automorphisms(degree, PAPER_DIMENSION, powers, sparsity);
        let keys = automorphisms(degree, powers);
        let (measured, products, _) =
            measure(&keys, degree, PAPER_DIMENSION, |word| word >> sparsity << sparsity);
        println!(
            "N' = {places}, w = {window}: paper {paper}, Algorithm 4 {simulated:.1}, formula {expected:.1}, measured {measured:.1}"
        );
        assert!((simulated / paper - 1.0).abs() < 0.02);
        assert!((expected / paper - 1.0).abs() < 0.02);
        assert!((measured / expected - 1.0).abs() < 0.01);
        assert_eq!(products, PAPER_DIMENSION as f64 + 1.0);
    }
}

#[test]
fn sparse_counts_for_all_windows() {
    let degree = 512;
    for window in [1, 2, 3, 5, 16] {
        let keys = automorphisms(degree, window);
        for (sparsity, dimension) in [(1, 40), (2, 40), (2, 300), (3, 40), (3, 200), (4, 60)] {
            let kind = |word: u64| word >> sparsity << sparsity;
            let (measured, ..) = measure(&keys, degree, dimension, kind);
            let expected = expected_sparse_automorphisms(degree, dimension, window, sparsity);
            println!("w {window}, θ {sparsity}, n {dimension}: {measured:.1}, {expected:.1}");
            assert!((measured / expected - 1.0).abs() < 0.02);
        }
    }
}

/// No mask of multiples of 2^θ, θ >= 2, needs the automorphism of -g: all exponents are in one cyclic group.
#[test]
fn sparse_masks_never_change_signs() {
    let (degree, window) = (512, 8);
    let keys = automorphisms(degree, window);
    for sparsity in 2..=5 {
        for seed in 0..20 {
            let steps = keys.steps(&mask(degree, 100, seed, |word| word >> sparsity << sparsity));
            assert!(!steps.contains(&Step::Automorphism(window)), "θ = {sparsity}");
        }
    }
}

/// Table 13: LMKC+ on odd masks, Algorithm 5 on masks whose exponents are 1 modulo 2^θ, Algorithm 6 on multiples.
#[test]
fn table_13() {
    let degree = 2048;
    let (binary, ternary) = (SecretDistribution::Binary, SecretDistribution::UniformTernary);
    for secret in [binary, ternary] {
        let n = least_lwe_dimension(secret, 16.0).unwrap();
        let (lmkc, sparse) =
            (RotationCounts::lmkc(degree, n, 30), RotationCounts::sparse(degree, n, 15, 2));
        let several = RotationCounts::multi_value(degree, n, 15, 2);
        let cmux = RotationCounts::cmux(n, secret);
        println!("{secret:?}, n = {n}: CMUX {cmux:?}");
        println!("  LMKC+ {lmkc:?}, sparse {sparse:?}");
        let odd = |word: u64| word | 1;
        let one = |word: u64| (word >> 2 << 2) + 3;
        for (counts, window, kind) in [
            (lmkc, 30, &odd as &dyn Fn(u64) -> u64),
            (sparse, 15, &one),
            (several, 15, &|word: u64| word >> 2 << 2),
        ] {
            let keys = automorphisms(degree, window);
            let (measured, products, most) = measure(&keys, degree, n, kind);
            assert!((measured / counts.automorphisms - 1.0).abs() < 0.02, "{measured}");
            assert!(most as f64 <= counts.worst_automorphisms, "{most}");
            assert_eq!(products, counts.external_products as f64);
        }
        // The paper's formulas for the average, without the part of the window.
        let average =
            |places: f64, w: f64| places - (w - 1.0) / w * (-(n as f64) / places).exp() * places;
        assert!(lmkc.automorphisms < average(2048.0, 30.0));
        assert!(sparse.automorphisms < average(1024.0, 15.0));
        assert_eq!((lmkc.keys, sparse.keys, several.keys), (2 * n + 31, 2 * n + 15, 2 * n + 17));
        assert!(sparse.automorphisms < 0.95 * lmkc.automorphisms);
        assert!(sparse.transforms(2, 2) < lmkc.transforms(2, 2));
        // With a ternary secret, CMUXes need twice the number of products, automorphisms the same number.
        let selectors = if secret == ternary { 2 } else { 1 };
        assert_eq!((cmux.keys, cmux.external_products), (2 * selectors * n, selectors * n));
    }
}

/// Rotations with keys of only the sparse group have the same steps as with keys of all odd numbers, on masks of
/// Algorithm 5 (-1 modulo 2^θ) and of Algorithm 6 (multiples of 2^θ, and of larger powers).
#[test]
fn sparse_groups_take_the_steps_of_the_formulas() {
    let (degree, dimension) = (1024, 300);
    for (sparsity, window) in [(2, 15), (2, 1), (3, 8), (4, 5)] {
        let keys = group_automorphisms(ExponentGroup::sparse(degree, sparsity), window);
        let powers = window << (sparsity - 2);
        let all = automorphisms(degree, powers);
        for (kind, products, multiple) in [
            (0, dimension, sparsity),
            (1, dimension + 1, sparsity),
            (1, dimension + 1, sparsity + 1),
        ] {
            let words = |word: u64| {
                (word >> multiple << multiple) + if kind == 0 { (1 << sparsity) - 1 } else { 0 }
            };
            let (measured, found, _) = measure(&keys, degree, dimension, words);
            let (same, ..) = measure(&all, degree, dimension, words);
            let expected = expected_sparse_automorphisms(degree, dimension, powers, multiple);
            println!(
                "θ {sparsity}, w {window}, 2^{multiple}: {measured:.1}, expected {expected:.1}"
            );
            assert!((measured / expected - 1.0).abs() < 0.02);
            assert_eq!((measured, found), (same, products as f64));
        }
    }
}

#[test]
fn the_number_of_automorphisms_is_as_expected() {
    let degree = 256;
    for (window, dimensions) in [(1, [32, 64, 300]), (2, [32, 64, 300]), (10, [32, 64, 300])] {
        let automorphisms = automorphisms(degree, window);
        for dimension in dimensions {
            let samples = 1000;
            let count = |seed| {
                let mask = random_outputs(dimension, 2 * degree as u64, 1000 * dimension + seed);
                let mask: Vec<u64> = mask.into_iter().map(|a| a | 1).collect();
                automorphism_count(&automorphisms.steps(&mask)) as f64
            };
            let measured = (0..samples).map(count).sum::<f64>() / samples as f64;
            let expected = expected_automorphisms(degree, dimension as usize, window);
            println!("window {window}, n = {dimension}: {measured:.1}, expected {expected:.1}");
            assert!((measured / expected - 1.0).abs() < 0.02);
        }
    }
}
