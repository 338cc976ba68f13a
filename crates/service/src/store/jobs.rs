//! Jobs as rows: queued, running, done or failed.

use super::sql::{Connection, OptionalExtension, Row, Transaction, params};

use super::disk::More;
use super::table_use::is_needed;
use super::{Listed, Page, Store, StoredObject};
use crate::identifiers::new_id;
use crate::limits::Limits;
use crate::messages::{Job, Order, State};
use crate::worker::joint::digest_of;
use crate::{Problem, Result};

/// The predicted cost of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reservation {
    pub(crate) estimate_s: f64,
    /// Bytes of all results together.
    pub(crate) bytes: u64,
}

/// A job to be accepted.
#[derive(Debug)]
pub(crate) struct NewJob<'a> {
    /// Identifier that the client gave the request.
    pub(crate) request: Option<&'a str>,
    pub(crate) order: &'a Order,
    /// Digests of the order's tables; for several owners, each followed by the number of a bit.
    pub(crate) digests: &'a [String],
    pub(crate) key: &'a StoredObject,
    pub(crate) ciphertext: &'a StoredObject,
    pub(crate) reserved: Reservation,
}

const COLUMNS: &str =
    "SELECT id, state, estimate_s, sent_order, reason, ended, progress, sequence FROM job";

impl Store {
    /// Accepts a job. If a job with the same request identifier was accepted before, returns that one.
    pub(crate) fn add_job(&self, client: i64, new: &NewJob<'_>, limits: &Limits) -> Result<Job> {
        let &NewJob { request, order, digests, key, ciphertext, reserved } = new;
        let id = new_id()?;
        let (order_text, tables) = (json(order)?, json(&digests)?);
        let mut rows = self.rows();
        let transaction = rows.transaction()?;
        if let Some(found) = job_of_request(&transaction, client, request, order)? {
            drop(transaction);
            drop(rows);
            return self.job(client, &found.id);
        }
        check_queue(&transaction, client, limits)?;
        catch_up(&transaction, client)?;
        let more = More { bytes: reserved.bytes, files: digests.len() as u64 };
        self.check_room(&transaction, client, more, limits)?;
        for digest in digests {
            if !is_needed(&transaction, digest_of(digest))? {
                return Err(Problem::not_found("table any more").into());
            }
        }
        let are_there: u64 = transaction.query_row(
            "SELECT count(*) FROM object WHERE id IN (?1, ?2)",
            [&key.id, &ciphertext.id],
            |row| row.get(0),
        )?;
        if are_there != 2 {
            return Err(Problem::not_found("key or file of ciphertexts").into());
        }
        transaction.execute(
            "INSERT INTO job(id, client, request, state, sent_order, key, ciphertext, tables, estimate_s, reserved)
             VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                id,
                client,
                request,
                order_text,
                key.id,
                ciphertext.id,
                tables,
                reserved.estimate_s,
                reserved.bytes
            ],
        )?;
        transaction.execute(
            "UPDATE object SET used = ?3 WHERE id IN (?1, ?2)",
            params![key.id, ciphertext.id, self.clock.now()],
        )?;
        transaction.commit()?;
        drop(rows);
        self.job(client, &id)
    }

    /// Returns the job that was accepted before with this request identifier, if any.
    pub(crate) fn accepted_job(
        &self,
        client: i64,
        request: Option<&str>,
        order: &Order,
    ) -> Result<Option<Job>> {
        let found = job_of_request(&self.reader(), client, request, order)?;
        found.map(|job| self.job(client, &job.id)).transpose()
    }

    /// Returns a job. Its progress does not include the current turn.
    pub(crate) fn job(&self, client: i64, id: &str) -> Result<Job> {
        let mut rows = self.reader();
        // Row and results are read at the same moment.
        let rows = rows.transaction()?;
        let mut query = rows.prepare(&format!("{COLUMNS} WHERE client = ?1 AND id = ?2"))?;
        let found = query.query_row(params![client, id], job).optional()?;
        let mut found = found.ok_or_else(|| Problem::not_found("job"))?;
        if found.state == State::Done {
            found.results = results(&rows, id)?;
        }
        Ok(found)
    }

    /// Returns one page of a client's jobs, oldest first.
    pub(crate) fn jobs(&self, client: i64, page: Page) -> Result<Listed<Job>> {
        let mut rows = self.reader();
        let rows = rows.transaction()?;
        let mut query = rows.prepare(&format!(
            "{COLUMNS} WHERE client = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3"
        ))?;
        let values = params![client, page.after, page.limit + 1];
        let found = query.query_map(values, |row| Ok((row.get(7)?, job(row)?)))?;
        let mut listed = page.of(found.collect::<Result<_>>()?);
        for job in listed.items.iter_mut().filter(|job| job.state == State::Done) {
            job.results = results(&rows, &job.id)?;
        }
        Ok(listed)
    }

    /// Returns the file and the length of a result.
    pub(crate) fn result(&self, client: i64, id: &str, place: u64) -> Result<(String, u64)> {
        let state = self.job(client, id)?.state;
        let rows = self.reader();
        let mut query = rows.prepare(
            "SELECT file, result.bytes FROM result JOIN job ON result.job = job.id
             WHERE job.id = ?1 AND place = ?2 AND job.state = 'done'",
        )?;
        let found =
            query.query_row(params![id, place], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        found.ok_or_else(|| match state.is_final() {
            true => Problem::not_found("result").into(),
            false => Problem::conflict(format!("the job is {}, not done", state.word())).into(),
        })
    }

    /// Removes a job and its results. A worker that runs it notices at the end that the row is gone.
    pub(crate) fn remove_job(&self, client: i64, id: &str) -> Result<()> {
        self.job(client, id)?;
        self.rows().execute("DELETE FROM job WHERE id = ?1", [id])?;
        self.remove_files()
    }

    /// Returns the numbers of rows by name, for the operator. Counting all rows takes time, so it uses a connection of
    /// its own.
    pub(crate) fn counts(&self) -> Result<Vec<(String, u64)>> {
        let rows = self.connect()?;
        let mut query = rows.prepare(
            "SELECT 'jobs_' || state, count(*) FROM job GROUP BY state
             UNION ALL SELECT 'clients', count(*) FROM client
             UNION ALL SELECT 'tables', count(*) FROM lookup_table
             UNION ALL SELECT 'uploads', count(*) FROM upload
             UNION ALL SELECT 'evaluation_keys', count(*) FROM object WHERE kind = 'evaluation-key'
             UNION ALL SELECT 'ciphertexts', count(*) FROM object WHERE kind = 'ciphertext'
             UNION ALL SELECT 'stored_bytes', CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM object",
        )?;
        let counts = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        counts.collect()
    }
}

