//! Comparisons of words, as trees over bits.

use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// Returns whether words are equal: a tree of ANDs, `⌈log2 n⌉ + 1` levels.
///
/// # Panics
/// If the words differ in length.
pub fn equal(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> Signal {
    compare(builder, x, y).1
}

/// Returns whether `x < y`, unsigned: `⌈log2 n⌉ + 1` levels.
///
/// ```
/// use cryptable_circuits::{CircuitBuilder, words};
/// let mut builder = CircuitBuilder::new("less");
/// let (x, y) = (builder.input("x", 8)?, builder.input("y", 8)?);
/// let less = [words::less_than(&mut builder, &x, &y), words::less_than_signed(&mut builder, &x, &y)];
/// builder.output("less", &less)?;
/// // -1 < 1, but 255 > 1.
/// assert_eq!(builder.finish().evaluate_words(&[255, 1])?, [2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the words differ in length.
pub fn less_than(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> Signal {
    compare(builder, x, y).0
}

/// Returns whether `x < y` in two's complement: the unsigned comparison after the sign bits are swapped.
///
/// # Panics
/// If the words differ in length.
pub fn less_than_signed(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> Signal {
    let (mut x, mut y) = (x.to_vec(), y.to_vec());
    if let (Some(x), Some(y)) = (x.last_mut(), y.last_mut()) {
        std::mem::swap(x, y);
    }
    compare(builder, &x, &y).0
}

/// Returns whether x is less than y, and whether they are equal. For two halves,
/// `less = less_high + equal_high·less_low`, whose terms are never both 1.
fn compare(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> (Signal, Signal) {
    assert_eq!(x.len(), y.len(), "words of one length");
    match x.len() {
        0 => (Signal::FALSE, Signal::TRUE),
        1 => (builder.and(!x[0], y[0]), !builder.xor(x[0], y[0])),
        n => {
            let middle = n / 2;
            let (less_low, equal_low) = compare(builder, &x[..middle], &y[..middle]);
            let (less_high, equal_high) = compare(builder, &x[middle..], &y[middle..]);
            let passed = builder.and(equal_high, less_low);
            (builder.or(less_high, passed), builder.and(equal_high, equal_low))
        }
    }
}
