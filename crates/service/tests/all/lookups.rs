//! Tests of clients that follow the interface.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::ControlFlow;

use cryptable::{Ciphertext, Engine};
use cryptable_service::messages::{Kind, Order, State};
use cryptable_service::{Client, Limits, OPENAPI};

use crate::support::{Server, User, keys, refused, squares};

#[test]
fn a_lookup_over_http_is_the_table_on_every_engine() {
    let server = Server::with_squares(Limits::default());
    let client = server.client("one");
    assert_eq!(client.tables().unwrap()[0].name, "squares");
    for engine in Engine::ALL {
        let user = User::new(client.clone(), engine);
        assert_eq!(user.squares(&[0, 1, 2, 3, 3, 2, 1, 0]), [0, 1, 0, 1, 1, 0, 1, 0], "{engine}");
    }
}

#[test]
fn several_tables_and_ranges_of_results() {
    let server = Server::start(Limits::default());
    let store = server.store();
    store.add_table("squares", &squares(16)).unwrap();
    let halves = cryptable::Table::from_fn(16, 16, |x| x / 2).unwrap();
    store.add_table("halves", &halves).unwrap();
    let token = store.add_client("one").unwrap();
    let client = Client::new(&server.url(), &token);
    let (secret, key) = keys(Engine::Leveled, 16);
    let key = client.register(&mut Cursor::new(key)).unwrap();
    let mut seen = Vec::new();
    let bytes = secret.encrypt(&[5, 15]).unwrap().to_bytes();
    let mut progress = |share| {
        seen.push(share);
        ControlFlow::Continue(())
    };
    let sent = client.upload(Kind::Ciphertext, &mut Cursor::new(bytes), &mut progress).unwrap();
    let tables = vec!["squares".to_owned(), "halves".to_owned()];
    let order = Order { key: key.sha256, ciphertext: sent.sha256, tables, bits_key: None };
    let job = client.order(&order).unwrap();
    let job = client.wait(&job.id, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!((job.state, job.progress, job.results.len()), (State::Done, 1.0, 2));
    for (place, expected) in [[9, 1], [2, 7]].into_iter().enumerate() {
        let mut result = Vec::new();
        client.fetch(&job, place, &mut result).unwrap();
        let decrypted = secret.decrypt(&Ciphertext::from_bytes(&result).unwrap()).unwrap();
        assert_eq!(decrypted, expected);
    }
    let path = format!("GET /v1/jobs/{}/results/0", job.id);
    let (status, part) = server.send(&path, &token, "range: bytes=0-7\r\n", "");
    assert_eq!((status, part.as_str()), (206, "CRYPTCTS"));
    assert_eq!(server.send(&path, &token, "range: bytes=99999999-\r\n", "").0, 416);
    client.remove_job(&job.id).unwrap();
    assert_eq!(refused(client.job(&job.id)).status, 404);
}

#[test]
fn signed_tables_take_and_give_signed_values() {
    let server = Server::start(Limits::default());
    let halves = cryptable::Table::from_signed_fn(16, 16, |x| x / 2).unwrap();
    for (name, outputs) in [("halves", true), ("residues", false)] {
        server.store().add_table(name, &halves.clone().with_signs(true, outputs)).unwrap();
    }
    let client = server.client("one");
    let signs = client.tables().unwrap();
    let signs = signs.iter().map(|table| (table.signed_inputs, table.signed_outputs));
    assert_eq!(signs.collect::<Vec<_>>(), [(true, true), (true, false)]);
    let (secret, key) = keys(Engine::Leveled, 16);
    let key = client.register(&mut Cursor::new(key)).unwrap().sha256;
    let values = secret.encrypt_signed(&[-5, 7]).unwrap();
    let found = client.lookup(&key, &values, "halves").unwrap();
    assert_eq!(secret.decrypt_signed(&found).unwrap(), [-2, 3]);
    let found = client.lookup(&key, &values, "residues").unwrap();
    assert_eq!((found.is_signed(), secret.decrypt(&found).unwrap()), (false, vec![14, 3]));
    let error = client.lookup(&key, &secret.encrypt(&[1]).unwrap(), "halves").unwrap_err();
    assert!(error.to_string().contains("takes signed values, but these are unsigned"), "{error}");
}

#[test]
fn no_client_sees_objects_of_others() {
    let server = Server::with_squares(Limits::default());
    let (owner, other) = (server.client("owner"), server.client("other"));
    let owner = User::new(owner, Engine::Single);
    let order = owner.order_of(&owner.send(&[1]), &["squares"]);
    let done = owner.wait(&owner.client.order(&order).unwrap());
    assert_eq!(refused(other.job(&done.id)).status, 404);
    assert_eq!(refused(other.fetch(&done, 0, &mut Vec::new())).status, 404);
    assert_eq!(refused(other.remove_job(&done.id)).status, 404);
    assert_eq!(refused(other.remove_key(&order.key)).status, 404);
    assert_eq!(refused(other.order(&order)).status, 404);
    let token = crate::support::token(&server);
    for path in ["keys", "ciphertexts", "jobs"] {
        let (status, list) = server.send(&format!("GET /v1/{path}"), &token, "", "");
        assert_eq!((status, list.as_str()), (200, "[]"), "{path}");
    }
    // The client is removed with all its rows and files.
    server.store().remove_client("owner").unwrap();
    assert_eq!(refused(owner.client.job(&done.id)).status, 401);
    assert_eq!(std::fs::read_dir(server.folder.path().join("files")).unwrap().count(), 0);
}

#[test]
fn many_clients_at_once() {
    const CLIENTS: u64 = 6;
    let server = Server::with_squares(Limits::default());
    std::thread::scope(|scope| {
        for index in 0..CLIENTS {
            let client = server.client(&format!("client-of-load-{index}"));
            scope.spawn(move || {
                let user = User::new(client, Engine::Single);
                for round in 0..3 {
                    let values = [index % 4, round];
                    assert_eq!(user.squares(&values), values.map(|x| x * x % 4));
                }
            });
        }
    });
    let (status, metrics) = server.send("GET /metrics", "", "", "");
    assert_eq!(status, 200);
    let done = format!("cryptable_finished_jobs_total {}\n", 3 * CLIENTS);
    assert!(metrics.contains(&done), "{metrics}");
}

#[test]
fn the_description_has_every_address_and_no_other() {
    let server = Server::start(Limits::default());
    let description: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
    let mut described = BTreeSet::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            described.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let open = ["GET /healthz", "GET /metrics", "GET /v1/openapi.json"];
    for line in &described {
        let path = line.replace("{place}", "0").replace(['{', '}'], "");
        let expected = if open.contains(&line.as_str()) { 200 } else { 401 };
        assert_eq!(server.send(&path, "none", "", "").0, expected, "{line}");
    }
    // The description has the same number of operations as the source.
    let source = include_str!("../../src/http.rs");
    // `list` has one method, and `one` has two.
    let methods = ["get(", "post(", "head(", "patch(", "delete(", "list(", "one(", "one("];
    let routes = source.split("Router::new()").nth(1).unwrap().split(".fallback").next().unwrap();
    let count: usize = methods.iter().map(|method| routes.matches(method).count()).sum();
    assert_eq!(count, described.len());
}
