//! Parts of results, one per worker that ran a job in turn.
//!
//! A worker appends to files of its own, which no other process writes. Whoever takes a job over copies what the last
//! worker wrote, records how much of it counts, and goes on in new files. When the job is done, its parts are joined.
//! Files are named by rows before they exist, so a server that starts meanwhile does not take them for forgotten ones.

use std::fs::File;

use super::sql::{Connection, params};

use super::{QueuedJob, Store, folder};
use crate::{Problem, Result};

/// A part of a result that no worker writes any more.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) file: String,
    /// Length of what counts in the file, in bytes.
    pub(crate) bytes: u64,
    /// Number of values in these bytes.
    pub(crate) values: u64,
}

/// Returns what a worker is told that writes a file of a job that is no longer its own.
fn lost() -> crate::Error {
    Problem::conflict("the job was removed, or another worker has it").into()
}

impl Store {
    /// Names files, one per table, for parts of a job's results. They count once [`Self::end_parts`] says so.
    pub(crate) fn name_parts(&self, job: &QueuedJob, files: &[String]) -> Result<()> {
        let is_held = self.while_held(job, |transaction| {
            for (place, file) in files.iter().enumerate() {
                transaction.execute(
                    "INSERT INTO part(job, place, number, file)
                     SELECT CAST(?1 AS TEXT), CAST(?2 AS BIGINT), coalesce(max(number), 0) + 1, CAST(?3 AS TEXT) FROM part WHERE job = ?1 AND place = ?2",
                    params![job.id, place as u64, file],
                )?;
            }
            Ok(())
        })?;
        if is_held { Ok(()) } else { Err(lost()) }
    }

    /// Records the lengths of parts, and the files in which the job goes on after them. The files from which the parts
    /// were copied are removed.
    pub(crate) fn end_parts(
        &self,
        job: &QueuedJob,
        parts: &[Part],
        files: &[String],
    ) -> Result<()> {
        let is_held = self.while_held(job, |transaction| {
            for (place, (part, file)) in parts.iter().zip(files).enumerate() {
                transaction.execute(
                    "UPDATE part SET bytes = ?2, count = ?3 WHERE file = ?1",
                    params![part.file, part.bytes, part.values],
                )?;
                transaction.execute(
                    "UPDATE result SET file = ?3 WHERE job = ?1 AND place = ?2",
                    params![job.id, place as u64, file],
                )?;
            }
            Ok(())
        })?;
        if is_held { self.remove_files() } else { Err(lost()) }
    }

    /// Opens a file of a job's results, and creates it if necessary, provided that the job is still its worker's.
    pub(crate) fn open_result(&self, job: &QueuedJob, file: &str) -> Result<File> {
        let path = self.file(file);
        let is_new = !path.exists();
        let opened = folder::open_file(&path)?;
        // A row names the file as long as the job is there. If it is not, nobody else would remove the file.
        if !self.holds(job)? {
            if is_new {
                let _ = std::fs::remove_file(path);
            }
            return Err(lost());
        }
        Ok(opened)
    }
}

/// Returns the parts of a job's results, for each of its tables, in their order.
pub(super) fn parts(rows: &Connection, job: &str, tables: usize) -> Result<Vec<Vec<Part>>> {
    let mut found = vec![Vec::new(); tables];
    let mut query = rows.prepare(
        "SELECT place, file, bytes, count FROM part WHERE job = ?1 AND count > 0 ORDER BY place, number",
    )?;
    let mut rows = query.query([job])?;
    while let Some(row) = rows.next()? {
        let place: u64 = row.get(0)?;
        let part = Part { file: row.get(1)?, bytes: row.get(2)?, values: row.get(3)? };
        if let Some(parts) = found.get_mut(place as usize) {
            parts.push(part);
        }
    }
    Ok(found)
}
