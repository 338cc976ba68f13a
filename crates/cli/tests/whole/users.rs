//! Users of a server that its operator sets up by the command line, and their record of their jobs.

use std::io::Cursor;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::time::Duration;

use cryptable::{Ciphertext, Engine, SecretKey};
use cryptable_service::messages::{Job, Kind, Object, Order, State};
use cryptable_service::{Client, ClientError};
use rand::{Rng, rngs::StdRng};

use crate::requests::keys;
use crate::server::Process;
use crate::support::Workspace;

/// Modulus of all values.
pub const MODULUS: u64 = 4;

/// Output of a table for an input.
type Entry = fn(u64) -> u64;

/// Tables of the server by name, and the function of each in clear.
const TABLES: [(&str, Entry); 2] =
    [("squares", |x| x * x % MODULUS), ("backwards", |x| MODULUS - 1 - x)];

/// Adds the tables to the server's folder of a workspace.
pub fn offer_tables(workspace: &Workspace) {
    for (name, entry) in TABLES {
        let entries: String = (0..MODULUS).map(|x| format!("{}\n", entry(x))).collect();
        workspace.write("table.csv", entries);
        workspace.succeed(&format!(
            "serve table add --folder service --name {name} --table table.csv --output-modulus 4"
        ));
    }
}

/// Returns the address at which a server listens.
pub fn address(process: &Process) -> SocketAddr {
    process.url.trim_start_matches("http://").parse().unwrap()
}

/// A client of the server, whose key is on the server.
pub struct User {
    pub client: Client,
    pub token: String,
    secret: SecretKey,
    key: String,
}

/// A job that was accepted, and its expected results.
pub struct Ordered {
    pub job: Job,
    values: Vec<u64>,
    /// Results that were fetched before.
    found: Vec<Vec<u8>>,
}

impl User {
    pub fn new(workspace: &Workspace, process: &Process, name: &str) -> Self {
        let added = workspace.succeed(&format!("serve client add --folder service --name {name}"));
        let token = added.trim().to_owned();
        let client = Client::new(&process.url, &token).patience(Duration::from_secs(30));
        let (secret, file) = keys(Engine::Single, MODULUS);
        let key = client.register(&mut Cursor::new(file)).unwrap().sha256;
        Self { client, token, secret, key }
    }

    /// Returns the same user at another server.
    pub fn at(mut self, process: &Process) -> Self {
        self.client = Client::new(&process.url, &self.token).patience(Duration::from_secs(30));
        self
    }

    /// Sends files in parts of `bytes` bytes.
    pub fn in_parts_of(mut self, bytes: u64) -> Self {
        self.client = self.client.part_bytes(bytes);
        self
    }

    /// Draws random values, and encrypts them in several parts.
    pub fn draw(&self, rng: &mut StdRng) -> (Vec<u64>, Vec<u8>) {
        let (parts, each) = (rng.random_range(1..=4), rng.random_range(1..=12));
        let values: Vec<u64> = (0..parts * each).map(|_| rng.random_range(0..MODULUS)).collect();
        let file = self.encrypt(&values, each);
        (values, file)
    }

    /// Encrypts values in parts of `each`.
    pub fn encrypt(&self, values: &[u64], each: usize) -> Vec<u8> {
        let parts = values.chunks(each).map(|part| self.secret.encrypt(part).unwrap());
        Ciphertext::join(parts).unwrap().to_bytes()
    }

    /// Returns about `bytes` bytes of ciphertexts that nobody else has.
    pub fn ballast(&self, bytes: usize) -> Vec<u8> {
        let part = self.secret.encrypt(&[1; 100]).unwrap();
        let count = (bytes / part.to_bytes().len()).max(1);
        Ciphertext::join(std::iter::repeat_n(part, count)).unwrap().to_bytes()
    }

    pub fn upload(&self, file: &[u8]) -> Result<Object, ClientError> {
        let mut silent = |_| ControlFlow::Continue(());
        self.client.upload(Kind::Ciphertext, &mut Cursor::new(file), &mut silent)
    }

    /// Orders a lookup in all tables.
    pub fn order(&self, ciphertext: &Object, values: Vec<u64>) -> Ordered {
        let tables = TABLES.map(|(name, _)| name.to_owned()).into();
        let order = Order {
            key: self.key.clone(),
            ciphertext: ciphertext.sha256.clone(),
            tables,
            bits_key: None,
        };
        let job = self.client.order(&order).unwrap();
        Ordered { job, values, found: Vec::new() }
    }

    /// Waits for a job. A job fails if the server was killed twice while running it, since the job may have been the cause; it
    /// is then ordered again.
    pub fn wait(&self, ordered: &mut Ordered) {
        let mut silent = |_| ControlFlow::Continue(());
        let done = loop {
            match self.client.wait(&ordered.job.id, &mut silent) {
                Err(ClientError::Failed(reason)) if reason.contains("ended twice") => {
                    self.client.remove_job(&ordered.job.id).unwrap();
                    ordered.job = self.client.order(&ordered.job.order).unwrap();
                }
                done => break done.unwrap(),
            }
        };
        if ordered.job.state == State::Done {
            assert_eq!(done, ordered.job, "a job that was done is done once");
        }
        ordered.job = done;
    }

    /// Fetches the results of a job that is done, and checks that they are those of the tables, with the same bytes each time.
    pub fn fetch(&self, ordered: &mut Ordered) {
        for (place, (name, entry)) in TABLES.iter().enumerate() {
            let mut result = Vec::new();
            self.client.fetch(&ordered.job, place, &mut result).unwrap();
            let read = Ciphertext::from_bytes(&result).unwrap();
            let expected: Vec<u64> = ordered.values.iter().map(|&x| entry(x)).collect();
            assert_eq!(self.secret.decrypt(&read).unwrap(), expected, "{name}");
            match ordered.found.get(place) {
                Some(before) => assert_eq!(*before, result, "a result stays as it is"),
                None => ordered.found.push(result),
            }
        }
    }

    /// Looks a few values up, and removes what was sent.
    pub fn look_up(&self, rng: &mut StdRng) {
        let (values, file) = self.draw(rng);
        let sent = self.upload(&file).unwrap();
        let mut ordered = self.order(&sent, values);
        self.wait(&mut ordered);
        self.fetch(&mut ordered);
        self.client.remove_job(&ordered.job.id).unwrap();
        self.client.remove_ciphertext(&sent.sha256).unwrap();
    }

    /// Checks that exactly these jobs exist, and removes everything that the user has.
    pub fn leave(&self, ordered: &[Ordered]) {
        let ids = |jobs: Vec<Job>| {
            let mut ids: Vec<String> = jobs.into_iter().map(|job| job.id).collect();
            ids.sort();
            ids
        };
        let expected = ids(ordered.iter().map(|ordered| ordered.job.clone()).collect());
        assert_eq!(ids(self.client.jobs().unwrap()), expected);
        for id in &expected {
            self.client.remove_job(id).unwrap();
        }
        for file in self.client.ciphertexts().unwrap() {
            self.client.remove_ciphertext(&file.sha256).unwrap();
        }
        self.client.remove_key(&self.key).unwrap();
        assert!(self.client.keys().unwrap().is_empty());
    }
}
