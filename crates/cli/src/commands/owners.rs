//! `cryptable owners`: keys of several owners, and lookups whose results they decrypt together.

use std::io::Write as _;
use std::time::Instant;

use anyhow::{Context, Result};
use cryptable::Progress;
use cryptable::owners::JointLookup;
use serde_json::json;

use super::table_files;
use crate::args::Global;
use crate::args::owners::{JointLookupArgs, OwnersCommand};
use crate::ciphertext_file::Reader;
use crate::formats::table::Moduli;
use crate::key_input::KeyFile;
use crate::report::{self, bytes, seconds, values};
use crate::{atomic_file, input_file, progress};

#[cfg(feature = "client")]
mod client;

#[cfg(feature = "client")]
pub use client::{combine_parts, is_secret, write_part};

/// Runs a subcommand.
pub fn run(global: Global, command: &OwnersCommand) -> Result<()> {
    match command {
        #[cfg(feature = "client")]
        OwnersCommand::Session(args) => client::session(global, args),
        #[cfg(feature = "client")]
        OwnersCommand::Share(args) => client::share(global, args),
        #[cfg(feature = "client")]
        OwnersCommand::Agree(args) => client::agree(global, args),
        #[cfg(feature = "client")]
        OwnersCommand::Deal(args) => client::deal(global, args),
        #[cfg(feature = "client")]
        OwnersCommand::Receive(args) => client::receive(global, args),
        #[cfg(feature = "client")]
        OwnersCommand::Combine(args) => client::combine(global, args),
        OwnersCommand::Lookup(args) => lookup(global, args),
    }
}

/// Looks all values of a file up, one ciphertext at a time.
fn lookup(global: Global, args: &JointLookupArgs) -> Result<()> {
    let named = input_file::name;
    let mut reader = Reader::open(global, &args.input)?;
    let values_key = KeyFile::open(global, &args.evaluation)?;
    let bits_key = KeyFile::open(global, &args.bits_evaluation)?;
    let parameters = values_key.header.parameters.lookups()?;
    let found = *reader.summary();
    let key_id = values_key.header.key_id;
    let expected = reader.contents_of(&parameters, key_id);
    reader.check(&expected, &args.evaluation)?;
    let moduli = Moduli { input: Some(parameters.input_modulus()), output: None };
    let (table, note) = table_files::read(&args.reading, &args.table, moduli)?;
    let (values_key, bits_key) = (values_key.read()?, bits_key.read()?);
    let values_of_key = values_key.key.packed().with_context(|| named(&args.evaluation))?;
    let bits_of_key = bits_key.key.bits().with_context(|| named(&args.bits_evaluation))?;
    let lookup = JointLookup::new(values_of_key, bits_of_key, &table).with_context(|| {
        format!("{} and {}", named(&args.evaluation), named(&args.bits_evaluation))
    })?;
    let start = Instant::now();
    let bar = progress::bar(global, "lookup");
    let mut file = atomic_file::create(&args.file.output, atomic_file::Access::Public)?;
    while let Some(ciphertext) = reader.next_or_end()? {
        let name = || reader.name();
        for part in ciphertext.packed().with_context(name)? {
            let result = lookup.look_up(part, Progress::new(&progress::on(&bar)));
            let result = result.with_context(name)?;
            file.write_all(&result.to_bytes()?)?;
        }
    }
    values_key.check_unchanged()?;
    bits_key.check_unchanged()?;
    bar.finish_and_clear();
    report::note(global, note.as_ref());
    let output_bytes = file.commit(true)?;
    let eval_s = start.elapsed().as_secs_f64();
    let (count, key_id) = (found.values, key_id.to_string());
    let text = format!(
        "{} for all owners of key {key_id}, {}\nlooked up in {}",
        values(count),
        bytes(output_bytes),
        seconds(eval_s)
    );
    let fields = json!({ "values": count, "key_id": key_id, "eval_s": eval_s });
    report::written(global, &args.file.output, output_bytes, fields, &text)
}
