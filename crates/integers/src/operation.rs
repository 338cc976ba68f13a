//! Operations on columns whose kind is known at run time, both planned and executed.

use std::borrow::Cow;

use cryptable_lattice::error::{Error, Result};

use crate::any_column::AnyColumn;
use crate::columns::{BooleanColumn, IntegerColumn};
use crate::digit_arithmetic::{DigitArithmetic, LookupModel, Places};
use crate::dry_run::{DryRun, Outline};
use crate::evaluator::Evaluator;
use crate::integer::{AnyInteger, ColumnKind};
use crate::largest::Maximum;
use crate::piecewise_linear::Piece;
use crate::serialization::Column as _;

/// An operation on columns of any kind, with all its public operands, for programs that choose operations at run time.
///
/// ```
/// use cryptable_integers::{
///     AnyColumn, ColumnKind, Evaluator, Operand, Operation, decrypt_words, encrypt_words, insecure_packed_toy,
/// };
/// use cryptable_packed::{Progress, SecretKey};
/// let parameters = insecure_packed_toy(2, 1024)?;
/// let kind = ColumnKind::of::<u8>();
/// let sum = Operation::by_name("add").expect("an operation of this name");
/// assert!(sum.planned_lookups(&parameters, 3, &[kind.into(), 7.into()])?.is_empty());
///
/// let secret = SecretKey::generate(&parameters);
/// let x = AnyColumn::from(encrypt_words(&secret, kind, &[200, 3, 77])?);
/// let key = secret.evaluation_key(Progress::silent())?;
/// let server = Evaluator::new(&key)?;
/// let results = sum.apply(&server, &[Operand::Column(&x), Operand::Number(100)])?;
/// let [AnyColumn::Integers(sums)] = &results[..] else { panic!("a column of integers") };
/// assert_eq!(decrypt_words(&secret, sums)?, [44, 103, 177]);
/// # Ok::<(), cryptable_packed::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Operation {
    /// x + y.
    Add,
    /// x - y.
    Sub,
    /// x·y.
    Mul,
    /// The smaller of x and y.
    Min,
    /// The larger of x and y.
    Max,
    /// The smaller and the larger of x and y.
    MinMax,
    /// x < y.
    Less,
    /// x <= y.
    LessOrEqual,
    /// x = y.
    Equal,
    /// x where a condition, the first operand, is true, and y elsewhere.
    Select,
    /// -x.
    Negate,
    /// x with carries propagated.
    Reduce,
    /// x and y, for booleans.
    And,
    /// x or y, for booleans.
    Or,
    /// x or y, but not both, for booleans.
    Xor,
    /// Not x, for booleans.
    Not,
    /// `x << amount`, or 0 if the amount is at least the number of bits of x.
    ShiftLeft,
    /// `x >> amount`, or 0 if the amount is at least the number of bits of x, or -1 for negative integers.
    ShiftRight,
    /// x rotated to the more significant bits, by the amount modulo the number of its bits.
    RotateLeft,
    /// x rotated to the less significant bits, by the amount modulo the number of its bits.
    RotateRight,
    /// Converts x to another kind of integers, modulo their size; booleans become 0 and 1.
    Cast(ColumnKind),
    /// x < t, for each of these numbers.
    LessThanEach(Vec<i128>),
    /// A piecewise linear function, modulo the size of the results' kind.
    Piecewise(Vec<Piece<i128>>, ColumnKind),
    /// A table of the low bits of x. Its length is a power of two and determines the number of bits; outputs are words
    /// of the results' kind.
    Table(Vec<u64>, ColumnKind),
    /// The sum of a number for every value of every digit. For the most significant digit of signed integers, numbers
    /// for values below 0 come after the others.
    MapDigits(Vec<Vec<i64>>, ColumnKind),
    /// The values of x, then those of y.
    Concatenate,
    /// Merges a rising and a falling column to the smaller half and the larger half.
    Merge,
    /// Sorts a column that rises and then falls.
    BitonicMerge,
    /// Sorts any column.
    Sort,
    /// Whether a value is at least the k-th largest one, for this k, and the k-th largest value.
    Largest(u64),
    /// The number of the first row with the largest value, the value, and whether it is that row.
    Argmax,
}

/// An operand: a column, or a public number in its place.
#[derive(Debug)]
pub enum Operand<'a, C> {
    /// An encrypted column.
    Column(&'a AnyColumn<C>),
    /// A public number.
    Number(i128),
}

/// An operand of a planned operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlannedOperand {
    /// A fresh column.
    Column(ColumnKind),
    /// A public number.
    Number(i128),
}

