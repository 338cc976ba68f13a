//! Tails of lookups in tables per value, in the clear and encrypted.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::sync::Arc;

use cryptable::engines::packed::{
    Ciphertext, EncryptedTables, Parameters, Progress, Request, SecretKey, SlotTables, Table,
};
use cryptable_wire::MappedFile;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use tempfile::TempDir;

use super::packed::{packed_part, with_parameters};
use super::subject::{self, Part, Sampling, Subject};
use super::{TableChoice, TailArguments, TailRecord};
use crate::contract::Contract;
use crate::packed::entries::Entries;
use crate::packed::keys::Keys;
use crate::packed::line::common;

/// Measures lookups with the planner's parameters for such tables.
pub fn run(entries: Entries, arguments: &TailArguments) -> anyhow::Result<Vec<TailRecord>> {
    let modulus = 1 << arguments.bits;
    let request = arguments.limits.request(modulus, modulus);
    let parameters = Parameters::choose(&Request { entries: entries.kind(), ..request })?;
    measure(&parameters, entries, arguments)
}

/// Tables as a server has them.
enum Prepared {
    Plain(SlotTables),
    Encrypted {
        tables: EncryptedTables,
        /// Where their file is.
        _folder: TempDir,
    },
}

impl Prepared {
    /// Encrypts tables into a file, unless the server may read them.
    fn new(keys: &Keys, entries: Entries, tables: SlotTables) -> anyhow::Result<Self> {
        if entries == Entries::PerValue {
            return Ok(Self::Plain(tables));
        }
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("tables");
        let mut file = BufWriter::new(File::create(&path)?);
        keys.secret.write_encrypted_tables(&tables, &mut file, Progress::silent())?;
        file.flush()?;
        let mapped = Arc::new(MappedFile::open(&path)?);
        let tables = EncryptedTables::from_shared(&keys.evaluation_key, mapped)?;
        Ok(Self::Encrypted { tables, _folder: folder })
    }
}

/// Lookups of the same values in fresh ciphertexts.
struct Lookups {
    keys: Keys,
    prepared: Prepared,
    values: Vec<u64>,
    expected: Vec<u64>,
}

impl Lookups {
    fn secret(&self) -> &SecretKey {
        &self.keys.secret
    }
}

impl Subject for Lookups {
    type Input = Ciphertext;
    type Output = Ciphertext;

    fn encrypt(&self) -> anyhow::Result<Ciphertext> {
        Ok(self.secret().encrypt(&self.values)?)
    }

    fn evaluate(&self, input: &Ciphertext) -> anyhow::Result<Ciphertext> {
        let (key, quiet) = (&self.keys.evaluation_key, Progress::silent());
        Ok(match &self.prepared {
            Prepared::Plain(tables) => key.lookup_slots(input, tables, quiet)?,
            Prepared::Encrypted { tables, .. } => key.lookup_encrypted(input, tables, quiet)?,
        })
    }

    fn parts(&self, result: &Ciphertext) -> anyhow::Result<Vec<Part>> {
        Ok(vec![packed_part(self.secret(), result, &self.expected)?])
    }

    fn bytes(&self, input: &Ciphertext, result: &Ciphertext) -> anyhow::Result<[usize; 2]> {
        Ok([input.to_bytes().len(), result.to_bytes().len()])
    }
}

/// Measures lookups with these parameters. The worst tables all have the largest output at one value, where all inputs are,
/// and the least elsewhere.
pub fn measure(
    parameters: &Parameters,
    entries: Entries,
    arguments: &TailArguments,
) -> anyhow::Result<Vec<TailRecord>> {
    let (p, outputs) = (parameters.input_modulus(), parameters.output_modulus());
    let slots = parameters.literal().slots;
    let mut rng = ChaCha20Rng::seed_from_u64(arguments.seed);
    let is_worst = arguments.table == TableChoice::Worst;
    let peak = p / 3;
    let mut values = vec![peak; slots];
    if !is_worst {
        values.fill_with(|| rng.random_range(0..p));
    }
    let mut output = |index: u64| {
        let worst = (outputs / 2 + u64::from(index % p == peak) * (outputs - 1)) % outputs;
        if is_worst { worst } else { rng.random_range(0..outputs) }
    };
    let tables = if entries == Entries::OneEncrypted {
        SlotTables::shared(&Table::from_fn(p, outputs, output)?)?
    } else {
        let all = (0..p * slots as u64).map(|index| output(index) as u32).collect();
        SlotTables::from_outputs(p, outputs, all)?
    };
    let expected = values.iter().enumerate().map(|(k, &value)| tables.output(k, value)).collect();
    let keys = Keys::generate(parameters)?;
    let prepared = Prepared::new(&keys, entries, tables)?;
    let contract = Contract { method: entries.name().to_owned(), ..common(parameters, &keys) };
    let lookups = Lookups { keys, prepared, values, expected };
    let sampling = Sampling::new(arguments, slots);
    let records = subject::measure(&lookups, contract, "law that results state", sampling)?;
    Ok(with_parameters(records, parameters))
}
