//! Binary circuits on encrypted bits. A netlist runs on thousands of words at once.
//!
//! One ciphertext holds bit i of all words. A [`Plan`] schedules gates, cleanings and bootstraps (BinBoot and GateBoot
//! of Bae, Cheon, Kim, Stehlé, "Bootstrapping Bits with CKKS", EUROCRYPT 2024) before any ciphertext exists, and
//! predicts levels, noise, memory and the failure probability of the whole circuit.
//!
//! ```
//! use cryptable::bits::{Packing, Parameters};
//! use cryptable::circuits::{Plan, PlanOptions, execute, input_bits, netlist, output_words};
//! use cryptable::{Progress, SecretKey};
//!
//! let circuit = netlist::read_blif("
//! .model half_adder
//! .inputs a b
//! .outputs s[0] s[1]
//! .names a b s[0]
//! 10 1
//! 01 1
//! .names a b s[1]
//! 11 1
//! .end
//! ", None)?;
//!
//! // `Parameters::balanced_128(Packing::Complex)` has 128 bits of security; a toy ring keeps this example quick.
//! let parameters = Parameters::insecure_toy(Packing::Real)?;
//! let plan = Plan::new(&circuit, &parameters, &PlanOptions::default())?;
//! println!("{plan}");                                   // operations, memory, failure probability
//!
//! let secret = SecretKey::generate(&parameters);        // the client
//! let server = secret.evaluation_key();
//! let (secret, server) = (secret.bits()?, server.bits()?);
//! let words = [[0, 0], [1, 0], [1, 1]].map(Vec::from);
//! let inputs = input_bits(&[1, 1], &words);             // by bits: all words' a, all words' b
//! let inputs = inputs.iter().zip(plan.input_levels());  // no more levels than the plan needs
//! let inputs = inputs.map(|(bits, levels)| secret.encrypt_at(bits, levels)).collect::<Result<_, _>>()?;
//!
//! let outputs = execute(&plan, server, inputs, Progress::silent())?;
//!
//! let bits = outputs.iter().map(|bits| secret.decrypt(bits)).collect::<Result<Vec<_>, _>>()?;
//! assert_eq!(output_words(&[2], &bits), [[0], [1], [2]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go from here
//! - [`netlist`] reads BLIF and the JSON of Yosys. [`CircuitBuilder`] and [`words`] build circuits in Rust; [`named`]
//!   has ready-made ones.
//! - [`Candidates`] compares all parameter sets ([`NamedSet`](crate::bits::NamedSet)) for a circuit.
//! - [`EvaluationKey`](crate::bits::EvaluationKey) offers gates, tables and bootstraps one at a time. A table of k ≤ 8
//!   bits ([`CircuitBuilder::table`]) uses ⌈log2 k⌉ levels; `Parameters::tables_128` is made for them.
//! - [`aes`] builds AES from such tables, or from gates, for which `Parameters::sums_128` is made.
//! - [`EncryptedWordsWriter`] and [`EncryptedWordsReader`] handle files with any number of words.

mod encrypted_words;
pub(crate) mod request;

pub use cryptable_circuits::execution::{execute_with, input_bits, output_words};
pub use cryptable_circuits::schedule::InputSupply;
pub use cryptable_circuits::{
    Candidate, Candidates, Circuit, CircuitBuilder, InputLevels, InputMismatch, InputWord,
    OutputWord, Plan, PlanError, PlanOptions, PortError, Signal, Statistics, Unplanned, aes,
    execute, named, netlist, schedule, words,
};
pub use encrypted_words::{
    EncryptedBatch, EncryptedWordsReader, EncryptedWordsSummary, EncryptedWordsWriter, WordPort,
};
