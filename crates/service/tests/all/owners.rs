//! Tests of several owners of a key on a server, which holds both of their evaluation keys: a contributor's values, a
//! lookup, and decryption by all owners.

use std::io::Cursor;

use cryptable::bits::JointDecryption;
use cryptable::owners::{
    EvaluationKeyShares, JointAgreement, JointResult, JointSecret, JointSession, Owners,
};
use cryptable::{Engine, Progress, PublicKey, ReadOptions, Table};
use cryptable_service::messages::{Kind, Order};
use cryptable_service::{Client, Limits};

use crate::support::{Server, keys, refused, silent, upload};

/// Secrets of owners of a joint key with INSECURE toy parameters, and the files of its keys.
struct Joint {
    secrets: Vec<JointSecret>,
    public: Vec<u8>,
    values: Vec<u8>,
    bits: Vec<u8>,
}

impl Joint {
    fn new(count: u32) -> Self {
        let (owners, silent) = (Owners::new(count).unwrap(), Progress::silent());
        let session = JointSession::insecure_toy(owners, 16).unwrap();
        let generate = |owner| JointSecret::generate(&session, owner).unwrap();
        let mut secrets: Vec<_> = (1..=count).map(generate).collect();
        let (mut commitments, mut shares) = (Vec::new(), [(); 3].map(|()| Vec::new()));
        for secret in &mut secrets {
            let (mut first, mut keys) = (Vec::new(), Vec::new());
            commitments.push(secret.write_shares(&mut first, &mut keys, silent).unwrap());
            shares[0].push(first);
            shares[1].push(keys);
        }
        let all = |files: &[Vec<u8>]| {
            files.iter().map(|it| it.clone().leak() as &[u8]).collect::<Vec<_>>()
        };
        let agreement = JointAgreement::new(&session, &all(&commitments)).unwrap();
        let first = all(&shares[0]);
        for secret in &mut secrets {
            let mut share = Vec::new();
            secret.agree(&agreement).unwrap();
            secret.write_second_share(&agreement, &first, &mut share, silent).unwrap();
            shares[2].push(share);
        }
        let (keys, second) = (all(&shares[1]), all(&shares[2]));
        let of_all = EvaluationKeyShares { first: &first, keys: &keys, second: &second };
        let (mut values, mut bits) = (Vec::new(), Vec::new());
        agreement.write_evaluation_keys(of_all, &mut values, &mut bits, silent).unwrap();
        let public = PublicKey::of_owners(&agreement, &first).unwrap().to_bytes();
        Self { secrets, public, values, bits }
    }
}

#[test]
fn owners_decrypt_what_a_server_looked_up_for_them() {
    let server = Server::start(Limits::default());
    let risk = Table::from_fn(16, 5, |age| age / 4 + u64::from(age == 15)).unwrap();
    server.store().add_table("risk", &risk).unwrap();
    let joint = Joint::new(2);
    let (owners, contributor) = (server.client("hospitals"), server.client("sensor"));
    let register = |file: &[u8]| owners.register(&mut Cursor::new(file)).unwrap().sha256;
    let (key, bits) = (register(&joint.values), register(&joint.bits));
    upload(&owners, Kind::PublicKey, &joint.public).unwrap();

    // A contributor needs only the joint public key.
    let options = ReadOptions::default().allow_insecure();
    let published = contributor.public_keys().unwrap().remove(0);
    let public = contributor.fetch_public_key(&published).unwrap();
    let public = PublicKey::from_bytes(&public, options).unwrap();
    let ages: Vec<u64> = (0..1100).map(|i| i * 7 % 16).collect();
    let file = public.encrypt(&ages).unwrap().to_bytes();
    let sent = contributor.contribute("hospitals", &mut Cursor::new(file), &mut silent).unwrap();

    let order = Order {
        key,
        ciphertext: sent.sha256,
        tables: vec!["risk".into(), "risk".into()],
        bits_key: Some(bits),
    };
    let job = owners.order(&order).unwrap();
    let done = owners.wait(&job.id, &mut silent).unwrap();
    assert_eq!(done.results.len(), 2);
    for place in 0..2 {
        let mut file = Vec::new();
        owners.fetch(&done, place, &mut file).unwrap();
        let (mut rest, mut found) = (&file[..], Vec::new());
        while !rest.is_empty() {
            let (result, following) = JointResult::read_first(rest, options).unwrap();
            let plan =
                JointDecryption::new(result.parameters(), Owners::new(2).unwrap(), -40.0, 100);
            let plan = plan.unwrap();
            let part = |secret: &JointSecret| secret.partial_decryptions(&result, &plan).unwrap();
            let parts: Vec<_> = joint.secrets.iter().map(part).collect();
            assert!(result.combine(&parts[..1]).is_err());
            found.extend(result.combine(&parts).unwrap());
            rest = following;
        }
        assert!(found.iter().eq(ages.iter().map(|&age| &risk.values()[age as usize])));
    }
    // No file of a bit remains, only keys, public key, values, and two results.
    let files = std::fs::read_dir(server.folder.path().join("files")).unwrap().count();
    assert_eq!(files, 6);
    refuse_other_keys(&owners, &order);
}

/// Checks that keys that do not belong together are refused.
fn refuse_other_keys(owners: &Client, order: &Order) {
    let register = |file: &[u8]| owners.register(&mut Cursor::new(file)).unwrap().sha256;
    let refused = |order: Order| refused(owners.order(&order)).detail;
    let bits = order.bits_key.clone().unwrap();
    let three = Joint::new(3);
    let message = refused(Order { bits_key: Some(register(&three.bits)), ..order.clone() });
    assert!(message.contains("has 3 owners, not 2"), "{message}");
    let message = refused(Order { bits_key: Some(order.key.clone()), ..order.clone() });
    assert!(message.contains("not a key for bits"), "{message}");
    let message = refused(Order { key: bits, bits_key: None, ..order.clone() });
    assert!(message.contains("engine bits"), "{message}");
    let (_, plain) = keys(Engine::Packed, 16);
    let message = refused(Order { key: register(&plain), ..order.clone() });
    assert!(message.contains("owners"), "{message}");
    let message = refused(Order { bits_key: Some("0".repeat(64)), ..order.clone() });
    assert!(message.contains("evaluation key"), "{message}");
}
