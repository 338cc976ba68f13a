//! Keys and encrypted bytes as bytes: round trips, damage, and what belongs to others.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_leveled::encrypted_bytes::{
    CHUNK_BYTES, Content, EncryptedBytes, EncryptedBytesReader, EncryptedBytesWriter,
};
use cryptable_leveled::error::Error;
use cryptable_leveled::evaluation_key::CircuitEvaluationKey;
use cryptable_leveled::parameters::CircuitParameters;
use cryptable_leveled::private_key_switching::{
    PrivateFunction, PrivateSwitchingKey, SeededPrivateSwitchingKey,
};
use cryptable_leveled::secret_key::CircuitSecretKey;
use cryptable_leveled::tfhe_parameters::{PrivateKeyForm, TfheParameters};
use cryptable_wire::{BodyWriter, ObjectType, WireError, write_object};
use proptest::prelude::*;

fn toy() -> CircuitSecretKey {
    CircuitSecretKey::generate(&CircuitParameters::insecure_toy())
}

fn server(secret: &CircuitSecretKey) -> CircuitEvaluationKey {
    let mut bytes = Vec::new();
    secret.write_evaluation_key(&mut bytes).unwrap();
    CircuitEvaluationKey::from_bytes(&bytes).unwrap()
}

#[test]
fn parameters_come_back() {
    let sets = (1..=5).map(|number| CircuitParameters::set(number).unwrap());
    let others = [CircuitParameters::aes_128(), CircuitParameters::insecure_toy()];
    let mut digests = Vec::new();
    for parameters in sets.chain(others) {
        let read = CircuitParameters::from_bytes(&parameters.to_bytes()).unwrap();
        assert_eq!(read, parameters);
        assert_eq!(read.digest(), parameters.digest());
        digests.push(parameters.digest());
    }
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), 7);
}

#[test]
fn insecure_parameters_say_so() {
    let text = String::from_utf8(CircuitParameters::insecure_toy().to_bytes()).unwrap();
    let lie = text.replace("\"insecure\":true", "\"insecure\":false");
    assert_ne!(lie, text);
    let message = CircuitParameters::from_bytes(lie.as_bytes()).unwrap_err().to_string();
    assert!(message.contains("security"), "{message}");
    assert!(CircuitParameters::from_bytes(b"{}").is_err());
}

#[test]
fn absurd_numbers_do_no_harm() {
    for parameters in [CircuitParameters::insecure_toy(), CircuitParameters::aes_128()] {
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
                if let Ok(read) = CircuitParameters::from_bytes(changed.as_bytes()) {
                    assert!(read.sparse_modulus() >= 2, "{changed}");
                }
            }
        }
    }
}

#[test]
fn a_fresh_bit_costs_a_word() {
    let secret = toy();
    let keys = secret.encrypt_aes_key(&[7; 16]).to_bytes();
    // 1,408 words of 47 bits, a seed, and the headers.
    assert!((8272..8500).contains(&keys.len()), "{} bytes", keys.len());
    let read = EncryptedBytes::from_bytes(Content::RoundKeys, &keys).unwrap();
    assert!(read.is_fresh() && read.count() == 176);
    assert_eq!(read.to_bytes(), keys);
    let expanded = cryptable_leveled::aes::round_keys::expand_key(&[7; 16]);
    assert_eq!(secret.decrypt(&read).unwrap(), *expanded);
}

#[test]
fn the_whole_way_through_bytes() {
    let client = toy();
    let bytes = client.to_bytes();
    let secret = CircuitSecretKey::from_bytes(&bytes).unwrap();
    assert_eq!((secret.id(), secret.to_bytes()), (client.id(), bytes));
    let server = server(&secret);
    assert_eq!(server.client(), client.id());
    let (key, counter) = ([0x2b; 16], [0xff; 16]);
    let cipher = cryptable_leveled::aes::plain::counter_mode(&key, counter, b"hello");
    let round_keys = client.encrypt_aes_key(&key);
    let message = server.transcipher(&round_keys, counter, &cipher, &|_, _| ()).unwrap();
    let table: Vec<u64> = (0..256).map(|x| x ^ 0x20).collect();
    let output = server.lookup_bytes(&message, &table, &|_, _| ()).unwrap();
    for (computed, expected) in [(message, b"hello"), (output, b"HELLO")] {
        let bytes = computed.to_bytes();
        let read = EncryptedBytes::from_bytes(Content::Message, &bytes).unwrap();
        assert!(read == computed && !read.is_fresh());
        assert_eq!(secret.decrypt(&read).unwrap(), expected);
    }
    assert!(server.lookup_bytes(&secret.encrypt(b"a"), &[0; 128], &|_, _| ()).is_err());
    assert!(server.lookup_bytes(&secret.encrypt(b"a"), &[256; 256], &|_, _| ()).is_err());
    let empty = server.transcipher(&round_keys, counter, &[], &|_, _| ()).unwrap();
    assert_eq!(secret.decrypt(&empty).unwrap(), b"");
}

