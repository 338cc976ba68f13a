//! Encrypted integers of 8 to 64 bits, unsigned and signed, in digits: sums, products, shifts and rotations (by
//! encrypted amounts, too), comparisons, minimum and maximum, selection, tables, thresholds, piecewise linear
//! functions, merging of sorted columns, sorting, and the largest values of a column.
//!
//! One implementation for two engines: `packed`, where a ciphertext holds a digit of up to 65,536 integers, and
//! `single`, with a ciphertext for every digit of every integer. An [`Evaluator`] takes the key of either.
//!
//! | layer | modules |
//! |---|---|
//! | what engines offer: sums of ciphertexts, lookups | `digit_arithmetic`, `engines`, `dry_run` |
//! | digits with bounds on their values and their noise | `digit`, `noise_budget`, `evaluator` |
//! | carries, when there is need; digits of other sizes | `carries`, `regrouping` |
//! | operations | `addition`, `multiplication`, `shift`, `barrel_shift`, `comparison`, `selection`, `digit_tables`, `table_tree`, `thresholds`, `piecewise_linear`, `merge`, `largest` |
//! | all of it on columns whose kind is known at run time | `any_column`, `operation` |
//! | files of columns | `serialization`, `column_file` |
//!
//! A digit of base B is a value of `Z_p` with `p = B²`, as message and carry of TFHE integers are: a sum of digits stays one
//! ciphertext until it might reach p, and any function of two digits is one lookup of `x + B·y`. Digits for sums have
//! `p = 2B`. Every digit carries the least and the largest value that it may have, and its noise; both follow every
//! operation, and what would be too large is propagated or refreshed before. A product, a comparison or a sum is thus right
//! whatever came before it.
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
