//! Seeds: small valid objects of the fixed [`crate::clients`], from which mutations start. They are the same in every
//! process except for their masks.
//!
//! Evaluation keys are cut off after their first words; [`crate::repair::object`] pads them.

use cryptable::engines::{leveled, packed, single};
use cryptable::{Engine, Execution, Progress, Table, integers, transciphering};
use cryptable_conversion as conversion;
use cryptable_conversion::foreign::{ForeignParameters, ForeignSecret};
use cryptable_lattice::secret::TernarySecret;

use crate::clients::{
    aes_key, boolean_client, bridged_client, client, conversion_client, head, integer_client,
    slot_bits_client, table_client, toy, transciphering_client,
};

/// Parameters of the packed engine, for several methods.
#[must_use]
pub fn packed_parameters() -> Vec<Vec<u8>> {
    let table = table_client().parameters().to_bytes();
    let large = packed::Parameters::choose(&packed::Request::new(16, 16)).expect("a plan");
    vec![toy(Engine::Packed).to_bytes(), table, large.to_bytes()]
}

/// Parameters of the engine `single`.
#[must_use]
pub fn single_parameters() -> Vec<Vec<u8>> {
    let large = single::Parameters::candidates(&single::Request::new(4, 4)).expect("plans");
    [toy(Engine::Single).to_bytes()].into_iter().chain(large.iter().map(|p| p.to_bytes())).collect()
}

/// Parameters of the leveled engine.
#[must_use]
pub fn leveled_parameters() -> Vec<Vec<u8>> {
    let large = leveled::Parameters::candidates(&leveled::Request::new(4, 4)).expect("plans");
    [toy(Engine::Leveled).to_bytes()]
        .into_iter()
        .chain(large.iter().map(|p| p.to_bytes()))
        .collect()
}

/// Parameters of gates.
#[must_use]
pub fn boolean_parameters() -> Vec<Vec<u8>> {
    vec![boolean_client().parameters().to_bytes()]
}

/// Parameters of integers.
#[must_use]
pub fn integer_parameters() -> Vec<Vec<u8>> {
    vec![integer_client().parameters().to_bytes()]
}

/// Parameters of transciphering.
#[must_use]
pub fn transciphering_parameters() -> Vec<Vec<u8>> {
    vec![transciphering_client().parameters().to_bytes()]
}

/// Parameters of bits in slots, a toy and a set of full size.
#[must_use]
pub fn slot_bits_parameters() -> Vec<Vec<u8>> {
    let large = cryptable_bits::Parameters::latency_128(cryptable_bits::Packing::Complex);
    vec![slot_bits_client().parameters().to_bytes(), large.expect("a valid set").to_bytes()]
}

/// Secret keys of all engines.
#[must_use]
pub fn secret_keys() -> Vec<Vec<u8>> {
    let secrets = Engine::ALL.map(client);
    secrets.iter().chain([bridged_client()]).map(|secret| secret.to_bytes().to_vec()).collect()
}

/// Public keys of packed values.
#[must_use]
pub fn public_keys() -> Vec<Vec<u8>> {
    vec![client(Engine::Packed).public_key().expect("of packed values").to_bytes()]
}

/// Keys for a new owner of values of each engine.
#[must_use]
pub fn rekeying_keys() -> Vec<Vec<u8>> {
    let key = |engine| {
        let owner = client(engine);
        let new_owner = cryptable::SecretKey::generate(owner.parameters());
        let public = new_owner.public_key().expect("of lookups");
        owner.rekey_to(&public).expect("of lookups").to_bytes()
    };
    [Engine::Packed, Engine::Single, Engine::Leveled].map(key).to_vec()
}

/// Canaries of packed values, few and many.
#[must_use]
pub fn canaries() -> Vec<Vec<u8>> {
    let secret = client(Engine::Packed);
    let file = |values: &[u64], canaries| {
        let (_, canaries) = secret.encrypt_with_canaries(values, canaries).expect("small values");
        canaries.to_bytes().to_vec()
    };
    vec![file(&[1], 1), file(&[0; 20], 3), file(&[1, 0], 30)]
}

/// A secret key of gates.
#[must_use]
pub fn boolean_secret_key() -> Vec<Vec<u8>> {
    vec![boolean_client().to_bytes().to_vec()]
}

/// Columns of integers and of booleans, of one part and of two.
#[must_use]
pub fn integer_columns() -> Vec<Vec<u8>> {
    let secret = client(Engine::Packed);
    let secret = secret.packed().expect("of packed values");
    let part = |values: &[u16]| integers::encrypt(secret, values).expect("16 bits");
    let mut writer = integers::ColumnWriter::new(Vec::new());
    for values in [&[1, 65_535][..], &[300]] {
        writer.push(&part(values)).expect("memory takes all bytes");
    }
    let booleans = integers::encrypt_booleans(secret, &[true, false]).expect("bits");
    vec![
        part(&[7, 8]).to_bytes().expect("encrypted"),
        booleans.to_bytes().expect("encrypted"),
        writer.finish().expect("memory takes all bytes"),
    ]
}

