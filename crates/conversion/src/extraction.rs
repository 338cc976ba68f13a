//! Extraction: the coefficients of an RLWE ciphertext modulo q_0 as LWE ciphertexts of single values (Sec. 6.1 of Bae,
//! Cheon, Kim, Stehlé, EUROCRYPT 2024).
//!
//! # Choice of the method
//! An LWE key switch of dimension N = 2^14 per value reads a key of 2^14·ℓ rows and adds the noise of all of them. With
//! dimension 2^10, it still takes 4.8 million products per value, 7.8·10^10 for all. But values of one ciphertext share
//! their mask: extracted value i is coefficient i of `b + a·z`, so its switch is coefficient i of products of
//! polynomials (`block_key_switching.rs`). By count, for n = 662, N = 2^14, digits of 2 bits, ℓ = 7; u is a transform
//! of degree 2^16:
//!
//! | after ring switching to degree N' = 2^10 | transforms | in u | products | key in memory | as sent |
//! |---|---|---|---|---|---|
//! | one value after the other (`cryptable_fhew::switching`) | 6 of 2^14 | 1.3 | 7.8·10^10 | 10 MB | 14 KB |
//! | a block at once (**chosen**) | 6 of 2^14, 10,720 of 2^10 | 106 | 7.6·10^7 | 38 MB | 14 KB |
//!
//! Ring switching adds a key of 4 rows of degree N: 0.5 MB in memory, 0.2 MB sent. Without it, products would have
//! degree N, and noise would be that of 16 times the number of rows.
//!
//! Values that are used under a ring secret of FHEW, such as integers of many bits and inputs of circuit bootstrapping,
//! need no LWE key switch: that secret is the secret of blocks, so a block's coefficients already are such LWE
//! ciphertexts ([`ExtractionKey::take_out`]).
//!
//! Levels: none; the ciphertext is modulo q_0, the last prime.

pub(crate) mod block_key_switching;
mod extraction_key;
mod ring_extraction;

pub use extraction_key::{ExtractionKey, ExtractionRows, SeededExtractionKey};
