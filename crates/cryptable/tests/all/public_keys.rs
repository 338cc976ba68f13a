//! Tests of values encrypted with a public key, which are looked up and decrypted like those of the secret key.
#![cfg(feature = "client")]

use cryptable::circuits::named::NamedCircuit;
use cryptable::circuits::{
    EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, Plan, PlanOptions, WordPort,
    execute_with, input_bits, output_words,
};
use cryptable::integers::{
    ColumnKind, DigitArithmetic, DigitDecryption, Evaluator, IntegerColumn, decrypt,
    decrypt_booleans, encrypt,
};
use cryptable::transciphering::{self, AesKey, EncryptedKey, MessageEncryptor};
use cryptable::{
    Engine, Error, Parameters, Progress, PublicKey, ReadOptions, Request, SecretKey, Table, bits,
    gates, inspect, large_values,
};

use crate::toys;

/// Encrypts every input of a table with a public key from a file, looks it up and compares every result. Returns the
/// size of the key in bytes.
fn check(parameters: Parameters, count: u64) -> usize {
    let engine = parameters.engine();
    let (p, q) = (parameters.input_modulus(), parameters.output_modulus());
    let secret = SecretKey::generate(parameters);
    let options = ReadOptions::default().allow_insecure();
    let file = secret.public_key().unwrap().to_bytes();
    let public = PublicKey::from_bytes(&file, options).unwrap();
    assert_eq!(public.id(), secret.id());
    assert_eq!(public.parameters().digest(), secret.parameters().digest());
    let values: Vec<u64> = (0..count).map(|i| i * 7 % p).collect();
    let encrypted = public.encrypt(&values).unwrap();
    assert_eq!(secret.decrypt(&encrypted).unwrap(), values);
    let table = Table::from_fn(p, q, |x| (x * x + 3) % q).unwrap();
    let server = secret.evaluation_key();
    // Packed ciphertexts of public keys have their own masks instead of a seed.
    assert_eq!(encrypted.is_fresh(), engine != Engine::Packed);
    let found = server.lookup(&encrypted, &server.prepare(&table).unwrap()).unwrap();
    let expected: Vec<u64> = values.iter().map(|&x| (x * x + 3) % q).collect();
    assert_eq!(secret.decrypt(&found).unwrap(), expected);
    let again = public.rerandomize(&found);
    if engine == Engine::Packed {
        let again = again.unwrap();
        assert_ne!(again, found);
        assert_eq!(secret.decrypt(&again).unwrap(), expected);
        let others = SecretKey::generate(secret.parameters()).public_key().unwrap();
        assert!(matches!(others.rerandomize(&found), Err(Error::OtherClient { .. })));
    } else {
        assert!(matches!(again, Err(Error::Unsupported(_))), "{again:?}");
    }
    let inspected = inspect(&file).unwrap();
    assert_eq!((inspected.engine, inspected.key_id), (Some(engine), Some(secret.id())));
    // Sums with the client's own values are possible once both are under one secret.
    if engine != Engine::Leveled && p == q {
        let own = secret.encrypt(&values).unwrap();
        let sum = server.add(&encrypted, &own).unwrap();
        let expected: Vec<u64> = values.iter().map(|&x| 2 * x % p).collect();
        assert_eq!(secret.decrypt(&sum).unwrap(), expected);
    }
    file.len()
}

/// Returns the parameters of the plan of an engine for tables from `p` to `p`.
fn planned(engine: Engine, p: u64) -> Parameters {
    let plan = Request::new(p, p).engine(engine).values(1000).plan().unwrap();
    plan.best().parameters().clone()
}

#[test]
fn values_of_contributors_are_looked_up() {
    check(Parameters::insecure_toy(Engine::Packed, 16, 8).unwrap(), 2_000);
    check(Parameters::insecure_toy(Engine::Single, 16, 16).unwrap(), 100);
    check(Parameters::insecure_toy(Engine::Leveled, 16, 8).unwrap(), 20);
}

