//! Bits in the slots of CKKS ciphertexts: thousands of gates at once, with bootstraps that square the errors of bits or
//! evaluate a gate at the same time. Implements BinBoot and GateBoot of Bae, Cheon, Kim, Stehlé ("Bootstrapping Bits
//! with CKKS", EUROCRYPT 2024, ePrint 2024/767).
//!
//! ```
//! use cryptable_bits::{Gate, Packing, Parameters, SecretKey};
//! use cryptable_lattice::Progress;
//! // `Parameters::latency_128(Packing::Real)` has 128 bits of security; a toy ring keeps this example quick.
//! let secret = SecretKey::generate(&Parameters::insecure_toy(Packing::Real)?);
//! let server = secret.evaluation_key(Progress::silent())?;
//! let x = secret.encrypt(&[false, false, true, true])?;
//! let y = secret.encrypt(&[false, true, false, true])?;
//! let nand = server.gate_boot(Gate::Nand, &x, &y)?;
//! assert_eq!(secret.decrypt(&nand)?, [true, true, true, false]);
//! let again = server.gate_boot(Gate::Xor, &nand, &server.bin_boot(&x)?)?;
//! assert_eq!(secret.decrypt(&again)?, [true, true, false, true]);
//! # Ok::<(), cryptable_lattice::Error>(())
//! ```
//!
//! | step | file |
//! |---|---|
//! | gates of two bits, functions of sums of bits | `gate.rs` |
//! | gates between bootstraps, one level each; cleaning | `leveled_gates.rs`, `cleaning.rs`; `leveled_evaluation.rs` |
//! | tables of up to eight bits, ⌈log2 k⌉ levels | `bit_table.rs`, `walsh_hadamard.rs`, `table_of_bits.rs`; `table_evaluation.rs`, `table_noise.rs` |
//! | BinBoot, GateBoot, GateBoot', several functions at once | `bootstraps.rs` |
//! | half bootstraps of coefficients, as FHEW ciphertexts are packed, and back | `half_form.rs` |
//! | functions of period 1 with given values at fractions of m | `periodic_function.rs`, `sum_functions.rs` |
//! | the complex exponential as a series and squarings; functions of it | `periodic_evaluation.rs`, over `exponential_series.rs` of `ckks` |
//! | SlotsToCoeffs, ModRaise, CoeffsToSlots: all algorithms as one circuit | `circuit.rs` |
//! | decryption by several owners of a key: cleanings before it, flooding, partial decryptions | `decryption_circuit.rs`, `prepared_bits.rs`; `joint_decryption.rs`; `partial_decryption.rs`; by a quorum of the holders of shares: `threshold.rs` |
//! | how far bits are from 0 and 1, before any ciphertext exists | `noise.rs`, `noise_model.rs`, `predictions.rs` |
//! | gates whose results come back after other methods, round after round | `rounds.rs` |
//! | gates of sums whose noise comes near to the decision, cleaned several times | `noisy_sums.rs` |
//! | all numbers of a parameter set, the sets with names | `literal.rs`, `named_sets.rs`, `set_names.rs` |
//! | memory of bits and keys | `memory.rs` |
//! | keys and encoded matrices | `evaluation_key.rs`, `bit_matrices.rs`; `public_key.rs` |
//! | validation, security, precision | `validation.rs`, `parameters.rs` |
//!
//! Users reach this crate as the module `circuits` of `cryptable`.
//!
//! Everything that touches a secret needs the feature `client` (on by default); a server builds without it.
#![forbid(unsafe_code)]

mod bit_matrices;
mod bit_table;
mod bootstraps;
mod circuit;
mod cleaning;
mod decryption_circuit;
mod disjoint_or;
mod encrypted_bits;
mod evaluation_key;
mod gate;
mod half_form;
mod joint_decryption;
mod leveled_evaluation;
mod leveled_gates;
mod literal;
mod memory;
mod named_sets;
mod noise;
mod noise_model;
mod noisy_sums;
#[cfg(feature = "client")]
mod owners;
mod parameters;
#[cfg(feature = "client")]
mod partial_decryption;
mod periodic_evaluation;
mod periodic_function;
mod predictions;
mod prepared_bits;
#[cfg(feature = "client")]
mod public_key;
mod rounds;
#[cfg(feature = "client")]
mod secret_key;
mod serialization;
mod set_names;
mod sum_functions;
mod table_evaluation;
mod table_noise;
mod table_of_bits;
#[cfg(feature = "client")]
mod threshold;
mod validation;
mod walsh_hadamard;

pub use bit_table::BitTable;
pub use encrypted_bits::EncryptedBits;
pub use evaluation_key::EvaluationKey;
pub use gate::{Gate, SumGate};
pub use half_form::RlweInput;
pub use joint_decryption::JointDecryption;
pub use literal::{ExponentialLiteral, Packing, ParametersLiteral, TransformLiteral};
pub use noise::BitNoise;
pub use parameters::{Parameters, Precision};
#[cfg(feature = "client")]
pub use partial_decryption::{PartialDecryption, SecretShare};
pub use prepared_bits::PreparedBits;
#[cfg(feature = "client")]
pub use public_key::PublicKey;
pub use rounds::RoundNoise;
#[cfg(feature = "client")]
pub use secret_key::SecretKey;
pub use set_names::NamedSet;
#[cfg(feature = "client")]
pub use threshold::{ThresholdSecret, deal};
