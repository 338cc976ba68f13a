//! Comparison of packed integers: order, equality, maximum, minimum, ReLU, absolute value, clamping and selection.
//!
//! Integers of b bits, [`Signedness::Unsigned`] or [`Signedness::Signed`], are represented modulo M = 2^(b+1): one bit
//! of **headroom**, so that the difference of any two lies within [-M/2, M/2) and its sign is the comparison. Without
//! it, 0 - (2^b - 1) would be 1 modulo 2^b, and positive.
//! [`Parameters::for_comparisons`](crate::Parameters::for_comparisons) adds that bit.
//!
//! | parameters | values | comparison | maximum and similar operations |
//! |---|---|---|---|
//! | AKP or tree, P = M | to 11 bits by AKP | a table of the difference | a table of the value or difference: one ciphertext |
//! | digit by digit | to 39 bits at 2^-64 | HomSign of the difference | digits of both and the sign, selection of each digit |
//!
//! A result of AKP has some 20 bits of precision, so a large result is not one ciphertext but a [`DigitList`]. Signs
//! select its digits in slots, by products before SlotsToCoeffs.
//!
//! | file | what |
//! |---|---|
//! | `signedness.rs` | the integers that values represent |
//! | `digit_list.rs` | results |
//! | `operation.rs` | names, bootstraps and failures of all operations |
//! | `predicates.rs` | less than, equality |
//! | `selection.rs` | maximum, minimum, ReLU, absolute value, clamping |
//! | `slot_selection.rs`, `selection_in_slots.rs` | the same by products in slots |
//! | `passes.rs` | progress of several lookups |

pub(crate) mod digit_list;
pub(crate) mod operation;
mod passes;
mod predicates;
mod selection;
mod selection_in_slots;
pub(crate) mod signedness;
pub(crate) mod slot_selection;
