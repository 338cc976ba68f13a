//! Tests of rekeying: ciphertexts of one client become those of another, and ciphertexts of anybody else are refused.
#![cfg(feature = "client")]

use cryptable::{
    Ciphertext, Engine, Error, Parameters, ReadOptions, RekeyingKey, Request, SecretKey, Table,
    gates, inspect,
};

use crate::toys;

/// Returns two clients with the same parameters, and a key from the first to the second, read from its file.
fn clients(parameters: Parameters) -> (SecretKey, SecretKey, RekeyingKey) {
    let owner = SecretKey::generate(parameters.clone());
    let new_owner = SecretKey::generate(parameters);
    let file = owner.rekey_to(&new_owner.public_key().unwrap()).unwrap().to_bytes();
    let key = RekeyingKey::from_bytes(&file, toys()).unwrap();
    assert_eq!((key.owner(), key.new_owner()), (owner.id(), new_owner.id()));
    assert_eq!(key.parameters().digest(), owner.parameters().digest());
    (owner, new_owner, key)
}

/// Hands over values in several parts, signed values, sums and results to a new owner, whose server looks them up.
#[test]
fn values_and_results_are_handed_over() {
    let (owner, new_owner, key) =
        clients(Parameters::insecure_toy(Engine::Packed, 16, 16).unwrap());
    let table = Table::from_fn(16, 16, |x| (x * x + 3) % 16).unwrap();
    let mapped = |values: &[u64]| -> Vec<u64> {
        values.iter().map(|&x| table.values()[x as usize]).collect()
    };
    let values: Vec<u64> = (0..2_500).map(|i| i * 7 % 16).collect();
    let server = owner.evaluation_key();
    let fresh = owner.encrypt(&values).unwrap();
    let results = server.lookup(&fresh, &server.prepare(&table).unwrap()).unwrap();

    // The new owner's server has neither the old owner's evaluation key nor its secret.
    let there = new_owner.evaluation_key();
    let prepared = there.prepare(&table).unwrap();
    for (input, expected) in [(&fresh, values.clone()), (&results, mapped(&values))] {
        let handed_over = key.apply(input).unwrap();
        let handed_over = Ciphertext::from_bytes(&handed_over.to_bytes()).unwrap();
        assert_eq!(handed_over.key_id(), new_owner.id());
        assert_eq!(new_owner.decrypt(&handed_over).unwrap(), expected);
        let found = there.lookup(&handed_over, &prepared).unwrap();
        assert_eq!(new_owner.decrypt(&found).unwrap(), mapped(&expected));
        let own = new_owner.encrypt(&values).unwrap();
        let sum = new_owner.decrypt(&there.add(&handed_over, &own).unwrap()).unwrap();
        assert!(sum.iter().zip(&expected).zip(&values).all(|((s, x), y)| *s == (x + y) % 16));
        assert!(matches!(owner.decrypt(&handed_over), Err(Error::OtherClient { .. })));
    }
    let signed = owner.encrypt_signed(&[-8, 7, -1]).unwrap();
    let handed_over = key.apply(&signed).unwrap();
    assert_eq!(new_owner.decrypt_signed(&handed_over).unwrap(), [-8, 7, -1]);
}

/// Hands over single and leveled values, fresh ones and results, which the new owner's server looks up.
fn check_values_one_by_one(parameters: Parameters, values: &[u64]) -> usize {
    let (owner, new_owner, key) = clients(parameters);
    let p = owner.parameters().lookups().unwrap().input_modulus();
    let table = Table::from_fn(p, p, |x| (x * x + 3) % p).unwrap();
    let mapped = |values: &[u64]| -> Vec<u64> {
        values.iter().map(|&x| table.values()[x as usize]).collect()
    };
    let server = owner.evaluation_key();
    let fresh = owner.encrypt(values).unwrap();
    let results = server.lookup(&fresh, &server.prepare(&table).unwrap()).unwrap();
    let there = new_owner.evaluation_key();
    let prepared = there.prepare(&table).unwrap();
    for (input, expected) in [(&fresh, values.to_vec()), (&results, mapped(values))] {
        let handed_over = key.apply(input).unwrap();
        let handed_over = Ciphertext::from_bytes(&handed_over.to_bytes()).unwrap();
        assert_eq!(handed_over.key_id(), new_owner.id());
        assert_eq!(new_owner.decrypt(&handed_over).unwrap(), expected);
        match there.lookup(&handed_over, &prepared) {
            Ok(found) => assert_eq!(new_owner.decrypt(&found).unwrap(), mapped(&expected)),
            // Results of single lookups may have too much noise for another switch to the LWE secret.
            Err(Error::NoiseTooLarge { .. }) => {
                assert!(key.engine() == Engine::Single && !input.is_fresh());
            }
            Err(error) => panic!("{error}"),
        }
        assert!(matches!(owner.decrypt(&handed_over), Err(Error::OtherClient { .. })));
        let error = key.apply(&handed_over).unwrap_err();
        assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    }
    let compact = owner.public_key().unwrap().encrypt(values).unwrap();
    let error = key.apply(&compact).unwrap_err().to_string();
    assert!(error.contains("public key"), "{error}");
    key.to_bytes().len()
}

