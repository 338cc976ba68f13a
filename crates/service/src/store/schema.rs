//! Tables of the database, and how older ones become today's.

use rusqlite::{Connection, Transaction, params};

use crate::{Error, Result};

/// The version that this program writes.
const VERSION: u32 = 2;

/// Version 0.
const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS client(
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, token_hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS lookup_table(
  name TEXT PRIMARY KEY, digest TEXT NOT NULL, input_modulus INTEGER NOT NULL, output_modulus INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS upload(
  id TEXT PRIMARY KEY, client INTEGER NOT NULL REFERENCES client ON DELETE CASCADE, kind TEXT NOT NULL,
  sha256 TEXT NOT NULL, length INTEGER NOT NULL, offset INTEGER NOT NULL, UNIQUE(client, kind, sha256));
CREATE TABLE IF NOT EXISTS object(
  id TEXT PRIMARY KEY, client INTEGER NOT NULL REFERENCES client ON DELETE CASCADE, kind TEXT NOT NULL,
  sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, about TEXT NOT NULL, parameters BLOB NOT NULL,
  UNIQUE(client, kind, sha256));
CREATE TABLE IF NOT EXISTS job(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
  client INTEGER NOT NULL REFERENCES client ON DELETE CASCADE, request TEXT, state TEXT NOT NULL,
  sent_order TEXT NOT NULL, key TEXT NOT NULL, ciphertext TEXT NOT NULL, tables TEXT NOT NULL,
  estimate_s REAL NOT NULL, reserved INTEGER NOT NULL, reason TEXT, UNIQUE(client, request));
CREATE TABLE IF NOT EXISTS result(
  job TEXT NOT NULL REFERENCES job(id) ON DELETE CASCADE, place INTEGER NOT NULL, file TEXT NOT NULL UNIQUE,
  bytes INTEGER NOT NULL, PRIMARY KEY(job, place));
";

/// What version 1 adds: who was served when, and times in seconds by which things expire.
const FIRST: &str = "
ALTER TABLE client ADD COLUMN served INTEGER NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN ended INTEGER;
CREATE INDEX job_of_state ON job(state, client, sequence);
PRAGMA user_version = 1;
";

/// What version 2 adds: time that clients used, how far jobs are, and how many servers ended while they ran.
const SECOND: &str = "
ALTER TABLE client RENAME COLUMN served TO used_us;
ALTER TABLE job ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN progress REAL NOT NULL DEFAULT 0;
PRAGMA user_version = 2;
";

/// Makes the tables, or brings those of an older version up to date. What is there counts as used now.
pub(super) fn prepare(database: &mut Connection, now: u64) -> Result<()> {
    let transaction = database.transaction()?;
    let found = version(&transaction)?;
    if found > VERSION {
        let text = format!("the folder is of version {found}, this program knows up to {VERSION}");
        return Err(Error::Operator(text));
    }
    if found < 1 {
        transaction.execute_batch(SCHEMA)?;
        transaction.execute_batch(FIRST)?;
        transaction.execute("UPDATE upload SET touched = ?1", params![now])?;
        transaction.execute("UPDATE object SET used = ?1", params![now])?;
        transaction
            .execute("UPDATE job SET ended = ?1 WHERE state IN ('done', 'failed')", [now])?;
    }
    if found < 2 {
        transaction.execute_batch(SECOND)?;
    }
    Ok(transaction.commit()?)
}

fn version(transaction: &Transaction<'_>) -> Result<u32> {
    Ok(transaction.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_database_keeps_its_rows() {
        let mut database = Connection::open_in_memory().unwrap();
        database.execute_batch(SCHEMA).unwrap();
        let rows = "INSERT INTO client VALUES (1, 'one', x'00');
                    INSERT INTO upload VALUES ('u', 1, 'ciphertext', 'd', 10, 5);
                    INSERT INTO object VALUES ('o', 1, 'ciphertext', 'd', 10, '{}', x'');
                    INSERT INTO job VALUES (7, 'j', 1, NULL, 'done', '{}', 'k', 'o', '[]', 0.5, 9, NULL);
                    INSERT INTO job VALUES (8, 'q', 1, NULL, 'queued', '{}', 'k', 'o', '[]', 0.5, 9, NULL);";
        database.execute_batch(rows).unwrap();
        for _ in 0..2 {
            prepare(&mut database, 1000).unwrap();
            let times: (u64, u64, u64, Option<u64>) = database
                .query_row(
                    "SELECT (SELECT touched FROM upload), (SELECT used FROM object),
                     (SELECT ended FROM job WHERE id = 'j'), (SELECT ended FROM job WHERE id = 'q')",
                    [],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
                )
                .unwrap();
            assert_eq!(times, (1000, 1000, 1000, None));
        }
        database.pragma_update(None, "user_version", VERSION + 1).unwrap();
        let error = prepare(&mut database, 1000).unwrap_err().to_string();
        assert!(error.contains("version 3"), "{error}");
    }
}
