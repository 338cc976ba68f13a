//! The schema of the database, and its migrations.

use rusqlite::{Connection, Transaction, params};

use crate::{Error, Result};

/// The schema version that this program writes.
const VERSION: u32 = 5;

/// SQLite's application identifier, which marks the database as a server's: `ctbl`.
const APPLICATION: u32 = u32::from_be_bytes(*b"ctbl");

/// The schema of version 0.
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

/// Changes of version 1: the order in which clients are served, and the times, in seconds, by which rows expire.
const FIRST: &str = "
ALTER TABLE client ADD COLUMN served INTEGER NOT NULL DEFAULT 0;
ALTER TABLE upload ADD COLUMN touched INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN ended INTEGER;
CREATE INDEX job_of_state ON job(state, client, sequence);
PRAGMA user_version = 1;
";

/// Changes of version 2: time used by clients, progress of jobs, and the number of servers that ended while a job ran;
/// the files to be removed, which triggers record in the transaction that removes their rows; the time of the last
/// search for expired rows; and indices for reading lists page by page.
const SECOND: &str = "
ALTER TABLE client RENAME COLUMN served TO used_us;
ALTER TABLE job ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN progress REAL NOT NULL DEFAULT 0;
CREATE TABLE removed(id INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT NOT NULL);
CREATE TABLE looked(at INTEGER NOT NULL);
CREATE INDEX job_of_client ON job(client, sequence);
CREATE INDEX object_of_client ON object(client, kind);
CREATE TRIGGER upload_removed AFTER DELETE ON upload WHEN NOT EXISTS(SELECT 1 FROM object WHERE id = old.id)
  BEGIN INSERT INTO removed(file) VALUES (old.id); END;
CREATE TRIGGER object_removed AFTER DELETE ON object BEGIN INSERT INTO removed(file) VALUES (old.id); END;
CREATE TRIGGER result_removed AFTER DELETE ON result BEGIN INSERT INTO removed(file) VALUES (old.file); END;
CREATE TRIGGER table_removed AFTER DELETE ON lookup_table
  BEGIN INSERT INTO removed(file) VALUES (old.digest); END;
CREATE TRIGGER table_replaced AFTER UPDATE ON lookup_table WHEN old.digest <> new.digest
  BEGIN INSERT INTO removed(file) VALUES (old.digest); END;
PRAGMA user_version = 2;
";

/// Changes of version 3: whether the inputs and outputs of tables are signed.
const THIRD: &str = "
ALTER TABLE lookup_table ADD COLUMN signed_inputs INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lookup_table ADD COLUMN signed_outputs INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = 3;
";

/// Changes of version 4: the client for whom a file of ciphertexts is, if another one contributed it.
const FOURTH: &str = "
ALTER TABLE upload ADD COLUMN recipient INTEGER REFERENCES client ON DELETE SET NULL;
ALTER TABLE object ADD COLUMN recipient INTEGER REFERENCES client ON DELETE SET NULL;
CREATE INDEX object_of_recipient ON object(recipient, kind);
PRAGMA user_version = 4;
";

/// Changes of version 5: the leases of jobs; the parts of results that several workers wrote in turn; and where files
/// are kept.
const FIFTH: &str = "
ALTER TABLE job ADD COLUMN lease INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN beat INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN worker TEXT NOT NULL DEFAULT '';
CREATE TABLE part(
  job TEXT NOT NULL REFERENCES job(id) ON DELETE CASCADE, place INTEGER NOT NULL, number INTEGER NOT NULL,
  file TEXT NOT NULL UNIQUE, bytes INTEGER NOT NULL DEFAULT 0, count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(job, place, number));
CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TRIGGER result_replaced AFTER UPDATE OF file ON result
  WHEN old.file <> new.file AND NOT EXISTS(SELECT 1 FROM part WHERE file = old.file)
  BEGIN INSERT INTO removed(file) VALUES (old.file); END;
CREATE TRIGGER part_removed AFTER DELETE ON part WHEN NOT EXISTS(SELECT 1 FROM result WHERE file = old.file)
  BEGIN INSERT INTO removed(file) VALUES (old.file); END;
PRAGMA user_version = 5;
";

/// The owner of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Server,
    /// The database is empty.
    Nobody,
    AnotherProgram,
}

/// Returns the owner of a database, without changing it.
pub(super) fn owner(database: &Connection) -> rusqlite::Result<Owner> {
    database.query_row(
        "SELECT (SELECT application_id FROM pragma_application_id), count(*),
         coalesce(sum(name IN ('client', 'lookup_table', 'upload', 'object', 'job', 'result')), 0)
         FROM sqlite_master WHERE type = 'table'",
        [],
        |row| {
            Ok(match (row.get::<_, u32>(0)?, row.get(1)?, row.get(2)?) {
                (APPLICATION, _, _) => Owner::Server,
                (0, 0_u64, _) => Owner::Nobody,
                // Databases of version 1 have no application identifier.
                (0, _, 6_u64) => Owner::Server,
                _ => Owner::AnotherProgram,
            })
        },
    )
}

/// Creates the tables, or migrates those of an older version. Existing rows count as used now.
pub(super) fn prepare(database: &mut Connection, now: u64) -> Result<()> {
    let transaction = database.transaction()?;
    let found = version(&transaction)?;
    if found > VERSION {
        let text = format!(
            "the folder has version {found}, but this program knows versions up to {VERSION}"
        );
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
        transaction.pragma_update(None, "application_id", APPLICATION)?;
    }
    if found < 3 {
        transaction.execute_batch(THIRD)?;
    }
    if found < 4 {
        transaction.execute_batch(FOURTH)?;
    }
    if found < 5 {
        transaction.execute_batch(FIFTH)?;
    }
    Ok(transaction.commit()?)
}

/// Creates the tables in a database server, or checks their version.
pub(super) fn prepare_server(database: &super::sql::Connection) -> Result<()> {
    match database.prepare_server(VERSION)? {
        VERSION => Ok(()),
        found => {
            let text =
                format!("the database has version {found}, but this program needs {VERSION}");
            Err(Error::Operator(text))
        }
    }
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
                    INSERT INTO lookup_table VALUES ('t', 'd', 16, 16);
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
            let signs = "SELECT signed_inputs + signed_outputs FROM lookup_table";
            let signs: u8 = database.query_row(signs, [], |row| row.get(0)).unwrap();
            assert_eq!(signs, 0);
        }
        database.pragma_update(None, "user_version", VERSION + 1).unwrap();
        let error = prepare(&mut database, 1000).unwrap_err().to_string();
        assert!(error.contains(&format!("version {}", VERSION + 1)), "{error}");
    }

    #[test]
    fn databases_of_others_are_known() {
        let mut database = Connection::open_in_memory().unwrap();
        assert_eq!(owner(&database).unwrap(), Owner::Nobody);
        database.execute_batch(SCHEMA).unwrap();
        assert_eq!(owner(&database).unwrap(), Owner::Server);
        prepare(&mut database, 1).unwrap();
        database.execute_batch("DROP TABLE lookup_table").unwrap();
        assert_eq!(owner(&database).unwrap(), Owner::Server);
        database.pragma_update(None, "application_id", 7).unwrap();
        assert_eq!(owner(&database).unwrap(), Owner::AnotherProgram);
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch("CREATE TABLE client(id INTEGER)").unwrap();
        assert_eq!(owner(&database).unwrap(), Owner::AnotherProgram);
    }
}
