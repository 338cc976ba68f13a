//! Schedules: where a circuit's gates, cleanings and bootstraps are placed, before any ciphertext exists.
//!
//! Gates between bootstraps consume a level each and add noise. A bootstrap restores all levels and takes as long as
//! hundreds of gates. A schedule therefore bootstraps as few bits as possible, such that no bit runs out of levels and
//! none gets too noisy. XORs are free on the way into a bootstrap, because BinBoot of a sum is the parity of the
//! summands. An AND is free as well, because GateBoot evaluates it.
//!
//! | step | file |
//! |---|---|
//! | numbers of the engine that a schedule needs: levels, noise, work, memory | `model.rs` |
//! | majorities as gates of two bits | `majority_lowering.rs` |
//! | which nodes are bootstrapped | `placement.rs`, `vertex_cut.rs` |
//! | adders, whose carry and sum share one bootstrap | `full_adders.rs`, `cover.rs` |
//! | steps with levels and noise | `emission.rs` |
//! | lowering of bits to the levels that their readers need | `lowering.rs` |
//! | packed bits as such an engine | `encrypted_bits.rs` |
//! | failure probability of a word | `risk.rs` |
//! | when inputs are made, when ciphertexts are freed, memory | `input_supply.rs`, `live_ranges.rs` |
//! | search for the cheapest plan within the limits | `search.rs`, `remembered.rs` |
//! | the result, and its table | `plan.rs`, `table.rs` |

mod cover;
mod emission;
mod encrypted_bits;
mod full_adders;
mod input_supply;
mod live_ranges;
mod lowering;
mod majority_lowering;
mod model;
mod placement;
mod plan;
mod remembered;
mod risk;
mod search;
mod table;
mod vertex_cut;

pub use input_supply::InputSupply;
pub use lowering::InputLevels;
pub use model::{BitModel, Task};
pub use plan::{Operation, Plan, PlanError, Step, TableStep, ValueId};
pub use search::PlanOptions;
