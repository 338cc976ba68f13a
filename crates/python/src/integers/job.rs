//! An operation on columns, for any engine and integer type: the same when it is planned and when it runs.

use std::borrow::Cow;

use cryptable::integers::{
    ColumnKind, DigitArithmetic, DryRun, Evaluator, Integer, IntegerColumn, LookupModel, Piece,
    Places,
};
use cryptable::{Error, Result};

use super::typed::{Kind, TypedColumn, cast, fresh, with_integer};

/// A piece of a function: where it starts, its slope, and its value at 0 if it is not to continue the one before.
pub(crate) type PieceNumbers = (i128, i64, Option<i128>);

/// What is computed.
#[derive(Clone, Debug)]
pub(crate) enum Job {
    Add,
    Sub,
    Mul,
    Min,
    Max,
    MinMax,
    Less,
    LessOrEqual,
    Equal,
    Select,
    Negate,
    Reduce,
    And,
    Or,
    Xor,
    Not,
    ShiftLeft,
    ShiftRight,
    RotateLeft,
    RotateRight,
    /// To another kind of integers.
    Cast(ColumnKind),
    /// Less than each of these numbers.
    Below(Vec<i128>),
    Piecewise(Vec<PieceNumbers>, ColumnKind),
    /// A table of the low bits, as many as its length has.
    Table(Vec<u64>, ColumnKind),
    /// A number for every value of every digit, summed.
    MapDigits(Vec<Vec<i64>>, ColumnKind),
    Concatenate,
    Merge,
    BitonicMerge,
}

/// An operand: a part of a column, or a public number.
#[derive(Debug)]
pub(crate) enum Operand<'a, C> {
    Column(&'a TypedColumn<C>),
    Number(i128),
}

type Results<C> = Result<Vec<TypedColumn<C>>>;

