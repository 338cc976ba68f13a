//! Packing: converts LWE ciphertexts of dimension N to RLWE ciphertexts, whose phases contain theirs in some coefficients.
//!
//! | file | algorithm |
//! |---|---|
//! | `trace` | the field trace: log2 N automorphism keys (Chen, Dai, Kim, Song, ACNS 2021) |
//! | `compressed_list` | many ciphertexts packed by the trace for a client that only decrypts |

mod compressed_list;
pub(crate) mod trace;

pub use trace::{PackedLength, TraceKey, exponents};
