//! Tests of packing and extraction on toys: phases, noise from both sides, layouts, and refusals.

use std::sync::LazyLock;

use cryptable_ckks::encryption::decrypt_coefficients;
use cryptable_conversion::{
    Clients, EncryptedPhases, ExtractionKey, Parameters, ParametersLiteral, RingPackingKey,
    Secrets, SeededExtractionKey, SeededRingPackingKey,
};
use cryptable_fhew::booleans;
use cryptable_fhew::gates;
use cryptable_fhew::noise::NoiseModel;
use cryptable_fhew::parameters::{
    GadgetLiteral, Parameters as FhewParameters, ParametersLiteral as FhewLiteral,
};
use cryptable_lattice::ReadOptions;
use cryptable_lattice::damaged_files::check_refusals;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_encryption::{encrypt_phase, phase};
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::random::{RandomStream, replay};
use cryptable_wire::KeyId;

const DEGREE: usize = 1 << 10;

const CLIENTS: Clients = Clients { lwe: KeyId([1; 16]), ring: KeyId([2; 16]) };

/// Both secrets and their keys.
struct Toy {
    parameters: Parameters,
    lwe: Vec<i8>,
    ring: TernarySecret,
    packing: SeededRingPackingKey,
    extraction: SeededExtractionKey,
}

impl Toy {
    fn new(parameters: Parameters, lwe: Vec<i8>) -> Self {
        let ring = TernarySecret::uniform(DEGREE);
        let secrets = Secrets { lwe: &lwe, ring: &ring, clients: CLIENTS };
        let packing = secrets.packing_key(&parameters).unwrap();
        let extraction = secrets.extraction_key(&parameters).unwrap();
        Self { parameters, lwe, ring, packing, extraction }
    }

    fn of(log2_lwe_modulus: u32, lwe_dimension: usize) -> Self {
        let parameters = Parameters::new(literal(log2_lwe_modulus, lwe_dimension)).unwrap();
        let mut bits = vec![0; lwe_dimension];
        RandomStream::from_os().uniform_assign(&mut bits, 2);
        Self::new(parameters, bits.iter().map(|&bit| bit as i8).collect())
    }

    fn encrypt(&self, phases: &[u64]) -> LweList {
        let shape = self.parameters.lwe_shape();
        let encrypt = |&phase: &u64| encrypt_phase(&self.lwe, phase, shape.modulus);
        LweList::computed(shape, phases.iter().map(encrypt)).unwrap()
    }

    /// Returns the phases of all coefficients, as fractions of q_0.
    fn fractions(&self, phases: &EncryptedPhases) -> Vec<f64> {
        let ring = self.parameters.bottom_ring();
        let coefficients = decrypt_coefficients(ring, &self.ring, phases.ciphertext());
        coefficients.iter().map(|x| x / ring.main_prime(0) as f64).collect()
    }

    /// Returns the phases of LWE ciphertexts, as fractions of q.
    fn lwe_fractions(&self, list: &LweList) -> Vec<f64> {
        let q = self.parameters.lwe_shape().modulus as f64;
        let fraction = |i| phase(&self.lwe, &list.ciphertext(i)) as f64 / q;
        (0..list.len()).map(fraction).collect()
    }
}

fn literal(log2_lwe_modulus: u32, lwe_dimension: usize) -> ParametersLiteral {
    let numbers = *FhewParameters::insecure_toy().literal();
    let numbers = FhewLiteral { lwe_dimension, log2_lwe_modulus, ..numbers };
    let key_switching = GadgetLiteral { base_log2: 3, length: 4 };
    let single = FhewParameters::insecure(FhewLiteral { key_switching, ..numbers });
    let bottom = ntt_primes(DEGREE, 28.0, 1, &[])[0];
    ParametersLiteral::insecure_between(&single.unwrap(), DEGREE, bottom)
}

/// Draws a uniform phase for each value.
fn random_phases(count: usize, modulus: u64) -> Vec<u64> {
    let mut phases = vec![0; count];
    RandomStream::from_os().uniform_assign(&mut phases, modulus);
    phases
}

fn variance(errors: impl Iterator<Item = f64>) -> f64 {
    let squares: Vec<f64> = errors.map(|e| (e - e.round()).powi(2)).collect();
    squares.iter().sum::<f64>() / squares.len() as f64
}

/// Number of keys with which noise is measured.
const KEYS: i32 = 16;

