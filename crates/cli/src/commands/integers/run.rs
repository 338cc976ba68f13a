//! `cryptable integers run`: what the server does.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::integers::{
    ColumnKind, ColumnWriter, DigitArithmetic, DigitCiphertext, DryRun, Evaluator, Integer,
    LookupModel,
};
use cryptable::{Engine, EvaluationKey, Prediction, Progress};
use serde::Serialize;

use super::column_file::ColumnFile;
use super::job::{Job, Operands, Outcome, check_operands};
use super::{pieces, with_integer};
use crate::args::Global;
use crate::args::integers::IntegersRunArgs;
use crate::atomic_file::{self, Access, AtomicFile};
use crate::commands::threads;
use crate::printable::Printable as _;
use crate::report::{self, bytes, seconds};
use crate::{key_input, memory_limit, progress};

/// Parts of a lookup that progress is told in.
const STEPS: usize = 100;

/// Computes an operation on files of encrypted integers, one ciphertext of each digit at a time.
///
/// # Errors
/// If a file cannot be read or written, or key and columns do not belong together.
pub fn run(global: Global, args: &IntegersRunArgs) -> Result<()> {
    check_operands(args)?;
    let job = Job {
        operation: args.op,
        constant: args.constant,
        pieces: args.pieces.as_deref().map(pieces::read).transpose()?.unwrap_or_default(),
        wide: args.wide,
        lazy: args.lazy,
    };
    let mapped = key_input::read_evaluation_key(global, &args.evaluation)?;
    let key = &mapped.key;
    let report = match key.engine() {
        Engine::Packed => {
            let engine = key.packed()?;
            let predict = |tables| engine.parameters().prediction_of(tables);
            on_engine(global, args, &job, (key, engine, engine.parameters(), &predict))?
        }
        _ => {
            let engine = key.single().context("integers are of packed or single values")?;
            let predict = |_| engine.parameters().prediction();
            on_engine(global, args, &job, (key, engine, engine.parameters(), &predict))?
        }
    };
    mapped.check_unchanged()?;
    report::summary(global, &report)
}

/// What an engine says of lookups.
type Model<'a> = &'a (dyn LookupModel + Sync);

/// What a lookup of so many tables takes.
type Predict<'a> = &'a dyn Fn(usize) -> Prediction;

/// The files of all operands.
struct Files<C> {
    columns: Vec<ColumnFile<C>>,
    condition: Option<ColumnFile<C>>,
    amount: Option<ColumnFile<C>>,
}

impl<C: DigitCiphertext> Files<C> {
    fn open(args: &IntegersRunArgs, key: &EvaluationKey) -> Result<Self> {
        let open = |path: &PathBuf| ColumnFile::open(path);
        let columns = args.inputs.iter().map(open).collect::<Result<Vec<_>>>()?;
        let condition = args.condition.as_ref().map(open).transpose()?;
        let amount = args.amount.as_ref().map(open).transpose()?;
        let files = Self { columns, condition, amount };
        let first = &files.columns[0];
        let kind = first.summary().kind;
        let digest = key.parameters().digest();
        for (file, expected) in files.all(kind) {
            file.check_key(digest, key.key_id(), &args.evaluation)?;
            file.check_like(first)?;
            let found = file.summary().kind;
            ensure!(found == expected, "{}: {found}, where {expected} are needed", file.name());
        }
        ensure!(kind != ColumnKind::BOOLEANS, "{}: booleans are no integers", first.name());
        Ok(files)
    }

    /// All files, with what they have to be.
    fn all(&self, kind: ColumnKind) -> impl Iterator<Item = (&ColumnFile<C>, ColumnKind)> {
        let columns = self.columns.iter().map(move |file| (file, kind));
        let condition = self.condition.iter().map(|file| (file, ColumnKind::BOOLEANS));
        columns.chain(condition).chain(self.amount.iter().map(|f| (f, ColumnKind::of::<u8>())))
    }

    fn next<T: Integer>(&mut self) -> Result<Operands<T, C>> {
        Ok(Operands {
            columns: self.columns.iter_mut().map(ColumnFile::next_part).collect::<Result<_>>()?,
            condition: self.condition.as_mut().map(ColumnFile::next_part).transpose()?,
            amount: self.amount.as_mut().map(ColumnFile::next_part).transpose()?,
        })
    }
}

