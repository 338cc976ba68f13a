//! Bits that three owners of a key decrypt together: errors before, refusals, files; on a toy ring and at full size.

use crate::common;

use common::{Setup, setup};
use cryptable_bits::{
    EncryptedBits, JointDecryption, Packing, Parameters, PartialDecryption, PreparedBits,
    SecretKey, SecretShare,
};
use cryptable_lattice::owners::{Message, OwnersError};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::{Error, Owners};
use num_complex::Complex64;
use rand::{Rng, SeedableRng, rngs::StdRng};
use zeroize::Zeroizing;

fn of(owners: u32) -> Owners {
    Owners::new(owners).unwrap()
}

/// Shares of a ternary secret that add up to it, as those of owners do: every coefficient belongs to one of them.
fn parts(secret: &SecretKey, owners: u32) -> Vec<TernarySecret> {
    let mut rng = StdRng::seed_from_u64(11);
    let coefficients = secret.secret().coefficients();
    let of: Vec<u32> = coefficients.iter().map(|_| rng.random_range(1..=owners)).collect();
    let share = |owner: u32| {
        let own = coefficients.iter().zip(&of).map(|(&c, &of)| if of == owner { c } else { 0 });
        let own = Zeroizing::new(own.collect());
        TernarySecret::from_coefficients(own).unwrap()
    };
    (1..=owners).map(share).collect()
}

fn shares<'a>(secret: &SecretKey, parts: &'a [TernarySecret]) -> Vec<SecretShare<'a>> {
    let share = |(owner, part)| SecretShare::new(secret.parameters(), part, secret.id(), owner);
    (1..).zip(parts).map(share).collect()
}