#[test]
fn what_belongs_to_others_is_refused() {
    let (ours, theirs) = (toy(), toy());
    let server = server(&ours);
    let transcipher =
        |keys: &EncryptedBytes| server.transcipher(keys, [0; 16], b"a", &|_, _| ()).unwrap_err();
    let error = transcipher(&theirs.encrypt_aes_key(&[1; 16]));
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let error = transcipher(&ours.encrypt(&[0; 176]));
    let expected = ObjectType::EncryptedRoundKeys;
    let wrong = WireError::WrongType { expected, found: ObjectType::EncryptedBytes };
    assert!(matches!(&error, Error::Wire(found) if *found == wrong), "{error}");
    let full = CircuitSecretKey::generate(&CircuitParameters::aes_128());
    let error = transcipher(&full.encrypt_aes_key(&[1; 16]));
    assert!(matches!(error, Error::Wire(WireError::ParameterMismatch { .. })), "{error}");
    let error = ours.decrypt(&theirs.encrypt(b"a")).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    let keys = ours.encrypt_aes_key(&[1; 16]).to_bytes();
    assert!(EncryptedBytes::from_bytes(Content::Message, &keys).is_err());
    assert!(CircuitSecretKey::from_bytes(&keys).is_err());
}

#[test]
fn truncation_and_flipped_bits_are_refused() {
    let secret = toy();
    let fresh = secret.encrypt(b"ab").to_bytes();
    for length in 0..fresh.len() {
        assert!(EncryptedBytes::from_bytes(Content::Message, &fresh[..length]).is_err());
    }
    for bit in 0..8 * fresh.len() {
        let mut damaged = fresh.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(EncryptedBytes::from_bytes(Content::Message, &damaged).is_err(), "bit {bit}");
    }
    let key = secret.to_bytes();
    let mut server = Vec::new();
    secret.write_evaluation_key(&mut server).unwrap();
    for length in (0..key.len()).step_by(17) {
        assert!(CircuitSecretKey::from_bytes(&key[..length]).is_err());
    }
    for length in (0..server.len()).step_by(server.len() / 20) {
        assert!(CircuitEvaluationKey::from_bytes(&server[..length]).is_err());
    }
}

/// Bytes as computed ones: masks are words.
fn computed(secret: &CircuitSecretKey, bytes: &[u8]) -> EncryptedBytes {
    let fresh = secret.encrypt(bytes);
    let bytes: Vec<_> = (0..fresh.count()).map(|index| fresh.byte(index)).collect();
    EncryptedBytes::computed(secret.parameters(), secret.id(), &bytes).unwrap()
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
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        }
        writer.push(&computed(&secret, chunk)).unwrap();
    }
    let written = writer.finish().unwrap();
    assert_eq!(written.len(), whole.len());
    for bytes in [&written, &whole] {
        let reader = EncryptedBytesReader::new(Content::Message, bytes).unwrap();
        assert_eq!(reader.byte_count(), message.len() as u64);
        let chunks: Vec<_> = reader.map(|chunk| secret.decrypt(&chunk.unwrap()).unwrap()).collect();
        assert_eq!(chunks, [&message[..CHUNK_BYTES], &message[CHUNK_BYTES..]]);
        let read = EncryptedBytes::from_bytes(Content::Message, bytes).unwrap();
        assert_eq!(secret.decrypt(&read).unwrap(), message);
    }
    let mut short = start(Vec::new());
    short.push(&computed(&secret, &message[..CHUNK_BYTES])).unwrap();
    assert!(short.finish().is_err());
    for count in [0, 3] {
        let fresh = secret.encrypt(&message[..count]).to_bytes();
        let reader = EncryptedBytesReader::new(Content::Message, &fresh).unwrap();
        let chunks: Vec<_> = reader.map(|chunk| chunk.unwrap().count()).collect();
        assert_eq!(chunks, [count]);
    }
}

