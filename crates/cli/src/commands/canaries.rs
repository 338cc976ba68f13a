//! Canaries of `encrypt` and `decrypt`: their file, and the check of results.

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use cryptable::{Canaries, Contents, SecretKey, Table};
use cryptable_wire::hex;
use serde::Serialize;
use zeroize::Zeroizing;

use crate::args::{CanaryArgs, CanaryInputs, DecryptArgs, Global};
use crate::atomic_file::{self, Access, AtomicFile};
use crate::formats::domain::Signs;
use crate::formats::table::{self, Moduli, TableOptions};
use crate::formats::value_writer::ValueWriter;
use crate::input_file;
use crate::printable::Printable as _;
use crate::report::{self, values};

/// Longest file of canaries that is read, in bytes.
const MAX_BYTES: u64 = 1 << 28;

/// Joins the chunks that `next` returns, up to the first empty one.
///
/// # Errors
/// Whatever `next` returns.
pub fn all_values(
    mut next: impl FnMut() -> Result<Zeroizing<Vec<u64>>>,
) -> Result<Zeroizing<Vec<u64>>> {
    let mut chunks = Vec::new();
    loop {
        let chunk = next()?;
        if chunk.is_empty() {
            break;
        }
        chunks.push(chunk);
    }
    // Room for all of them, since growing would leave copies behind.
    let count = chunks.iter().map(|chunk| chunk.len()).sum();
    let mut all = Zeroizing::new(Vec::with_capacity(count));
    chunks.iter().for_each(|chunk| all.extend_from_slice(chunk));
    Ok(all)
}

/// Draws the canaries that the arguments ask for among values, by a key's `draw` for a number of values and of canaries.
///
/// # Errors
/// If the number of canaries is out of range.
pub fn draw(
    values: &[u64],
    args: &CanaryArgs,
    draw: impl Fn(usize, usize) -> cryptable::Result<Canaries>,
) -> Result<Canaries> {
    let count = args.count.context("--canaries takes --canary-count: how many there are")?;
    let uniform = draw(values.len(), count).context("--canaries")?;
    match args.inputs {
        CanaryInputs::Uniform => Ok(uniform),
        CanaryInputs::Values => uniform.with_inputs_of(values).context("--canaries"),
    }
}

/// Writes canaries to a file that only its owner can read, and which gets its name later.
///
/// # Errors
/// If there is a file already that must not be replaced, or if writing fails.
pub fn write(path: &Path, canaries: &Canaries, force: bool) -> Result<(AtomicFile, CanaryReport)> {
    let is_file = atomic_file::target_of(path)?.is_some();
    ensure!(
        force || !is_file || !path.exists(),
        "{} exists; --force replaces it, and results cannot be checked by it any more",
        path.printable()
    );
    let mut file = atomic_file::create(path, Access::Private)?;
    file.write_all(&canaries.to_bytes())?;
    Ok((file, CanaryReport::new(path, canaries, false)))
}

/// A check of results by canaries.
pub struct ResultCheck {
    canaries: Canaries,
    table: Table,
    /// All results, canaries included, in the order of places.
    results: Zeroizing<Vec<u64>>,
    report: CanaryReport,
}

impl ResultCheck {
    /// Reads the canaries and the table that the arguments name; `None` if they name none. `places` is the number of results
    /// in the file, whose contents these are.
    ///
    /// # Errors
    /// If a file cannot be read, belongs to another key, or does not fit the results.
    pub fn open(
        global: Global,
        args: &DecryptArgs,
        key: &SecretKey,
        contents: &Contents,
        places: u64,
    ) -> Result<Option<Self>> {
        let (Some(path), Some(table)) = (&args.canaries, &args.table) else { return Ok(None) };
        let name = input_file::shown(path).printable();
        let bytes = input_file::read_secret(path, MAX_BYTES, "a file of canaries", |_| Ok(()))?;
        let canaries = Canaries::from_bytes(&bytes, key).with_context(|| name.to_string())?;
        report::note(global, input_file::exposure(path).as_ref());
        let expected = canaries.places();
        ensure!(
            places == expected as u64,
            "{name} is of {expected} places, but {} holds {}: they are not of one encryption",
            input_file::shown(&args.input).printable(),
            values(places)
        );
        let input = key.lookup_parameters()?.input_modulus();
        let moduli = Moduli { input: Some(input), output: Some(contents.modulus) };
        let signs = Signs::both(contents.signed);
        let (table, _) =
            table::read(table, &TableOptions { signs, ..TableOptions::plain(moduli) })?;
        let report = CanaryReport::new(path, &canaries, true);
        let results = Zeroizing::new(Vec::with_capacity(expected));
        Ok(Some(Self { canaries, table, results, report }))
    }

    /// Returns the number of results that are not those of canaries.
    pub fn own_values(&self) -> u64 {
        (self.canaries.places() - self.canaries.count()) as u64
    }

    /// Takes further results.
    pub fn push(&mut self, results: &[u64]) {
        // Within the room that there is from the start: the file has as many as places.
        self.results.extend_from_slice(results);
    }

    /// Checks all results, and writes those that are not of canaries.
    ///
    /// # Errors
    /// If a canary has a wrong result, or if writing fails.
    pub fn finish(self, writer: &mut ValueWriter) -> Result<CanaryReport> {
        let own = Zeroizing::new(self.canaries.check(&self.results, &self.table)?);
        writer.write(&own)?;
        Ok(self.report)
    }
}

/// The canaries of a file, as part of a report.
#[derive(Serialize)]
pub struct CanaryReport {
    #[serde(rename = "canaries", serialize_with = "report::path")]
    path: PathBuf,
    canary_id: String,
    canary_count: u64,
    places: u64,
    /// log2 of the probability of missing a server that is wrong in 1% of all places; none if it is 0.
    log2_missed_of_1_percent: f64,
    #[serde(skip)]
    are_right: bool,
}

impl CanaryReport {
    fn new(path: &Path, canaries: &Canaries, are_right: bool) -> Self {
        let places = canaries.places();
        Self {
            path: path.to_path_buf(),
            canary_id: hex(&canaries.id()),
            canary_count: canaries.count() as u64,
            places: places as u64,
            log2_missed_of_1_percent: canaries.missed_probability(places.div_ceil(100)).log2(),
            are_right,
        }
    }
}

impl fmt::Display for CanaryReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = atomic_file::shown(&self.path).printable();
        let (canaries, places) = (self.canary_count, self.places);
        match self.are_right {
            true => {
                write!(f, "{name}: the results of all canaries, {canaries} of {places}, are right")?
            }
            false => {
                write!(f, "{name}: places of canaries, {canaries} of {places}; keep it secret")?
            }
        }
        match self.log2_missed_of_1_percent {
            log2 if log2.is_finite() => {
                write!(f, "; a server wrong in 1% of places is missed with 2^{log2:.1}")
            }
            _ => write!(f, "; a server wrong in 1% of places is never missed"),
        }
    }
}
