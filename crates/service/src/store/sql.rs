//! The database: SQLite in the folder, or PostgreSQL, which several machines can reach.
//!
//! Queries use only the common subset of both SQL dialects, with parameters `?1`, `?2` and so on. For functions that
//! only SQLite has, the schema of PostgreSQL defines its own. Transactions that write exclude each other in both.

#[cfg(feature = "postgres")]
mod postgres;

use std::ops::Deref;

use rusqlite::types::{FromSql, ToSqlOutput, Value};
pub(super) use rusqlite::{ToSql, params};

#[cfg(feature = "postgres")]
pub(super) use self::postgres::Postgres;
use crate::{Error, Result};

/// A connection, which one thread uses at a time.
#[derive(Debug)]
pub(super) enum Connection {
    Sqlite {
        database: rusqlite::Connection,
        writes: bool,
    },
    #[cfg(feature = "postgres")]
    Postgres(Box<Postgres>),
}

/// A row of a result.
#[derive(Debug)]
pub(super) struct Row(Vec<Value>);

/// A query that can be run several times.
pub(super) struct Statement<'a> {
    connection: &'a Connection,
    query: String,
}

/// Rows of a result, one after the other.
pub(super) struct Rows(std::vec::IntoIter<Row>);

/// A transaction, which changes nothing unless it is committed.
pub(super) struct Transaction<'a> {
    connection: &'a Connection,
    is_committed: bool,
}

/// Parameters of a query: an array, or the result of `params!`.
pub(super) trait Parameters {
    fn values(&self) -> Result<Vec<Value>>;
}

fn value(parameter: &dyn ToSql) -> Result<Value> {
    match parameter.to_sql()? {
        ToSqlOutput::Borrowed(value) => Ok(value.try_into().map_err(std::io::Error::other)?),
        ToSqlOutput::Owned(value) => Ok(value),
        _ => Err(std::io::Error::other("no parameter of a query").into()),
    }
}

impl Parameters for &[&dyn ToSql] {
    fn values(&self) -> Result<Vec<Value>> {
        self.iter().map(|parameter| value(*parameter)).collect()
    }
}

impl Parameters for [&dyn ToSql; 0] {
    fn values(&self) -> Result<Vec<Value>> {
        Ok(Vec::new())
    }
}

impl<T: ToSql> Parameters for [T; 1] {
    fn values(&self) -> Result<Vec<Value>> {
        self.iter().map(|parameter| value(parameter)).collect()
    }
}

impl<T: ToSql> Parameters for [T; 2] {
    fn values(&self) -> Result<Vec<Value>> {
        self.iter().map(|parameter| value(parameter)).collect()
    }
}

/// A result that may have no row.
pub(super) trait OptionalExtension<T> {
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(found) => Ok(Some(found)),
            Err(Error::Database(rusqlite::Error::QueryReturnedNoRows)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Row {
    /// Returns the values of all columns.
    pub(super) fn values(&self) -> &[Value] {
        &self.0
    }

    /// Returns the value of a column.
    pub(super) fn get<T: FromSql>(&self, column: usize) -> Result<T> {
        let value = self.0.get(column).ok_or(rusqlite::Error::InvalidColumnIndex(column))?;
        T::column_result(value.into()).map_err(|error| {
            let kind = value.data_type();
            rusqlite::Error::FromSqlConversionFailure(column, kind, error.into()).into()
        })
    }
}

impl Rows {
    pub(super) fn next(&mut self) -> Result<Option<Row>> {
        Ok(self.0.next())
    }
}

impl Statement<'_> {
    pub(super) fn query(&mut self, parameters: impl Parameters) -> Result<Rows> {
        Ok(Rows(self.connection.rows(&self.query, parameters.values()?)?.into_iter()))
    }

    pub(super) fn query_map<T>(
        &mut self,
        parameters: impl Parameters,
        read: impl FnMut(&Row) -> Result<T>,
    ) -> Result<std::vec::IntoIter<Result<T>>> {
        let rows = self.connection.rows(&self.query, parameters.values()?)?;
        Ok(rows.iter().map(read).collect::<Vec<_>>().into_iter())
    }

    pub(super) fn query_row<T>(
        &mut self,
        parameters: impl Parameters,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        self.connection.query_row(&self.query, parameters, read)
    }
}

impl Connection {
    pub(super) fn prepare(&self, query: &str) -> Result<Statement<'_>> {
        Ok(Statement { connection: self, query: query.to_owned() })
    }

