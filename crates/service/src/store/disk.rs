//! Room: on the disk for all, and for each client by its quota.

use rusqlite::{Connection, Row};

use super::Store;
use super::folder::CONTENT;
use crate::limits::Limits;
use crate::{Problem, Result};

/// What a file counts at least: the block and the inode that it takes.
const LEAST_BYTES: u64 = 4096;

/// Files that the file system must have room for beside those of clients, where it has a limit at all.
const SPARE_FILES: u64 = 1000;

/// What a file system has left.
struct Left {
    bytes: u64,
    files: u64,
}

/// What is kept, announced or will come: of one client, or of all.
struct Kept {
    bytes: u64,
    files: u64,
}

/// What a client wants to keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct More {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

impl Store {
    /// Checks that so many bytes may come to the disk, whoever they are of, and the operator's reserve stays.
    pub(crate) fn check_disk(&self, more: u64, limits: &Limits) -> Result<()> {
        let left = self.left()?;
        let needed = limits.free_bytes.saturating_add(more);
        if left.bytes < needed {
            return Err(Problem::no_room("free-bytes", left.bytes, limits.free_bytes).into());
        }
        if left.files < SPARE_FILES {
            return Err(Problem::no_room("free files", left.files, SPARE_FILES).into());
        }
        Ok(())
    }

    /// Checks that a client may keep so much more, beside what it keeps, announced or will get, and that the disk has room
    /// for it and for all that was promised to others.
    pub(super) fn check_room(
        &self,
        rows: &Connection,
        client: i64,
        more: More,
        limits: &Limits,
    ) -> Result<()> {
        let bytes = more.bytes.max(LEAST_BYTES * more.files);
        let own = kept(rows, Some(client))?;
        let files = own.files.saturating_add(more.files);
        if files > limits.client_objects {
            let limit = limits.client_objects;
            return Err(too_much("client-objects", files, limit).into());
        }
        let total = own.bytes.saturating_add(bytes);
        if total > limits.client_bytes {
            return Err(too_much("client-bytes", total, limits.client_bytes).into());
        }
        if let Some(limit) = limits.total_bytes {
            let found = kept(rows, None)?.bytes.saturating_add(bytes);
            if found > limit {
                return Err(Problem::no_room("total-bytes", found, limit).into());
            }
        }
        let promised: u64 = rows.query_row(
            "SELECT (SELECT coalesce(sum(length - offset), 0) FROM upload)
                  + (SELECT coalesce(sum(reserved), 0) FROM job WHERE state IN ('queued', 'running'))",
            [],
            |row| row.get(0),
        )?;
        self.check_disk(promised.saturating_add(bytes), limits)
    }

    #[cfg(unix)]
    fn left(&self) -> Result<Left> {
        let found =
            rustix::fs::statvfs(self.folder.join(CONTENT[0])).map_err(std::io::Error::from)?;
        // File systems that make room for files as they come say 0.
        let files = if found.f_files == 0 { u64::MAX } else { found.f_favail };
        Ok(Left { bytes: found.f_bavail.saturating_mul(found.f_frsize), files })
    }

    /// The system is not asked.
    #[cfg(not(unix))]
    fn left(&self) -> Result<Left> {
        Ok(Left { bytes: u64::MAX, files: u64::MAX })
    }
}

fn too_much(name: &str, found: u64, limit: u64) -> Problem {
    let problem = Problem::too_large(name, found, limit);
    let detail = format!("{}: remove keys, files or jobs that you no longer need", problem.detail);
    Problem { detail, ..problem }
}

/// What a client keeps, or what all do.
fn kept(rows: &Connection, client: Option<i64>) -> Result<Kept> {
    // A condition that says both would read the rows of all.
    let whose = if client.is_some() { "client = ?1" } else { "?1 IS NULL" };
    let query = format!(
        "SELECT coalesce(sum(max(bytes, {LEAST_BYTES} * files)), 0), coalesce(sum(files), 0) FROM (
           SELECT length AS bytes, 1 AS files FROM upload WHERE {whose}
           UNION ALL SELECT bytes, 1 FROM object WHERE {whose}
           UNION ALL SELECT reserved, json_array_length(tables) FROM job WHERE {whose} AND state <> 'failed')"
    );
    let kept = |row: &Row<'_>| Ok(Kept { bytes: row.get(0)?, files: row.get(1)? });
    Ok(rows.query_row(&query, [client], kept)?)
}
