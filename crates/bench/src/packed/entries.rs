//! `bench entries`: one random table per value, in the clear or encrypted, on a full ciphertext.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use cryptable::engines::packed::{
    Ciphertext, EncryptedTables, EntryKind, Parameters, Progress, Request, Result, SlotTables,
    Table,
};
use cryptable_wire::MappedFile;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use tempfile::TempDir;

use super::keys::Keys;
use super::limits::LimitArguments;
use super::line::{Measured, PackedRecord, common};
use crate::contract::{Contract, print_line};
use crate::measurement::try_timed;

/// Number of tables, and whether the server can read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Entries {
    /// One table per value, which the server reads.
    PerValue,
    /// One table per value, encrypted, in a memory-mapped file.
    Encrypted,
    /// One encrypted table for all values.
    OneEncrypted,
}

impl Entries {
    pub(crate) fn kind(self) -> EntryKind {
        match self {
            Self::PerValue => EntryKind::Plain,
            Self::Encrypted | Self::OneEncrypted => EntryKind::Encrypted,
        }
    }

    /// Returns the name in lines.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PerValue => "a table for every value",
            Self::Encrypted => "encrypted tables",
            Self::OneEncrypted => "one encrypted table",
        }
    }
}

/// Arguments of `bench entries`.
#[derive(Debug, Args)]
pub struct EntriesArguments {
    /// Number of tables, and whether the server can read them.
    #[arg(long, value_enum, default_value = "per-value")]
    entries: Entries,
    /// Bits of inputs and outputs.
    #[arg(long, default_value_t = 8)]
    bits: u32,
    /// Bits of the digits of the multiplexer tree [default: the fastest].
    #[arg(long)]
    digit_bits: Option<u32>,
    #[command(flatten)]
    limits: LimitArguments,
    /// Evaluations to take the median of.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Seed of the random tables and values.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the benchmark.
pub fn run(arguments: &EntriesArguments, json: bool) -> anyhow::Result<()> {
    let modulus = 1u64 << arguments.bits;
    let request = Request {
        entries: arguments.entries.kind(),
        digit_bits: arguments.digit_bits,
        ..arguments.limits.request(modulus, modulus)
    };
    print_line(&measure(&Parameters::choose(&request)?, arguments)?, json)
}

/// Measures lookups with parameters that reserve a level for entries, and checks every value.
fn measure(parameters: &Parameters, arguments: &EntriesArguments) -> anyhow::Result<PackedRecord> {
    let (p, slots) = (parameters.input_modulus(), parameters.literal().slots);
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let values: Vec<u64> = (0..slots).map(|_| rng.random_range(0..p)).collect();
    let tables = tables(parameters, arguments, &mut rng)?;
    let expected: Vec<u64> =
        values.iter().enumerate().map(|(k, &value)| tables.output(k, value)).collect();
    let keys = Keys::generate(parameters)?;
    let (input, encrypt_s) = try_timed(|| keys.secret.encrypt(&values))?;
    let (prepared, prepare_s) = Prepared::new(&keys, arguments.entries, tables)?;
    let measured = Measured::of(arguments.runs, || prepared.lookup(&keys, &input))?;
    let mean_square = (parameters.output_modulus() as f64).powi(2) / 12.0;
    let kind = arguments.entries.kind();
    let noise = parameters.predicted_deviation(kind, mean_square)?;
    let contract = Contract {
        method: arguments.entries.name().to_owned(),
        table: format!("random:{}", arguments.seed),
        encrypt_s,
        prepare_s,
        input_bytes: input.to_bytes().len(),
        predicted_noise_std_log2: Some(noise.log2()),
        ..common(parameters, &keys)
    };
    let prediction = parameters.prediction_for(kind, 1);
    measured.record(parameters, &keys, &prediction, &[expected], contract)
}

/// Tables in the form in which a server has them.
pub(crate) enum Prepared {
    Plain(SlotTables),
    Encrypted {
        tables: EncryptedTables,
        /// The folder of their file.
        _folder: TempDir,
    },
}

impl Prepared {
    /// Encrypts tables into a file, unless the server may read them. Also returns the seconds that the server took.
    pub(crate) fn new(
        keys: &Keys,
        entries: Entries,
        tables: SlotTables,
    ) -> anyhow::Result<(Self, f64)> {
        if entries == Entries::PerValue {
            return Ok((Self::Plain(tables), 0.0));
        }
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("tables");
        let mut file = BufWriter::new(File::create(&path)?);
        keys.secret.write_encrypted_tables(&tables, &mut file, Progress::silent())?;
        file.flush()?;
        let mapped = Arc::new(MappedFile::open(&path)?);
        let (tables, prepare_s) =
            try_timed(|| EncryptedTables::from_shared(&keys.evaluation_key, mapped))?;
        Ok((Self::Encrypted { tables, _folder: folder }, prepare_s))
    }

    /// Looks values up, each in its table.
    pub(crate) fn lookup(&self, keys: &Keys, input: &Ciphertext) -> Result<Vec<Ciphertext>> {
        let (key, quiet) = (&keys.evaluation_key, Progress::silent());
        Ok(vec![match self {
            Self::Plain(tables) => key.lookup_slots(input, tables, quiet)?,
            Self::Encrypted { tables, .. } => key.lookup_encrypted(input, tables, quiet)?,
        }])
    }
}

/// Random tables.
fn tables(
    parameters: &Parameters,
    arguments: &EntriesArguments,
    rng: &mut ChaCha20Rng,
) -> anyhow::Result<SlotTables> {
    let (p, outputs) = (parameters.input_modulus(), parameters.output_modulus());
    let mut random =
        |count: usize| (0..count).map(|_| rng.random_range(0..outputs as u32)).collect();
    if arguments.entries == Entries::OneEncrypted {
        let outputs: Vec<u32> = random(p as usize);
        let table = Table::from_fn(p, parameters.output_modulus(), |x| outputs[x as usize].into())?;
        return Ok(SlotTables::shared(&table)?);
    }
    let all = random(p as usize * parameters.literal().slots);
    Ok(SlotTables::from_outputs(p, outputs, all)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tests::{check_line, parsed};

    #[test]
    fn tables_of_a_toy() {
        let parameters = Parameters::insecure_toy_entries(16, 16).unwrap();
        for &entries in Entries::value_variants() {
            let arguments = EntriesArguments { entries, ..parsed("--bits 4 --runs 1") };
            let record = measure(&parameters, &arguments).unwrap();
            check_line(&record);
            let slots = parameters.literal().slots;
            assert_eq!((record.contract.values_checked, record.contract.wrong), (slots, 0));
            assert!(record.predicted_units > 0.0 && !record.digits.is_empty());
        }
    }
}
