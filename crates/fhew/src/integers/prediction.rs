//! Predicted costs of functions of integers, counted from parameters.

use cryptable_lattice::cost::Work;
use cryptable_lattice::{NoiseBound, Result};

use super::Parameters;
use super::interchange::precise_rotation;
use crate::cost;
use crate::decomposition::Decomposition;
use crate::full_domain::FdfbCompress;
use crate::parameters::ParametersLiteral;

/// Functions of integers, grouped by cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// Sign or comparison: a decomposition and a bootstrap.
    Sign,
    /// Absolute value, ReLU or maximum: a sign, and two rotations per digit.
    Absolute,
    /// Digits of base 8: a decomposition, and a table per digit.
    ToRadix,
    /// Import of a value under the ring secret as a small value or a digit: a key switch and a table.
    ImportDigit,
    /// Export of a sign or a digit as a value under the ring secret: a table whose last rotation is precise.
    ExportDigit,
}

impl Parameters {
    /// Counts the work of a function of one integer, or digit, whose input has this noise: blind rotations, each by the
    /// rotation key that the plan uses, and key switches.
    ///
    /// ```
    /// use cryptable_fhew::integers::{Function, Parameters};
    /// let parameters = Parameters::insecure_toy(12)?;
    /// let of = |function| parameters.function_work(function, parameters.fresh_integer_noise());
    /// let (sign, absolute) = (of(Function::Sign)?, of(Function::Absolute)?);
    /// assert!(absolute.digit_transforms > 2.0 * sign.digit_transforms);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If functions of integers with this noise would fail too often.
    pub fn function_work(&self, function: Function, noise: NoiseBound) -> Result<Work> {
        let literal = self.fhew().literal();
        let table = || cost::lookup(&FdfbCompress, literal);
        match function {
            Function::ImportDigit => {
                return Ok([cost::key_switching(literal), table()].into_iter().sum());
            }
            Function::ExportDigit => {
                let precise = rotation_by(literal, precise_rotation(self.fhew()));
                return Ok([cost::bootstrap(literal), precise].into_iter().sum());
            }
            Function::Sign | Function::Absolute | Function::ToRadix => (),
        }
        let plan = self.plan_of_imported(noise)?;
        let (digits, decomposition) =
            (plan.decomposition().digits(), decomposition(literal, plan.decomposition()));
        let sign = [decomposition, cost::bootstrap(literal)].into_iter().sum();
        Ok(match function {
            Function::Absolute => {
                let precise = rotation_by(literal, plan.rotation_key());
                let digit = [cost::bootstrap(literal), precise];
                std::iter::once(sign).chain(std::iter::repeat_n(digit, digits).flatten()).sum()
            }
            Function::ToRadix => {
                std::iter::once(decomposition).chain(std::iter::repeat_n(table(), digits)).sum()
            }
            _ => sign,
        })
    }
}

/// Counts the work of clearing all digits but the highest: one or several rotations and a key switch per digit.
fn decomposition(literal: &ParametersLiteral, plan: &Decomposition) -> Work {
    let rotations = plan.algorithm().rotations();
    let clearing = |&key: &usize| std::iter::repeat_n(rotation_by(literal, key), rotations);
    let clearings = plan.rotation_keys().iter().flat_map(clearing);
    let switches = std::iter::repeat_n(cost::key_switching(literal), plan.digits());
    clearings.chain(switches).sum()
}

/// Counts a rotation by the key of this number.
fn rotation_by(literal: &ParametersLiteral, number: usize) -> Work {
    let finer = literal.finer_rotations.into_iter().flatten();
    let rotation = std::iter::once(literal.rotation).chain(finer).nth(number);
    let rotation = rotation.expect("a rotation key of the parameters");
    cost::rotation(&ParametersLiteral { rotation, ..*literal })
}
