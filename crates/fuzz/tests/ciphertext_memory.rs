//! Reading a file of ciphertexts needs at most twice its bytes and 16 MiB of memory, whatever it claims; reading other
//! objects of values needs up to 12 times their bytes, as SECURITY.md states.

use std::io::Cursor;

use cryptable::engines::{packed, single};
use cryptable::{
    Ciphertext, CiphertextReader, Engine, Error, ReadOptions, gates, inspect, integers,
    large_values, transciphering,
};
use cryptable_fuzz::clients;
use cryptable_fuzz::forged::{file_of, single_values};
use cryptable_fuzz::limits::within_bytes;
use cryptable_lattice::lwe_list::MAX_VALUES;

/// Creates an input while no other test has a memory limit.
fn without_limit<T>(make: impl FnOnce() -> T) -> T {
    within_bytes(1 << 40, make)
}

#[test]
fn words_stay_packed_until_they_are_used() {
    let file = without_limit(|| file_of(&single_values(MAX_VALUES, 256, false)));
    assert!(file.len() > 12 << 20);
    let allowed = 2 * file.len() + (16 << 20);
    let values = within_bytes(allowed, || {
        let mut reader = CiphertextReader::new(Cursor::new(&file)).unwrap();
        reader.next_ciphertext().unwrap().expect("a ciphertext").count()
    });
    assert_eq!(values, MAX_VALUES);
    // A ciphertext that would need more memory is refused before it uses any.
    let options = ReadOptions::default().max_memory(file.len() as u64);
    within_bytes(2 << 20, || {
        let mut reader = CiphertextReader::new(Cursor::new(&file)).unwrap().with_options(options);
        let error = reader.next_ciphertext().unwrap_err();
        assert!(matches!(error, Error::ReadingMemory { object: "ciphertext", .. }), "{error}");
    });
}

#[test]
fn more_values_than_are_looked_up_at_once_are_refused_before_they_are_unpacked() {
    let most = without_limit(|| single_values(MAX_VALUES, 4, true));
    assert_eq!(single::Ciphertext::from_bytes(&most).unwrap().count(), MAX_VALUES);
    let more = without_limit(|| single_values(64 * MAX_VALUES, 4, true));
    let error = within_bytes(1 << 20, || single::Ciphertext::from_bytes(&more).unwrap_err());
    assert!(error.to_string().contains("number of values"), "{error}");
}

/// Bytes that reading any object may use in addition to a multiple of its own.
const BESIDE: usize = 16 << 20;

/// A reader of one kind of object.
type Read = fn(&[u8]) -> bool;

/// Returns an object of at least a megabyte for each kind that holds values, with the multiple of its bytes that
/// reading may use, and its reader.
fn large_objects() -> Vec<(&'static str, Vec<u8>, usize, Read)> {
    let part = |engine, count| clients::client(engine).encrypt(&vec![1; count]).unwrap();
    let file = |engine, count, parts: usize| {
        let parts = std::iter::repeat_n(part(engine, count), parts);
        Ciphertext::join(parts).unwrap().to_bytes()
    };
    let read_ciphertext: Read = |bytes| Ciphertext::from_bytes(bytes).is_ok();
    let packed = clients::client(Engine::Packed);
    let part = integers::encrypt(packed.packed().unwrap(), &[1_u16; 8]).unwrap();
    let mut column = integers::ColumnWriter::new(Vec::new());
    (0..200).for_each(|_| column.push(&part).unwrap());
    vec![
        ("packed values", file(Engine::Packed, 1 << 12, 256), 2, read_ciphertext),
        ("single values", file(Engine::Single, 1 << 15, 32), 2, read_ciphertext),
        ("leveled values", file(Engine::Leveled, 1 << 8, 600), 2, read_ciphertext),
        ("bits", clients::boolean_client().encrypt(&vec![true; 1 << 20]).to_bytes(), 12, |bytes| {
            gates::EncryptedBits::from_bytes(bytes).is_ok()
        }),
        (
            "large values",
            clients::integer_client().encrypt(&vec![1; 1 << 11]).unwrap().to_bytes(),
            12,
            |bytes| large_values::EncryptedIntegers::from_bytes(bytes).is_ok(),
        ),
        (
            "bytes",
            clients::transciphering_client().encrypt(&vec![1; 1 << 16]).to_bytes(),
            12,
            |bytes| transciphering::EncryptedBytes::from_bytes(bytes).is_ok(),
        ),
        ("a column of integers", column.finish().unwrap(), 12, |bytes| {
            let reader = integers::ColumnReader::<_, packed::Ciphertext>::new(bytes);
            let Ok(mut reader) = reader else { return false };
            loop {
                match reader.next_summary() {
                    Ok(Some(_)) => {}
                    end => return end.is_ok(),
                }
            }
        }),
    ]
}

#[test]
fn a_megabyte_of_any_kind_takes_a_stated_multiple() {
    for (kind, bytes, multiple, read) in without_limit(large_objects) {
        println!("{kind}: {} bytes", bytes.len());
        assert!(bytes.len() > 1 << 20, "{kind}: {} bytes", bytes.len());
        assert!(within_bytes(multiple * bytes.len() + BESIDE, || read(&bytes)), "{kind}");
        // Inspection uses no more memory.
        assert!(
            within_bytes(multiple * bytes.len() + BESIDE, || inspect(&bytes).is_ok()),
            "{kind}"
        );
    }
}
