//! Keys of several owners.

use std::sync::Arc;

use crate::common;

use common::look_up;
use cryptable_lattice::owners::{Commitment, EvaluationKeyShares, Message, OwnersError};
use cryptable_lattice::secret::TernarySecret;
use cryptable_lattice::security::SecretDistribution;
use cryptable_packed::{
    Agreement, Ciphertext, Error, EvaluationKey, Method, OwnerSecret, Owners, Parameters, Progress,
    PublicKey, ReadOptions, Request, Result, Session, Table,
};
use cryptable_ring::random::replay;

fn toys() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

/// Parameters of tables of so many bits for a key of several owners.
fn parameters(bits: u32, method: Method, owners: u32) -> Parameters {
    let owners = Owners::new(owners).unwrap();
    let request = Request { method: Some(method), owners, ..Request::new(1 << bits, 1 << bits) };
    Parameters::choose(&request).unwrap()
}

fn toy(owners: u32) -> Parameters {
    Parameters::insecure_toy_of_owners(16, 16, Owners::new(owners).unwrap()).unwrap()
}

/// Files of an owner.
struct Files {
    secret: OwnerSecret,
    commitment: Commitment,
    first: Vec<u8>,
    keys: Vec<u8>,
    second: Vec<u8>,
}

/// An owner who made its shares.
fn committed(session: &Session, owner: u32) -> Files {
    let mut secret = OwnerSecret::generate(session, owner).unwrap();
    let (mut first, mut keys) = (Vec::new(), Vec::new());
    let commitment = secret.write_shares(&mut first, &mut keys, Progress::silent()).unwrap();
    Files { secret, commitment, first, keys, second: Vec::new() }
}

/// What all owners give of one kind.
fn all(files: &[Files], of: impl Fn(&Files) -> &Vec<u8>) -> Vec<&[u8]> {
    files.iter().map(|it| of(it).as_slice()).collect()
}

fn agreement(session: &Session, files: &[Files]) -> Agreement {
    let commitments: Vec<_> = files.iter().map(|it| it.commitment.clone()).collect();
    Agreement::new(session, &commitments).unwrap()
}

/// A session whose owners made all their shares.
fn finished(session: &Session) -> (Agreement, Vec<Files>) {
    let mut files: Vec<_> = (1..=session.owners().count()).map(|i| committed(session, i)).collect();
    let agreement = agreement(session, &files);
    let second: Vec<_> =
        (0..files.len()).map(|i| second_share(&agreement, &mut files, i)).collect();
    for (files, second) in files.iter_mut().zip(second) {
        files.second = second.unwrap();
    }
    (agreement, files)
}

/// The second share of an owner, counted from 0.
fn second_share(agreement: &Agreement, files: &mut [Files], owner: usize) -> Result<Vec<u8>> {
    files[owner].secret.agree(agreement)?;
    let (mut out, first) = (Vec::new(), all(files, |it| &it.first));
    let secret = &files[owner].secret;
    secret.write_second_share(agreement, &first, &mut out, Progress::silent())?;
    Ok(out)
}

fn evaluation_key_file(agreement: &Agreement, files: &[Files]) -> Result<Vec<u8>> {
    let [first, keys, second] =
        [all(files, |it| &it.first), all(files, |it| &it.keys), all(files, |it| &it.second)];
    let shares = EvaluationKeyShares { first: &first, keys: &keys, second: &second };
    let mut file = Vec::new();
    agreement.write_evaluation_key(shares, &mut file, Progress::silent())?;
    Ok(file)
}

/// Phases of a ciphertext under the sum of the owners' secrets, as fractions within [-1/2, 1/2): sums of phases under each.
/// Nothing outside of tests adds secrets up.
fn fractions(key: &EvaluationKey, ciphertext: &Ciphertext, files: &[Files]) -> Vec<f64> {
    let body = key.export(ciphertext).unwrap();
    let zeros = zeroize::Zeroizing::new(vec![0; key.parameters().ring_degree()]);
    let nothing = TernarySecret::from_coefficients(zeros, SecretDistribution::UniformTernary);
    let mut sums = body.fractions(&nothing.unwrap());
    let bodies = sums.clone();
    for owner in files {
        let phases = body.fractions(owner.secret.secret());
        sums.iter_mut()
            .zip(phases.iter().zip(&bodies))
            .for_each(|(sum, (phase, b))| *sum += phase - b);
    }
    sums.iter().map(|sum| sum - sum.round()).collect()
}

/// Distances of phases from those of values, in half steps.
fn errors(fractions: &[f64], expected: &[u64], modulus: u64) -> Vec<f64> {
    let error = |(phase, &value): (&f64, &u64)| {
        let difference = phase - value as f64 / modulus as f64;
        2.0 * modulus as f64 * (difference - difference.round())
    };
    fractions.iter().zip(expected).map(error).collect()
}

