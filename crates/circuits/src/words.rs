//! Arithmetic of words, from which circuits are built in Rust. Words are slices of signals, the least significant bit
//! first.
//!
//! | module | what |
//! |---|---|
//! | `prefix_adder` | sums and differences in log2(n) + 2 levels (Sklansky) |
//! | `comparison` | less than, unsigned and signed; equality |
//! | `dadda_multiplier` | products (Dadda), with a prefix adder at the end |
//! | `ripple_carry` | sums, comparisons and products with a full adder per bit: fewest bootstraps if there are no levels |

mod comparison;
mod dadda_multiplier;
mod prefix_adder;
mod ripple_carry;

pub use comparison::{equal, less_than, less_than_signed};
pub use dadda_multiplier::multiply;
pub use prefix_adder::{add, add_with_carry, subtract};
pub use ripple_carry::{add_with_carry_by_ripple, less_than_by_ripple, multiply_by_ripple};
