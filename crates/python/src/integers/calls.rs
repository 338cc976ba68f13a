//! Encryption, decryption and operations on columns.

use std::sync::atomic::{AtomicUsize, Ordering};

use cryptable::engines::{packed, single};
use cryptable::integers::{
    self, AnyColumn, ColumnKind, DigitArithmetic, DigitCiphertext, DigitDecryption,
    DigitEncryption, Evaluator, LookupModel, Operand, Operation, Piece, PlannedOperand,
};
use cryptable::{Error, KeyKind, Progress as LibraryProgress};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use zeroize::Zeroizing;

use super::column::{Column, EngineColumn};
use super::parts::Parts;
use crate::arrays::{common_shape, of_words, shaped, words};
use crate::call::{self, Progress};
use crate::errors::{Result, exception, raise};
use crate::evaluation_key::EvaluationKey;
use crate::public_key::PublicKey;
use crate::secret_key::SecretKey;

/// Number of progress steps per lookup.
const STEPS: usize = 100;

/// A key that encrypts.
#[derive(FromPyObject)]
pub(crate) enum EncryptionKey<'py> {
    Secret(PyRef<'py, SecretKey>),
    Public(PyRef<'py, PublicKey>),
}

/// Encrypts integers of `bits` bits, or booleans with `bits` = 1.
#[pyfunction]
#[pyo3(signature = (key, values: "npt.NDArray[Any]", bits, signed))]
pub(crate) fn encrypt_column(
    key: EncryptionKey<'_>,
    values: &Bound<'_, PyAny>,
    bits: u32,
    signed: bool,
) -> Result<Column> {
    let py = values.py();
    let kind = ColumnKind::new(bits, signed).map_err(raise)?;
    let values = words(values, bits, signed)?;
    let clear = Zeroizing::new(values.values);
    let inner = match key {
        EncryptionKey::Secret(key) => {
            let key = key.library();
            let room = key.values_per_part().map_err(raise)?;
            call::run_silently(py, || {
                Ok(match key.kind() {
                    KeyKind::Packed => {
                        EngineColumn::Packed(encrypt(key.packed()?, kind, room, &clear)?)
                    }
                    _ => EngineColumn::Single(encrypt(key.single()?, kind, room, &clear)?),
                })
            })
        }
        EncryptionKey::Public(key) => {
            let key = &key.inner;
            let room = key.parameters().lookups().map_err(raise)?.values_per_part();
            call::run_silently(py, || {
                Ok(match key.packed() {
                    Ok(packed) => EngineColumn::Packed(encrypt(packed, kind, room, &clear)?),
                    Err(_) => EngineColumn::Single(encrypt(key.single()?, kind, room, &clear)?),
                })
            })
        }
    }?;
    Ok(Column::new(inner, values.shape))
}

fn encrypt<S: DigitEncryption<Ciphertext: DigitCiphertext>>(
    secret: &S,
    kind: ColumnKind,
    room: usize,
    words: &[u64],
) -> cryptable::Result<Parts<S::Ciphertext>> {
    let part = |words: &[u64]| {
        let column = if kind == ColumnKind::BOOLEANS {
            let bits = Zeroizing::new(words.iter().map(|&word| word == 1).collect::<Vec<_>>());
            AnyColumn::from(integers::encrypt_booleans(secret, &bits)?)
        } else {
            integers::encrypt_words(secret, kind, words)?.into()
        };
        Ok((words.len(), column))
    };
    Parts::new(words.chunks(room).map(part).collect::<cryptable::Result<_>>()?)
}

/// Decrypts a column to an array of the numpy type with the same name.
#[pyfunction]
#[pyo3(signature = (secret, column) -> "npt.NDArray[Any]")]
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

fn decrypt<'py, S: DigitDecryption<Ciphertext: DigitCiphertext> + Sync>(
    py: Python<'py>,
    secret: &S,
    parts: &Parts<S::Ciphertext>,
    shape: &[usize],
) -> Result<Bound<'py, PyAny>> {
    let words = call::run_silently(py, || {
        let mut all = Zeroizing::new(Vec::with_capacity(parts.count()));
        for (count, part) in &parts.parts {
            let found = Zeroizing::new(match part {
                AnyColumn::Integers(column) => integers::decrypt_words(secret, column)?,
                AnyColumn::Booleans(column) => {
                    let bits = Zeroizing::new(integers::decrypt_booleans(secret, column)?);
                    bits.iter().map(|&bit| bit.into()).collect()
                }
            });
            // A public part consists of one value, the same at all places.
            match found.as_slice() {
                [word] => all.extend(std::iter::repeat_n(*word, *count)),
                words => all.extend_from_slice(words),
            }
        }
        Ok(all)
    })?;
    match parts.kind.bits() {
        1 => shaped(py, &words, shape)?.call_method1("astype", ("bool",)),
        bits => of_words(py, &words, shape, bits, parts.kind.is_signed()),
    }
}

