//! Serialization of keys and encrypted bytes: round trips, damage, and objects that belong to others.

use std::sync::Arc;

use cryptable_fhew::parameters::RotationMethod;
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Binding, Error, Progress, ReadOptions, Result, Table};
use cryptable_leveled::aes::{
    AesKey, CHUNK_BYTES, EncryptedBytes, EncryptedBytesReader, EncryptedBytesWriter, EncryptedKey,
    EvaluationKey, Message, MessageEncryptor, MessageError, Parameters, SecretKey, Transciphering,
};
use cryptable_leveled::parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, ParameterSet,
};
use cryptable_wire::{BodyWriter, ObjectType, WireError, write_object};
use proptest::prelude::*;

fn toy() -> SecretKey {
    SecretKey::generate(&Parameters::insecure_toy())
}

fn aes_key() -> AesKey {
    AesKey::from_bytes(&[1; 16])
}

/// Options that readers of toys need.
fn insecure() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

fn read_evaluation_key(bytes: &[u8]) -> Result<EvaluationKey> {
    EvaluationKey::from_shared(Arc::new(bytes.to_vec()), insecure())
}

fn server(secret: &SecretKey) -> EvaluationKey {
    let mut bytes = Vec::new();
    secret.write_evaluation_key(&mut bytes, Progress::silent()).unwrap();
    let strict = EvaluationKey::from_shared(Arc::new(bytes.clone()), ReadOptions::default());
    assert!(matches!(strict.unwrap_err(), Error::Insecure));
    read_evaluation_key(&bytes).unwrap()
}

fn table(f: impl Fn(u64) -> u64) -> Table {
    Table::from_fn(256, 256, f).unwrap()
}

#[test]
fn parameters_come_back() {
    let mut digests = Vec::new();
    let sets = ParameterSet::ALL.map(ParameterSet::parameters);
    for parameters in sets.into_iter().chain([ParameterSet::Aes128.insecure_toy()]) {
        let bytes = parameters.to_bytes();
        let read = CircuitBootstrappingParameters::from_bytes(&bytes, insecure()).unwrap();
        assert_eq!(read, parameters);
        assert_eq!(read.digest(), parameters.digest());
        assert_eq!(read.security_level(), parameters.security_level());
        digests.push(parameters.digest());
    }
    digests.sort_unstable();
    digests.dedup();
    // Every set and the toy.
    assert_eq!(digests.len(), ParameterSet::ALL.len() + 1);
}

#[test]
fn insecure_parameters_say_so_and_are_refused() {
    let bytes = ParameterSet::Aes128.insecure_toy().to_bytes();
    let strict = CircuitBootstrappingParameters::from_bytes(&bytes, ReadOptions::default());
    assert!(matches!(strict.unwrap_err(), Error::Insecure));
    let text = String::from_utf8(bytes).unwrap();
    let lie = text.replace("\"security\":\"insecure\"", "\"security\":\"bits128\"");
    assert_ne!(lie, text);
    for options in [ReadOptions::default(), insecure()] {
        let read = CircuitBootstrappingParameters::from_bytes(lie.as_bytes(), options);
        let message = read.unwrap_err().to_string();
        assert!(message.contains("security"), "{message}");
        assert!(CircuitBootstrappingParameters::from_bytes(b"{}", options).is_err());
    }
    let secret = toy();
    assert!(matches!(
        SecretKey::from_bytes(&secret.to_bytes(), ReadOptions::default()).unwrap_err(),
        Error::Insecure
    ));
}

