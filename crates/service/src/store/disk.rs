//! Checks of free disk space and of clients' quotas.

use super::sql::{Connection, Row};

use super::Store;
use super::folder::CONTENT;
use crate::limits::Limits;
use crate::{Problem, Result};

/// Least number of bytes that a file counts, for its block and inode.
const LEAST_BYTES: u64 = 4096;

/// Number of free files that the file system must keep besides those of clients, if it limits their number at all.
const SPARE_FILES: u64 = 1000;

/// Free space of a file system.
struct Left {
    bytes: u64,
    files: u64,
}

/// Space that one client or all clients use, including what was announced and is expected.
struct Kept {
    bytes: u64,
    files: u64,
}

/// Additional space that a client asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct More {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

impl Store {
    /// Checks that `more` bytes fit on the disk without touching the operator's reserve.
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

    /// Checks that a client's quota allows `more` beside what the client keeps, announced and expects, and that the
    /// disk has room for it beside what was promised to others.
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
            "SELECT CAST((SELECT coalesce(sum(length - \"offset\"), 0) FROM upload)
                  + (SELECT coalesce(sum(reserved), 0) FROM job WHERE state IN ('queued', 'running')) AS BIGINT)",
            [],
            |row| row.get(0),
        )?;
        self.check_disk(promised.saturating_add(bytes), limits)
    }

    #[cfg(unix)]
    fn left(&self) -> Result<Left> {
        let found =
            rustix::fs::statvfs(self.folder.join(CONTENT[0])).map_err(std::io::Error::from)?;
        // File systems that create inodes on demand report 0.
        let files = if found.f_files == 0 { u64::MAX } else { found.f_favail };
        Ok(Left { bytes: found.f_bavail.saturating_mul(found.f_frsize), files })
    }

    /// Reports unlimited space: on this system, nothing is measured.
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

/// Returns the space that a client uses, or all clients together.
fn kept(rows: &Connection, client: Option<i64>) -> Result<Kept> {
    // A condition that covers both cases would read the rows of all clients.
    let whose = if client.is_some() { "client = ?1" } else { "CAST(?1 AS BIGINT) IS NULL" };
    let query = format!(
        "SELECT CAST(coalesce(sum(max(bytes, {LEAST_BYTES} * files)), 0) AS BIGINT),
         CAST(coalesce(sum(files), 0) AS BIGINT) FROM (
           SELECT length AS bytes, 1 AS files FROM upload WHERE {whose}
           UNION ALL SELECT bytes, 1 FROM object WHERE {whose}
           UNION ALL SELECT reserved, json_array_length(tables) FROM job WHERE {whose} AND state <> 'failed') AS kept"
    );
    let kept = |row: &Row| Ok(Kept { bytes: row.get(0)?, files: row.get(1)? });
    rows.query_row(&query, [client], kept)
}
