//! Private switching keys as bytes: round trips and damage.

use std::sync::Arc;

use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::parameters::{GadgetLiteral, ParametersLiteral};
use cryptable_lattice::{Error, ReadOptions, SecurityLevel};
use cryptable_leveled::aes::EvaluationKey;
use cryptable_leveled::keys::IDENTIFIER;
use cryptable_leveled::parameters::{
    CircuitBootstrappingLiteral, CircuitBootstrappingParameters, ParameterSet,
};
use cryptable_papers::tfhe_baseline::{
    PrivateFunction, PrivateKeyForm, PrivateSwitchingKey, SeededPrivateSwitchingKey, TfheParameters,
};
use cryptable_wire::{BodyWriter, ObjectType, WireError, write_object};

/// What readers of toys need.
fn insecure() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// A ring of degree 64, so that private switching keys are tens of kilobytes.
fn private_parameters(digits: (u32, usize), form: PrivateKeyForm) -> TfheParameters {
    let literal = ParameterSet::Aes128.literal();
    let fhew = ParametersLiteral {
        lwe_dimension: 16,
        ring_degree: 64,
        intermediate: None,
        ..literal.fhew
    };
    let rgsw = GadgetLiteral { base_log2: 7, length: 2 };
    let security = SecurityLevel::Insecure;
    let literal = CircuitBootstrappingLiteral { security, rgsw, fhew, ..literal };
    let circuit = CircuitBootstrappingParameters::new(literal).unwrap();
    let (base_log2, length) = digits;
    TfheParameters::new(&circuit, GadgetLiteral { base_log2, length }, form).unwrap()
}

/// A private switching key and its bytes.
fn private_key(
    secret: &SecretKey,
    parameters: &TfheParameters,
) -> (SeededPrivateSwitchingKey, Vec<u8>) {
    let key = SeededPrivateSwitchingKey::generate(parameters, secret);
    let mut bytes = Vec::new();
    key.write(parameters, &mut bytes).unwrap();
    (key, bytes)
}

#[test]
fn private_switching_keys_come_back() {
    let forms = [((20, 1), PrivateKeyForm::Products), ((3, 2), PrivateKeyForm::Precomputed)];
    for (digits, form) in forms {
        let parameters = private_parameters(digits, form);
        let secret = SecretKey::generate(parameters.circuit_bootstrapping().fhew());
        let (key, bytes) = private_key(&secret, &parameters);
        let overhead = bytes.len() as u64 - parameters.key_file_bytes();
        assert!((200..1200).contains(&overhead), "{overhead} bytes");
        let (read_parameters, read) =
            SeededPrivateSwitchingKey::from_bytes(&bytes, insecure()).unwrap();
        assert!(read == key && read_parameters == parameters);
        let expanded = PrivateSwitchingKey::from_bytes(&bytes, insecure()).unwrap();
        let strict = PrivateSwitchingKey::from_bytes(&bytes, ReadOptions::default());
        assert!(matches!(strict.unwrap_err(), Error::Insecure));
        assert_eq!(expanded.key_id(), secret.id(IDENTIFIER));
        let bits = [cryptable_leveled::bootstrapping::encrypt_bit(&secret, true)];
        let direct = PrivateSwitchingKey::expand(&parameters, &key).unwrap();
        for function in PrivateFunction::ALL {
            let switched = [&expanded, &direct].map(|key| key.switch(function, &bits).unwrap());
            assert_eq!(switched[0], switched[1]);
        }
        // A key of other parameters is not written.
        let other = private_parameters((4, 3), form);
        assert!(key.write(&other, &mut Vec::new()).is_err());
    }
}

#[test]
fn damaged_private_switching_keys_are_refused() {
    let parameters = private_parameters((21, 1), PrivateKeyForm::Products);
    let secret = SecretKey::generate(parameters.circuit_bootstrapping().fhew());
    let (_, bytes) = private_key(&secret, &parameters);
    for length in (0..700).chain((700..bytes.len()).step_by(997)) {
        assert!(
            PrivateSwitchingKey::from_bytes(&bytes[..length], insecure()).is_err(),
            "length {length}"
        );
    }
    for bit in (0..8 * 700).step_by(7).chain((8 * 700..8 * bytes.len()).step_by(4999)) {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(PrivateSwitchingKey::from_bytes(&damaged, insecure()).is_err(), "bit {bit}");
    }
    assert!(EvaluationKey::from_shared(Arc::new(bytes.clone()), insecure()).is_err());

    // Behind right checksums: other digests, absurd numbers, rows that are not below Q, or missing.
    let object = |digest: [u8; 32], numbers: &[u8], rest: &[u8]| {
        let mut writer = BodyWriter::new(Vec::new());
        writer.bytes(numbers).unwrap();
        writer.raw(rest).unwrap();
        let mut bytes = Vec::new();
        let body = writer.into_inner();
        write_object(&mut bytes, ObjectType::PrivateSwitchingKey, &digest, &body).unwrap();
        PrivateSwitchingKey::from_bytes(&bytes, insecure()).unwrap_err()
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
