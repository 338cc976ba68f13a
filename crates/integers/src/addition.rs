//! Sums, differences and multiples: digit by digit, with carries only when they are needed.

use cryptable_lattice::Result;

use crate::columns::IntegerColumn;
use crate::digit_arithmetic::DigitArithmetic;
use crate::evaluator::Evaluator;
use crate::integer::IntegerType;

impl<E: DigitArithmetic> Evaluator<'_, E> {
    /// x + y: no lookup as long as digits fit; otherwise both operands are first reduced by [`Evaluator::reduce`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn add<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.combine(&[(1, x), (1, y)])
    }

    /// x - y, like [`Evaluator::add`].
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn sub<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
        y: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.combine(&[(1, x), (-1, y)])
    }

    /// -x.
    ///
    /// # Errors
    /// The errors of all operations.
    pub fn negate<T: IntegerType>(
        &self,
        x: &IntegerColumn<T, E::Ciphertext>,
    ) -> Result<IntegerColumn<T, E::Ciphertext>> {
        self.combine(&[(-1, x)])
    }
}
