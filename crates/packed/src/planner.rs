//! The planner, which chooses parameters for a request.
//!
//! ```text
//! Request: limits, ring degree and slots                    request.rs
//!   │ ways to evaluate its tables                           candidates.rs: AKP of each order, trees (tree_choice.rs) by
//!   │                                                       digits (digit_choice.rs); digit_request.rs,
//!   │                                                       comparison_request.rs, formula_request.rs
//!   ▼ for each of them
//! literal: every number but those of primes                 literals.rs; few_values.rs for a secret of blocks
//!   │ fewest digits of keys, largest primes                 prime_choice.rs
//!   ▼
//! Parameters: secure, and sure enough                       ../parameters/parameter_set.rs
//!   │ matrices of CoeffsToSlots, keys, the half ring        matrix_choice.rs, key_choice.rs
//!   ▼
//! Candidate: seconds and bytes                              candidate.rs; the fastest within the memory limit is first
//! ```

mod candidate;
mod candidates;
mod comparison_request;
mod digit_choice;
mod digit_request;
mod few_values;
mod formula_request;
mod key_choice;
mod literals;
mod matrix_choice;
mod prime_choice;
pub(crate) mod request;
mod toys;
mod tree_choice;
