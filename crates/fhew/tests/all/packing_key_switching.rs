//! Packing key switching, on toy parameters: values, noise, bad inputs, and FDFB-CancelSign by it.

use crate::common;

use common::{Setting, check_every_value, check_noise};
use cryptable_fhew::full_domain::{FdfbCancelSignPackingKs, FullDomainMethod};
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::packing::{PackedLength, PackingKey, SeededPackingKey, packing_key_words};
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral};
use cryptable_fhew::seeded_rows::{RowDomain, SeededRows};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Table};
use cryptable_ring::random::RandomStream;
use cryptable_ring::random::replay;
use cryptable_wire::{KeyId, ObjectType, WireError, write_object};
use rayon::prelude::*;

const LENGTHS: [PackedLength; 3] = [PackedLength::Constant, PackedLength::Half, PackedLength::All];

/// Digits that round nearly nothing away, so that the noise is that of rows.
const FINE: GadgetLiteral = GadgetLiteral { base_log2: 9, length: 5 };

/// Digits that leave half of Q: the noise is that of rounding.
const COARSE: GadgetLiteral = GadgetLiteral { base_log2: 6, length: 4 };

fn parameters(packing: GadgetLiteral) -> Parameters {
    Parameters::insecure(ParametersLiteral {
        lwe_dimension: 16,
        ring_degree: 256,
        rotation: GadgetLiteral { base_log2: 9, length: 5 }.into(),
        packing,
        ..*Parameters::insecure_toy().literal()
    })
    .unwrap()
}

/// A client and its packing key.
fn keys(packing: GadgetLiteral, length: PackedLength) -> (SecretKey, PackingKey) {
    let secret = SecretKey::generate(&parameters(packing));
    let key = PackingKey::expand(secret.parameters(), &secret.packing_key(length)).unwrap();
    (secret, key)
}

/// LWE of dimension N modulo Q of an unknown phase: every word is uniform.
fn uniform_lwe(parameters: &Parameters) -> LweCiphertext {
    let mut words = vec![0; parameters.ring_degree() + 1];
    RandomStream::from_os().uniform_assign(&mut words, parameters.prime());
    LweCiphertext::from_words(words, parameters.prime())
}

/// Squared errors of phases against what they should be, as fractions of Q².
fn squares(parameters: &Parameters, phase: &[u64], expected: &[u64]) -> Vec<f64> {
    let (m, q) = (parameters.modulus(), parameters.prime() as f64);
    let error = |(&w, &e): (&u64, &u64)| (m.center(m.sub(w, e)) as f64 / q).powi(2);
    phase.iter().zip(expected).map(error).collect()
}

fn assert_ratio(what: &str, squares: &[f64], predicted: Variance) {
    let ratio = squares.iter().sum::<f64>() / squares.len() as f64 / predicted.0;
    println!("{what}: measured/predicted {ratio:.3}");
    assert!((0.5..2.0).contains(&ratio), "{what}: measured/predicted {ratio}");
}

#[test]
fn packing_fills_coefficients_with_the_noise_of_the_formula() {
    let _replay = replay::begin();
    for (gadget, length) in [FINE, COARSE].into_iter().flat_map(|g| LENGTHS.map(|l| (g, l))) {
        let (secret, key) = keys(gadget, length);
        let parameters = key.parameters();
        let (n, model) = (parameters.ring_degree(), NoiseModel::new(parameters));
        let count = length.count(n);
        let errors: Vec<Vec<f64>> = (0..1000)
            .into_par_iter()
            .map(|sample| {
                let _part = replay::part(sample);
                let lwe = uniform_lwe(parameters);
                let mut expected = vec![secret.phase(&lwe).unwrap(); count];
                expected.resize(n, 0);
                squares(parameters, &secret.rlwe_phase(&key.pack(&lwe)), &expected)
            })
            .collect();
        let inside: Vec<f64> = errors.iter().flat_map(|e| &e[..count]).copied().collect();
        let what = format!("{gadget:?}, {length:?}");
        assert_ratio(&what, &inside, model.packing_key_switching());
        let outside: Vec<f64> = errors.iter().flat_map(|e| &e[count..]).copied().collect();
        if !outside.is_empty() {
            let predicted = model.packing_key_switching_elsewhere();
            assert_ratio(&format!("{what}, elsewhere"), &outside, predicted);
        }
    }
}

