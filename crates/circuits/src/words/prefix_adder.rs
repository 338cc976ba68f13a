//! Sklansky's prefix adder: J. Sklansky, "Conditional-Sum Addition Logic", IRE Transactions on Electronic Computers,
//! 1960.
//!
//! Bits i to j generate a carry (`g`) or propagate one (`p`): `(g, p)∘(g', p') = (g + p·g', p·p')`, with g' and p' of
//! the less significant bits. g and p·g' are never both 1, so that an operator has one level: n bits need
//! `⌈log2 n⌉ + 2` levels and `(n/2)·log2 n` operators. The fan-out, a problem in hardware, costs nothing here.

use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// Sums modulo 2^n of words of n bits.
///
/// ```
/// use cryptable_circuits::{CircuitBuilder, words};
/// let mut builder = CircuitBuilder::new("sum");
/// let (x, y) = (builder.input("x", 8)?, builder.input("y", 8)?);
/// let sum = words::add(&mut builder, &x, &y);
/// builder.output("sum", &sum)?;
/// assert_eq!(builder.finish().evaluate_words(&[255, 2])?, [1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If the words differ in length.
pub fn add(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> Vec<Signal> {
    add_with_carry(builder, x, y, Signal::FALSE).0
}

/// `x - y` modulo 2^n.
///
/// # Panics
/// If the words differ in length.
pub fn subtract(builder: &mut CircuitBuilder, x: &[Signal], y: &[Signal]) -> Vec<Signal> {
    let complement: Vec<_> = y.iter().map(|&bit| !bit).collect();
    add_with_carry(builder, x, &complement, Signal::TRUE).0
}

/// `x + y + carry`: n bits and the carry out.
///
/// # Panics
/// If the words differ in length.
pub fn add_with_carry(
    builder: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    carry: Signal,
) -> (Vec<Signal>, Signal) {
    let (partial, carries) = sums_and_carries(builder, x, y, carry);
    let sums = partial.iter().zip(&carries).map(|(&p, &c)| builder.xor(p, c)).collect();
    (sums, *carries.last().expect("there is a carry into the first bit"))
}

/// Sums without carries, and n + 1 carries: into every bit, and out of the last one.
pub(super) fn sums_and_carries(
    builder: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    carry: Signal,
) -> (Vec<Signal>, Vec<Signal>) {
    assert_eq!(x.len(), y.len(), "words of one length");
    let pairs = || x.iter().zip(y);
    let propagate: Vec<_> = pairs().map(|(&x, &y)| builder.xor(x, y)).collect();
    let mut generate: Vec<_> = pairs().map(|(&x, &y)| builder.and(x, y)).collect();
    if let Some(first) = generate.first_mut() {
        // The carry into bit 0 is generated there: g_0 + p_0·c.
        let passed = builder.and(propagate[0], carry);
        *first = builder.or(*first, passed);
    }
    let (mut g, mut p) = (generate, propagate.clone());
    let mut half = 1;
    while half < x.len() {
        for i in (0..x.len()).filter(|i| i & half != 0) {
            // The last bit of the lower half of the block of i.
            let low = (i & !(half - 1)) - 1;
            let passed = builder.and(p[i], g[low]);
            g[i] = builder.or(g[i], passed);
            p[i] = builder.and(p[i], p[low]);
        }
        half *= 2;
    }
    let carries = std::iter::once(carry).chain(g).collect();
    (propagate, carries)
}