impl From<ColumnKind> for PlannedOperand {
    fn from(kind: ColumnKind) -> Self {
        Self::Column(kind)
    }
}

impl From<i128> for PlannedOperand {
    fn from(number: i128) -> Self {
        Self::Number(number)
    }
}

type Integers<C> = IntegerColumn<AnyInteger, C>;
type Results<C> = Result<Vec<AnyColumn<C>>>;

impl Operation {
    /// Returns the operation with a name, among those without further parameters: `add`, `sub`, `mul`, `min`, `max`,
    /// `min_max`, `less`, `less_or_equal`, `equal`, `select`, `negate`, `reduce`, `and`, `or`, `xor`, `not`,
    /// `shift_left`, `shift_right`, `rotate_left`, `rotate_right`, `concatenate`, `merge`, `bitonic_merge`, `sort`,
    /// `argmax`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
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
            "sort" => Self::Sort,
            "argmax" => Self::Argmax,
            _ => return None,
        })
    }

    /// Returns whether values change their places, or results depend on the values of all places. This requires packed
    /// values, and [`Operation::apply_moving`].
    #[must_use]
    pub fn moves_values(&self) -> bool {
        use Operation as Op;
        matches!(
            self,
            Op::Concatenate | Op::Merge | Op::BitonicMerge | Op::Sort | Op::Largest(_) | Op::Argmax
        )
    }

    /// Applies the operation and returns all its results. A result that is the same for all values, such as `x < 0` for
    /// unsigned x, is a ciphertext like all others: it can be decrypted, stored and used as an operand.
    ///
    /// # Errors
    /// If operands are missing or have other kinds, or a number is out of range; [`Error::UnsupportedOperation`] if
    /// values would change places; also the errors of the evaluator.
    pub fn apply<E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        operands: &[Operand<'_, E::Ciphertext>],
    ) -> Results<E::Ciphertext> {
        let results = self.results(server, operands)?;
        let like = operands.iter().find_map(|operand| match operand {
            Operand::Column(column) => column.parts().first_ciphertext(),
            Operand::Number(_) => None,
        });
        match like {
            Some(like) => results.into_iter().map(|found| server.encrypted(found, like)).collect(),
            None => Ok(results),
        }
    }

    /// Results, which may be public.
    fn results<E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        operands: &[Operand<'_, E::Ciphertext>],
    ) -> Results<E::Ciphertext> {
        let kind = kind_of(operands);
        let integers = |index| integers(server, operands, index, kind);
        let booleans = |index| booleans(operands, index);
        let one = |column: Integers<E::Ciphertext>| Ok(vec![column.into()]);
        let flags = |column: BooleanColumn<E::Ciphertext>| Ok(vec![column.into()]);
        match self {
            Self::Add => one(server.add(&*integers(0)?, &*integers(1)?)?),
            Self::Sub => one(server.sub(&*integers(0)?, &*integers(1)?)?),
            Self::Mul => one(server.mul(&*integers(0)?, &*integers(1)?)?),
            Self::Min => one(server.min(&*integers(0)?, &*integers(1)?)?),
            Self::Max => one(server.max(&*integers(0)?, &*integers(1)?)?),
            Self::MinMax => {
                Ok(server.min_max(&*integers(0)?, &*integers(1)?)?.map(AnyColumn::from).into())
            }
            Self::Less => flags(server.lt(&*integers(0)?, &*integers(1)?)?),
            Self::LessOrEqual => flags(server.le(&*integers(0)?, &*integers(1)?)?),
            Self::Equal => flags(server.eq(&*integers(0)?, &*integers(1)?)?),
            Self::Select => one(server.select(booleans(0)?, &*integers(1)?, &*integers(2)?)?),
            Self::Negate => one(server.negate(&*integers(0)?)?),
            Self::Reduce => one(server.reduce(&*integers(0)?)?),
            Self::And => flags(server.and(booleans(0)?, booleans(1)?)?),
            Self::Or => flags(server.or(booleans(0)?, booleans(1)?)?),
            Self::Xor => flags(server.xor(booleans(0)?, booleans(1)?)?),
            Self::Not => flags(server.not(booleans(0)?)?),
            Self::ShiftLeft | Self::ShiftRight | Self::RotateLeft | Self::RotateRight => {
                one(self.shift(server, &*integers(0)?, operand(operands, 1)?)?)
            }
            Self::Cast(to) => {
                to.check_integers()?;
                one(match operand(operands, 0)? {
                    Operand::Column(AnyColumn::Booleans(column)) => server.ones(*to, column),
                    _ => server.cast_to(&*integers(0)?, *to)?,
                })
            }
            Self::LessThanEach(thresholds) => {
                let thresholds = thresholds.iter().map(|&number| kind.word(number));
                let thresholds = thresholds.collect::<Result<Vec<_>>>()?;
                let found = server.below(&*integers(0)?, &thresholds, &i64::from)?;
                Ok(found.into_iter().map(|flag| BooleanColumn::new(flag).into()).collect())
            }
            Self::Piecewise(..) | Self::Table(..) | Self::MapDigits(..) => {
                one(self.function(server, &*integers(0)?)?)
            }
            Self::Concatenate
            | Self::Merge
            | Self::BitonicMerge
            | Self::Sort
            | Self::Largest(_)
            | Self::Argmax => Err(no_places()),
        }
    }

    /// [`Operation::apply`] on values that have places, for all operations.
    ///
    /// # Errors
    /// The errors of [`Operation::apply`].
    pub fn apply_moving<E: Places>(
        &self,
        server: &Evaluator<'_, E>,
        operands: &[Operand<'_, E::Ciphertext>],
    ) -> Results<E::Ciphertext> {
        let kind = kind_of(operands);
        let integers = |index| integers(server, operands, index, kind);
        match self {
            Self::Concatenate => {
                Ok(vec![server.concatenate(&*integers(0)?, &*integers(1)?)?.into()])
            }
            Self::Merge => {
                Ok(server.merge(&*integers(0)?, &*integers(1)?)?.map(AnyColumn::from).into())
            }
            Self::BitonicMerge => Ok(vec![server.bitonic_merge(&*integers(0)?)?.into()]),
            Self::Sort => Ok(vec![server.sort(&*integers(0)?)?.into()]),
            Self::Largest(count) => {
                let (selected, least) = server.largest(&*integers(0)?, *count)?;
                Ok(vec![selected.into(), least.into()])
            }
            Self::Argmax => {
                let Maximum { row, value, is_there } = server.argmax(&*integers(0)?)?;
                Ok(vec![row.into(), value.into(), is_there.into()])
            }
            _ => self.apply(server, operands),
        }
    }

    fn shift<E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        x: &Integers<E::Ciphertext>,
        amount: &Operand<'_, E::Ciphertext>,
    ) -> Result<Integers<E::Ciphertext>> {
        let bits = x.kind().bits();
        let amount = match amount {
            Operand::Number(amount) => {
                let amount = ColumnKind::of::<u64>().word(*amount)?;
                // Rotations to the other side use the rest of the bits.
                let (rest, amount) =
                    ((amount % u64::from(bits)) as u32, amount.min(bits.into()) as u32);
                return match self {
                    Self::ShiftLeft => server.shl(x, amount),
                    Self::ShiftRight => server.shr(x, amount),
                    Self::RotateLeft => server.rotate_left(x, rest),
                    _ => server.rotate_left(x, bits - rest),
                };
            }
            Operand::Column(AnyColumn::Integers(column)) => column,
            Operand::Column(other) => {
                return Err(Error::mismatch("amount", other.kind(), "integers"));
            }
        };
        match self {
            Self::ShiftLeft => server.shl_by(x, amount),
            Self::ShiftRight => server.shr_by(x, amount),
            Self::RotateLeft => server.rotate_left_by(x, amount),
            _ => server.rotate_right_by(x, amount),
        }
    }

    /// Applies a function of one column with results of a kind of their own.
    fn function<E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        x: &Integers<E::Ciphertext>,
    ) -> Result<Integers<E::Ciphertext>> {
        match self {
            Self::Piecewise(pieces, to) => {
                to.check_integers()?;
                pieces.iter().try_for_each(|piece| x.kind().word(piece.start).map(drop))?;
                server.piecewise_linear_to(x, *to, pieces)
            }
            Self::MapDigits(tables, to) => {
                to.check_integers()?;
                server.map_digits_to(x, *to, &|index, digit| {
                    let table = tables.get(index).map_or(&[][..], Vec::as_slice);
                    // The most significant digit of signed integers contains the sign.
                    let place = if digit < 0 { digit + table.len() as i64 } else { digit };
                    table.get(place as usize).copied().unwrap_or_default().into()
                })
            }
            Self::Table(outputs, to) => {
                to.check_integers()?;
                check_table(outputs)?;
                let bits = outputs.len().ilog2();
                server.lookup_tree_to(x, *to, bits, &|value| to.truncated(outputs[value as usize]))
            }
            _ => unreachable!("functions are called for operations that have one"),
        }
    }

    /// Lists the tables of every lookup that the operation needs on fresh operands of `count` values, by a dry run.
    ///
    /// # Errors
    /// The errors of [`Operation::apply_moving`].
    pub fn planned_lookups(
        &self,
        model: &(dyn LookupModel + Sync),
        count: usize,
        operands: &[PlannedOperand],
    ) -> Result<Vec<usize>> {
        let dry_run = DryRun::new(model, count);
        self.dry_run(&dry_run, operands)?;
        Ok(dry_run.lookups())
    }

    /// Runs the operation without ciphertexts, on fresh operands; returns its results.
    ///
    /// # Errors
    /// The errors of [`Operation::apply_moving`].
    pub fn dry_run(&self, dry_run: &DryRun<'_>, operands: &[PlannedOperand]) -> Results<Outline> {
        if self.moves_values() && dry_run.model().places().is_none() {
            return Err(no_places());
        }
        let server = Evaluator::new(dry_run)?;
        let fresh = |operand: &PlannedOperand| -> Result<Option<AnyColumn<Outline>>> {
            Ok(match *operand {
                PlannedOperand::Column(ColumnKind::BOOLEANS) => {
                    Some(dry_run.fresh_booleans().into())
                }
                PlannedOperand::Column(kind) => {
                    kind.check_integers()?;
                    let column: Integers<Outline> =
                        dry_run.fresh_column(kind, server.digit_bits(), dry_run.count());
                    Some(column.into())
                }
                PlannedOperand::Number(_) => None,
            })
        };
        let columns = operands.iter().map(fresh).collect::<Result<Vec<_>>>()?;
        let operand = |(column, operand): (_, &PlannedOperand)| match (column, *operand) {
            (Some(column), _) => Operand::Column(column),
            (None, PlannedOperand::Number(number)) => Operand::Number(number),
            (None, PlannedOperand::Column(_)) => unreachable!("columns are fresh ones"),
        };
        let operands: Vec<_> =
            columns.iter().map(Option::as_ref).zip(operands).map(operand).collect();
        self.apply_moving(&server, &operands)
    }
}

