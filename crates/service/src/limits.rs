//! What clients may take of a server.

use std::time::Duration;

/// Limits, all of which refuse by name and value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Bytes of an evaluation key's file.
    pub key_bytes: u64,
    /// Bytes of a file of ciphertexts.
    pub ciphertext_bytes: u64,
    /// Bytes of all keys, ciphertexts and results of a client, those included that it announced or will get.
    pub client_bytes: u64,
    /// Files of a client: keys, ciphertexts, uploads and results, those included that it will get. Each counts 4 KiB at
    /// least.
    pub client_objects: u64,
    /// Bytes of all clients' files together; none is as many as the disk has room for.
    pub total_bytes: Option<u64>,
    /// Bytes that stay free on the disk: uploads and jobs that would take of them are refused, jobs wait.
    pub free_bytes: u64,
    /// Jobs of all clients that wait or run.
    pub queue: u64,
    /// Jobs of a client that wait or run.
    pub client_queue: u64,
    /// Unfinished uploads of a client.
    pub client_uploads: u64,
    /// Tables of a job.
    pub job_tables: u64,
    /// Bytes of memory that a lookup may take by its prediction, key included; also what all loaded keys may take together.
    pub memory: u64,
    /// Longest time that a job may take by its prediction; none takes any.
    pub job_time: Option<Duration>,
    /// How long a job runs before one of another client has its turn.
    pub turn: Duration,
    /// Threads of a lookup; 0 is all of rayon's pool.
    pub threads: usize,
    /// Connections at a time. For another one, that which has waited longest for a request of a client ends.
    pub connections: usize,
    /// Requests of a client at a time.
    pub client_requests: usize,
    /// Longest silence within a request.
    pub silence: Duration,
    /// Longest time that a part of an upload takes; what arrived is kept.
    pub part: Duration,
    /// Longest wait for a command of the operator that writes to the folder.
    pub lock_wait: Duration,
    /// How long requests of clients may take to end when the server is stopped.
    pub drain: Duration,
    /// What is removed by itself, and when.
    pub keep: Retention,
}

/// How long things are kept that nobody removes. What a job needs that waits or runs stays, whatever is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Jobs and their results, from their end on; none keeps them for ever.
    pub jobs: Option<Duration>,
    /// Bytes of a client's results; what is beyond goes, the oldest jobs first, but never that which ended last.
    pub client_results: u64,
    /// Jobs of a client that ended; of more, the oldest go.
    pub client_jobs: u64,
    /// Unfinished uploads, from the last part that arrived on; none keeps them for ever.
    pub uploads: Option<Duration>,
    /// Files of ciphertexts, from the last job on that was ordered with them; none keeps them for ever.
    pub ciphertexts: Option<Duration>,
    /// How often is looked for what has to go.
    pub look: Duration,
}

/// Seconds of a day.
const DAY_S: u64 = 86_400;

impl Default for Retention {
    fn default() -> Self {
        Self {
            jobs: Some(Duration::from_secs(7 * DAY_S)),
            client_results: 64 << 30,
            client_jobs: 10_000,
            uploads: Some(Duration::from_secs(2 * DAY_S)),
            ciphertexts: Some(Duration::from_secs(30 * DAY_S)),
            look: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// Threads of a lookup on this machine.
    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            key_bytes: 16 << 30,
            ciphertext_bytes: 64 << 30,
            client_bytes: 256 << 30,
            client_objects: 10_000,
            total_bytes: None,
            free_bytes: 1 << 30,
            queue: 1024,
            client_queue: 64,
            client_uploads: 16,
            job_tables: 16,
            memory: 12 << 30,
            job_time: Some(Duration::from_secs(DAY_S)),
            turn: Duration::from_secs(10),
            threads: 0,
            connections: 512,
            client_requests: 64,
            silence: Duration::from_secs(30),
            part: Duration::from_secs(600),
            lock_wait: Duration::from_secs(10),
            drain: Duration::from_secs(10),
            keep: Retention::default(),
        }
    }
}
