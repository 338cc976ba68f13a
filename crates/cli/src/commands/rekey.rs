//! `cryptable rekey`: conversion of one client's ciphertexts to those of another.

use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::{Contents, RekeyingKey};
use serde_json::json;

use crate::args::Global;
#[cfg(feature = "client")]
use crate::args::rekey::RekeyKeygenArgs;
use crate::args::rekey::{RekeyApplyArgs, RekeyCommand};
use crate::ciphertext_file::{self, Reader, ciphertexts, encryptions};
use crate::key_input;
use crate::report::{self, bytes, seconds, values};
#[cfg(feature = "client")]
use crate::{atomic_file, input_file};

/// Runs a subcommand.
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
    let name = input_file::name;
    atomic_file::check_new(&args.output, args.force, "")?;
    let owner = key_input::read_secret_key(global, &args.secret)?;
    let new_owner = key_input::read_public_key(global, &args.to)?;
    let key = owner.rekey_to(&new_owner).with_context(|| {
        format!("{} cannot be rekeyed to {}", name(&args.secret), name(&args.to))
    })?;
    let access = atomic_file::Access::Private;
    let output_bytes = atomic_file::write(&args.output, access, &key.to_bytes(), args.force)?;
    key_input::warn_of_insecurity(global, &key.parameters(), &args.output);
    let (owner, new_owner) = (key.owner().to_string(), key.new_owner().to_string());
    let text = format!(
        "key for a new owner, {}\n  owner       {owner}\n  new owner   {new_owner}",
        bytes(output_bytes)
    );
    let fields = json!({ "owner": owner, "new_owner": new_owner });
    report::written(global, &args.output, output_bytes, fields, &text)
}

/// Turns every ciphertext of a file into one of the new owner, one after the other.
fn apply(global: Global, args: &RekeyApplyArgs) -> Result<()> {
    let options = global.read_options();
    let key = key_input::read_mapped(&args.key, |file| {
        RekeyingKey::from_bytes((**file).as_ref(), options)
    })?;
    let mut reader = Reader::open(global, &args.input)?;
    let found = *reader.summary();
    let expected = Contents {
        engine: key.engine(),
        parameter_digest: key.parameters().digest(),
        key_id: key.owner(),
        ..found.contents
    };
    reader.check(&expected, &args.key)?;
    let start = Instant::now();
    let contents = Contents { key_id: key.new_owner(), ..expected };
    let mut writer = ciphertext_file::create(&args.file.output, contents)?;
    while let Some(ciphertext) = reader.next_or_end()? {
        writer.push(&key.apply(&ciphertext).with_context(|| reader.name())?)?;
    }
    let written = ciphertext_file::commit(writer)?;
    let (owner, new_owner) = (key.owner().to_string(), key.new_owner().to_string());
    let (count, eval_s) = (encryptions(&found), start.elapsed().as_secs_f64());
    let text = format!(
        "{} in {}, {}\nfrom {owner} to {new_owner} in {}",
        values(found.values),
        ciphertexts(count),
        bytes(written.bytes),
        seconds(eval_s)
    );
    let fields = json!({
        "values": found.values,
        "ciphertexts": count,
        "owner": owner,
        "new_owner": new_owner,
        "eval_s": eval_s,
    });
    report::written(global, &args.file.output, written.bytes, fields, &text)
}
