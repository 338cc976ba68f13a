//! Columns in bytes: round trips and refusals.

use crate::common;

use common::rng;
use cryptable_fhew::lookup as single;
use cryptable_integers::{
    BooleanColumn, ColumnKind, ColumnReader, ColumnWriter, Evaluator, Integer, IntegerColumn,
    decrypt, decrypt_booleans, encrypt, insecure_packed_toy,
};
use cryptable_lattice::Error;
use cryptable_lattice::damaged_files::{check_refusals, forged};
use cryptable_packed::{Ciphertext, Progress, SecretKey};
use cryptable_wire::{HEADER_BYTES, WireError};
use rand::Rng;

type Column<T> = IntegerColumn<T, Ciphertext>;

fn client() -> SecretKey {
    SecretKey::generate(&insecure_packed_toy(2, 1024).unwrap())
}

fn comes_back<T: Integer>(secret: &SecretKey) {
    let mut rng = rng(1);
    let values: Vec<T> = (0..50).map(|_| T::from_word(rng.random())).collect();
    let bytes = encrypt(secret, &values).unwrap().to_bytes().unwrap();
    let read = Column::<T>::from_bytes(&bytes).unwrap();
    assert_eq!(decrypt(secret, &read).unwrap(), values);
    assert_eq!(read.to_bytes().unwrap(), bytes);
}

#[test]
fn columns_of_every_type_come_back() {
    let secret = client();
    comes_back::<u8>(&secret);
    comes_back::<u16>(&secret);
    comes_back::<u32>(&secret);
    comes_back::<u64>(&secret);
    comes_back::<i8>(&secret);
    comes_back::<i16>(&secret);
    comes_back::<i32>(&secret);
    comes_back::<i64>(&secret);
}

#[test]
fn lazy_digits_public_ones_and_booleans_come_back_and_are_computed_with() {
    let secret = client();
    let key = secret.evaluation_key(Progress::silent()).unwrap();
    let server = Evaluator::new(&key).unwrap();
    let (x, y) = (encrypt(&secret, &[200u8, 3]).unwrap(), encrypt(&secret, &[100u8, 5]).unwrap());
    let difference = server.sub(&x, &y).unwrap();
    let read = Column::<u8>::from_bytes(&difference.to_bytes().unwrap()).unwrap();
    assert_eq!(decrypt(&secret, &server.add(&read, &x).unwrap()).unwrap(), [44, 1]);
    let lt = server.lt(&x, &y).unwrap();
    let read = BooleanColumn::from_bytes(&lt.to_bytes().unwrap()).unwrap();
    assert_eq!(decrypt_booleans(&secret, &read).unwrap(), [false, true]);
    let ones: Column<u8> = server.to_integers(&read);
    let read = Column::<u8>::from_bytes(&ones.to_bytes().unwrap()).unwrap();
    assert_eq!(decrypt(&secret, &read).unwrap(), [0, 1]);
    let public: Column<u8> = server.constant(7);
    assert!(matches!(public.to_bytes(), Err(Error::Mismatch { .. })));
}

#[test]
fn single_values_come_back() {
    let secret = single::SecretKey::generate(&single::Parameters::insecure_toy(16, 16).unwrap());
    let bytes = encrypt(&secret, &[-3i8, 100]).unwrap().to_bytes().unwrap();
    let read = IntegerColumn::<i8, single::Ciphertext>::from_bytes(&bytes).unwrap();
    assert_eq!(decrypt(&secret, &read).unwrap(), [-3, 100]);
    let error = Column::<i8>::from_bytes(&bytes).unwrap_err();
    assert!(error.to_string().contains("engine"), "{error}");
}

fn file(secret: &SecretKey, parts: &[&[i16]]) -> Vec<u8> {
    let mut writer = ColumnWriter::new(Vec::new());
    parts.iter().for_each(|part| writer.push(&encrypt(secret, part).unwrap()).unwrap());
    writer.finish().unwrap()
}

