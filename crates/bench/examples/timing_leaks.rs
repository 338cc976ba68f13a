//! A statistical test of whether the running time of a client's operations depends on its secrets. It is run by hand.
//!
//! Each operation is timed for a fixed secret and for random ones, in random order, and Welch's t-test decides whether the
//! two classes of times differ in their means (dudect: Reparaz, Balasch, Verbauwhede, "Dude, is my code constant
//! time?", DATE 2017). Times beyond a percentile are dropped, for several percentiles, because interruptions cause the
//! longest ones, whatever the secret. |t| of 4.5 or more is a difference. A smaller |t| means that none was found, which
//! proves nothing about other processors, or about leaks that more samples would show. The controls are known to leak, and
//! show that the test can find leaks.
//!
//! ```sh
//! cargo run --release -p cryptable-bench --features timing-leaks --example timing_leaks -- 100000 > timing_leaks.jsonl
//! ```
//! prints one line of JSON per operation, and fails if an operation leaks or a control does not.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use cryptable_ckks::plaintext::rounded_coefficients;
use cryptable_fhew::keys::SecretKey;
use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, RealDecryption};
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_encryption::{lwe_body_with, phase};
use cryptable_lattice::plaintext_encoding::PlaintextEncoding;
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_leveled::aes::round_keys::expand_key;
use cryptable_ring::Embedding;
use cryptable_ring::processor::processor_name;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use num_complex::Complex64;
use serde::Serialize;
use zeroize::Zeroizing;

/// Least |t| that counts as a difference.
const THRESHOLD: f64 = 4.5;

/// Number of first samples that are not counted, since caches and predictors are cold.
const WARM_UP: usize = 200;

/// Shares of the times that are kept, beginning with the shortest times.
const KEPT: [f64; 5] = [1.0, 0.99, 0.95, 0.9, 0.75];

/// Work on a secret of one class, prepared so that the call does only the work to be timed.
type Timed = Box<dyn FnOnce()>;

/// A function that prepares the work on a secret: the fixed one, or a random one.
type Prepare = Box<dyn FnMut(Class) -> Timed>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Fixed,
    Random,
}

impl Class {
    /// Returns the mask that turns random words into words of the class. Both classes go through the same instructions
    /// before they are timed, since a difference in the preparation could show in the times.
    fn mask(self) -> i64 {
        black_box(-i64::from(self == Self::Random))
    }
}

/// An operation on secrets.
struct Operation {
    name: &'static str,
    /// Divisor of the number of samples, for operations that take long.
    part: usize,
    /// Whether the operation is known to leak.
    is_control: bool,
    prepare: Prepare,
}

