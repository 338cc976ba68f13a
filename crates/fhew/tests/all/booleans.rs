//! The public interface of Boolean gates: every gate and input, other clients and parameters.

use std::ops::ControlFlow;

use crate::common::{from_files, parties};
use cryptable_fhew::booleans::{EncryptedBits, Gate, Parameters, SecretKey};
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::{Error, Progress, ReadOptions, SecurityLevel};

const SILENT: Progress<'static> = Progress::silent();

/// Checks every gate on every input, then every gate on results and on a ciphertext with itself.
fn check(parameters: &Parameters) {
    let (secret, key) = parties(parameters);
    let (plain_a, plain_b) = ([false, false, true, true], [false, true, false, true]);
    let (a, b) = (secret.encrypt(&plain_a), secret.encrypt(&plain_b));
    let apply = |gate: Gate, a: &[bool], b: &[bool]| -> Vec<bool> {
        a.iter().zip(b).map(|(&a, &b)| gate.apply(a, b)).collect()
    };
    for gate in Gate::ALL {
        let once = key.gate(gate, &a, &b, SILENT).unwrap();
        let plain = apply(gate, &plain_a, &plain_b);
        assert_eq!(secret.decrypt(&once).unwrap(), plain, "{gate:?}");
        let twice = key.gate(gate, &once, &!&b, SILENT).unwrap();
        let expected = apply(gate, &plain, &plain_b.map(|b| !b));
        assert_eq!(secret.decrypt(&twice).unwrap(), expected, "{gate:?} of results");
        let itself = key.gate(gate, &once, &once, SILENT).unwrap();
        assert_eq!(secret.decrypt(&itself).unwrap(), apply(gate, &plain, &plain), "{gate:?} twice");
    }
    for (x, y) in [(&a, &b), (&b, &a), (&a, &a)] {
        let chosen = key.mux(&a, x, y, SILENT).unwrap();
        let [s, x, y] = [&a, x, y].map(|bits| secret.decrypt(bits).unwrap());
        let expected: Vec<bool> = (0..4).map(|i| if s[i] { x[i] } else { y[i] }).collect();
        assert_eq!(secret.decrypt(&chosen).unwrap(), expected);
    }
}

#[test]
fn every_gate_of_toys() {
    let parameters = Parameters::insecure_toy();
    assert_eq!(parameters.security_level(), SecurityLevel::Insecure);
    check(&parameters);
}

#[test]
fn every_gate_at_full_size() {
    let parameters = Parameters::default_128();
    assert!(parameters.security_bits() >= 128.0 && parameters.log2_fail() <= -64.0);
    check(&parameters);
    let sure = Parameters::with_log2_fail(-128.0).unwrap();
    assert!(sure.security_bits() >= 128.0 && sure.log2_fail() <= -128.0);
    check(&sure);
}

#[test]
fn bits_come_apart_and_together() {
    let (secret, _) = parties(&Parameters::insecure_toy());
    let bits = secret.encrypt(&[true, false, true]);
    let parts = [2, 0, 1].map(|index| bits.bit(index).unwrap());
    let joined = EncryptedBits::join(&parts.each_ref()).unwrap();
    assert_eq!(secret.decrypt(&joined).unwrap(), [true, true, false]);
    assert!(bits.bit(3).is_err() && EncryptedBits::join(&[]).is_err());
}

#[test]
fn others_are_refused() {
    let toy = Parameters::insecure_toy();
    let ((secret, key), (other, _)) = (parties(&toy), parties(&toy));
    let (own, foreign) = (secret.encrypt(&[true]), other.encrypt(&[true]));
    let is_other = |error: Error| assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    is_other(key.gate(Gate::And, &own, &foreign, SILENT).unwrap_err());
    is_other(key.mux(&foreign, &own, &own, SILENT).unwrap_err());
    is_other(secret.decrypt(&foreign).unwrap_err());
    is_other(EncryptedBits::join(&[&own, &foreign]).unwrap_err());
    let full_size = SecretKey::generate(&Parameters::default_128()).encrypt(&[true]);
    let error = key.gate(Gate::And, &own, &full_size, SILENT).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");
    let error = key.gate(Gate::And, &own, &secret.encrypt(&[true; 2]), SILENT).unwrap_err();
    assert!(matches!(error, Error::Mismatch { .. }), "{error}");
    let stop = |_, _| ControlFlow::Break(());
    let error = key.gate(Gate::Or, &own, &own, Progress::new(&stop)).unwrap_err();
    assert!(matches!(error, Error::Cancelled { .. }), "{error}");
}

#[test]
fn keys_and_bits_come_back_from_bytes() {
    let secret = SecretKey::generate(&Parameters::insecure_toy());
    let (read, key) = from_files(&secret);
    let bits = EncryptedBits::from_bytes(&read.encrypt(&[true, false]).to_bytes()).unwrap();
    let result = key.gate(Gate::Nand, &bits, &!&bits, SILENT).unwrap();
    let result = EncryptedBits::from_bytes(&result.to_bytes()).unwrap();
    assert_eq!(secret.decrypt(&result).unwrap(), [true, true]);
    check_refusals(&bits.to_bytes(), 1, EncryptedBits::from_bytes);
    let full_size = Parameters::default_128();
    let read = Parameters::from_bytes(&full_size.to_bytes(), ReadOptions::default()).unwrap();
    assert_eq!(read.digest(), full_size.digest());
}
