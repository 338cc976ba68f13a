//! A client of the service, which waits, retries, and resumes interrupted transfers.

mod address;
mod error;
mod requests;

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use cryptable::Ciphertext;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::{Request, Response};
use ureq::{Agent, Body};

pub use self::error::ClientError;
use self::error::Result;
use self::requests::{
    RequestParts, check, complete, copy, digest, is_later, is_passing, json, next_page,
};
use crate::Problem;
use crate::identifiers::new_id;
use crate::messages::{
    Announcement, Job, Kind, Object, Order, PublishedKey, State, TableInfo, Upload,
};

/// Default number of bytes per part of an upload.
const PART: u64 = 8 << 20;

/// Largest number of entries of a list that is accepted from a server.
const MAX_LISTED: usize = 1_000_000;

/// First and longest pause before a retry.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A callback that receives the share of work done, 0 to 1, and may stop the call.
pub type OnProgress<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// A client of one server, with its token.
///
/// Every call fails if the server refuses it or cannot be reached.
///
/// ```no_run
/// use cryptable::{EvaluationKey, ReadOptions};
/// use cryptable_service::Client;
/// # fn run(encrypted: &cryptable::Ciphertext) -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::new("http://127.0.0.1:8080", "TOKEN");
/// let key = client.register(&mut std::fs::File::open("server.key")?)?;
/// let result = client.lookup(&key.sha256, encrypted, "risk")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    url: String,
    token: String,
    plain_http: bool,
    patience: Duration,
    part: u64,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client({}, token redacted)", self.url)
    }
}

impl Client {
    /// Creates a client of the server at `url`, such as `http://127.0.0.1:8080`.
    ///
    /// Addresses such as `https://lookups.example` need the feature `tls`, which uses the system's TLS library and its
    /// trusted certificates.
    #[must_use]
    pub fn new(url: &str, token: &str) -> Self {
        let url = url.trim_end_matches('/').to_owned();
        let (agent, token, patience) =
            (address::agent(&url), token.to_owned(), Duration::from_secs(60));
        Self { agent, url, token, plain_http: false, patience, part: PART }
    }

