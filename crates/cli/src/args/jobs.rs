//! The grammar of jobs: purposes other than lookups in tables that keys are planned and generated for.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::aes::{self, AesJobArgs};
use super::bridge::{self, BridgeArgs};
use super::circuit::{self, CircuitJobArgs};
use super::compare::{self, IntegerArgs};
use super::frames::{self, ProgramJobArgs};
use super::integers::{self, DigitArgs};
use super::wide::{self, WideArgs};

/// Arguments of a job, and the files that a command writes for it.
#[derive(Args, Debug)]
pub struct With<J: Args, F: Args> {
    #[command(flatten)]
    pub job: J,
    #[command(flatten)]
    pub files: F,
}

/// A job, and the files that a command writes for it.
#[derive(Debug, Subcommand)]
pub enum Job<F: Args> {
    /// Comparisons, maxima, ReLU and similar operations on packed integers
    #[command(after_help = compare::JOB)]
    Compare(With<IntegerArgs, F>),
    /// Arithmetic on columns of integers
    #[command(after_help = integers::JOB)]
    Integers(With<DigitArgs, F>),
    /// Dictionaries with 32- and 64-bit keys, and structured tables of 2^32 entries
    #[command(after_help = wide::JOB)]
    Wide(With<WideArgs, F>),
    /// Packed lookups whose results are processed one by one
    #[command(after_help = bridge::JOB)]
    Bridge(With<BridgeArgs, F>),
    /// Binary circuits on encrypted words
    #[command(after_help = circuit::JOB)]
    Circuit(With<CircuitJobArgs, F>),
    /// Programs on frames, such as decision trees and forests
    #[command(after_help = frames::JOB)]
    Program(With<ProgramJobArgs, F>),
    /// Transciphering of AES-128 ciphertexts into homomorphic ones
    #[command(after_help = aes::JOB)]
    Aes(With<AesJobArgs, F>),
}

impl<F: Args> Job<F> {
    /// Returns the files that are written.
    pub fn files(&self) -> &F {
        match self {
            Self::Compare(With { files, .. })
            | Self::Integers(With { files, .. })
            | Self::Wide(With { files, .. })
            | Self::Bridge(With { files, .. })
            | Self::Circuit(With { files, .. })
            | Self::Program(With { files, .. })
            | Self::Aes(With { files, .. }) => files,
        }
    }
}

/// Destination of a plan.
#[derive(Args, Clone, Debug, Default)]
pub struct PlanFileArgs {
    /// Write the parameters of the best plan to this file, for `keygen --plan`
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Destination of keys.
#[cfg(feature = "client")]
#[derive(Args, Clone, Debug)]
pub struct KeyFileArgs {
    /// File for the secret key, which stays with the client
    #[arg(long, value_name = "FILE")]
    pub secret: PathBuf,
    /// File for the evaluation key, which goes to the server
    #[arg(long, value_name = "FILE")]
    pub evaluation: PathBuf,
    /// File for a public key, with which anyone can encrypt values for this client
    #[arg(long, value_name = "FILE")]
    pub public: Option<PathBuf>,
    /// Overwrite existing key files
    #[arg(long)]
    pub force: bool,
}
