//! AES-128 by tables of eight bits and by gates of two bits on encrypted bits: on toy rings, and at full size.

use std::time::Instant;

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use cryptable_bits::{EncryptedBits, Packing, Parameters, SecretKey};
use cryptable_circuits::aes::{expand_key, s_box};
use cryptable_circuits::execution::{execute_with, input_bits, output_words};
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::schedule::InputSupply;
use cryptable_circuits::{CircuitBuilder, Plan, PlanOptions};
use cryptable_lattice::Progress;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

#[test]
#[ignore = "half a minute: run by make test-all"]
fn blocks_by_tables() {
    let parameters = Parameters::insecure_toy_tables(Packing::Complex).unwrap();
    let plan = check_blocks(NamedCircuit::Aes128ExpandedKey, &parameters);
    assert_eq!(plan.counts().bootstraps(), 9 * 128);
}

/// Encrypts 32,768 blocks at once.
#[test]
#[ignore = "five minutes and 3 GB: run by make test-all"]
fn blocks_at_full_size() {
    let parameters = Parameters::tables_128().unwrap();
    let plan = check_blocks(NamedCircuit::Aes128ExpandedKey, &parameters);
    assert_eq!((plan.words(), plan.counts().bootstraps()), (32_768, 9 * 128));
}

/// Uses the circuit of Boyar and Peralta. Every S-box bootstraps eight bits and the four with which its inversion in
/// GF(16) begins; in the first round only these four. The results are bootstrapped, too.
#[test]
#[ignore = "a minute: run by make test-all"]
fn blocks_by_gates() {
    let parameters = Parameters::insecure_toy_sums().unwrap();
    let plan = check_blocks(NamedCircuit::Aes128ExpandedKeyBoyarPeralta, &parameters);
    let least = 160 * 12 - 128 + 128;
    assert!((least..least + 160).contains(&plan.counts().bootstraps()), "{plan}");
}

/// Two S-boxes by gates, one after the other, on all bytes, encrypted by a public key.
#[test]
fn s_boxes_by_gates() {
    let mut builder = CircuitBuilder::new("two S-boxes");
    let byte: [_; 8] = builder.input("x", 8).unwrap().try_into().unwrap();
    let image = s_box(&mut builder, byte);
    let image = s_box(&mut builder, image);
    builder.output("y", &image).unwrap();
    let circuit = builder.finish();
    let parameters = Parameters::insecure_toy_sums().unwrap();
    let options = PlanOptions { public_inputs: true, ..PlanOptions::default() };
    let plan = Plan::new(&circuit, &parameters, &options).unwrap();
    println!("{plan}");
    assert!((24..=28).contains(&plan.counts().bootstraps()), "{plan}");
    let secret = SecretKey::generate(&parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let bytes: Vec<Vec<u128>> = (0..256).map(|x| vec![x]).collect();
    let (bits, levels) = (input_bits(&[8], &bytes), plan.input_levels());
    let public = secret.public_key().unwrap();
    let input = |bit: usize| public.encrypt_at(&bits[bit], levels[bit]);
    let outputs = execute_with(&plan, &server, &input, Progress::silent()).unwrap();
    let decrypted: Vec<_> = outputs.iter().map(|bits| secret.decrypt(bits).unwrap()).collect();
    assert_eq!(output_words(&[8], &decrypted), circuit.evaluate_many(&bytes).unwrap());
    for (bits, &value) in outputs.iter().zip(plan.outputs()) {
        assert!((bits.noise().deviation() / plan.deviation_of(value) - 1.0).abs() < 1e-9);
    }
}

/// The key and the block of FIPS 197, Appendix C.1.
fn example() -> ([u8; 16], [u8; 16]) {
    let key = std::array::from_fn(|i| i as u8);
    (key, key.map(|byte| 17 * byte))
}

/// Encrypts one block per slot, each under a key of its own, through all rounds. Every block agrees with another
/// implementation, and bits are as clean as the plan states.
fn check_blocks(named: NamedCircuit, parameters: &Parameters) -> Plan {
    let circuit = named.build();
    let options = PlanOptions { supply: InputSupply::WhenNeeded, ..PlanOptions::default() };
    let plan = Plan::new(&circuit, parameters, &options).unwrap();
    println!("{plan}");
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let (mut words, mut expected) = (Vec::new(), Vec::new());
    for i in 0..parameters.bits() {
        let (key, block) = if i == 0 { example() } else { (rng.random(), rng.random()) };
        let mut result = block.into();
        Aes128::new(&key.into()).encrypt_block(&mut result);
        let inputs = [block].into_iter().chain(*expand_key(&key));
        words.push(inputs.map(u128::from_le_bytes).collect::<Vec<u128>>());
        expected.push(vec![u128::from_le_bytes(result.into())]);
    }
    let secret = SecretKey::generate(parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let bits = input_bits(&[128; 12], &words);
    let levels = plan.input_levels();
    let input = |bit: usize| secret.encrypt_at(&bits[bit], levels[bit]);
    let start = Instant::now();
    let outputs: Vec<EncryptedBits> =
        execute_with(&plan, &server, &input, Progress::silent()).unwrap();
    println!("{} blocks in {:.1} s", words.len(), start.elapsed().as_secs_f64());
    let decrypted: Vec<_> = outputs.iter().map(|bits| secret.decrypt(bits).unwrap()).collect();
    assert!(output_words(&[128], &decrypted) == expected);
    for (bits, &value) in outputs.iter().zip(plan.outputs()) {
        assert!((bits.noise().deviation() / plan.deviation_of(value) - 1.0).abs() < 1e-9);
    }
    plan
}