/// A piece of a function: its start, its slope, and its value at 0 unless it continues the previous piece.
type PieceNumbers = (i128, i64, Option<i128>);

/// Options of operations besides operands.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Options {
    kind: Option<(u32, bool)>,
    thresholds: Vec<i128>,
    pieces: Vec<PieceNumbers>,
    digits: Vec<Vec<i64>>,
    count: u64,
    threads: usize,
}

/// Runs an operation, by its name, on columns and public numbers.
#[pyfunction]
#[pyo3(signature = (key, operation, operands: "Sequence[Column | int]", options: "Mapping[str, Any]", table: "npt.NDArray[Any] | None" = None, progress = true))]
pub(crate) fn compute_integers(
    key: &Bound<'_, EvaluationKey>,
    operation: &str,
    operands: Vec<Bound<'_, PyAny>>,
    options: Options,
    table: Option<&Bound<'_, PyAny>>,
    progress: Option<Progress<'_>>,
) -> Result<Vec<Column>> {
    let py = key.py();
    let threads = options.threads;
    let job = job_of(operation, options, table)?;
    let operands = operands.iter().map(Given::new).collect::<Result<Vec<_>>>()?;
    let first = operands.iter().find_map(Given::column);
    let first = first.ok_or_else(|| PyValueError::new_err("no operand is an encrypted column"))?;
    let shape = match job.moves_values() {
        true => None,
        false => Some(common_shape(operands.iter().filter_map(Given::column).map(|it| &it.shape))?),
    };
    let is_packed = matches!(&*first.inner, EngineColumn::Packed(_));
    let key = key.get().library();
    let results = call::run_engine(py, threads, progress, operation, |progress| {
        if is_packed {
            let (engine, inputs) = (key.packed()?, inputs_of(&operands, as_packed)?);
            let results = run(engine, engine.parameters(), &job, &inputs, progress)?;
            return Ok(results.into_iter().map(EngineColumn::Packed).collect::<Vec<_>>());
        }
        let (engine, inputs) = (key.single()?, inputs_of(&operands, as_single)?);
        let results = run(engine, engine.parameters(), &job, &inputs, progress)?;
        Ok(results.into_iter().map(EngineColumn::Single).collect())
    })?;
    let column = |inner: EngineColumn| {
        let count = super::column::each_engine!(&inner, parts => parts.count());
        Column::new(inner, shape.clone().unwrap_or_else(|| vec![count]))
    };
    Ok(results.into_iter().map(column).collect())
}

/// Returns the operation with this name and its options.
fn job_of(
    operation: &str,
    options: Options,
    table: Option<&Bound<'_, PyAny>>,
) -> Result<Operation> {
    let kind = || {
        let (bits, signed) =
            options.kind.ok_or_else(|| PyValueError::new_err("the result's type is missing"))?;
        ColumnKind::new(bits, signed).map_err(raise)
    };
    Ok(match operation {
        "cast" => Operation::Cast(kind()?),
        "largest" => Operation::Largest(options.count),
        "less_than_each" => Operation::LessThanEach(options.thresholds),
        "piecewise" => Operation::Piecewise(pieces_of(&options.pieces)?, kind()?),
        "map_digits" => Operation::MapDigits(options.digits, kind()?),
        "lookup" => {
            let kind = kind()?;
            let table = table.ok_or_else(|| PyValueError::new_err("the table is missing"))?;
            let outputs = words(table, kind.bits(), kind.is_signed())?.values;
            if !outputs.len().is_power_of_two() || outputs.len() < 2 {
                let count = outputs.len();
                let message = format!(
                    "the table has {count} outputs, but their number must be a power of two"
                );
                return Err(crate::errors::exception("TableError", message));
            }
            Operation::Table(outputs, kind)
        }
        name => Operation::by_name(name)
            .ok_or_else(|| PyValueError::new_err(format!("there is no operation {name:?}")))?,
    })
}

fn pieces_of(pieces: &[PieceNumbers]) -> Result<Vec<Piece<i128>>> {
    if pieces.iter().all(|(.., intercept)| intercept.is_none()) {
        let slopes: Vec<_> = pieces.iter().map(|&(start, slope, _)| (start, slope)).collect();
        return Ok(Piece::continuous(&slopes));
    }
    let piece = |&(start, slope, intercept): &PieceNumbers| {
        let missing = || Error::mismatch("piece", "one without a value at 0", "all with one");
        let intercept = intercept.ok_or_else(missing).map_err(raise)?;
        Ok(Piece { start, slope, intercept })
    };
    pieces.iter().map(piece).collect()
}

