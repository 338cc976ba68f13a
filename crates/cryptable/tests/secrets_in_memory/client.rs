//! The client's operations with its key.

use cryptable::ckks::KeySet;
use cryptable::engines::{self, bridged};
use cryptable::transciphering::{AesKey, MessageEncryptor};
use cryptable::{Engine, Execution, Parameters, Progress, ReadOptions, SecretKey};
use cryptable::{bridges, ckks, gates, large_values, transciphering};
use cryptable_ring::random::{RandomStream, SecretSeed, Seed, StreamPurpose};
use zeroize::Zeroizing;

/// The engines and kinds of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Packed,
    Single,
    Leveled,
    Booleans,
    Integers,
    Transciphering,
    /// Bits in the slots of vectors.
    Bits,
    Vectors,
    /// Single values that a server may pack: two secrets, with conversions between them.
    Bridged,
    /// Packed values and integers, with a bridge between them.
    Bridge,
    /// Seeds of secrets and errors, and values drawn from them.
    Seeds,
}

impl Case {
    pub const ALL: [Self; 11] = [
        Self::Packed,
        Self::Single,
        Self::Leveled,
        Self::Booleans,
        Self::Integers,
        Self::Transciphering,
        Self::Bits,
        Self::Vectors,
        Self::Bridged,
        Self::Bridge,
        Self::Seeds,
    ];

    /// Returns the case with a name, as `Debug` prints it.
    pub fn of_name(name: &str) -> Self {
        Self::ALL.into_iter().find(|case| format!("{case:?}") == name).expect("a case")
    }

    /// Returns the engine of the case, if it is an engine.
    pub fn engine(self) -> Option<Engine> {
        match self {
            Self::Packed => Some(Engine::Packed),
            Self::Single => Some(Engine::Single),
            Self::Leveled => Some(Engine::Leveled),
            _ => None,
        }
    }
}

/// Modulus of the toys' tables.
const MODULUS: u64 = 16;

/// Number of values that are encrypted.
pub const VALUES: usize = 200;

/// Returns a value of any index that looks random. Both test and client compute it, and neither sends it.
fn scrambled(index: usize) -> u64 {
    (index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31).wrapping_mul(0xD6E8_FEB8)
        >> 20
}

/// Returns values below the modulus.
pub fn values() -> Zeroizing<Vec<u64>> {
    Zeroizing::new((0..VALUES).map(|index| scrambled(index) % MODULUS).collect())
}

/// Returns bits.
pub fn bits() -> Zeroizing<Vec<bool>> {
    Zeroizing::new((0..VALUES).map(|index| scrambled(index) & 1 == 1).collect())
}

/// Returns signed integers of eight bits.
pub fn integers() -> Zeroizing<Vec<i64>> {
    Zeroizing::new((0..VALUES / 4).map(|index| scrambled(index) as i8 as i64).collect())
}

/// Returns numbers that decryption restores exactly.
pub fn numbers() -> Zeroizing<Vec<f64>> {
    Zeroizing::new((0..VALUES).map(|index| (scrambled(index) % 256) as f64 / 256.0).collect())
}

/// Returns a message.
pub fn message() -> Zeroizing<Vec<u8>> {
    Zeroizing::new((0..VALUES).map(|index| scrambled(index) as u8).collect())
}

/// Returns an AES key.
pub fn aes_key() -> Box<Zeroizing<[u8; 16]>> {
    let mut key = Box::new(Zeroizing::new([0; 16]));
    key.iter_mut().enumerate().for_each(|(index, byte)| *byte = scrambled(index + 1000) as u8);
    key
}

fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Data that the client hands to the test.
pub struct Sent {
    /// The secret key as a file holds it.
    pub secret: Zeroizing<Vec<u8>>,
    /// A fresh ciphertext.
    pub ciphertext: Vec<u8>,
}

/// Uses a fresh key for all its operations, and drops it.
pub fn run(case: Case) -> Sent {
    match case {
        Case::Packed | Case::Single | Case::Leveled => run_engine(case.engine().unwrap()),
        Case::Booleans => run_booleans(),
        Case::Integers => run_integers(),
        Case::Transciphering => run_transciphering(),
        Case::Bits => run_bits(),
        Case::Vectors => run_vectors(),
        Case::Bridged => run_bridged(),
        Case::Bridge => run_bridge(),
        Case::Seeds => run_seeds(),
    }
}

