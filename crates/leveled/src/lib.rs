//! Circuit bootstrapping (Wang et al., "Circuit Bootstrapping: Faster and Smaller", EUROCRYPT 2024) and leveled
//! evaluation over one prime below 2^50.
//!
//! A bit is an LWE ciphertext of dimension N modulo Q, under the ring secret, of phase bit·Q/2: XOR is addition.
//! A digit of two bits is one of phase digit·Q/4: half as many rotations ([`digit_selectors`]).
//! Circuit bootstrapping turns it into a [`selector::Selector`], an RGSW ciphertext, which chooses between ciphertexts
//! (CMUX) with so little noise that whole tables are walked before the next bootstrap.
#![forbid(unsafe_code)]

pub mod aes;
pub mod automaton;
pub mod bits;
pub mod circuit_bootstrapping;
pub mod circuit_cost;
pub mod cmux_tree;
pub mod digit_polynomial;
pub mod digit_selectors;
pub mod digits;
pub mod encrypted_bytes;
pub mod encrypted_values;
pub mod error;
pub mod evaluation_key;
pub mod leveled;
pub mod lookup;
pub mod noise;
mod parameter_serialization;
pub mod parameters;
mod private_key_serialization;
pub mod private_key_switching;
#[cfg(feature = "client")]
pub mod secret_key;
pub mod selector;
pub mod tfhe_circuit_bootstrapping;
pub mod tfhe_parameters;