/// An operand as passed from Python.
enum Given {
    Column(Py<Column>),
    Number(i128),
}

impl Given {
    fn new(operand: &Bound<'_, PyAny>) -> Result<Self> {
        match operand.cast::<Column>() {
            Ok(column) => Ok(Self::Column(column.clone().unbind())),
            Err(_) => Ok(Self::Number(operand.extract().map_err(|_| {
                if operand.is_instance_of::<PyInt>() {
                    let message = format!("the public integer {operand} has more than 128 bits");
                    return exception("RangeError", message);
                }
                let found = operand.get_type();
                let message = format!("an operand is a column or one public integer, not {found}");
                PyTypeError::new_err(message)
            })?)),
        }
    }

    fn column(&self) -> Option<&Column> {
        match self {
            Self::Column(column) => Some(column.get()),
            Self::Number(_) => None,
        }
    }
}

/// An operand for one engine.
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

/// An engine with its operations.
trait Computing: DigitArithmetic<Ciphertext: DigitCiphertext> {
    /// Applies a job to one part of every operand.
    fn apply(
        job: &Operation,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, Self::Ciphertext>],
    ) -> cryptable::Result<Vec<AnyColumn<Self::Ciphertext>>>
    where
        Self: Sized;
}

impl Computing for packed::EvaluationKey {
    fn apply(
        job: &Operation,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, packed::Ciphertext>],
    ) -> cryptable::Result<Vec<AnyColumn<packed::Ciphertext>>> {
        job.apply_moving(server, operands)
    }
}

impl Computing for single::EvaluationKey {
    fn apply(
        job: &Operation,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, single::Ciphertext>],
    ) -> cryptable::Result<Vec<AnyColumn<single::Ciphertext>>> {
        job.apply(server, operands)
    }
}

/// Runs a job on all parts, and reports how many of the lookups counted by a dry run are done.
fn run<E: Computing>(
    engine: &E,
    model: &(dyn LookupModel + Sync),
    job: &Operation,
    inputs: &[Input<'_, E::Ciphertext>],
    progress: LibraryProgress<'_>,
) -> cryptable::Result<Vec<Parts<E::Ciphertext>>> {
    let counts = counts_of(job, inputs)?;
    let planned: Vec<_> = inputs.iter().map(Input::planned).collect();
    let lookups = match job {
        // Concatenation moves values between ciphertexts, of which a dry run has none, and needs no lookup.
        Operation::Concatenate => 0,
        _ => job.planned_lookups(model, counts[0], &planned)?.len(),
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
    let mut results: Vec<Vec<(usize, AnyColumn<E::Ciphertext>)>> = Vec::new();
    for (index, &count) in counts.iter().enumerate() {
        let operands: Vec<_> = inputs.iter().map(|input| input.part(index)).collect();
        let found = E::apply(job, &server, &operands)?;
        results.resize_with(found.len(), Vec::new);
        results.iter_mut().zip(found).for_each(|(parts, part)| parts.push((count, part)));
    }
    progress.report(all, all)?;
    results.into_iter().map(Parts::new).collect()
}

impl<'a, C> Input<'a, C> {
    fn planned(&self) -> PlannedOperand {
        match self {
            Self::Column(parts) => parts.kind.into(),
            Self::Number(number) => (*number).into(),
        }
    }

    fn part(&self, index: usize) -> Operand<'a, C> {
        match self {
            Self::Column(parts) => Operand::Column(&parts.parts[index].1),
            Self::Number(number) => Operand::Number(*number),
        }
    }
}

/// Returns the numbers of values in the parts of results.
fn counts_of<C: DigitCiphertext>(
    job: &Operation,
    inputs: &[Input<'_, C>],
) -> cryptable::Result<Vec<usize>> {
    let counts = inputs.iter().filter_map(|input| match input {
        Input::Column(parts) => Some(parts.counts()),
        Input::Number(_) => None,
    });
    let counts: Vec<_> = counts.collect();
    if job.moves_values() && counts.iter().any(|counts| counts.len() > 1) {
        let found = counts.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let (name, limit) = ("number of ciphertexts of a column whose rows are compared", 1);
        return Err(Error::TooLarge { name, value: found, limit });
    }
    if matches!(job, Operation::Concatenate) {
        return Ok(vec![counts.iter().flatten().sum()]);
    }
    if let Some(other) = counts.iter().find(|other| **other != counts[0]) {
        let sum = |counts: &[usize]| counts.iter().sum::<usize>();
        return Err(Error::mismatch("number of values", sum(other), sum(&counts[0])));
    }
    Ok(counts.into_iter().next().unwrap_or_default())
}