/// Checks a measured variance against a prediction. Thousands of errors of a key are practically independent, and all
/// coefficients share them: 16 keys of 1,024 coefficients each estimate a variance to within 1.3 % (standard
/// deviation), so 7 % on either side is five deviations.
fn check_ratio(name: &str, measured: f64, predicted: f64) {
    let ratio = measured / predicted;
    println!("{name}: {ratio:.4} of the predicted 2^{:.1}", predicted.sqrt().log2());
    assert!((0.93..1.07).contains(&ratio), "{name}: {ratio}");
}

#[test]
fn packing_adds_the_noise_of_its_formula() {
    let _replay = replay::begin();
    for (log2_modulus, dimension) in [(16, 100), (22, 33)] {
        let mut measured = 0.0;
        let (mut predicted, keys) = (0.0, KEYS);
        for _ in 0..keys {
            let toy = Toy::of(log2_modulus, dimension);
            let modulus = toy.parameters.lwe_shape().modulus;
            let key = RingPackingKey::expand(&toy.packing);
            let lists = [0, 1].map(|_| toy.encrypt(&random_phases(DEGREE, modulus)));
            let packed = key.pack(&[&lists[0], &lists[1]], 5, DEGREE).unwrap();
            let [x, y] = lists.each_ref().map(|list| toy.lwe_fractions(list));
            let five = 5.0 / modulus as f64;
            let errors = toy.fractions(&packed).into_iter().zip(x.iter().zip(&y));
            measured += variance(errors.map(|(t, (x, y))| t - x - y - five)) / f64::from(keys);
            predicted = toy.parameters.packing_noise().0;
        }
        check_ratio(&format!("packing, q = 2^{log2_modulus}"), measured, predicted);
    }
}

#[test]
fn extraction_adds_the_noise_of_its_formula() {
    let _replay = replay::begin();
    for (log2_modulus, dimension) in [(16, 100), (20, 33)] {
        let mut measured = 0.0;
        let (mut predicted, keys) = (0.0, KEYS);
        for _ in 0..keys {
            let toy = Toy::of(log2_modulus, dimension);
            let modulus = toy.parameters.lwe_shape().modulus;
            let inputs = toy.encrypt(&random_phases(DEGREE, modulus));
            let packed = RingPackingKey::expand(&toy.packing).pack(&[&inputs], 0, DEGREE).unwrap();
            let key = ExtractionKey::expand(&toy.extraction);
            let extracted = key.extract(&packed, 3).unwrap();
            let three = 3.0 / modulus as f64;
            let errors = toy.lwe_fractions(&extracted).into_iter().zip(toy.fractions(&packed));
            measured += variance(errors.map(|(x, t)| x - t - three)) / f64::from(keys);
            predicted = toy.parameters.extraction_noise().0;
        }
        check_ratio(&format!("extraction, q = 2^{log2_modulus}"), measured, predicted);
    }
}

#[test]
fn sparse_layouts_go_both_ways() {
    let _replay = replay::begin();
    let toy = Toy::of(20, 40);
    let (pack, extract) =
        (RingPackingKey::expand(&toy.packing), ExtractionKey::expand(&toy.extraction));
    // Gaps of 1, below, equal to and above the number of blocks.
    for (slots, count) in [(DEGREE, 700), (512, 512), (256, 1), (128, 100), (16, 16), (1, 1)] {
        let phases = random_phases(count, 1 << 20);
        let packed = pack.pack(&[&toy.encrypt(&phases)], 0, slots).unwrap();
        assert_eq!((packed.layout().slots, packed.layout().count), (slots, count));
        let fractions = toy.fractions(&packed);
        let back = toy.lwe_fractions(&extract.extract(&packed, 0).unwrap());
        assert_eq!(back.len(), count);
        for (i, &phase) in phases.iter().enumerate() {
            let expected = phase as f64 / f64::from(1 << 20);
            for found in [fractions[i * DEGREE / slots], back[i]] {
                let error = found - expected;
                assert!((error - error.round()).abs() < 0.01, "{slots} slots, value {i}: {error}");
            }
        }
        // Coefficients without values hold only noise.
        let rest = fractions
            .iter()
            .enumerate()
            .filter(|(i, _)| i % (DEGREE / slots) != 0 || i / (DEGREE / slots) >= count);
        assert!(rest.into_iter().all(|(_, t)| t.abs() < 0.001), "{slots} slots");
    }
}

