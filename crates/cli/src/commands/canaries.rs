//! Canaries of `encrypt` and `decrypt`: their file, and the check of results.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use cryptable::{Canaries, SecretKey, Table};
use cryptable_wire::hex;
use serde_json::json;
use zeroize::Zeroizing;

use crate::args::{CanaryArgs, CanaryInputs, CsvArgs, DecryptArgs, EncryptArgs, Global};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::formats::csv::Coding;
use crate::formats::domain::{Domain, Signs};
use crate::formats::table::{self, Moduli, TableOptions};
use crate::formats::value_writer::ValueWriter;
use crate::formats::values::{ValueOptions, all_values, open_values};
use crate::input_file;
use crate::key_input::EncryptionKey;
use crate::report::{self, Report, values};

/// Longest file of canaries that is read, in bytes.
const MAX_BYTES: u64 = 1 << 28;

/// Values among which canaries are hidden, and the files of the canaries, which get their names together with that of the
/// ciphertexts.
pub struct Hidden {
    /// All values to encrypt, canaries included.
    pub list: Zeroizing<Vec<u64>>,
    /// The number of values that are not canaries.
    pub own: u64,
    /// Files of the canaries.
    pub files: Vec<AtomicFile>,
    /// Report of the canaries.
    pub report: Report,
}

impl Hidden {
    /// Hides canaries among the values of an input, if the arguments request them. If values are not inputs of tables, `bits`
    /// is the number of bits of a canary. The canaries' file of inputs has integers of `domain`.
    pub fn among(
        args: &EncryptArgs,
        key: EncryptionKey<'_>,
        bits: Option<u32>,
        domain: Domain,
        values: &mut dyn Iterator<Item = Result<u64>>,
    ) -> Result<Option<Self>> {
        if args.canaries.file.is_none() {
            return Ok(None);
        }
        let own = all_values(values)?;
        ensure!(!own.is_empty(), "{} holds no values", input_file::name(&args.input));
        let found = draw(&own, &args.canaries, key, bits)?;
        let list = found.hide(&own).context("--canaries")?;
        let (files, report) = write(&found, &args.canaries, domain, args.force)?;
        Ok(Some(Self { list, own: own.len() as u64, files, report }))
    }
}

/// Draws the canaries that the arguments request among values. If they take the places of other canaries, the secret key
/// reads those.
fn draw(
    values: &[u64],
    args: &CanaryArgs,
    key: EncryptionKey<'_>,
    bits: Option<u32>,
) -> Result<Canaries> {
    let draw = |values, count| key.draw_canaries(values, count, bits);
    let (uniform, places) = match (&args.like, key.secret()) {
        (Some(path), Some(secret)) => {
            let like = read(path, secret)?;
            let uniform = draw(values.len(), like.count()).context("--canaries")?;
            let (found, expected) = (values.len(), like.places() - like.count());
            ensure!(
                found == expected && like.largest_input() == uniform.largest_input(),
                "--canaries-like: they are among {expected} values up to {}, but these are {found} up to {}",
                like.largest_input(),
                uniform.largest_input()
            );
            (uniform, Some(like))
        }
        _ => {
            let count =
                args.count.context("--canaries needs --canary-count: the number of canaries")?;
            (draw(values.len(), count).context("--canaries")?, None)
        }
    };
    let inputs = if args.inputs == CanaryInputs::Values { values } else { uniform.inputs() };
    match places {
        None if args.inputs == CanaryInputs::Uniform => Ok(uniform),
        places => places.as_ref().unwrap_or(&uniform).with_inputs_of(inputs).context("--canaries"),
    }
}

fn read(path: &Path, key: &SecretKey) -> Result<Canaries> {
    let name = input_file::name(path);
    let bytes = input_file::read_secret(path, MAX_BYTES, "a file of canaries", |_| Ok(()))?;
    Canaries::from_bytes(&bytes, key).with_context(|| name.to_string())
}

/// Writes canaries and, if the arguments request them, their inputs in this domain, to files that only their owner can read
/// and that get their names later.
fn write(
    canaries: &Canaries,
    args: &CanaryArgs,
    domain: Domain,
    force: bool,
) -> Result<(Vec<AtomicFile>, Report)> {
    let path = args.file.as_deref().context("--canaries")?;
    let create = |path: &Path| {
        atomic_file::check_new(path, force, ", and results can no longer be checked with it")?;
        anyhow::Ok(atomic_file::create(path, Access::Private)?)
    };
    let mut file = create(path)?;
    file.write_all(&canaries.to_bytes())?;
    let mut files = vec![file];
    if let Some(path) = &args.values {
        let mut file = create(path)?;
        for &input in canaries.inputs() {
            writeln!(file, "{}", domain.integer(input))?;
        }
        files.push(file);
    }
    Ok((files, report_of(path, canaries, false)))
}

