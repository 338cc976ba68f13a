//! The tables of a lookup: shared by all values, of integers or complex, one per value, or encrypted.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use cryptable::engines::packed::{
    self, ComplexTable, EncryptedTables, EntryKind, PreparedComplexTable,
};
use cryptable::{
    Ciphertext, CiphertextFileSummary, EvaluationKey, Execution, Parameters, PreparedTable, Table,
};
use cryptable_wire::{MappedFile, ObjectType, peek_header};

use crate::args::LookupArgs;
use crate::commands::resume::binding;
use crate::commands::table_files;
use crate::formats::csv::ReadNote;
use crate::formats::table::Moduli;
use crate::formats::value_tables::{ValueTableOptions, ValueTables};
use crate::progress::Moved;
use crate::{input_file, key_input};

/// Advice about keys that serve only shared tables.
const OTHER_KEYS: &str = "keys from keygen --table-kind per-value or encrypted support it";

/// Message about keys that do not serve one table per value.
const PER_VALUE: &str =
    "--per-value: keys from keygen --table-kind per-value or encrypted support it";

/// The tables of a lookup, one per output, before its key is read.
pub struct Tables {
    source: Source,
    /// Whether outputs are signed.
    signed: bool,
}

enum Source {
    /// Unencrypted tables that all values share.
    Shared { tables: Vec<Table>, notes: Vec<Option<ReadNote>>, paths: Vec<PathBuf> },
    /// Unencrypted tables with complex outputs, which all values share.
    Complex { tables: Vec<ComplexTable>, notes: Vec<Option<ReadNote>> },
    /// Unencrypted tables with one per value, read along with the values.
    PerValue(Vec<RefCell<ValueTables>>),
    /// Tables that the client encrypted. Reading them needs the key.
    Encrypted(Vec<PathBuf>),
}

/// Tables that are ready for lookups with a key.
pub enum Prepared<'a> {
    Shared(Vec<PreparedTable>),
    Complex(Vec<PreparedComplexTable>),
    PerValue(&'a [RefCell<ValueTables>]),
    /// Encrypted tables, which are used in place in their files.
    Encrypted(Vec<Mapped>),
}

/// Encrypted tables with their file.
pub struct Mapped {
    tables: EncryptedTables,
    file: Arc<MappedFile>,
    name: String,
}

impl Tables {
    /// Reads the tables of a lookup, all of one kind, for a key of these parameters.
    pub fn read(args: &LookupArgs, parameters: &Parameters, moduli: Moduli) -> Result<Self> {
        let signed = args.reading.signs().outputs;
        Ok(Self { source: Source::read(args, parameters, moduli, signed)?, signed })
    }

    /// Returns the kind of entries.
    pub fn kind(&self) -> EntryKind {
        match self.source {
            Source::Shared { .. } | Source::Complex { .. } => EntryKind::Shared,
            Source::PerValue(_) => EntryKind::Plain,
            Source::Encrypted(_) => EntryKind::Encrypted,
        }
    }

