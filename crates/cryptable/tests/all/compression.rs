//! Tests of compressed results: a fifth of the bytes for packed ones, a hundredth for leveled ones, exact values, and
//! no operation but decryption.
#![cfg(feature = "client")]

use cryptable::{Ciphertext, Engine, Error, Parameters, Request, SecretKey, Table, inspect};

#[test]
fn results_take_a_fifth_of_their_bytes_at_full_size() {
    let plan = Request::new(256, 256).engine(Engine::Packed).plan().unwrap();
    let secret = SecretKey::generate(&plan);
    let server = secret.evaluation_key();
    let table = Table::from_fn(256, 256, |x| (x * 77 + 5) % 256).unwrap();
    let prepared = server.prepare(&table).unwrap();
    for (count, most) in [(65_536_u64, 90_000), (1_000, 12_000)] {
        let values: Vec<u64> = (0..count).map(|i| i * 31 % 256).collect();
        let results = server.lookup(&secret.encrypt(&values).unwrap(), &prepared).unwrap();
        let compressed = server.compress(&results).unwrap();
        let bytes = compressed.to_bytes();
        println!("{} of {} bytes", bytes.len(), results.to_bytes().len());
        assert!(bytes.len() <= most, "{} bytes of {count} values", bytes.len());
        let read = Ciphertext::from_bytes(&bytes).unwrap();
        let expected: Vec<u64> = values.iter().map(|x| (x * 77 + 5) % 256).collect();
        assert_eq!(secret.decrypt(&read).unwrap(), expected);
        assert_eq!(inspect(&bytes).unwrap().key_id, Some(secret.id()));
        for error in [
            server.lookup(&read, &prepared).unwrap_err(),
            server.add(&read, &read).unwrap_err(),
            server.compress(&read).unwrap_err(),
        ] {
            assert!(error.to_string().contains("compressed"), "{error}");
        }
    }
}

/// Compresses two parts of a file, the second of which has few values.
#[test]
fn leveled_results_take_a_hundredth_of_their_bytes_at_full_size() {
    let plan = Request::new(16, 16).engine(Engine::Leveled).plan().unwrap();
    let secret = SecretKey::generate(&plan);
    let server = secret.evaluation_key();
    let prepared = server.prepare(&Table::from_fn(16, 16, |x| (x * 7 + 3) % 16).unwrap()).unwrap();
    let values: Vec<u64> = (0..70).map(|i| i % 16).collect();
    let results = server.lookup(&secret.encrypt(&values).unwrap(), &prepared).unwrap();
    let bytes = server.compress(&results).unwrap().to_bytes();
    let full = results.to_bytes().len();
    println!("{} of {full} bytes", bytes.len());
    assert!(100 * bytes.len() < full, "{} of {full} bytes", bytes.len());
    let read = Ciphertext::from_bytes(&bytes).unwrap();
    let expected: Vec<u64> = values.iter().map(|x| (x * 7 + 3) % 16).collect();
    assert_eq!(secret.decrypt(&read).unwrap(), expected);
    assert_eq!(inspect(&bytes).unwrap().fresh, Some(false));
    for error in [server.lookup(&read, &prepared).unwrap_err(), server.compress(&read).unwrap_err()]
    {
        assert!(error.to_string().contains("compressed"), "{error}");
    }
    let other = SecretKey::generate(&plan);
    assert!(matches!(other.decrypt(&read), Err(Error::OtherClient { .. })));
}

#[test]
fn toys_of_all_moduli_are_compressed_and_others_refused() {
    for (p, q) in [(16, 16), (10, 7), (4, 100)] {
        let parameters = Parameters::insecure_toy(Engine::Packed, p, q).unwrap();
        let secret = SecretKey::generate(parameters);
        let server = secret.evaluation_key();
        let table = Table::from_fn(p, q, |x| x * x % q).unwrap();
        let values: Vec<u64> = (0..100).map(|i| i % p).collect();
        let prepared = server.prepare(&table).unwrap();
        let results = server.lookup(&secret.encrypt(&values).unwrap(), &prepared).unwrap();
        let compressed = server.compress(&results).unwrap();
        let expected: Vec<u64> = values.iter().map(|x| x * x % q).collect();
        assert_eq!(secret.decrypt(&compressed).unwrap(), expected);
        let other = SecretKey::generate(secret.parameters());
        assert!(matches!(other.decrypt(&compressed), Err(Error::OtherClient { .. })));
        let mut damaged = compressed.to_bytes();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 1;
        assert!(Ciphertext::from_bytes(&damaged).is_err());
    }
    let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4).unwrap());
    let server = secret.evaluation_key();
    let error = server.compress(&secret.encrypt(&[1]).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
}
