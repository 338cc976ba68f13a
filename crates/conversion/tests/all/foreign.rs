//! Tests of ciphertexts of other libraries: a small generator that shares nothing with the product creates and reads
//! their files; all gates in rounds, noise from both sides, and refusals by name; full size on demand.

use cryptable_bits::{Packing, Parameters as PackedParameters};
use cryptable_conversion::foreign::{ForeignGates, ForeignParameters, ForeignSecret};
use cryptable_fhew::booleans::Gate;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{Error, Progress};
use cryptable_ring::random::replay;
use rand::{Rng, SeedableRng, rngs::StdRng};

/// A client of another library.
struct Client {
    rng: StdRng,
    secret: Vec<i64>,
    /// log2 of the modulus.
    bits: u32,
    phase_of_false: f64,
    deviation: f64,
}

impl Client {
    fn new(parameters: &ForeignParameters) -> Self {
        let mut rng = StdRng::seed_from_u64(11);
        let least = if parameters.secret() == SecretDistribution::Binary { 0 } else { -1 };
        let shape = parameters.shape();
        Self {
            secret: (0..shape.dimension).map(|_| rng.random_range(least..=1)).collect(),
            rng,
            bits: shape.modulus.ilog2(),
            phase_of_false: parameters.phase_of_false(),
            deviation: parameters.deviation(),
        }
    }

    fn secret_file(&self) -> Vec<u8> {
        let mut file = b"LWEKEY01".to_vec();
        file.extend((self.secret.len() as u32).to_le_bytes());
        file.extend(self.secret.iter().map(|&c| c as i8 as u8));
        file
    }

    fn random_bits(&mut self, count: usize) -> Vec<bool> {
        (0..count).map(|_| self.rng.random()).collect()
    }

