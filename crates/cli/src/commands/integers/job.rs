//! The computation of `integers`: an operation of the library on the operands that the arguments name.

use anyhow::{Context, Result, ensure};
use cryptable::engines::{packed, single};
use cryptable::integers::{
    AnyColumn, ColumnKind, DigitArithmetic, DryRun, Evaluator, Operand, Operation, Outline, Piece,
};

use super::with_integer;
use crate::args::integers::{IntegerOperation, IntegersArgs};

/// An operation on columns of one kind, with everything that is public. Planning and running use the same job.
#[derive(Clone, Debug)]
pub struct Job {
    operation: Operation,
    /// The last operand, if it is public.
    constant: Option<i128>,
    /// Whether carries are left unpropagated.
    is_lazy: bool,
}

/// Public data beside the operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Public<'a> {
    /// The last operand.
    pub constant: Option<i128>,
    /// Start of each piece, and the slope of the function from there on.
    pub pieces: &'a [(i128, i64)],
    /// Number of largest integers.
    pub count: Option<u64>,
    /// Whether results of pieces have 64 bits.
    pub wide: bool,
    /// Whether carries are left unpropagated.
    pub lazy: bool,
}

/// The kinds of operands that operations need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Two,
    Selection,
    Shift,
    Pieces,
    Rows,
}

impl Shape {
    fn of(operation: IntegerOperation) -> Self {
        use IntegerOperation as Op;
        match operation {
            Op::Select => Self::Selection,
            Op::Shl | Op::Shr | Op::Rotate => Self::Shift,
            Op::Piecewise => Self::Pieces,
            Op::Largest | Op::Argmax | Op::Sort => Self::Rows,
            _ => Self::Two,
        }
    }
}

/// Checks that the arguments name the operands that an operation needs, and no others.
///
/// # Errors
/// If one is missing or superfluous; the error names it.
pub fn check_operands(args: &IntegersArgs) -> Result<()> {
    let (name, shape) = (args.op.name(), Shape::of(args.op));
    let constants = usize::from(args.constant.is_some());
    let found = args.inputs.len() + constants;
    let is_shift = shape == Shape::Shift;
    match shape {
        Shape::Two | Shape::Selection => {
            let rule = "two operands: --input twice, or --input and --constant";
            ensure!(found == 2, "{name} takes {rule}");
        }
        Shape::Shift => {
            let amounts = constants + usize::from(args.amount.is_some());
            let rule = "one --input, and --amount or --constant";
            ensure!(args.inputs.len() == 1 && amounts == 1, "{name} takes {rule}");
        }
        Shape::Pieces | Shape::Rows => {
            ensure!(found == 1 && constants == 0, "{name} takes one --input");
        }
    }
    let is_largest = args.op == IntegerOperation::Largest;
    let has_value = is_largest || args.op == IntegerOperation::Argmax;
    let options = [
        ("--count", args.count.is_some(), is_largest, true),
        ("--value", args.value.is_some(), has_value, false),
        ("--condition", args.condition.is_some(), shape == Shape::Selection, true),
        ("--amount", args.amount.is_some(), is_shift, false),
        ("--pieces", args.pieces.is_some(), shape == Shape::Pieces, true),
        ("--wide", args.wide, shape == Shape::Pieces, false),
    ];
    for (option, is_given, is_relevant, is_needed) in options {
        ensure!(!is_given || is_relevant, "{option} is not for {name}");
        ensure!(is_given || !(is_relevant && is_needed), "{name} takes {option}");
    }
    Ok(())
}

impl Job {
    /// Creates the job for integers of one kind.
    pub fn new(operation: IntegerOperation, kind: ColumnKind, public: Public<'_>) -> Result<Self> {
        use IntegerOperation as Op;
        let is_shift = Shape::of(operation) == Shape::Shift;
        match public.constant {
            Some(amount) if is_shift => ensure!(
                u64::try_from(amount).is_ok(),
                "--constant {amount}: integers are shifted by 0 to {} bits",
                u64::MAX
            ),
            Some(number) => check_number("--constant", number, kind)?,
            None => {}
        }
        let operation = match operation {
            Op::Add => Operation::Add,
            Op::Sub => Operation::Sub,
            Op::Mul => Operation::Mul,
            Op::Min => Operation::Min,
            Op::Max => Operation::Max,
            Op::Lt => Operation::Less,
            Op::Le => Operation::LessOrEqual,
            Op::Eq => Operation::Equal,
            Op::Select => Operation::Select,
            Op::Shl => Operation::ShiftLeft,
            Op::Shr => Operation::ShiftRight,
            Op::Rotate => Operation::RotateLeft,
            Op::Piecewise => {
                for &(start, _) in public.pieces {
                    check_number("start of a piece", start, kind)?;
                }
                let bits = if public.wide { 64 } else { kind.bits() };
                let to = ColumnKind::new(bits, kind.is_signed())?;
                Operation::Piecewise(Piece::continuous(public.pieces), to)
            }
            Op::Largest => Operation::Largest(public.count.context("largest takes --count")?),
            Op::Argmax => Operation::Argmax,
            Op::Sort => Operation::Sort,
        };
        Ok(Self { operation, constant: public.constant, is_lazy: public.lazy })
    }

