//! AES-128 as a circuit: the S-box on all bytes, the vectors of FIPS 197, random blocks against another implementation.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use cryptable_circuits::aes::{KeySource, SBox, encrypt, expand_key, s_box};
use cryptable_circuits::{Circuit, CircuitBuilder};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn aes128(key: [u8; 16], block: [u8; 16]) -> [u8; 16] {
    let mut block = block.into();
    Aes128::new(&key.into()).encrypt_block(&mut block);
    block.into()
}

/// Inverse in GF(2^8), affine map: FIPS 197, Section 5.1.1.
fn s_box_by_definition(x: u8) -> u8 {
    let product = |mut a: u8, b: u8| {
        (0..8).fold(0, |sum, bit| {
            let term = if b >> bit & 1 == 1 { a } else { 0 };
            a = a << 1 ^ if a >> 7 == 1 { 0x1b } else { 0 };
            sum ^ term
        })
    };
    let inverse = (0..=255).find(|&y| product(x, y) == 1).unwrap_or(0);
    (1..5).fold(inverse, |sum, k| sum ^ inverse.rotate_left(k)) ^ 0x63
}

#[test]
fn s_box_of_every_byte() {
    let mut builder = CircuitBuilder::new("s_box");
    let byte = builder.input("x", 8).unwrap().try_into().unwrap();
    let image = s_box(&mut builder, byte);
    builder.output("y", &image).unwrap();
    let circuit = builder.finish();
    for x in 0..=255 {
        let found = circuit.evaluate_words(&[u128::from(x)]).unwrap();
        assert_eq!(found, [u128::from(s_box_by_definition(x))]);
    }
    let statistics = circuit.statistics();
    // Some XORs of the paper's 94 are disjoint.
    assert_eq!((statistics.ands, statistics.xors + statistics.unions), (34, 94));
    assert!(statistics.depth <= 16);
    println!("{circuit}");
}

fn evaluate(circuit: &Circuit, words: &[[u8; 16]]) -> [u8; 16] {
    let words: Vec<u128> = words.iter().map(|&bytes| u128::from_le_bytes(bytes)).collect();
    circuit.evaluate_words(&words).unwrap()[0].to_le_bytes()
}

const BLOCK: u128 = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff;
const KEY: u128 = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f;
const RESULT: u128 = 0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a;

#[test]
fn vectors_of_fips_197_and_random_blocks() {
    for (s_box, ands, tables) in
        [(SBox::BoyarPeralta, 200 * 34, 0), (SBox::Tables, 0, 144 * 11 + 56 * 8)]
    {
        let circuit = encrypt(KeySource::Encrypted, s_box);
        println!("{circuit}");
        let [block, key, result] = [BLOCK, KEY, RESULT].map(u128::to_be_bytes);
        assert_eq!(evaluate(&circuit, &[block, key]), result);
        let known = encrypt(KeySource::Known(key), s_box);
        assert_eq!(evaluate(&known, &[block]), result);
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        for _ in 0..20 {
            let (key, block): ([u8; 16], [u8; 16]) = (rng.random(), rng.random());
            assert_eq!(evaluate(&circuit, &[block, key]), aes128(key, block));
            assert_eq!(evaluate(&known, &[block]), aes128(KEY.to_be_bytes(), block));
        }
        let statistics = circuit.statistics();
        assert_eq!((statistics.ands, statistics.tables), (ands, tables));
    }
}

#[test]
fn expanded_keys() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let (key, block): ([u8; 16], [u8; 16]) = (rng.random(), rng.random());
    let expected = aes128(key, block);
    let inputs: Vec<[u8; 16]> = [block].into_iter().chain(*expand_key(&key)).collect();
    for (s_box, ands) in [(SBox::BoyarPeralta, 160 * 34), (SBox::Tables, 0)] {
        let circuit = encrypt(KeySource::ExpandedAndEncrypted, s_box);
        assert_eq!(evaluate(&circuit, &inputs), expected);
        assert_eq!(circuit.statistics().ands, ands);
    }
}

/// The products at the end of an S-box wait for the inversion, while bits of the byte are available early: 18 products
/// become 64.
#[test]
fn late_xors_are_taken_after_products() {
    let circuit = encrypt(KeySource::ExpandedAndEncrypted, SBox::BoyarPeralta).balanced();
    let distributed = circuit.distributed();
    let ands = |circuit: &Circuit| circuit.statistics().ands;
    println!("{circuit}\n{distributed}");
    assert!((160 * 30..=160 * 48).contains(&(ands(&distributed) - ands(&circuit))));
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let lanes: Vec<u64> = (0..circuit.input_bits()).map(|_| rng.random()).collect();
    let expected = circuit.evaluate_lanes(&lanes).unwrap();
    assert_eq!(distributed.evaluate_lanes(&lanes).unwrap(), expected);
    assert_eq!(distributed.balanced().evaluate_lanes(&lanes).unwrap(), expected);
}
