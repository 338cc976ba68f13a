//! AES-128: test vectors of the standards in the clear and under encryption, and the S-box on every input.

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::keys::SecretKey;
use cryptable_leveled::aes::field::{inverse_sub_byte, sub_byte};
use cryptable_leveled::aes::plain::{counter_mode, encrypt_block};
use cryptable_leveled::aes::round_keys::{decrypt_bytes, encrypt_bytes, encrypt_key, expand_key};
use cryptable_leveled::aes::{Aes, EncryptedRoundKeys};
use cryptable_leveled::bootstrapping::CircuitBootstrapping;
use cryptable_leveled::parameters::{CircuitBootstrappingParameters, ParameterSet};
use cryptable_leveled::tree::CmuxTree;
use rayon::prelude::*;

fn hex<const N: usize>(text: &str) -> [u8; N] {
    core::array::from_fn(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
}

fn keys(parameters: &CircuitBootstrappingParameters) -> (SecretKey, EvaluationKey) {
    let secret = SecretKey::generate(parameters.fhew());
    let key = EvaluationKey::expand(&secret.evaluation_key());
    (secret, key)
}

fn aes<'a>(parameters: &CircuitBootstrappingParameters, key: &'a EvaluationKey) -> Aes<'a> {
    Aes::new(CircuitBootstrapping::new(parameters, key)).unwrap()
}

#[test]
fn the_s_box_is_that_of_the_standard_and_a_permutation() {
    // FIPS 197, Figure 7: first row, and the corners.
    let row = hex::<16>("637c777bf26b6fc53001672bfed7ab76");
    assert!((0..16).all(|x| sub_byte(x) == row[x as usize]));
    assert_eq!((sub_byte(0xf0), sub_byte(0xff)), (0x8c, 0x16));
    assert!((0..=255).all(|x| inverse_sub_byte(sub_byte(x)) == x));
}

#[test]
fn keys_are_expanded_as_in_the_standard() {
    // FIPS 197, Appendix A.1.
    let expanded = expand_key(&hex("2b7e151628aed2a6abf7158809cf4f3c"));
    assert_eq!(expanded.len(), 176);
    assert_eq!(expanded[172..], hex::<4>("b6630ca6"));
}

#[test]
fn all_inputs_of_the_s_box() {
    let parameters = ParameterSet::Aes128.insecure_toy();
    let (secret, key) = keys(&parameters);
    let circuit = CircuitBootstrapping::new(&parameters, &key);
    let table: Vec<u64> = (0..=255).map(|x| sub_byte(x).into()).collect();
    let tree = CmuxTree::new(&parameters, &table, 8).unwrap();
    (0..=255u8).into_par_iter().for_each(|input| {
        let bits = encrypt_bytes(&secret, &[input]).remove(0);
        let selectors: Vec<_> = bits.iter().map(|bit| circuit.bootstrap(bit).unwrap()).collect();
        let output = tree.lookup(&selectors).unwrap();
        assert_eq!(*decrypt_bytes(&secret, &[output]).unwrap(), [sub_byte(input)]);
    });
}

/// Encrypts and decrypts a block under encryption.
fn check_block(aes_key: &str, plain: &str, cipher: &str) {
    let parameters = ParameterSet::Aes128.insecure_toy();
    let (secret, key) = keys(&parameters);
    let aes = aes(&parameters, &key);
    let round_keys = encrypt_key(&secret, &hex(aes_key));
    let block = encrypt_bytes(&secret, &hex::<16>(plain));
    let encrypted = aes.encrypt(&round_keys, &block).unwrap();
    assert_eq!(*decrypt_bytes(&secret, &encrypted).unwrap(), hex::<16>(cipher));
    let decrypted = aes.decrypt(&round_keys, &encrypted).unwrap();
    assert_eq!(*decrypt_bytes(&secret, &decrypted).unwrap(), hex::<16>(plain));
}

/// FIPS 197, Appendix B.
#[test]
fn the_block_of_fips_197_appendix_b_both_ways() {
    check_block(
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    );
}

/// FIPS 197, Appendix C.1.
#[test]
#[ignore = "slow: run by make test-all"]
fn the_block_of_fips_197_appendix_c_both_ways() {
    check_block(
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    );
}

/// NIST SP 800-38A: the key and the message of all vectors of AES-128, and the counter of F.5.
const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";
const MESSAGE: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                       30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
/// F.5.1 and F.5.2, CTR-AES128.
const CTR: &str = "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
                   5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee";
/// F.1.1 and F.1.2, ECB-AES128.
const ECB: &str = "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
                   43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4";

#[test]
fn the_vectors_of_sp_800_38a_in_the_clear() {
    let (key, counter) = (hex(KEY), hex(COUNTER));
    let message: [u8; 64] = hex(MESSAGE);
    assert_eq!(counter_mode(&key, counter, &message), hex::<64>(CTR));
    assert_eq!(counter_mode(&key, counter, &hex::<64>(CTR)), message);
    for (block, expected) in message.chunks_exact(16).zip(hex::<64>(ECB).chunks_exact(16)) {
        assert_eq!(encrypt_block(&key, block.try_into().unwrap()), *expected);
    }
}

/// All blocks of F.1.1 and F.1.2.
#[test]
#[ignore = "slow: run by make test-all"]
fn the_blocks_of_sp_800_38a_both_ways() {
    for block in (0..128).step_by(32) {
        check_block(KEY, &MESSAGE[block..block + 32], &ECB[block..block + 32]);
    }
}

