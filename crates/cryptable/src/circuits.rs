//! Binary circuits on encrypted bits: a netlist runs on thousands of words at once.
//!
//! Bit i of all words lies in one ciphertext. A [`Plan`] places gates, cleanings and bootstraps (BinBoot and GateBoot of
//! Bae, Cheon, Kim, Stehlé, "Bootstrapping Bits with CKKS", EUROCRYPT 2024), before any ciphertext exists; it knows levels,
//! noise, memory and the failure probability of the whole.
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
//! // `Parameters::balanced_128()` has 128 bits of security; a toy ring keeps this example quick.
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
//! - [`netlist`] reads BLIF and the JSON of Yosys; [`CircuitBuilder`] and [`words`] make circuits in Rust, [`named`] has some
//!   that are made.
//! - [`Candidates`] compares all parameter sets ([`NamedSet`](crate::bits::NamedSet)) for a circuit.
//! - [`EvaluationKey`](crate::bits::EvaluationKey) has the gates, tables and bootstraps by themselves, too. Tables of up to eight bits
//!   ([`CircuitBuilder::table`]) take ⌈log2 k⌉ levels; `Parameters::tables_128` is for them. [`aes`] is made of such,
//!   or of gates, which `Parameters::sums_128` is for.
//! - [`EncryptedWordsWriter`] and [`EncryptedWordsReader`] are files of words, however many.

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
