//! Public keys that clients of a server publish.

use anyhow::{Context, Result, bail, ensure};
use cryptable::inspect;
use cryptable_service::messages::PublishedKey;
use serde_json::json;

use super::connection;
use super::list::short;
use crate::args::Global;
use crate::args::remote::FetchArgs;
use crate::atomic_file::{self, Access};
use crate::input_file;
use crate::report;

/// Fetches a public key, named by its client or by its digest.
pub fn fetch(global: Global, args: &FetchArgs, name: &str) -> Result<()> {
    let outputs = &args.results.outputs;
    let [output] = &outputs[..] else {
        bail!("{} --output: a public key needs one", outputs.len());
    };
    let client = connection::open(global, &args.connection)?;
    let published = client.public_keys()?;
    let found = of_name(name, &published)?;
    let file = client.fetch_public_key(found).context("cannot fetch the public key")?;
    // The description comes from the file itself, not from the server.
    let described = inspect(&file).context("the server sent a damaged public key")?;
    let key_id = described.key_id.context("the server sent a file that is not a key")?.to_string();
    let owner = &found.owner;
    atomic_file::write(output, Access::Public, &file, true)?;
    let output = atomic_file::shown(output);
    let fields = json!({ "output": output.to_string_lossy(), "owner": owner, "key_id": key_id });
    let text = format!(
        "{}: public key of {owner}, for the secret key {key_id}; ask {owner} over another channel whether it is theirs",
        input_file::name(output)
    );
    report::told(global, fields, text)
}

/// Returns the only key that a client of this name publishes, or the only key whose digest begins with `name`.
fn of_name<'a>(name: &str, published: &'a [PublishedKey]) -> Result<&'a PublishedKey> {
    ensure!(!name.is_empty(), "the name after --public-key is empty");
    let mut found: Vec<_> = published.iter().filter(|it| it.owner == name).collect();
    if found.is_empty() {
        found = published.iter().filter(|it| it.key.sha256.starts_with(name)).collect();
        // Several clients may publish the same file.
        found.dedup_by(|a, b| a.key.sha256 == b.key.sha256);
    }
    match found[..] {
        [key] => Ok(key),
        [] => {
            bail!("no client publishes a public key as {name}: `cryptable remote list` shows all")
        }
        _ => {
            let digests: Vec<&str> = found.iter().map(|it| short(&it.key.sha256)).collect();
            bail!(
                "{name} publishes {}: choose one by its digest: {}",
                found.len(),
                digests.join(", ")
            )
        }
    }
}
