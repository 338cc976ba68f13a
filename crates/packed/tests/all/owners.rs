//! Keys of several owners.

use std::sync::Arc;
use std::time::Instant;

use crate::common;

use common::joint_keys::{
    Owner, agreement, bytes, evaluation_key_file, first_shares, key_shares, owners, second_shares,
};
use common::{allowed, look_up, outputs, root_mean_square};
use cryptable_lattice::KeyPurpose;
use cryptable_lattice::damaged_files::{check_refusals, forged};
use cryptable_lattice::owners::{Commitment, Message, OwnersError};
use cryptable_lattice::secret::TernarySecret;
use cryptable_packed::{
    Agreement, Ciphertext, Error, EvaluationKey, Method, OwnerSecret, Owners, Parameters, Progress,
    PublicKey, ReadOptions, Request, Result, Session, Table,
};
use cryptable_ring::random::replay;
use cryptable_ring::{Evaluations, Isa, Poly};
use cryptable_wire::{MappedFile, ObjectType, WireError};

/// Chooses parameters for tables of `bits` bits and a key of several owners.
fn parameters(bits: u32, method: Method, owners: u32) -> Parameters {
    let owners = Owners::new(owners).unwrap();
    let request = Request { method: Some(method), owners, ..Request::new(1 << bits, 1 << bits) };
    Parameters::choose(&request).unwrap()
}

fn toy(owners: u32) -> Parameters {
    Parameters::insecure_toy_of_owners(16, 16, Owners::new(owners).unwrap()).unwrap()
}

/// Returns the phases of a ciphertext under the sum of the owners' secrets, as fractions within [-1/2, 1/2), computed
/// from the phases under each. Nothing outside of tests adds secrets up.
fn fractions(
    key: &EvaluationKey,
    ciphertext: &Ciphertext,
    owners: &[Owner<Parameters>],
) -> Vec<f64> {
    let body = key.export(ciphertext).unwrap();
    let zeros = zeroize::Zeroizing::new(vec![0; key.parameters().ring_degree()]);
    let mut sums = body.fractions(&TernarySecret::from_coefficients(zeros).unwrap());
    let bodies = sums.clone();
    for owner in owners {
        let phases = body.fractions(owner.secret.secret());
        sums.iter_mut()
            .zip(phases.iter().zip(&bodies))
            .for_each(|(sum, (phase, b))| *sum += phase - b);
    }
    sums.iter().map(|sum| sum - sum.round()).collect()
}

/// Returns the distances of phases from those of values, in half steps.
fn errors(fractions: &[f64], expected: &[u64], modulus: u64) -> Vec<f64> {
    let error = |(phase, &value): (&f64, &u64)| {
        let difference = phase - value as f64 / modulus as f64;
        2.0 * modulus as f64 * (difference - difference.round())
    };
    fractions.iter().zip(expected).map(error).collect()
}

