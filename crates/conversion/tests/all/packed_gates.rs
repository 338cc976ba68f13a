//! Tests of FHEW gates on packed bits: all gates in rounds, noise from both sides, and refusals; full size on demand.

use cryptable_bits::{Packing, Parameters as PackedParameters};
use cryptable_conversion::{
    ExtractionKey, PackedGates, PackedGatesSecret, Parameters as ConversionParameters,
    ParametersLiteral, RingPackingKey, SeededExtractionKey, SeededRingPackingKey,
};
use cryptable_fhew::booleans::{EncryptedBits, Gate, Parameters, SecretKey};
use cryptable_lattice::lwe_encryption::phase;
use cryptable_lattice::{Error, Progress};
use cryptable_ring::random::{RandomStream, replay};

fn random_bits(count: usize) -> Vec<bool> {
    let mut words = vec![0; count];
    RandomStream::from_os().uniform_assign(&mut words, 2);
    words.iter().map(|&word| word == 1).collect()
}

/// Returns the errors of phases, as fractions of the modulus.
fn errors(secret: &SecretKey, bits: &EncryptedBits, expected: &[bool]) -> Vec<f64> {
    let (list, lwe) = (bits.values(), secret.fhew().lwe_coefficients());
    let q = list.shape().modulus as f64;
    let error = |(i, &bit): (usize, &bool)| {
        let error = phase(lwe, &list.ciphertext(i)) as f64 / q - if bit { 0.125 } else { -0.125 };
        error - error.round()
    };
    expected.iter().enumerate().map(error).collect()
}

fn server(secret: &SecretKey, packed: &PackedParameters) -> PackedGates {
    let gates = PackedGatesSecret::generate(secret, packed).unwrap();
    gates.packed_gates(Progress::silent()).unwrap()
}

/// Checks rounds of gates on results of the two previous rounds. Returns log2 of the ratio of measured to predicted
/// deviation.
fn check_rounds(secret: &SecretKey, server: &PackedGates, count: usize, rounds: usize) -> f64 {
    let mut plain = [random_bits(count), random_bits(count)];
    let mut bits = plain.each_ref().map(|plain| secret.encrypt(plain));
    let (mut squares, mut checked) = (0.0, 0);
    for round in 0..rounds {
        let gate = Gate::ALL[round % Gate::ALL.len()];
        let result = server.gate(gate, &bits[0], &bits[1], Progress::silent()).unwrap();
        let pairs = plain[0].iter().zip(&plain[1]);
        let expected: Vec<bool> = pairs.map(|(&x, &y)| gate.apply(x, y)).collect();
        assert_eq!(secret.decrypt(&result).unwrap(), expected, "{gate:?} in round {round}");
        for error in errors(secret, &result, &expected) {
            assert!(error.abs() < server.noise().largest(), "{gate:?} in round {round}: {error}");
            squares += error * error;
            checked += 1;
        }
        // One input is fresh in every round, since gates of two results become practically constant after some rounds.
        let fresh = random_bits(count);
        bits = [result, secret.encrypt(&fresh)];
        plain = [expected, fresh];
    }
    let measured = (squares / f64::from(checked)).sqrt();
    println!("{checked} results: 2^{:.2} of the modulus, at most", measured.log2());
    (measured / server.noise().deviation()).log2()
}

#[test]
fn all_gates_in_rounds() {
    let _replay = replay::begin();
    for packing in [Packing::Real, Packing::Complex, Packing::Sparse(64)] {
        let secret = SecretKey::generate(&Parameters::insecure_toy());
        let server = server(&secret, &PackedParameters::insecure_toy(packing).unwrap());
        // More bits than one half bootstrap holds.
        let count = server.bits_at_once() + 5;
        let ratio = check_rounds(&secret, &server, count, 12);
        assert!((-0.8..0.2).contains(&ratio), "{packing:?}: 2^{ratio:.2} of the prediction");
        assert!(
            server
                .gate(Gate::And, &secret.encrypt(&[]), &secret.encrypt(&[]), Progress::silent())
                .unwrap()
                .count()
                == 0
        );
    }
}