    /// Prepares the tables for lookups with a key.
    pub fn prepare(
        &self,
        key: &EvaluationKey,
        input: &CiphertextFileSummary,
    ) -> Result<Prepared<'_>> {
        Ok(match &self.source {
            Source::Shared { tables, paths, .. } => {
                let prepare = |(table, path): (&Table, &PathBuf)| {
                    key.prepare(table).with_context(|| input_file::name(path))
                };
                Prepared::Shared(tables.iter().zip(paths).map(prepare).collect::<Result<_>>()?)
            }
            Source::Complex { tables, .. } => {
                let key = key.packed()?;
                let prepared = tables.iter().map(|table| key.prepare_complex(table));
                Prepared::Complex(prepared.collect::<cryptable::Result<_>>()?)
            }
            Source::PerValue(files) => Prepared::PerValue(files),
            Source::Encrypted(paths) => {
                let key = key.packed()?;
                let open = |path: &PathBuf| Mapped::open(path, key, input);
                Prepared::Encrypted(paths.iter().map(open).collect::<Result<_>>()?)
            }
        })
    }

    /// Returns a summary of what was read from each CSV file. For tables per value, it is complete only at the end.
    pub fn notes(&self) -> Vec<Option<ReadNote>> {
        match &self.source {
            Source::Shared { notes, .. } | Source::Complex { notes, .. } => notes.clone(),
            Source::PerValue(files) => files.iter().map(|file| file.borrow().note()).collect(),
            Source::Encrypted(paths) => vec![None; paths.len()],
        }
    }

    /// Returns a digest of everything that results depend on.
    pub fn binding(&self, input: &CiphertextFileSummary) -> Result<[u8; 32]> {
        match &self.source {
            Source::Shared { tables, .. } => Ok(binding(input, tables)),
            _ => bail!("--resume is for one table for all values"),
        }
    }

    /// Maps values through all tables: those of one ciphertext, or of one ciphertext per variable of the tables.
    pub fn look_up(
        &self,
        key: &EvaluationKey,
        prepared: &Prepared<'_>,
        inputs: &[Ciphertext],
        moved: Moved<'_>,
    ) -> Result<Vec<Ciphertext>> {
        let first = &inputs[0];
        let execution = Execution::default().progress(moved);
        let found = match prepared {
            Prepared::Shared(prepared) => {
                let tables: Vec<&PreparedTable> = prepared.iter().collect();
                match inputs {
                    [input] => key.lookup_many_with(input, &tables, execution)?,
                    _ => key.lookup_digits(inputs, &tables, execution)?,
                }
            }
            Prepared::Complex(prepared) => {
                let tables: Vec<_> = prepared.iter().collect();
                key.lookup_complex(first, &tables, execution)?
            }
            Prepared::PerValue(files) => {
                let tables = files.iter().map(|file| file.borrow_mut().of_values(first.count()));
                let tables = tables.collect::<Result<Vec<_>>>()?;
                one_by_one(&tables, moved, |tables, execution| {
                    key.lookup_per_value_digits(inputs, tables, execution)
                })?
            }
            Prepared::Encrypted(files) => {
                files.iter().try_for_each(Mapped::check_unchanged)?;
                let found = one_by_one(files, moved, |file, execution| {
                    key.lookup_encrypted_digits(inputs, &file.tables, execution)
                })?;
                files.iter().try_for_each(Mapped::check_unchanged)?;
                found
            }
        };
        Ok(found.into_iter().map(|result| result.with_signed(self.signed)).collect())
    }

    /// Checks that there are not more tables than values.
    pub fn finish(&self) -> Result<()> {
        let Source::PerValue(files) = &self.source else { return Ok(()) };
        files.iter().try_for_each(|file| file.borrow_mut().finish())
    }
}

impl Source {
    fn read(
        args: &LookupArgs,
        parameters: &Parameters,
        moduli: Moduli,
        signed: bool,
    ) -> Result<Self> {
        let encrypted: Vec<bool> =
            args.tables.iter().map(|path| is_encrypted(path)).collect::<Result<_>>()?;
        if encrypted.contains(&true) {
            check_encrypted(args, parameters, &encrypted)?;
            return Ok(Self::Encrypted(args.tables.clone()));
        }
        if args.per_value {
            let packed = parameters.packed().context(PER_VALUE)?;
            ensure!(
                packed.serves(EntryKind::Plain),
                "--per-value: {} is a key for tables that all values share; {OTHER_KEYS}",
                input_file::name(&args.evaluation)
            );
            let options = ValueTableOptions {
                moduli: (packed.input_modulus(), packed.output_modulus()),
                signed,
                header: args.reading.stated_header(),
            };
            let open = |path: &PathBuf| ValueTables::open(path, options).map(RefCell::new);
            let files = args.tables.iter().map(open).collect::<Result<_>>()?;
            return Ok(Self::PerValue(files));
        }
        let is_complex = parameters.packed().is_ok_and(|it| it.literal().complex_outputs);
        ensure!(
            is_complex || args.imaginary.is_empty(),
            "--imaginary: keys from keygen --complex-outputs support it"
        );
        ensure!(
            !is_complex || !args.imaginary.is_empty(),
            "{} is a key for complex outputs: --imaginary names their imaginary parts",
            input_file::name(&args.evaluation)
        );
        let found = table_files::read_all(&args.reading, &args.tables, moduli)?;
        let (tables, notes): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        if !args.imaginary.is_empty() {
            let (found, expected) = (args.imaginary.len(), tables.len());
            ensure!(found == expected, "{found} --imaginary and {expected} --table: one for each");
            let parts = table_files::read_all(&args.reading, &args.imaginary, moduli)?;
            let parts = tables.into_iter().zip(parts);
            let complex = parts.map(|(re, (im, _))| ComplexTable::from_tables(re, im));
            let tables = complex.collect::<Result<_, _>>()?;
            return Ok(Self::Complex { tables, notes });
        }
        Ok(Self::Shared { tables, notes, paths: args.tables.clone() })
    }
}

