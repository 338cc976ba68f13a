//! Encrypted integers of 8 to 64 bits, unsigned and signed, in digits: sums, products, shifts and rotations (by
//! encrypted amounts, too), comparisons, minimum and maximum, selection, tables, thresholds, piecewise linear
//! functions, merging of sorted columns, sorting, and the largest values of a column.
//!
//! One implementation for two engines: `packed`, where a ciphertext holds a digit of up to 65,536 integers, and
//! `single`, with one ciphertext per digit of every integer. An [`Evaluator`] uses the key of either.
//!
//! | layer | modules |
//! |---|---|
//! | operations of engines: sums of ciphertexts, lookups | `digit_arithmetic`, `engines`, `dry_run` |
//! | digits with bounds on their values and their noise | `digit`, `noise_budget`, `evaluator` |
//! | carries when they are needed; digits of other sizes | `carries`, `regrouping` |
//! | operations | `addition`, `multiplication`, `shift`, `barrel_shift`, `comparison`, `selection`, `digit_tables`, `table_tree`, `thresholds`, `piecewise_linear`, `merge`, `largest` |
//! | all operations on columns whose kind is known at run time | `any_column`, `operation` |
//! | files of columns | `serialization`, `column_file` |
//!
//! A digit of base B is a value of `Z_p` with `p = B²`, like message and carry of TFHE integers: a sum of digits stays
//! in one ciphertext until it might reach p, and any function of two digits is one lookup of `x + B·y`. Digits for sums
//! have `p = 2B`. Every digit has bounds on its value, and a bound on its noise. Both follow every operation, and
//! digits that would become too large are propagated or refreshed before. Products, comparisons and sums are therefore
//! right after any sequence of operations.
#![forbid(unsafe_code)]

mod addition;
mod any_column;
mod barrel_shift;
mod carries;
#[cfg(feature = "client")]
mod client;
mod column_file;
mod columns;
mod comparison;
mod digit;
mod digit_arithmetic;
mod digit_tables;
mod dry_run;
mod engines;
mod evaluator;
mod integer;
mod largest;
mod merge;
mod multiplication;
mod noise_budget;
mod operation;
mod parameters;
mod piecewise_linear;
mod regrouping;
mod selection;
mod serialization;
mod shift;
mod table_tree;
mod thresholds;

pub use any_column::AnyColumn;
#[cfg(feature = "client")]
pub use client::{
    decrypt, decrypt_booleans, decrypt_words, encrypt, encrypt_booleans, encrypt_words,
};
pub use column_file::{ColumnReader, ColumnWriter};
pub use columns::{BooleanColumn, IntegerColumn};
pub use digit_arithmetic::{DigitArithmetic, LookupModel, Places};
#[cfg(feature = "client")]
pub use digit_arithmetic::{DigitDecryption, DigitEncryption};
pub use dry_run::{DryRun, Outline};
pub use evaluator::Evaluator;
pub use integer::{AnyInteger, ColumnKind, Integer, IntegerType, digit_bits};
pub use largest::Maximum;
pub use operation::{Operand, Operation, PlannedOperand};
pub use parameters::{
    insecure_packed_toy, insecure_packed_toy_of, packed_parameters, packed_parameters_for,
    single_parameters, single_parameters_for,
};
pub use piecewise_linear::Piece;
pub use serialization::{Column, ColumnSummary, DigitCiphertext};