/// A secret key of integers.
#[must_use]
pub fn integer_secret_key() -> Vec<Vec<u8>> {
    vec![integer_client().to_bytes().to_vec()]
}

/// A secret key of transciphering.
#[must_use]
pub fn transciphering_secret_key() -> Vec<Vec<u8>> {
    vec![transciphering_client().to_bytes().to_vec()]
}

/// A secret key of bits in slots.
#[must_use]
pub fn slot_bits_secret_key() -> Vec<Vec<u8>> {
    vec![slot_bits_client().to_bytes().to_vec()]
}

/// Parameters of single values that may be packed.
#[must_use]
pub fn bridged_parameters() -> Vec<Vec<u8>> {
    vec![bridged_client().parameters().to_bytes()]
}

/// A complete evaluation key for single values that may be packed, since its parts have checksums of their own.
#[must_use]
pub fn bridged_evaluation_key() -> Vec<Vec<u8>> {
    let (secret, mut file) = (bridged_client(), Vec::new());
    secret.write_evaluation_key(&mut file, Execution::default()).expect("memory takes all bytes");
    vec![file]
}

fn evaluation_key(engine: Engine) -> Vec<Vec<u8>> {
    let (secret, mut file) = (client(engine), Vec::new());
    secret.write_evaluation_key(&mut file, Execution::default()).expect("memory takes all bytes");
    vec![head(&file, secret.parameters().to_bytes().len())]
}

/// The start of an evaluation key for packed values.
#[must_use]
pub fn packed_evaluation_key() -> Vec<Vec<u8>> {
    evaluation_key(Engine::Packed)
}

/// The start of an evaluation key for single values.
#[must_use]
pub fn single_evaluation_key() -> Vec<Vec<u8>> {
    evaluation_key(Engine::Single)
}

/// The start of an evaluation key for leveled values.
#[must_use]
pub fn leveled_evaluation_key() -> Vec<Vec<u8>> {
    evaluation_key(Engine::Leveled)
}

/// The start of an evaluation key for gates.
#[must_use]
pub fn boolean_evaluation_key() -> Vec<Vec<u8>> {
    let (secret, mut file) = (boolean_client(), Vec::new());
    secret.write_evaluation_key(&mut file, Progress::silent()).expect("memory takes all bytes");
    vec![head(&file, secret.parameters().to_bytes().len())]
}

/// The start of an evaluation key for integers.
#[must_use]
pub fn integer_evaluation_key() -> Vec<Vec<u8>> {
    let (secret, mut file) = (integer_client(), Vec::new());
    secret.write_evaluation_key(&mut file, Progress::silent()).expect("memory takes all bytes");
    vec![head(&file, secret.parameters().to_bytes().len())]
}

/// The start of an evaluation key for transciphering.
#[must_use]
pub fn transciphering_evaluation_key() -> Vec<Vec<u8>> {
    let (secret, mut file) = (transciphering_client(), Vec::new());
    secret.write_evaluation_key(&mut file, Progress::silent()).expect("memory takes all bytes");
    vec![head(&file, secret.parameters().to_bytes().len())]
}

/// The start of an evaluation key for bits in slots.
#[must_use]
pub fn slot_bits_evaluation_key() -> Vec<Vec<u8>> {
    let (secret, mut file) = (slot_bits_client(), Vec::new());
    secret.write_evaluation_key(&mut file, Progress::silent()).expect("memory takes all bytes");
    vec![head(&file, secret.parameters().to_bytes().len())]
}

/// Parameters of conversions.
#[must_use]
pub fn conversion_parameters() -> Vec<Vec<u8>> {
    vec![conversion_client().0.to_bytes()]
}

