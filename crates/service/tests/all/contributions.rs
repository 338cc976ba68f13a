//! Tests of public keys that clients publish, and of files that others contribute to them.

use std::io::Cursor;

use cryptable::{Engine, PublicKey, ReadOptions, SecretKey};
use cryptable_service::messages::{Kind, Object};
use cryptable_service::{Client, ClientError, Limits};

use crate::support::{Server, User, keys, refused, silent, upload};

fn contribute(client: &Client, recipient: &str, file: &[u8]) -> Result<Object, ClientError> {
    client.contribute(recipient, &mut Cursor::new(file), &mut silent)
}

/// Returns a client who publishes a public key.
fn owner(server: &Server, name: &str, engine: Engine) -> User {
    let owner = User::new(server.client(name), engine);
    upload(&owner.client, Kind::PublicKey, owner.secret.public_key().unwrap().to_bytes()).unwrap();
    owner
}

#[test]
fn a_contributor_needs_nothing_of_the_owner_but_the_published_key() {
    let server = Server::with_squares(Limits::default());
    for engine in Engine::ALL {
        let name = format!("clinic-of-{engine}");
        let owner = owner(&server, &name, engine);
        let contributor = server.client(&format!("sensor-of-{engine}"));
        let published = contributor.public_keys().unwrap();
        let published = published.iter().find(|it| it.owner == name).unwrap();
        assert_eq!(published.key.about.key_id, owner.secret.id().to_string());
        let file = contributor.fetch_public_key(published).unwrap();
        let toys = ReadOptions::default().allow_insecure();
        let public = PublicKey::from_bytes(&file, toys).unwrap();
        let values = public.encrypt(&[3, 1, 2]).unwrap().to_bytes();
        let sent = contribute(&contributor, &name, &values).unwrap();
        assert_eq!((sent.recipient.as_deref(), sent.contributor), (Some(name.as_str()), None));

        // The owner sees who sent the file, and looks it up.
        let received = owner.client.ciphertexts().unwrap();
        let names = (received[0].contributor.clone(), received[0].recipient.clone());
        assert_eq!((received.len(), names), (1, (Some(format!("sensor-of-{engine}")), None)));
        let order = owner.order_of(&received[0].sha256, &["squares"]);
        let done = owner.wait(&owner.client.order(&order).unwrap());
        assert_eq!(owner.result(&done, 0), [1, 1, 0], "{engine}");
        // The contributor sees its file, but neither job nor key.
        assert!(contributor.jobs().unwrap().is_empty() && contributor.keys().unwrap().is_empty());
        assert_eq!(contributor.ciphertexts().unwrap().len(), 1);
        // Either of them can remove it.
        let remover = if engine == Engine::Packed { &owner.client } else { &contributor };
        remover.remove_ciphertext(&sent.sha256).unwrap();
        assert!(owner.client.ciphertexts().unwrap().is_empty());
        assert!(contributor.ciphertexts().unwrap().is_empty());
    }
}

#[test]
fn what_does_not_belong_to_the_recipient_is_refused() {
    let server = Server::start(Limits::default());
    let clinic = owner(&server, "clinic", Engine::Single);
    let (contributor, other) = (server.client("sensor"), server.client("other"));
    let values = clinic.secret.encrypt(&[1]).unwrap().to_bytes();
    // Clients who publish nothing cannot be distinguished from clients who do not exist.
    for name in ["other", "nobody"] {
        let problem = refused(contribute(&contributor, name, &values));
        assert_eq!(problem.status, 404, "{problem}");
    }
    // The file is encrypted for another secret key.
    let (stranger, _) = keys(Engine::Single, 4);
    let strange = stranger.encrypt(&[1]).unwrap().to_bytes();
    let problem = refused(contribute(&contributor, "clinic", &strange));
    assert!(problem.to_string().contains("publishes no public key"), "{problem}");
    assert!(contributor.ciphertexts().unwrap().is_empty());
    // A file sent for oneself can be contributed afterwards, but never to a client with another key.
    upload(&contributor, Kind::Ciphertext, &strange).unwrap();
    refused(contribute(&contributor, "clinic", &strange));
    upload(&contributor, Kind::Ciphertext, &values).unwrap();
    assert!(clinic.client.ciphertexts().unwrap().is_empty());
    contribute(&contributor, "clinic", &values).unwrap();
    assert_eq!(clinic.client.ciphertexts().unwrap().len(), 1);
    let public = clinic.secret.public_key().unwrap().to_bytes();
    upload(&other, Kind::PublicKey, &public).unwrap();
    let problem = refused(contribute(&contributor, "other", &values));
    assert!(problem.to_string().contains("for clinic already"), "{problem}");
    assert!(other.ciphertexts().unwrap().is_empty());
    // A key has no recipient, and neither does a public key.
    let token = server.store().add_client("raw").unwrap();
    let announced = format!(
        r#"{{"kind":"public-key","length":5,"sha256":"{}","recipient":"clinic"}}"#,
        "0".repeat(64)
    );
    let (status, problem) = server.send("POST /v1/uploads", &token, "", announced);
    assert!(status == 400 && problem.contains("recipient is for files"), "{problem}");
    let mut evaluation = Vec::new();
    clinic.secret.write_evaluation_key(&mut evaluation, Default::default()).unwrap();
    let secret = clinic.secret.to_bytes();
    for file in [&evaluation[..], &values, &secret, &public[..40]] {
        let problem = refused(upload(&other, Kind::PublicKey, file));
        assert!((400..500).contains(&problem.status), "{problem}");
    }
    let gates = SecretKey::generate(cryptable::gates::Parameters::insecure_toy());
    let gates = gates.public_key().unwrap().to_bytes();
    let problem = refused(upload(&other, Kind::PublicKey, &gates));
    assert!(problem.to_string().contains("not a public key of lookups"), "{problem}");
}

#[test]
fn keys_and_contributions_go_with_their_clients() {
    let server = Server::start(Limits::default());
    let clinic = owner(&server, "clinic", Engine::Leveled);
    let (sensor, reader) = (server.client("sensor"), server.client("reader"));
    let values = clinic.secret.encrypt(&[1]).unwrap().to_bytes();
    contribute(&sensor, "clinic", &values).unwrap();
    // The recipient's own copy, and that of another contributor, are separate files.
    contribute(&reader, "clinic", &values).unwrap();
    upload(&clinic.client, Kind::Ciphertext, &values).unwrap();
    assert_eq!(clinic.client.ciphertexts().unwrap().len(), 3);
    server.store().remove_client("reader").unwrap();
    assert_eq!(clinic.client.ciphertexts().unwrap().len(), 2);
    let key = sensor.public_keys().unwrap().remove(0);
    assert_eq!(refused(sensor.remove_public_key(&key.key.sha256)).status, 404);
    clinic.client.remove_public_key(&key.key.sha256).unwrap();
    assert!(sensor.public_keys().unwrap().is_empty());
    assert_eq!(refused(sensor.fetch_public_key(&key)).status, 404);
    assert_eq!(refused(contribute(&sensor, "clinic", &values)).status, 404);
    // The file stays with its contributor when the recipient is removed.
    server.store().remove_client("clinic").unwrap();
    let left = sensor.ciphertexts().unwrap();
    assert_eq!((left.len(), &left[0].recipient), (1, &None));
}
