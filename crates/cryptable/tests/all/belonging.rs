//! Tests that every engine refuses objects of other parameters by the whole digest, and states both digests.

use cryptable::{
    Ciphertext, Engine, Error, Parameters, Progress, SecretKey, Table, gates, large_values,
    transciphering,
};
use cryptable_wire::short_hex;

use crate::forged;

const SILENT: Progress<'static> = Progress::silent();

/// Returns the same object with another last byte of its parameters' digest, and a new checksum.
fn with_other_digest(object: &[u8]) -> Vec<u8> {
    forged(object, 47, &[object[47] ^ 1])
}

/// Changes the digest like [`with_other_digest`] in a file of one ciphertext. The file has its digest of the parameters
/// at the same place as an object, and the object follows after the header of 72 bytes and the object's length.
fn file_with_other_digest(file: &[u8]) -> Vec<u8> {
    let length = u64::from_le_bytes(file[72..80].try_into().unwrap()) as usize;
    with_other_digest(&forged(file, 80, &with_other_digest(&file[80..80 + length])))
}

/// Checks for an error about parameters whose digests differ only in the last byte.
fn check(error: Error, what: &str) {
    let Error::OtherParameters { expected, found, .. } = &error else { panic!("{what}: {error}") };
    assert_eq!(expected[..31], found[..31], "{what}");
    assert_ne!(expected[31], found[31], "{what}");
}

#[test]
fn digests_are_compared_to_the_last_byte_by_every_engine() {
    for engine in Engine::ALL {
        let secret = SecretKey::generate(Parameters::insecure_toy(engine, 4, 4).unwrap());
        let server = secret.evaluation_key();
        let table = server.prepare(&Table::from_fn(4, 4, |x| 3 - x).unwrap()).unwrap();
        let forged = file_with_other_digest(&secret.encrypt(&[1]).unwrap().to_bytes());
        let forged = Ciphertext::from_bytes(&forged).unwrap();
        check(server.lookup(&forged, &table).unwrap_err(), engine.name());
        check(secret.decrypt(&forged).unwrap_err(), engine.name());
    }
}

#[test]
fn digests_are_compared_to_the_last_byte_by_gates_integers_and_transciphering() {
    let secret = gates::SecretKey::generate(&gates::Parameters::insecure_toy());
    let forged = with_other_digest(&secret.encrypt(&[true]).to_bytes());
    let forged = gates::EncryptedBits::from_bytes(&forged).unwrap();
    check(secret.decrypt(&forged).unwrap_err(), "gates");

    let secret =
        large_values::SecretKey::generate(&large_values::Parameters::insecure_toy(8).unwrap());
    let forged = with_other_digest(&secret.encrypt(&[1]).unwrap().to_bytes());
    let forged = large_values::EncryptedIntegers::from_bytes(&forged).unwrap();
    check(secret.decrypt(&forged).unwrap_err(), "integers");

    use transciphering::{AesKey, EncryptedBytes, EncryptedKey, MessageEncryptor, Transciphering};
    let secret = transciphering::SecretKey::generate(&transciphering::Parameters::insecure_toy());
    let forged = with_other_digest(&secret.encrypt(b"a").to_bytes());
    check(secret.decrypt(&EncryptedBytes::from_bytes(&forged).unwrap()).unwrap_err(), "bytes");
    let encryptor = MessageEncryptor::new(AesKey::generate());
    let forged = with_other_digest(&secret.encrypt_key(encryptor.key()).to_bytes());
    let forged = EncryptedKey::from_bytes(&forged).unwrap();
    let server = secret.evaluation_key(SILENT).unwrap();
    check(Transciphering::new(&server, &forged, None).unwrap_err(), "AES key");
}

#[test]
fn messages_have_both_digests_and_tables_of_others_are_refused() {
    for engine in Engine::ALL {
        let (p, q) = (
            Parameters::insecure_toy(engine, 4, 4).unwrap(),
            Parameters::insecure_toy(engine, 4, 2).unwrap(),
        );
        let digests = [&p, &q].map(|parameters| short_hex(&parameters.digest()));
        let (ours, theirs) = (SecretKey::generate(p), SecretKey::generate(q));
        let foreign = theirs.encrypt(&[1]).unwrap();
        let table = theirs.evaluation_key().prepare(&Table::from_fn(4, 2, |x| x % 2).unwrap());
        let own = ours.encrypt(&[1]).unwrap();
        for (error, refused) in [
            (ours.decrypt(&foreign).unwrap_err(), "ciphertext"),
            (ours.evaluation_key().lookup(&own, &table.unwrap()).unwrap_err(), "table"),
        ] {
            let Error::OtherParameters { object, .. } = error else { panic!("{engine}: {error}") };
            assert!(object.contains(refused), "{engine}: {object}");
            let text = error.to_string();
            assert!(digests.iter().all(|digest| text.contains(digest)), "{engine}: {text}");
        }
    }
}
