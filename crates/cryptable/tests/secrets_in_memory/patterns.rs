//! The forms of a secret that the library computes, as they would appear in memory.

use cryptable::transciphering::round_keys::expand_key;
use cryptable::{KeyId, Parameters, Progress, bits, gates, large_values, transciphering};
use cryptable_lattice::NoiseBound;
use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::power_of_two_product::multiply;
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::Seed;
use cryptable_ring::{Modulus, NttTable};
use cryptable_wire::{BodyReader, pack_ternary, peek_header, read_object, unpack_ternary};

use crate::client::{self, Case, Drawn, Sent};

/// One form of a secret.
pub struct Pattern {
    /// Name of the pattern.
    pub name: String,
    /// Its bytes in memory.
    pub bytes: Vec<u8>,
    /// Number of bytes that must match for a finding: enough that other data does not match by chance.
    pub window: usize,
    /// Distance between positions in the form at which a window may start.
    pub unit: usize,
}

impl Pattern {
    fn of_bytes(name: impl Into<String>, bytes: &[u8], window: usize) -> Self {
        Self { name: name.into(), bytes: bytes.to_vec(), window, unit: 1 }
    }

    fn of_words(name: impl Into<String>, words: &[u64], window: usize) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        Self { name: name.into(), bytes, window: 8 * window, unit: 8 }
    }
}

/// Returns all forms of what the client encrypted, and of the secrets in its key's file.
pub fn of(case: Case, sent: &Sent) -> Vec<Pattern> {
    if case == Case::Seeds {
        return draws(sent.secret.as_slice().try_into().unwrap());
    }
    let (mut patterns, primes) = (plaintexts(case), primes(case));
    let secrets = secrets(&sent.secret);
    for (index, secret) in secrets.iter().enumerate().filter(|(_, s)| !s.is_empty()) {
        patterns.extend(forms(&format!("secret {index}"), secret, &primes));
    }
    if case == Case::Packed {
        patterns.extend(mask_times_secret(&secrets[0], &sent.ciphertext));
    }
    patterns
}

fn plaintexts(case: Case) -> Vec<Pattern> {
    match case {
        Case::Packed | Case::Single | Case::Leveled => {
            vec![Pattern::of_words("values", &client::values(), 16)]
        }
        Case::Bridged | Case::Bridge => plaintexts(Case::Packed),
        Case::Bits => plaintexts(Case::Booleans),
        Case::Vectors => {
            let words: Vec<u64> = client::numbers().iter().map(|x| x.to_bits()).collect();
            vec![Pattern::of_words("numbers", &words, 8)]
        }
        Case::Seeds => Vec::new(),
        Case::Booleans => {
            let bits: Vec<u8> = client::bits().iter().map(|&bit| bit.into()).collect();
            vec![Pattern::of_bytes("bits", &bits, 48)]
        }
        Case::Integers => {
            let words: Vec<u64> = client::integers().iter().map(|&x| x as u64).collect();
            vec![Pattern::of_words("integers", &words, 8)]
        }
        Case::Transciphering => {
            let message = client::message();
            let wide: Vec<u64> = message.iter().map(|&byte| byte.into()).collect();
            vec![
                Pattern::of_bytes("message", &message, 16),
                Pattern::of_words("message in words", &wide, 8),
                Pattern::of_bytes("round keys of AES", &expand_key(&client::aes_key()), 9),
            ]
        }
    }
}

/// Returns the patterns of a seed and of values drawn from it.
fn draws(seed: &[u8; Seed::BYTES]) -> Vec<Pattern> {
    let Drawn { uniform, ternary, sparse, errors } = Drawn::of(seed);
    let bytes = |values: &[i8]| values.iter().map(|&value| value as u8).collect::<Vec<u8>>();
    vec![
        Pattern::of_bytes("seed", seed, 16),
        Pattern::of_words("uniform words", &uniform, 2),
        Pattern::of_bytes("ternary secret", &bytes(&ternary), 32),
        Pattern::of_bytes("secret of fixed weight", &bytes(&sparse), 32),
        Pattern::of_bytes("errors", &bytes(&errors), 16),
    ]
}

/// Returns the secrets of a key's file: everything after the parameters. Keys of two ends are two files.
fn secrets(file: &[u8]) -> Vec<Vec<i8>> {
    let object_type = peek_header(file).unwrap().object_type;
    let body = read_object(file, object_type, None, u64::MAX).unwrap();
    let mut reader = BodyReader::new(body);
    reader.bytes("parameters", u64::MAX).unwrap();
    let mut secrets = Vec::new();
    while reader.position() < body.len() {
        let packed = reader.bytes("secret", u64::MAX).unwrap();
        if peek_header(packed).is_ok() {
            secrets.extend(self::secrets(packed));
            continue;
        }
        let mut secret = unpack_ternary(packed, 4 * packed.len()).unwrap().to_vec();
        // Bits beyond the last coefficient are read as -1, which binary secrets do not otherwise have.
        let end = secret.len().saturating_sub(3);
        if !secret[..end].contains(&-1) {
            secret.retain(|&c| c >= 0);
        }
        secrets.push(secret);
    }
    secrets
}