#[test]
fn one_key_packs_at_all_positions() {
    let _replay = replay::begin();
    let (secret, key) = keys(FINE, PackedLength::Constant);
    let parameters = key.parameters();
    let (n, model) = (parameters.ring_degree(), NoiseModel::new(parameters));
    let positions = [0, 1, 77, 128, n - 1];
    let errors: Vec<Vec<f64>> = (0..300)
        .into_par_iter()
        .map(|sample| {
            let _part = replay::part(sample);
            let inputs = positions.map(|position| (position, uniform_lwe(parameters)));
            let mut expected = vec![0; n];
            for (position, lwe) in &inputs {
                expected[*position] = secret.phase(lwe).unwrap();
            }
            let packed = key.pack_at(&inputs).unwrap();
            squares(parameters, &secret.rlwe_phase(&packed), &expected)
        })
        .collect();
    let digits = model.packing_key_switching_elsewhere();
    let others = digits * (positions.len() - 1) as f64;
    let filled: Vec<f64> = errors.iter().flat_map(|e| positions.map(|x| e[x])).collect();
    assert_ratio("filled", &filled, others + model.packing_key_switching());
    let all: Vec<f64> = errors.concat();
    assert_ratio("all", &all, others + digits);
}

#[test]
fn positions_are_monomials_and_meeting_values_add_up() {
    let (_, key) = keys(FINE, PackedLength::Half);
    let ring = key.parameters().ring();
    let [low, high] = [(); 2].map(|()| uniform_lwe(key.parameters()));
    let mut expected = key.pack(&low);
    expected.add_assign(ring, &key.pack(&high).times_monomial(ring, 100));
    assert_eq!(key.pack_at(&[(0, low), (100, high)]).unwrap(), expected);
    assert!(key.pack_at(&[]).unwrap().words().iter().all(|&word| word == 0));
}

#[test]
fn bad_inputs_are_errors() {
    let (secret, key) = keys(FINE, PackedLength::Half);
    let parameters = key.parameters();
    let (n, q) = (parameters.ring_degree(), parameters.prime());
    let lwe = uniform_lwe(parameters);
    let position = key.pack_at(&[(n / 2 + 1, lwe)]).unwrap_err();
    assert!(matches!(position, Error::Parameter { name: "position", .. }), "{position}");
    for (bad, name) in [
        (LweCiphertext::trivial(n / 2, q, 1), "dimension"),
        (LweCiphertext::trivial(n, q - 2, 1), "modulus"),
    ] {
        let error = key.pack_at(&[(0, bad)]).unwrap_err();
        assert!(
            matches!(&error, Error::Mismatch { name: found, .. } if found.ends_with(name)),
            "{error}"
        );
    }
    let seeded = secret.packing_key(PackedLength::All);
    let expand = |bodies: &[u64], domain| {
        let rows = SeededRows::new(domain, bodies.to_vec());
        let damaged = SeededPackingKey { rows, ..seeded.clone() };
        PackingKey::expand(parameters, &damaged)
    };
    let bodies = seeded.rows.bodies();
    assert!(expand(bodies, RowDomain::PackingAll).is_ok());
    assert!(expand(bodies, RowDomain::PackingHalf).is_err());
    assert!(expand(&bodies[1..], RowDomain::PackingAll).is_err());
    assert!(expand(&[&bodies[1..], &[q]].concat(), RowDomain::PackingAll).is_err());
}

