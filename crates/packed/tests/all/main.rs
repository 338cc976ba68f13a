//! Tests of packed functional bootstrapping, in one program so that it is linked only once.

#[path = "../common/mod.rs"]
mod common;

mod akp_toy;
mod comparisons_toy;
mod complex_toy;
mod digits_toy;
mod extensions_toy;
mod formulas_toy;
mod full_size;
mod full_size_entries;
mod full_size_formulas;
mod full_size_reals;
mod group_sums_toy;
mod hidden_tables;
mod linear_operations;
mod multiplexer_toy;
mod networks_toy;
mod output_range;
mod owners;
mod prediction;
mod public_keys;
mod rekeying;
mod sorts_toy;
mod tails;
mod trust;
mod words_toy;
