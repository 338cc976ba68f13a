//! The noise of CMUX trees has the predicted law, including tails, and lookups fail as often as the law predicts.

use crate::common;

use std::ops::Range;

use common::Setting;
use cryptable_fhew::parameters::{GadgetLiteral, ParametersLiteral, RgswGadgetLiteral};
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{NoiseBound, SecurityLevel};
use cryptable_leveled::bootstrapping::{
    Plaintext, decrypt_plaintext, encrypt_plaintext, gray_code, plaintext_error,
};
use cryptable_leveled::noise::CircuitBootstrappingNoise;
use cryptable_leveled::parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, ParameterSet,
};
use cryptable_leveled::tree::{
    Automaton, Cmux, CmuxTree, DecisionDiagram, LeveledCiphertext, PlaintextPolynomial, Transition,
};
use cryptable_ring::random::replay;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use rayon::prelude::*;

/// Number of keys of toys. An LWE secret of 64 coefficients has a weight of 32 ± 4, with which the noise of rounding varies
/// by an eighth.
const KEYS: usize = 8;

/// Number of walks from lookup to lookup per key, and of lookups per walk.
const WALKS: usize = 12;
const STEPS: usize = 250;

/// Returns parameters with two bits per rotation, ring degree 512 and LWE dimension 64: not secure. Rotations are so coarse
/// that products of noises dominate.
fn noisy_toy(rotation: RgswGadgetLiteral, rgsw: GadgetLiteral) -> CircuitBootstrappingParameters {
    let literal = ParameterSet::TwoBitDepth24.literal();
    let fhew = ParametersLiteral {
        lwe_dimension: 64,
        ring_degree: 512,
        intermediate: None,
        rotation,
        ..literal.fhew
    };
    let security = SecurityLevel::Insecure;
    let literal = CircuitBootstrappingLiteral { security, rgsw, fhew, ..literal };
    CircuitBootstrappingParameters::new(literal).unwrap()
}

/// Returns the parameters of [`noisy_toy`] with a secret of 13 blocks of five coefficients.
fn noisy_toy_of_blocks(
    rotation: RgswGadgetLiteral,
    rgsw: GadgetLiteral,
) -> CircuitBootstrappingParameters {
    let literal = *noisy_toy(rotation, rgsw).literal();
    let lwe_secret = SecretDistribution::Blocks(13);
    let fhew = ParametersLiteral { lwe_dimension: 65, lwe_secret, ..literal.fhew };
    CircuitBootstrappingParameters::new(CircuitBootstrappingLiteral { fhew, ..literal }).unwrap()
}

/// Returns two rotations: the rounding errors of the first are white, those of the second are alike in all rows.
fn rotations() -> [(RgswGadgetLiteral, GadgetLiteral); 2] {
    let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
    let of = |body, mask| RgswGadgetLiteral { body, mask };
    [
        (of(gadget(16, 1), gadget(15, 2)), gadget(6, 2)),
        (of(gadget(13, 2), gadget(19, 1)), gadget(6, 2)),
    ]
}

fn encrypt(setting: &Setting, value: u64, bits: usize) -> Vec<LweCiphertext> {
    let digit = |i| encrypt_plaintext(&setting.secret, digit_of(setting, value, i));
    let each = setting.parameters.bits_per_ciphertext() as usize;
    (0..bits.div_ceil(each)).map(digit).collect()
}

/// Returns the digit that ciphertext i of a value holds.
fn digit_of(setting: &Setting, value: u64, i: usize) -> Plaintext {
    let bits = setting.parameters.bits_per_ciphertext();
    Plaintext { value: (value >> (bits as usize * i)) & ((1 << bits) - 1), bits }
}

/// Returns the error of the lowest digit of each tree's result, for the same fresh selectors, which are independent within
/// one tree.
fn tree_errors(
    setting: &Setting,
    trees: &[(CmuxTree, Vec<u64>)],
    samples: Range<usize>,
) -> Vec<Vec<f64>> {
    let circuit = setting.circuit();
    let sample = |index: usize| -> Vec<f64> {
        let _part = replay::part(index as u64);
        let (tree, table) = &trees[0];
        let value = index as u64 * 151 % table.len() as u64;
        let input = encrypt(setting, value, tree.input_bits());
        let input: Vec<_> = input.iter().collect();
        let selectors = circuit.bootstrap_values(&input, tree.input_bits()).unwrap();
        let error = |(tree, table): &(CmuxTree, Vec<u64>)| {
            let result = tree.lookup(&selectors).unwrap().swap_remove(0);
            let expected = digit_of(setting, table[value as usize], 0);
            plaintext_error(&setting.secret, &result, expected).unwrap()
        };
        trees.iter().map(error).collect()
    };
    let all: Vec<Vec<f64>> = samples.into_par_iter().map(sample).collect();
    (0..trees.len()).map(|tree| all.iter().map(|errors| errors[tree]).collect()).collect()
}