/// A client of Boolean gates, with the ring of its toy.
static CLIENT: LazyLock<(booleans::SecretKey, Toy)> = LazyLock::new(|| {
    let single = booleans::SecretKey::generate(&booleans::Parameters::insecure_toy());
    let bottom = ntt_primes(DEGREE, 28.0, 1, &[])[0];
    let literal = ParametersLiteral::insecure_between(single.parameters().fhew(), DEGREE, bottom);
    let mut toy =
        Toy::new(Parameters::new(literal).unwrap(), single.fhew().lwe_coefficients().to_vec());
    let clients = Clients { lwe: single.id(), ..CLIENTS };
    let secrets = Secrets { lwe: &toy.lwe, ring: &toy.ring, clients };
    let packing = secrets.packing_key(&toy.parameters).unwrap();
    let extraction = secrets.extraction_key(&toy.parameters).unwrap();
    (toy.packing, toy.extraction) = (packing, extraction);
    (single, toy)
});

#[test]
fn sums_of_bits_are_quarters_and_come_back_as_bits() {
    let (single, toy) = &*CLIENT;
    let key = RingPackingKey::expand(&toy.packing);
    let bits = |k: usize| (0..DEGREE).map(|i| i >> k & 1 == 1).collect::<Vec<bool>>();
    let [x, y, z] = [0, 1, 2].map(|k| single.encrypt(&bits(k)));
    for (terms, mask) in [(vec![&x], 1), (vec![&x, &y], 3), (vec![&x, &y, &z], 7)] {
        let packed = key.pack_bits(&terms, DEGREE).unwrap();
        for (i, t) in toy.fractions(&packed).into_iter().enumerate() {
            let error = t - f64::from((i & mask).count_ones()) / 4.0;
            assert!((error - error.round()).abs() < 1e-3, "{error}");
        }
    }
    // A single bit is packed as a quarter.
    let packed = key.pack_bits(&[&y], DEGREE).unwrap();
    let extraction = ExtractionKey::expand(&toy.extraction);
    let back = extraction.extract_bits(single.parameters(), &packed).unwrap();
    assert_eq!(single.decrypt(&back).unwrap(), bits(1));
}

#[test]
fn what_does_not_belong_is_refused_by_name() {
    let (single, toy) = &*CLIENT;
    let key = RingPackingKey::expand(&toy.packing);
    let extraction = ExtractionKey::expand(&toy.extraction);
    let other = booleans::SecretKey::generate(single.parameters());
    let (two, three) = (single.encrypt(&[true; 2]), single.encrypt(&[true; 3]));
    let many = single.encrypt(&[true; DEGREE + 1]);
    let packing = |bits: &[&booleans::EncryptedBits], slots| {
        key.pack_bits(bits, slots).unwrap_err().to_string()
    };
    assert!(packing(&[&two, &other.encrypt(&[true; 2])], 4).contains("to the client key"));
    assert!(packing(&[&two, &three], 4).contains("number of values is 3"));
    assert!(packing(&[], 4).contains("number of lists"));
    assert!(packing(&[&three], 2).contains("number of values is 3"));
    assert!(packing(&[&three], 6).contains("number of slots is 6"));
    assert!(packing(&[&many], 2 * DEGREE).contains("number of slots"));
    let odd = LweCiphertext::trivial(5, 1 << 22, 0);
    let list = LweList::computed(LweShape::of(&odd), [odd]).unwrap();
    assert!(key.pack(&[&list], 0, 1).unwrap_err().to_string().contains("LWE dimension"));
    let constant = key.pack(&[two.values()], 1 << 22, 2).unwrap_err();
    assert!(constant.to_string().contains("4194304"), "{constant}");

    let packed = key.pack_bits(&[&two], 4).unwrap();
    let elsewhere = Toy::of(20, 64);
    let foreign = ExtractionKey::expand(&elsewhere.extraction);
    let error = foreign.extract(&packed, 0).unwrap_err().to_string();
    assert!(error.contains("under other parameters"), "{error}");
    let stranger =
        EncryptedPhases::new(&toy.parameters, KeyId([9; 16]), packed.ciphertext().clone(), 4, 2);
    let error = extraction.extract(&stranger.unwrap(), 0).unwrap_err().to_string();
    assert!(error.contains("to the client key"), "{error}");
    let secrets = Secrets { lwe: &toy.lwe[1..], ring: &toy.ring, clients: CLIENTS };
    assert!(secrets.packing_key(&toy.parameters).unwrap_err().to_string().contains("dimension"));
}

