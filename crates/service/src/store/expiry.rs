//! Automatic removal of finished jobs, abandoned uploads, and unused files.

use std::sync::PoisonError;
use std::time::Duration;

use super::sql::{OptionalExtension, params};

use super::Store;
use crate::Result;
use crate::limits::Retention;

/// Numbers of removed rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expired {
    pub(crate) jobs: u64,
    pub(crate) uploads: u64,
    pub(crate) ciphertexts: u64,
}

/// Seconds by which a clock may be off between two searches of one server, and between two servers.
const SLACK: u64 = 3600;
const LONGEST_PAUSE: u64 = 86_400;

impl Store {
    /// Removes what was kept for long enough, except uploads for which `is_busy` returns true.
    pub(crate) fn remove_expired(
        &self,
        keep: &Retention,
        is_busy: impl Fn(&str) -> bool,
    ) -> Result<Expired> {
        let now = self.clock.now();
        self.follow_clock(now)?;
        let before = |age: Option<Duration>| age.and_then(|age| now.checked_sub(age.as_secs()));
        let mut expired = Expired::default();
        if let Some(time) = before(keep.jobs) {
            expired.jobs = self.remove_all("DELETE FROM job WHERE ended <= ?1", time)?;
        }
        expired.jobs += self.remove_jobs_beyond(keep)?;
        if let Some(time) = before(keep.uploads) {
            expired.uploads = self.remove_uploads_untouched_since(time, is_busy)?;
        }
        if let Some(time) = before(keep.ciphertexts) {
            let query = "DELETE FROM object WHERE kind = 'ciphertext' AND used <= ?1 AND id NOT IN
                         (SELECT ciphertext FROM job WHERE state IN ('queued', 'running'))";
            expired.ciphertexts = self.remove_all(query, time)?;
        }
        self.finish_removals()?;
        Ok(expired)
    }

    fn remove_all(&self, query: &str, time: u64) -> Result<u64> {
        Ok(self.rows().execute(query, [time])? as u64)
    }

    /// Follows jumps of the clock. Ages count time that passes, not the difference of clock readings: if the clock
    /// jumps, or if no server ran for long, all times by which rows expire are shifted, so that nothing expires at
    /// once.
    fn follow_clock(&self, now: u64) -> Result<()> {
        let steady = self.clock.steady();
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        let (passed, slack) = match *looked {
            Some(before) => (steady.saturating_sub(before), SLACK),
            None => (0, LONGEST_PAUSE),
        };
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let at: Option<u64> =
            transaction.query_row("SELECT at FROM looked", [], |row| row.get(0)).optional()?;
        let jump = at.map_or(0, |at| now.cast_signed() - at.saturating_add(passed).cast_signed());
        if jump.unsigned_abs() > slack {
            for (table, column) in [("upload", "touched"), ("object", "used"), ("job", "ended")] {
                let query = format!("UPDATE {table} SET {column} = max(0, min({column} + ?1, ?2))");
                transaction.execute(&query, params![jump, now])?;
            }
            tracing::warn!(
                seconds = jump,
                "the clock jumped, or no server ran: nothing expires because of it"
            );
        }
        transaction.execute("DELETE FROM looked", [])?;
        transaction.execute("INSERT INTO looked VALUES (?1)", [now])?;
        transaction.commit()?;
        *looked = Some(steady);
        Ok(())
    }

    /// Removes the oldest ended jobs of every client beyond the number of jobs and the bytes of results to keep.
    fn remove_jobs_beyond(&self, keep: &Retention) -> Result<u64> {
        // The sum covers a job and all that ended after it. The latest job with results stays, whatever its size.
        let removed = self.rows().execute(
            "DELETE FROM job WHERE id IN (SELECT id FROM (
               SELECT id, state, CAST(sum(reserved) OVER ended_later AS BIGINT) AS bytes, row_number() OVER ended_later AS place,
                 sum(CASE WHEN state = 'done' THEN 1 ELSE 0 END) OVER ended_later AS done
               FROM job WHERE state IN ('done', 'failed')
               WINDOW ended_later AS (PARTITION BY client ORDER BY ended DESC, sequence DESC)) AS ended
             WHERE place > ?2 OR (state = 'done' AND bytes > ?1 AND done > 1))",
            params![keep.client_results, keep.client_jobs],
        )?;
        Ok(removed as u64)
    }

    fn remove_uploads_untouched_since(
        &self,
        time: u64,
        is_busy: impl Fn(&str) -> bool,
    ) -> Result<u64> {
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        let mut query = transaction.prepare("SELECT id FROM upload WHERE touched <= ?1")?;
        let ids = query.query_map([time], |row| row.get(0))?;
        let mut ids: Vec<String> = ids.collect::<Result<_>>()?;
        drop(query);
        ids.retain(|id| !is_busy(id));
        for id in &ids {
            transaction.execute("DELETE FROM upload WHERE id = ?1", [id])?;
        }
        transaction.commit()?;
        Ok(ids.len() as u64)
    }
}