/// Largest relative distance of the variance of a few keys below the mean: that of one key, with secrets of few coefficients,
/// scatters by some fifth.
const OF_KEYS: f64 = 0.2;

/// Returns the eighth moment of noise of variance 1 and this kurtosis, a Gaussian plus a product of two. Kurtoses of samples
/// spread with its square root.
fn eighth_moment(kurtosis: f64) -> f64 {
    // Moments of Gaussians, and their squares.
    let (moments, powers) = ([1.0, 1.0, 3.0, 15.0, 105.0], [1.0, 28.0, 70.0, 28.0, 1.0]);
    let product = ((kurtosis - 3.0).max(0.0) / 6.0).sqrt().min(1.0);
    let term = |k: usize| {
        let gaussian = moments[4 - k] * (1.0 - product).powi(4 - k as i32);
        powers[k] * gaussian * f64::powi(moments[k], 2) * product.powi(k as i32)
    };
    (0..=4).map(term).sum()
}

/// Checks variance and kurtosis, and the counts of errors beyond multiples of the predicted deviation: from both sides, by
/// five times the sampling error, and by Chernoff's bound. The law bounds its largest product, so the kurtosis, and the
/// counts with it, may be lower: half as far from a Gaussian's.
fn check_law(name: &str, errors: &[f64], law: NoiseLaw) {
    let count = errors.len() as f64;
    let moment = |power: i32| errors.iter().map(|e| e.powi(power)).sum::<f64>() / count;
    let (variance, predicted) = (moment(2) / law.variance(), law.kurtosis());
    let kurtosis = moment(4) / moment(2).powi(2);
    println!(
        "{name}: variance {variance:.3} of predicted, kurtosis {kurtosis:.2} ({predicted:.2})"
    );
    let spread = 5.0 * ((predicted - 1.0) / count).sqrt();
    assert!((0.95 - OF_KEYS - spread..1.0 + spread).contains(&variance), "{name}: {variance}");
    let spread = 5.0 * (eighth_moment(predicted) / count).sqrt();
    let least = 3.0 + (predicted - 3.0) / 2.0;
    assert!((least - spread..predicted + spread).contains(&kurtosis), "{name}: {kurtosis}");
    for ratio in [3.0, 4.0, 5.0, 6.0] {
        let at = ratio * law.deviation();
        let found = errors.iter().filter(|e| e.abs() > at).count() as f64;
        let expected = count * law.log2_exceeds_estimate(at).exp2();
        let bound = count * law.log2_exceeds(at).exp2();
        println!(
            "  beyond {ratio} deviations: {found}, expected {expected:.2}, at most {bound:.2}"
        );
        // Small counts have a Poisson distribution, for which three instead of none are likely enough.
        let spread = 5.0 * expected.sqrt();
        assert!(found < expected + spread + 3.0, "{name}, {ratio}: {found}, {expected}");
        assert!(found > expected / 2.0 - spread, "{name}, {ratio}: {found}, {expected}");
        assert!(found < bound + 5.0 * bound.sqrt() + 1.0, "{name}, {ratio}: {found}, {bound}");
    }
}

/// Returns a table of extreme values and a random one; the factors of selectors are random in both.
fn tables(parameters: &CircuitBootstrappingParameters, bits: usize) -> Vec<(CmuxTree, Vec<u64>)> {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let entries = 1u64 << bits;
    let extreme: Vec<u64> = (0..entries).map(|x| (x % 2) * (entries / 3 * 2)).collect();
    let random = (0..entries).map(|_| rng.random_range(0..entries)).collect();
    [extreme, random]
        .map(|table: Vec<u64>| (CmuxTree::new(parameters, &table, bits).unwrap(), table))
        .into_iter()
        .collect()
}

fn check_trees(
    parameters: &CircuitBootstrappingParameters,
    bits: usize,
    [keys, samples]: [usize; 2],
) {
    let trees = tables(parameters, bits);
    let law = trees[0].0.output_noise(&CircuitBootstrappingNoise::new(parameters), 0.5);
    let mut errors = vec![Vec::new(); trees.len()];
    for key in 0..keys {
        let setting = Setting::new(parameters.clone());
        let found = tree_errors(&setting, &trees, key * samples..(key + 1) * samples);
        errors.iter_mut().zip(found).for_each(|(all, found)| all.extend(found));
    }
    for (name, errors) in ["extreme", "random"].iter().zip(errors) {
        check_law(&format!("{name} table of {bits} bits"), &errors, law);
    }
}

