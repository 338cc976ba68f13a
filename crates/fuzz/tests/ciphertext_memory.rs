//! Files of ciphertexts take no more memory than twice their bytes and 16 MiB, whatever they claim.

use std::io::Cursor;

use cryptable::engines::single;
use cryptable::{CiphertextReader, Error, ReadOptions};
use cryptable_fuzz::limits::within_bytes;
use cryptable_lattice::NoiseBound;
use cryptable_lattice::lwe_list::{LweShape, MAX_VALUES};
use cryptable_wire::{BodyWriter, KeyId, ObjectType, write_object};

/// The least modulus that is read: words of six bits, which take ten times the memory once they are unpacked.
const MODULUS: u64 = 64;

/// An undamaged object of so many zeros of this dimension, fresh or computed.
fn object(count: usize, dimension: usize, is_fresh: bool) -> Vec<u8> {
    let (mut body, mut bytes) = (Vec::new(), Vec::new());
    let mut writer = BodyWriter::new(&mut body);
    writer.raw(&KeyId([7; 16]).0).unwrap();
    writer.u64(4).unwrap();
    NoiseBound::new(0.5, 0.0).write(&mut writer).unwrap();
    writer.u64(count as u64).unwrap();
    writer.u32(is_fresh.into()).unwrap();
    LweShape { dimension, modulus: MODULUS }.write(&mut writer).unwrap();
    match is_fresh {
        true => writer.raw(&[1; 32]).unwrap(),
        false => writer.packed_words(&vec![0; count * dimension], MODULUS).unwrap(),
    }
    writer.packed_words(&vec![0; count], MODULUS).unwrap();
    write_object(&mut bytes, ObjectType::SingleCiphertext, &[0; 32], &body).unwrap();
    bytes
}

fn file(object: &[u8]) -> Vec<u8> {
    let ciphertext = single::Ciphertext::from_bytes(object).unwrap();
    cryptable::Ciphertext::from(ciphertext).to_bytes()
}

#[test]
fn words_stay_packed_until_they_are_used() {
    let file = file(&object(MAX_VALUES, 256, false));
    assert!(file.len() > 12 << 20);
    let allowed = 2 * file.len() + (16 << 20);
    let values = within_bytes(allowed, || {
        let mut reader = CiphertextReader::new(Cursor::new(&file)).unwrap();
        reader.next_ciphertext().unwrap().expect("a ciphertext").count()
    });
    assert_eq!(values, MAX_VALUES);
    // What is announced to take more is refused before it takes it.
    let options = ReadOptions::default().max_memory(file.len() as u64);
    within_bytes(2 << 20, || {
        let mut reader = CiphertextReader::new(Cursor::new(&file)).unwrap().with_options(options);
        let error = reader.next_ciphertext().unwrap_err();
        assert!(matches!(error, Error::ReadingMemory { object: "ciphertext", .. }), "{error}");
    });
}

#[test]
fn more_values_than_are_looked_up_at_once_are_refused_before_they_are_unpacked() {
    let most = object(MAX_VALUES, 4, true);
    assert_eq!(single::Ciphertext::from_bytes(&most).unwrap().count(), MAX_VALUES);
    let more = object(64 * MAX_VALUES, 4, true);
    let error = within_bytes(1 << 20, || single::Ciphertext::from_bytes(&more).unwrap_err());
    assert!(error.to_string().contains("number of values"), "{error}");
}
