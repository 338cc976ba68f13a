//! Schedules: where a circuit's gates, cleanings and bootstraps are placed, before any ciphertext exists.
//!
//! Gates between bootstraps take a level each and add noise; a bootstrap gives all levels back and takes as long as
//! hundreds of gates. So a schedule bootstraps as few bits as possible, such that no bit runs out of levels and none gets
//! too noisy. XORs are free on the way into a bootstrap: BinBoot of a sum is the parity of the summands. An AND is, too:
//! GateBoot evaluates it.
//!
//! | step | file |
//! |---|---|
//! | what a schedule asks of the engine: levels, noise, work, memory | `model.rs` |
//! | majorities as gates of two bits | `majority_lowering.rs` |
//! | which nodes are bootstrapped | `placement.rs`, `vertex_cut.rs` |
//! | adders, of which carry and sum take one bootstrap | `full_adders.rs`, `cover.rs` |
//! | steps with levels and noise | `emission.rs` |
//! | levels that nobody needs are given up | `lowering.rs` |
//! | packed bits as such an engine | `encrypted_bits.rs` |
//! | how often a word is wrong | `risk.rs` |
//! | when inputs are made, when ciphertexts are freed, memory | `input_supply.rs`, `live_ranges.rs` |
//! | the cheapest that holds | `search.rs`, `remembered.rs` |
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
