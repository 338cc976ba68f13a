//! Carries from bit to bit: a full adder per bit, n of them in a row. If every gate is a bootstrap, this needs a third
//! of the bootstraps of a prefix adder, since carry and sum of three bits need one or two.

use super::dadda_multiplier::two_rows;
use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// `x + y + carry`: n bits and the carry out.
///
/// ```
/// use cryptable_circuits::{CircuitBuilder, Signal, words};
/// let mut builder = CircuitBuilder::new("sum");
/// let (x, y) = (builder.input("x", 8)?, builder.input("y", 8)?);
/// let (sum, _) = words::add_with_carry_by_ripple(&mut builder, &x, &y, Signal::FALSE);
/// builder.output("sum", &sum)?;
/// let circuit = builder.finish();
/// assert_eq!(circuit.evaluate_words(&[255, 2])?, [1]);
/// assert_eq!(circuit.statistics().majorities, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the words differ in length.
pub fn add_with_carry_by_ripple(
    builder: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    carry: Signal,
) -> (Vec<Signal>, Signal) {
    assert_eq!(x.len(), y.len(), "words of one length");
    let mut carry = carry;
    let sums = x.iter().zip(y).map(|(&x, &y)| {
        let (sum, next) = builder.full_adder(x, y, carry);
        carry = next;
        sum
    });
    (sums.collect(), carry)
}

/// Returns whether `x < y`, unsigned: the borrow of x - y, a majority per bit.
///
/// # Panics
/// If the words differ in length.
pub fn less_than_by_ripple(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> Signal {
    assert_eq!(x.len(), y.len(), "words of one length");
    let bits = x.iter().zip(y);
    bits.fold(Signal::FALSE, |borrow, (&x, &y)| builder.majority(!x, y, borrow))
}

/// The product of two words modulo `2^width`, like [`multiply`](super::multiply), with a ripple-carry adder at the end.
pub fn multiply_by_ripple(
    builder: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    width: usize,
) -> Vec<Signal> {
    let [first, second] = two_rows(builder, x, y, width);
    add_with_carry_by_ripple(builder, &first, &second, Signal::FALSE).0
}
