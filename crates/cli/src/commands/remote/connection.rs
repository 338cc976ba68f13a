//! The connection to a server: its address, and the client's token.

use std::env;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use cryptable_service::Client;

use crate::args::Global;
use crate::args::remote::ConnectionArgs;
use crate::input_file;
use crate::report;

/// Environment variables that replace options.
const SERVER: &str = "CRYPTABLE_SERVER";
const TOKEN_FILE: &str = "CRYPTABLE_TOKEN_FILE";

/// Longest token file that is read, in bytes.
const MAX_TOKEN_BYTES: u64 = 1 << 12;

/// Creates a client of the server that options or variables name.
///
/// # Errors
/// If server or token are not named, if the token's file holds no token, or if the token would be sent without
/// encryption.
pub fn open(global: Global, args: &ConnectionArgs) -> Result<Client> {
    let url = args.server.clone().or_else(|| env::var(SERVER).ok());
    let url =
        url.with_context(|| format!("no server: name it with --server or the variable {SERVER}"))?;
    let file = args.token_file.clone().or_else(|| env::var_os(TOKEN_FILE).map(PathBuf::from));
    let file = file.with_context(|| {
        format!("no token: name its file with --token-file or the variable {TOKEN_FILE}")
    })?;
    let client = Client::new(&url, &read_token(&file)?);
    report::note(global, input_file::exposure(&file).as_ref());
    let client = if args.plain_http { client.plain_http() } else { client };
    client.check_address()?;
    Ok(client.patience(Duration::from_secs(u64::from(args.patience))))
}

/// Reads the only word in a file.
fn read_token(path: &Path) -> Result<String> {
    let name = input_file::name(path);
    let mut bytes = Vec::new();
    let file = input_file::open(path)?;
    file.take(MAX_TOKEN_BYTES)
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {name}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let token = text.trim();
    let is_word = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    ensure!(is_word, "{name}: not a token, which is one word");
    Ok(token.to_owned())
}
