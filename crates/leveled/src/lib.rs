//! Circuit bootstrapping and leveled evaluation over one prime below 2^50: tables on single values of up to 24 bits
//! with little latency, and AES-128 under an encrypted key.
//!
//! A value is a list of LWE ciphertexts of dimension N modulo Q, under the ring secret, each of one or two bits
//! ([`bootstrapping::Plaintext`]); XOR of bits is addition. Circuit bootstrapping (Wang et al., "Circuit Bootstrapping:
//! Faster and Smaller", EUROCRYPT 2024, ePrint 2024/323) turns each bit into an RGSW ciphertext, which chooses between
//! ciphertexts (CMUX) with so little noise that a whole table can be evaluated before the next bootstrap.
//!
//! | module | contents |
//! |---|---|
//! | [`lookup`] | tables on values, | automata on words of values, registers: the public interface of this engine |
//! | [`aes`] | AES-128 under an encrypted key, and transciphering |
//! | [`bootstrapping`] | circuit bootstrapping, two bits per rotation |
//! | [`tree`] | CMUXes, tables as trees of them, automata as decision diagrams |
//! | [`parameters`], [`noise`], [`cost`] | parameter sets, variances, work |
//! | [`keys`] | secrets and evaluation keys that lookups and AES share |
#![forbid(unsafe_code)]

pub mod aes;
pub mod bootstrapping;
mod circuit_parameters;
pub mod cost;
pub mod keys;
pub mod lookup;
pub mod noise;
pub mod parameters;
pub mod tree;