fn run_engine(engine: Engine) -> Sent {
    let parameters = Parameters::insecure_toy(engine, MODULUS, MODULUS).unwrap();
    let secret = SecretKey::generate(&parameters);
    let values = values();
    let ciphertext = secret.encrypt(&values).unwrap();
    drop(secret.evaluation_key());
    let mut sent = Vec::new();
    secret.write_evaluation_key(&mut sent, Execution::default()).unwrap();
    let file = secret.to_bytes();
    let again = SecretKey::from_bytes(&file, toys()).unwrap();
    let decrypted = Zeroizing::new(again.decrypt(&ciphertext).unwrap());
    assert!(*decrypted == *values);
    let ciphertext = match engine {
        Engine::Packed => secret.packed().unwrap().encrypt(&values).unwrap().to_bytes(),
        _ => Vec::new(),
    };
    Sent { secret: file, ciphertext }
}

fn run_booleans() -> Sent {
    let secret = gates::SecretKey::generate(&gates::Parameters::insecure_toy());
    let bits = bits();
    let ciphertext = secret.encrypt(&bits);
    drop(secret.evaluation_key(Progress::silent()).unwrap());
    let file = secret.to_bytes();
    let again = gates::SecretKey::from_bytes(&file, toys()).unwrap();
    let decrypted = Zeroizing::new(again.decrypt(&ciphertext).unwrap());
    assert!(*decrypted == *bits);
    Sent { secret: file, ciphertext: ciphertext.to_bytes() }
}

fn run_integers() -> Sent {
    let parameters = large_values::Parameters::insecure_toy(8).unwrap();
    let secret = large_values::SecretKey::generate(&parameters);
    let integers = integers();
    let ciphertext = secret.encrypt_full_range(&integers).unwrap();
    drop(secret.evaluation_key(Progress::silent()).unwrap());
    let file = secret.to_bytes();
    let again = large_values::SecretKey::from_bytes(&file, toys()).unwrap();
    let decrypted = Zeroizing::new(again.decrypt(&ciphertext).unwrap());
    assert!(*decrypted == *integers);
    Sent { secret: file, ciphertext: ciphertext.to_bytes() }
}

fn run_bits() -> Sent {
    let secret = cryptable::bits::SecretKey::generate(&bit_parameters());
    let bits = bits();
    let ciphertext = secret.encrypt(&bits).unwrap();
    let (mut sent, silent) = (Vec::new(), Progress::silent());
    drop(secret.evaluation_key(silent).unwrap());
    secret.write_evaluation_key(&mut sent, silent).unwrap();
    let file = secret.to_bytes();
    let again = cryptable::bits::SecretKey::from_bytes(&file, toys()).unwrap();
    assert!(*Zeroizing::new(again.decrypt(&ciphertext).unwrap()) == *bits);
    Sent { secret: file, ciphertext: Vec::new() }
}

fn run_vectors() -> Sent {
    let secret = ckks::SecretKey::generate(&vector_parameters());
    let numbers = numbers();
    let ciphertext = secret.encrypt_reals(&numbers).unwrap();
    let (keys, silent) = (KeySet::new().rotations([1, 2]).conjugation(), Progress::silent());
    let mut sent = Vec::new();
    drop(secret.evaluation_key_for(&keys, silent).unwrap());
    secret.write_evaluation_key_for(&keys, &mut sent, silent).unwrap();
    let file = secret.to_bytes();
    let again = ckks::SecretKey::from_bytes(&file, toys()).unwrap();
    let decrypted = Zeroizing::new(again.decrypt_reals(&ciphertext).unwrap());
    assert!(decrypted[..VALUES] == **numbers);
    Sent { secret: file, ciphertext: Vec::new() }
}

