//! Netlists of combinational circuits: reads BLIF and Yosys JSON, writes BLIF.
//!
//! Yosys makes both from Verilog, for example by
//!
//! ```text
//! yosys -p "read_verilog word.v; synth -flatten -top word; abc -g AND,XOR,MUX; opt_clean; write_json word.json"
//! ```
//!
//! Bits `a[0]`, `a[1]`, … of BLIF form a word `a`. Cells with a state, loops, unconnected nets, nets with two drivers
//! and unknown cells are refused with their line or name. Any text yields a circuit or an error, within [`limits`].
//!
//! | step | file |
//! |---|---|
//! | BLIF | `blif.rs`, `blif_writer.rs` |
//! | JSON of Yosys | `yosys_json.rs` |
//! | named cells with pins | `cells.rs`, `lut_cell.rs` |
//! | covers (sums of products) | `cover.rs` |
//! | drivers, loops, the circuit | `elaboration.rs` |

mod blif;
mod blif_writer;
mod cells;
mod cover;
mod elaboration;
mod error;
pub mod limits;
mod lut_cell;
mod yosys_json;

pub use blif::{read_blif, read_blif_forms};
pub use error::{NetlistError, Place};
pub use yosys_json::{read_yosys_json, read_yosys_json_forms};