#[test]
fn absurd_numbers_do_no_harm() {
    for parameters in [ParameterSet::Aes128.insecure_toy(), ParameterSet::Aes128.parameters()] {
        let text = String::from_utf8(parameters.to_bytes()).unwrap();
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let starts = (1..text.len()).filter(|&i| {
            is_number(text.as_bytes()[i].into()) && !is_number(text.as_bytes()[i - 1].into())
        });
        for start in starts {
            let rest = text[start..].trim_start_matches(is_number);
            for number in ["0", "1", "2", "21", "32", "47", "8192", "1e300", "18446744073709551615"]
            {
                let changed = format!("{}{number}{rest}", &text[..start]);
                let changed_bytes = changed.as_bytes();
                let read = CircuitBootstrappingParameters::from_bytes(changed_bytes, insecure());
                if let Ok(read) = read {
                    assert!(read.sparse_modulus() >= 2, "{changed}");
                }
            }
        }
    }
}

#[test]
fn a_fresh_bit_costs_a_word() {
    let secret = toy();
    let keys = secret.encrypt_key(&AesKey::from_bytes(&[7; 16])).to_bytes();
    // 1,408 words of 47 bits, a seed, and the headers.
    assert!((8272..8500).contains(&keys.len()), "{} bytes", keys.len());
    let read = EncryptedKey::from_bytes(&keys).unwrap();
    let bytes = read.round_key_bytes();
    assert!(bytes.is_fresh() && bytes.count() == 176);
    assert_eq!(read.to_bytes(), keys);
    let expanded = cryptable_leveled::aes::round_keys::expand_key(&[7; 16]);
    assert_eq!(secret.decrypt(bytes).unwrap()[..], expanded[..]);
}

#[test]
fn the_whole_way_through_bytes() {
    let client = toy();
    let bytes = client.to_bytes();
    let secret = SecretKey::from_bytes(&bytes, insecure()).unwrap();
    assert_eq!((secret.id(), secret.to_bytes()), (client.id(), bytes));
    let server = server(&secret);
    assert_eq!(server.key_id(), client.id());
    let mut encryptor = MessageEncryptor::new(AesKey::generate());
    let sent = encryptor.encrypt(b"hello").unwrap().to_bytes();
    let encrypted_key = client.encrypt_key(encryptor.key());
    let silent = Progress::silent();
    let sent = Message::from_bytes(&sent).unwrap();
    let message = server.transcipher(&encrypted_key, &sent, silent).unwrap();
    let prepared = server.prepare(&table(|x| x ^ 0x20)).unwrap();
    let output = server.lookup_many(&message, &[&prepared], silent).unwrap().remove(0);
    for (computed, expected) in [(message, b"hello"), (output, b"HELLO")] {
        let bytes = computed.to_bytes();
        let read = EncryptedBytes::from_bytes(&bytes).unwrap();
        assert!(read == computed && !read.is_fresh());
        assert_eq!(*secret.decrypt(&read).unwrap(), expected);
    }
    assert!(server.prepare(&Table::from_fn(128, 256, |_| 0).unwrap()).is_err());
    assert!(server.prepare(&Table::from_fn(256, 257, |_| 256).unwrap()).is_err());
    let nothing = encryptor.encrypt(b"").unwrap();
    let empty = server.transcipher(&encrypted_key, &nothing, silent).unwrap();
    assert_eq!(*secret.decrypt(&empty).unwrap(), b"");
}

