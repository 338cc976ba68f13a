//! The arithmetic under every scheme of `cryptable`.
//!
//! The crate covers words modulo one prime ([`Modulus`]), number-theoretic transforms ([`NttTable`]), polynomials in residue
//! number system form ([`Poly`] over a [`Ring`]), base conversion, automorphisms, the canonical embedding, and the
//! random streams and samplers. Every loop over coefficients and all SIMD code of the workspace live in this crate, the
//! SIMD code in [`kernels`].
//!
//! There are two families of rings: [`Ring`], for many primes and large degrees, and [`prime_ring::PrimeRing`], for one
//! prime and polynomials that fit the first-level cache, with [`torus`] fractions as coefficients and [`gadget`]
//! decompositions.

mod arena;
mod base_conversion;
mod basis;
mod buffer;
mod byte_buffer;
pub mod columns;
pub mod combination;
pub mod combined_tensor;
mod digit_product;
mod embedding;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod fourier_twiddles;
mod fraction_digits;
pub mod gadget;
mod half_ring;
mod isa;
pub mod kernels;
mod moduli;
mod modulus;
pub mod modulus_switch;
mod ntt;
pub mod oblivious;
mod packed_layout;
mod poly;
pub mod prime_ring;
pub mod primes;
pub mod processor;
pub mod public_divisor;
pub mod quarter_combinations;
pub mod random;
pub mod real_traces;
mod reserve;
mod ring;
mod roots;
mod rounded_division;
pub mod rounding;
mod secret_slots;
pub mod selected_product;
mod stack;
pub mod torus;
pub mod unit;
pub mod unoptimised;
pub mod word_sums;

pub use arena::{BufferUsage, buffer_usage, release_buffers, reset_buffer_peak};
pub use basis::{Basis, Chain, SharedLimbs};
pub use buffer::Buffer;
pub use byte_buffer::ByteBuffer;
pub use embedding::Embedding;
pub use isa::{Isa, UnknownIsa};
pub use moduli::RingModuli;
pub use modulus::Modulus;
pub use ntt::NttTable;
pub use packed_layout::PackedLayout;
pub use poly::{Coefficients, Domain, Evaluations, Poly};
pub use reserve::{WithReserve, catch_refused, keep_reserve, refused_allocation, reserved};
pub use ring::{Ring, inverse_element, rotation_element};
pub use rounded_division::RoundedDivision;
pub use secret_slots::SecretSlots;
pub use stack::clear_stack;
