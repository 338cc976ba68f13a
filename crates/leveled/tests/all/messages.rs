//! Messages by AES in counter mode: counters that are never used twice, authentication, the file.
#![cfg(feature = "client")]

use std::collections::HashSet;

use cryptable_lattice::Error;
use cryptable_leveled::aes::plain::counter_mode;
use cryptable_leveled::aes::{
    AesKey, AuthenticationKey, CounterRange, Message, MessageEncryptor, MessageError, UsedCounters,
};
use cryptable_wire::{ObjectType, write_object};

/// NIST SP 800-38A, F.5.1: key, first counter, the first bytes of plaintext and ciphertext.
const KEY: u128 = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c;
const COUNTER: u128 = 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_feff;
const PLAIN: [u8; 5] = [0x6b, 0xc1, 0xbe, 0xe2, 0x2e];
const CIPHER: [u8; 5] = [0x87, 0x4d, 0x61, 0x91, 0xb6];

fn key() -> AesKey {
    AesKey::from_bytes(&KEY.to_be_bytes())
}

fn encryptor() -> MessageEncryptor {
    MessageEncryptor::new(key())
}

#[test]
fn bytes_are_those_of_the_standard() {
    let message = encryptor().encrypt_from(COUNTER.to_be_bytes(), &PLAIN).unwrap();
    assert_eq!(message.bytes(), CIPHER);
    let range = CounterRange::of_message(COUNTER.to_be_bytes(), 5).unwrap();
    assert_eq!((message.counters(), message.key_id()), (range, key().id()));
}

#[test]
fn counters_are_random_and_never_come_twice() {
    let mut encryptor = encryptor();
    let mut nonces = HashSet::new();
    for _ in 0..200 {
        let first = encryptor.encrypt(b"the same").unwrap().counters().first();
        assert_eq!(first[12..], [0; 4], "blocks are counted from 0");
        assert!(nonces.insert(first));
    }
    // A requested counter is refused if it was drawn or requested before.
    let drawn = *nonces.iter().next().unwrap();
    let error = encryptor.encrypt_from(drawn, b"another").unwrap_err();
    assert!(matches!(error, MessageError::CountersUsed { blocks: 1, .. }), "{error}");
    encryptor.encrypt_from([3; 16], &[0; 33]).unwrap();
    let mut inside = [3; 16];
    inside[15] = 5;
    assert!(encryptor.encrypt_from(inside, b"a").is_err());
    inside[15] = 6;
    assert!(encryptor.encrypt_from(inside, b"a").is_ok());
    // A recorded counter is refused, too; an abandoned encryption has still used its counters.
    let mut used = UsedCounters::default();
    used.take(CounterRange::new([9; 16], 4).unwrap()).unwrap();
    let mut encryptor = MessageEncryptor::with_used(key(), used);
    assert!(encryptor.encrypt_from([9; 16], b"a").is_err());
    let _ = encryptor.take(Some([8; 16]), 20).unwrap();
    assert!(encryptor.encrypt_from([8; 16], b"a").is_err());
}

#[test]
fn messages_come_back_and_streams_write_the_same() {
    let plain: Vec<u8> = (0..(1u32 << 20) + 21).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
    let mut whole = encryptor();
    let message = whole.encrypt_from([1; 16], &plain).unwrap();
    assert_eq!(message.bytes(), counter_mode(key().as_bytes(), [1; 16], &plain));
    let mut streamed = encryptor();
    let mut file = Vec::new();
    let encryption = streamed.take(Some([1; 16]), plain.len() as u64).unwrap();
    encryption.encrypt_stream(&mut &plain[..], &mut file).unwrap();
    assert!(file == message.to_bytes());
    let read = Message::from_bytes(&file).unwrap();
    assert!(read == message && *key().open(&read).unwrap() == plain);
    for said in [plain.len() as u64 - 1, plain.len() as u64 + 1, 0] {
        let encryption = streamed.take(None, said).unwrap();
        let error = encryption.encrypt_stream(&mut &plain[..], &mut Vec::new()).unwrap_err();
        assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    }
    assert!(streamed.take(None, 4).unwrap().encrypt(b"five!").is_err());
}

/// A holder of a key detects any change, even if the checksum was recomputed.
#[test]
fn forgeries_are_found() {
    let message = encryptor().encrypt(b"pay 10").unwrap();
    let verifier = AuthenticationKey::from_bytes(key().authentication_key().as_bytes());
    verifier.verify(&message).unwrap();
    let file = message.to_bytes();
    let body = &file[64..file.len() - 32];
    let digest = <[u8; 32]>::try_from(&file[16..48]).unwrap();
    let (mut refused, mut unread) = (0, 0);
    for position in 0..body.len() {
        let mut forged = body.to_vec();
        forged[position] ^= 1;
        let mut file = Vec::new();
        write_object(&mut file, ObjectType::AesMessage, &digest, &forged).unwrap();
        match Message::from_bytes(&file) {
            Ok(read) => {
                assert!(
                    matches!(verifier.verify(&read), Err(MessageError::NotAuthentic)),
                    "{position}"
                );
                assert!(key().open(&read).is_err(), "{position}");
                refused += 1;
            }
            // Changes of the length, and of whether there is a tag.
            Err(_) => unread += 1,
        }
    }
    assert_eq!((refused, unread), (16 + 16 + 6 + 32, 8 + 4));
    // A message without a tag, and one under another key.
    let bare = Message::from_counter_mode(key().id(), message.counters().first(), message.bytes())
        .unwrap();
    assert!(!bare.has_tag() && Message::from_bytes(&bare.to_bytes()).unwrap() == bare);
    assert!(matches!(key().open(&bare), Err(MessageError::NotAuthentic)));
    let other = AesKey::generate();
    assert!(matches!(other.open(&message), Err(MessageError::OtherAesKey { .. })));
    assert!(other.authentication_key().verify(&message).is_err());
}

#[test]
fn counters_do_not_run_into_the_next_nonce() {
    let mut encryptor = encryptor();
    assert!(encryptor.encrypt_from([0xff; 16], &[0; 16]).is_ok());
    let last = [[1; 12].as_slice(), &[0xff; 4]].concat().try_into().unwrap();
    assert!(encryptor.encrypt_from(last, &[0; 17]).is_err());
    assert!(encryptor.take(None, 1 << 36).is_ok());
    assert!(encryptor.take(None, (1 << 36) + 1).is_err());
    assert!(Message::from_counter_mode(key().id(), last, vec![0; 17]).is_err());
}