/// Makes the joint keys of a session, looks a table up in values by the public one, and checks all results.
fn check_lookup(session: &Session, table: &Table) {
    let (agreement, files) = finished(session);
    let public = PublicKey::of_owners(&agreement, &all(&files, |it| &it.first)).unwrap();
    let file = evaluation_key_file(&agreement, &files).unwrap();
    let key = EvaluationKey::from_shared(Arc::new(file), toys()).unwrap();
    assert_eq!((public.id(), key.key_id()), (agreement.key_id(), agreement.key_id()));
    let parameters = session.parameters();
    let (p, slots) = (parameters.input_modulus(), parameters.literal().slots as u64);
    let values: Vec<u64> = (0..slots).map(|i| (i * 31 + i / p) % p).collect();
    let public = PublicKey::from_bytes(&public.to_bytes(), toys()).unwrap();
    let input = public.encrypt(&values).unwrap();
    let of_input = errors(&fractions(&key, &input, &files), &values, p);
    let deviation =
        |errors: &[f64]| (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    let stated = input.noise().deviation() * 2.0 * p as f64;
    let ratio = deviation(&of_input) / stated;
    // The norms that are stated are 1.25 times their means.
    assert!((0.82..0.97).contains(&ratio), "{ratio} of the stated deviation of inputs");
    let output = look_up(&key, &input, table);
    let expected: Vec<u64> = values.iter().map(|&v| table.values()[v as usize]).collect();
    let of_output = errors(&fractions(&key, &output, &files), &expected, table.output_modulus());
    let largest = of_output.iter().fold(0.0, |most: f64, error| most.max(error.abs()));
    assert!(largest < 0.5, "an error of {largest} half steps");
    let (found, failure) = (deviation(&of_output), parameters.failure());
    let ratio = found / failure.typical_ratio;
    println!(
        "{found:e} half steps of {:e}, typical {:e}",
        failure.noise_ratio, failure.typical_ratio
    );
    assert!((0.4..1.6).contains(&ratio), "{ratio} of the typical deviation of outputs");
}

fn scrambled(p: u64) -> Table {
    Table::from_fn(p, p, |x| (x * x * 17 + x * 101 + 3) % p).unwrap()
}

#[test]
fn parameters_of_several_owners_keep_security_and_failures() {
    for (bits, method) in
        [(4, Method::Akp), (8, Method::Akp), (8, Method::Bmt), (8, Method::Cmt), (16, Method::Cmt)]
    {
        let mut last = 0.0;
        for owners in [1, 2, 3, 5] {
            let found = parameters(bits, method, owners);
            assert!(found.security_bits() >= 128.0, "{found}");
            assert!(found.failure_probability().log2() <= -64.0, "{found}");
            assert_eq!(found.literal().owners.count(), owners);
            let noise = found.fresh_noise(1 << bits).deviation();
            assert!(noise > last, "{found}: {noise:e} of fresh values, {last:e} of fewer owners");
            last = noise;
        }
    }
}

#[test]
fn files_name_the_owners_and_those_of_one_do_not() {
    let [one, three] = [1, 3].map(|owners| parameters(4, Method::Akp, owners));
    let text = |parameters: &Parameters| String::from_utf8(parameters.to_bytes()).unwrap();
    assert!(!text(&one).contains("owners") && text(&three).contains("\"owners\":3"));
    let read = Parameters::from_bytes(&three.to_bytes(), ReadOptions::default()).unwrap();
    assert_eq!((read.digest(), read.literal()), (three.digest(), three.literal()));
    for count in ["0", "17", "-1"] {
        let forged = text(&three).replace("\"owners\":3", &format!("\"owners\":{count}"));
        let error = Parameters::from_bytes(forged.as_bytes(), ReadOptions::default());
        assert!(error.is_err(), "{count} owners");
    }
    // Parameters for one owner's noise and overflow do not serve three.
    let mut forged = one.literal().clone();
    forged.owners = Owners::new(3).unwrap();
    let error = Parameters::new(forged).unwrap_err();
    assert!(matches!(error, Error::FailureProbability { .. } | Error::Security(_)), "{error}");
}

#[test]
fn two_to_four_owners_look_up_under_their_joint_key() {
    let _replay = replay::begin();
    for owners in 2..=4 {
        check_lookup(&Session::new(toy(owners)).unwrap(), &scrambled(16));
    }
}

#[test]
fn three_owners_look_up_eight_bits_in_65536_values() {
    let _replay = replay::begin();
    check_lookup(&Session::new(parameters(8, Method::Akp, 3)).unwrap(), &scrambled(256));
}