#[test]
fn trees_of_toys_have_the_predicted_law() {
    let _replay = replay::begin();
    for (rotation, rgsw) in rotations() {
        for bits in [2, 4] {
            check_trees(&noisy_toy(rotation, rgsw), bits, [KEYS, 500]);
            check_trees(&noisy_toy_of_blocks(rotation, rgsw), bits, [KEYS, 500]);
        }
    }
}

/// Chains of 32 CMUXes by the two selectors of one rotation: each selector has errors of its own, which 16 CMUXes multiply.
#[test]
fn chains_have_the_law_of_their_distinct_selectors() {
    let _replay = replay::begin();
    let (rotation, rgsw) = rotations()[0];
    let parameters = noisy_toy(rotation, rgsw);
    let noise = CircuitBootstrappingNoise::new(&parameters);
    let (depth, selectors) = (32, 2);
    let law = noise.chain(depth, selectors, 0.5);
    assert!(law.kurtosis() > 4.0 && noise.chain(depth, depth, 0.5).kurtosis() < 3.2);
    let of_key = |key: usize| -> Vec<f64> {
        let setting = Setting::new(parameters.clone());
        let chains = key * 300..(key + 1) * 300;
        chains.into_par_iter().map(|i| error_of_chain(&setting, depth as usize, i as u64)).collect()
    };
    let errors: Vec<f64> = (0..KEYS).flat_map(of_key).collect();
    check_law("chain by two selectors", &errors, law);
}

/// Returns the error of half the torus after rotations that the two selectors of a random digit choose in turn.
fn error_of_chain(setting: &Setting, depth: usize, index: u64) -> f64 {
    let _part = replay::part(index);
    let mut rng = ChaCha20Rng::seed_from_u64(index);
    let (value, ring) = (rng.random_range(0..4), setting.parameters.fhew().ring());
    let input = encrypt(setting, value, 2);
    let selectors = setting.circuit().bootstrap_values(&[&input[0]], 2).unwrap();
    let half = Plaintext { value: 2, bits: 2 };
    let fresh = RlweCiphertext::embed(ring, &encrypt_plaintext(&setting.secret, half));
    let mut moved = LeveledCiphertext::new(ring, &fresh);
    let mut cmux = Cmux::new(ring, setting.parameters.rgsw_gadget());
    let mut position = 0;
    for step in 0..depth {
        let exponent = rng.random_range(0..2 * ring.degree());
        cmux.rotate_if_assign(&selectors[step % 2], &mut moved, exponent);
        // Half the torus is its own negative.
        position += (gray_code(value as usize, 2) >> (step % 2) & 1) * exponent;
    }
    let result = moved.extract(ring, [position % ring.degree()].into_iter()).remove(0);
    plaintext_error(&setting.secret, &result, half).unwrap()
}

/// Number of symbols per word, of two bits each.
const WORD_LENGTH: usize = 4;

/// Returns an automaton in which every state distinguishes all four symbols, so that each bit of a word is a CMUX.
fn random_automaton(rng: &mut ChaCha20Rng) -> Automaton {
    let mut row = || {
        let go = |symbol| Transition {
            next: rng.random_range(0..3),
            weight: 25 * symbol + rng.random_range(0..25),
        };
        (0..4usize).map(go).collect()
    };
    Automaton::new((0..3).map(|_| row()).collect()).unwrap()
}

/// Returns the error of the result of a run on a random word.
fn error_of_run(setting: &Setting, automaton: &Automaton, index: u64) -> f64 {
    let _part = replay::part(index);
    let mut rng = ChaCha20Rng::seed_from_u64(index);
    let (ring, gadget) = (setting.parameters.fhew().ring(), setting.parameters.rgsw_gadget());
    let diagram = DecisionDiagram::new(automaton, 2);
    let outputs: Vec<u64> = (0..ring.degree()).map(|_| rng.random_range(0..4)).collect();
    let polynomial = PlaintextPolynomial::from_fn(ring.degree(), 2, |entry| outputs[entry]);
    let end = LeveledCiphertext::of_plaintexts(ring, &polynomial);
    let word: Vec<u64> = (0..WORD_LENGTH).map(|_| rng.random_range(0..4)).collect();
    let mut after = vec![end; automaton.states().len()];
    for &symbol in word.iter().rev() {
        let symbol = encrypt(setting, symbol, 2);
        let selectors = setting.circuit().bootstrap_values(&[&symbol[0]], 2).unwrap();
        after = diagram.step(ring, gadget, &selectors, &after);
    }
    let result = after[0].extract(ring, [0].into_iter()).remove(0);
    let value = outputs[automaton.weight(&word).unwrap() as usize];
    plaintext_error(&setting.secret, &result, Plaintext { value, bits: 2 }).unwrap()
}

