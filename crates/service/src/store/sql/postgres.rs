//! A connection to PostgreSQL.

mod address;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as StdError;
use std::time::Duration;

use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type};
use postgres::{Client, Statement};
use rusqlite::types::Value;

use crate::{Error, Result};

/// Number of the lock that writing transactions hold, and that a server holds while it runs.
const WRITING: i64 = 0x6374_626c_0000_0001;
const SERVING: i64 = 0x6374_626c_0000_0002;

/// SQLSTATE code of a lock that others held for too long.
const LOCKED: &str = "55P03";

/// A connection, which is reopened after the server has closed it.
pub(in crate::store) struct Postgres {
    url: String,
    lock_wait: Duration,
    writes: bool,
    client: RefCell<Client>,
    /// Prepared statements of the connection, by query.
    known: RefCell<HashMap<String, Statement>>,
    in_transaction: Cell<bool>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").field("writes", &self.writes).finish_non_exhaustive()
    }
}

fn told(error: &postgres::Error) -> Error {
    // Errors without a code are connection errors, which may pass.
    let is_passing = error.code().is_none_or(|code| code.code() == LOCKED);
    let text = error.as_db_error().map_or_else(|| whole(error), |it| it.message().to_owned());
    Error::DatabaseServer { text, is_passing }
}

/// Returns the text of an error and of its causes.
fn whole(error: &dyn StdError) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

fn connect(url: &str, lock_wait: Duration) -> Result<Client> {
    let mut client = address::connect(url)?;
    let wait = lock_wait.as_millis().max(1);
    let set = format!("SET lock_timeout = {wait}; SET client_min_messages = warning");
    client.batch_execute(&set).map_err(|error| told(&error))?;
    Ok(client)
}

impl Postgres {
    pub(in crate::store) fn open(url: &str, lock_wait: Duration, writes: bool) -> Result<Self> {
        let client = RefCell::new(connect(url, lock_wait)?);
        let (url, known, in_transaction) = (url.to_owned(), RefCell::default(), Cell::new(false));
        Ok(Self { url, lock_wait, writes, client, known, in_transaction })
    }

    /// Reopens the connection if it was closed between two transactions.
    fn connected(&self) -> Result<()> {
        if self.client.borrow().is_closed() && !self.in_transaction.get() {
            *self.client.borrow_mut() = connect(&self.url, self.lock_wait)?;
            self.known.borrow_mut().clear();
        }
        Ok(())
    }

    fn batch(&self, words: &str) -> Result<()> {
        self.client.borrow_mut().batch_execute(words).map_err(|error| told(&error))
    }

    pub(super) fn begin(&self) -> Result<()> {
        self.connected()?;
        match self.writes {
            true => {
                let begin = format!("BEGIN; SELECT pg_advisory_xact_lock({WRITING})");
                if let Err(error) = self.batch(&begin) {
                    let _ = self.batch("ROLLBACK");
                    return Err(error);
                }
            }
            false => self.batch("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?,
        }
        self.in_transaction.set(true);
        Ok(())
    }

    pub(super) fn end(&self, word: &str) -> Result<()> {
        self.in_transaction.set(false);
        self.batch(word)
    }

    pub(super) fn execute(&self, query: &str, values: Vec<Value>) -> Result<usize> {
        if self.in_transaction.get() {
            return self.execute_one(query, values);
        }
        self.begin()?;
        let changed = self.execute_one(query, values);
        let ended = self.end(if changed.is_ok() { "COMMIT" } else { "ROLLBACK" });
        changed.and_then(|changed| ended.map(|()| changed))
    }

    fn execute_one(&self, query: &str, values: Vec<Value>) -> Result<usize> {
        let statement = self.statement(query)?;
        let values: Vec<Parameter> = values.into_iter().map(Parameter).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|it| it as _).collect();
        let changed = self.client.borrow_mut().execute(&statement, &values);
        Ok(changed.map_err(|error| told(&error))? as usize)
    }

