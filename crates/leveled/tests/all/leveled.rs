//! Circuit bootstrapping and CMUX trees.

use crate::common;

use common::Setting;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_leveled::bootstrapping::{bit_error, decrypt_bit, encrypt_bit};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::ParameterSet;
use cryptable_leveled::tree::{Cmux, CmuxTree, LeveledCiphertext};
use cryptable_ring::random::replay;
use rayon::prelude::*;

impl Setting {
    fn selectors(&self, value: u64, bits: usize) -> Vec<RgswCiphertext> {
        let circuit = self.circuit();
        let encrypt = |i| encrypt_bit(&self.secret, value >> i & 1 == 1);
        let bits: Vec<_> = (0..bits).map(encrypt).collect();
        bits.par_iter().map(|bit| circuit.bootstrap(bit).unwrap()).collect()
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
fn random(count: usize, modulus: u64, mut state: u64) -> Vec<u64> {
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % modulus
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn every_entry_of_small_tables_and_some_of_large_ones() {
    let setting = Setting::new(ParameterSet::Aes128.insecure_toy());
    for (bits, width) in [(1, 1), (3, 5), (8, 8), (11, 3), (13, 2)] {
        let table = random(1 << bits, 1 << width, bits as u64);
        let tree = CmuxTree::new(&setting.parameters, &table, width).unwrap();
        assert_eq!((tree.input_bits(), tree.width(), tree.depth()), (bits, width, bits));
        let step = if bits <= 8 { 1 } else { (1 << bits) / 24 + 1 };
        for input in (0..1 << bits).step_by(step) {
            let results = tree.lookup(&setting.selectors(input, bits)).unwrap();
            assert_eq!(results.len(), width);
            let found: u64 = results
                .iter()
                .enumerate()
                .map(|(i, bit)| u64::from(decrypt_bit(&setting.secret, bit).unwrap()) << i)
                .sum();
            assert_eq!(found, table[input as usize], "{bits} bits, entry {input}");
        }
    }
}

#[test]
fn results_have_the_predicted_noise() {
    let _replay = replay::begin();
    check_noise([ParameterSet::Aes128, ParameterSet::AutoDepth149]);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn results_of_more_sets_have_the_predicted_noise() {
    let _replay = replay::begin();
    check_noise([
        ParameterSet::CmuxDepth20200,
        ParameterSet::AutoDepth2,
        ParameterSet::AutoDepth16800,
    ]);
}

fn check_noise<const N: usize>(sets: [ParameterSet; N]) {
    for name in sets {
        let setting = Setting::new(name.insecure_toy());
        let noise = CircuitBootstrappingNoise::new(&setting.parameters);
        let table = random(1 << 8, 1 << 8, 5);
        let tree = CmuxTree::new(&setting.parameters, &table, 8).unwrap();
        let mut squares = 0.0;
        let inputs = random(60, 256, 6);
        for &input in &inputs {
            let results = tree.lookup(&setting.selectors(input, 8)).unwrap();
            for (i, bit) in results.iter().enumerate() {
                let expected = table[input as usize] >> i & 1 == 1;
                squares += bit_error(&setting.secret, bit, expected).unwrap().powi(2);
            }
        }
        let measured = squares / (8 * inputs.len()) as f64;
        let ratio = measured / tree.output_noise(&noise, 0.5).variance();
        println!("{name}: measured/predicted {ratio:.3}");
        assert!((0.5..2.0).contains(&ratio), "{name}: {ratio}");
    }
}

/// Number of selectors of a chain; half of them are 0, half 1.
const SELECTORS: usize = 16;

/// Checks that chains with one selector per CMUX have at least this depth. A chain by [`SELECTORS`] selectors, of the
/// largest length that the set states for that number, has noise within the bound that its law exceeds once in 2^30 in
/// every coefficient, and ends in a bit that bootstraps right.
///
/// One chain does not show its variance: selectors have few constant coefficients, and under a binary secret, half of their
/// factor is one wave over all coefficients. `noise_law.rs` tests the law on many chains.
fn check_depth(set: ParameterSet, least: u64) {
    let _replay = replay::begin();
    let parameters = set.parameters();
    assert!(parameters.security_bits() >= 128.0);
    let noise = CircuitBootstrappingNoise::new(&parameters);
    let (most, depth) = (noise.max_depth(), noise.max_depth_by(SELECTORS as u64));
    assert!(
        most >= least && (least / 2..=most).contains(&depth),
        "set {set}: depths {most}, {depth}"
    );
    let setting = Setting::new(parameters);
    let ring = setting.parameters.fhew().ring();
    let selectors = setting.selectors(0b1010_1010_1010_1010, SELECTORS);
    let mut cmux = Cmux::new(ring, setting.parameters.rgsw_gadget());
    let half = ring.modulus().value().div_ceil(2);
    let mut polynomial = vec![0; ring.degree()];
    polynomial[0] = half;
    let mut value = LeveledCiphertext::trivial(ring, &polynomial);
    // Any rotation will do, so that no two CMUXes decompose the same: a half is its own negative at any place.
    let mut position = 0;
    for (step, exponent) in
        random(depth as usize, 2 * ring.degree() as u64, 7).into_iter().enumerate()
    {
        cmux.rotate_if_assign(&selectors[step % SELECTORS], &mut value, exponent as usize);
        position = (position + step % 2 * exponent as usize) % ring.degree();
    }
    let coefficients = 256;
    let step = ring.degree() / coefficients;
    let places = (0..coefficients).map(|i| (position + i * step) % ring.degree());
    let bits = value.extract(ring, places);
    let law = noise.chain(depth, depth.min(SELECTORS as u64), 0.5);
    let errors = bits
        .iter()
        .enumerate()
        .map(|(i, bit)| bit_error(&setting.secret, bit, i == 0).unwrap().abs() / law.deviation());
    let errors: Vec<f64> = errors.collect();
    let ratio = errors.iter().map(|error| error * error).sum::<f64>() / coefficients as f64;
    println!("{set}: depth {depth} of {most}, measured/predicted {ratio:.3}");
    let largest = errors.into_iter().fold(0.0, f64::max);
    assert!(largest < law.largest(-30.0) / law.deviation(), "set {set}: {largest}");
    // The first CMUXes process a polynomial without mask, and add next to no noise.
    assert!(depth < 20 || ratio > 0.1, "set {set}: {ratio}");
    assert!(decrypt_bit(&setting.secret, &bits[0]).unwrap(), "set {set}");
    let again = setting.circuit().bootstrap(&bits[0]).unwrap();
    let mut zero = LeveledCiphertext::trivial(ring, &vec![0; ring.degree()]);
    cmux.select_assign(&again, &mut zero, &LeveledCiphertext::trivial(ring, &polynomial));
    let bit = zero.extract(ring, [0].into_iter()).remove(0);
    assert!(decrypt_bit(&setting.secret, &bit).unwrap(), "set {set}, bootstrapped");
}

#[test]
fn set_1_reaches_its_depth() {
    check_depth(ParameterSet::CmuxDepth2, 2);
}

#[test]
fn set_2_reaches_its_depth() {
    check_depth(ParameterSet::CmuxDepth115, 115);
}

#[test]
fn set_3_reaches_its_depth() {
    check_depth(ParameterSet::CmuxDepth236, 236);
}

#[test]
fn set_4_reaches_its_depth() {
    check_depth(ParameterSet::CmuxDepth10900, 10_900);
}

#[test]
fn set_5_reaches_its_depth() {
    check_depth(ParameterSet::CmuxDepth20200, 20_200);
}

#[test]
fn auto_set_1_reaches_its_depth() {
    check_depth(ParameterSet::AutoDepth2, 2);
}

#[test]
fn auto_set_2_reaches_its_depth() {
    check_depth(ParameterSet::AutoDepth73, 73);
}

#[test]
fn auto_set_3_reaches_its_depth() {
    check_depth(ParameterSet::AutoDepth149, 149);
}

#[test]
fn auto_set_4_reaches_its_depth() {
    check_depth(ParameterSet::AutoDepth7900, 7_900);
}

#[test]
fn auto_set_5_reaches_its_depth() {
    check_depth(ParameterSet::AutoDepth16800, 16_800);
}

/// The noise model predicts the paper's depths.
#[test]
fn auto_sets_are_as_deep_as_the_papers() {
    let depths = [2, 73, 149, 7_900, 16_800];
    for (set, least) in ParameterSet::WANG_AUTO.into_iter().zip(depths) {
        let parameters = set.parameters();
        assert!(parameters.security_bits() >= 128.0);
        let depth = CircuitBootstrappingNoise::new(&parameters).max_depth();
        println!("{set}: depth {depth}");
        assert!(depth >= least, "{set}: depth {depth}");
    }
    assert!("auto-depth-6".parse::<ParameterSet>().is_err());
}

#[test]
fn bad_input_is_refused_by_name() {
    let setting = Setting::new(ParameterSet::Aes128.insecure_toy());
    let tree = |table: &[u64], width| CmuxTree::new(&setting.parameters, table, width);
    assert!(tree(&[0; 3], 1).is_err());
    assert!(tree(&[0], 1).is_err());
    assert!(tree(&[0, 2], 1).unwrap_err().to_string().contains("output 2 at input 1"));
    assert!(tree(&[0, 1], 0).is_err());
    assert!(tree(&[0, 1], 65).is_err());
    assert!(tree(&[0, u64::MAX], 64).is_ok());
    let selectors = setting.selectors(1, 2);
    assert!(tree(&[0, 1], 1).unwrap().lookup(&selectors).is_err());
    let wrong = setting.secret.encrypt(1, 2).unwrap();
    let message = setting.circuit().bootstrap(&wrong).unwrap_err().to_string();
    assert!(message.contains("LWE dimension is 65"), "{message}");
    assert!("cmux-depth-6".parse::<ParameterSet>().is_err());
}
