//! Queries for whether the file of a table is still needed.

use super::sql::Connection;

use crate::Result;

/// Returns whether a table is offered.
pub(super) fn is_offered(rows: &Connection, digest: &str) -> Result<bool> {
    let query = "SELECT EXISTS(SELECT 1 FROM lookup_table WHERE digest = ?1)";
    rows.query_row(query, [digest], |row| row.get(0))
}

/// Returns whether a table is offered, or was ordered by a job that waits or runs.
pub(super) fn is_needed(rows: &Connection, digest: &str) -> Result<bool> {
    rows.query_row(
        "SELECT EXISTS(SELECT 1 FROM lookup_table WHERE digest = ?1)
         OR EXISTS(SELECT 1 FROM job WHERE state IN ('queued', 'running') AND instr(tables, ?1) > 0)",
        [digest],
        |row| row.get(0),
    )
}
