//! Functions of large packed values, one digit after the other: HomFloor and HomSign, Algorithms 2 and 3 of Alexandru,
//! Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623), and the digit decomposition of their Appendix D (Algorithm 6), for
//! digits of several sizes.
//!
//! | step | file |
//! |---|---|
//! | tables, matrices and scales of every digit, for ciphertexts and for dry runs | `circuit.rs` |
//! | the loop over the digits of a ciphertext | `digit_clearing.rs` |

pub(crate) mod circuit;
pub(crate) mod digit_clearing;
