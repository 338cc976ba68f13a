//! Circuit bootstrapping, CMUX trees and automata.

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::keys::SecretKey;
use cryptable_leveled::automaton::{Automaton, Transition};
use cryptable_leveled::bits::{bit_error, decrypt_bit, encrypt_bit};
use cryptable_leveled::circuit_bootstrapping::CircuitBootstrapping;
use cryptable_leveled::cmux_tree::CmuxTree;
use cryptable_leveled::leveled::LeveledCiphertext;
use cryptable_leveled::noise::CircuitNoise;
use cryptable_leveled::parameters::CircuitParameters;
use cryptable_leveled::selector::{CmuxGates, Selector};
use rayon::prelude::*;

struct Setting {
    parameters: CircuitParameters,
    secret: SecretKey,
    key: EvaluationKey,
}

impl Setting {
    fn new(parameters: CircuitParameters) -> Self {
        let secret = SecretKey::generate(parameters.parameters());
        let key = EvaluationKey::expand(&secret.evaluation_key());
        Self { parameters, secret, key }
    }

    fn circuit(&self) -> CircuitBootstrapping<'_> {
        CircuitBootstrapping::new(&self.parameters, &self.key)
    }

    fn selectors(&self, value: u64, bits: usize) -> Vec<Selector> {
        let circuit = self.circuit();
        let one = |i| {
            let bit = encrypt_bit(&self.secret, value >> i & 1 == 1);
            circuit.bootstrap(&bit).unwrap()
        };
        (0..bits).into_par_iter().map(one).collect()
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
    let setting = Setting::new(CircuitParameters::insecure_toy());
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
    let auto = |number| toy(CircuitParameters::auto_set(number).unwrap());
    let toys = [
        ("CMUX", CircuitParameters::insecure_toy()),
        ("CMUX 5", toy(CircuitParameters::set_5())),
        ("AUTO 1", auto(1)),
        ("AUTO 3", auto(3)),
        ("AUTO 5", auto(5)),
    ];
    for (name, parameters) in toys {
        let setting = Setting::new(parameters);
        let noise = CircuitNoise::new(&setting.parameters);
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
        let ratio = measured / tree.output_noise(&noise, 0.5).0;
        println!("{name}: measured/predicted {ratio:.3}");
        assert!((0.5..2.0).contains(&ratio), "{name}: {ratio}");
    }
}

/// The set with LWE dimension 64.
fn toy(set: CircuitParameters) -> CircuitParameters {
    use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
    let literal = ParametersLiteral { lwe_dimension: 64, ..*set.parameters().literal() };
    let parameters = Parameters::insecure(literal).unwrap();
    let gadget = set.selector_gadget();
    let selector = GadgetLiteral { base_log2: gadget.base_log2(), length: gadget.length() };
    CircuitParameters::new(&parameters, selector).unwrap()
}

/// A chain of CMUXes of 1 as long as the set claims, with as many of 0 between, ends in a bit that bootstraps right.
fn check_depth(set: &str, parameters: CircuitParameters, least: u64) {
    assert!(parameters.security_bits() >= 128.0);
    let depth = CircuitNoise::new(&parameters).max_depth();
    assert!(depth >= least, "set {set}: depth {depth}");
    let setting = Setting::new(parameters);
    let ring = setting.parameters.parameters().ring();
    let selectors = setting.selectors(0b10, 2);
    let mut gates = CmuxGates::new(ring, setting.parameters.selector_gadget());
    let half = ring.modulus().value().div_ceil(2);
    let mut polynomial = vec![0; ring.degree()];
    polynomial[0] = half;
    let mut value = LeveledCiphertext::trivial(ring, &polynomial);
    // Rotated by anything, so that no two gates decompose the same: a half is its own negative, wherever it is.
    let mut position = 0;
    for exponent in random(depth as usize, 2 * ring.degree() as u64, 7) {
        gates.rotate_if_assign(&selectors[1], &mut value, exponent as usize);
        gates.rotate_if_assign(&selectors[0], &mut value, exponent as usize);
        position = (position + exponent as usize) % ring.degree();
    }
    let bit = value.extract(ring, [position].into_iter()).remove(0);
    assert!(decrypt_bit(&setting.secret, &bit).unwrap(), "set {set}");
    let again = setting.circuit().bootstrap(&bit).unwrap();
    let mut zero = LeveledCiphertext::trivial(ring, &vec![0; ring.degree()]);
    gates.select_assign(&again, &mut zero, &LeveledCiphertext::trivial(ring, &polynomial));
    let bit = zero.extract(ring, [0].into_iter()).remove(0);
    assert!(decrypt_bit(&setting.secret, &bit).unwrap(), "set {set}, bootstrapped");
}

