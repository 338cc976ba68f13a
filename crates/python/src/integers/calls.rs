//! Encryption, decryption and operations on columns.

use std::sync::atomic::{AtomicUsize, Ordering};

use cryptable::engines::{packed, single};
use cryptable::integers::{
    self, ColumnKind, DigitArithmetic, DigitCiphertext, DigitEncryption, Evaluator, Integer,
    LookupModel,
};
use cryptable::{Engine, Error, Progress as LibraryProgress};
use numpy::{Element, IxDyn, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroize::Zeroizing;

use super::column::{Column, EngineColumn};
use super::job::{Job, Operand, PieceNumbers, Planned, planned_lookups};
use super::typed::{Kind, Parts, TypedColumn, with_integer};
use crate::arrays::words;
use crate::call::{self, Progress};
use crate::errors::{Result, raise};
use crate::evaluation_key::EvaluationKey;
use crate::secret_key::SecretKey;

/// Parts of a lookup that progress is told in.
const STEPS: usize = 100;

/// Encrypts integers of so many bits, or booleans: 1 bit.
#[pyfunction]
pub(crate) fn encrypt_column(
    secret: &SecretKey,
    values: &Bound<'_, PyAny>,
    bits: u32,
    signed: bool,
) -> Result<Column> {
    let py = values.py();
    let kind = ColumnKind { bits, signed };
    let values = words(values, bits, signed)?;
    let clear = Zeroizing::new(values.values);
    let key = secret.library();
    let room = key.values_per_part();
    let inner = call::run_silently(py, || {
        Ok(match key.engine() {
            Engine::Packed => EngineColumn::Packed(encrypt(key.packed()?, (kind, room), &clear)?),
            _ => EngineColumn::Single(encrypt(key.single()?, (kind, room), &clear)?),
        })
    })?;
    Ok(Column::new(inner, values.shape))
}

fn encrypt<S: DigitEncryption<Ciphertext: DigitCiphertext>>(
    secret: &S,
    (kind, room): (ColumnKind, usize),
    words: &[u64],
) -> cryptable::Result<Parts<S::Ciphertext>> {
    let part = |words: &[u64]| {
        if kind == ColumnKind::BOOLEANS {
            let bits = Zeroizing::new(words.iter().map(|&word| word == 1).collect::<Vec<_>>());
            return Ok((
                bits.len(),
                TypedColumn::Booleans(integers::encrypt_booleans(secret, &bits)?),
            ));
        }
        with_integer!(kind, T => {
            let values = words.iter().map(|&word| T::from_word(word)).collect::<Vec<T>>();
            let values = Zeroizing::new(values);
            Ok((values.len(), T::wrap(integers::encrypt(secret, &values)?)))
        })
    };
    Parts::new(words.chunks(room).map(part).collect::<cryptable::Result<_>>()?)
}

/// Decrypts a column: an array of numpy's type of the same name.
#[pyfunction]
pub(crate) fn decrypt_column<'py>(
    py: Python<'py>,
    secret: &SecretKey,
    column: &Column,
) -> Result<Bound<'py, PyAny>> {
    let key = secret.library();
    match &*column.inner {
        EngineColumn::Packed(parts) => {
            decrypt(py, key.packed().map_err(raise)?, parts, &column.shape)
        }
        EngineColumn::Single(parts) => {
            decrypt(py, key.single().map_err(raise)?, parts, &column.shape)
        }
    }
}

fn decrypt<'py, S: DigitEncryption<Ciphertext: DigitCiphertext> + Sync>(
    py: Python<'py>,
    secret: &S,
    parts: &Parts<S::Ciphertext>,
    shape: &[usize],
) -> Result<Bound<'py, PyAny>> {
    if parts.kind == ColumnKind::BOOLEANS {
        return array_of(py, parts, shape, |part| {
            integers::decrypt_booleans(secret, part.booleans()?)
        });
    }
    let found = with_integer!(parts.kind, T => {
        Ok(array_of(py, parts, shape, |part| integers::decrypt::<T, S>(secret, part.integers()?)))
    });
    found.map_err(raise)?
}

/// The values of all parts; those that are public are one value, the same at all places.
fn array_of<'py, T: Element + Copy + zeroize::Zeroize, C: DigitCiphertext>(
    py: Python<'py>,
    parts: &Parts<C>,
    shape: &[usize],
    decrypt: impl Fn(&TypedColumn<C>) -> cryptable::Result<Vec<T>> + Sync,
) -> Result<Bound<'py, PyAny>> {
    let values = call::run_silently(py, || {
        let mut all = Zeroizing::new(Vec::with_capacity(parts.count()));
        for (count, part) in &parts.parts {
            let found = Zeroizing::new(decrypt(part)?);
            match found.as_slice() {
                [value] => all.extend(std::iter::repeat_n(*value, *count)),
                values => all.extend_from_slice(values),
            }
        }
        Ok(all)
    })?;
    Ok(PyArray1::from_slice(py, &values).reshape(IxDyn(shape))?.into_any())
}