/// F.5.2, the first bytes of the message.
fn check_counter_mode(length: usize) {
    let parameters = ParameterSet::Aes128.insecure_toy();
    let (secret, key) = keys(&parameters);
    let aes = aes(&parameters, &key);
    let round_keys = encrypt_key(&secret, &hex(KEY));
    let (counter, cipher, plain) = (hex(COUNTER), hex::<64>(CTR), hex::<64>(MESSAGE));
    let message = aes.transcipher(&round_keys, counter, &cipher[..length], &|_| Ok(())).unwrap();
    assert_eq!(*decrypt_bytes(&secret, &message).unwrap(), plain[..length]);
}

/// A message of a whole block and one byte of the next.
#[test]
fn transciphering_of_two_blocks_of_the_counter_mode_vectors() {
    check_counter_mode(17);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn transciphering_of_all_blocks_of_the_counter_mode_vectors() {
    check_counter_mode(64);
}

/// Compares a random block and a message with the crates `aes` and `ctr`.
fn check_random(seed: u8) {
    let parameters = ParameterSet::Aes128.insecure_toy();
    let (secret, key) = keys(&parameters);
    let aes = aes(&parameters, &key);
    let bytes: [u8; 48] = core::array::from_fn(|i| sub_byte(seed.wrapping_mul(i as u8 + 3)));
    let random = |from: usize| core::array::from_fn(|i| bytes[from + i]);
    let (aes_key, block) = (random(0), random(16));
    let round_keys = encrypt_key(&secret, &aes_key);
    let encrypted = aes.encrypt(&round_keys, &encrypt_bytes(&secret, &block)).unwrap();
    let expected = encrypt_block(&aes_key, block);
    assert_eq!(*decrypt_bytes(&secret, &encrypted).unwrap(), expected);
    let message = &bytes[..17 + usize::from(seed)];
    // A counter whose last byte overflows.
    let counter = [0xff; 16];
    let cipher = counter_mode(&aes_key, counter, message);
    let found = aes.transcipher(&round_keys, counter, &cipher, &|_| Ok(())).unwrap();
    assert_eq!(*decrypt_bytes(&secret, &found).unwrap(), message);
}

#[test]
fn a_random_block_and_message() {
    check_random(1);
}

#[test]
#[ignore = "slow: run by make test-all"]
fn more_random_blocks_and_messages() {
    (2..4).for_each(check_random);
}

#[test]
fn full_size_parameters_leave_room_for_every_round() {
    let parameters = ParameterSet::Aes128.parameters();
    assert!(parameters.security_bits() >= 128.0);
    let (secret, key) = keys(&parameters);
    let aes = aes(&parameters, &key);
    assert!(aes.log2_fail() <= -64.0);
    let round_keys = encrypt_key(&secret, &hex("000102030405060708090a0b0c0d0e0f"));
    let block = encrypt_bytes(&secret, &hex::<16>("00112233445566778899aabbccddeeff"));
    let encrypted = aes.encrypt(&round_keys, &block).unwrap();
    let expected = hex::<16>("69c4e0d86a7b0430d8cdb78070b4c55a");
    assert_eq!(*decrypt_bytes(&secret, &encrypted).unwrap(), expected);
}

/// Every known answer of the standards at 128 bits: both blocks of FIPS 197, the blocks of SP 800-38A and its counter mode.
#[test]
#[ignore = "slow: run by make test-all"]
fn all_known_answers_at_full_size() {
    let parameters = ParameterSet::Aes128.parameters();
    assert!(parameters.security_bits() >= 128.0);
    let (secret, key) = keys(&parameters);
    let aes = aes(&parameters, &key);
    let standard = "000102030405060708090a0b0c0d0e0f";
    let mut blocks = vec![
        (KEY, "3243f6a8885a308d313198a2e0370734", "3925841d02dc09fbdc118597196a0b32"),
        (standard, "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
    ];
    let of_modes = (0..128).step_by(32).map(|at| (KEY, &MESSAGE[at..at + 32], &ECB[at..at + 32]));
    blocks.extend(of_modes);
    for (aes_key, plain, cipher) in blocks {
        let round_keys = encrypt_key(&secret, &hex(aes_key));
        let encrypted =
            aes.encrypt(&round_keys, &encrypt_bytes(&secret, &hex::<16>(plain))).unwrap();
        assert_eq!(*decrypt_bytes(&secret, &encrypted).unwrap(), hex::<16>(cipher));
        let decrypted = aes.decrypt(&round_keys, &encrypted).unwrap();
        assert_eq!(*decrypt_bytes(&secret, &decrypted).unwrap(), hex::<16>(plain));
    }
    let round_keys = encrypt_key(&secret, &hex(KEY));
    let (counter, cipher) = (hex(COUNTER), hex::<64>(CTR));
    let message = aes.transcipher(&round_keys, counter, &cipher, &|_| Ok(())).unwrap();
    assert_eq!(*decrypt_bytes(&secret, &message).unwrap(), hex::<64>(MESSAGE));
}

#[test]
fn bad_input_is_refused() {
    let parameters = ParameterSet::Aes128.insecure_toy();
    let (secret, key) = keys(&parameters);
    let aes = aes(&parameters, &key);
    assert!(EncryptedRoundKeys::new(Vec::new()).is_err());
    let round_keys = encrypt_key(&secret, &[0; 16]);
    let message = aes.encrypt(&round_keys, &[]).unwrap_err().to_string();
    assert!(message.contains("16 bytes"), "{message}");
}