/// Returns the primes modulo which secrets are reduced.
fn primes(case: Case) -> Vec<u64> {
    let fhew = |it: &cryptable_fhew::parameters::Parameters| {
        let small = it.small_ring().map(|small| small.ring.modulus().value());
        [it.prime()].into_iter().chain(small).collect()
    };
    let toy = case.engine().map(|engine| Parameters::insecure_toy(engine, 16, 16).unwrap());
    match (toy, case) {
        (Some(Parameters::Packed(it)), _) => {
            let (degree, log2) = (it.ring_degree(), it.literal().log2_scale);
            // The lowest primes of the chain suffice, since all limbs go through the same loops. Then follow the primes
            // of products modulo 2^k.
            [ntt_primes(degree, log2, 3, &[]), ntt_primes(degree, 50.0, 2, &[])].concat()
        }
        (Some(Parameters::Single(it)), _) => fhew(it.fhew()),
        (Some(Parameters::Leveled(it)), _) => fhew(it.circuit_bootstrapping().fhew()),
        (_, Case::Bits) => {
            let secret = bits::SecretKey::generate(&client::bit_parameters());
            let server = secret.evaluation_key(Progress::silent()).unwrap();
            server.ring().moduli().values().to_vec()
        }
        (_, Case::Vectors) => {
            let degree = client::vector_parameters().literal().ring_degree;
            // The base, the special primes and the primes of levels.
            [ntt_primes(degree, 49.0, 3, &[]), ntt_primes(degree, 40.0, 3, &[])].concat()
        }
        (_, Case::Bridged) => [primes(Case::Packed), primes(Case::Single)].concat(),
        (_, Case::Bridge) => [primes(Case::Packed), primes(Case::Integers)].concat(),
        (_, Case::Booleans) => fhew(gates::Parameters::insecure_toy().fhew()),
        (_, Case::Integers) => fhew(large_values::Parameters::insecure_toy(8).unwrap().fhew()),
        _ => {
            let toy = transciphering::Parameters::insecure_toy();
            fhew(toy.circuit_bootstrapping().fhew())
        }
    }
}

/// Returns the forms that are computed from one ternary secret.
fn forms(name: &str, secret: &[i8], primes: &[u64]) -> Vec<Pattern> {
    let bytes: Vec<u8> = secret.iter().map(|&c| c as u8).collect();
    let wide: Vec<u64> = secret.iter().map(|&c| i64::from(c) as u64).collect();
    let window = 32.min(secret.len() / 2);
    let packed = pack_ternary(secret);
    let packed_window = 12.min(packed.len() - 8);
    let mut patterns = vec![
        Pattern::of_bytes(format!("{name}, a byte a coefficient"), &bytes, window),
        Pattern::of_bytes(format!("{name}, two bits a coefficient"), &packed, packed_window),
        Pattern::of_words(format!("{name}, a word a coefficient"), &wide, window),
    ];
    for &prime in primes {
        let modulus = Modulus::new(prime);
        let residues: Vec<u64> = secret.iter().map(|&c| modulus.reduce_i64(c.into())).collect();
        // For binary secrets, they equal the words above.
        if residues != wide {
            patterns.push(Pattern::of_words(format!("{name} modulo {prime}"), &residues, window));
        }
        let degree = secret.len();
        let table = degree.is_power_of_two().then(|| NttTable::new(degree, modulus)).flatten();
        let Some(table) = table else { continue };
        let mut evaluations = residues;
        table.forward_assign(&mut evaluations);
        patterns.push(Pattern::of_words(format!("{name}, NTT modulo {prime}"), &evaluations, 4));
        let squares = evaluations.iter().map(|&x| modulus.mul(x, x)).collect::<Vec<_>>();
        patterns.push(Pattern::of_words(format!("{name} squared, NTT"), &squares, 4));
        let mut square = squares;
        table.inverse_assign(&mut square);
        patterns.push(Pattern::of_words(format!("{name} squared"), &square, 16));
    }
    patterns
}

/// Returns the pattern of the product a·s of a fresh packed ciphertext `(a·s + …, a)`. With the ciphertext, it reveals
/// the error, and thus s.
fn mask_times_secret(secret: &[i8], ciphertext: &[u8]) -> Vec<Pattern> {
    let object_type = peek_header(ciphertext).unwrap().object_type;
    let body = read_object(ciphertext, object_type, None, u64::MAX).unwrap();
    // The client's identifier and the bound on the noise precede it.
    let body = &body[KeyId::BYTES + NoiseBound::BYTES as usize..];
    let body = CoefficientCiphertext::from_body(body).unwrap();
    let (a, bits) = (body.to_pair().1, body.log2_modulus);
    let product = multiply(&a, secret, bits);
    vec![Pattern::of_words("mask times secret modulo 2^k", &product, 4)]
}
