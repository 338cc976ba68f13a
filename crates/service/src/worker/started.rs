//! A job in progress: its input, and its results so far.
//!
//! Results are written ciphertext by ciphertext, each with a checksum, to files that rows of the job name from the
//! start. After a worker was killed, the next one continues after the last value that all of these files contain.

use std::fs::File;
use std::io::BufReader;

use cryptable::{
    Ciphertext, CiphertextReader, Contents, EvaluationKey, PreparedTable, ReadOptions,
};

use super::results::{self, Written};
use crate::Result;
use crate::store::{QueuedJob, Store, Whole};

/// A job between its first turn and its end.
pub(super) struct Started {
    id: String,
    /// Number of the lease under which its files were last opened or used.
    lease: u64,
    reader: CiphertextReader<BufReader<File>>,
    /// Number of values after the reader's position that were already looked up.
    skipped: u64,
    /// Values of the current ciphertext that remain to be looked up.
    at_hand: u64,
    /// Values of the current ciphertext that were looked up.
    begun: u64,
    results: Vec<Written>,
    done: u64,
    total: u64,
}

impl Started {
    /// Starts a job, or continues it.
    pub(super) fn open(
        store: &Store,
        job: &QueuedJob,
        key: &EvaluationKey,
        tables: &[&PreparedTable],
        options: ReadOptions,
    ) -> Result<Self> {
        let input = BufReader::new(File::open(store.fetch(&job.ciphertext)?)?);
        let reader = CiphertextReader::new(input)?.with_options(options);
        let (contents, total) = (reader.summary().contents, reader.summary().values);
        let modulus = key.lookup_parameters()?.output_modulus();
        let contents: Vec<Contents> = tables
            .iter()
            .map(|table| Contents { modulus, signed: table.signed_outputs(), ..contents })
            .collect();
        let results = results::open(store, job, &contents)?;
        let done = results.iter().map(Written::values).min().unwrap_or(0);
        let (id, lease) = (job.id.clone(), job.lease);
        Ok(Self { id, lease, reader, skipped: done, at_hand: 0, begun: 0, results, done, total })
    }

    /// Returns the job under its present lease, unless another worker had it in between.
    pub(super) fn go_on(self, job: &QueuedJob) -> Option<Self> {
        (self.lease + 1 == job.lease).then_some(Self { lease: job.lease, ..self })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the rest of the next ciphertext, in pieces of at most `most` values.
    pub(super) fn next_pieces(
        &mut self,
        most: usize,
    ) -> Result<Option<impl Iterator<Item = Ciphertext> + use<>>> {
        while let Some(ciphertext) = self.reader.next_ciphertext()? {
            let count = ciphertext.count() as u64;
            if count > self.skipped {
                let first = std::mem::take(&mut self.skipped);
                (self.begun, self.at_hand) = (first, count - first);
                return Ok(Some(ciphertext.into_pieces(first as usize, most)));
            }
            self.skipped -= count;
        }
        Ok(None)
    }

    /// Appends the results of a piece of `values` values, and flushes them, so that they survive if the worker dies.
    pub(super) fn push(&mut self, results: &[Ciphertext], values: usize) -> Result<()> {
        for (written, result) in self.results.iter_mut().zip(results) {
            written.writer.push(result)?;
            written.writer.flush()?;
        }
        self.done += values as u64;
        self.begun += values as u64;
        self.at_hand -= values as u64;
        Ok(())
    }

    /// Uploads the results so far to the object store, if there is one, from which any worker can continue.
    pub(super) fn keep(&mut self, store: &Store, job: &QueuedJob) -> Result<()> {
        if store.has_remote() {
            self.results = results::end_parts(store, job, std::mem::take(&mut self.results))?;
        }
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.done == self.total
    }

    /// Returns the share that will be done after `more` further values.
    pub(super) fn progress(&self, more: f64) -> f64 {
        ((self.done as f64 + more) / self.total.max(1) as f64).min(1.0)
    }

    /// Prepares for waiting by stepping back to before the current ciphertext.
    pub(super) fn pause(&mut self) -> Result<()> {
        if self.at_hand > 0 {
            self.reader.step_back()?;
            self.skipped = self.begun;
            self.at_hand = 0;
        }
        Ok(())
    }

    /// Synchronises all results to the disk, and returns them.
    pub(super) fn finish(self, store: &Store, job: &QueuedJob) -> Result<Vec<Whole>> {
        results::finish(store, job, self.results)
    }
}
