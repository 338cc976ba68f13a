//! Tests of PostgreSQL databases: how rows are moved there, and how connections are protected.

use std::path::Path;
use std::thread::JoinHandle;

use cryptable::Engine;
use cryptable_service::messages::State;
use cryptable_service::{Client, Limits, Service, Stopper, Store};

use crate::cluster::Cluster;
use crate::support::{User, config, squares};

/// A server of a folder that outlives the server.
struct Running(String, Stopper, Option<JoinHandle<cryptable_service::Result<()>>>);

impl Running {
    fn start(folder: &Path) -> Self {
        let service = Service::open(config(folder, Limits::default())).unwrap();
        let (url, stopper) = (format!("http://{}", service.address()), service.stopper());
        Self(url, stopper, Some(std::thread::spawn(|| service.run())))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.1.stop();
        if let Some(thread) = self.2.take() {
            let _ = thread.join();
        }
    }
}

#[test]
fn rows_of_a_folder_move_to_postgresql_and_are_served_from_there() {
    let Some(cluster) = Cluster::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let server = Running::start(folder);
    let store = Store::open(folder).unwrap();
    store.add_table("squares", &squares(4)).unwrap();
    let token = store.add_client("one").unwrap();
    // Numbers of removed rows are not reused.
    store.add_client("two").unwrap();
    store.remove_client("two").unwrap();
    let user = User::new(Client::new(&server.0, &token), Engine::Single);
    let order = user.order_of(&user.send(&[3, 2, 1]), &["squares"]);
    let job = user.wait(&user.client.order(&order).unwrap());
    let error = Store::move_to(folder, &cluster.url()).unwrap_err().to_string();
    assert!(error.contains("another server runs"), "{error}");
    drop((server, store));

    Store::move_to(folder, &cluster.url()).unwrap();
    let server = Running::start(folder);
    let user = User { client: Client::new(&server.0, &token), ..user };
    let next = user.wait(&user.client.order(&order).unwrap());
    for job in [&job, &next] {
        let found = user.client.job(&job.id).unwrap();
        assert_eq!(found.state, State::Done, "{found:?}");
        assert_eq!(user.result(&found, 0), [1, 0, 1]);
    }
    Store::open(folder).unwrap().add_client("three").unwrap();
    let mut rows = postgres::Client::connect(&cluster.url(), postgres::NoTls).unwrap();
    let mut numbers = |query: &str| -> Vec<i64> {
        rows.query(query, &[]).unwrap().iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(numbers("SELECT id FROM client ORDER BY id"), [1, 3]);
    assert_eq!(numbers("SELECT sequence FROM job ORDER BY sequence"), [1, 2]);

    let error = Store::move_to(folder, &cluster.url()).unwrap_err().to_string();
    assert!(error.contains("in PostgreSQL already"), "{error}");
    drop(server);
    let other = tempfile::tempdir().unwrap();
    Store::open(other.path()).unwrap().add_client("one").unwrap();
    let error = Store::move_to(other.path(), &cluster.url()).unwrap_err().to_string();
    assert!(error.contains("not empty"), "{error}");
    // Nothing has changed in the folder.
    assert_eq!(Store::open(other.path()).unwrap().clients().unwrap(), ["one"]);
}

#[test]
#[cfg(feature = "postgres-tls")]
fn connections_by_tls_check_the_server_and_its_name() {
    let Some(cluster) = Cluster::start_with_tls() else { return };
    let open = |url: &str| Store::open_at(tempfile::tempdir().unwrap().path(), url);
    let url = cluster.url_by_tls("localhost");
    let store = open(&url).unwrap();
    let mut rows = postgres::Client::connect(&cluster.url(), postgres::NoTls).unwrap();
    let query = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                 WHERE client_addr IS NOT NULL AND ssl AND version >= 'TLSv1.2'";
    // One connection for writes and one for reads.
    assert_eq!(rows.query_one(query, &[]).unwrap().get::<_, i64>(0), 2);
    drop(store);
    let refused = |url: &str| open(url).unwrap_err().to_string();
    let wrong_name = refused(&cluster.url_by_tls("127.0.0.1"));
    let unknown = refused(url.split_once("&sslrootcert").unwrap().0);
    for error in [wrong_name, unknown] {
        assert!(error.contains("certificate verify failed"), "{error}");
    }
    let plain = refused(&url.replace("verify-full", "disable"));
    assert!(plain.contains("no encryption") || plain.contains("no pg_hba.conf entry"), "{plain}");
    let missing = refused(&url.replace("server.crt", "no-such-file"));
    assert!(missing.contains("no-such-file"), "{missing}");
}