impl Job {
    /// The operation of a name that takes nothing but operands.
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Self::Add,
            "sub" => Self::Sub,
            "mul" => Self::Mul,
            "min" => Self::Min,
            "max" => Self::Max,
            "min_max" => Self::MinMax,
            "less" => Self::Less,
            "less_or_equal" => Self::LessOrEqual,
            "equal" => Self::Equal,
            "select" => Self::Select,
            "negate" => Self::Negate,
            "reduce" => Self::Reduce,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "not" => Self::Not,
            "shift_left" => Self::ShiftLeft,
            "shift_right" => Self::ShiftRight,
            "rotate_left" => Self::RotateLeft,
            "rotate_right" => Self::RotateRight,
            "concatenate" => Self::Concatenate,
            "merge" => Self::Merge,
            "bitonic_merge" => Self::BitonicMerge,
            _ => return None,
        })
    }

    /// Whether values change their places.
    pub(crate) fn moves_values(&self) -> bool {
        matches!(self, Self::Concatenate | Self::Merge | Self::BitonicMerge)
    }

    /// The operation on operands that are integers of a type, but for conditions and amounts.
    ///
    /// # Errors
    /// If operands are too few or of other types, a number is out of range; whatever keeps the evaluator from its work.
    pub(crate) fn apply<T: Kind, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        operands: &[Operand<'_, E::Ciphertext>],
    ) -> Results<E::Ciphertext> {
        let integers = |index| integers::<T, E>(server, operands, index);
        let booleans = |index| booleans(operands, index);
        let one = |column| Ok(vec![T::wrap(column)]);
        let flags = |column| Ok(vec![TypedColumn::Booleans(column)]);
        match self {
            Self::Add => one(server.add(&*integers(0)?, &*integers(1)?)?),
            Self::Sub => one(server.sub(&*integers(0)?, &*integers(1)?)?),
            Self::Mul => one(server.mul(&*integers(0)?, &*integers(1)?)?),
            Self::Min => one(server.min(&*integers(0)?, &*integers(1)?)?),
            Self::Max => one(server.max(&*integers(0)?, &*integers(1)?)?),
            Self::MinMax => Ok(server.min_max(&*integers(0)?, &*integers(1)?)?.map(T::wrap).into()),
            Self::Less => flags(server.lt(&*integers(0)?, &*integers(1)?)?),
            Self::LessOrEqual => flags(server.le(&*integers(0)?, &*integers(1)?)?),
            Self::Equal => flags(server.eq(&*integers(0)?, &*integers(1)?)?),
            Self::Select => one(server.select(booleans(0)?, &*integers(1)?, &*integers(2)?)?),
            Self::Negate => one(server.neg(&*integers(0)?)?),
            Self::Reduce => one(server.reduce(&*integers(0)?)?),
            Self::And => flags(server.and(booleans(0)?, booleans(1)?)?),
            Self::Or => flags(server.or(booleans(0)?, booleans(1)?)?),
            Self::Xor => flags(server.xor(booleans(0)?, booleans(1)?)?),
            Self::Not => flags(server.not(booleans(0)?)?),
            Self::ShiftLeft | Self::ShiftRight | Self::RotateLeft | Self::RotateRight => {
                one(self.shift(server, &*integers(0)?, operand(operands, 1)?)?)
            }
            Self::Cast(to) => Ok(vec![match operand(operands, 0)? {
                Operand::Column(TypedColumn::Booleans(column)) => with_integer!(*to, U => {
                    Ok(U::wrap(server.to_integers::<U>(column)))
                })?,
                _ => cast(server, &*integers(0)?, *to)?,
            }]),
            Self::Below(thresholds) => {
                let thresholds = thresholds.iter().map(|&number| checked::<T>(number));
                let thresholds = thresholds.collect::<Result<Vec<_>>>()?;
                let found = server.lt_constants(&*integers(0)?, &thresholds)?;
                Ok(found.into_iter().map(TypedColumn::Booleans).collect())
            }
            Self::Piecewise(_, to) | Self::Table(_, to) | Self::MapDigits(_, to) => {
                let x = &*integers(0)?;
                Ok(vec![with_integer!(*to, U => {
                    let found = self.function::<T, <U as Kind>::Unsigned, E>(server, x)?;
                    Ok(U::wrap(server.cast::<_, U>(&found)?))
                })?])
            }
            Self::Concatenate | Self::Merge | Self::BitonicMerge => {
                Err(Error::UnsupportedOperation {
                    engine: "single",
                    operation: "merge columns",
                    reason: "single values have no places",
                })
            }
        }
    }

    /// [`Job::apply`] of operations that move values.
    ///
    /// # Errors
    /// As there.
    pub(crate) fn apply_moving<T: Kind, E: Places>(
        &self,
        server: &Evaluator<'_, E>,
        operands: &[Operand<'_, E::Ciphertext>],
    ) -> Results<E::Ciphertext> {
        let integers = |index| integers::<T, E>(server, operands, index);
        match self {
            Self::Concatenate => {
                Ok(vec![T::wrap(server.concatenate(&*integers(0)?, &*integers(1)?)?)])
            }
            Self::Merge => Ok(server.merge(&*integers(0)?, &*integers(1)?)?.map(T::wrap).into()),
            Self::BitonicMerge => Ok(vec![T::wrap(server.bitonic_merge(&*integers(0)?)?)]),
            _ => self.apply::<T, E>(server, operands),
        }
    }

    fn shift<T: Kind, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: &Operand<'_, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        let amount = match amount {
            Operand::Number(amount) => {
                // Rotations to the other side are by what is left of the bits.
                let amount = checked::<u8>(*amount)?.into();
                return match self {
                    Self::ShiftLeft => server.shl(x, amount),
                    Self::ShiftRight => server.shr(x, amount),
                    Self::RotateLeft => server.rotate_left(x, amount),
                    _ => server.rotate_left(x, T::BITS - amount % T::BITS),
                };
            }
            Operand::Column(column) => {
                let low = ColumnKind::of::<u8>();
                with_integer!(column.kind(), A => cast(server, column.integers::<A>()?, low))?
            }
        };
        let amount = amount.integers::<u8>()?;
        match self {
            Self::ShiftLeft => server.shl_by(x, amount),
            Self::ShiftRight => server.shr_by(x, amount),
            Self::RotateLeft => server.rotate_left_by(x, amount),
            _ => server.rotate_right_by(x, amount),
        }
    }

    fn function<T: Kind, U: Kind, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<U, E::Ciphertext>> {
        match self {
            Self::Piecewise(pieces, _) => server.piecewise_linear(x, &of_pieces::<T>(pieces)?),
            Self::MapDigits(tables, _) => {
                server.map_digits(x, |index, digit| {
                    let table = tables.get(index).map_or(&[][..], Vec::as_slice);
                    // The most significant digit of signed integers has the sign.
                    let place = if digit < 0 { digit + table.len() as i64 } else { digit };
                    table.get(place as usize).copied().unwrap_or_default().into()
                })
            }
            Self::Table(outputs, _) => {
                let bits = outputs.len().ilog2();
                server.lookup_tree(x, bits, |value| U::from_word(outputs[value as usize]))
            }
            _ => unreachable!("functions are called for jobs that have one"),
        }
    }
}

