//! Binary circuits over packed bits: a circuit runs on thousands of encrypted words at once, bit i of all of them in one
//! ciphertext.
//!
//! ```
//! use cryptable_circuits::netlist;
//! let circuit = netlist::read_blif("
//! .model multiplexer
//! .inputs s a b
//! .outputs y
//! .names s a b y
//! 11- 1
//! 0-1 1
//! .end
//! ", None)?;
//! assert_eq!(circuit.evaluate_words(&[1, 1, 0])?, [1]);
//! assert_eq!(circuit.statistics().depth, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | step | file |
//! |---|---|
//! | circuits: constants, AND, XOR, disjoint OR, majority, with inversions on edges | `circuit.rs`, `signal.rs` |
//! | tables of up to eight signals | `table_node.rs` |
//! | evaluation in the clear | `circuit.rs`, `batch_evaluation.rs` |
//! | building, with simplification | `builder.rs`, `disjoint.rs`, `balance.rs`, `distribution.rs` |
//! | BLIF and Yosys JSON, in and out | `netlist/` |
//! | adders, comparisons, multipliers | `words/` |
//! | AES-128 | `aes/` |
//! | where bootstraps are placed: levels, noise, time, memory | `schedule/` |
//! | choice of the fastest parameter set | `candidates.rs` |
//! | running a plan on encrypted or simulated bits | `execution/` |
//! | circuits with names, for benchmarks and examples | `named.rs` |
#![forbid(unsafe_code)]

pub mod aes;
mod balance;
mod batch_evaluation;
mod builder;
mod candidates;
mod circuit;
mod disjoint;
mod distribution;
pub mod execution;
pub mod named;
pub mod netlist;
pub mod schedule;
mod signal;
mod statistics;
mod table_node;
pub mod words;

pub use builder::{CircuitBuilder, PortError};
pub use candidates::{Candidate, Candidates, Unplanned};
pub use circuit::{Circuit, InputMismatch, InputWord, Node, OutputWord};
pub use execution::{BitEngine, execute};
pub use schedule::{BitModel, InputLevels, Plan, PlanError, PlanOptions};
pub use signal::Signal;
pub use statistics::Statistics;
pub use table_node::TableNode;
