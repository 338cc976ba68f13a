//! Lists of the tables, keys, files and jobs on a server.

use std::fmt;

use anyhow::Result;
use cryptable_service::messages::{Job, Object, PublishedKey};
use serde::Serialize;

use super::connection;
use crate::args::Global;
use crate::args::remote::ConnectionArgs;
use crate::commands::table_list;
use crate::report::{self, bytes, seconds};

/// Number of digits of an identifier that are shown.
pub const SHOWN_DIGITS: usize = 12;

/// Lists the server's tables.
pub fn tables(global: Global, args: &ConnectionArgs) -> Result<()> {
    table_list::print(global, &connection::open(global, args)?.tables()?)
}

/// Lists the client's keys, files and jobs on the server, and the public keys of all clients.
pub fn everything(global: Global, args: &ConnectionArgs) -> Result<()> {
    let client = connection::open(global, args)?;
    let (keys, ciphertexts, jobs) = (client.keys()?, client.ciphertexts()?, client.jobs()?);
    let public_keys = client.public_keys()?;
    report::result(global, &Everything { keys, ciphertexts, jobs, public_keys })
}

#[derive(Serialize)]
struct Everything {
    keys: Vec<Object>,
    ciphertexts: Vec<Object>,
    jobs: Vec<Job>,
    public_keys: Vec<PublishedKey>,
}

impl fmt::Display for Everything {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.keys.is_empty() && self.ciphertexts.is_empty() && self.jobs.is_empty() {
            f.write_str("nothing of yours is on the server\n")?;
        }
        for key in &self.keys {
            let (digest, about) = (short(&key.sha256), &key.about);
            let outputs = about.output_modulus.unwrap_or(about.modulus);
            let size = bytes(key.bytes);
            writeln!(
                f,
                "key        {digest}  {}, {} -> {outputs}, {size}",
                about.engine, about.modulus
            )?;
        }
        for file in &self.ciphertexts {
            let (digest, about) = (short(&file.sha256), &file.about);
            let (values, size) = (about.values.unwrap_or(0), bytes(file.bytes));
            write!(f, "ciphertext {digest}  {}, {values} values, {size}", about.engine)?;
            match (&file.contributor, &file.recipient) {
                (Some(name), _) => writeln!(f, ", from {name}")?,
                (None, Some(name)) => writeln!(f, ", for {name}")?,
                (None, None) => writeln!(f)?,
            }
        }
        for job in &self.jobs {
            let tables = job.order.tables.join(", ");
            write!(f, "job        {}  {}: {tables}", short(&job.id), job.state.word())?;
            match (&job.reason, job.state.is_final()) {
                (Some(reason), _) => writeln!(f, ": {reason}")?,
                (None, true) => writeln!(f, ", {}", bytes(job.results.iter().sum()))?,
                (None, false) => {
                    let percent = (100.0 * job.progress).floor();
                    writeln!(f, ", {percent} %, about {} of work", seconds(job.estimate_s))?;
                }
            }
        }
        for PublishedKey { owner, key } in &self.public_keys {
            let (digest, about, size) = (short(&key.sha256), &key.about, bytes(key.bytes));
            writeln!(
                f,
                "public key {digest}  of {owner}: {}, {}, {size}",
                about.engine, about.modulus
            )?;
        }
        Ok(())
    }
}

/// Returns the first digits of an identifier.
pub fn short(id: &str) -> &str {
    id.get(..SHOWN_DIGITS).unwrap_or(id)
}