/// Checks all values of a table, with 128-bit keys that are as small as the documentation says.
#[test]
fn few_values_of_contributors_are_looked_up_at_full_size() {
    for (engine, p) in
        [(Engine::Single, 4), (Engine::Single, 16), (Engine::Single, 15), (Engine::Leveled, 256)]
    {
        let bytes = check(planned(engine, p), p.min(32));
        assert!(bytes < 14_000, "{engine} {p}: {bytes}");
    }
}

#[test]
fn bits_and_integers_of_contributors_are_computed_with_at_full_size() {
    let silent = Progress::silent();
    let secret = SecretKey::generate(gates::Parameters::default_128());
    let public = secret.public_key().unwrap();
    let bits = public.encrypt_bits(&[false, false, true, true]).unwrap();
    let bits = gates::EncryptedBits::from_bytes(&bits.to_bytes()).unwrap();
    let other = secret.gates().unwrap().encrypt(&[false, true, false, true]);
    let server = secret.evaluation_key();
    for gate in gates::Gate::ALL {
        let found = server.gates().unwrap().gate(gate, &bits, &other, silent).unwrap();
        let plain = [(false, false), (false, true), (true, false), (true, true)];
        let expected = plain.map(|(a, b)| gate.apply(a, b));
        assert_eq!(secret.gates().unwrap().decrypt(&found).unwrap(), expected, "{gate:?}");
    }
    let error = public.encrypt(&[1]).unwrap_err().to_string();
    assert!(error.contains("gates"), "{error}");
    assert!(public.encrypt_integers(&[1]).is_err());

    let secret = SecretKey::generate(large_values::Parameters::new(12).unwrap());
    let public = secret.public_key().unwrap();
    let x = public.encrypt_integers(&[700, 3]).unwrap();
    let y = public.encrypt_integers(&[699, -3]).unwrap();
    let server = secret.evaluation_key();
    let found = server.large_values().unwrap().maximum(&x, &y, silent).unwrap();
    assert_eq!(secret.large_values().unwrap().decrypt(&found).unwrap(), [700, 3]);
    let error = public.encrypt_integers(&[1024]).unwrap_err().to_string();
    assert!(error.contains("1024"), "{error}");
}

#[test]
fn a_full_ciphertext_of_contributors_is_looked_up_at_full_size() {
    let plan = Request::new(256, 256).engine(Engine::Packed).plan().unwrap();
    check(plan.best().parameters().clone(), 65_536);
}

/// Checks columns of integers with each engine: sums with carries, and comparisons with the client's own columns.
#[test]
fn columns_of_contributors_are_computed_with() {
    for engine in [Engine::Packed, Engine::Single] {
        let plan = Request::integers(ColumnKind::of::<u16>())
            .engine(engine)
            .insecure_toy()
            .plan()
            .unwrap();
        let secret = SecretKey::generate(&plan);
        let server = secret.evaluation_key();
        let public = secret.public_key().unwrap();
        let values = [1u16, 40_000, 65_535];
        let own = [2u16, 30_000, 65_535];
        let expected = (values.map(|x| x.wrapping_add(x)), [true, false, false]);
        let found = if engine == Engine::Packed {
            let x = encrypt(public.packed().unwrap(), &values).unwrap();
            let y = encrypt(secret.packed().unwrap(), &own).unwrap();
            computed(secret.packed().unwrap(), server.packed().unwrap(), &x, &y)
        } else {
            let x = encrypt(public.single().unwrap(), &values).unwrap();
            let y = encrypt(secret.single().unwrap(), &own).unwrap();
            computed(secret.single().unwrap(), server.single().unwrap(), &x, &y)
        };
        assert_eq!(found.0, expected.0, "{engine}");
        assert_eq!(found.1, expected.1, "{engine}");
    }
}

/// Computes `x + x` and `x < y`.
fn computed<E: DigitArithmetic, S: DigitDecryption<Ciphertext = E::Ciphertext>>(
    secret: &S,
    server: &E,
    x: &IntegerColumn<u16, E::Ciphertext>,
    y: &IntegerColumn<u16, E::Ciphertext>,
) -> (Vec<u16>, Vec<bool>) {
    let evaluator = Evaluator::new(server).unwrap();
    let sum = evaluator.add(x, x).unwrap();
    let less = evaluator.lt(x, y).unwrap();
    (decrypt(secret, &sum).unwrap(), decrypt_booleans(secret, &less).unwrap())
}