#[test]
fn keys_come_from_files() {
    let secret = SecretKey::generate(&Parameters::insecure_toy());
    let packed = PackedParameters::insecure_toy(Packing::Real).unwrap();
    let gates = PackedGatesSecret::generate(&secret, &packed).unwrap();
    let (mut packing, mut extraction, mut ring) = (Vec::new(), Vec::new(), Vec::new());
    gates.packing_key().unwrap().write(&mut packing).unwrap();
    gates.extraction_key().unwrap().write(&mut extraction).unwrap();
    gates.ring().write_evaluation_key(&mut ring, Progress::silent()).unwrap();
    let (parameters, clients) = (gates.parameters(), gates.clients());
    let options = cryptable_lattice::ReadOptions::default().allow_insecure();
    let ring = std::sync::Arc::new(ring);
    let server = PackedGates::new(
        secret.parameters(),
        cryptable_bits::EvaluationKey::from_shared(ring.clone(), options).unwrap(),
        RingPackingKey::expand(
            &SeededRingPackingKey::from_bytes(parameters, clients, &packing).unwrap(),
        ),
        ExtractionKey::expand(
            &SeededExtractionKey::from_bytes(parameters, clients, &extraction).unwrap(),
        ),
    )
    .unwrap();
    let (x, y) = (secret.encrypt(&[true, false]), secret.encrypt(&[true, true]));
    let result = server.gate(Gate::Xnor, &x, &y, Progress::silent()).unwrap();
    assert_eq!(secret.decrypt(&result).unwrap(), [true, false]);

    // Keys of another ring, bits of another client, unequal numbers of bits and equal ciphertexts are refused.
    let other = PackedGatesSecret::generate(&secret, &packed).unwrap();
    let foreign = PackedGates::new(
        secret.parameters(),
        cryptable_bits::EvaluationKey::from_shared(ring, options).unwrap(),
        RingPackingKey::expand(&other.packing_key().unwrap()),
        ExtractionKey::expand(&other.extraction_key().unwrap()),
    );
    assert!(matches!(foreign, Err(Error::OtherClient { .. })), "{foreign:?}");
    let gate = |x: &EncryptedBits, y: &EncryptedBits| {
        server.gate(Gate::And, x, y, Progress::silent()).map(|bits| bits.count())
    };
    let stranger = SecretKey::generate(&Parameters::insecure_toy()).encrypt(&[true, true]);
    assert!(matches!(gate(&x, &stranger), Err(Error::OtherClient { .. })));
    assert!(matches!(gate(&x, &secret.encrypt(&[true])), Err(Error::Mismatch { .. })));
    assert!(matches!(gate(&x, &x), Err(Error::Mismatch { .. })));
}

#[test]
fn noise_that_grows_is_refused() {
    for packing in [Packing::Complex, Packing::Sparse(256)] {
        check_noise_of_full_size(&PackedParameters::cleaning_128(packing).unwrap());
    }
}

fn check_noise_of_full_size(packed: &PackedParameters) {
    let (degree, bottom) = (packed.literal().ring_degree, packed.bottom_prime());
    let noise = |gates: &Parameters| {
        let literal = ParametersLiteral::between_128(gates.fhew(), degree, bottom);
        let conversion = ConversionParameters::new(literal).unwrap();
        let (own, common) = (conversion.extraction_noise(), conversion.packing_noise());
        packed.noise_of_rounds(own.into(), common.into())
    };
    // Modulo 2^16, extraction leaves four times the noise of 2^18.
    let refused = noise(&Parameters::default_128());
    assert!(matches!(refused, Err(Error::NoiseTooLarge { .. })), "{refused:?}");
    let finer = Parameters::with_log2_fail(-128.0).unwrap();
    assert_eq!(finer.fhew().literal().log2_lwe_modulus, 18);
    // The margin of a sum of two is 1/16.
    let largest = noise(&finer).unwrap().largest();
    assert!(largest < 1.0 / 16.0, "{largest}");
}

#[test]
#[ignore = "full size: a minute and 1.2 GB"]
fn full_size() {
    let secret = SecretKey::generate(&Parameters::with_log2_fail(-128.0).unwrap());
    for packing in [Packing::Complex, Packing::Sparse(256)] {
        let packed = PackedParameters::cleaning_128(packing).unwrap();
        let server = server(&secret, &packed);
        assert!(server.security_bits() >= 128.0 && server.log2_fail() <= -80.0);
        let ratio = check_rounds(&secret, &server, server.bits_at_once(), 12);
        assert!((-0.4..0.2).contains(&ratio), "{packing:?}: 2^{ratio:.2} of the prediction");
    }
}
