//! Migration of a folder's rows from SQLite to a PostgreSQL server.

use std::path::Path;

use super::sql::{Connection, ToSql, Transaction};
use super::{Store, connect_server, folder, lock_server, schema};
use crate::{Error, Result};

/// All tables, in an order in which references point backwards, and the columns that the database numbers.
const TABLES: [(&str, Option<&str>); 10] = [
    ("client", Some("id")),
    ("lookup_table", None),
    ("upload", None),
    ("object", Some("rowid")),
    ("job", Some("sequence")),
    ("result", None),
    ("part", None),
    ("removed", Some("id")),
    ("looked", None),
    ("setting", None),
];

impl Store {
    /// Moves the rows of a folder from SQLite to an empty PostgreSQL database, at an address such as
    /// `postgres://user:password@host/database`, which the folder uses from then on. No server may be running. Running
    /// workers find no more jobs until they are restarted.
    ///
    /// # Errors
    /// If a server runs, if the folder's rows are not in SQLite, if the database is not empty or cannot be reached, or
    /// if this is a build without the feature `postgres`. In these cases, nothing has changed in the folder.
    pub fn move_to(folder: &Path, database: &str) -> Result<()> {
        let store = Self::open(folder)?;
        if store.url.is_some() {
            let folder = folder.display();
            return Err(Error::Operator(format!("the rows of {folder} are in PostgreSQL already")));
        }
        let _serving = store.start_serving()?;
        let mut target = connect_server(database, store.lock_wait, true)?;
        schema::prepare_server(&target)?;
        let _lock = lock_server(database, store.lock_wait)?;
        let mut rows = store.rows();
        // From here on, nobody else writes to either database.
        let (from, to) = (rows.transaction()?, target.transaction()?);
        for (table, number) in TABLES {
            copy(&from, &to, table, number)?;
        }
        to.commit()?;
        folder::keep_database_url(folder, database)?;
        // Workers that have the old database open find no jobs there.
        from.execute("UPDATE job SET state = 'moved' WHERE state IN ('queued', 'running')", [])?;
        from.commit()
    }
}

/// Copies the rows of a table. `number` is the column that the database numbers.
fn copy(from: &Connection, to: &Transaction<'_>, table: &str, number: Option<&str>) -> Result<()> {
    let mut query = from.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let found = query.query_map([table], |row| row.get::<String>(0))?;
    let mut columns: Vec<String> = found.collect::<Result<_>>()?;
    if let Some(number) = number.filter(|number| !columns.iter().any(|name| name == number)) {
        columns.push(number.to_owned());
    }
    let names = columns.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let has_rows = format!("SELECT count(*) FROM {table}");
    // The version of the schema exists from the start.
    if table != "setting" && to.query_row(&has_rows, [], |row| row.get::<u64>(0))? > 0 {
        let text = "the database is not empty: make a new one for the rows of this folder";
        return Err(Error::Operator(text.into()));
    }
    let places: Vec<String> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
    let places = places.join(", ");
    let insert = format!("INSERT INTO {table}({names}) OVERRIDING SYSTEM VALUE VALUES ({places})");
    let mut all = from.prepare(&format!("SELECT {names} FROM {table}"))?;
    let mut all = all.query([])?;
    while let Some(row) = all.next()? {
        let values: Vec<&dyn ToSql> = row.values().iter().map(|value| value as _).collect();
        to.execute(&insert, values.as_slice())?;
    }
    if let Some(number) = number {
        go_on(from, to, table, number)?;
    }
    Ok(())
}

/// Makes the new database continue numbering rows where the old one stopped, so that no number is ever used twice.
fn go_on(from: &Connection, to: &Transaction<'_>, table: &str, number: &str) -> Result<()> {
    let last = format!(
        "SELECT max(coalesce((SELECT max({number}) FROM {table}), 0),
                    coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?1), 0))"
    );
    let last: i64 = from.query_row(&last, [table], |row| row.get(0))?;
    let set = format!("SELECT setval(pg_get_serial_sequence('{table}', '{number}'), ?1, false)");
    to.query_row(&set, [last + 1], |_| Ok(()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_table_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let rows = store.rows();
        let query =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut query = rows.prepare(query).unwrap();
        let found = query.query_map([], |row| row.get::<String>(0)).unwrap();
        let mut found: Vec<String> = found.collect::<Result<_>>().unwrap();
        found.sort();
        let mut expected = TABLES.map(|(table, _)| table);
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
