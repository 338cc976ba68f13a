//! Keys and ciphertexts of bits as files: round trips, and files that are damaged, foreign, cut off or too large.

use crate::common;

use std::sync::Arc;

use common::{Setup, gate, setup};
use cryptable_bits::{
    EncryptedBits, EvaluationKey, Gate, Packing, Parameters, PublicKey, RlweInput, SecretKey,
};
use cryptable_lattice::RlweCiphertext;
use cryptable_lattice::damaged_files::{check_refusals, forged};
use cryptable_lattice::noise_bound::NoiseBound;
use cryptable_lattice::{Error, Progress, ReadOptions};
use cryptable_ring::{Basis, Poly, Ring};
use cryptable_wire::{HEADER_BYTES, KeyId, WireError};

fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// The smallest parameters: files of a few megabytes.
fn small(packing: Packing) -> Parameters {
    let mut literal = Parameters::insecure_toy(packing).unwrap().literal().clone();
    literal.ring_degree = 256;
    literal.slots_to_coeffs.stages = vec![4, 3];
    literal.coeffs_to_slots.stages = vec![4, 3];
    Parameters::new(literal).unwrap()
}

#[test]
fn files_are_read_again() {
    for packing in [Packing::Real, Packing::Complex] {
        let parameters = small(packing);
        assert_eq!(
            Parameters::from_bytes(&parameters.to_bytes(), toys()).unwrap().digest(),
            parameters.digest()
        );
        let Setup { secret, server, x, y } = setup(&parameters);
        let again = SecretKey::from_bytes(&secret.to_bytes(), toys()).unwrap();
        assert_eq!(again.id(), secret.id());
        let mut file = Vec::new();
        again.write_evaluation_key(&mut file, Progress::silent()).unwrap();
        let read = EvaluationKey::from_shared(Arc::new(file), toys()).unwrap();
        assert_eq!(read.key_id(), secret.id());
        let a = secret.encrypt(&x).unwrap();
        let b = again.encrypt(&y).unwrap();
        for bits in [&a, &server.gate(Gate::Or, &a, &b).unwrap(), &server.bin_boot(&a).unwrap()] {
            let bytes = bits.to_bytes(&parameters).unwrap();
            let found = EncryptedBits::from_bytes(&parameters, &bytes).unwrap();
            assert_eq!(found.noise(), bits.noise());
            assert_eq!(found.to_bytes(&parameters).unwrap(), bytes);
            assert_eq!(again.decrypt(&found).unwrap(), secret.decrypt(bits).unwrap());
        }
        let values = server.to_coefficients(&a, 4).unwrap();
        let bytes = values.to_bytes(&parameters).unwrap();
        let found = RlweInput::from_bytes(&parameters, &bytes).unwrap();
        assert_eq!((found.modulus(), found.count(), found.noise()), (4, x.len(), values.noise()));
        assert_eq!(found.to_bytes(&parameters).unwrap(), bytes);
        let bit = read.half_gate_boot(Gate::Or, &found).unwrap();
        assert_eq!(secret.decrypt(&bit).unwrap(), x);
        let result = read.gate_boot(Gate::Nand, &a, &b).unwrap();
        assert_eq!(secret.decrypt(&result).unwrap(), gate(Gate::Nand, &x, &y));
    }
}

#[test]
fn damaged_files_are_refused() {
    let parameters = small(Packing::Real);
    let Setup { secret, x, .. } = setup(&parameters);
    let bits = secret.encrypt(&x).unwrap().to_bytes(&parameters).unwrap();
    let values = known_values(&parameters).to_bytes(&parameters).unwrap();
    let key = secret.to_bytes();
    let mut server = Vec::new();
    secret.write_evaluation_key(&mut server, Progress::silent()).unwrap();
    type Read<'a> = (&'a [u8], &'a dyn Fn(&[u8]) -> Result<(), Error>);
    let readers: [Read<'_>; 4] = [
        (&bits, &|bytes| EncryptedBits::from_bytes(&parameters, bytes).map(drop)),
        (&values, &|bytes| RlweInput::from_bytes(&parameters, bytes).map(drop)),
        (&key, &|bytes| SecretKey::from_bytes(bytes, toys()).map(drop)),
        (&server, &|bytes| EvaluationKey::from_shared(Arc::new(bytes.to_vec()), toys()).map(drop)),
    ];
    for (index, (bytes, read)) in readers.iter().enumerate() {
        check_refusals(bytes, bytes.len() / 2, |bytes| {
            read(bytes).map_err(|error| assert!(matches!(error, Error::Wire(_)), "{error}"))
        });
        // Another kind of file.
        let (other, _) = readers[(index + 1) % 4];
        let is_other = matches!(read(other), Err(Error::Wire(WireError::WrongType { .. })));
        assert!(is_other, "reader {index}");
    }
}

