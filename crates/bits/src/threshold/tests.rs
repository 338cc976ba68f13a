//! Shares of holders on a toy ring: masks and refusals.

use cryptable_ckks::encryption::slots_of_phase;
use cryptable_lattice::owners::{Agreement, Session};
use cryptable_lattice::{Error, Progress};

use super::*;
use crate::SecretKey;

fn insecure() -> ReadOptions {
    ReadOptions::default().allow_insecure()
}

fn of(count: u32) -> Owners {
    Owners::new(count).unwrap()
}

/// Secrets of owners who agreed, on a toy ring.
fn owners(count: u32) -> Vec<OwnerSecret<Parameters>> {
    let parameters = Parameters::insecure_toy_throughput_of(of(count)).unwrap();
    let session = Session::new(parameters).unwrap();
    let secret = |owner| OwnerSecret::generate(&session, owner).unwrap();
    let mut secrets: Vec<_> = (1..=count).map(secret).collect();
    let commit = |secret: &mut OwnerSecret<_>| {
        let (mut first, mut keys) = (std::io::sink(), std::io::sink());
        secret.write_shares(&mut first, &mut keys, Progress::silent()).unwrap()
    };
    let commitments: Vec<_> = secrets.iter_mut().map(commit).collect();
    assert!(deal(&secrets[0], of(count), 1).unwrap_err().to_string().contains("not agreed"));
    let agreement = Agreement::new(&session, &commitments).unwrap();
    secrets.iter_mut().for_each(|secret| secret.agree(&agreement).unwrap());
    secrets
}

fn dealt(secrets: &[OwnerSecret<Parameters>], holders: u32, holder: u32) -> Vec<Vec<u8>> {
    secrets.iter().map(|it| deal(it, of(holders), holder).unwrap().to_vec()).collect()
}

fn receive(files: &[Vec<u8>]) -> Result<ThresholdSecret> {
    let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    ThresholdSecret::of_dealt(&files, insecure())
}

/// Any two of four holders of two owners' secrets know the whole secret together. Each of their messages is masked, and
/// the messages add up to the product with the secret plus flooding of the planned variance. No two quorums share
/// flooding.
#[test]
fn messages_are_masked_but_for_their_sum() {
    let secrets = owners(2);
    let parameters = secrets[0].session().parameters();
    let key = SecretKey::generate(parameters);
    let server = key.evaluation_key(Progress::silent()).unwrap();
    let boot = server.bin_boot(&key.encrypt(&[true]).unwrap()).unwrap();
    let bits = server.prepare_decryption(&boot).unwrap();
    let holder = |number| {
        // The bits are taken for those of the joint key.
        ThresholdSecret { key_id: key.id(), ..receive(&dealt(&secrets, 4, number)).unwrap() }
    };
    let holders: Vec<_> = (1..=4).map(holder).collect();
    let (ring, c1) = (parameters.ring(), &bits.ciphertext().parts.c1);
    let mut of_secret: Poly<Evaluations> = Poly::zero(&ring, c1.basis());
    for secret in &secrets {
        of_secret.add_assign(&ring, &secret.secret().evaluations(&ring, c1.basis()));
    }
    of_secret.mul_assign(&ring, c1);
    // Modulo two limbs only, after a division by the two others.
    let divisor: f64 = (2..4).map(|index| ring.main_prime(index) as f64).product();
    let size = |poly: Poly<Evaluations>| {
        let slots = slots_of_phase(&ring, &poly.divide_round(&ring, 2), 1.0, 512);
        slots.iter().map(|slot| slot.norm_sqr()).sum::<f64>() / (512.0 * 1024.0)
    };
    let mut floods: Vec<Poly<Evaluations>> = Vec::new();
    for members in [[1, 2], [4, 2], [3, 4]] {
        let members = members.map(|number: u32| &holders[number as usize - 1]);
        let numbers = members.map(ThresholdSecret::holder);
        let plan = members[0].plan(-40.0, 65_536).unwrap();
        let part = |it: &ThresholdSecret| {
            it.partial_decryption(&bits, &plan, it.quorum(&numbers).unwrap()).unwrap()
        };
        let parts = members.map(part);
        assert!(parts[0] == part(members[0]));
        let variance = 2.0 * plan.flooding().variance() / (divisor * divisor) + 1.0 / 12.0;
        let mut sum = parts[0].sum().clone();
        sum.add_assign(&ring, parts[1].sum());
        sum.sub_assign(&ring, &of_secret);
        let ratio = size(sum.clone()) / variance;
        assert!((ratio - 1.0).abs() < 5.0 / 512f64.sqrt(), "{numbers:?}: {ratio}");
        for (it, part) in members.iter().zip(&parts) {
            let quorum = it.quorum(&numbers).unwrap();
            let mut share = it.share.clone();
            share.for_each_limb(&ring, |modulus, words| {
                let weight = quorum.weight(it.holder, modulus);
                words.iter_mut().for_each(|word| *word = modulus.mul(*word, weight));
            });
            share.mul_assign(&ring, c1);
            let mut alone = part.sum().clone();
            alone.sub_assign(&ring, &share);
            assert!(size(alone) > 1e6 * variance, "a message without a mask");
        }
        assert!(floods.iter().all(|other| *other != sum));
        floods.push(sum);
    }
}

#[test]
fn shares_of_others_are_refused_by_name() {
    let secrets = owners(2);
    let files = dealt(&secrets, 3, 2);
    let secret = receive(&files).unwrap();
    let (bytes, again) = (secret.to_bytes(), dealt(&secrets, 3, 2));
    assert!(again == files);
    // More holders later have no influence on shares of earlier ones.
    let more = receive(&dealt(&secrets, 5, 2)).unwrap();
    assert!(more.share == secret.share && more.seeds == secret.seeds);
    let read = ThresholdSecret::from_bytes(&bytes, insecure()).unwrap();
    assert!(read.to_bytes() == bytes && read.holder() == 2 && read.holders() == of(3));
    assert!(ThresholdSecret::from_bytes(&bytes, ReadOptions::default()).is_err());
    assert!(ThresholdSecret::from_bytes(&files[0], insecure()).is_err());
    for index in [0, 100, bytes.len() - 40] {
        let mut damaged = bytes.to_vec();
        damaged[index] ^= 1;
        assert!(ThresholdSecret::from_bytes(&damaged, insecure()).is_err());
    }
    let message = |files: &[Vec<u8>]| receive(files).unwrap_err().to_string();
    let [first, second] = [0, 1].map(|index| files[index].clone());
    assert!(message(&[]).contains("dealt share of owner 1 is missing"));
    assert!(message(std::slice::from_ref(&first)).contains("dealt share of owner 2 is missing"));
    let twice = message(&[first.clone(), second, first.clone()]);
    assert!(twice.contains("two messages of owner 1"), "{twice}");
    let other = deal(&secrets[1], of(3), 3).unwrap().to_vec();
    assert!(message(&[first.clone(), other]).contains("holder of a dealt share"));
    let other = deal(&secrets[1], of(4), 2).unwrap().to_vec();
    assert!(message(&[first.clone(), other]).contains("number of holders"));
    let other = deal(&owners(2)[1], of(3), 2).unwrap().to_vec();
    assert!(matches!(receive(&[first, other]), Err(Error::OtherClient { .. })));
    assert!(deal(&secrets[0], of(3), 4).is_err() && deal(&secrets[0], of(1), 1).is_err());
    assert!(secret.quorum(&[1, 3]).unwrap_err().to_string().contains("holder 2 is not one"));
}
