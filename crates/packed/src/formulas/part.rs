//! Intermediate values of formulas: a ciphertext and a constant.

use cryptable_ckks::Arithmetic;
use num_complex::Complex64;

/// An intermediate value: the sum of a ciphertext, unless the value is the same in all rows, and a constant.
#[derive(Clone)]
pub(super) struct Part<C> {
    pub slots: Option<C>,
    pub constant: f64,
}

impl<C> Part<C> {
    /// Returns the value in slots.
    ///
    /// # Panics
    /// If the value is the same in all rows.
    pub(super) fn into_slots<A: Arithmetic<Ciphertext = C>>(self, arithmetic: &A) -> C {
        let mut slots = self.slots.expect("a value that is not constant");
        arithmetic.add_constant_assign(&mut slots, Complex64::from(self.constant));
        slots
    }
}

/// Adds `rest` to a product, and relinearizes the sum.
pub(super) fn sum<A: Arithmetic>(
    arithmetic: &A,
    mut product: A::Product,
    rest: Option<A::Ciphertext>,
) -> A::Ciphertext {
    if let Some(rest) = rest {
        arithmetic.product_add_assign(&mut product, &rest, 1.0);
    }
    arithmetic.relinearize(product, 1)
}

/// Computes `sum += part`.
pub(super) fn add<A: Arithmetic>(
    arithmetic: &A,
    sum: &mut Part<A::Ciphertext>,
    part: Part<A::Ciphertext>,
) {
    sum.constant += part.constant;
    sum.slots = match (sum.slots.take(), part.slots) {
        (Some(mut sum), Some(part)) => {
            arithmetic.add_assign(&mut sum, &part);
            Some(sum)
        }
        (sum, part) => sum.or(part),
    };
}

/// Computes `then - otherwise`, including constants.
///
/// # Panics
/// If both are constant: such choices are tables.
pub(super) fn subtract<A: Arithmetic>(
    arithmetic: &A,
    then: Part<A::Ciphertext>,
    otherwise: &Part<A::Ciphertext>,
) -> A::Ciphertext {
    let constant = Complex64::from(then.constant - otherwise.constant);
    let mut difference = match (then.slots, &otherwise.slots) {
        (Some(mut then), Some(otherwise)) => {
            arithmetic.sub_assign(&mut then, otherwise);
            then
        }
        (Some(then), None) => then,
        (None, Some(otherwise)) => {
            let mut negated = otherwise.clone();
            arithmetic.mul_integer_assign(&mut negated, -1);
            negated
        }
        (None, None) => panic!("choices between constants are tables"),
    };
    arithmetic.add_constant_assign(&mut difference, constant);
    difference
}
