//! The arithmetic under every scheme of `cryptable`.
//!
//! Words modulo one prime ([`Modulus`]), number-theoretic transforms ([`NttTable`]), polynomials in
//! residue number system form ([`Poly`] over a [`Ring`]), base conversion, automorphisms, the
//! canonical embedding, and the random streams and samplers. Every loop over coefficients and all
//! SIMD code of the workspace live here.

pub mod base_conversion;
pub mod buffer;
pub mod combination;
pub mod embedding;
pub mod external_product;
pub mod gadget;
pub mod kernels;
pub mod modulus;
pub mod modulus_switch;
pub mod ntt;
pub mod poly;
pub mod prime_ring;
pub mod primes;
pub mod processor;
pub mod random;
pub mod ring;
pub mod row_sums;
pub mod selected_product;
pub mod torus;
pub mod unit;
pub mod word_sums;

pub use buffer::Buffer;
pub use embedding::Embedding;
pub use modulus::{Isa, Modulus};
pub use ntt::NttTable;
pub use poly::{Coefficients, Evaluations, Poly};
pub use ring::{Basis, Ring};