/// Returns the lengths of a job's results in bytes.
fn results(rows: &Connection, job: &str) -> Result<Vec<u64>> {
    let query = "SELECT bytes FROM result WHERE job = ?1 ORDER BY place";
    let mut query = rows.prepare(query)?;
    query.query_map([job], |row| row.get(0))?.collect()
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    Ok(serde_json::to_string(value).map_err(std::io::Error::other)?)
}

fn check_queue(transaction: &Transaction<'_>, client: i64, limits: &Limits) -> Result<()> {
    let (all, own): (u64, u64) = transaction.query_row(
        "SELECT count(*), count(CASE WHEN client = ?1 THEN 1 END) FROM job WHERE state IN ('queued', 'running')",
        [client],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    for (name, found, limit) in
        [("queue", all, limits.queue), ("client-queue", own, limits.client_queue)]
    {
        if found >= limit {
            return Err(Problem::too_many(name, found + 1, limit).into());
        }
    }
    Ok(())
}

/// Raises the used time of a client without jobs to that of the least served client with jobs, or else to the largest
/// of all. Clients cannot save up time while they are idle.
fn catch_up(transaction: &Transaction<'_>, client: i64) -> Result<()> {
    let active = "(SELECT client FROM job WHERE state IN ('queued', 'running'))";
    let begin = format!(
        "coalesce((SELECT min(used_us) FROM client WHERE id IN {active}),
                  (SELECT max(used_us) FROM client))"
    );
    transaction.execute(
        &format!(
            "UPDATE client SET used_us = max(used_us, {begin}) WHERE id = ?1 AND id NOT IN {active}"
        ),
        [client],
    )?;
    Ok(())
}

fn job_of_request(
    rows: &Connection,
    client: i64,
    request: Option<&str>,
    order: &Order,
) -> Result<Option<Job>> {
    let Some(request) = request else { return Ok(None) };
    let query = format!("{COLUMNS} WHERE client = ?1 AND request = ?2");
    let found = rows.query_row(&query, params![client, request], job).optional()?;
    match found {
        Some(found) if found.order != *order => {
            let text = "the request's identifier was used for another order";
            Err(Problem::conflict(text).into())
        }
        found => Ok(found),
    }
}

fn job(row: &Row) -> Result<Job> {
    let (state, order): (String, String) = (row.get(1)?, row.get(3)?);
    let unreadable = |error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, error.into())
    };
    let state = State::of(&state).unwrap_or(State::Failed);
    Ok(Job {
        id: row.get(0)?,
        state,
        progress: if state == State::Done { 1.0 } else { row.get(6)? },
        estimate_s: row.get(2)?,
        order: serde_json::from_str(&order).map_err(unreadable)?,
        results: Vec::new(),
        reason: row.get(4)?,
        ended: row.get(5)?,
        expires: None,
    })
}