#[test]
fn damaged_files_and_other_kinds_are_refused() {
    let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 4, 4).unwrap());
    let public = secret.public_key().unwrap();
    let mut file = public.to_bytes();
    assert!(matches!(PublicKey::from_bytes(&file, ReadOptions::default()), Err(Error::Insecure)));
    let options = ReadOptions::default().allow_insecure();
    let middle = file.len() / 2;
    file[middle] ^= 1;
    assert!(PublicKey::from_bytes(&file, options).is_err());
    assert!(PublicKey::from_bytes(&secret.to_bytes(), options).is_err());
    let error = public.encrypt(&[3, 4]).unwrap_err();
    assert!(matches!(error, Error::ValueOutOfRange { index: 1, value: 4, .. }), "{error}");
    assert!(public.encrypt(&[]).is_err());
    assert!(public.bits().unwrap_err().to_string().contains("circuits"));
    assert!(public.transciphering().unwrap_err().to_string().contains("transciphering"));
}

/// Checks that files of words from contributors are run only by plans that expect them, and that AES keys from
/// contributors decrypt messages.
#[test]
fn circuits_and_messages_of_contributors() {
    let silent = Progress::silent();
    let circuit = NamedCircuit::Compare32.build();
    let parameters = bits::Parameters::insecure_toy(bits::Packing::Real).unwrap();
    let secret = SecretKey::generate(parameters.clone());
    let public = PublicKey::from_bytes(&secret.public_key().unwrap().to_bytes(), toys()).unwrap();
    let options = PlanOptions { public_inputs: true, ..PlanOptions::default() };
    let plan = Plan::new(&circuit, &parameters, &options).unwrap();
    let ports = circuit.inputs().iter();
    let ports: Vec<_> =
        ports.map(|it| WordPort { name: it.name.clone(), width: it.width }).collect();
    let words = [[7, 7], [7, 8], [1 << 31, 3]].map(Vec::from);
    let summary = EncryptedWordsSummary::new(&parameters, public.id(), ports, 3);
    let summary = summary.with_levels(plan.input_levels());
    let mut writer = EncryptedWordsWriter::new(Vec::new(), &parameters, summary).unwrap();
    for (bits, levels) in input_bits(&[32, 32], &words).iter().zip(plan.input_levels()) {
        writer.push(&public.bits().unwrap().encrypt_at(bits, levels).unwrap()).unwrap();
    }
    let file = writer.finish().unwrap();
    let mut reader = EncryptedWordsReader::new(&file).unwrap();
    assert!(reader.are_public(&parameters).unwrap());
    let batch = reader.next_batch().unwrap().unwrap();
    let error = batch.input_bits(0, &parameters, false).unwrap_err().to_string();
    assert!(error.contains("fresh bits"), "{error}");
    let input = |index| batch.input_bits(index, &parameters, true);
    let server = secret.evaluation_key();
    let outputs = execute_with(&plan, server.bits().unwrap(), &input, silent).unwrap();
    let decrypted = outputs.iter().map(|bits| secret.bits().unwrap().decrypt(bits).unwrap());
    let decrypted: Vec<_> = decrypted.collect();
    let widths: Vec<_> = circuit.outputs().iter().map(|it| it.signals.len()).collect();
    assert_eq!(output_words(&widths, &decrypted), circuit.evaluate_many(&words).unwrap());

    let secret = SecretKey::generate(transciphering::Parameters::insecure_toy());
    let public = PublicKey::from_bytes(&secret.public_key().unwrap().to_bytes(), toys()).unwrap();
    let mut contributor = MessageEncryptor::new(AesKey::generate());
    let key = public.transciphering().unwrap().encrypt_key(contributor.key()).unwrap();
    let key = EncryptedKey::from_bytes(&key.to_bytes()).unwrap();
    let message = contributor.encrypt(b"hi").unwrap();
    let server = secret.evaluation_key();
    let bytes = server.transciphering().unwrap().transcipher(&key, &message, silent).unwrap();
    assert_eq!(*secret.transciphering().unwrap().decrypt(&bytes).unwrap(), *b"hi");
}
