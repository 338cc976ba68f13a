//! Clients with fixed secrets and small parameters, so that targets can decrypt inputs of another process.

use std::sync::LazyLock;

use cryptable::engines::{bridged, packed};
use cryptable::{
    Engine, KeyId, Parameters, ReadOptions, SecretKey, gates, large_values, transciphering,
};
use cryptable_conversion as conversion;
use cryptable_ring::primes::ntt_primes;
use cryptable_wire::HEADER_BYTES;
use serde_json::Value;

use crate::repair;

/// Number of bytes of a key that are kept after its parameters: identifier, lengths, seed, and some words.
const KEPT_BYTES: usize = 200;

/// Four coefficients of a binary or ternary secret: 0, 1, 0, 1.
const FOUR_COEFFICIENTS: u8 = 0b10_01_10_01;

pub(crate) fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Returns the parameters with the smallest ring degree that `accept` allows, with a small LWE dimension, or else the
/// given ones.
///
/// `bytes` are a literal in JSON. In parameters of leveled values, moduli and the literal's length in 8 bytes come
/// first.
fn smallest<P>(bytes: &[u8], accept: impl Fn(&[u8]) -> Option<P>) -> P {
    let start = bytes.iter().position(|&byte| byte == b'{').expect("a literal is an object");
    let (moduli, literal) = (bytes[..start].len().saturating_sub(8), &bytes[start..]);
    let whole: Value = serde_json::from_slice(literal).expect("a literal is JSON");
    let smaller = [64, 128, 256, 512, 1024, 2048].into_iter().find_map(|degree| {
        let mut small = whole.clone();
        shrink(&mut small, degree);
        let small = serde_json::to_vec(&small).expect("a literal serialises");
        let length = (small.len() as u64).to_le_bytes();
        let length = if start > 0 { &length[..] } else { &[] };
        accept(&[&bytes[..moduli], length, &small].concat())
    });
    smaller.or_else(|| accept(bytes)).expect("parameters by themselves are accepted")
}

/// Sets the ring degree and the LWE dimension in every object that has both. Secrets of blocks become binary, since
/// [`fixed`] coefficients are none.
fn shrink(value: &mut Value, degree: usize) {
    let Value::Object(fields) = value else { return };
    if fields.contains_key("ring_degree") && fields.contains_key("lwe_dimension") {
        fields["ring_degree"] = degree.into();
        fields["lwe_dimension"] = 8.into();
        if fields["lwe_secret"].is_object() {
            fields["lwe_secret"] = "Binary".into();
        }
    }
    fields.values_mut().for_each(|field| shrink(field, degree));
}

/// Returns a secret key file in which all coefficients are [`FOUR_COEFFICIENTS`].
pub(crate) fn fixed(file: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    let length = |file: &[u8], at: usize| {
        u64::from_le_bytes(file[at..at + 8].try_into().expect("eight bytes")) as usize
    };
    let end = HEADER_BYTES + length(&file, 48);
    let mut at = HEADER_BYTES + 8 + length(&file, HEADER_BYTES);
    while at < end {
        let bytes = length(&file, at);
        file[at + 8..][..bytes].fill(FOUR_COEFFICIENTS);
        at += 8 + bytes;
    }
    repair::object(&file)
}

/// Returns the beginning of an object: its header, its parameters of this length, and [`KEPT_BYTES`] more.
pub(crate) fn head(file: &[u8], parameters: usize) -> Vec<u8> {
    file[..file.len().min(HEADER_BYTES + 8 + parameters + KEPT_BYTES)].to_vec()
}

pub(crate) fn toy(engine: Engine) -> Parameters {
    let toy = match engine {
        Engine::Packed => packed::Parameters::insecure_toy_of(4, 4, 64, 64).map(Into::into),
        Engine::Single | Engine::Leveled => Parameters::insecure_toy(engine, 4, 4),
    };
    let toy = toy.expect("a valid toy");
    smallest(&toy.to_bytes(), |bytes| Parameters::from_bytes(engine, bytes, toys()).ok())
}

/// Returns the client of an engine.
#[must_use]
pub fn client(engine: Engine) -> SecretKey {
    let secret = SecretKey::generate(toy(engine));
    SecretKey::from_bytes(&fixed(&secret.to_bytes()), toys()).expect("a secret key")
}

/// Returns the client of gates.
#[must_use]
pub fn boolean_client() -> &'static gates::SecretKey {
    static CLIENT: LazyLock<gates::SecretKey> = LazyLock::new(|| {
        let toy = gates::Parameters::insecure_toy().to_bytes();
        let parameters = smallest(&toy, |bytes| gates::Parameters::from_bytes(bytes, toys()).ok());
        let bytes = fixed(&gates::SecretKey::generate(&parameters).to_bytes());
        gates::SecretKey::from_bytes(&bytes, toys()).expect("a secret key")
    });
    &CLIENT
}

/// Returns the client of integers.
#[must_use]
pub fn integer_client() -> &'static large_values::SecretKey {
    static CLIENT: LazyLock<large_values::SecretKey> = LazyLock::new(|| {
        let toy = large_values::Parameters::insecure_toy(8).expect("a valid toy").to_bytes();
        let parameters =
            smallest(&toy, |bytes| large_values::Parameters::from_bytes(bytes, toys()).ok());
        let bytes = fixed(&large_values::SecretKey::generate(&parameters).to_bytes());
        large_values::SecretKey::from_bytes(&bytes, toys()).expect("a secret key")
    });
    &CLIENT
}

