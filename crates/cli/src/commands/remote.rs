//! `cryptable remote`: the client's commands for a server that `serve` runs.

mod connection;
mod list;
mod lookup;
mod public_key;
mod upload;

use anyhow::{Result, bail, ensure};
use cryptable_service::ClientError;

use crate::args::Global;
use crate::args::remote::{RemoteCommand, RemoveArgs};

/// Runs a subcommand.
///
/// # Errors
/// If it fails. Errors from the server are [`ClientError`]s.
pub fn run(global: Global, command: &RemoteCommand) -> Result<()> {
    match command {
        RemoteCommand::Tables(args) => list::tables(global, args),
        RemoteCommand::List(args) => list::everything(global, args),
        RemoteCommand::Upload(args) => upload::run(global, args),
        RemoteCommand::Lookup(args) => lookup::run(global, args),
        RemoteCommand::Fetch(args) => match (&args.job, &args.public_key) {
            (Some(job), _) => lookup::fetch(global, args, job),
            (None, Some(owner)) => public_key::fetch(global, args, owner),
            (None, None) => bail!("--job or --public-key is required"),
        },
        RemoteCommand::Remove(args) => remove(global, args),
    }
}

/// Returns the kind of an error from the server, for programs, and the exit status.
pub fn kind_and_status(error: &anyhow::Error) -> Option<(&'static str, u8)> {
    let error = error.chain().find_map(|cause| cause.downcast_ref::<ClientError>())?;
    match error {
        ClientError::Refused(_) => Some(("refused", 3)),
        ClientError::Unreachable { .. } | ClientError::Answer(_) => Some(("unreachable", 4)),
        ClientError::Failed(_) => Some(("failed", 5)),
        ClientError::Io(_) => Some(("io", 1)),
        _ => None,
    }
}

fn remove(global: Global, args: &RemoveArgs) -> Result<()> {
    let client = connection::open(global, &args.connection)?;
    remove_all("job", &args.jobs, || client.jobs(), |it| it.id, |id| client.remove_job(id))?;
    let (keys, files) = (&args.keys, &args.ciphertexts);
    remove_all("key", keys, || client.keys(), |it| it.sha256, |key| client.remove_key(key))?;
    let remove = |file: &str| client.remove_ciphertext(file);
    remove_all("file of ciphertexts", files, || client.ciphertexts(), |it| it.sha256, remove)?;
    let (known, remove) = (|| client.public_keys(), |key: &str| client.remove_public_key(key));
    remove_all("public key", &args.public_keys, known, |it| it.key.sha256, remove)
}

/// Removes the items that are named by the first digits of their identifiers, among all `known` ones.
fn remove_all<T>(
    what: &str,
    starts: &[String],
    known: impl FnOnce() -> Result<Vec<T>, ClientError>,
    name: impl Fn(T) -> String,
    remove: impl Fn(&str) -> Result<(), ClientError>,
) -> Result<()> {
    if starts.is_empty() {
        return Ok(());
    }
    let known: Vec<String> = known()?.into_iter().map(name).collect();
    starts.iter().try_for_each(|start| Ok(remove(named(what, start, &known)?)?))
}

/// Returns the only known name that begins with `start`.
fn named<'a>(what: &str, start: &str, known: &'a [String]) -> Result<&'a str> {
    ensure!(!start.is_empty(), "the name of a {what} is empty");
    let mut found: Vec<&String> = known.iter().filter(|name| name.starts_with(start)).collect();
    // Several clients may send the same file.
    found.sort();
    found.dedup();
    match found[..] {
        [name] => Ok(name),
        [] => bail!("you have no {what} {start} on the server"),
        _ => bail!("{} {what}s on the server begin with {start}", found.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_short_but_not_ambiguous() {
        let known = ["abc1".to_owned(), "abd2".to_owned()];
        assert_eq!(named("job", "abc", &known).unwrap(), "abc1");
        for (start, expected) in [("", "empty"), ("ab", "2 jobs"), ("x", "no job x")] {
            let error = named("job", start, &known).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