    /// Runs the operation on encrypted operands: its result, or as many as it has. The condition of a selection comes first,
    /// amounts come last.
    pub fn apply<E: Computing>(
        &self,
        server: &Evaluator<'_, E>,
        columns: &[AnyColumn<E::Ciphertext>],
    ) -> Result<Vec<AnyColumn<E::Ciphertext>>> {
        let constant = self.constant.map(Operand::Number);
        let operands: Vec<_> = columns.iter().map(Operand::Column).chain(constant).collect();
        let results = E::apply(&self.operation, server, &operands)?.into_iter();
        let reduced = |result| match result {
            AnyColumn::Integers(found) if !self.is_lazy => Ok(server.reduce(&found)?.into()),
            found => Ok(found),
        };
        results.map(reduced).collect()
    }

    /// Checks that a column has one ciphertext per digit, if results depend on the values of all rows.
    pub fn check_parts(&self, parts: usize) -> Result<()> {
        let is_one = parts == 1 || !self.operation.moves_values();
        ensure!(is_one, "a column of {parts} ciphertexts: rows of one ciphertext can be compared");
        Ok(())
    }
}

/// An engine, with the operations that it has.
pub trait Computing: DigitArithmetic + Sized {
    /// Applies an operation.
    fn apply(
        operation: &Operation,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, Self::Ciphertext>],
    ) -> cryptable::Result<Vec<AnyColumn<Self::Ciphertext>>>;
}

/// Which operations engines have: all, or those that leave values at their places.
macro_rules! computing {
    ($engine:ty, $apply:ident) => {
        impl Computing for $engine {
            fn apply(
                operation: &Operation,
                server: &Evaluator<'_, Self>,
                operands: &[Operand<'_, Self::Ciphertext>],
            ) -> cryptable::Result<Vec<AnyColumn<Self::Ciphertext>>> {
                operation.$apply(server, operands)
            }
        }
    };
}

computing!(packed::EvaluationKey, apply_moving);
computing!(single::EvaluationKey, apply);

impl Computing for DryRun<'_> {
    fn apply(
        operation: &Operation,
        server: &Evaluator<'_, Self>,
        operands: &[Operand<'_, Self::Ciphertext>],
    ) -> cryptable::Result<Vec<AnyColumn<Self::Ciphertext>>> {
        match server.engine().model().places() {
            Some(_) => operation.apply_moving(server, operands),
            None => operation.apply(server, operands),
        }
    }
}

/// Returns the kinds of all encrypted operands of an operation on integers of this kind.
pub fn operand_kinds(operation: IntegerOperation, kind: ColumnKind) -> Vec<ColumnKind> {
    match Shape::of(operation) {
        Shape::Two => vec![kind, kind],
        Shape::Selection => vec![ColumnKind::BOOLEANS, kind, kind],
        Shape::Shift => vec![kind, ColumnKind::of::<u8>()],
        Shape::Pieces | Shape::Rows => vec![kind],
    }
}

/// Returns fresh columns of these kinds, for a dry run.
pub fn fresh(
    dry_run: &DryRun<'_>,
    server: &Evaluator<'_, DryRun<'_>>,
    kinds: &[ColumnKind],
) -> Result<Vec<AnyColumn<Outline>>> {
    let column = |&kind: &ColumnKind| match kind {
        ColumnKind::BOOLEANS => Ok(dry_run.fresh_booleans().into()),
        kind => with_integer!(kind, T => Ok(dry_run.fresh::<T>(server).into())),
    };
    kinds.iter().map(column).collect()
}

fn check_number(name: &str, number: i128, kind: ColumnKind) -> Result<()> {
    ensure!(kind.word(number).is_ok(), "{name} {number} is no {kind}");
    Ok(())
}
