//! Ring packing: LWE ciphertexts of single values become one RLWE ciphertext of packed values (HERMES: Bae, Cheon, Kim,
//! Park, Stehlé, CRYPTO 2023, ePrint 2023/1244).
//!
//! # Choice of the method
//! The column method (`column_method.rs`) needs an RLWE ciphertext of every coefficient of the LWE secret. Its work
//! does not depend on the degree of these ciphertexts, but its key does. So blocks of degree N' are packed, and ring
//! switching joins them into one ciphertext. By count, for n = 662 and N = 2^14 values, digits of 16 bits and one prime
//! below 2^50; u is a transform of degree 2^16, and products with key words come in pairs, for body and mask, one pair
//! per column and word:
//!
//! | columns of | transforms | in u | products | key in memory | as sent |
//! |---|---|---|---|---|---|
//! | degree N = 2^14 | 662 of 2^14 | 145 | 2·n·N | 174 MB | 68 MB |
//! | degree N' = 2^11, then ring switching (**chosen**) | 5,312 of 2^11, 4 of 2^14 | 115 | 2·n·N | 22 MB | 9 MB |
//! | degree 2^10 and rank 2 (MLWE), then both switches | 10,592 of 2^10, 4 of 2^14 | 104 | 3·n·N | 16 MB | 5 MB |
//! | degree 2^8 and rank 8 | 42,368 of 2^8, 4 of 2^14 | 84 | 9·n·N | 12 MB | 1 MB |
//!
//! Ranks above 1 trade a level of transforms for a product with the key, which costs about the same, and their keys are
//! no longer what limits time or memory. Lower degrees with rank 1 have too small a modulus. A key that packs one LWE
//! ciphertext at a time (`cryptable_fhew::packing`) needs N²·n products, and the trace 14 key switches per ciphertext.
//!
//! Levels: none; a gate's LWE ciphertexts become a ciphertext modulo q_0, like the result of SlotsToCoeffs.

pub(crate) mod column_method;
mod ring_packing_key;

pub use ring_packing_key::{PackingRows, RingPackingKey, SeededRingPackingKey};