#[test]
fn what_may_not_be_read_is_refused() {
    let parameters = small(Packing::Real);
    let Setup { secret, x, .. } = setup(&parameters);
    let strict = ReadOptions::default();
    assert!(matches!(SecretKey::from_bytes(&secret.to_bytes(), strict), Err(Error::Insecure)));
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Progress::silent()).unwrap();
    let shared: Arc<Vec<u8>> = Arc::new(file);
    assert!(matches!(EvaluationKey::from_shared(shared.clone(), strict), Err(Error::Insecure)));
    let little = toys().max_memory(1 << 20);
    let error = EvaluationKey::from_shared(shared, little);
    assert!(matches!(error, Err(Error::ReadingMemory { .. })));
    // Bits of other parameters, both ways.
    let other = small(Packing::Complex);
    let bits = secret.encrypt(&x).unwrap();
    assert!(matches!(bits.to_bytes(&other), Err(Error::OtherParameters { .. })));
    let bytes = bits.to_bytes(&parameters).unwrap();
    assert!(matches!(
        EncryptedBits::from_bytes(&other, &bytes),
        Err(Error::OtherParameters { .. })
    ));
}

/// Numbers that a file may claim with a right checksum.
#[test]
fn forged_numbers_are_refused() {
    let parameters = small(Packing::Real);
    let Setup { secret, x, .. } = setup(&parameters);
    let bytes = secret.encrypt(&x).unwrap().to_bytes(&parameters).unwrap();
    let forged = |at: usize, value: [u8; 8]| {
        let forged = forged(&bytes, |body| body[at..][..8].copy_from_slice(&value));
        EncryptedBits::from_bytes(&parameters, &forged).map(drop)
    };
    let count = 16;
    assert!(forged(count, 5u64.to_le_bytes()).is_ok());
    let refused = |at, value| assert!(matches!(forged(at, value), Err(Error::Wire(_))));
    refused(count, 129u64.to_le_bytes());
    refused(count, u64::MAX.to_le_bytes());
    for part in (24..80).step_by(8) {
        for value in [f64::NAN, -1.0, -0.0, 0.6, f64::INFINITY] {
            refused(part, value.to_le_bytes());
        }
    }
    // Too little noise, and too much.
    assert!(matches!(forged(24, 1e-12f64.to_le_bytes()), Err(Error::Mismatch { .. })));
    assert!(matches!(forged(24, 0.2f64.to_le_bytes()), Err(Error::NoiseTooLarge { .. })));
    for limbs in [0, 1, 2, 3, 6, u64::MAX] {
        refused(80, limbs.to_le_bytes());
    }
    // A word that is not below its prime.
    refused(96, u64::MAX.to_le_bytes());
}

/// Values that no key decrypts: words from 0 on, three values modulo 4.
fn known_values(parameters: &Parameters) -> RlweInput {
    let ring = Ring::new(parameters.literal().ring_degree, &[parameters.bottom_prime()], &[]);
    let poly = |first: u64| {
        let words = (first..first + ring.degree() as u64).collect();
        Poly::from_words(&ring, Basis::main(1), words)
    };
    let ciphertext = RlweCiphertext { c0: poly(0), c1: poly(7) };
    let noise = NoiseBound::new(2f64.powi(-9), 2f64.powi(-10));
    RlweInput::new(parameters, KeyId([5; 16]), ciphertext, 3, 4, noise).unwrap()
}