fn on_engine<E: DigitArithmetic<Ciphertext: DigitCiphertext>>(
    global: Global,
    args: &IntegersRunArgs,
    job: &Job,
    (key, engine, model, predict): (&EvaluationKey, &E, Model<'_>, Predict<'_>),
) -> Result<Report> {
    let files = Files::open(args, key)?;
    let kind = files.columns[0].summary().kind;
    with_integer!(kind, T => on_columns::<T, E>(global, args, job, (engine, model, predict, files)))
}

fn on_columns<T: Integer, E: DigitArithmetic<Ciphertext: DigitCiphertext>>(
    global: Global,
    args: &IntegersRunArgs,
    job: &Job,
    (engine, model, predict, mut files): (&E, Model<'_>, Predict<'_>, Files<E::Ciphertext>),
) -> Result<Report> {
    let start = Instant::now();
    let (parts, values) = (files.columns[0].parts(), files.columns[0].values());
    let planned = planned_lookups::<T>(job, model, &files)?;
    let (lookups, most_tables) = (planned.len(), planned.into_iter().max().unwrap_or(1));
    memory_limit::check_job(args.memory.limit, &job.operation.name(), &predict(most_tables))?;
    let bar = progress::bar(global, "integers");
    let moved = progress::on(&bar);
    let done = AtomicUsize::new(0);
    let all = (parts * lookups * STEPS).max(1);
    let step = |steps: usize, total: usize| {
        let before = done.fetch_add(usize::from(steps == total), Ordering::Relaxed);
        moved((before * STEPS + steps * STEPS / total.max(1)).min(all), all)
    };
    let server = Evaluator::new(engine)?.with_progress(Progress::new(&step));
    let mut writer = ColumnWriter::new(AtomicFile::create(&args.output, Access::Public)?);
    let mut kind = ColumnKind::of::<T>();
    for _ in 0..parts {
        match job.apply(&server, &files.next::<T>()?)? {
            Outcome::Integers(found) => writer.push(&found)?,
            Outcome::Booleans(found) => {
                kind = ColumnKind::BOOLEANS;
                writer.push(&found)?;
            }
            Outcome::Unsigned(found) => {
                kind = ColumnKind::of::<u64>();
                writer.push(&found)?;
            }
            Outcome::Signed(found) => {
                kind = ColumnKind::of::<i64>();
                writer.push(&found)?;
            }
        }
    }
    bar.finish_and_clear();
    let output_bytes = writer.finish()?.commit(true)?;
    Ok(Report {
        output: args.output.clone(),
        output_bytes,
        operation: job.operation.name(),
        values,
        kind: kind.to_string(),
        lookups: parts * lookups,
        threads: threads(global),
        eval_s: start.elapsed().as_secs_f64(),
        peak_rss_bytes: report::peak_memory_bytes(),
    })
}

/// The tables of each lookup of a part: by a dry run, on fresh columns.
fn planned_lookups<T: Integer>(
    job: &Job,
    model: Model<'_>,
    files: &Files<impl DigitCiphertext>,
) -> Result<Vec<usize>> {
    let dry_run = DryRun::new(model, 1);
    let server = Evaluator::new(&dry_run)?;
    let operands = Operands {
        columns: files.columns.iter().map(|_| dry_run.fresh::<T>(&server)).collect(),
        condition: files.condition.as_ref().map(|_| dry_run.fresh_booleans()),
        amount: files.amount.as_ref().map(|_| dry_run.fresh(&server)),
    };
    job.apply(&server, &operands)?;
    Ok(dry_run.lookups())
}

#[derive(Serialize)]
struct Report {
    output: PathBuf,
    output_bytes: u64,
    operation: String,
    values: u64,
    #[serde(rename = "type")]
    kind: String,
    /// As planned, of fresh inputs.
    lookups: usize,
    threads: usize,
    eval_s: f64,
    peak_rss_bytes: Option<u64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} of {} values, {}, {}, {}",
            shown(&self.output),
            self.operation,
            self.values,
            self.kind,
            bytes(self.output_bytes),
            seconds(self.eval_s)
        )
    }
}

fn shown(path: &Path) -> String {
    atomic_file::shown(path).printable()
}