#[test]
fn keys_are_read_back_and_nothing_else_is() {
    let toy = Toy::of(16, 20);
    let (mut packing, mut extraction) = (Vec::new(), Vec::new());
    toy.packing.write(&mut packing).unwrap();
    toy.extraction.write(&mut extraction).unwrap();
    let read_packing =
        |clients, bytes: &[u8]| SeededRingPackingKey::from_bytes(&toy.parameters, clients, bytes);
    let read_extraction =
        |clients, bytes: &[u8]| SeededExtractionKey::from_bytes(&toy.parameters, clients, bytes);
    assert_eq!(read_packing(CLIENTS, &packing).unwrap(), toy.packing);
    assert_eq!(read_extraction(CLIENTS, &extraction).unwrap(), toy.extraction);
    let others = Clients { ring: CLIENTS.lwe, ..CLIENTS };
    assert!(read_packing(others, &packing).unwrap_err().to_string().contains("ring key"));
    assert!(read_extraction(others, &extraction).unwrap_err().to_string().contains("ring key"));
    assert!(read_packing(CLIENTS, &extraction).is_err());
    assert!(read_extraction(CLIENTS, &packing).is_err());
    let other = Parameters::new(literal(18, 20)).unwrap();
    assert!(SeededRingPackingKey::from_bytes(&other, CLIENTS, &packing).is_err());
    check_refusals(&packing, 97, |bytes| read_packing(CLIENTS, bytes));
    check_refusals(&extraction, 97, |bytes| read_extraction(CLIENTS, bytes));
    let bytes = toy.parameters.to_bytes();
    assert!(Parameters::from_bytes(&bytes, ReadOptions::default()).is_err());
    let toys = ReadOptions::default().allow_insecure();
    assert_eq!(Parameters::from_bytes(&bytes, toys).unwrap(), toy.parameters);
}

#[test]
fn literals_out_of_bounds_are_refused() {
    let good = literal(16, 100);
    type Edit = fn(&mut ParametersLiteral);
    let edits: [(&str, Edit); 10] = [
        ("LWE dimension", |l| l.lwe_dimension = 0),
        ("log2 of the LWE modulus", |l| l.log2_lwe_modulus = 33),
        ("ring degree", |l| l.ring_degree = 1000),
        ("bottom prime", |l| l.bottom_prime += 2),
        ("degree of a block", |l| l.packing.degree = 2048),
        ("log2 of a block's prime", |l| l.extraction.log2_prime = 13.0),
        ("log2 of a block's prime", |l| l.packing.log2_prime = f64::NAN),
        ("switching digits", |l| l.packing.switching.length = usize::MAX),
        ("key switching digits", |l| {
            l.key_switching = l.key_switching.map(|d| GadgetLiteral { base_log2: 0, ..d })
        }),
        ("secret weight", |l| l.lwe_secret = SecretDistribution::FixedWeightTernary(3)),
    ];
    for (name, edit) in edits {
        let mut bad = good;
        edit(&mut bad);
        let error = Parameters::new(bad).unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
    }
}

#[test]
fn gates_of_128_bits_have_a_conversion() {
    let single = FhewParameters::gates_128();
    for log2_degree in [14, 15, 16] {
        let bottom = ntt_primes(1 << log2_degree, 28.0, 1, &[])[0];
        let literal = ParametersLiteral::between_128(&single, 1 << log2_degree, bottom);
        let parameters = Parameters::new(literal).unwrap();
        assert!(parameters.security_bits() >= 128.0);
        let (packing, extraction) = (parameters.packing_noise(), parameters.extraction_noise());
        println!(
            "2^{log2_degree}: packing 2^{:.1}, extraction 2^{:.1} of the modulus",
            packing.standard_deviation().log2(),
            extraction.standard_deviation().log2()
        );
        // A fresh encryption has 2^-14.3, and a sum of two inputs of a gate has a margin of 1/8.
        assert!(packing.standard_deviation() < (-20f64).exp2());
        assert!((extraction * 2.0).law().log2_exceeds(0.125) < -128.0);
        // This is less than the noise of results of gates.
        assert!(extraction < gates::noise(&NoiseModel::new(&single)));
    }
}
