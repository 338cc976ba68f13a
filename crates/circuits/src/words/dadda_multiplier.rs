//! Dadda's multiplier: L. Dadda, "Some Schemes for Parallel Multipliers", Alta Frequenza, 1965.
//!
//! All products of two bits are placed in columns by their weight. Full and half adders, as few as possible, reduce the
//! columns to the heights …, 13, 9, 6, 4, 3, 2 one after the other, which leaves two rows; a prefix adder sums them.

use super::prefix_adder::add;
use crate::builder::CircuitBuilder;
use crate::signal::Signal;

/// The product of two words modulo `2^width`: the complete product if `width = x.len() + y.len()`.
///
/// ```
/// use cryptable_circuits::{CircuitBuilder, words};
/// let mut builder = CircuitBuilder::new("product");
/// let (x, y) = (builder.input("x", 8)?, builder.input("y", 8)?);
/// let product = words::multiply(&mut builder, &x, &y, 16);
/// builder.output("product", &product)?;
/// assert_eq!(builder.finish().evaluate_words(&[200, 100])?, [20_000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn multiply(
    builder: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    width: usize,
) -> Vec<Signal> {
    let [first, second] = two_rows(builder, x, y, width);
    add(builder, &first, &second)
}

/// Two words whose sum is the product modulo `2^width`.
pub(super) fn two_rows(
    builder: &mut CircuitBuilder,
    x: &[Signal],
    y: &[Signal],
    width: usize,
) -> [Vec<Signal>; 2] {
    let mut columns = vec![Vec::new(); width];
    for (i, &x) in x.iter().enumerate() {
        for (j, &y) in y.iter().enumerate().take(width.saturating_sub(i)) {
            columns[i + j].push(builder.and(x, y));
        }
    }
    let highest = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut heights = vec![2];
    while heights[heights.len() - 1] < highest {
        heights.push(heights[heights.len() - 1] * 3 / 2);
    }
    for &height in heights.iter().rev().filter(|&&height| height < highest) {
        reduce(builder, &mut columns, height);
    }
    let row = |k: usize| -> Vec<Signal> {
        columns.iter().map(|column| column.get(k).copied().unwrap_or(Signal::FALSE)).collect()
    };
    [row(0), row(1)]
}

/// Reduces every column to a height. Carries count in the next column of this stage. Adders read only bits of the stage
/// before, so that a stage is one adder deep.
fn reduce(builder: &mut CircuitBuilder, columns: &mut [Vec<Signal>], height: usize) {
    let mut carries: Vec<Signal> = Vec::new();
    for column in columns {
        let (mut next_carries, mut sums) = (Vec::new(), Vec::new());
        // Bits of the stage before are taken from the front, where those that have waited longest are.
        let mut open = std::mem::take(column).into_iter();
        while open.len() + sums.len() + carries.len() > height {
            let excess = open.len() + sums.len() + carries.len() - height;
            let mut next = || open.next().expect("a stage lowers columns to two thirds");
            let (sum, carry) = if excess == 1 {
                let (a, b) = (next(), next());
                builder.half_adder(a, b)
            } else {
                let (a, b, c) = (next(), next(), next());
                builder.full_adder(a, b, c)
            };
            sums.push(sum);
            next_carries.push(carry);
        }
        column.extend(open.chain(sums).chain(carries));
        carries = next_carries;
    }
}