/// Lookups that a job takes on fresh operands of these kinds: by a dry run.
///
/// # Errors
/// As [`Job::apply`].
pub(crate) fn planned_lookups(
    job: &Job,
    model: &(dyn LookupModel + Sync),
    (kind, count): (ColumnKind, usize),
    operands: &[Planned],
) -> Result<Vec<usize>> {
    let dry_run = DryRun::new(model, count);
    dry_run_of(job, &dry_run, kind, operands)?;
    Ok(dry_run.lookups())
}

/// An operand before it exists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Planned {
    Column(ColumnKind),
    Number(i128),
}

/// Runs a job without ciphertexts.
///
/// # Errors
/// As [`Job::apply`].
pub(crate) fn dry_run_of(
    job: &Job,
    dry_run: &DryRun<'_>,
    kind: ColumnKind,
    operands: &[Planned],
) -> Result<()> {
    let server = Evaluator::new(dry_run)?;
    let columns = operands.iter().map(|operand| match operand {
        Planned::Column(kind) => Ok(Some(fresh(*kind, dry_run, &server)?)),
        Planned::Number(_) => Ok(None),
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let operands: Vec<_> = (columns.iter().zip(operands))
        .map(|(column, operand)| match (column, operand) {
            (Some(column), _) => Operand::Column(column),
            (None, Planned::Number(number)) => Operand::Number(*number),
            (None, Planned::Column(_)) => unreachable!("columns are fresh ones"),
        })
        .collect();
    with_integer!(kind, T => job.apply_moving::<T, _>(&server, &operands)).map(drop)
}

fn of_pieces<T: Kind>(pieces: &[PieceNumbers]) -> Result<Vec<Piece<T>>> {
    if pieces.iter().all(|(.., intercept)| intercept.is_none()) {
        let slopes = pieces.iter().map(|&(start, slope, _)| Ok((checked::<T>(start)?, slope)));
        return Ok(Piece::continuous(&slopes.collect::<Result<Vec<_>>>()?));
    }
    let piece = |&(start, slope, intercept): &PieceNumbers| {
        let missing = || Error::mismatch("piece", "one without a value at 0", "all with one");
        Ok(Piece { start: checked::<T>(start)?, slope, intercept: intercept.ok_or_else(missing)? })
    };
    pieces.iter().map(piece).collect()
}

/// A number as an integer of a type.
///
/// # Errors
/// If it is none.
fn checked<T: Integer>(number: i128) -> Result<T> {
    let found = T::from_word(number as u64);
    if found.to_i128() == number {
        return Ok(found);
    }
    let limit = format!("it must be one of {}", ColumnKind::of::<T>());
    Err(Error::Parameter { name: "integer", value: number as f64, limit })
}

fn operand<'a, 'b, C>(operands: &'b [Operand<'a, C>], index: usize) -> Result<&'b Operand<'a, C>> {
    let (value, limit) = (operands.len() as u64, index as u64 + 1);
    operands.get(index).ok_or(Error::TooSmall { name: "number of operands", value, limit })
}

fn integers<'a, T: Kind, E: DigitArithmetic>(
    server: &Evaluator<'_, E>,
    operands: &'a [Operand<'_, E::Ciphertext>],
    index: usize,
) -> Result<Cow<'a, IntegerColumn<T, E::Ciphertext>>> {
    Ok(match operand(operands, index)? {
        Operand::Number(number) => Cow::Owned(server.constant(checked::<T>(*number)?)),
        Operand::Column(column) => Cow::Borrowed(column.integers::<T>()?),
    })
}

fn booleans<'a, C>(
    operands: &'a [Operand<'_, C>],
    index: usize,
) -> Result<&'a cryptable::integers::BooleanColumn<C>> {
    match operand(operands, index)? {
        Operand::Number(number) => {
            Err(Error::mismatch("operand", number, "an encrypted column of booleans"))
        }
        Operand::Column(column) => column.booleans(),
    }
}
