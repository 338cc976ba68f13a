//! Limits on what clients may use of a server.

use std::time::Duration;

/// Limits of a server. A refusal states the name and value of the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest evaluation key file, in bytes.
    pub key_bytes: u64,
    /// Largest file of ciphertexts, in bytes.
    pub ciphertext_bytes: u64,
    /// Bytes of all keys, ciphertexts and results of one client, including those announced and expected.
    pub client_bytes: u64,
    /// Number of a client's files: keys, ciphertexts, uploads and results, including expected ones. Each counts as at
    /// least 4 KiB.
    pub client_objects: u64,
    /// Bytes of all clients' files together. `None`: limited by the disk alone.
    pub total_bytes: Option<u64>,
    /// Bytes that stay free on the disk. Uploads and orders that would need them are refused, and jobs wait.
    pub free_bytes: u64,
    /// Number of jobs of all clients that wait or run.
    pub queue: u64,
    /// Number of jobs of one client that wait or run.
    pub client_queue: u64,
    /// Number of unfinished uploads of one client.
    pub client_uploads: u64,
    /// Number of tables per job.
    pub job_tables: u64,
    /// Bytes of memory that a lookup may need by prediction, key included; also the limit for all loaded keys together.
    pub memory: u64,
    /// Longest predicted time of a job. `None`: no limit.
    pub job_time: Option<Duration>,
    /// Time that a job runs before another client's job gets its turn.
    pub turn: Duration,
    /// Time after which a silent worker counts as dead, and its job is given to another one. Workers send four beats in
    /// this time.
    pub lease: Duration,
    /// Number of threads per lookup; 0 means all of rayon's pool.
    pub threads: usize,
    /// Number of connections. One more closes the connection that has been idle for longest.
    pub connections: usize,
    /// Number of requests that a client may have in progress.
    pub client_requests: usize,
    /// Longest silence within a request.
    pub silence: Duration,
    /// Longest time for one part of an upload. Bytes that have arrived by then are kept.
    pub part: Duration,
    /// Longest wait for an operator's command that writes to the folder.
    pub lock_wait: Duration,
    /// Time that clients' requests have to finish when the server is stopped.
    pub drain: Duration,
    /// Automatic removal of old jobs and files.
    pub keep: Retention,
}

/// Retention of jobs and files that nobody removes. Whatever a waiting or running job needs is kept in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Time to keep jobs and their results after their end. `None`: for ever.
    pub jobs: Option<Duration>,
    /// Bytes of results to keep per client. The oldest jobs beyond are removed, but never the one that ended last.
    pub client_results: u64,
    /// Number of ended jobs to keep per client. The oldest jobs beyond are removed.
    pub client_jobs: u64,
    /// Time to keep an unfinished upload after its last part. `None`: for ever.
    pub uploads: Option<Duration>,
    /// Time to keep a file of ciphertexts after the last order that used it. `None`: for ever.
    pub ciphertexts: Option<Duration>,
    /// Interval between two searches for expired jobs and files.
    pub look: Duration,
}

/// Seconds per day.
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
    /// Returns the number of threads per lookup on this machine.
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
            lease: Duration::from_secs(20),
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