/// What operations may take beside operands.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    kind: Option<(u32, bool)>,
    thresholds: Vec<i128>,
    pieces: Vec<PieceNumbers>,
    digits: Vec<Vec<i64>>,
    threads: usize,
}

/// Runs an operation, by its name, on columns and public numbers.
#[pyfunction]
#[pyo3(signature = (key, operation, operands, options, table = None, progress = Progress::Bar))]
pub(crate) fn compute_integers(
    key: &Bound<'_, EvaluationKey>,
    operation: &str,
    operands: Vec<Bound<'_, PyAny>>,
    options: Options,
    table: Option<&Bound<'_, PyAny>>,
    progress: Progress<'_>,
) -> Result<Vec<Column>> {
    let py = key.py();
    let threads = options.threads;
    let job = job(operation, options, table)?;
    let operands = operands.iter().map(Given::new).collect::<Result<Vec<_>>>()?;
    let first = operands.iter().find_map(Given::column);
    let first = first.ok_or_else(|| PyValueError::new_err("no operand is an encrypted column"))?;
    let is_packed = matches!(&*first.inner, EngineColumn::Packed(_));
    let key = key.get().library();
    let results = call::run_engine(py, (threads, progress, operation), |progress| {
        if is_packed {
            let (engine, inputs) = (key.packed()?, inputs_of(&operands, as_packed)?);
            let results = run(engine, engine.parameters(), &job, &inputs, progress)?;
            return Ok(results.into_iter().map(EngineColumn::Packed).collect::<Vec<_>>());
        }
        let (engine, inputs) = (key.single()?, inputs_of(&operands, as_single)?);
        let results = run(engine, engine.parameters(), &job, &inputs, progress)?;
        Ok(results.into_iter().map(EngineColumn::Single).collect())
    })?;
    let shape = |column: &Column| {
        if job.moves_values() { vec![column.shape[0]] } else { first.shape.clone() }
    };
    let column = |inner: EngineColumn| {
        let count = super::column::each_engine!(&inner, parts => parts.count());
        let mut column = Column::new(inner, vec![count]);
        column.shape = shape(&column);
        column
    };
    Ok(results.into_iter().map(column).collect())
}

/// The operation of a name, with what it takes.
fn job(operation: &str, options: Options, table: Option<&Bound<'_, PyAny>>) -> Result<Job> {
    let kind = || {
        let (bits, signed) =
            options.kind.ok_or_else(|| PyValueError::new_err("the result's type is missing"))?;
        Ok::<_, PyErr>(ColumnKind { bits, signed })
    };
    Ok(match operation {
        "cast" => Job::Cast(kind()?),
        "less_than_each" => Job::Below(options.thresholds),
        "piecewise" => Job::Piecewise(options.pieces, kind()?),
        "map_digits" => Job::MapDigits(options.digits, kind()?),
        "lookup" => {
            let kind = kind()?;
            let table = table.ok_or_else(|| PyValueError::new_err("the table is missing"))?;
            let outputs = words(table, kind.bits, kind.signed)?.values;
            if !outputs.len().is_power_of_two() || outputs.len() < 2 {
                let count = outputs.len();
                let message =
                    format!("the table has {count} outputs, but must have a power of two of them");
                return Err(crate::errors::exception("TableError", message));
            }
            Job::Table(outputs, kind)
        }
        name => Job::by_name(name)
            .ok_or_else(|| PyValueError::new_err(format!("there is no operation {name:?}")))?,
    })
}

/// An operand as Python gives it.
enum Given {
    Column(Py<Column>),
    Number(i128),
}

impl Given {
    fn new(operand: &Bound<'_, PyAny>) -> Result<Self> {
        match operand.cast::<Column>() {
            Ok(column) => Ok(Self::Column(column.clone().unbind())),
            Err(_) => Ok(Self::Number(operand.extract()?)),
        }
    }

    fn column(&self) -> Option<&Column> {
        match self {
            Self::Column(column) => Some(column.get()),
            Self::Number(_) => None,
        }
    }
}

/// An operand of an engine.
enum Input<'a, C> {
    Column(&'a Parts<C>),
    Number(i128),
}

fn as_packed(column: &EngineColumn) -> Option<&Parts<packed::Ciphertext>> {
    match column {
        EngineColumn::Packed(parts) => Some(parts),
        EngineColumn::Single(_) => None,
    }
}

fn as_single(column: &EngineColumn) -> Option<&Parts<single::Ciphertext>> {
    match column {
        EngineColumn::Single(parts) => Some(parts),
        EngineColumn::Packed(_) => None,
    }
}

fn inputs_of<'a, C>(
    operands: &'a [Given],
    parts: impl Fn(&'a EngineColumn) -> Option<&'a Parts<C>>,
) -> cryptable::Result<Vec<Input<'a, C>>> {
    let input = |operand: &'a Given| match operand {
        Given::Number(number) => Ok(Input::Number(*number)),
        Given::Column(column) => parts(&column.get().inner)
            .map(Input::Column)
            .ok_or_else(|| Error::mismatch("column", "of another engine", "of one engine")),
    };
    operands.iter().map(input).collect()
}