/// The kind of integers on which an operation works: that of the first column of integers.
fn kind_of<C>(operands: &[Operand<'_, C>]) -> ColumnKind {
    let found = operands.iter().find_map(|operand| match operand {
        Operand::Column(AnyColumn::Integers(column)) => Some(column.kind()),
        _ => None,
    });
    found.unwrap_or(ColumnKind::of::<u8>())
}

/// The error of an operation on rows, for an engine with a single value per ciphertext.
fn no_places() -> Error {
    Error::UnsupportedOperation {
        engine: "single",
        operation: "merge, sort or search columns",
        reason: "single values have no places",
    }
}

fn check_table(outputs: &[u64]) -> Result<()> {
    if outputs.len().is_power_of_two() && outputs.len() > 1 {
        return Ok(());
    }
    let limit = "it must be a power of two from 2 on".into();
    Err(Error::Parameter { name: "number of outputs", value: outputs.len() as f64, limit })
}

fn operand<'a, 'b, C>(operands: &'b [Operand<'a, C>], index: usize) -> Result<&'b Operand<'a, C>> {
    let (value, limit) = (operands.len() as u64, index as u64 + 1);
    operands.get(index).ok_or(Error::TooSmall { name: "number of operands", value, limit })
}

fn integers<'a, E: DigitArithmetic>(
    server: &Evaluator<'_, E>,
    operands: &'a [Operand<'_, E::Ciphertext>],
    index: usize,
    kind: ColumnKind,
) -> Result<Cow<'a, Integers<E::Ciphertext>>> {
    match operand(operands, index)? {
        Operand::Number(number) => Ok(Cow::Owned(server.public(kind, kind.word(*number)?))),
        Operand::Column(AnyColumn::Integers(column)) => Ok(Cow::Borrowed(column)),
        Operand::Column(other) => Err(Error::mismatch("column", other.kind(), kind)),
    }
}

fn booleans<'b, C>(operands: &'b [Operand<'_, C>], index: usize) -> Result<&'b BooleanColumn<C>> {
    match operand(operands, index)? {
        Operand::Column(AnyColumn::Booleans(column)) => Ok(column),
        Operand::Column(AnyColumn::Integers(column)) => {
            Err(Error::mismatch("column", column.kind(), ColumnKind::BOOLEANS))
        }
        Operand::Number(number) => {
            Err(Error::mismatch("operand", number, "an encrypted column of booleans"))
        }
    }
}