/// The results that canaries must have.
enum Expected {
    Table(Table),
    /// A result for each canary.
    Results(Zeroizing<Vec<u64>>),
}

/// A check of results with canaries.
pub struct ResultCheck {
    canaries: Canaries,
    expected: Expected,
    /// All results, canaries included, in the order of places.
    results: Zeroizing<Vec<u64>>,
    report: Report,
}

impl ResultCheck {
    /// Reads the canaries that the arguments name, and their expected results; `None` if they name none. `places` is the number
    /// of results in the file, which are of this domain.
    pub fn open(
        global: Global,
        args: &DecryptArgs,
        key: &SecretKey,
        domain: Domain,
        places: u64,
    ) -> Result<Option<Self>> {
        let Some(path) = &args.canaries else { return Ok(None) };
        let name = input_file::name(path);
        let canaries = read(path, key)?;
        report::note(global, input_file::exposure(path).as_ref());
        let expected = canaries.places();
        ensure!(
            places == expected as u64,
            "{name} is for {expected} places, but {} holds {}: they are not from one encryption",
            input_file::name(&args.input),
            values(places)
        );
        let expected_results = match (&args.table, &args.expected) {
            (Some(table), _) => Expected::Table(read_table(table, key, domain)?),
            (None, Some(file)) => Expected::Results(read_results(file, domain)?),
            (None, None) => bail!("--canaries needs --table or --expected"),
        };
        let report = report_of(path, &canaries, true);
        let results = Zeroizing::new(Vec::with_capacity(expected));
        Ok(Some(Self { canaries, expected: expected_results, results, report }))
    }

    /// Returns the number of results that do not belong to canaries.
    pub fn own_values(&self) -> u64 {
        (self.canaries.places() - self.canaries.count()) as u64
    }

    /// Adds further results.
    pub fn push(&mut self, results: &[u64]) {
        // This does not grow the buffer, which has had room for all results of the file from the start.
        self.results.extend_from_slice(results);
    }

    /// Checks all results, and writes those that do not belong to canaries.
    pub fn finish(self, writer: &mut ValueWriter) -> Result<Report> {
        let own = Zeroizing::new(match &self.expected {
            Expected::Table(table) => self.canaries.check(&self.results, table)?,
            Expected::Results(expected) => self.canaries.check_results(&self.results, expected)?,
        });
        writer.write(&own)?;
        Ok(self.report)
    }
}

/// Reads the table of a lookup.
fn read_table(path: &Path, key: &SecretKey, domain: Domain) -> Result<Table> {
    let input = key.lookup_parameters()?.input_modulus();
    let output = u64::try_from(domain.modulus).context("--table is for lookups")?;
    let moduli = Moduli { input: Some(input), output: Some(output) };
    let signs = Signs::both(domain.signed);
    Ok(table::read(path, &TableOptions { signs, ..TableOptions::plain(moduli) })?.0)
}

/// Reads the results that canaries must have.
fn read_results(path: &Path, domain: Domain) -> Result<Zeroizing<Vec<u64>>> {
    let (csv, coding) = (&CsvArgs::default(), Coding::Integers(domain));
    all_values(&mut open_values(path, &ValueOptions { format: None, column: None, csv, coding })?)
}

/// Reports the canaries of a file, as part of another report: that they were added, or that their results are right.
fn report_of(path: &Path, canaries: &Canaries, are_right: bool) -> Report {
    let (count, places) = (canaries.count(), canaries.places());
    // Probability of missing a server that is wrong in 1% of all places; the field is null if the probability is 0.
    let log2_missed = canaries.missed_probability(places.div_ceil(100)).log2();
    let fields = json!({
        "canaries": path.to_string_lossy(),
        "canary_id": hex(&canaries.id()),
        "canary_count": count,
        "places": places,
        "log2_missed_of_1_percent": log2_missed,
    });
    let name = atomic_file::name(path);
    let found = match are_right {
        true => format!("{name}: the results of all canaries, {count} of {places}, are right"),
        false => format!("{name}: places of canaries, {count} of {places}; keep it secret"),
    };
    let missed = if log2_missed.is_finite() {
        format!("missed with probability 2^{log2_missed:.1}")
    } else {
        "never missed".into()
    };
    Report { fields, text: format!("{found}; a server wrong in 1% of places is {missed}") }
}
