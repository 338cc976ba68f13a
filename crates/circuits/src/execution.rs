//! Execution of plans: on bits in the clear, on simulated noisy bits, on encrypted bits.
//!
//! | module | what |
//! |---|---|
//! | `engine` | the operations on bits that a plan needs |
//! | `executor` | runs steps as soon as they are ready, within the plan's window; frees bits after their last reader |
//! | `plain_bits` | bits in the clear |
//! | `simulated_bits`, `trigonometric_interpolation` | bits with noise and levels, without encryption: for tests of schedules |
//! | `encrypted_bits` | packed bits under encryption |

mod encrypted_bits;
mod engine;
mod executor;
mod plain_bits;
mod simulated_bits;
mod trigonometric_interpolation;

pub use engine::BitEngine;
pub use executor::{execute, execute_with, input_bits, output_words};
pub use plain_bits::PlainBits;
pub use simulated_bits::{SimulatedBits, SimulatedKey, SimulatedNoise, SimulatedParameters};