#[test]
fn keys_come_back_from_bytes() {
    let parameters = Parameters::insecure(ParametersLiteral {
        lwe_dimension: 8,
        ring_degree: 32,
        rotation: GadgetLiteral { base_log2: 9, length: 5 }.into(),
        packing: COARSE,
        ..*Parameters::insecure_toy().literal()
    })
    .unwrap();
    let secret = SecretKey::generate(&parameters);
    let client = secret.id("a test");
    for length in LENGTHS {
        let key = secret.packing_key(length);
        let mut bytes = Vec::new();
        key.write(&parameters, client, &mut bytes).unwrap();
        // Rows of 32 words of 47 bits, and 156 bytes of headers, checksum, seed and numbers.
        let bits = 32 * COARSE.length * 32 * (parameters.prime().ilog2() as usize + 1);
        assert_eq!(bytes.len(), bits / 8 + 156);
        let read = |bytes: &[u8]| SeededPackingKey::from_bytes(&parameters, client, bytes);
        assert_eq!(read(&bytes).as_ref(), Ok(&key));
        for end in (0..bytes.len()).step_by(97) {
            assert!(read(&bytes[..end]).is_err(), "length {end}");
        }
        for bit in (0..8 * bytes.len()).step_by(61) {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "bit {bit}");
        }
        let other = SecretKey::generate(&parameters).id("a test");
        let error = SeededPackingKey::from_bytes(&parameters, other, &bytes).unwrap_err();
        assert!(error.to_string().contains("client key identifier"), "{error}");
        let toy = Parameters::insecure_toy();
        let error = SeededPackingKey::from_bytes(&toy, client, &bytes).unwrap_err();
        assert!(matches!(error, WireError::ParameterMismatch { .. }), "{error}");
        // A key of other parameters is not written.
        assert!(key.write(&toy, client, &mut Vec::new()).is_err());
    }
}

/// A packing key of the toy with a right checksum around any body.
fn read_body(parameters: &Parameters, body: &[u8]) -> Result<SeededPackingKey, WireError> {
    let mut bytes = Vec::new();
    write_object(&mut bytes, ObjectType::PackingKey, &parameters.digest(), body).unwrap();
    SeededPackingKey::from_bytes(parameters, KeyId([0; 16]), &bytes)
}

#[test]
fn hostile_fields_behind_a_right_checksum_are_refused() {
    let parameters = Parameters::insecure_toy();
    let body = |number: u32, packed: u64| {
        let mut body = vec![0; 16];
        body.extend(number.to_le_bytes());
        body.extend([0; 32]);
        body.extend(packed.to_le_bytes());
        body
    };
    let error = |body: &[u8]| read_body(&parameters, body).unwrap_err().to_string();
    assert!(error(&body(3, 0)).contains("packed length"));
    assert!(error(&body(0, 0)).contains("packed words"));
    assert!(error(&body(0, u64::MAX)).contains("cut short"));
    let bytes =
        cryptable_wire::packed_field_bytes(packing_key_words(&parameters), parameters.prime()) - 8;
    let mut full = body(1, bytes);
    full.resize(full.len() + bytes as usize, 0xff);
    assert!(error(&full).contains("but must be below"));
    full.push(0);
    assert!(read_body(&parameters, &full).is_err());
}

#[test]
fn wide_digits_are_refused() {
    let packing = GadgetLiteral { base_log2: 33, length: 1 };
    let literal = ParametersLiteral { packing, ..*Parameters::insecure_toy().literal() };
    assert!(Parameters::insecure(literal).is_err());
}

#[test]
fn keys_have_the_bytes_of_their_rows() {
    let (secret, key) = keys(COARSE, PackedLength::All);
    let seeded = secret.packing_key(PackedLength::All);
    let rows = 256 * COARSE.length;
    assert_eq!(key.bytes(), rows * 2 * 256 * 8);
    assert_eq!(seeded.rows.bodies().len(), rows * 256);
}

#[test]
fn cancel_sign_by_packing_key_switching() {
    let _replay = replay::begin();
    let setting = Setting::new(&parameters(FINE));
    let expand = |length| {
        PackingKey::expand(setting.parameters(), &setting.secret.packing_key(length)).unwrap()
    };
    let all = expand(PackedLength::All);
    let method = FdfbCancelSignPackingKs { packing_key: &all };
    check_every_value(&setting, &method, &[4, 8, 6]);
    check_noise(&setting, &method, 8, 120);
    let half = expand(PackedLength::Half);
    let table = Table::from_fn(4, 4, |x| x).unwrap();
    let input = setting.secret.encrypt(1, 4).unwrap();
    let method = FdfbCancelSignPackingKs { packing_key: &half };
    let error = method.lookup(&setting.key, &table, &input).unwrap_err();
    assert!(matches!(error, Error::MissingKey { .. }), "{error}");
}