    /// Runs a query that changes rows, and returns their number.
    pub(super) fn execute(&self, query: &str, parameters: impl Parameters) -> Result<usize> {
        let values = parameters.values()?;
        match self {
            Self::Sqlite { database, .. } => {
                Ok(database.execute(query, rusqlite::params_from_iter(values))?)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.execute(query, values),
        }
    }

    /// Applies `read` to the first row of the result.
    pub(super) fn query_row<T>(
        &self,
        query: &str,
        parameters: impl Parameters,
        read: impl FnOnce(&Row) -> Result<T>,
    ) -> Result<T> {
        let rows = self.rows(query, parameters.values()?)?;
        read(rows.first().ok_or(rusqlite::Error::QueryReturnedNoRows)?)
    }

    fn rows(&self, query: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        match self {
            Self::Sqlite { database, .. } => {
                let mut query = database.prepare(query)?;
                let columns = query.column_count();
                let mut rows = query.query(rusqlite::params_from_iter(values))?;
                let mut found = Vec::new();
                while let Some(row) = rows.next()? {
                    let values = (0..columns).map(|column| row.get(column));
                    found.push(Row(values.collect::<rusqlite::Result<_>>()?));
                }
                Ok(found)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => {
                Ok(database.query(query, values)?.into_iter().map(Row).collect())
            }
        }
    }

    pub(super) fn transaction(&mut self) -> Result<Transaction<'_>> {
        match self {
            // The operator's commands may run at the same time. A transaction that reads first and writes later would be
            // refused at once if a command wrote in between.
            Self::Sqlite { database, writes: true } => database.execute_batch("BEGIN IMMEDIATE")?,
            Self::Sqlite { database, .. } => database.execute_batch("BEGIN")?,
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.begin()?,
        }
        Ok(Transaction { connection: self, is_committed: false })
    }

    fn end(&self, word: &str) -> Result<()> {
        match self {
            Self::Sqlite { database, .. } => Ok(database.execute_batch(word)?),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.end(word),
        }
    }

    /// Creates the tables in a database server unless they exist, and returns their version.
    pub(super) fn prepare_server(&self, version: u32) -> Result<u32> {
        match self {
            Self::Sqlite { .. } => Ok(version),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.prepare(include_str!("sql/postgres.sql"), version),
        }
    }

    /// Makes this connection the only server's. Returns false if there is another server.
    pub(super) fn start_serving(&self) -> Result<bool> {
        match self {
            Self::Sqlite { .. } => Ok(true),
            #[cfg(feature = "postgres")]
            Self::Postgres(database) => database.start_serving(),
        }
    }

    /// Returns a number that changes when another connection has changed rows.
    pub(super) fn version(&self) -> Result<i64> {
        match self {
            Self::Sqlite { database, .. } => {
                Ok(database.pragma_query_value(None, "data_version", |row| row.get(0))?)
            }
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => {
                let query = "SELECT CAST(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS BIGINT)";
                self.query_row(query, [], |row| row.get(0))
            }
        }
    }
}

impl Transaction<'_> {
    pub(super) fn commit(mut self) -> Result<()> {
        self.connection.end("COMMIT")?;
        self.is_committed = true;
        Ok(())
    }
}

impl Deref for Transaction<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = self.connection.end("ROLLBACK");
        }
    }
}
