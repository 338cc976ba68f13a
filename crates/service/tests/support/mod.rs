//! A server in this process, clients, and malformed requests.
#![allow(dead_code, reason = "not every test binary needs all")]

use std::fmt::Debug;
use std::io::{Cursor, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cryptable::{Ciphertext, Engine, Execution, Parameters, ReadOptions, SecretKey, Table};
use cryptable_service::messages::{Job, Kind, Object, Order};
use cryptable_service::{
    Client, ClientError, Clock, Config, Limits, Problem, Service, Stopper, Store,
};
use tempfile::TempDir;

/// A server and its folder.
pub struct Server {
    pub folder: TempDir,
    pub address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<cryptable_service::Result<()>>>,
}

impl Server {
    pub fn start(limits: Limits) -> Self {
        Self::start_at(limits, Clock::system())
    }

    /// Starts a server with a table of squares.
    pub fn with_squares(limits: Limits) -> Self {
        let server = Self::start(limits);
        server.store().add_table("squares", &squares(4)).unwrap();
        server
    }

    pub fn start_at(limits: Limits, clock: Clock) -> Self {
        Self::start_with(limits, |config| Config { clock, ..config })
    }

    pub fn start_with(limits: Limits, change: impl FnOnce(Config) -> Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = change(config(folder.path(), limits));
        let config = with_database(config);
        let service = Service::open(config).unwrap();
        let (address, stopper) = (service.address(), service.stopper());
        let thread = Some(std::thread::spawn(|| service.run()));
        Self { folder, address, stopper, thread }
    }

    pub fn store(&self) -> Store {
        Store::open(self.folder.path()).unwrap()
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn client(&self, name: &str) -> Client {
        Client::new(&self.url(), &self.store().add_client(name).unwrap())
            .patience(Duration::from_secs(20))
    }

    /// Tells the server to end.
    pub fn stop(&self) {
        self.stopper.stop();
    }

    /// Sends a request verbatim and returns status and body. The connection is closed for writing afterwards.
    pub fn raw(&self, request: impl AsRef<[u8]>) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_ref()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        answer(&mut stream)
    }

    /// Sends a request verbatim and returns head and body.
    pub fn whole(&self, request: impl AsRef<[u8]>) -> (String, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_ref()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head.to_owned(), body.to_owned())
    }

    /// Sends a request with a body.
    pub fn send(
        &self,
        line: &str,
        token: &str,
        headers: &str,
        body: impl AsRef<[u8]>,
    ) -> (u16, String) {
        send(self.address, (line, token), headers, body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Gives a server a new database in the PostgreSQL server that `CRYPTABLE_TEST_POSTGRES` names, if the server has none.
/// All tests pass with it, except those that read SQLite's database themselves.
fn with_database(config: Config) -> Config {
    let Ok(url) = std::env::var("CRYPTABLE_TEST_POSTGRES") else { return config };
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let made =
        Command::new("psql").args(["-qc", &format!("CREATE DATABASE {name}"), &url]).status();
    assert!(made.unwrap().success());
    let (place, _) = url.rsplit_once('/').unwrap();
    let database = config.database.or_else(|| Some(format!("{place}/{name}")));
    Config { database, ..config }
}

/// Environment variable that tells a process of [`Process`] its folder.
const FOLDER: &str = "CRYPTABLE_TEST_SERVICE_FOLDER";

/// Returns the folder of this process, if it was started by [`Process`].
pub fn process_folder() -> Option<PathBuf> {
    Some(std::env::var_os(FOLDER)?.into())
}

/// A process that runs one ignored test of this program until it is killed.
pub struct Process(Child);

impl Process {
    pub fn start(test: &str, folder: &Path) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--ignored", "--quiet"]);
        let child = command.env(FOLDER, folder).stdout(Stdio::null()).spawn().unwrap();
        Self(child)
    }

    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Sends a request with a body and a token to a server at this address.
pub fn send(
    address: SocketAddr,
    (line, token): (&str, &str),
    headers: &str,
    body: impl AsRef<[u8]>,
) -> (u16, String) {
    let body = body.as_ref();
    let head = format!(
        "{line} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\
         connection: close\r\n{headers}\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let _ = stream.write_all(body);
    answer(&mut stream)
}

/// Waits until a condition holds.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(20), "not so after 20 s: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns status and body of an answer.
pub fn answer(stream: &mut TcpStream) -> (u16, String) {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok());
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status.unwrap_or(0), body.to_owned())
}

pub fn config(folder: &Path, limits: Limits) -> Config {
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let options = ReadOptions::default().allow_insecure();
    Config { limits, options, ..Config::new(folder, listen) }
}

/// Ignores progress.
pub fn silent(_: f64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Returns the problem with which a server refuses a request.
pub fn refused(outcome: Result<impl Debug, ClientError>) -> Problem {
    match outcome {
        Err(ClientError::Refused(problem)) => problem,
        other => panic!("not refused: {other:?}"),
    }
}

/// Sends a file.
pub fn upload(client: &Client, kind: Kind, file: impl AsRef<[u8]>) -> Result<Object, ClientError> {
    client.upload(kind, &mut Cursor::new(file), &mut silent)
}

/// A client with its own keys for tables of four values.
pub struct User {
    pub client: Client,
    pub secret: SecretKey,
    /// Name of the evaluation key on the server.
    pub key: String,
}

impl User {
    /// Generates keys of an engine, and registers the evaluation key.
    pub fn new(client: Client, engine: Engine) -> Self {
        let (secret, key) = keys(engine, 4);
        let key = client.register(&mut Cursor::new(key)).unwrap().sha256;
        Self { client, secret, key }
    }

    /// Sends values and returns the digest of their file.
    pub fn send(&self, values: &[u64]) -> String {
        let file = self.secret.encrypt(values).unwrap().to_bytes();
        upload(&self.client, Kind::Ciphertext, file).unwrap().sha256
    }

    /// Returns an order for lookups of a file in some tables.
    pub fn order_of(&self, ciphertext: &str, tables: &[&str]) -> Order {
        let tables = tables.iter().map(|&name| name.to_owned()).collect();
        let (key, ciphertext) = (self.key.clone(), ciphertext.to_owned());
        Order { key, ciphertext, tables, bits_key: None }
    }

    /// Waits until a job is done.
    pub fn wait(&self, job: &Job) -> Job {
        self.client.wait(&job.id, &mut silent).unwrap()
    }

    /// Fetches and decrypts a result of a job that is done.
    pub fn result(&self, job: &Job, place: usize) -> Vec<u64> {
        let mut result = Vec::new();
        self.client.fetch(job, place, &mut result).unwrap();
        self.secret.decrypt(&Ciphertext::from_bytes(&result).unwrap()).unwrap()
    }

    /// Returns the squares of values, computed by the server.
    pub fn squares(&self, values: &[u64]) -> Vec<u64> {
        let encrypted = self.secret.encrypt(values).unwrap();
        let result = self.client.lookup(&self.key, &encrypted, "squares").unwrap();
        self.secret.decrypt(&result).unwrap()
    }
}

/// Returns keys with INSECURE toy parameters: the client's key, and the file of the server's.
pub fn keys(engine: Engine, modulus: u64) -> (SecretKey, Vec<u8>) {
    let parameters = Parameters::insecure_toy(engine, modulus, modulus).unwrap();
    let secret = SecretKey::generate(parameters);
    let mut file = Vec::new();
    secret.write_evaluation_key(&mut file, Execution::default()).unwrap();
    (secret, file)
}

pub fn squares(modulus: u64) -> Table {
    Table::from_fn(modulus, modulus, |x| x * x % modulus).unwrap()
}

/// Returns the token of a new client.
pub fn token(server: &Server) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!("client-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    server.store().add_client(&name).unwrap()
}