/// Looks values up in one table after another, since such lookups have nothing in common.
fn one_by_one<T>(
    tables: &[T],
    moved: Moved<'_>,
    look_up: impl Fn(&T, Execution<'_>) -> cryptable::Result<Ciphertext>,
) -> Result<Vec<Ciphertext>> {
    let all = tables.len();
    let one = |(index, table): (usize, &T)| {
        let step = |done: usize, steps: usize| moved(index * steps + done, all * steps);
        Ok(look_up(table, Execution::default().progress(&step))?)
    };
    tables.iter().enumerate().map(one).collect()
}

/// Checks that all tables are encrypted, for a key that serves such, and that no options for others are given.
fn check_encrypted(args: &LookupArgs, parameters: &Parameters, encrypted: &[bool]) -> Result<()> {
    let plain = encrypted.iter().position(|&is_encrypted| !is_encrypted);
    let name = input_file::name(&args.tables[plain.unwrap_or(0)]);
    ensure!(!encrypted.contains(&false), "{name} is not encrypted, but other tables are");
    ensure!(!args.per_value, "--per-value: {name} is encrypted, and its file states its kind");
    let in_the_clear = [("--resume", args.resume), ("--imaginary", !args.imaginary.is_empty())];
    for (option, is_given) in in_the_clear {
        ensure!(!is_given, "{option}: {name} is encrypted; that is for tables in the clear");
    }
    let packed = parameters.packed();
    let packed = packed.with_context(|| format!("{name} is an encrypted table"))?;
    ensure!(
        packed.serves(EntryKind::Encrypted),
        "{name} is an encrypted table, but the key is for tables in the clear; {OTHER_KEYS}"
    );
    Ok(())
}

/// Returns whether a regular file holds encrypted tables.
fn is_encrypted(path: &Path) -> Result<bool> {
    if input_file::is_stdin(path) || !path.is_file() {
        return Ok(false);
    }
    let failed = || format!("cannot read {}", input_file::name(path));
    let start = File::open(path).and_then(|file| input_file::first_bytes(&file));
    let start = start.with_context(failed)?;
    Ok(peek_header(&start).is_ok_and(|header| header.object_type == ObjectType::EncryptedTables))
}

impl Mapped {
    fn open(
        path: &Path,
        key: &packed::EvaluationKey,
        input: &CiphertextFileSummary,
    ) -> Result<Self> {
        let name = input_file::name(path);
        let read = |file: &Arc<MappedFile>| EncryptedTables::from_shared(key, file.clone());
        let (tables, file) = key_input::read_kept(path, read)?;
        if let Some(count) = tables.count() {
            ensure!(
                input.values <= count as u64,
                "{name}: a table for each of {count} values, but there are {}",
                input.values
            );
        }
        Ok(Self { tables, file, name })
    }

    fn check_unchanged(&self) -> Result<()> {
        let changed = || format!("{} changed while it was in use", self.name);
        self.file.check_unchanged().with_context(changed)
    }
}