#[test]
fn set_1_reaches_its_depth() {
    check_depth("1", CircuitParameters::set(1).unwrap(), 8);
}

#[test]
fn set_2_reaches_its_depth() {
    check_depth("2", CircuitParameters::set(2).unwrap(), 115);
}

#[test]
fn set_3_reaches_its_depth() {
    check_depth("3", CircuitParameters::set(3).unwrap(), 236);
}

#[test]
fn set_4_reaches_its_depth() {
    check_depth("4", CircuitParameters::set(4).unwrap(), 10_900);
}

#[test]
fn set_5_reaches_its_depth() {
    check_depth("5", CircuitParameters::set(5).unwrap(), 20_200);
}

#[test]
fn auto_set_1_reaches_its_depth() {
    check_depth("AUTO 1", CircuitParameters::auto_set(1).unwrap(), 7);
}

#[test]
fn auto_set_5_reaches_its_depth() {
    check_depth("AUTO 5", CircuitParameters::auto_set(5).unwrap(), 16_800);
}

/// The paper's depths, by the noise model.
#[test]
fn auto_sets_are_as_deep_as_the_papers() {
    for (number, least) in [(1, 7), (2, 73), (3, 149), (4, 7_900), (5, 16_800)] {
        let parameters = CircuitParameters::auto_set(number).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        let depth = CircuitNoise::new(&parameters).max_depth();
        println!("AUTO {number}: depth {depth}");
        assert!(depth >= least, "AUTO {number}: depth {depth}");
    }
    assert!(CircuitParameters::auto_set(0).is_err() && CircuitParameters::auto_set(6).is_err());
}

#[test]
fn automata_weigh_words() {
    let setting = Setting::new(CircuitParameters::insecure_toy());
    let go = |next, weight| Transition { next, weight };
    let automaton =
        Automaton::new(vec![[go(0, 0), go(1, 1)], [go(2, 0), go(1, 2)], [go(0, 3), go(2, 0)]])
            .unwrap();
    let outputs: Vec<u64> = (0..40).map(|x| x * 7 % 16).collect();
    for word in random(10, 1 << 10, 4) {
        let bits: Vec<bool> = (0..10).map(|i| word >> i & 1 == 1).collect();
        let expected = outputs[automaton.run(0, &bits)];
        let selectors = setting.selectors(word, 10);
        let result =
            automaton.evaluate(&setting.parameters, 0, &selectors, (&outputs, 16)).unwrap();
        assert_eq!(setting.secret.decrypt(&result, 16).unwrap(), expected, "{word:010b}");
    }
    let selectors = setting.selectors(5, 3);
    let evaluate = |start, outputs: &[u64]| {
        automaton.evaluate(&setting.parameters, start, &selectors, (outputs, 16)).map(|_| ())
    };
    assert!(evaluate(3, &outputs).is_err());
    assert!(evaluate(0, &outputs[..9]).is_err());
    assert!(evaluate(0, &[16; 40]).is_err());
    assert!(Automaton::new(vec![[go(0, 0), go(1, 0)]]).is_err());
    assert!(Automaton::new(Vec::new()).is_err());
}

#[test]
fn bad_input_is_refused_by_name() {
    let setting = Setting::new(CircuitParameters::insecure_toy());
    let tree = |table: &[u64], width| CmuxTree::new(&setting.parameters, table, width);
    assert!(tree(&[0; 3], 1).is_err());
    assert!(tree(&[0], 1).is_err());
    assert!(tree(&[0, 2], 1).unwrap_err().to_string().contains("entry 1 of the table is 2"));
    assert!(tree(&[0, 1], 0).is_err());
    assert!(tree(&[0, 1], 65).is_err());
    assert!(tree(&[0, u64::MAX], 64).is_ok());
    let selectors = setting.selectors(1, 2);
    assert!(tree(&[0, 1], 1).unwrap().lookup(&selectors).is_err());
    let wrong = setting.secret.encrypt(1, 2).unwrap();
    let message = setting.circuit().bootstrap(&wrong).unwrap_err().to_string();
    assert!(message.contains("dimension of the ciphertext is 64"), "{message}");
    assert!(CircuitParameters::set(6).is_err());
}