    pub(super) fn query(&self, query: &str, values: Vec<Value>) -> Result<Vec<Vec<Value>>> {
        self.connected()?;
        let statement = self.statement(query)?;
        let values: Vec<Parameter> = values.into_iter().map(Parameter).collect();
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|it| it as _).collect();
        let rows = self.client.borrow_mut().query(&statement, &values);
        let rows = rows.map_err(|error| told(&error))?;
        rows.iter().map(|row| (0..row.len()).map(|column| read(row, column)).collect()).collect()
    }

    fn statement(&self, query: &str) -> Result<Statement> {
        if let Some(known) = self.known.borrow().get(query) {
            return Ok(known.clone());
        }
        let statement = self.client.borrow_mut().prepare(&query.replace('?', "$"));
        let statement = statement.map_err(|error| told(&error))?;
        self.known.borrow_mut().insert(query.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Creates the tables unless they exist, and returns the version of the existing ones.
    pub(in crate::store) fn prepare(&self, schema: &str, version: u32) -> Result<u32> {
        self.begin()?;
        let made = self.make(schema, version);
        self.end(if made.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        made
    }

    fn make(&self, schema: &str, version: u32) -> Result<u32> {
        let found = self.query("SELECT to_regclass('setting') IS NOT NULL", Vec::new())?;
        if found != [[Value::Integer(1)]] {
            self.batch(schema)?;
            let insert = "INSERT INTO setting VALUES ('version', ?1)";
            self.execute(insert, vec![Value::Text(version.to_string())])?;
        }
        let found = self.query("SELECT value FROM setting WHERE name = 'version'", Vec::new())?;
        match found.first().map(Vec::as_slice) {
            Some([Value::Text(text)]) => Ok(text.parse().unwrap_or(u32::MAX)),
            _ => Err(Error::Operator("the database is another program's: choose another".into())),
        }
    }

    /// Makes this connection the server's, unless another one is. The lock lasts as long as the connection.
    pub(in crate::store) fn start_serving(&self) -> Result<bool> {
        let query = format!("SELECT pg_try_advisory_lock({SERVING})");
        Ok(self.query(&query, Vec::new())? == [[Value::Integer(1)]])
    }
}

#[derive(Debug)]
struct Parameter(Value);

type Outcome = std::result::Result<IsNull, Box<dyn StdError + Sync + Send>>;

impl ToSql for Parameter {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Outcome {
        match (&self.0, kind) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Integer(number), &Type::INT4) => i32::try_from(*number)?.to_sql(kind, out),
            (Value::Integer(number), &Type::FLOAT8) => (*number as f64).to_sql(kind, out),
            (Value::Integer(number), &Type::BOOL) => (*number != 0).to_sql(kind, out),
            (Value::Integer(number), &Type::INT8) => number.to_sql(kind, out),
            (Value::Real(number), &Type::FLOAT8) => number.to_sql(kind, out),
            (Value::Text(text), &Type::TEXT) => text.to_sql(kind, out),
            (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(kind, out),
            (value, kind) => Err(format!("{:?} is not {kind}", value.data_type()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> Outcome {
        self.to_sql(kind, out)
    }
}

fn read(row: &postgres::Row, column: usize) -> Result<Value> {
    let found = match *row.columns()[column].type_() {
        Type::INT8 => row.try_get::<_, Option<i64>>(column).map(|it| it.map(Value::Integer)),
        Type::INT4 => {
            row.try_get(column).map(|it: Option<i32>| it.map(|it| Value::Integer(it.into())))
        }
        Type::BOOL => {
            row.try_get(column).map(|it: Option<bool>| it.map(|it| Value::Integer(it.into())))
        }
        Type::FLOAT8 => row.try_get(column).map(|it: Option<f64>| it.map(Value::Real)),
        Type::BYTEA => row.try_get(column).map(|it: Option<Vec<u8>>| it.map(Value::Blob)),
        Type::VOID => Ok(None),
        _ => row.try_get(column).map(|it: Option<String>| it.map(Value::Text)),
    };
    Ok(found.map_err(|error| told(&error))?.unwrap_or(Value::Null))
}