/// A stream in chunks equals the result of one call, reports every round, and stops on request.
#[test]
fn streams_tell_of_progress_and_can_be_cancelled() {
    use std::ops::ControlFlow;
    use std::sync::Mutex;
    let secret = toy();
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let mut encryptor = MessageEncryptor::new(aes_key());
    let message: Vec<u8> = (0..CHUNK_BYTES as u8 + 9).collect();
    let sent = encryptor.encrypt(&message).unwrap();
    let prepared = key.prepare(&table(|x| 255 - x)).unwrap();
    let encrypted_key = secret.encrypt_key(encryptor.key());
    let transciphering = Transciphering::new(&key, &encrypted_key, Some(&prepared)).unwrap();
    let calls = Mutex::new(Vec::new());
    let on = |done, total| {
        calls.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    let length = message.len() as u64;
    let mut file = Vec::new();
    let progress = Progress::new(&on);
    transciphering.transcipher_stream(&sent, &mut file, progress).unwrap();
    let calls = calls.lock().unwrap().clone();
    // Five blocks of ten rounds and a table.
    assert!(calls.is_sorted() && calls.iter().all(|call| call.1 == 55), "{calls:?}");
    assert_eq!((calls[0].0, calls[calls.len() - 1].0), (0, 55));
    assert!((1..10).all(|round| calls.contains(&(round, 55))), "{calls:?}");
    let mut found = Vec::new();
    assert_eq!(secret.decrypt_stream(&file, &mut found, Progress::silent()).unwrap(), length);
    assert!(found.iter().zip(&message).all(|(found, sent)| *found == 255 - sent));

    // Stops in the first block, after its third round and while the table is looked up.
    for last in [3, 10] {
        let stop = |done: usize, _: usize| {
            if done > last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let short = encryptor.encrypt(b"short").unwrap();
        let stopped = transciphering.transcipher(&short, Progress::new(&stop));
        let error = stopped.unwrap_err();
        let is_cancelled =
            matches!(error, MessageError::Library(Error::Cancelled { total: 11, .. }));
        assert!(is_cancelled, "{error}");
    }
    let other = MessageEncryptor::new(AesKey::generate()).encrypt(b"other").unwrap();
    let read = transciphering.transcipher_stream(&other, &mut Vec::new(), progress);
    assert!(matches!(read.unwrap_err(), MessageError::OtherAesKey { .. }));
}

#[test]
fn what_belongs_to_others_is_refused() {
    let (ours, theirs) = (toy(), toy());
    let server = server(&ours);
    let message = MessageEncryptor::new(aes_key()).encrypt(b"a").unwrap();
    let transcipher = |key: &EncryptedKey| match server
        .transcipher(key, &message, Progress::silent())
        .unwrap_err()
    {
        MessageError::Library(error) => error,
        other => panic!("{other}"),
    };
    let error = transcipher(&theirs.encrypt_key(&aes_key()));
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let error = EncryptedKey::from_bytes(&ours.encrypt(&[0; 176]).to_bytes()).unwrap_err();
    let (expected, found) = (ObjectType::EncryptedRoundKeys, ObjectType::EncryptedBytes);
    assert!(
        matches!(&error, Error::Wire(wire) if *wire == WireError::WrongType { expected, found }),
        "{error}"
    );
    let full = SecretKey::generate(&Parameters::default_128());
    let error = transcipher(&full.encrypt_key(&aes_key()));
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");
    let error = ours.decrypt(&theirs.encrypt(b"a")).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let prepared = server.prepare(&table(|x| x)).unwrap();
    let lookup = |bytes: &EncryptedBytes| {
        server.lookup_many(bytes, &[&prepared], Progress::silent()).unwrap_err()
    };
    let error = lookup(&theirs.encrypt(b"a"));
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let error = lookup(&full.encrypt(b"a"));
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");
    let keys = ours.encrypt_key(&aes_key()).to_bytes();
    assert!(EncryptedBytes::from_bytes(&keys).is_err());
    assert!(SecretKey::from_bytes(&keys, insecure()).is_err());
}

#[test]
fn damaged_files_are_refused() {
    let secret = toy();
    let fresh = secret.encrypt(b"ab").to_bytes();
    check_refusals(&fresh, 1, EncryptedBytes::from_bytes);
    for bit in 0..8 * fresh.len() {
        let mut damaged = fresh.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(EncryptedBytes::from_bytes(&damaged).is_err(), "bit {bit}");
    }
    let key = secret.to_bytes();
    let mut server = Vec::new();
    secret.write_evaluation_key(&mut server, Progress::silent()).unwrap();
    check_refusals(&key, 17, |bytes| SecretKey::from_bytes(bytes, insecure()));
    check_refusals(&server, server.len() / 20, read_evaluation_key);
}

/// Returns bytes in the form of computed ones, with masks as words.
fn computed(secret: &SecretKey, bytes: &[u8]) -> EncryptedBytes {
    let fresh = secret.encrypt(bytes);
    let bytes = (0..fresh.count()).map(|index| fresh.byte(index));
    EncryptedBytes::computed(secret.parameters(), secret.id(), bytes).unwrap()
}

#[test]
fn chunks_are_the_whole_message() {
    let (secret, other) = (toy(), toy());
    let message: Vec<u8> = (0..CHUNK_BYTES as u8 + 9).map(|i| 3 * i).collect();
    let whole = computed(&secret, &message).to_bytes();
    let start = |out: Vec<u8>| {
        let count = message.len() as u64;
        EncryptedBytesWriter::new(out, secret.parameters(), secret.id(), count).unwrap()
    };
    let mut writer = start(Vec::new());
    for chunk in message.chunks(CHUNK_BYTES) {
        let bad = [computed(&secret, &chunk[1..]), computed(&other, chunk), secret.encrypt(chunk)];
        for chunk in bad {
            let error = writer.push(&chunk).unwrap_err();
            let is_named = matches!(error, Error::Mismatch { .. } | Error::OtherClient { .. });
            assert!(is_named, "{error}");
        }
        writer.push(&computed(&secret, chunk)).unwrap();
    }
    let written = writer.finish().unwrap();
    assert_eq!(written.len(), whole.len());
    for bytes in [&written, &whole] {
        let reader = EncryptedBytesReader::new(bytes).unwrap();
        assert_eq!(reader.byte_count(), message.len() as u64);
        let chunks: Vec<_> =
            reader.map(|chunk| secret.decrypt(&chunk.unwrap()).unwrap().to_vec()).collect();
        assert_eq!(chunks, [&message[..CHUNK_BYTES], &message[CHUNK_BYTES..]]);
        let read = EncryptedBytes::from_bytes(bytes).unwrap();
        assert_eq!(*secret.decrypt(&read).unwrap(), message);
    }
    let mut short = start(Vec::new());
    short.push(&computed(&secret, &message[..CHUNK_BYTES])).unwrap();
    assert!(short.finish().is_err());
    for count in [0, 3] {
        let fresh = secret.encrypt(&message[..count]).to_bytes();
        let reader = EncryptedBytesReader::new(&fresh).unwrap();
        let chunks: Vec<_> = reader.map(|chunk| chunk.unwrap().count()).collect();
        assert_eq!(chunks, [count]);
    }
}

#[test]
fn a_missing_chunk_behind_a_right_checksum_is_an_error() {
    let secret = toy();
    let bytes = computed(&secret, &[7; CHUNK_BYTES + 1]).to_bytes();
    let last = computed(&secret, &[7]).to_bytes();
    // Headers and sizes have 104 bytes, the checksum has 32.
    let body = &bytes[64..bytes.len() - 32];
    let without_last = with_body(&body[..body.len() - (last.len() - 136)]);
    let mut reader = EncryptedBytesReader::new(&without_last).unwrap();
    assert!(reader.next().unwrap().is_ok());
    let error = reader.next().unwrap().unwrap_err();
    assert!(matches!(error, Error::Wire(WireError::Truncated { .. })), "{error}");
    assert!(reader.next().is_none());
    let longer = with_body(&[body, &[0]].concat());
    let mut reader = EncryptedBytesReader::new(&longer).unwrap();
    let error = reader.nth(2).unwrap().unwrap_err();
    let trailing = WireError::TrailingBytes { count: 1 };
    assert!(matches!(&error, Error::Wire(wire) if *wire == trailing), "{error}");
}

/// Wraps any body in a message object with a right checksum.
fn with_body(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let digest = Parameters::insecure_toy().digest();
    write_object(&mut bytes, ObjectType::EncryptedBytes, &digest, body).unwrap();
    bytes
}

/// Returns a body of these sizes, with bodies of bits in `packed` bytes.
fn body(dimension: u32, modulus: u64, count: u64, packed: usize) -> Vec<u8> {
    let mut writer = BodyWriter::new(Vec::new());
    writer.raw(&[0; 16]).unwrap();
    writer.u32(dimension).unwrap();
    writer.u64(modulus).unwrap();
    writer.u64(count).unwrap();
    writer.u32(1).unwrap();
    writer.raw(&[0; 32]).unwrap();
    writer.bytes(&vec![0xff; packed]).unwrap();
    writer.into_inner()
}

#[test]
fn hostile_fields_behind_a_right_checksum_are_refused() {
    let error = |body: Vec<u8>| {
        let read = EncryptedBytes::from_bytes(&with_body(&body));
        read.unwrap_err().to_string()
    };
    assert!(error(body(0, 97, 0, 0)).contains("dimension"));
    assert!(error(body(u32::MAX, 97, 0, 0)).contains("dimension"));
    assert!(error(body(8, 1, 0, 0)).contains("modulus"));
    assert!(error(body(8, 63, 0, 0)).contains("modulus"));
    assert!(error(body(8, 1 << 63, 0, 0)).contains("modulus"));
    assert!(error(body(8, 97, u64::MAX, 0)).contains("number of values"));
    assert!(error(body(8, 97, 4, 0)).contains("packed words"));
    // With all bits set, a word is 127, which is not below 97.
    assert!(error(body(8, 97, 1, 7)).contains("below 97"));
    // A well-formed object whose sizes do not match its digest is detected when it is used.
    let odd = EncryptedBytes::from_bytes(&with_body(&body(8, 128, 1, 7))).unwrap();
    let secret = toy();
    let binding = Binding { parameter_digest: odd.parameter_digest(), key_id: odd.key_id() };
    assert!(odd.check(secret.parameters(), &binding).is_err());
    assert!(secret.decrypt(&odd).is_err());
}

proptest! {
    #[test]
    fn random_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(EncryptedBytes::from_bytes(&bytes).is_err());
        prop_assert!(EncryptedKey::from_bytes(&bytes).is_err());
        prop_assert!(Message::from_bytes(&bytes).is_err());
        prop_assert!(SecretKey::from_bytes(&bytes, insecure()).is_err());
        prop_assert!(read_evaluation_key(&bytes).is_err());
        prop_assert!(CircuitBootstrappingParameters::from_bytes(&bytes, insecure()).is_err());
        if let Ok(read) = EncryptedBytes::from_bytes(&with_body(&bytes)) {
            prop_assert!(read.count() <= bytes.len());
        }
        for object_type in [
            ObjectType::TranscipheringSecretKey,
            ObjectType::TranscipheringEvaluationKey,
        ] {
            let mut object = Vec::new();
            write_object(&mut object, object_type, &[0; 32], &bytes).unwrap();
            prop_assert!(SecretKey::from_bytes(&object, insecure()).is_err());
            prop_assert!(read_evaluation_key(&object).is_err());
        }
    }
}

#[test]
fn phases_are_as_sparse_as_their_rotation_needs() {
    // Found by fuzzing: one row of RGSW ciphertexts needs no sparse phases, but the rotation accepts no others.
    let is_sparse = |literal: &CircuitBootstrappingLiteral| {
        matches!(literal.fhew.rotation_method, RotationMethod::SparseAutomorphism { .. })
    };
    let mut literals = ParameterSet::ALL.into_iter().map(|set| *set.parameters().literal());
    let mut literal = literals.find(is_sparse).expect("a set by sparse automorphisms");
    literal.bits_per_ciphertext = 1;
    literal.rgsw.length = 1;
    let RotationMethod::SparseAutomorphism { sparsity_log2, .. } = literal.fhew.rotation_method
    else {
        unreachable!("a set by sparse automorphisms");
    };
    let bytes = serde_json::to_vec(&literal).unwrap();
    let found = CircuitBootstrappingParameters::from_bytes(&bytes, ReadOptions::default());
    assert_eq!(found.unwrap().sparsity_log2(), sparsity_log2);
}
