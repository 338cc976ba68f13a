//! A job in progress: its input, and its results so far.
//!
//! Results are written ciphertext by ciphertext, each with a checksum, to files that rows of the job name from the
//! start. After a server was killed, the next one continues after the last value that all of these files contain.

use std::fs::File;
use std::io::{BufReader, BufWriter};

use cryptable::{
    Ciphertext, CiphertextReader, CiphertextWriter, Contents, EvaluationKey, PreparedTable,
    ReadOptions,
};

use crate::identifiers::new_id;
use crate::store::{QueuedJob, Store};
use crate::{Error, Result};

type Writer = CiphertextWriter<BufWriter<File>>;

/// A job between its first turn and its end.
pub(super) struct Started {
    id: String,
    reader: CiphertextReader<BufReader<File>>,
    /// Number of values after the reader's position that were already looked up.
    skipped: u64,
    /// Values of the current ciphertext that remain to be looked up.
    at_hand: u64,
    /// Values of the current ciphertext that were looked up.
    begun: u64,
    writers: Vec<Writer>,
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
        let input = BufReader::new(File::open(store.file(&job.ciphertext))?);
        let reader = CiphertextReader::new(input)?.with_options(options);
        let (contents, total) = (reader.summary().contents, reader.summary().values);
        let modulus = key.lookup_parameters()?.output_modulus();
        let files = match job.results.is_empty() {
            true => begin(store, job)?,
            false => job.results.clone(),
        };
        let open = |file: &String, table: &PreparedTable, values: u64| -> Result<Writer> {
            let contents = Contents { modulus, signed: table.signed_outputs(), ..contents };
            Ok(CiphertextWriter::resume(store.open_result(file)?, contents, values)?)
        };
        let all = files.iter().zip(tables);
        let mut writers: Vec<Writer> =
            all.clone().map(|(file, table)| open(file, table, u64::MAX)).collect::<Result<_>>()?;
        let done = writers.iter().map(|writer| writer.summary().values).min().unwrap_or(0);
        for (writer, (file, table)) in writers.iter_mut().zip(all) {
            if writer.summary().values > done {
                *writer = open(file, table, done)?;
            }
        }
        let id = job.id.clone();
        Ok(Self { id, reader, skipped: done, at_hand: 0, begun: 0, writers, done, total })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns what remains of the next ciphertext, in pieces of at most `most` values.
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

    /// Appends the results of a piece of `values` values, and flushes them, so that they survive the end of the server.
    pub(super) fn push(&mut self, results: &[Ciphertext], values: usize) -> Result<()> {
        for (writer, result) in self.writers.iter_mut().zip(results) {
            writer.push(result)?;
            writer.flush()?;
        }
        self.done += values as u64;
        self.begun += values as u64;
        self.at_hand -= values as u64;
        Ok(())
    }

    pub(super) fn is_done(&self) -> bool {
        self.done == self.total
    }

    /// Returns the share that will be done after `more` further values.
    pub(super) fn progress(&self, more: f64) -> f64 {
        ((self.done as f64 + more) / self.total.max(1) as f64).min(1.0)
    }

    /// Prepares for waiting, by stepping back before the current ciphertext.
    pub(super) fn pause(&mut self) -> Result<()> {
        if self.at_hand > 0 {
            self.reader.step_back()?;
            self.skipped = self.begun;
            self.at_hand = 0;
        }
        Ok(())
    }

    /// Synchronises all results to the disk, and returns their lengths in bytes.
    pub(super) fn finish(self, store: &Store) -> Result<Vec<u64>> {
        let mut bytes = Vec::new();
        for writer in self.writers {
            let (file, summary) = writer.finish()?;
            let file = file.into_inner().map_err(|error| Error::Io(error.into_error()))?;
            file.sync_all()?;
            bytes.push(summary.bytes);
        }
        store.sync_files()?;
        Ok(bytes)
    }
}

/// Creates and records the files of a job's results.
fn begin(store: &Store, job: &QueuedJob) -> Result<Vec<String>> {
    let files: Vec<String> = job.tables.iter().map(|_| new_id()).collect::<std::io::Result<_>>()?;
    for file in &files {
        store.open_result(file)?;
    }
    let named = store.sync_files().and_then(|()| store.begin_results(&job.id, &files));
    if named.is_err() {
        files.iter().for_each(|file| drop(std::fs::remove_file(store.file(file))));
    }
    named.map(|()| files)
}
