//! Tests that keys and ciphertexts that need more memory than their reader allows are refused before memory is used.
#![cfg(feature = "client")]

use std::sync::Arc;

use cryptable::engines::{leveled, single};
use cryptable::{Engine, Error, EvaluationKey, Execution, Parameters, ReadOptions, SecretKey};
use cryptable_wire::{CHECKSUM_BYTES, HEADER_BYTES, peek_header, write_object};

#[test]
fn keys_above_the_limit_are_refused_with_both_numbers() {
    for engine in Engine::ALL {
        let secret = SecretKey::generate(Parameters::insecure_toy(engine, 4, 4).unwrap());
        let mut file = Vec::new();
        secret.write_evaluation_key(&mut file, Execution::default()).unwrap();
        let file = Arc::new(file);
        let read = |limit| {
            let options = ReadOptions::default().allow_insecure().max_memory(limit);
            EvaluationKey::from_shared(file.clone(), options)
        };
        let Err(Error::ReadingMemory { needed, limit: 1, .. }) = read(1) else {
            panic!("{engine}: read under a limit of one byte");
        };
        let error = read(needed - 1).unwrap_err().to_string();
        let limit = needed - 1;
        assert_eq!(
            error,
            format!(
                "the evaluation key takes {needed} bytes of memory, above the reader's limit of {limit}"
            )
        );
        // The amount computed from the parameters suffices, and is not much too large.
        let found = read(needed).unwrap().memory_bytes() as u64;
        assert!(found <= needed && needed < 2 * found, "{engine}: {found} of {needed}");
    }
}

/// Largest number of values of one ciphertext of single or leveled values.
const MAX_VALUES: u64 = 1 << 16;

/// Returns the same object with another number of values and a correct checksum, which no encryption would create.
fn forged(object: &[u8], count: u64, forged_count: u64) -> Vec<u8> {
    let mut body = object[HEADER_BYTES..object.len() - CHECKSUM_BYTES].to_vec();
    let found = body.windows(8).position(|bytes| bytes == count.to_le_bytes());
    let at = found.expect("the number of values");
    body[at..at + 8].copy_from_slice(&forged_count.to_le_bytes());
    // More words than those of the added values.
    body.resize(body.len() + 64, 0);
    let header = peek_header(object).unwrap();
    let mut forged = Vec::new();
    write_object(&mut forged, header.object_type, &header.parameter_digest, &body).unwrap();
    forged
}

#[test]
fn ciphertexts_of_more_values_than_a_packed_one_holds_are_refused() {
    let values = vec![1; MAX_VALUES as usize];
    let secret = |engine| SecretKey::generate(Parameters::insecure_toy(engine, 4, 4).unwrap());
    let single = secret(Engine::Single).single().unwrap().encrypt(&values).unwrap().to_bytes();
    let leveled = secret(Engine::Leveled).leveled().unwrap().encrypt(&values).unwrap().to_bytes();
    let counts = [
        single::Ciphertext::from_bytes(&single).unwrap().count(),
        leveled::Ciphertext::from_bytes(&leveled).unwrap().count(),
    ];
    assert_eq!(counts, [values.len(); 2]);
    let errors = [
        single::Ciphertext::from_bytes(&forged(&single, MAX_VALUES, MAX_VALUES + 1)).unwrap_err(),
        leveled::Ciphertext::from_bytes(&forged(&leveled, MAX_VALUES, MAX_VALUES + 1)).unwrap_err(),
    ];
    for error in errors.map(|error| error.to_string()) {
        assert!(error.contains("number of values") && error.contains("65536"), "{error}");
    }
}