#[test]
fn values_in_coefficients_are_written_as_ever() {
    let parameters = small(Packing::Real);
    let bytes = known_values(&parameters).to_bytes(&parameters).unwrap();
    let body = &bytes[HEADER_BYTES..];
    let word = |at: usize| u64::from_le_bytes(body[at..at + 8].try_into().unwrap());
    assert_eq!((&body[..16], word(16), word(24)), (&[5; 16][..], 3, 4));
    let noise: Vec<f64> = (32..88).step_by(8).map(|at| f64::from_bits(word(at))).collect();
    assert_eq!(noise, [2f64.powi(-9), 0.0, 0.0, 0.0, 0.0, 2f64.powi(-10), 2f64.powi(-10)]);
    // 256 words of 23 bits, twice, behind their lengths.
    assert_eq!((word(88), body.len()), (736, 88 + 2 * (8 + 736) + 32));
    let words = blake3::hash(&body[..body.len() - 32]);
    assert_eq!(
        words.to_hex().as_str(),
        "8c17aacb13388f2f6d38f3ab0b37a94b170e60f250370e5a8aaf9087433f0f8a"
    );
}

#[test]
fn forged_values_in_coefficients_are_refused() {
    let parameters = small(Packing::Real);
    let bytes = known_values(&parameters).to_bytes(&parameters).unwrap();
    let forged_values = |at: usize, value: &[u8]| {
        let forged = forged(&bytes, |body| body[at..][..value.len()].copy_from_slice(value));
        RlweInput::from_bytes(&parameters, &forged).map(drop)
    };
    let forged = |at, value: [u8; 8]| forged_values(at, &value);
    let refused = |at, value| assert!(matches!(forged(at, value), Err(Error::Wire(_))));
    assert!(forged(16, 128u64.to_le_bytes()).is_ok() && forged(24, 16u64.to_le_bytes()).is_ok());
    refused(16, 129u64.to_le_bytes());
    for modulus in [0, 1, 17, u64::MAX] {
        refused(24, modulus.to_le_bytes());
    }
    for part in (32..88).step_by(8) {
        for value in [f64::NAN, -1.0, -0.0, 0.6, f64::INFINITY] {
            refused(part, value.to_le_bytes());
        }
    }
    refused(96, u64::MAX.to_le_bytes());
    // Less noise than a rounding to q_0 leaves.
    let found = forged_values(32, &[0; 56]);
    assert!(matches!(found, Err(Error::Mismatch { .. })));
    let other = small(Packing::Complex);
    let found = RlweInput::from_bytes(&other, &bytes);
    assert!(matches!(found, Err(Error::OtherParameters { .. })));
}

/// Bits of public keys have the noise that they state, at any level, and work in gates and bootstraps.
#[test]
fn public_keys_encrypt_bits_of_any_level() {
    for packing in [Packing::Real, Packing::Complex, Packing::Sparse(64)] {
        let parameters = Parameters::insecure_toy(packing).unwrap();
        let secret = SecretKey::generate(&parameters);
        let file = secret.public_key().unwrap().to_bytes();
        let public = PublicKey::from_bytes(&file, toys()).unwrap();
        assert_eq!((public.to_bytes(), public.id()), (file.clone(), secret.id()));
        assert!(PublicKey::from_bytes(&file, ReadOptions::default()).is_err());
        assert!(PublicKey::from_bytes(&file[..file.len() - 1], toys()).is_err());
        let bits: Vec<bool> = (0..parameters.bits()).map(|i| i % 3 == 1).collect();
        for levels in 0..=parameters.levels_after_bootstrap() {
            let found = public.encrypt_at(&bits, levels).unwrap();
            assert_eq!((found.levels(), found.noise()), (levels, parameters.public_noise()));
            assert_eq!(secret.decrypt(&found).unwrap(), bits);
            let read = found.to_bytes(&parameters).unwrap();
            assert_eq!(EncryptedBits::from_bytes(&parameters, &read).unwrap().levels(), levels);
            // The prediction is for the least scale; larger ones have less noise.
            let errors = common::errors(&secret, &found, &bits);
            common::check_noise("public key", errors, found.noise(), -14.0..0.2);
        }
        let server = secret.evaluation_key(Progress::silent()).unwrap();
        let x = public.encrypt(&bits).unwrap();
        let y = secret.encrypt(&bits).unwrap();
        let nand: Vec<bool> = bits.iter().map(|&bit| !bit).collect();
        for found in [server.gate(Gate::Nand, &x, &y), server.gate_boot(Gate::Nand, &x, &y)] {
            assert_eq!(secret.decrypt(&found.unwrap()).unwrap(), nand);
        }
        let many = vec![true; parameters.bits() + 1];
        assert!(matches!(public.encrypt(&many), Err(Error::TooLarge { .. })));
    }
}
