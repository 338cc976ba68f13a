//! Lookups for several owners of a key: one table of bits per bit of outputs, and results that all owners decrypt
//! together.
//!
//! While such a job runs, its results are those of [tables of bits](JointLookup::table_of_bit), in files like those of
//! any job, so another worker can continue it. At the end, all bits of a table are joined into one file for the owners.

use std::fs::File;
use std::io::{self, BufReader, Write as _};

use cryptable::owners::{JointLookup, JointResult};
use cryptable::{Ciphertext, CiphertextReader, EvaluationKey, ReadOptions, Table, bits};

use crate::identifiers::new_id;
use crate::store::{QueuedJob, Store, Whole};
use crate::{Error, Problem, Result};

/// Separator between the digest of a table and the number of a bit.
const SEPARATOR: char = ':';

/// Returns the names of the tables of all bits of a table with this digest, as used in a joint job.
pub(crate) fn names_of_bits(digest: &str, modulus: u64) -> impl Iterator<Item = String> {
    (0..JointLookup::bits(modulus)).map(move |bit| format!("{digest}{SEPARATOR}{bit}"))
}

/// Returns the digest of the table with this name in a job.
pub(crate) fn digest_of(name: &str) -> &str {
    name.split_once(SEPARATOR).map_or(name, |(digest, _)| digest)
}

/// Reads the table with this name in a job.
pub(super) fn read_table(store: &Store, name: &str) -> Result<Table> {
    let Some((digest, bit)) = name.split_once(SEPARATOR) else { return store.read_table(name) };
    let bit = bit.parse().map_err(|_| Error::Operator(format!("table {name} of a job")))?;
    Ok(JointLookup::table_of_bit(&store.read_table(digest)?, bit)?)
}

/// The keys that the end of a joint job needs: for values and for bits.
pub(super) struct Preparation<'a> {
    pub(super) store: &'a Store,
    pub(super) job: &'a QueuedJob,
    pub(super) values: &'a EvaluationKey,
    pub(super) bits: &'a bits::EvaluationKey,
    pub(super) options: ReadOptions,
}

impl Preparation<'_> {
    /// Prepares a result for the owners from the bits of every table, each in its own file.
    pub(super) fn prepare(&self, results: &[Whole]) -> Result<Vec<Whole>> {
        let Self { store, job, .. } = *self;
        let mut groups: Vec<(&str, Vec<&Whole>)> = Vec::new();
        for (name, whole) in job.tables.iter().zip(results) {
            let (digest, bit) = name.split_once(SEPARATOR).unwrap_or((name, "0"));
            match groups.last_mut() {
                Some((_, bits)) if bit != "0" => bits.push(whole),
                _ => groups.push((digest, vec![whole])),
            }
        }
        let files: Vec<String> = groups.iter().map(|_| new_id()).collect::<io::Result<_>>()?;
        store.name_parts(job, &files)?;
        let mut prepared = Vec::with_capacity(files.len());
        for ((digest, bits), file) in groups.into_iter().zip(files) {
            let modulus = store.read_table(digest)?.output_modulus();
            let bytes = self.prepare_table(modulus, &bits, &file)?;
            store.keep(&file)?;
            prepared.push(Whole { file, bytes });
        }
        store.sync_files()?;
        Ok(prepared)
    }

    /// Writes the result of one table for the owners, ciphertext by ciphertext, and returns its length.
    fn prepare_table(&self, modulus: u64, bits: &[&Whole], file: &str) -> Result<u64> {
        let Self { store, job, options, .. } = *self;
        let values = self.values.packed()?;
        let open = |whole: &&Whole| -> Result<_> {
            let reader = BufReader::new(File::open(store.fetch(&whole.file)?)?);
            Ok(CiphertextReader::new(reader)?.with_options(options))
        };
        let mut readers = bits.iter().map(open).collect::<Result<Vec<_>>>()?;
        let mut output = store.open_result(job, file)?;
        let mut length = 0;
        loop {
            let next = readers.iter_mut().map(CiphertextReader::next_ciphertext);
            let next: Vec<Ciphertext> = next
                .filter_map(std::result::Result::transpose)
                .collect::<cryptable::Result<_>>()?;
            let Some(first) = next.first() else { break };
            for place in 0..first.packed()?.len() {
                let of_bits = next.iter().map(|it| Ok(it.packed()?[place].clone()));
                let of_bits = of_bits.collect::<cryptable::Result<Vec<_>>>()?;
                let bytes =
                    JointResult::prepare(values, self.bits, &of_bits, modulus)?.to_bytes()?;
                output.write_all(&bytes)?;
                length += bytes.len() as u64;
                if !store.holds(job)? {
                    return Err(
                        Problem::conflict("the job was removed, or another worker has it").into()
                    );
                }
            }
        }
        output.sync_all()?;
        Ok(length)
    }
}