/// Returns the client of transciphering.
#[must_use]
pub fn transciphering_client() -> &'static transciphering::SecretKey {
    static CLIENT: LazyLock<transciphering::SecretKey> = LazyLock::new(|| {
        let toy = transciphering::Parameters::insecure_toy().to_bytes();
        let parameters =
            smallest(&toy, |bytes| transciphering::Parameters::from_bytes(bytes, toys()).ok());
        let bytes = fixed(&transciphering::SecretKey::generate(&parameters).to_bytes());
        transciphering::SecretKey::from_bytes(&bytes, toys()).expect("a secret key")
    });
    &CLIENT
}

/// Returns the client of bits in slots.
#[must_use]
pub fn slot_bits_client() -> &'static cryptable_bits::SecretKey {
    static CLIENT: LazyLock<cryptable_bits::SecretKey> = LazyLock::new(|| {
        let toy = cryptable_bits::Parameters::insecure_toy(cryptable_bits::Packing::Real);
        let mut literal = toy.expect("a valid toy").literal().clone();
        literal.ring_degree = 64;
        literal.slots_to_coeffs.stages = vec![3, 2];
        literal.coeffs_to_slots.stages = vec![3, 2];
        // Few key-switching digits make the key small.
        literal.digit_limbs = 4;
        literal.raised_digit_limbs = 4;
        literal.special = vec![49.9; 4];
        let parameters = cryptable_bits::Parameters::new(literal).expect("valid parameters");
        let bytes = fixed(&cryptable_bits::SecretKey::generate(&parameters).to_bytes());
        cryptable_bits::SecretKey::from_bytes(&bytes, toys()).expect("a secret key")
    });
    &CLIENT
}

/// Returns a client of bits with the levels that partial decryptions need, and its server.
#[must_use]
pub fn partial_decryption_client()
-> &'static (cryptable_bits::SecretKey, cryptable_bits::EvaluationKey) {
    static CLIENT: LazyLock<(cryptable_bits::SecretKey, cryptable_bits::EvaluationKey)> =
        LazyLock::new(|| {
            let toy = cryptable_bits::Parameters::insecure_toy_throughput();
            let mut literal = toy.expect("a valid toy").literal().clone();
            literal.ring_degree = 64;
            literal.slots_to_coeffs.stages = vec![3, 2];
            literal.coeffs_to_slots.stages = vec![3, 2];
            let parameters = cryptable_bits::Parameters::new(literal).expect("valid parameters");
            let secret = cryptable_bits::SecretKey::generate(&parameters);
            let server = secret.evaluation_key(cryptable::Progress::silent());
            let server = server.expect("nobody asks to stop");
            (secret, server)
        });
    &CLIENT
}

/// Returns the client of lookups with one table per value.
#[must_use]
pub fn table_client() -> packed::SecretKey {
    let multiplexer = packed::MultiplexerLiteral {
        digits: vec![2, 2],
        selectors: vec![1, 1],
        entry_levels: 1,
        ..Default::default()
    };
    let parameters = packed::Parameters::insecure_toy_tree(4, 256, 256, multiplexer, 0);
    let secret = packed::SecretKey::generate(&parameters.expect("a valid toy"));
    packed::SecretKey::from_bytes(&fixed(&secret.to_bytes()), toys()).expect("a secret key")
}

/// Returns the client of single values that may be packed.
pub(crate) fn bridged_client() -> &'static SecretKey {
    static SECRET: LazyLock<SecretKey> = LazyLock::new(|| {
        let single = toy(Engine::Single);
        let single = single.single().expect("of this engine").clone();
        // Conversions need blocks of at least 32 coefficients, an eighth of the ring's.
        let packed = packed::Parameters::insecure_toy_of(2, 2, 256, 256).expect("a valid toy");
        let single = single.with_moduli(2, 2).expect("a valid toy");
        let parameters = bridged::Parameters::new(single, packed).expect("toys that fit");
        SecretKey::generate(Parameters::from(parameters))
    });
    &SECRET
}

/// Returns the parameters and clients of conversions, with blocks of 64 and 32 of 256 coefficients.
#[must_use]
pub fn conversion_client() -> (&'static conversion::Parameters, conversion::Clients) {
    static PARAMETERS: LazyLock<conversion::Parameters> = LazyLock::new(|| {
        let bottom = ntt_primes(256, 28.0, 1, &[])[0];
        let single = integer_client().parameters().fhew();
        let literal = conversion::ParametersLiteral::insecure_between(single, 256, bottom);
        conversion::Parameters::new(literal).expect("a valid toy")
    });
    let clients = conversion::Clients { lwe: KeyId([7; 16]), ring: KeyId([8; 16]) };
    (&PARAMETERS, clients)
}

/// Returns the AES key of messages.
#[must_use]
pub fn aes_key() -> transciphering::AesKey {
    transciphering::AesKey::from_bytes(&[5; 16])
}