    fn encrypt(&mut self, bits: &[bool]) -> Vec<u8> {
        let modulus = 1i64 << self.bits;
        let mut file = b"LWELIST1".to_vec();
        file.extend((self.secret.len() as u32).to_le_bytes());
        file.extend(self.bits.to_le_bytes());
        file.extend((bits.len() as u64).to_le_bytes());
        for &bit in bits {
            let mask: Vec<i64> =
                self.secret.iter().map(|_| self.rng.random_range(0..modulus)).collect();
            let sum: i64 = mask.iter().zip(&self.secret).map(|(a, s)| a * s).sum();
            // The Box-Muller transform.
            let (u, v): (f64, f64) = (1.0 - self.rng.random::<f64>(), self.rng.random());
            let noise = self.deviation * (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
            let phase = self.phase_of_false + if bit { 0.25 } else { 0.0 } + noise;
            let body = (sum + (phase * modulus as f64).round() as i64).rem_euclid(modulus);
            file.extend(mask.iter().chain([&body]).flat_map(|&word| (word as u32).to_le_bytes()));
        }
        file
    }

    /// Returns the errors of phases, as fractions of the modulus.
    fn errors(&self, file: &[u8], expected: &[bool]) -> Vec<f64> {
        let modulus = 1i64 << self.bits;
        let records = file[24..].chunks_exact(4 * (self.secret.len() + 1));
        assert_eq!(records.len(), expected.len());
        let error = |(record, &bit): (&[u8], &bool)| {
            let word = |bytes: &[u8]| i64::from(u32::from_le_bytes(bytes.try_into().unwrap()));
            let words: Vec<i64> = record.chunks_exact(4).map(word).collect();
            let (body, mask) = words.split_last().unwrap();
            let sum: i64 = mask.iter().zip(&self.secret).map(|(a, s)| a * s).sum();
            let phase = (body - sum).rem_euclid(modulus) as f64 / modulus as f64;
            let error = phase - self.phase_of_false - if bit { 0.25 } else { 0.0 };
            error - error.round()
        };
        records.zip(expected).map(error).collect()
    }
}

fn server(
    client: &Client,
    parameters: &ForeignParameters,
    packed: &PackedParameters,
) -> ForeignGates {
    let secret = ForeignSecret::from_bytes(parameters, &client.secret_file()).unwrap();
    secret.gates(packed, Progress::silent()).unwrap()
}

/// Checks rounds of gates, whose inputs are results of the previous round and ciphertexts with the most noise that the
/// library's may have.
fn check_rounds(parameters: &ForeignParameters, packed: &PackedParameters, rounds: usize) {
    let _replay = replay::begin();
    let mut client = Client::new(parameters);
    let server = server(&client, parameters, packed);
    println!(
        "{}: gates fail with 2^{:.1}, {:.1} bits, {:.2} GB",
        parameters.name(),
        server.log2_fail(),
        server.security_bits(),
        server.memory_bytes() as f64 / 1e9
    );
    // More bits than one half bootstrap holds.
    let count = server.bits_at_once() + 3;
    let mut x = client.random_bits(count);
    let mut a = parameters.read_list(&client.encrypt(&x)).unwrap();
    let (mut squares, mut fourths, mut checked) = (0.0, 0.0, 0.0);
    for round in 0..rounds {
        let y = client.random_bits(count);
        let b = parameters.read_list(&client.encrypt(&y)).unwrap();
        let gate = Gate::ALL[round % Gate::ALL.len()];
        a = server.gate(gate, &server.not(&a).unwrap(), &b, Progress::silent()).unwrap();
        x = x.iter().zip(&y).map(|(&x, &y)| gate.apply(!x, y)).collect();
        for error in client.errors(&parameters.write_list(&a).unwrap(), &x) {
            assert!(error.abs() < 0.125, "{gate:?} in round {round}: {error}");
            squares += error * error;
            fourths += error.powi(4);
            checked += 1.0;
        }
    }
    let deviation = (squares / checked).sqrt();
    let (ratio, kurtosis) =
        ((deviation / server.deviation()).log2(), fourths * checked / squares.powi(2));
    println!(
        "{checked} results: 2^{:.2}, 2^{ratio:.2} of the prediction, kurtosis {kurtosis:.2}",
        deviation.log2()
    );
    assert!((-0.3..0.15).contains(&ratio), "2^{ratio:.2} of the prediction");
    // The noise is Gaussian, except for what cleaning leaves of the rarest sums.
    assert!((2.7..3.4).contains(&kurtosis), "kurtosis {kurtosis:.2}");
}

#[test]
fn all_gates_in_rounds() {
    let parameters = ForeignParameters::insecure_toy();
    for packing in [Packing::Real, Packing::Complex, Packing::Sparse(64)] {
        check_rounds(&parameters, &PackedParameters::insecure_toy(packing).unwrap(), 12);
    }
}

/// Checks that three cleanings make gates on OpenFHE's ciphertexts, whose noise comes close to the decision, fail as
/// rarely as stated, and that one cleaning does not.
#[test]
fn failures_are_stated() {
    let named = |name| ForeignParameters::named(name).unwrap();
    let log2_fail = |foreign: &ForeignParameters, packed: &PackedParameters| {
        let conversion = foreign.conversion(packed).unwrap();
        assert!(conversion.security_bits() >= 128.0);
        foreign.log2_fail(packed)
    };
    let balanced = PackedParameters::balanced_128(Packing::Real).unwrap();
    let cleaning = PackedParameters::cleaning_128(Packing::Complex).unwrap();
    let [openfhe, tfhe] = ["openfhe-std128", "tfhe-rs-boolean"].map(named);
    let found = log2_fail(&openfhe, &balanced).unwrap();
    assert!((-48.0..=-42.0).contains(&found), "2^{found}");
    let refused = log2_fail(&openfhe, &cleaning);
    assert!(matches!(refused, Err(Error::NoiseTooLarge { .. })), "{refused:?}");
    for packed in [&balanced, &cleaning] {
        let found = log2_fail(&tfhe, packed).unwrap();
        assert!(found <= -79.9, "2^{found}");
    }
}

#[test]
fn what_does_not_belong_is_refused_by_name() {
    let error = ForeignParameters::named("openfhe-std192").unwrap_err().to_string();
    assert!(error.contains("openfhe-std128 or tfhe-rs-boolean"), "{error}");
    let toy = ForeignParameters::insecure_toy();
    let mut client = Client::new(&toy);
    let packed = PackedParameters::insecure_toy(Packing::Real).unwrap();
    let server = server(&client, &toy, &packed);
    let list = client.encrypt(&[true, false]);
    let refused = |bytes: &[u8], words: &str| {
        let error = toy.read_list(bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    for cut in [0, 5, 23, list.len() - 1] {
        assert!(toy.read_list(&list[..cut]).is_err());
    }
    let with = |at: usize, byte: u8| {
        let mut changed = list.clone();
        changed[at] = byte;
        changed
    };
    refused(&with(0, b'K'), "LWELIST1");
    refused(&with(8, 33), "LWE dimension is 33");
    refused(&with(12, 12), "log2 of the LWE modulus is 12");
    refused(&with(16, 3), "bytes of the list");
    refused(&with(19, 1), "number of ciphertexts");
    assert!(toy.read_list(&with(27, 1)).is_err(), "a word beyond the modulus");
    assert!(ForeignParameters::named("openfhe-std128").unwrap().read_list(&list).is_err());
    let secret = client.secret_file();
    for bytes in [&secret[..20], &[&secret[..43], &[2]].concat(), &list] {
        assert!(ForeignSecret::from_bytes(&toy, bytes).is_err());
    }
    let x = toy.read_list(&list).unwrap();
    assert_eq!(toy.write_list(&x).unwrap(), list);
    let short = toy.read_list(&client.encrypt(&[true])).unwrap();
    let gate = |a, b| server.gate(Gate::Xor, a, b, Progress::silent());
    assert!(matches!(gate(&x, &x), Err(Error::Mismatch { .. })));
    assert!(matches!(gate(&x, &short), Err(Error::Mismatch { .. })));
    let other = toy.conversion(&packed).unwrap().lwe_shape();
    let words = cryptable_ring::Buffer::zeroed(32);
    let other = cryptable_lattice::lwe_list::LweList::from_words(other, words, vec![0]);
    assert!(gate(&other, &short).is_err());
}

#[test]
#[ignore = "full size: two minutes and 2.5 GB"]
fn full_size() {
    let balanced = PackedParameters::balanced_128(Packing::Sparse(1024)).unwrap();
    check_rounds(&ForeignParameters::named("openfhe-std128").unwrap(), &balanced, 6);
    let cleaning = PackedParameters::cleaning_128(Packing::Sparse(1024)).unwrap();
    check_rounds(&ForeignParameters::named("tfhe-rs-boolean").unwrap(), &cleaning, 6);
}