#[derive(Serialize)]
struct Line {
    operation: &'static str,
    control: bool,
    samples: usize,
    /// The median time of both classes.
    seconds: f64,
    /// The largest |t| of all percentiles.
    t: f64,
    leaks: bool,
    processor: String,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let samples = arguments.next().map_or(Ok(100_000), |text| text.parse());
    let Ok(samples) = samples else {
        eprintln!("usage: timing_leaks [SAMPLES [PART OF A NAME]]");
        return ExitCode::from(2);
    };
    let part = arguments.next().unwrap_or_default();
    // One thread is used, since waiting for other threads has nothing to do with secrets.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the first pool");
    let mut is_as_expected = true;
    for operation in operations().into_iter().filter(|operation| operation.name.contains(&part)) {
        let line = measure(operation, samples);
        is_as_expected &= line.leaks == line.control;
        println!("{}", serde_json::to_string(&line).expect("plain numbers"));
    }
    if is_as_expected { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Times an operation in both classes, and compares the times.
fn measure(mut operation: Operation, samples: usize) -> Line {
    let samples = (samples / operation.part).max(1000);
    let mut classes = vec![0; samples + WARM_UP];
    RandomStream::from_os().uniform_assign(&mut classes, 2);
    let mut times = Vec::with_capacity(samples);
    for (index, &class) in classes.iter().enumerate() {
        let class = if class == 0 { Class::Fixed } else { Class::Random };
        let work = (operation.prepare)(class);
        let start = Instant::now();
        work();
        let time = start.elapsed().as_nanos() as f64;
        if index >= WARM_UP {
            times.push((class, time));
        }
    }
    let mut sorted: Vec<f64> = times.iter().map(|&(_, time)| time).collect();
    sorted.sort_by(f64::total_cmp);
    let t = |kept: f64| {
        let limit = sorted[(kept * (samples - 1) as f64) as usize];
        welch(&times, limit).abs()
    };
    let t = KEPT.into_iter().map(t).fold(0.0, f64::max);
    Line {
        operation: operation.name,
        control: operation.is_control,
        samples,
        seconds: sorted[samples / 2] * 1e-9,
        t: (t * 100.0).round() / 100.0,
        leaks: t >= THRESHOLD,
        processor: processor_name(),
    }
}

/// Computes Welch's t of the times up to a limit.
fn welch(times: &[(Class, f64)], limit: f64) -> f64 {
    let moments = |of: Class| {
        let kept = || times.iter().filter(|&&(class, time)| class == of && time <= limit);
        let count = kept().count() as f64;
        let mean = kept().map(|(_, time)| time).sum::<f64>() / count;
        let squares = kept().map(|(_, time)| (time - mean).powi(2)).sum::<f64>();
        (mean, squares / (count - 1.0) / count)
    };
    let ((fixed, fixed_error), (random, random_error)) =
        (moments(Class::Fixed), moments(Class::Random));
    (fixed - random) / (fixed_error + random_error).sqrt().max(f64::MIN_POSITIVE)
}

fn operations() -> Vec<Operation> {
    let operation = |name, part, prepare| Operation { name, part, is_control: false, prepare };
    let control = |name, prepare| Operation { name, part: 1, is_control: true, prepare };
    let coarse = RealDecryption::default().precision(4);
    vec![
        operation("LWE encryption, by secret", 1, lwe_encryption()),
        operation("LWE decryption, by secret", 1, lwe_decryption()),
        operation("encoding, by value", 1, encoding()),
        operation("decoding, by phase", 1, decoding()),
        operation("packed encryption, by secret", 10, packed_encryption(false)),
        operation("packed encryption, by values", 10, packed_encryption(true)),
        operation("packed decryption, by secret", 10, packed_decryption()),
        operation("real decryption, by values", 10, real_decryption(RealDecryption::default())),
        operation("real decryption, coarse, by values", 10, real_decryption(coarse)),
        operation("vector encryption, by values", 100, vector_encryption()),
        operation("key of blind rotation, binary, by coefficient", 10, rotation_key(false, false)),
        operation("key of blind rotation, ternary, by coefficient", 10, rotation_key(true, false)),
        operation("key of blind rotation by automorphisms", 10, rotation_key(true, true)),
        operation("key switching key, by ring secret", 10, key_switching_key()),
        operation("AES key expansion, by key", 1, aes_key_expansion()),
        operation("secret of fixed weight, by seed", 10, fixed_weight()),
        operation("errors, by seed", 1, errors()),
        control("control: comparison that ends early", early_exit()),
        control("control: encoding by division", division()),
        control("control: work for coefficients that are not 0", skipped_zeros()),
    ]
}

/// Draws a secret of a class: all zeros, or uniform.
fn ternary(class: Class, count: usize) -> Zeroizing<Vec<i8>> {
    let mut drawn = RandomStream::from_os().uniform_ternary(count);
    let mask = class.mask() as i8;
    drawn.iter_mut().for_each(|coefficient| *coefficient &= mask);
    drawn
}

fn binary(class: Class, count: usize) -> Zeroizing<Vec<i8>> {
    let mut secret = ternary(class, count);
    secret.iter_mut().for_each(|c| *c &= 1);
    secret
}

/// Draws words of a class below a bound.
fn words(class: Class, count: usize, bound: u64) -> Vec<u64> {
    let mut drawn = vec![0; count];
    RandomStream::from_os().uniform_assign(&mut drawn, bound);
    let mask = class.mask() as u64;
    drawn.iter_mut().for_each(|word| *word &= mask);
    drawn
}

const DIMENSION: usize = 742;
const LWE_MODULUS: u64 = 1 << 18;

fn lwe_encryption() -> Prepare {
    let mask = words(Class::Random, DIMENSION, LWE_MODULUS);
    Box::new(move |class| {
        let (secret, mask) = (ternary(class, DIMENSION), mask.clone());
        let mut stream = RandomStream::from_os();
        Box::new(move || {
            black_box(lwe_body_with(&secret, &mask, 5, LWE_MODULUS, &mut stream));
        })
    })
}

fn lwe_decryption() -> Prepare {
    let words = words(Class::Random, DIMENSION + 1, LWE_MODULUS);
    let encoding = PlaintextEncoding::new(16, LWE_MODULUS);
    Box::new(move |class| {
        let secret = ternary(class, DIMENSION);
        let ciphertext = LweCiphertext::from_words(words.clone(), LWE_MODULUS);
        Box::new(move || {
            black_box(encoding.decode(phase(&secret, &ciphertext)));
        })
    })
}

fn encoding() -> Prepare {
    let (p, q) = (1_000_003, 1 << 40);
    let encoding = PlaintextEncoding::new(p, q);
    Box::new(move |class| {
        let values = words(class, 256, p);
        Box::new(move || values.iter().for_each(|&value| _ = black_box(encoding.encode(value))))
    })
}

fn decoding() -> Prepare {
    let (p, q) = (1_000_003, (1 << 47) - 297);
    let encoding = PlaintextEncoding::new(p, q);
    Box::new(move |class| {
        let phases = words(class, 256, q);
        Box::new(move || phases.iter().for_each(|&phase| _ = black_box(encoding.decode(phase))))
    })
}

const DEGREE: usize = 1024;
const PLAINTEXT_MODULUS: u64 = 1000;

fn packed_secret(class: Class) -> TernarySecret {
    TernarySecret::from_coefficients(ternary(class, DEGREE)).expect("ternary")
}

/// Encryption of packed values, with values of the class and random secrets, or the other way round.
fn packed_encryption(by_values: bool) -> Prepare {
    Box::new(move |class| {
        let (of_secret, of_values) =
            if by_values { (Class::Random, class) } else { (class, Class::Random) };
        let secret = packed_secret(of_secret);
        let values = words(of_values, DEGREE, PLAINTEXT_MODULUS);
        Box::new(move || {
            _ = black_box(CoefficientCiphertext::encrypt(
                &secret,
                &values,
                DEGREE,
                PLAINTEXT_MODULUS,
                40,
            ))
        })
    })
}

fn packed_decryption() -> Prepare {
    let values = words(Class::Random, DEGREE, PLAINTEXT_MODULUS);
    let of = packed_secret(Class::Random);
    let fresh = CoefficientCiphertext::encrypt(&of, &values, DEGREE, PLAINTEXT_MODULUS, 40);
    Box::new(move |class| {
        let (secret, ciphertext) = (packed_secret(class), fresh.clone());
        Box::new(move || _ = black_box(ciphertext.decrypt(&secret)))
    })
}

/// Decryption of a table's results as real numbers; the results of one class are all 0.
fn real_decryption(options: RealDecryption) -> Prepare {
    Box::new(move |class| {
        let secret = packed_secret(Class::Random);
        let values = words(class, DEGREE, PLAINTEXT_MODULUS);
        let ciphertext =
            CoefficientCiphertext::encrypt(&secret, &values, DEGREE, PLAINTEXT_MODULUS, 40);
        Box::new(move || _ = black_box(ciphertext.decrypt_reals(&secret, options)))
    })
}

/// Encoding of slots as coefficients, which rounds the values of vectors.
fn vector_encryption() -> Prepare {
    Box::new(move |class| {
        let of_class = words(class, DEGREE / 2, 1 << 20);
        let slots: Vec<Complex64> =
            of_class.iter().map(|&word| Complex64::from(word as f64 / 1e6)).collect();
        let embedding = Embedding::new(DEGREE / 2);
        Box::new(move || {
            black_box(rounded_coefficients(DEGREE, &embedding, &slots, 40f64.exp2()));
        })
    })
}

/// Small parameters, whose keys hold one LWE coefficient and little else.
fn one_coefficient(is_ternary: bool, by_automorphisms: bool) -> Parameters {
    let digits = GadgetLiteral { base_log2: 10, length: 1 };
    let lwe_secret = match is_ternary {
        true => SecretDistribution::UniformTernary,
        false => SecretDistribution::Binary,
    };
    let rotation_method = match by_automorphisms {
        true => RotationMethod::Automorphism { window: 1, digits },
        false => RotationMethod::Cmux,
    };
    let literal = ParametersLiteral {
        lwe_dimension: 1,
        lwe_secret,
        log2_lwe_modulus: 14,
        ring_degree: 256,
        log2_prime: 40.0,
        ring_secret: SecretDistribution::Binary,
        rotation_method,
        rotation: GadgetLiteral { base_log2: 10, length: 3 }.into(),
        finer_rotations: [None; 3],
        intermediate: None,
        key_switching: GadgetLiteral { base_log2: 10, length: 1 },
        automorphism: digits,
        relinearization: digits,
        packing: digits,
    };
    Parameters::insecure(literal).expect("a valid set")
}

fn fhew_secret(parameters: &Parameters, lwe: Class, ring: Class) -> SecretKey {
    let literal = parameters.literal();
    let lwe = match literal.lwe_secret {
        SecretDistribution::Binary => binary(lwe, literal.lwe_dimension),
        _ => ternary(lwe, literal.lwe_dimension),
    };
    let ring = binary(ring, literal.ring_degree);
    SecretKey::from_coefficients(parameters, lwe, ring, Zeroizing::default()).expect("they fit")
}

fn rotation_key(is_ternary: bool, by_automorphisms: bool) -> Prepare {
    let parameters = one_coefficient(is_ternary, by_automorphisms);
    Box::new(move |class| {
        let secret = fhew_secret(&parameters, class, Class::Random);
        Box::new(move || _ = black_box(secret.evaluation_key()))
    })
}

fn key_switching_key() -> Prepare {
    let parameters = one_coefficient(false, false);
    Box::new(move |class| {
        let secret = fhew_secret(&parameters, Class::Random, class);
        Box::new(move || _ = black_box(secret.evaluation_key()))
    })
}

fn aes_key_expansion() -> Prepare {
    Box::new(move |class| {
        let mut key = [0; 16];
        let drawn = words(class, 16, 256);
        key.iter_mut().zip(drawn).for_each(|(byte, word)| *byte = word as u8);
        Box::new(move || _ = black_box(expand_key(&key)))
    })
}

/// Draws a seed of a class.
fn seed(class: Class) -> [u8; Seed::BYTES] {
    let mask = class.mask() as u8;
    Seed::random().as_bytes().map(|byte| byte & mask)
}

fn fixed_weight() -> Prepare {
    // The bound is a power of two, so that hardly any draw is refused. Drawing again takes time, but reveals nothing.
    Box::new(move |class| {
        let mut stream = RandomStream::new(&seed(class), StreamPurpose::Secret, 0);
        Box::new(move || _ = black_box(stream.fixed_weight_ternary(1 << 12, 32)))
    })
}

fn errors() -> Prepare {
    Box::new(move |class| {
        let mut stream = RandomStream::new(&seed(class), StreamPurpose::Error, 0);
        Box::new(move || _ = black_box(stream.centered_binomial(DEGREE)))
    })
}

fn early_exit() -> Prepare {
    let expected = vec![0u64; 256];
    Box::new(move |class| {
        let (found, expected) = (words(class, 256, 1 << 40), expected.clone());
        Box::new(move || _ = black_box(found.iter().zip(&expected).all(|(a, b)| a == b)))
    })
}

/// A control: division of values, by which an earlier version encoded them.
fn division() -> Prepare {
    let (p, q) = (1_000_003u128, 1u128 << 40);
    Box::new(move |class| {
        let values = words(class, 256, p as u64);
        Box::new(move || {
            let encode = |&value: &u64| (black_box(u128::from(value)) * q + p / 2) / black_box(p);
            values.iter().for_each(|value| _ = black_box(encode(value)));
        })
    })
}

/// A control: keys of blind rotation, generated as in an earlier version.
fn skipped_zeros() -> Prepare {
    Box::new(move |class| {
        let (secret, weights) = (binary(class, 256), words(Class::Random, 256, 1 << 40));
        Box::new(move || {
            let chosen = secret.iter().zip(&weights).filter(|&(&s, _)| black_box(s) != 0);
            chosen.for_each(|(_, &weight)| _ = black_box(black_box(weight) * 3));
        })
    })
}