/// An engine, with what it can do.
trait Computing: DigitArithmetic<Ciphertext: DigitCiphertext> {
    /// Applies a job to a part of every operand.
    fn apply<T: Kind>(
        job: &Job,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, Self::Ciphertext>],
    ) -> cryptable::Result<Vec<TypedColumn<Self::Ciphertext>>>
    where
        Self: Sized;
}

impl Computing for packed::EvaluationKey {
    fn apply<T: Kind>(
        job: &Job,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, packed::Ciphertext>],
    ) -> cryptable::Result<Vec<TypedColumn<packed::Ciphertext>>> {
        job.apply_moving::<T, Self>(server, operands)
    }
}

impl Computing for single::EvaluationKey {
    fn apply<T: Kind>(
        job: &Job,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, single::Ciphertext>],
    ) -> cryptable::Result<Vec<TypedColumn<single::Ciphertext>>> {
        job.apply::<T, Self>(server, operands)
    }
}

/// Runs a job on all parts, and tells how many of the lookups that a dry run counted are done.
fn run<E: Computing>(
    engine: &E,
    model: &(dyn LookupModel + Sync),
    job: &Job,
    inputs: &[Input<'_, E::Ciphertext>],
    progress: LibraryProgress<'_>,
) -> cryptable::Result<Vec<Parts<E::Ciphertext>>> {
    let counts = counts_of(job, inputs)?;
    let kind = kind_of(inputs);
    let planned: Vec<_> = inputs.iter().map(Input::planned).collect();
    let lookups = match job {
        // Places are of ciphertexts, which a dry run has none of; nothing is looked up.
        Job::Concatenate => 0,
        _ => planned_lookups(job, model, (kind, counts[0]), &planned)?.len(),
    };
    let (done, all) = (AtomicUsize::new(0), (counts.len() * lookups * STEPS).max(1));
    let step = |steps: usize, total: usize| {
        let before = done.fetch_add(usize::from(steps == total), Ordering::Relaxed);
        let moved = (before * STEPS + steps * STEPS / total.max(1)).min(all);
        match progress.report(moved, all) {
            Ok(()) => std::ops::ControlFlow::Continue(()),
            Err(_) => std::ops::ControlFlow::Break(()),
        }
    };
    let server = Evaluator::new(engine)?.with_progress(LibraryProgress::new(&step));
    let mut results: Vec<Vec<(usize, TypedColumn<E::Ciphertext>)>> = Vec::new();
    for (index, &count) in counts.iter().enumerate() {
        let operands: Vec<_> = inputs.iter().map(|input| input.part(index)).collect();
        let found = with_integer!(kind, T => E::apply::<T>(job, &server, &operands))?;
        results.resize_with(found.len(), Vec::new);
        results.iter_mut().zip(found).for_each(|(parts, part)| parts.push((count, part)));
    }
    progress.report(all, all)?;
    results.into_iter().map(Parts::new).collect()
}

impl<'a, C> Input<'a, C> {
    fn planned(&self) -> Planned {
        match self {
            Self::Column(parts) => Planned::Column(parts.kind),
            Self::Number(number) => Planned::Number(*number),
        }
    }

    fn part(&self, index: usize) -> Operand<'a, C> {
        match self {
            Self::Column(parts) => Operand::Column(&parts.parts[index].1),
            Self::Number(number) => Operand::Number(*number),
        }
    }
}

/// The integers that an operation is of: those of the first column that holds any.
fn kind_of<C>(inputs: &[Input<'_, C>]) -> ColumnKind {
    let kinds = inputs.iter().filter_map(|input| match input {
        Input::Column(parts) => Some(parts.kind),
        Input::Number(_) => None,
    });
    kinds.into_iter().find(|&kind| kind != ColumnKind::BOOLEANS).unwrap_or(ColumnKind::of::<u8>())
}

/// Numbers of values of the parts of results.
fn counts_of<C: DigitCiphertext>(
    job: &Job,
    inputs: &[Input<'_, C>],
) -> cryptable::Result<Vec<usize>> {
    let counts = inputs.iter().filter_map(|input| match input {
        Input::Column(parts) => Some(parts.counts()),
        Input::Number(_) => None,
    });
    let counts: Vec<_> = counts.collect();
    if job.moves_values() && counts.iter().any(|counts| counts.len() > 1) {
        let found = counts.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let (name, limit) = ("number of ciphertexts of a column that is merged", 1);
        return Err(Error::TooLarge { name, value: found, limit });
    }
    if matches!(job, Job::Concatenate) {
        return Ok(vec![counts.iter().flatten().sum()]);
    }
    if let Some(other) = counts.iter().find(|other| **other != counts[0]) {
        let sum = |counts: &[usize]| counts.iter().sum::<usize>();
        return Err(Error::mismatch("number of values", sum(other), sum(&counts[0])));
    }
    Ok(counts.into_iter().next().unwrap_or_default())
}