fn run_bridged() -> Sent {
    let parameters = bridged::Parameters::insecure_toy(MODULUS, MODULUS).unwrap();
    let secret = bridged::SecretKey::generate(&parameters);
    let values = values();
    let ciphertext = secret.encrypt(&values).unwrap();
    let (mut sent, silent) = (Vec::new(), Progress::silent());
    drop(secret.evaluation_key(silent).unwrap());
    secret.write_evaluation_key(&mut sent, silent).unwrap();
    let file = secret.to_bytes();
    let again = bridged::SecretKey::from_bytes(&file, toys()).unwrap();
    assert!(*Zeroizing::new(again.decrypt(&ciphertext).unwrap()) == *values);
    Sent { secret: file, ciphertext: Vec::new() }
}

fn run_bridge() -> Sent {
    let parameters = bridges::IntegerParameters::insecure_toy(MODULUS, 8).unwrap();
    let secrets = engines::integer_bridge::SecretKey::generate(&parameters);
    let values = values();
    let ciphertext = secrets.packed().encrypt(&values).unwrap();
    let (mut sent, silent) = (Vec::new(), Progress::silent());
    drop(secrets.evaluation_key(silent).unwrap());
    secrets.write_evaluation_key(&mut sent, silent).unwrap();
    let file = secrets.to_bytes();
    let again = engines::integer_bridge::SecretKey::from_bytes(&file, toys()).unwrap();
    assert!(*Zeroizing::new(again.packed().decrypt(&ciphertext).unwrap()) == *values);
    Sent { secret: file, ciphertext: Vec::new() }
}

/// Returns parameters of bits.
pub fn bit_parameters() -> cryptable::bits::Parameters {
    cryptable::bits::Parameters::insecure_toy(cryptable::bits::Packing::Real).unwrap()
}

/// Returns parameters of vectors.
pub fn vector_parameters() -> ckks::Parameters {
    ckks::Parameters::insecure_toy().unwrap()
}

fn run_transciphering() -> Sent {
    let secret = transciphering::SecretKey::generate(&transciphering::Parameters::insecure_toy());
    let (message, mut sent) = (message(), Vec::new());
    let mut encryptor = MessageEncryptor::new(AesKey::from_bytes(&aes_key()));
    let sealed = encryptor.encrypt(&message).unwrap();
    assert!(*encryptor.key().open(&sealed).unwrap() == *message);
    let streamed = encryptor.take(None, message.len() as u64).unwrap();
    streamed.encrypt_stream(&mut message.as_slice(), &mut sent).unwrap();
    drop(secret.encrypt_key(encryptor.key()));
    let ciphertext = secret.encrypt(&message);
    secret.write_evaluation_key(&mut sent, Progress::silent()).unwrap();
    let file = secret.to_bytes();
    let again = transciphering::SecretKey::from_bytes(&file, toys()).unwrap();
    assert!(*again.decrypt(&ciphertext).unwrap() == *message);
    let mut whole = Zeroizing::new(Vec::with_capacity(VALUES));
    again.decrypt_stream(&ciphertext.to_bytes(), &mut *whole, Progress::silent()).unwrap();
    assert!(*whole == *message);
    Sent { secret: file, ciphertext: ciphertext.to_bytes() }
}

/// Data drawn from a seed.
pub struct Drawn {
    pub uniform: Zeroizing<Vec<u64>>,
    pub ternary: Zeroizing<Vec<i8>>,
    pub sparse: Zeroizing<Vec<i8>>,
    pub errors: Zeroizing<Vec<i8>>,
}

impl Drawn {
    pub fn of(seed: &[u8; Seed::BYTES]) -> Self {
        let stream = |index| RandomStream::new(seed, StreamPurpose::Secret, index);
        let mut uniform = Zeroizing::new(vec![0; VALUES]);
        stream(0).uniform_assign(&mut uniform, 1 << 60);
        Self {
            uniform,
            ternary: stream(1).uniform_ternary(VALUES),
            sparse: stream(2).fixed_weight_ternary(VALUES, VALUES / 2),
            errors: stream(3).centered_binomial(VALUES),
        }
    }
}

fn run_seeds() -> Sent {
    let seed = SecretSeed::random();
    drop(Drawn::of(seed.as_bytes()));
    let mut copy = Zeroizing::new(vec![0; Seed::BYTES]);
    copy.copy_from_slice(seed.as_bytes());
    Sent { secret: copy, ciphertext: Vec::new() }
}