/// Checks that runs have the law of a path with one selector per bit of the word, the first CMUX of which chooses between
/// plain polynomials, and that the noise that parameters state for words bounds it.
fn check_automata(parameters: &CircuitBootstrappingParameters, [keys, samples]: [usize; 2]) {
    let noise = CircuitBootstrappingNoise::new(parameters);
    let depth = 2 * WORD_LENGTH;
    let (law, stated) = (noise.tree(depth, 0.5), noise.path(depth as u64, 1, 1.0));
    assert!(stated.variance() > law.variance() && stated.variance() < 1.5 * law.variance());
    let automaton = random_automaton(&mut ChaCha20Rng::seed_from_u64(2));
    let of_key = |key: usize| -> Vec<f64> {
        let setting = Setting::new(parameters.clone());
        let runs = key * samples..(key + 1) * samples;
        runs.into_par_iter().map(|run| error_of_run(&setting, &automaton, run as u64)).collect()
    };
    let errors: Vec<f64> = (0..keys).flat_map(of_key).collect();
    check_law("automaton on four symbols", &errors, law);
}

#[test]
fn automata_of_toys_have_the_predicted_law() {
    let _replay = replay::begin();
    for (rotation, rgsw) in rotations() {
        check_automata(&noisy_toy(rotation, rgsw), [KEYS, 500]);
    }
}

#[test]
#[ignore = "a minute: run by make test-all"]
fn automata_at_full_size_have_the_predicted_law() {
    let _replay = replay::begin();
    check_automata(&ParameterSet::TwoBitDepth24.parameters(), [1, 1_000]);
}

#[test]
#[ignore = "minutes: run by make test-all"]
fn trees_at_full_size_have_the_predicted_law() {
    let _replay = replay::begin();
    check_trees(&ParameterSet::TwoBitDepth24.parameters(), 2, [1, 5_000]);
    check_trees(&ParameterSet::TwoBitDepth11.parameters(), 8, [1, 5_000]);
    check_trees(&ParameterSet::Aes128.parameters(), 8, [1, 5_000]);
}

/// Values go from lookup to lookup, by a table that adds 1, so each read is of a result of a tree. The number of failures is
/// compared with the estimate by the predicted law, and with the bound that parameters state.
#[test]
fn lookups_fail_as_often_as_predicted() {
    let _replay = replay::begin();
    let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
    let rotation = RgswGadgetLiteral { body: gadget(15, 1), mask: gadget(15, 2) };
    let parameters = noisy_toy(rotation, gadget(6, 3));
    let noise = CircuitBootstrappingNoise::new(&parameters);
    let law = noise.tree(2, 0.5);
    let sparse = noise.model().lwe_modulus_switch(parameters.sparse_modulus());
    let read = law.with_independent(NoiseLaw::gaussian((noise.model().key_switching() + sparse).0));
    let of_key = |key: usize| -> usize {
        let setting = Setting::new(parameters.clone());
        let walks = key * WALKS..(key + 1) * WALKS;
        walks.into_par_iter().map(|index| failures_of_walk(&setting, index as u64)).sum()
    };
    let wrong = (0..KEYS).map(of_key).sum::<usize>() as f64;
    let (count, margin) = ((KEYS * WALKS * STEPS) as f64, parameters.margin());
    let expected = count * read.log2_exceeds_estimate(margin).exp2();
    let most = count * noise.log2_fail(NoiseBound::of_law(law, 0.0)).exp2();
    let gaussian = NoiseLaw::gaussian(read.variance()).log2_exceeds_estimate(margin);
    let gaussian = count * gaussian.exp2();
    println!(
        "{wrong} of {count} wrong, expected {expected:.1}, at most {most:.0}; by a Gaussian {gaussian:.1}"
    );
    let spread = 5.0 * expected.sqrt();
    let interval = expected / 4.0..1.2 * expected + spread;
    assert!(interval.contains(&wrong), "{wrong}, {expected}");
    assert!(wrong < most && wrong > 3.0 * gaussian, "{wrong}, {most}, {gaussian}");
}

/// Returns the number of lookups of a walk that go wrong. The first one reads a fresh value and does not count.
fn failures_of_walk(setting: &Setting, index: u64) -> usize {
    let _part = replay::part(index);
    let tree = CmuxTree::new(&setting.parameters, &[1, 2, 3, 0], 2).unwrap();
    let (mut value, mut wrong) = (index % 4, 0);
    let mut digits = encrypt(setting, value, 2);
    for step in 0..=STEPS {
        let found = tree.lookup_many(&setting.circuit(), std::slice::from_ref(&digits)).unwrap();
        digits = found.into_iter().next().unwrap();
        let found = decrypt_plaintext(&setting.secret, &digits[0], 2).unwrap();
        wrong += usize::from(step > 0 && found != (value + 1) % 4);
        value = found;
    }
    wrong
}