#[test]
fn a_missing_chunk_behind_a_right_checksum_is_an_error() {
    let secret = toy();
    let bytes = computed(&secret, &[7; CHUNK_BYTES + 1]).to_bytes();
    let last = computed(&secret, &[7]).to_bytes();
    // Headers and sizes, checksum: 104 and 32 bytes.
    let body = &bytes[64..bytes.len() - 32];
    let without_last = with_body(&body[..body.len() - (last.len() - 136)]);
    let mut reader = EncryptedBytesReader::new(Content::Message, &without_last).unwrap();
    assert!(reader.next().unwrap().is_ok());
    let error = reader.next().unwrap().unwrap_err();
    assert!(matches!(error, Error::Wire(WireError::Truncated { .. })), "{error}");
    assert!(reader.next().is_none());
    let longer = with_body(&[body, &[0]].concat());
    let mut reader = EncryptedBytesReader::new(Content::Message, &longer).unwrap();
    let error = reader.nth(2).unwrap().unwrap_err();
    let trailing = WireError::TrailingBytes { count: 1 };
    assert!(matches!(&error, Error::Wire(found) if *found == trailing), "{error}");
}

/// A ring of degree 64, so that private switching keys are tens of kilobytes.
fn private_parameters(digits: (u32, usize), form: PrivateKeyForm) -> TfheParameters {
    let circuit = CircuitParameters::insecure_toy();
    let literal = ParametersLiteral {
        lwe_dimension: 16,
        ring_degree: 64,
        intermediate: None,
        ..*circuit.parameters().literal()
    };
    let parameters = Parameters::insecure(literal).unwrap();
    let selector = GadgetLiteral { base_log2: 7, length: 2 };
    let circuit = CircuitParameters::new(&parameters, selector).unwrap();
    let (base_log2, length) = digits;
    TfheParameters::new(&circuit, GadgetLiteral { base_log2, length }, form).unwrap()
}

/// A private switching key and its bytes.
fn private_key(
    secret: &CircuitSecretKey,
    parameters: &TfheParameters,
) -> (SeededPrivateSwitchingKey, Vec<u8>) {
    let key = SeededPrivateSwitchingKey::generate(parameters, secret.fhew());
    let mut bytes = Vec::new();
    key.write(parameters, &mut bytes).unwrap();
    (key, bytes)
}

#[test]
fn private_switching_keys_come_back() {
    let forms = [((20, 1), PrivateKeyForm::Products), ((3, 2), PrivateKeyForm::Precomputed)];
    for (digits, form) in forms {
        let parameters = private_parameters(digits, form);
        let secret = CircuitSecretKey::generate(parameters.circuit());
        let (key, bytes) = private_key(&secret, &parameters);
        let overhead = bytes.len() as u64 - parameters.key_file_bytes();
        assert!((200..1200).contains(&overhead), "{overhead} bytes");
        let (read_parameters, read) = SeededPrivateSwitchingKey::from_bytes(&bytes).unwrap();
        assert!(read == key && read_parameters == parameters);
        let expanded = PrivateSwitchingKey::from_bytes(&bytes).unwrap();
        assert_eq!(expanded.client(), secret.id());
        let bits = [cryptable_leveled::bits::encrypt_bit(secret.fhew(), true)];
        let direct = PrivateSwitchingKey::expand(&parameters, &key).unwrap();
        for function in PrivateFunction::ALL {
            let [expanded, direct] =
                [&expanded, &direct].map(|key| key.switch(function, &bits).unwrap());
            assert_eq!(expanded, direct);
        }
        // A key of other parameters is not written.
        let other = private_parameters((4, 3), form);
        assert!(key.write(&other, &mut Vec::new()).is_err());
    }
}

