//! `cryptable rekey`: ciphertexts of one client become those of another.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::{Contents, RekeyingKey};
use serde::Serialize;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::args::rekey::RekeyKeygenArgs;
use crate::args::rekey::{RekeyApplyArgs, RekeyCommand};
use crate::ciphertext_file::{self, ciphertexts, encryptions};
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds, values};
use crate::{atomic_file, input_file, key_input};

/// Runs a subcommand.
///
/// # Errors
/// If a file cannot be read or written, or if keys and ciphertexts do not belong together.
pub fn run(global: Global, command: &RekeyCommand) -> Result<()> {
    match command {
        #[cfg(feature = "client")]
        RekeyCommand::Keygen(args) => keygen(global, args),
        RekeyCommand::Apply(args) => apply(global, args),
    }
}

/// Generates a key with the public key of the new owner.
#[cfg(feature = "client")]
fn keygen(global: Global, args: &RekeyKeygenArgs) -> Result<()> {
    use std::io::Write as _;

    let name = |path| input_file::shown(path).printable();
    let is_file = atomic_file::target_of(&args.output)?.is_some();
    if !args.force && is_file && args.output.exists() {
        anyhow::bail!("{} exists; --force replaces it", args.output.printable());
    }
    let owner = key_input::read_secret_key(global, &args.secret)?;
    let new_owner = key_input::read_public_key(global, &args.to)?;
    let key = owner.rekey_to(&new_owner).with_context(|| {
        format!("{} cannot be rekeyed to {}", name(&args.secret), name(&args.to))
    })?;
    let mut file = atomic_file::create(&args.output, atomic_file::Access::Private)?;
    file.write_all(&key.to_bytes())?;
    let output_bytes = file.commit(args.force)?;
    key_input::warn_of_insecurity(global, &key.parameters(), &args.output);
    let (owner, new_owner) = (key.owner().to_string(), key.new_owner().to_string());
    let output = args.output.clone();
    report::summary(global, &KeyReport { output, output_bytes, owner, new_owner })
}

/// Turns every ciphertext of a file into one of the new owner, one after the other.
fn apply(global: Global, args: &RekeyApplyArgs) -> Result<()> {
    let options = global.read_options();
    let key = key_input::read_mapped(&args.key, |file| {
        RekeyingKey::from_bytes((**file).as_ref(), options)
    })?;
    let mut reader = ciphertext_file::open(&args.files.input)?;
    let found = *reader.summary();
    let expected = Contents {
        engine: key.engine(),
        parameter_digest: key.parameters().digest(),
        key_id: key.owner(),
        ..found.contents
    };
    ciphertext_file::check(&reader, &args.files.input, &expected, &args.key)?;
    let start = Instant::now();
    let contents = Contents { key_id: key.new_owner(), ..expected };
    let mut writer = ciphertext_file::create(&args.files.output, contents)?;
    let name = || input_file::shown(&args.files.input).printable();
    while let Some(ciphertext) = reader.next_ciphertext().with_context(name)? {
        writer.push(&key.apply(&ciphertext).with_context(name)?)?;
    }
    let written = ciphertext_file::commit_all(vec![writer])?[0];
    report::summary(
        global,
        &Report {
            output: args.files.output.clone(),
            output_bytes: written.bytes,
            values: found.values,
            ciphertexts: encryptions(&found),
            owner: key.owner().to_string(),
            new_owner: key.new_owner().to_string(),
            eval_s: start.elapsed().as_secs_f64(),
        },
    )
}

/// The report of a generated key.
#[cfg(feature = "client")]
#[derive(Serialize)]
struct KeyReport {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    output_bytes: u64,
    owner: String,
    new_owner: String,
}

#[cfg(feature = "client")]
impl fmt::Display for KeyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, new_owner, .. } = self;
        let output = atomic_file::shown(&self.output).printable();
        writeln!(f, "{output}: key for a new owner, {}", bytes(self.output_bytes))?;
        writeln!(f, "  owner       {owner}")?;
        write!(f, "  new owner   {new_owner}")
    }
}

/// The report of ciphertexts that were handed over.
#[derive(Serialize)]
struct Report {
    #[serde(serialize_with = "report::path")]
    output: PathBuf,
    output_bytes: u64,
    values: u64,
    ciphertexts: u64,
    owner: String,
    new_owner: String,
    eval_s: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let output = atomic_file::shown(&self.output).printable();
        let (values, count) = (values(self.values), ciphertexts(self.ciphertexts));
        writeln!(f, "{output}: {values} in {count}, {}", bytes(self.output_bytes))?;
        let Self { owner, new_owner, eval_s, .. } = self;
        write!(f, "from {owner} to {new_owner} in {}", seconds(*eval_s))
    }
}
