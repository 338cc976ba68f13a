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
    /// Threads of a lookup; 0 is all of rayon's pool.
    pub threads: usize,
    /// Connections at a time; others wait.
    pub connections: usize,
    /// Longest silence within a request.
    pub silence: Duration,
    /// Longest time that a part of an upload takes; what arrived is kept.
    pub part: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            key_bytes: 16 << 30,
            ciphertext_bytes: 64 << 30,
            client_bytes: 256 << 30,
            queue: 1024,
            client_queue: 64,
            client_uploads: 16,
            job_tables: 16,
            memory: 12 << 30,
            threads: 0,
            connections: 512,
            silence: Duration::from_secs(30),
            part: Duration::from_secs(600),
        }
    }
}
