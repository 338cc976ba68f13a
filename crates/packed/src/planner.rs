//! The way from a request to parameters: ways to cut the input into digits, primes for each, and all of them side by
//! side by predicted time within a memory limit.

mod baby_choice;
mod candidate;
mod candidates;
mod comparison_request;
mod digit_choice;
mod digit_request;
mod few_values;
mod formula_request;
mod literals;
mod matrix_choice;
mod prime_choice;
mod relinearization_choice;
pub(crate) mod request;
mod toys;
mod tree_choice;