fn read(file: &[u8]) -> Result<usize, Error> {
    let mut reader = ColumnReader::<_, Ciphertext>::new(file)?;
    let mut count = 0;
    while let Some(part) = reader.next_part::<Column<i16>>()? {
        count += part.ciphertexts().next().unwrap().count();
    }
    Ok(count)
}

#[test]
fn parts_follow_each_other() {
    let secret = client();
    let whole = file(&secret, &[&[1, 2], &[-3], &[4, 5, 6]]);
    assert_eq!(read(&whole).unwrap(), 6);
    let summary = *ColumnReader::<_, Ciphertext>::new(&whole[..]).unwrap().summary();
    assert_eq!((summary.kind.to_string().as_str(), summary.is_fresh), ("i16", true));
    assert_eq!(summary.kind, ColumnKind::of::<i16>());
    // Missing, repeated and foreign parts, and trailing data.
    let length = |at: usize| {
        let start = at + 48;
        u64::from_le_bytes(whole[start..start + 8].try_into().unwrap()) as usize + HEADER_BYTES + 32
    };
    let first = length(0);
    let second = first + length(first);
    assert!(read(&whole[..second]).is_err() && read(&whole[first..]).is_err());
    assert!(read(&[&whole[..first], &whole[second..]].concat()).is_err());
    assert!(read(&[&whole[..first], &whole[..]].concat()).is_err());
    assert!(read(&[&whole[..], &[0]].concat()).is_err());
    let other = file(&client(), &[&[1], &[2], &[3]]);
    let foreign = [&whole[..second], &other[2 * other.len() / 3..]].concat();
    assert!(read(&foreign).is_err());
    let mut writer = ColumnWriter::new(Vec::new());
    assert!(ColumnWriter::new(Vec::new()).finish().is_err());
    writer.push(&encrypt(&secret, &[1i16]).unwrap()).unwrap();
    assert!(writer.push(&encrypt(&secret, &[1u16]).unwrap()).is_err());
    let error = Column::<i16>::from_bytes(&whole[..first]).unwrap_err();
    assert!(error.to_string().contains("part of a column"), "{error}");
}

#[test]
fn damage_and_other_types_are_refused() {
    let secret = client();
    let bytes = encrypt(&secret, &[1u8]).unwrap().to_bytes().unwrap();
    let error = Column::<i8>::from_bytes(&bytes).unwrap_err();
    assert!(error.to_string().contains("u8") && error.to_string().contains("i8"), "{error}");
    assert!(BooleanColumn::<Ciphertext>::from_bytes(&bytes).is_err());
    check_refusals(&bytes, 97, Column::<u8>::from_bytes);
    for length in (0..bytes.len()).step_by(97) {
        assert!(ColumnReader::<_, Ciphertext>::new(&bytes[..length]).is_err());
    }
    // Every field is still checked if the checksum is corrected.
    let with = |position: usize, change: &[u8]| {
        let changed =
            forged(&bytes, |body| body[position..][..change.len()].copy_from_slice(change));
        Column::<u8>::from_bytes(&changed).unwrap_err()
    };
    let start = 16;
    for (position, change) in [
        (start, &[12u8][..]),
        (start + 1, &[2]),
        (start + 2, &[9]),
        (start + 8, &[7]),
        (start + 9, &[3, 0, 0, 0]),
        (start + 9, &[255; 4]),
        (start + 13, &[5, 0, 0, 0, 0, 0, 0, 0]),
        (start + 13, &[0, 0, 0, 0, 0, 0, 0, 128]),
        (start + 21, &[99, 0, 0, 0, 0, 0, 0, 0]),
        (start + 29, &[255; 8]),
    ] {
        let error = with(position, change);
        assert!(matches!(error, Error::Wire(_) | Error::Mismatch { .. }), "{position}: {error:?}");
    }
    assert!(matches!(
        Column::<u8>::from_bytes(&bytes[..10]),
        Err(Error::Wire(WireError::Truncated { .. }))
    ));
}