#[test]
fn values_one_by_one_are_handed_over() {
    let values: Vec<u64> = (0..40).map(|i| i * 7 % 16).collect();
    for engine in [Engine::Single, Engine::Leveled] {
        check_values_one_by_one(Parameters::insecure_toy(engine, 16, 16).unwrap(), &values);
    }
}

#[test]
fn values_one_by_one_are_handed_over_at_full_size() {
    for (engine, p) in [(Engine::Single, 16), (Engine::Single, 15), (Engine::Leveled, 256)] {
        let plan = Request::new(p, p).engine(engine).values(100).plan().unwrap();
        let values: Vec<u64> = (0..16).map(|i| i * 7 % p).collect();
        let bytes = check_values_one_by_one(plan.best().parameters().clone(), &values);
        assert!(bytes < 30_000, "{engine} {p}: {bytes} bytes");
    }
}

/// Hands over 65,536 values of 8 bits, which the new owner's server looks up.
#[test]
#[ignore = "slow: run by make test-all"]
fn a_full_ciphertext_is_handed_over_and_looked_up_at_full_size() {
    let plan = Request::new(256, 256).engine(Engine::Packed).plan().unwrap();
    let (owner, new_owner, key) = clients(plan.best().parameters().clone());
    let bytes = key.to_bytes().len();
    assert!(bytes < 2_000_000, "{bytes} bytes");
    let values: Vec<u64> = (0..65_536).map(|i| (i * 31 + i / 256) % 256).collect();
    let start = std::time::Instant::now();
    let handed_over = key.apply(&owner.encrypt(&values).unwrap()).unwrap();
    println!("{bytes} bytes, {:?}", start.elapsed());
    assert_eq!(new_owner.decrypt(&handed_over).unwrap(), values);
    let server = new_owner.evaluation_key();
    let table = Table::from_fn(256, 256, |x| (x * x * 17 + x * 101 + 3) % 256).unwrap();
    let found = server.lookup(&handed_over, &server.prepare(&table).unwrap()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&x| table.values()[x as usize]).collect();
    assert_eq!(new_owner.decrypt(&found).unwrap(), expected);
    // They go back to the first owner with a key for the other direction.
    let back = new_owner.rekey_to(&owner.public_key().unwrap()).unwrap();
    assert_eq!(owner.decrypt(&back.apply(&found).unwrap()).unwrap(), expected);
}

#[test]
fn other_kinds_parameters_and_clients_are_refused() {
    let (owner, new_owner, key) = clients(Parameters::insecure_toy(Engine::Packed, 8, 8).unwrap());
    let rekeyed = |from: &SecretKey, to: &SecretKey| from.rekey_to(&to.public_key().unwrap());
    let error = rekeyed(&owner, &owner).unwrap_err().to_string();
    assert!(
        error.contains("new owner's key") && error.contains(&owner.id().to_string()),
        "{error}"
    );
    let other = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 4, 4).unwrap());
    assert!(matches!(rekeyed(&owner, &other), Err(Error::OtherParameters { .. })));
    let single = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4).unwrap());
    assert!(matches!(rekeyed(&owner, &single), Err(Error::Unsupported(_))));
    let error = rekeyed(&single, &owner).unwrap_err().to_string();
    assert!(error.contains("single lookups") && error.contains("packed"), "{error}");
    let gates = SecretKey::generate(gates::Parameters::insecure_toy());
    let error = rekeyed(&gates, &owner).unwrap_err().to_string();
    assert!(error.contains("gates") && error.contains("only keys of lookups have them"), "{error}");

    let apply = |secret: &SecretKey| key.apply(&secret.encrypt(&[1, 2]).unwrap()).unwrap_err();
    assert!(
        matches!(apply(&new_owner), Error::OtherClient { expected, .. } if expected == owner.id())
    );
    assert!(matches!(apply(&other), Error::OtherParameters { .. }));
    assert!(matches!(apply(&single), Error::OtherKind { .. }));
}

#[test]
fn files_are_inspected_and_damaged_ones_refused() {
    let (owner, new_owner, key) = clients(Parameters::insecure_toy(Engine::Packed, 4, 4).unwrap());
    let mut file = key.to_bytes();
    let found = inspect(&file).unwrap();
    assert_eq!(found.object, "a key that gives packed values a new owner");
    assert_eq!((found.engine, found.key_id), (Some(Engine::Packed), Some(owner.id())));
    assert_eq!(found.new_owner, Some(new_owner.id()));
    assert_eq!(found.parameters.unwrap().digest(), owner.parameters().digest());
    assert_eq!(inspect(&owner.to_bytes()).unwrap().new_owner, None);
    assert!(matches!(RekeyingKey::from_bytes(&file, ReadOptions::default()), Err(Error::Insecure)));
    let error = RekeyingKey::from_bytes(&owner.to_bytes(), toys()).unwrap_err().to_string();
    assert!(error.contains("a secret key") && error.contains("a new owner"), "{error}");
    let middle = file.len() / 2;
    file[middle] ^= 1;
    assert!(RekeyingKey::from_bytes(&file, toys()).is_err());
}
