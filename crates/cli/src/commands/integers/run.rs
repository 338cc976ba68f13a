//! The server's command `cryptable integers`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use cryptable::integers::{
    AnyColumn, Column as _, ColumnKind, ColumnWriter, DigitArithmetic, DigitCiphertext, DryRun,
    Evaluator, LookupModel, Operation,
};
use cryptable::{Engine, EvaluationKeyHeader, Prediction, Progress};
use serde_json::json;

use super::column_file::ColumnFile;
use super::job::{Apply, Job, check_operands, operand_kinds};
use super::pieces;
use crate::args::Global;
use crate::args::common::name_of;
use crate::args::integers::IntegersArgs;
use crate::atomic_file::{self, Access};
use crate::key_input::{KeyFile, MappedKey};
use crate::report::{self, bytes, seconds};
use crate::{memory_limit, progress};

/// Number of progress steps per lookup.
const STEPS: usize = 100;

/// Runs an operation on files of encrypted integers, with one ciphertext per digit at a time.
pub fn run(global: Global, args: &IntegersArgs) -> Result<()> {
    check_operands(args)?;
    let pieces = args.pieces.as_deref().map(pieces::read).transpose()?.unwrap_or_default();
    let key_file = KeyFile::open(global, &args.server.evaluation)?;
    let header = key_file.header.clone();
    // Problems of the columns are reported before the key is read.
    let parameters = header.parameters.lookups()?;
    match parameters.engine() {
        Engine::Packed => {
            let parameters = parameters.packed()?;
            let predict = |tables| parameters.prediction_of(tables);
            let planned = plan(args, &pieces, &header, parameters, &predict)?;
            let mapped = key_file.read()?;
            run_on(global, args, planned, &mapped, mapped.key.packed()?, Operation::apply_moving)
        }
        _ => {
            let parameters = parameters.single();
            let parameters =
                parameters.context("integers need keys for packed or single values")?;
            let predict = |_| parameters.prediction();
            let planned = plan(args, &pieces, &header, parameters, &predict)?;
            let mapped = key_file.read()?;
            run_on(global, args, planned, &mapped, mapped.key.single()?, Operation::apply)
        }
    }
}

/// An engine's model of lookups.
type Model<'a> = &'a (dyn LookupModel + Sync);

/// Predicts a lookup in a number of tables.
type Predict<'a> = &'a dyn Fn(usize) -> Prediction;

/// The files of all encrypted operands in their order, and the kind of the integers.
struct Files<C> {
    operands: Vec<ColumnFile<C>>,
    kind: ColumnKind,
}

impl<C: DigitCiphertext> Files<C> {
    fn open(args: &IntegersArgs, key: &EvaluationKeyHeader) -> Result<Self> {
        let paths = args.condition.iter().chain(&args.inputs).chain(&args.amount);
        let operands = paths.map(|path| ColumnFile::open(path)).collect::<Result<Vec<_>>>()?;
        let first = &operands[usize::from(args.condition.is_some())];
        let kind = first.summary().kind;
        let digest = key.parameters.digest();
        for (file, expected) in operands.iter().zip(operand_kinds(args.op, kind)) {
            file.check_key(digest, key.key_id, &args.server.evaluation)?;
            file.check_like(first)?;
            let found = file.summary().kind;
            ensure!(found == expected, "{}: {found}, where {expected} are needed", file.name());
        }
        ensure!(kind != ColumnKind::BOOLEANS, "{}: booleans are not integers", first.name());
        Ok(Self { operands, kind })
    }

    /// Returns the kinds of all operands.
    fn kinds(&self) -> Vec<ColumnKind> {
        self.operands.iter().map(|file| file.summary().kind).collect()
    }

    fn next(&mut self) -> Result<Vec<AnyColumn<C>>> {
        self.operands.iter_mut().map(ColumnFile::next_part).collect()
    }
}

/// A job whose files match the key, and fit in memory with it.
struct Planned<C> {
    files: Files<C>,
    job: Job,
    /// Number of lookups per part.
    lookups: usize,
}

/// Checks everything except the key itself.
fn plan<C: DigitCiphertext>(
    args: &IntegersArgs,
    pieces: &[(i128, i64)],
    key: &EvaluationKeyHeader,
    model: Model<'_>,
    predict: Predict<'_>,
) -> Result<Planned<C>> {
    let files = Files::open(args, key)?;
    let job = Job::new(args, files.kind, pieces)?;
    job.check_parts(files.operands[0].parts())?;
    let planned = planned_lookups(&job, model, &files)?;
    let (lookups, most_tables) = (planned.len(), planned.into_iter().max().unwrap_or(1));
    let prediction = predict(most_tables);
    memory_limit::check_unread(
        args.server.memory.limit,
        &name_of(&args.op),
        prediction.peak_bytes(),
    )?;
    Ok(Planned { files, job, lookups })
}

fn run_on<E: DigitArithmetic<Ciphertext: DigitCiphertext>>(
    global: Global,
    args: &IntegersArgs,
    planned: Planned<E::Ciphertext>,
    mapped: &MappedKey,
    engine: &E,
    apply: Apply<E>,
) -> Result<()> {
    let Planned { mut files, job, lookups } = planned;
    let start = Instant::now();
    let (parts, values) = (files.operands[0].parts(), files.operands[0].values());
    let bar = progress::bar(global, "integers");
    let moved = progress::on(&bar);
    let done = AtomicUsize::new(0);
    let all = (parts * lookups * STEPS).max(1);
    let step = |steps: usize, total: usize| {
        let before = done.fetch_add(usize::from(steps == total), Ordering::Relaxed);
        moved((before * STEPS + steps * STEPS / total.max(1)).min(all), all)
    };
    let server = Evaluator::new(engine)?.with_progress(Progress::new(&step));
    let create = |path: &PathBuf| -> Result<_> {
        Ok(ColumnWriter::new(atomic_file::create(path, Access::Public)?))
    };
    let outputs = std::iter::once(&args.server.file.output).chain(&args.value);
    let mut writers = outputs.map(create).collect::<Result<Vec<_>>>()?;
    let mut kind = files.kind;
    for _ in 0..parts {
        let found = job.run(&server, &files.next()?, apply)?;
        kind = found[0].kind();
        writers.iter_mut().zip(&found).try_for_each(|(writer, found)| writer.push(found))?;
    }
    bar.finish_and_clear();
    mapped.check_unchanged()?;
    let mut output_bytes = 0;
    for writer in writers {
        output_bytes += writer.finish()?.commit(true)?;
    }
    let (eval_s, operation) = (start.elapsed().as_secs_f64(), name_of(&args.op));
    let (size, time) = (bytes(output_bytes), seconds(eval_s));
    let text = format!("{operation} of {values} values, {kind}, {size}, {time}");
    // The number of lookups is the planned one, for fresh inputs.
    let fields = json!({
        "operation": operation,
        "values": values,
        "type": kind.to_string(),
        "lookups": parts * lookups,
    });
    report::computed(global, &args.server.file.output, output_bytes, eval_s, fields, &text)
}

/// Returns the number of tables of each lookup of a part, from a dry run on fresh columns.
fn planned_lookups<C: DigitCiphertext>(
    job: &Job,
    model: Model<'_>,
    files: &Files<C>,
) -> Result<Vec<usize>> {
    let values = usize::try_from(files.operands[0].values()).unwrap_or(usize::MAX);
    let dry_run = DryRun::new(model, model.places().unwrap_or(1).min(values));
    job.planned_lookups(&dry_run, &files.kinds())
}
