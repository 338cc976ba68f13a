//! Uploads of keys and ciphertexts to a server.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cryptable_service::Client;
use cryptable_service::messages::{Kind, Object};

use super::connection;
use crate::args::Global;
use crate::args::remote::UploadArgs;
use crate::guard;
use crate::report::{self, bytes};
use crate::{input_file, progress};

/// Number of steps in which progress is reported.
pub const STEPS: usize = 1_000_000;

/// Sends files, one after another.
pub fn run(global: Global, args: &UploadArgs) -> Result<()> {
    let client = connection::open(global, &args.connection)?.part_bytes(args.part as u64);
    // All files are checked before the first is sent.
    let files = args.files.iter().map(|path| Ok((path, open(path)?)));
    let files: Vec<(&PathBuf, (File, Kind))> = files.collect::<Result<_>>()?;
    let recipient = args.recipient.as_deref();
    if let (Some(name), Some((path, _))) =
        (recipient, files.iter().find(|(_, (_, kind))| *kind != Kind::Ciphertext))
    {
        let shown = input_file::name(path);
        bail!("{shown}: --for {name} is for files of ciphertexts");
    }
    for (path, (mut file, kind)) in files {
        let object = send_to(global, &client, recipient, kind, &mut file)
            .with_context(|| format!("cannot send {}", input_file::name(path)))?;
        let (file, kind) = (input_file::shown(path), kind.word());
        let mut fields = serde_json::to_value(&object)?;
        fields["file"] = file.to_string_lossy().into();
        fields["kind"] = kind.into();
        let (sha256, size) = (&object.sha256, bytes(object.bytes));
        let recipient = object.recipient.map(|name| format!(", for {name}"));
        let (name, recipient) = (input_file::name(file), recipient.unwrap_or_default());
        report::told(
            global,
            fields,
            format!("{name}: {} {sha256}, {size}{recipient}", kind.replace('-', " ")),
        )?;
    }
    Ok(())
}

/// Opens a file that is to be sent.
pub fn open(path: &Path) -> Result<(File, Kind)> {
    let file = input_file::open_seekable(path)?;
    let kind = guard::sendable(&file, &input_file::name(path))?;
    Ok((file, kind))
}

/// Sends a file, starting where an interrupted upload ended.
pub fn send(global: Global, client: &Client, kind: Kind, file: &mut File) -> Result<Object> {
    send_to(global, client, None, kind, file)
}

/// Sends a file like [`send`], for another client if there is a recipient.
fn send_to(
    global: Global,
    client: &Client,
    recipient: Option<&str>,
    kind: Kind,
    file: &mut File,
) -> Result<Object> {
    let bar = progress::bar(global, "upload");
    let moved = progress::on(&bar);
    let mut told = |share: f64| moved((share * STEPS as f64) as usize, STEPS);
    let object = match recipient {
        Some(name) => client.contribute(name, file, &mut told),
        None => client.upload(kind, file, &mut told),
    };
    bar.finish_and_clear();
    Ok(object?)
}