    /// Checks the address without connecting. Every call does this first.
    ///
    /// ```
    /// use cryptable_service::Client;
    /// assert!(Client::new("http://127.0.0.1:8080", "TOKEN").check_address().is_ok());
    /// assert!(Client::new("lookups.example", "TOKEN").check_address().is_err());
    /// let exposed = Client::new("http://lookups.example", "TOKEN");
    /// assert!(exposed.check_address().is_err() && exposed.plain_http().check_address().is_ok());
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Address`] if this build cannot use the address, or if the token would be sent without encryption.
    pub fn check_address(&self) -> Result<()> {
        address::check(&self.url, self.plain_http)
    }

    /// Allows the client to send the token and files without TLS to another machine, directly or through the proxy that
    /// the environment names. Anyone on the way can read them. Refused by default. A server on this machine is always
    /// reached directly.
    #[must_use]
    pub fn plain_http(mut self) -> Self {
        self.plain_http = true;
        self
    }

    /// Sets how long to keep trying to reach a server that does not answer. Default: one minute.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets the number of bytes per part of an upload, which is the most that an interruption may cost. Default: 8 MiB.
    #[must_use]
    pub fn part_bytes(mut self, bytes: u64) -> Self {
        self.part = bytes.max(1);
        self
    }

    /// Returns all tables of the server.
    pub fn tables(&self) -> Result<Vec<TableInfo>> {
        self.get("/v1/tables")
    }

    /// Returns all evaluation keys that this client registered.
    pub fn keys(&self) -> Result<Vec<Object>> {
        self.list("/v1/keys")
    }

    /// Returns all files of ciphertexts that this client sent.
    pub fn ciphertexts(&self) -> Result<Vec<Object>> {
        self.list("/v1/ciphertexts")
    }

    /// Returns all jobs of this client that still exist, oldest first.
    pub fn jobs(&self) -> Result<Vec<Job>> {
        self.list("/v1/jobs")
    }

    /// Sends an evaluation key, unless the server already has it.
    pub fn register(&self, key: &mut (impl Read + Seek)) -> Result<Object> {
        self.upload(Kind::EvaluationKey, key, &mut |_| ControlFlow::Continue(()))
    }

    /// Looks up all values of `input` in the table named `table`, with the key whose SHA-256 digest is `key`.
    ///
    /// # Errors
    /// If the server refuses or cannot be reached, or the job fails.
    pub fn lookup(&self, key: &str, input: &Ciphertext, table: &str) -> Result<Ciphertext> {
        let mut silent = |_| ControlFlow::Continue(());
        let bytes = input.to_bytes();
        let sent = self.upload(Kind::Ciphertext, &mut io::Cursor::new(bytes), &mut silent)?;
        let order = Order {
            key: key.to_owned(),
            ciphertext: sent.sha256.clone(),
            tables: vec![table.to_owned()],
            bits_key: None,
        };
        let job = self.order(&order)?;
        let done = self.wait(&job.id, &mut silent)?;
        let mut result = Vec::new();
        self.fetch(&done, 0, &mut result)?;
        let result = Ciphertext::from_bytes(&result)?;
        // The result has arrived, so errors of the clean-up are ignored. Another lookup may still need the file, and
        // will remove it later.
        let _ = self.remove_job(&job.id);
        let _ = self.remove_ciphertext(&sent.sha256);
        Ok(result)
    }

    /// Returns the public keys of all clients who publish one.
    pub fn public_keys(&self) -> Result<Vec<PublishedKey>> {
        self.list("/v1/public-keys")
    }

    /// Fetches the file of a public key, and checks that its digest is the listed one. Only the owner can confirm, over
    /// another channel, that the key is genuine.
    ///
    /// # Errors
    /// If the server refuses or cannot be reached, or sends another file.
    pub fn fetch_public_key(&self, published: &PublishedKey) -> Result<Vec<u8>> {
        let path = format!("/v1/public-keys/{}/file", published.key.sha256);
        let mut response = check(self.patiently(&self.request("GET", &path), &[])?)?;
        let mut file = Vec::new();
        let mut rest = response.body_mut().as_reader().take(published.key.bytes);
        rest.read_to_end(&mut file)?;
        match digest(&mut io::Cursor::new(&file))?.0 == published.key.sha256 {
            true => Ok(file),
            false => Err(ClientError::Answer("a public key of another digest".into())),
        }
    }

    /// Sends a file in parts, starting where an interrupted upload ended.
    ///
    /// # Errors
    /// If the file cannot be read, if the server refuses or cannot be reached, or [`ClientError::Cancelled`] if
    /// `progress` stops the upload.
    pub fn upload(
        &self,
        kind: Kind,
        file: &mut (impl Read + Seek),
        progress: OnProgress<'_>,
    ) -> Result<Object> {
        self.send(kind, None, file, progress)
    }

    /// Sends a file of ciphertexts for another client, with whose published public key it was encrypted. The file
    /// counts against this client's limits. The recipient sees who sent it, and can order lookups on it.
    ///
    /// # Errors
    /// If the recipient publishes no public key for the file's secret key; other errors as for [`Client::upload`].
    pub fn contribute(
        &self,
        recipient: &str,
        file: &mut (impl Read + Seek),
        progress: OnProgress<'_>,
    ) -> Result<Object> {
        self.send(Kind::Ciphertext, Some(recipient.to_owned()), file, progress)
    }

    fn send(
        &self,
        kind: Kind,
        recipient: Option<String>,
        file: &mut (impl Read + Seek),
        progress: OnProgress<'_>,
    ) -> Result<Object> {
        let (sha256, length) = digest(file)?;
        let announced = Announcement { kind, length, sha256, recipient };
        let (mut start, mut reached) = (Instant::now(), 0);
        loop {
            let upload: Upload = self.post("/v1/uploads", &announced)?;
            if upload.offset > reached {
                (start, reached) = (Instant::now(), upload.offset);
            }
            let Some(id) = upload.id else {
                return self.get(&format!("/v1/{}/{}", kind.folder(), announced.sha256));
            };
            let sent = self
                .send_parts(&id, upload.offset, length, file, progress)
                .and_then(|()| self.answer(self.once(&self.request("POST", &complete(&id)), &[])?));
            match sent {
                // Ask the server again how much it has received.
                Err(error) if is_passing(&error) && start.elapsed() < self.patience => {
                    std::thread::sleep(FIRST_PAUSE);
                }
                other => return other,
            }
        }
    }

    fn send_parts(
        &self,
        id: &str,
        offset: u64,
        length: u64,
        file: &mut (impl Read + Seek),
        progress: OnProgress<'_>,
    ) -> Result<()> {
        let mut offset = file.seek(SeekFrom::Start(offset))?;
        while offset < length {
            if progress(offset as f64 / length as f64).is_break() {
                return Err(ClientError::Cancelled);
            }
            let mut part = Vec::new();
            file.by_ref().take(self.part).read_to_end(&mut part)?;
            if part.is_empty() {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
            let request = self
                .request("PATCH", &format!("/v1/uploads/{id}"))
                .header("upload-offset", offset.to_string());
            let response = self.once(&request, &part)?;
            check(response)?;
            offset += part.len() as u64;
        }
        Ok(())
    }

    /// Orders a job. A repeated request after an interruption refers to the same job.
    pub fn order(&self, order: &Order) -> Result<Job> {
        let request = new_id().map_err(|error| io::Error::other(error.to_string()))?;
        let request = self.request("POST", "/v1/jobs").header("idempotency-key", request);
        self.answer(self.patiently(&request, &json(order)?)?)
    }

    /// Returns the current state of a job.
    pub fn job(&self, id: &str) -> Result<Job> {
        self.get(&format!("/v1/jobs/{id}"))
    }

    /// Waits until a job is done.
    ///
    /// # Errors
    /// [`ClientError::Failed`] if the job fails; [`ClientError::Cancelled`] if `progress` stops waiting, while the job
    /// continues; other errors if the server cannot be reached.
    pub fn wait(&self, id: &str, progress: OnProgress<'_>) -> Result<Job> {
        let mut pause = Duration::from_millis(10);
        loop {
            let job = self.job(id)?;
            match job.state {
                State::Done => return Ok(job),
                State::Failed => {
                    return Err(ClientError::Failed(job.reason.unwrap_or_default()));
                }
                State::Queued | State::Running => {
                    if progress(job.progress).is_break() {
                        return Err(ClientError::Cancelled);
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 3 / 2).min(Duration::from_secs(1));
                }
            }
        }
    }

    /// Fetches the result for the table at position `place` of the order. Continues after interruptions.
    ///
    /// # Errors
    /// If the server refuses or cannot be reached, or the result cannot be written.
    pub fn fetch(&self, job: &Job, place: usize, output: &mut impl Write) -> Result<()> {
        let length = *job.results.get(place).ok_or_else(|| Problem::not_found("result"))?;
        let path = format!("/v1/jobs/{}/results/{place}", job.id);
        let (mut done, mut start) = (0, Instant::now());
        while done < length {
            let request = self.request("GET", &path).header("range", format!("bytes={done}-"));
            let mut response = check(self.patiently(&request, &[])?)?;
            if response.status().as_u16() != 206 {
                let text = format!("status {} for a range of a result", response.status());
                return Err(ClientError::Answer(text));
            }
            let before = done;
            let rest = response.body_mut().as_reader().take(length - done);
            let cut_off = copy(rest, output, &mut done)?;
            if done > before {
                start = Instant::now();
            } else if start.elapsed() > self.patience {
                let ended = || io::ErrorKind::UnexpectedEof.into();
                return Err(cut_off.unwrap_or_else(ended).into());
            }
        }
        Ok(())
    }

    /// Stops a job and removes it with its results.
    pub fn remove_job(&self, id: &str) -> Result<()> {
        self.delete(&format!("/v1/jobs/{id}"))
    }

    /// Removes a file of ciphertexts.
    ///
    /// # Errors
    /// If a job needs the file, or if the server refuses or cannot be reached.
    pub fn remove_ciphertext(&self, sha256: &str) -> Result<()> {
        self.delete(&format!("/v1/ciphertexts/{sha256}"))
    }

    /// Removes one of this client's own public keys.
    pub fn remove_public_key(&self, sha256: &str) -> Result<()> {
        self.delete(&format!("/v1/public-keys/{sha256}"))
    }

    /// Removes an evaluation key.
    ///
    /// # Errors
    /// If a job needs the key, or if the server refuses or cannot be reached.
    pub fn remove_key(&self, sha256: &str) -> Result<()> {
        self.delete(&format!("/v1/keys/{sha256}"))
    }

    fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        self.answer(self.patiently(&self.request("GET", path), &[])?)
    }

    /// Fetches all pages of a list.
    fn list<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>> {
        let (mut all, mut path) = (Vec::new(), Some(path.to_owned()));
        while let Some(this) = path {
            let response = check(self.patiently(&self.request("GET", &this), &[])?)?;
            path = next_page(response.headers()).map(str::to_owned);
            let page: Vec<T> = self.answer(response)?;
            if path.is_some() && (page.is_empty() || all.len() + page.len() > MAX_LISTED) {
                let text = format!("a list of more than {MAX_LISTED}, or pages without content");
                return Err(ClientError::Answer(text));
            }
            all.extend(page);
        }
        Ok(all)
    }

    fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        self.answer(self.patiently(&self.request("POST", path), &json(body)?)?)
    }

    fn delete(&self, path: &str) -> Result<()> {
        let mut was_interrupted = false;
        let request = self.request("DELETE", path);
        match check(self.patiently_told(&request, &[], &mut was_interrupted)?) {
            // An earlier attempt, whose answer did not arrive, removed it.
            Err(ClientError::Refused(problem)) if was_interrupted && problem.status == 404 => {
                Ok(())
            }
            outcome => outcome.map(drop),
        }
    }

    fn request(&self, method: &str, path: &str) -> RequestParts {
        let mut headers = vec![("authorization", format!("Bearer {}", self.token))];
        if method == "POST" {
            headers.push(("content-type", "application/json".to_owned()));
        }
        RequestParts { method: method.to_owned(), url: format!("{}{path}", self.url), headers }
    }

    /// Repeats a request until the server answers or patience ends.
    fn patiently(&self, request: &RequestParts, body: &[u8]) -> Result<Response<Body>> {
        self.patiently_told(request, body, &mut false)
    }

    /// Same as [`Self::patiently`]. Sets `was_interrupted` if an earlier attempt may have succeeded without an answer.
    fn patiently_told(
        &self,
        request: &RequestParts,
        body: &[u8],
        was_interrupted: &mut bool,
    ) -> Result<Response<Body>> {
        let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let outcome = self.once(request, body);
            let again = match &outcome {
                Ok(response) => is_later(response.status().as_u16()),
                Err(error) => is_passing(error),
            };
            if !again || start.elapsed() + pause > self.patience {
                return outcome;
            }
            *was_interrupted |= outcome.is_err();
            std::thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn once(&self, request: &RequestParts, body: &[u8]) -> Result<Response<Body>> {
        self.check_address()?;
        let mut builder = Request::builder().method(request.method.as_str()).uri(&request.url);
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let wrong = |error: ureq::http::Error| ClientError::Answer(error.to_string());
        let sent = match request.method.as_str() {
            "POST" | "PATCH" => self.agent.run(builder.body(body).map_err(wrong)?),
            _ => self.agent.run(builder.body(()).map_err(wrong)?),
        };
        sent.map_err(|error| self.unreachable(error))
    }

    fn unreachable(&self, error: ureq::Error) -> ClientError {
        ClientError::Unreachable { url: self.url.clone(), error: Box::new(error) }
    }

    fn answer<T: DeserializeOwned>(&self, response: Response<Body>) -> Result<T> {
        let text = check(response)?.body_mut().read_to_vec();
        let text = text.map_err(|error| self.unreachable(error))?;
        serde_json::from_slice(&text).map_err(|error| ClientError::Answer(error.to_string()))
    }
}
