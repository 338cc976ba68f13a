//! An operation on columns, for any engine and integer type: the same when it is planned and when it runs.

use anyhow::{Context, Result, ensure};
use cryptable::integers::{
    BooleanColumn, DigitArithmetic, Evaluator, Integer, IntegerColumn, Piece,
};

use crate::args::integers::{IntegerOperation, IntegersRunArgs};

/// What is computed, with all that is public.
#[derive(Clone, Debug)]
pub struct Job {
    pub operation: IntegerOperation,
    pub constant: Option<i128>,
    pub pieces: Vec<(i128, i64)>,
    pub wide: bool,
    pub lazy: bool,
}

/// The encrypted operands of a part of a column.
pub struct Operands<T, C> {
    /// x, and y if it is encrypted.
    pub columns: Vec<IntegerColumn<T, C>>,
    pub condition: Option<BooleanColumn<C>>,
    pub amount: Option<IntegerColumn<u8, C>>,
}

/// A result.
pub enum Outcome<T, C> {
    Integers(IntegerColumn<T, C>),
    Booleans(BooleanColumn<C>),
    Unsigned(IntegerColumn<u64, C>),
    Signed(IntegerColumn<i64, C>),
}

/// What operations take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Two,
    Selection,
    Shift,
    Pieces,
}

impl Shape {
    fn of(operation: IntegerOperation) -> Self {
        use IntegerOperation as Op;
        match operation {
            Op::Select => Self::Selection,
            Op::Shl | Op::Shr | Op::Rotate => Self::Shift,
            Op::Piecewise => Self::Pieces,
            _ => Self::Two,
        }
    }
}

/// Demands the operands that an operation takes.
///
/// # Errors
/// Says what there is too much or too little.
pub fn check_operands(args: &IntegersRunArgs) -> Result<()> {
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
        Shape::Pieces => {
            ensure!(found == 1 && constants == 0, "{name} takes one --input");
        }
    }
    let options = [
        ("--condition", args.condition.is_some(), shape == Shape::Selection, true),
        ("--amount", args.amount.is_some(), is_shift, false),
        ("--pieces", args.pieces.is_some(), shape == Shape::Pieces, true),
        ("--wide", args.wide, shape == Shape::Pieces, false),
    ];
    for (option, is_given, is_for_it, is_needed) in options {
        ensure!(!is_given || is_for_it, "{option} is not for {name}");
        ensure!(is_given || !(is_for_it && is_needed), "{name} takes {option}");
    }
    Ok(())
}

impl Job {
    /// The operation.
    ///
    /// # Errors
    /// If numbers are out of range; whatever keeps the server from its work.
    pub fn apply<T: Integer, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        operands: &Operands<T, E::Ciphertext>,
    ) -> Result<Outcome<T, E::Ciphertext>> {
        use IntegerOperation as Op;
        let (x, y) = (&operands.columns[0], operands.columns.get(1));
        if Shape::of(self.operation) == Shape::Shift {
            let shifted = self.shift(server, x, operands.amount.as_ref())?;
            return self.integers(server, shifted);
        }
        if self.operation == Op::Piecewise {
            return self.piecewise(server, x);
        }
        let public;
        let y = match y {
            Some(y) => y,
            None => {
                let constant = self.constant.context("an operand is missing")?;
                public = server.constant(integer::<T>(constant, "--constant")?);
                &public
            }
        };
        let integers = match self.operation {
            Op::Lt => return Ok(Outcome::Booleans(server.lt(x, y)?)),
            Op::Le => return Ok(Outcome::Booleans(server.le(x, y)?)),
            Op::Eq => return Ok(Outcome::Booleans(server.eq(x, y)?)),
            Op::Select => {
                let condition = operands.condition.as_ref().context("a condition is missing")?;
                server.select(condition, x, y)?
            }
            Op::Add => server.add(x, y)?,
            Op::Sub => server.sub(x, y)?,
            Op::Mul => server.mul(x, y)?,
            Op::Min => server.min(x, y)?,
            _ => server.max(x, y)?,
        };
        self.integers(server, integers)
    }

    fn shift<T: Integer, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        x: &IntegerColumn<T, E::Ciphertext>,
        amount: Option<&IntegerColumn<u8, E::Ciphertext>>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        use IntegerOperation as Op;
        if let Some(amount) = amount {
            return Ok(match self.operation {
                Op::Shl => server.shl_by(x, amount)?,
                Op::Shr => server.shr_by(x, amount)?,
                _ => server.rotate_left_by(x, amount)?,
            });
        }
        let constant = self.constant.context("an amount is missing")?;
        ensure!(
            (0..i128::from(T::BITS)).contains(&constant),
            "--constant {constant}: integers of {} bits are shifted by less, and by 0 or more",
            T::BITS
        );
        let amount = constant as u32;
        Ok(match self.operation {
            Op::Shl => server.shl(x, amount)?,
            Op::Shr => server.shr(x, amount)?,
            _ => server.rotate_left(x, amount)?,
        })
    }

    fn piecewise<T: Integer, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<Outcome<T, E::Ciphertext>> {
        let slopes = self
            .pieces
            .iter()
            .map(|&(start, slope)| Ok((integer::<T>(start, "start of a piece")?, slope)));
        let pieces = Piece::continuous(&slopes.collect::<Result<Vec<_>>>()?);
        Ok(match (self.wide, T::SIGNED) {
            (false, _) => return self.integers(server, server.piecewise_linear(x, &pieces)?),
            (true, false) => {
                Outcome::Unsigned(self.carried(server, server.piecewise_linear(x, &pieces)?)?)
            }
            (true, true) => {
                Outcome::Signed(self.carried(server, server.piecewise_linear(x, &pieces)?)?)
            }
        })
    }

    fn integers<T: Integer, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        found: IntegerColumn<T, E::Ciphertext>,
    ) -> Result<Outcome<T, E::Ciphertext>> {
        Ok(Outcome::Integers(self.carried(server, found)?))
    }

    fn carried<T: Integer, E: DigitArithmetic>(
        &self,
        server: &Evaluator<'_, E>,
        found: IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        Ok(if self.lazy { found } else { server.reduce(&found)? })
    }
}

/// A number as an integer of a type.
///
/// # Errors
/// If it is none.
fn integer<T: Integer>(number: i128, name: &str) -> Result<T> {
    let found = T::from_word(number as u64);
    let kind = cryptable::integers::ColumnKind::of::<T>();
    ensure!(found.to_i128() == number, "{name} {number} is no {kind}");
    Ok(found)
}
