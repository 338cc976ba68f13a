//! AES-128 by tables of eight bits on encrypted bits, on a toy ring.

use aes::Aes128;
use aes::cipher::{BlockEncrypt, KeyInit};
use cryptable_bits::{EncryptedBits, Packing, Parameters, SecretKey};
use cryptable_circuits::aes::expand_key;
use cryptable_circuits::execution::{execute_with, input_bits, output_words};
use cryptable_circuits::named::NamedCircuit;
use cryptable_circuits::schedule::InputSupply;
use cryptable_circuits::{Plan, PlanOptions};
use cryptable_lattice::Progress;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// As many blocks as there are slots, each under a key of its own, all rounds: every block is what another implementation
/// makes of it, and bits are as clean as the plan says.
#[test]
#[ignore = "half a minute: run by make test-all"]
fn blocks_under_keys_of_their_own() {
    let parameters = Parameters::insecure_toy_tables(Packing::Complex).unwrap();
    let circuit = NamedCircuit::Aes128ExpandedKey.build();
    let options = PlanOptions { supply: InputSupply::WhenNeeded, ..PlanOptions::default() };
    let plan = Plan::new(&circuit, &parameters, &options).unwrap();
    println!("{plan}");
    assert_eq!(plan.counts().bootstraps(), 9 * 128);
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let (mut words, mut expected) = (Vec::new(), Vec::new());
    for _ in 0..parameters.bits() {
        let (block, key): ([u8; 16], [u8; 16]) = (rng.random(), rng.random());
        let mut result = block.into();
        Aes128::new(&key.into()).encrypt_block(&mut result);
        let inputs = [block].into_iter().chain(*expand_key(&key));
        words.push(inputs.map(u128::from_le_bytes).collect::<Vec<u128>>());
        expected.push(vec![u128::from_le_bytes(result.into())]);
    }
    let secret = SecretKey::generate(&parameters);
    let server = secret.evaluation_key(Progress::silent()).unwrap();
    let bits = input_bits(&[128; 12], &words);
    let levels = plan.input_levels();
    let input = |bit: usize| secret.encrypt_at(&bits[bit], levels[bit]);
    let outputs: Vec<EncryptedBits> =
        execute_with(&plan, &server, &input, Progress::silent()).unwrap();
    let decrypted: Vec<_> = outputs.iter().map(|bits| secret.decrypt(bits).unwrap()).collect();
    assert!(output_words(&[128], &decrypted) == expected);
    for (bits, &value) in outputs.iter().zip(plan.outputs()) {
        assert!((bits.noise().deviation() / plan.deviation_of(value) - 1.0).abs() < 1e-9);
    }
}