fn partial(
    shares: &[SecretShare<'_>],
    bits: &PreparedBits,
    decryption: &JointDecryption,
) -> Vec<PartialDecryption> {
    shares.iter().map(|share| share.partial_decryption(bits, decryption).unwrap()).collect()
}

/// Both parts of errors: root mean square of a part, kurtosis, and the largest size of a slot.
fn measure(what: &str, errors: &[Complex64]) -> (f64, f64) {
    let parts: Vec<f64> = errors.iter().flat_map(|e| [e.re, e.im]).collect();
    let moment = |k| parts.iter().map(|x: &f64| x.powi(k)).sum::<f64>() / parts.len() as f64;
    let largest = errors.iter().map(|e| e.norm()).fold(0.0, f64::max);
    let (square, kurtosis) = (moment(2), moment(4) / moment(2).powi(2));
    let deviation = square.sqrt();
    let beyond = [2.0, 4.0, 6.0].map(|at| {
        parts.iter().filter(|x| x.abs() > at * deviation).count() as f64 / parts.len() as f64
    });
    println!(
        "{what}: 2^{:.2} a part, kurtosis {kurtosis:.2}, largest 2^{:.2}, beyond 2, 4, 6 deviations {beyond:?}",
        deviation.log2(),
        largest.log2()
    );
    // Noise of slots: Laplace's law has 6, and a Gaussian 3; the eighth moment of the former is 2,520 times the square's fourth
    // power, and 2^-12.2 of it lie beyond 6 deviations.
    let count = parts.len() as f64;
    let spread = 5.0 * (2520.0 / count).sqrt();
    assert!((3.0..6.0 + spread).contains(&kurtosis), "{what}: kurtosis {kurtosis}");
    let expected = count * (-12.2f64).exp2();
    let most = expected + 5.0 * expected.sqrt() + 2.0;
    assert!(beyond[2] * count < most, "{what}: {beyond:?}, {most} of {count} beyond 6 deviations");
    (square, largest)
}

/// Errors of prepared bits, bounded from both sides: of zeros, which have half of the variance, and of ones and of
/// random bits by differences of two ciphertexts. All are below the bound. Then three owners decrypt.
fn three_owners(parameters: &Parameters) {
    let Setup { secret, server, x, .. } = setup(parameters);
    let (bound, variance) = parameters.prepared_error().unwrap();
    let prepared = |bits: &[bool]| {
        let boot = server.bin_boot(&secret.encrypt(bits).unwrap()).unwrap();
        server.prepare_decryption(&boot).unwrap()
    };
    let errors = |bits: &PreparedBits, others: Option<&PreparedBits>| {
        secret.prepared_errors(&server, bits, others).unwrap()
    };
    let zeros = prepared(&vec![false; parameters.bits()]);
    let (square, largest) = measure("zeros", &errors(&zeros, None));
    // A part of a slot has half of its variance; zeros have one rounding, ones two.
    let expected = variance / 4.0;
    assert!((0.85..1.15).contains(&(square / expected)), "{}", square / expected);
    assert!(largest < bound, "2^{:.1} of 2^{:.1}", largest.log2(), bound.log2());
    let ones = vec![true; parameters.bits()];
    for (what, bits, share) in [("ones", &ones, 1.0), ("random bits", &x, 0.75)] {
        let (one, other) = (prepared(bits), prepared(bits));
        let (square, largest) = measure(what, &errors(&one, Some(&other)));
        let expected = 2.0 * share * variance / 2.0;
        assert!((0.85..1.15).contains(&(square / expected)), "{what}: {}", square / expected);
        assert!(largest < 2.0 * bound, "{what}");
    }
    let bits = prepared(&x);
    let parts = parts(&secret, 3);
    let shares = shares(&secret, &parts);
    for (log2_distance, ciphertexts) in [(-40.0, 1), (-40.0, 65_536), (-64.0, 64)] {
        let decryption =
            JointDecryption::new(parameters, of(3), log2_distance, ciphertexts).unwrap();
        println!("{decryption:?}");
        let partial = partial(&shares, &bits, &decryption);
        assert!(bits.combine(parameters, &partial).unwrap() == x);
    }
}

#[test]
fn three_owners_on_a_toy_ring() {
    three_owners(&Parameters::insecure_toy_throughput().unwrap());
}

#[test]
#[ignore = "slow: run by make test-all"]
fn three_owners_at_full_size() {
    three_owners(&Parameters::throughput_128().unwrap());
}

/// Files and repeated answers; refusals of everything that does not belong together.
#[test]
fn others_are_refused_by_name() {
    let parameters = Parameters::insecure_toy_throughput().unwrap();
    let Setup { secret, server, x, y } = setup(&parameters);
    let boot = |bits: &[bool]| server.bin_boot(&secret.encrypt(bits).unwrap()).unwrap();
    let prepare = |bits: &EncryptedBits| server.prepare_decryption(bits).unwrap();
    let (bits, others) = (prepare(&boot(&x[..100])), prepare(&boot(&y)));
    let parts = parts(&secret, 3);
    let shares = shares(&secret, &parts);
    let plan = |owners, count| JointDecryption::new(&parameters, of(owners), -40.0, count).unwrap();
    let decryption = plan(3, 1000);

    // Read again, bits and messages are the same, and so is a second answer.
    let bytes = bits.to_bytes(&parameters).unwrap();
    let read = PreparedBits::from_bytes(&parameters, &bytes).unwrap();
    assert!(read.to_bytes(&parameters).unwrap() == bytes && read.digest() == bits.digest());
    let mut all = partial(&shares, &bits, &decryption);
    assert!(partial(&shares, &read, &decryption) == all);
    let files: Vec<_> = all.iter().map(|part| part.to_bytes(&parameters).unwrap()).collect();
    let messages: Vec<_> = files
        .iter()
        .map(|file| PartialDecryption::from_bytes(&parameters, file).unwrap())
        .collect();
    assert!(messages == all);
    assert_eq!(read.combine(&parameters, &messages).unwrap(), &x[..100]);
    // Another plan has other flooding, and so has another owner.
    let again = partial(&shares, &bits, &plan(3, 65_536));
    assert!(again[0].to_bytes(&parameters).unwrap() != files[0] && files[0] != files[1]);

    let refused = |partial: &[PartialDecryption]| bits.combine(&parameters, partial).unwrap_err();
    let error = refused(&[all[0].clone(), all[2].clone()]);
    let message = Message::PartialDecryption;
    let missing = OwnersError::Missing { message, owner: 2, owners: 3 };
    assert!(matches!(&error, Error::Owners(it) if *it == missing), "{error}");
    assert!(matches!(refused(&[]), Error::Owners(OwnersError::Missing { owner: 1, .. })));
    let error = refused(&[all[0].clone(), all[0].clone(), all[2].clone()]);
    let twice = OwnersError::Twice { message, owner: 1 };
    assert!(matches!(&error, Error::Owners(it) if *it == twice), "{error}");
    let foreign = shares[1].partial_decryption(&others, &decryption).unwrap();
    let error = refused(&[all[0].clone(), foreign, all[2].clone()]);
    let is_of_bob = matches!(error, Error::Owners(OwnersError::OtherCiphertext { owner: 2, .. }));
    assert!(is_of_bob, "{error}");
    let error = refused(&[all[0].clone(), all[1].clone(), again[2].clone()]);
    assert!(error.to_string().contains("plan"), "{error}");

    // The share of another key does not add up, and is refused if its key is known.
    let stranger = SecretKey::generate(&parameters);
    let share = |id| SecretShare::new(&parameters, stranger.secret(), id, 2);
    let error = share(stranger.id()).partial_decryption(&bits, &decryption).unwrap_err();
    assert!(matches!(error, Error::OtherClient { .. }), "{error}");
    all[1] = share(secret.id()).partial_decryption(&bits, &decryption).unwrap();
    let error = refused(&all);
    assert!(error.to_string().contains("sum of all partial decryptions"), "{error}");
    let error = shares[2].partial_decryption(&bits, &plan(2, 1)).unwrap_err();
    assert!(error.to_string().contains("there are only 2 owners"), "{error}");

    // Bits with too large errors or too few levels, and sets without levels, cannot be prepared.
    let error = server.prepare_decryption(&secret.encrypt_at(&x, 14).unwrap()).unwrap_err();
    assert!(error.to_string().contains("levels"), "{error}");
    let mut loud = boot(&x);
    while loud.levels() > 15 {
        loud = server.gate(cryptable_bits::Gate::And, &loud, &loud).unwrap();
    }
    let error = server.prepare_decryption(&loud).unwrap_err();
    assert!(matches!(error, Error::NoiseTooLarge { .. }), "{error}");
    let few = Parameters::balanced_128(Packing::Complex).unwrap();
    assert!(JointDecryption::new(&few, of(3), -40.0, 1).is_err());
    for (owners, distance, count) in [(1, -40.0, 1), (3, -39.0, 1), (3, -40.0, 0)] {
        assert!(JointDecryption::new(&parameters, of(owners), distance, count).is_err());
    }
    let error = JointDecryption::new(&parameters, of(3), -127.0, 1).unwrap_err();
    assert!(matches!(error, Error::FailureUnreachable { .. }), "{error}");
    for (index, file) in [&bytes, &files[0]].into_iter().enumerate() {
        let read = |bytes: &[u8]| match index {
            0 => PreparedBits::from_bytes(&parameters, bytes).map(|_| ()),
            _ => PartialDecryption::from_bytes(&parameters, bytes).map(|_| ()),
        };
        assert!(read(file).is_ok() && read(&file[..file.len() - 1]).is_err());
        let mut damaged = file.clone();
        damaged[200] ^= 1;
        assert!(read(&damaged).is_err());
    }
}
