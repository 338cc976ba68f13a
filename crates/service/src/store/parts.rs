//! Parts of results, one per worker that ran a job in turn.
//!
//! A worker appends to its own files, to which no other process writes. The next worker of the job copies what the last
//! one wrote, records how much of it counts, and continues in new files. When the job is done, its parts are joined.
//! Rows name files before they exist, so a server that starts in the meantime does not treat them as forgotten.

use std::fs::File;

use super::sql::{Connection, params};

use super::{QueuedJob, Store, folder};
use crate::{Problem, Result};

/// A part of a result to which no worker writes any more.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) file: String,
    /// Length of the valid part of the file, in bytes.
    pub(crate) bytes: u64,
    /// Number of values in these bytes.
    pub(crate) values: u64,
}

/// Returns the error for a worker that writes a file of a job that it no longer holds.
fn lost() -> crate::Error {
    Problem::conflict("the job was removed, or another worker has it").into()
}

impl Store {
    /// Names files, one per table, for parts of a job's results. They count once [`Self::end_parts`] has recorded them.
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

    /// Records the lengths of parts, and the files in which the job continues after them. The files from which the
    /// parts were copied are removed.
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

    /// Opens a file of a job's results, and creates it if necessary, provided that the worker still holds the job.
    pub(crate) fn open_result(&self, job: &QueuedJob, file: &str) -> Result<File> {
        let path = self.file(file);
        let is_new = !path.exists();
        let opened = folder::open_file(&path)?;
        // A row names the file as long as the job exists. Otherwise, nobody else would remove the file.
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
