//! The computation of `integers`: an operation of the library on the operands that the arguments name.

use anyhow::{Context, Result, ensure};
use clap::ValueEnum as _;
use cryptable::integers::{
    AnyColumn, ColumnKind, DigitArithmetic, DryRun, Evaluator, Operand, Operation, Piece,
    PlannedOperand,
};

use crate::args::common::name_of;
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
    let (name, shape) = (name_of(&args.op), Shape::of(args.op));
    let constants = usize::from(args.constant.is_some());
    let found = args.inputs.len() + constants;
    let is_shift = shape == Shape::Shift;
    match shape {
        Shape::Two | Shape::Selection => {
            let rule = "two operands: --input twice, or --input and --constant";
            ensure!(found == 2, "{name} needs {rule}");
        }
        Shape::Shift => {
            let amounts = constants + usize::from(args.amount.is_some());
            let rule = "one --input, and --amount or --constant";
            ensure!(args.inputs.len() == 1 && amounts == 1, "{name} needs {rule}");
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
        ensure!(is_given || !(is_relevant && is_needed), "{name} needs {option}");
    }
    Ok(())
}

impl Job {
    /// Creates the job that arguments describe, for integers of one kind. `pieces` are the contents of the file that they name.
    pub fn new(args: &IntegersArgs, kind: ColumnKind, pieces: &[(i128, i64)]) -> Result<Self> {
        use IntegerOperation as Op;
        match args.constant {
            Some(amount) if Shape::of(args.op) == Shape::Shift => ensure!(
                u64::try_from(amount).is_ok(),
                "--constant {amount}: integers are shifted by 0 to {} bits",
                u64::MAX
            ),
            Some(number) => check_number("--constant", number, kind)?,
            None => {}
        }
        let operation = match args.op {
            Op::Piecewise => {
                for &(start, _) in pieces {
                    check_number("start of a piece", start, kind)?;
                }
                let bits = if args.wide { 64 } else { kind.bits() };
                let to = ColumnKind::new(bits, kind.is_signed())?;
                Operation::Piecewise(Piece::continuous(pieces), to)
            }
            Op::Largest => Operation::Largest(args.count.context("largest needs --count")?),
            // The library finds all others by the name used here, or by its alias.
            op => {
                let value = op.to_possible_value();
                let mut names = value.iter().flat_map(|value| value.get_name_and_aliases());
                names.find_map(Operation::by_name).context("an operation of the library")?
            }
        };
        Ok(Self { operation, constant: args.constant, is_lazy: args.lazy })
    }

    /// Runs the operation on encrypted operands, as the engine applies it, and returns all of its results. The condition of a
    /// selection comes first, amounts come last.
    pub fn run<E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        columns: &[AnyColumn<E::Ciphertext>],
        apply: Apply<E>,
    ) -> Result<Vec<AnyColumn<E::Ciphertext>>> {
        let constant = self.constant.map(Operand::Number);
        let operands: Vec<_> = columns.iter().map(Operand::Column).chain(constant).collect();
        self.reduced(server, apply(&self.operation, server, &operands)?)
    }

    /// Lists the tables of every lookup on fresh operands of these kinds, by a dry run.
    pub fn planned_lookups(
        &self,
        dry_run: &DryRun<'_>,
        kinds: &[ColumnKind],
    ) -> Result<Vec<usize>> {
        let constant = self.constant.map(PlannedOperand::Number);
        let operands = kinds.iter().copied().map(PlannedOperand::Column).chain(constant);
        let operands: Vec<_> = operands.collect();
        self.reduced(&Evaluator::new(dry_run)?, self.operation.dry_run(dry_run, &operands)?)?;
        Ok(dry_run.lookups())
    }

    /// Propagates the carries of results, unless they are to be left.
    fn reduced<E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        results: Vec<AnyColumn<E::Ciphertext>>,
    ) -> Result<Vec<AnyColumn<E::Ciphertext>>> {
        let reduced = |result| match result {
            AnyColumn::Integers(found) if !self.is_lazy => Ok(server.reduce(&found)?.into()),
            found => Ok(found),
        };
        results.into_iter().map(reduced).collect()
    }

    /// Checks that a column has one ciphertext per digit, if results depend on the values of all rows.
    pub fn check_parts(&self, parts: usize) -> Result<()> {
        let is_one = parts == 1 || !self.operation.moves_values();
        ensure!(
            is_one,
            "a column of {parts} ciphertexts: only rows in one ciphertext can be compared"
        );
        Ok(())
    }
}

/// The function by which an engine applies operations: all of them, or only those that keep every value in its place.
pub type Apply<E> = fn(
    &Operation,
    &Evaluator<'_, E>,
    &[Operand<'_, <E as DigitArithmetic>::Ciphertext>],
) -> cryptable::Result<Vec<AnyColumn<<E as DigitArithmetic>::Ciphertext>>>;

/// Returns the kinds of all encrypted operands of an operation on integers of this kind.
pub fn operand_kinds(operation: IntegerOperation, kind: ColumnKind) -> Vec<ColumnKind> {
    match Shape::of(operation) {
        Shape::Two => vec![kind, kind],
        Shape::Selection => vec![ColumnKind::BOOLEANS, kind, kind],
        Shape::Shift => vec![kind, ColumnKind::of::<u8>()],
        Shape::Pieces | Shape::Rows => vec![kind],
    }
}

fn check_number(name: &str, number: i128, kind: ColumnKind) -> Result<()> {
    ensure!(kind.word(number).is_ok(), "{name} {number} does not fit {kind}");
    Ok(())
}