#[test]
fn damaged_private_switching_keys_are_refused() {
    let parameters = private_parameters((21, 1), PrivateKeyForm::Products);
    let secret = CircuitSecretKey::generate(parameters.circuit());
    let (_, bytes) = private_key(&secret, &parameters);
    for length in (0..700).chain((700..bytes.len()).step_by(997)) {
        assert!(PrivateSwitchingKey::from_bytes(&bytes[..length]).is_err(), "length {length}");
    }
    for bit in (0..8 * 700).step_by(7).chain((8 * 700..8 * bytes.len()).step_by(4999)) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(PrivateSwitchingKey::from_bytes(&damaged).is_err(), "bit {bit}");
    }
    assert!(CircuitEvaluationKey::from_bytes(&bytes).is_err());

    // Behind right checksums: other digests, absurd numbers, rows that are not below Q, or missing.
    let object = |digest: [u8; 32], numbers: &[u8], rest: &[u8]| {
        let mut writer = BodyWriter::new(Vec::new());
        writer.bytes(numbers).unwrap();
        writer.raw(rest).unwrap();
        let mut bytes = Vec::new();
        let body = writer.into_inner();
        write_object(&mut bytes, ObjectType::PrivateSwitchingKey, &digest, &body).unwrap();
        PrivateSwitchingKey::from_bytes(&bytes).unwrap_err()
    };
    let (digest, numbers) = (parameters.digest(), parameters.to_bytes());
    let error = object([0; 32], &numbers, &[]);
    assert!(matches!(error, Error::Wire(WireError::ParameterMismatch { .. })), "{error}");
    let text = String::from_utf8(numbers.clone()).unwrap();
    let changed =
        text.replace("\"private\":{\"base_log2\":21", "\"private\":{\"base_log2\":4000000000");
    assert_ne!(changed, text);
    let error = object(digest, changed.as_bytes(), &[]).to_string();
    assert!(error.contains("private switching digits"), "{error}");
    assert!(object(digest, b"{}", &[]).to_string().contains("parameter set"));
    // Client and seed, then the rows' length.
    let mut rest = vec![0; 48];
    assert!(object(digest, &numbers, &rest).to_string().contains("cut short"));
    rest.extend((64u64 * 64 * 47 / 8).to_le_bytes());
    rest.resize(rest.len() + 64 * 64 * 47 / 8, 0xff);
    assert!(object(digest, &numbers, &rest).to_string().contains("must be below"));
    rest[48..56].fill(0xff);
    assert!(object(digest, &numbers, &rest).to_string().contains("cut short"));
}

/// A message object with a right checksum around any body.
fn with_body(body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let digest = CircuitParameters::insecure_toy().digest();
    write_object(&mut bytes, ObjectType::EncryptedBytes, &digest, body).unwrap();
    bytes
}

/// A body of these sizes, with bodies of bits in so many bytes.
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
        let read = EncryptedBytes::from_bytes(Content::Message, &with_body(&body));
        read.unwrap_err().to_string()
    };
    assert!(error(body(0, 17, 0, 0)).contains("dimension"));
    assert!(error(body(u32::MAX, 17, 0, 0)).contains("dimension"));
    assert!(error(body(8, 1, 0, 0)).contains("modulus"));
    assert!(error(body(8, 1 << 63, 0, 0)).contains("modulus"));
    assert!(error(body(8, 17, u64::MAX, 0)).contains("number of values"));
    assert!(error(body(8, 17, 4, 0)).contains("packed words"));
    // All bits set: 31 is not below 17.
    assert!(error(body(8, 17, 1, 5)).contains("below 17"));
    // Well-formed, but of other sizes than its digest says: found when it is used.
    let odd = EncryptedBytes::from_bytes(Content::Message, &with_body(&body(8, 32, 1, 5))).unwrap();
    let secret = toy();
    assert!(odd.check(secret.parameters(), odd.client()).is_err());
    assert!(secret.decrypt(&odd).is_err());
}

proptest! {
    #[test]
    fn random_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for content in [Content::Message, Content::RoundKeys] {
            prop_assert!(EncryptedBytes::from_bytes(content, &bytes).is_err());
        }
        prop_assert!(CircuitSecretKey::from_bytes(&bytes).is_err());
        prop_assert!(CircuitEvaluationKey::from_bytes(&bytes).is_err());
        prop_assert!(CircuitParameters::from_bytes(&bytes).is_err());
        if let Ok(read) = EncryptedBytes::from_bytes(Content::Message, &with_body(&bytes)) {
            prop_assert!(read.count() <= bytes.len());
        }
        for object_type in [
            ObjectType::CircuitSecretKey,
            ObjectType::CircuitEvaluationKey,
            ObjectType::PrivateSwitchingKey,
        ] {
            let mut object = Vec::new();
            write_object(&mut object, object_type, &[0; 32], &bytes).unwrap();
            prop_assert!(PrivateSwitchingKey::from_bytes(&object).is_err());
            prop_assert!(CircuitSecretKey::from_bytes(&object).is_err());
            prop_assert!(CircuitEvaluationKey::from_bytes(&object).is_err());
        }
    }
}
