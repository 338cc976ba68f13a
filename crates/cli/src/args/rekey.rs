//! The grammar of `rekey`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::common::OutputArgs;

/// Subcommands of `rekey`.
#[derive(Debug, Subcommand)]
pub enum RekeyCommand {
    /// Generate the key with which a server hands a client's ciphertexts over to another client
    #[cfg(feature = "client")]
    #[command(after_help = KEYGEN)]
    Keygen(RekeyKeygenArgs),
    /// Hand ciphertexts or results over to the new owner; needs no secret
    #[command(after_help = APPLY)]
    Apply(RekeyApplyArgs),
}

/// Arguments of `rekey keygen`.
#[cfg(feature = "client")]
#[derive(Args, Debug)]
pub struct RekeyKeygenArgs {
    /// Secret key of the owner, whose ciphertexts are handed over
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// Public key of the new owner, with the same parameters
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
    /// File for the key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
    /// Overwrite an existing key file
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `rekey apply`.
#[derive(Args, Debug)]
pub struct RekeyApplyArgs {
    /// Key from `rekey keygen`
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// The owner's ciphertexts, fresh or computed
    #[arg(long, value_name = "FILE")]
    pub input: PathBuf,
    #[command(flatten)]
    pub file: OutputArgs,
}

/// Help of `rekey`.
#[cfg(feature = "client")]
pub const OVERVIEW: &str = "\
Examples:
  cryptable plan --bits 8 --output table.plan
  cryptable keygen --plan table.plan --secret clinic.key --evaluation clinic-server.key
  cryptable keygen --plan table.plan --secret analyst.key --evaluation analyst-server.key \\
    --public analyst.pub
  cryptable rekey keygen --secret clinic.key --to analyst.pub --output rekey.key
  cryptable rekey apply --key rekey.key --input result.ct --output handed-over.ct
  cryptable decrypt --secret analyst.key --input handed-over.ct --output result.csv

Works with values of all engines. Whoever has both the key from `rekey keygen` and the new owner's
secret key can decrypt all ciphertexts of the previous owner.";

/// Help of `rekey`.
#[cfg(not(feature = "client"))]
pub const OVERVIEW: &str = APPLY;

/// Help of `rekey keygen`.
#[cfg(feature = "client")]
const KEYGEN: &str = "\
Examples:
  cryptable rekey keygen --secret clinic.key --to analyst.pub --output rekey.key
  cryptable rekey keygen --secret old.key --to new.pub --output rotation.key

Both keys must be for lookups, with the same parameters: plan --output writes parameters to a file,
and keygen --plan generates any number of keys from it. Neither client sees the other's secret key.
The server needs no other key for `rekey apply`.

Whoever has both this key and the new owner's secret key can decrypt all ciphertexts of the previous
owner.";

/// Help of `rekey apply`.
const APPLY: &str = "\
Examples:
  cryptable rekey apply --key rekey.key --input result.ct --output handed-over.ct

Values stay the same; the new owner can decrypt them and compute with them like any others. Results
of lookup --compress are refused: hand over results that are not compressed.";