/// Makes the joint keys of a session, looks up a table on values that the public key encrypts, and checks all results.
fn check_lookup(session: &Session, table: &Table) {
    let start = Instant::now();
    let mut owners = owners(session);
    let shares = start.elapsed();
    let agreement = agreement(session, &owners).unwrap();
    let start = Instant::now();
    let second = second_shares(&agreement, &mut owners);
    let second_round = start.elapsed();
    let first = first_shares(&owners);
    let start = Instant::now();
    let public = PublicKey::of_owners(&agreement, &first).unwrap();
    let file =
        evaluation_key_file(&agreement, &first, &key_shares(&owners), &bytes(&second)).unwrap();
    println!("shares {shares:?}, second {second_round:?}, combination {:?}", start.elapsed());
    let size = |file: &MappedFile| file.as_ref().len();
    let [first, keys] = [&owners[0].first, &owners[0].keys].map(size);
    println!(
        "first {first}, keys {keys}, second {}, joint {} bytes",
        size(&second[0]),
        size(&file)
    );
    assert_eq!(
        session.parameters().prediction().key_file_bytes.div_ceil(1 << 12),
        size(&file).div_ceil(1 << 12)
    );
    let key = EvaluationKey::from_shared(Arc::new(file), allowed()).unwrap();
    assert_eq!((public.id(), key.key_id()), (agreement.key_id(), agreement.key_id()));
    let parameters = session.parameters();
    let (p, slots) = (parameters.input_modulus(), parameters.literal().slots as u64);
    let values: Vec<u64> = (0..slots).map(|i| (i * 31 + i / p) % p).collect();
    let public = PublicKey::from_bytes(&public.to_bytes(), allowed()).unwrap();
    let input = public.encrypt(&values).unwrap();
    let of_input = errors(&fractions(&key, &input, &owners), &values, p);
    let stated = input.noise().deviation() * 2.0 * p as f64;
    let ratio = root_mean_square(&of_input) / stated;
    // The stated norms are 1.25 times their means.
    assert!((0.82..0.97).contains(&ratio), "{ratio} of the stated deviation of inputs");
    let output = look_up(&key, &input, table);
    let expected = outputs(table, &values);
    let of_output = errors(&fractions(&key, &output, &owners), &expected, table.output_modulus());
    let largest = of_output.iter().fold(0.0, |most: f64, error| most.max(error.abs()));
    assert!(largest < 0.5, "an error of {largest} half steps");
    let (found, failure) = (root_mean_square(&of_output), parameters.failure());
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
        for owners in [1, 2, 3, 5, 16] {
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
    // Parameters for one owner's noise and overflow do not serve three owners.
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

fn is_missing<T>(result: &Result<T>, kind: Message, number: u32) -> bool {
    matches!(result, Err(Error::Owners(OwnersError::Missing { message, owner, .. })) if *message == kind && *owner == number)
}

fn is_there_twice<T>(result: &Result<T>, kind: Message, number: u32) -> bool {
    matches!(result, Err(Error::Owners(OwnersError::Twice { message, owner })) if *message == kind && *owner == number)
}

/// Returns the reason why messages do not make a key.
fn refused<T>(result: Result<T>) -> OwnersError {
    match result.err() {
        Some(Error::Owners(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_that_are_missing_twice_or_of_others_are_refused_by_name() {
    let _replay = replay::begin();
    let session = Session::new(toy(2)).unwrap();
    let other_session = Session::new(toy(2)).unwrap();
    let [mut owners, others] = [&session, &other_session].map(owners);
    let commitments = |it: &[&Owner<Parameters>]| -> Vec<_> {
        it.iter().map(|it| it.commitment.clone()).collect()
    };
    let [ann, bob, eve] = [&owners[0], &owners[1], &others[1]];
    let agree = |it: &[&Owner<Parameters>]| Agreement::new(&session, &commitments(it));
    let (message, owner) = (Message::Commitment, 2);
    assert!(is_missing(&agree(&[ann]), message, owner));
    assert!(is_there_twice(&agree(&[bob, ann, bob]), message, owner));
    let (found, expected) = (*other_session.digest(), *session.digest());
    let error = OwnersError::OtherSession { message, owner, found, expected };
    assert_eq!(refused(agree(&[ann, eve])), error);
    let third = forged(&ann.commitment.to_bytes(), |body| body[32] = 3);
    let third = Commitment::from_bytes(&third).unwrap();
    let error = refused(Agreement::new(&session, &[third]));
    assert_eq!(error, OwnersError::NoSuchOwner { message: "commitment", owner: 3, owners: 2 });
    let of_three = Session::new(toy(3)).unwrap();
    let error = Agreement::new(&of_three, &commitments(&[ann, bob])).unwrap_err();
    assert!(matches!(error, Error::OtherParameters { .. }), "{error}");

    // Shares of each kind.
    let agreed = agreement(&session, &owners).unwrap();
    let public = |first: &[&[u8]]| PublicKey::of_owners(&agreed, first);
    let message = Message::FirstShare;
    let [ann, bob, eve] = [&owners[0].first, &owners[1].first, &others[1].first].map(AsRef::as_ref);
    assert!(is_missing(&public(&[ann]), message, owner));
    assert!(is_there_twice(&public(&[bob, ann, bob]), message, owner));
    let error = OwnersError::OtherSession { message, owner, found, expected };
    assert_eq!(refused(public(&[ann, eve])), error);
    // An owner cannot choose a share after seeing those of others: it must have committed to the share.
    let late = Owner::new(&session, 2);
    assert_eq!(
        refused(public(&[ann, late.first.as_ref()])),
        OwnersError::OtherShare { message, owner }
    );
    let error = public(&[ann, owners[1].keys.as_ref()]).unwrap_err();
    let (expected, found) = (ObjectType::OwnerFirstShare, ObjectType::OwnerKeyShare);
    assert!(
        matches!(&error, Error::Wire(it) if *it == WireError::WrongType { expected, found }),
        "{error}"
    );
    let mut damaged = bob.to_vec();
    damaged[1000] ^= 1;
    assert!(matches!(public(&[ann, &damaged]), Err(Error::Wire(WireError::ChecksumMismatch))));
    public(&[bob, ann]).unwrap();

    // Evaluation keys need shares of both rounds, made with the same commitments.
    let second = second_shares(&agreed, &mut owners);
    let (first, keys, second) = (first_shares(&owners), key_shares(&owners), bytes(&second));
    let file =
        |keys: &[&[u8]], second: &[&[u8]]| evaluation_key_file(&agreed, &first, keys, second);
    assert!(is_missing(&file(&keys[..1], &second), Message::KeyShare, owner));
    assert!(is_missing(&file(&keys, &second[..1]), Message::SecondShare, owner));
    let error = OwnersError::OtherShare { message: Message::KeyShare, owner };
    assert_eq!(refused(file(&[keys[0], late.keys.as_ref()], &second)), error);
    file(&keys, &second).unwrap();
    // The words of a share are not below their primes, and its owner has committed to it.
    let wrong = forged(owners[0].first.as_ref(), |body| {
        let at = body.len() - 8;
        body[at..].fill(0xff);
    });
    let checksum = &wrong[wrong.len() - 32..];
    let commitment = owners[0].commitment.to_bytes();
    let commitment = forged(&commitment, |body| body[36..][..32].copy_from_slice(checksum));
    let commitment = Commitment::from_bytes(&commitment).unwrap();
    let mut bob = Owner::new(&session, 2);
    let agreed = Agreement::new(&session, &[commitment, bob.commitment.clone()]).unwrap();
    let first = bob.first.as_ref().to_vec();
    let shares = [wrong.as_slice(), &first];
    let error = refused(bob.second_share(&agreed, &shares));
    assert_eq!(error, OwnersError::Words { message: Message::FirstShare, owner: 1 });
}

#[test]
fn secrets_agree_once_and_to_their_own_commitment() {
    let _replay = replay::begin();
    let session = Session::new(toy(2)).unwrap();
    let [mut ann, bob, eve] = [1, 2, 2].map(|number| Owner::new(&session, number));
    let agreed = |it: [&Owner<Parameters>; 2]| {
        Agreement::new(&session, &it.map(|it| it.commitment.clone())).unwrap()
    };
    let (first, second) = (agreed([&ann, &bob]), agreed([&ann, &eve]));
    // If Ann agreed to a first share in her name that she did not make, others could choose the input of her second
    // share.
    let stranger = Owner::new(&session, 1);
    let error = refused(ann.secret.agree(&agreed([&stranger, &bob])));
    assert_eq!(error, OwnersError::OtherCommitment { owner: 1 });
    let unsent = OwnerSecret::generate(&session, 1).unwrap().agree(&first);
    assert_eq!(refused(unsent), OwnersError::OtherCommitment { owner: 1 });
    let shares = [ann.first.as_ref().to_vec(), bob.first.as_ref().to_vec()];
    let shares = [shares[0].as_slice(), &shares[1]];
    let mut out = Vec::new();
    let early = ann.secret.write_second_share(&first, &shares, &mut out, Progress::silent());
    assert_eq!(refused(early), OwnersError::NotAgreed);
    // A secret that has agreed to some commitments agrees to no others, even after it was saved and read back.
    ann.secret.agree(&first).unwrap();
    ann.secret = OwnerSecret::from_bytes(&ann.secret.to_bytes(), allowed()).unwrap();
    let error = refused(ann.secret.agree(&second));
    let (found, expected) = (*first.digest(), *second.digest());
    assert_eq!(error, OwnersError::AgreedBefore { found, expected });
    // Writing a share again yields the same share: there are no two that differ in their errors.
    let [again, once] = [(); 2].map(|()| ann.second_share(&first, &shares).unwrap());
    assert!(again.as_ref() == once.as_ref());
    let mut copies = [Vec::new(), Vec::new()];
    let [keys, firsts] = &mut copies;
    ann.secret.write_shares(firsts, keys, Progress::silent()).unwrap();
    assert!(firsts == shares[0] && keys == ann.keys.as_ref());
}

#[test]
fn sessions_secrets_and_commitments_are_read_back_and_damaged_ones_refused() {
    let _replay = replay::begin();
    let session = Session::new(toy(3)).unwrap();
    let owner = Owner::new(&session, 3);
    let [of_session, commitment] = [session.to_bytes(), owner.commitment.to_bytes()];
    let secret = owner.secret.to_bytes();
    let read = Session::from_bytes(&of_session, allowed()).unwrap();
    assert_eq!((read.digest(), read.owners()), (session.digest(), session.owners()));
    assert_eq!(Commitment::from_bytes(&commitment).unwrap(), owner.commitment);
    let read = OwnerSecret::from_bytes(&secret, allowed()).unwrap();
    assert_eq!(read.secret().coefficients(), owner.secret.secret().coefficients());
    assert_eq!((read.owner(), read.session().digest()), (3, session.digest()));
    assert_eq!(*read.to_bytes(), *secret);
    assert!(!format!("{read:?}").contains("coefficients"));
    check_refusals(&of_session, 13, |bytes| Session::from_bytes(bytes, allowed()));
    check_refusals(&commitment, 13, Commitment::from_bytes);
    check_refusals(&secret, 13, |bytes| OwnerSecret::from_bytes(bytes, allowed()));
    assert!(Session::from_bytes(&of_session, ReadOptions::default()).is_err());
    assert!(OwnerSecret::from_bytes(&secret, ReadOptions::default()).is_err());
    assert_eq!(refused(Session::new(toy(1))), OwnersError::OneOwner);
    let error = refused(OwnerSecret::generate(&session, 4));
    assert_eq!(error, OwnersError::NoSuchOwner { message: "secret", owner: 4, owners: 3 });
}

/// Checks that errors of relinearization keys have the variance of `s·e_0 + u·e_1 + e_2`, and errors of other keys that
/// of the sum of the owners' errors.
#[test]
fn errors_of_joint_keys_are_as_large_as_their_laws() {
    let _replay = replay::begin();
    let session = Session::new(toy(3)).unwrap();
    let mut owners = owners(&session);
    let agreement = agreement(&session, &owners).unwrap();
    let second = second_shares(&agreement, &mut owners);
    let (first, keys) = (first_shares(&owners), key_shares(&owners));
    let file = evaluation_key_file(&agreement, &first, &keys, &bytes(&second)).unwrap();
    let key = EvaluationKey::from_shared(Arc::new(file), allowed()).unwrap();
    let (ring, count) = (key.ring(), session.owners());
    let mut ratios = [Vec::new(), Vec::new()];
    for (purpose, key) in key.keys().iter() {
        let (kind, expected) = match purpose {
            KeyPurpose::Relinearization => (0, count.relinearization_error_variance(ring.degree())),
            KeyPurpose::SparseToDense => (1, count.error_variance()),
            KeyPurpose::SparseGalois(_) | KeyPurpose::DenseToSparse | KeyPurpose::Galois(_) => {
                continue;
            }
            other => unreachable!("several owners have no key for {other:?}"),
        };
        let basis = key.shape().basis;
        let mut secret = Poly::<Evaluations>::zero(ring, basis);
        owners.iter().for_each(|owner| {
            secret.add_assign(ring, &owner.secret.secret().evaluations(ring, basis));
        });
        for digit in 0..key.shape().digits() {
            let (mut b, mut a) = (Poly::zero(ring, basis), Poly::zero(ring, basis));
            let limbs = b.words_mut().chunks_mut(ring.degree());
            for (limb, (b, a)) in limbs.zip(a.words_mut().chunks_mut(ring.degree())).enumerate() {
                let rows = key.limb(digit, basis, limb);
                rows.0.unpack(Isa::detect(), b);
                rows.1.unpack(Isa::detect(), a);
            }
            a.mul_assign(ring, &secret);
            b.add_assign(ring, &a);
            // The message is 0 modulo the special primes.
            let last = basis.limbs() - 1;
            let modulus = ring.modulus(ring.prime_index(basis, last));
            let errors = b.into_coefficients(ring);
            let squares = errors.limb(last).iter().map(|&x| (modulus.center(x) as f64).powi(2));
            ratios[kind].push(squares.sum::<f64>() / ring.degree() as f64 / expected);
        }
    }
    // Tolerances are six standard deviations: for products of 512 pairs of slots, and for 1,024 coefficients.
    for (ratios, tolerance) in ratios.iter().zip([0.33, 0.27]) {
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        println!("{mean} of the variance in {} digits", ratios.len());
        assert!((mean - 1.0).abs() < tolerance, "{ratios:?}");
    }
}

#[test]
fn owners_keep_their_secret_in_other_sessions_and_draw_all_else_anew() {
    let _replay = replay::begin();
    let sessions = [(); 2].map(|()| Session::new(toy(2)).unwrap());
    let one = OwnerSecret::generate(&sessions[0], 2).unwrap();
    let [again, other] = sessions.each_ref().map(|session| one.in_session(session).unwrap());
    let coefficients = |it: &OwnerSecret| it.secret().coefficients().to_vec();
    assert_eq!(coefficients(&one), coefficients(&other));
    let shares = [one, again, other].map(|mut secret| {
        let (mut first, mut keys) = (Vec::new(), Vec::new());
        secret.write_shares(&mut first, &mut keys, Progress::silent()).unwrap();
        (first, keys)
    });
    assert!(shares[0] == shares[1] && shares[0] != shares[2]);
    let three = Session::new(toy(3)).unwrap();
    let secret = OwnerSecret::generate(&sessions[0], 1).unwrap();
    assert!(matches!(secret.in_session(&three), Err(Error::Mismatch { .. })));
}