/// Writes a conversion key to a file.
fn conversion_key(write: impl Fn(&conversion::Secrets<'_>, &mut Vec<u8>)) -> Vec<Vec<u8>> {
    let (parameters, clients) = conversion_client();
    let lwe = vec![1; parameters.literal().lwe_dimension];
    let ring = TernarySecret::uniform(256);
    let mut file = Vec::new();
    write(&conversion::Secrets { lwe: &lwe, ring: &ring, clients }, &mut file);
    vec![file]
}

/// A ring packing key.
#[must_use]
pub fn ring_packing_key() -> Vec<Vec<u8>> {
    conversion_key(|secrets, file| {
        let key = secrets.packing_key(conversion_client().0).expect("secrets of these sizes");
        key.write(file).expect("memory takes all bytes");
    })
}

/// An extraction key.
#[must_use]
pub fn extraction_key() -> Vec<Vec<u8>> {
    conversion_key(|secrets, file| {
        let key = secrets.extraction_key(conversion_client().0).expect("secrets of these sizes");
        key.write(file).expect("memory takes all bytes");
    })
}

/// Two ciphertexts of another library, none, and a secret.
#[must_use]
pub fn foreign_lists() -> Vec<Vec<u8>> {
    let list = |count: u8| {
        let words = (0..u32::from(count) * 33).flat_map(|word| (word * 31).to_le_bytes());
        let header = [b"LWELIST1".as_slice(), &[32, 0, 0, 0, 11, 0, 0, 0], &[count], &[0; 7]];
        header.concat().into_iter().chain(words).collect()
    };
    vec![list(2), list(0), [b"LWEKEY01\x20\0\0\0".as_slice(), &[1; 32]].concat()]
}

/// A server's keys for gates on ciphertexts of another library.
#[must_use]
pub fn foreign_gates() -> Vec<Vec<u8>> {
    let parameters = ForeignParameters::insecure_toy();
    let secret = ForeignSecret::from_bytes(&parameters, &foreign_lists()[2]).expect("a secret");
    let (packed, mut file) = (parameters.packed(64).expect("a toy"), Vec::new());
    secret.write_gates(&packed, &mut file, Progress::silent()).expect("memory takes all bytes");
    vec![file]
}

/// The start of encrypted tables.
#[must_use]
pub fn encrypted_tables() -> Vec<Vec<u8>> {
    let table = Table::new(4, 4, vec![0, 1, 2, 3]).expect("a table");
    let tables = packed::SlotTables::new(vec![table; 2]).expect("tables of the same moduli");
    let tables = table_client().encrypt_tables(&tables).expect("tables of these parameters");
    let mut file = Vec::new();
    tables.write(&mut file).expect("memory takes all bytes");
    vec![head(&file, 0)]
}

/// Files of one ciphertext and of several, of all engines.
#[must_use]
pub fn ciphertext_files() -> Vec<Vec<u8>> {
    let one_and_several = |engine| {
        let (secret, some) = (client(engine), [0, 1, 2, 3]);
        let one = secret.encrypt(&some[..1]).expect("values below 4");
        [one.to_bytes(), secret.encrypt(&some).expect("values below 4").to_bytes()]
    };
    Engine::ALL.into_iter().flat_map(one_and_several).collect()
}

/// Encrypted bits.
#[must_use]
pub fn encrypted_bits() -> Vec<Vec<u8>> {
    vec![boolean_client().encrypt(&[true, false, true]).to_bytes()]
}

/// Encrypted bits in slots.
#[must_use]
pub fn slot_bits() -> Vec<Vec<u8>> {
    let secret = slot_bits_client();
    let bits = secret.encrypt(&[true, false, true]).expect("three bits");
    vec![bits.to_bytes(secret.parameters()).expect("bits of these parameters")]
}

/// Integers, as whole values and in digits.
#[must_use]
pub fn encrypted_integers() -> Vec<Vec<u8>> {
    let secret = integer_client();
    let whole = secret.encrypt(&[-3, 0, 7]).expect("integers of 8 bits");
    let radix = secret.encrypt_radix(7, 3).expect("three digits");
    vec![whole.to_bytes(), radix.to_bytes()]
}

/// Bytes that are encrypted bit by bit, both none and some, and an encrypted AES key.
#[must_use]
pub fn encrypted_bytes() -> Vec<Vec<u8>> {
    let secret = transciphering_client();
    let messages = [&b""[..], b"abc"].map(|text| secret.encrypt(text).to_bytes());
    messages.into_iter().chain([secret.encrypt_key(&aes_key()).to_bytes()]).collect()
}

/// AES messages of no bytes and of some, and one of another program, which has no tag.
#[must_use]
pub fn aes_messages() -> Vec<Vec<u8>> {
    let mut encryptor = transciphering::MessageEncryptor::new(aes_key());
    let mut seal = |counter, text| encryptor.encrypt_from(counter, text).expect("a counter once");
    let sealed = [seal([1; 16], &b""[..]), seal([2; 16], b"abc")].map(|it| it.to_bytes());
    let key_id = aes_key().id();
    let foreign = transciphering::Message::from_counter_mode(key_id, [3; 16], b"abcd");
    sealed.into_iter().chain([foreign.expect("few bytes").to_bytes()]).collect()
}

/// Objects of several kinds, for the inspection of files.
#[must_use]
pub fn all() -> Vec<Vec<u8>> {
    let groups = [
        secret_keys(),
        evaluation_key(Engine::Single),
        ciphertext_files(),
        encrypted_bits(),
        encrypted_integers(),
        integer_columns(),
        encrypted_bytes(),
        aes_messages(),
    ];
    groups.into_iter().flatten().collect()
}
