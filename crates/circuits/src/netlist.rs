//! Netlists of combinational circuits: BLIF in and out, Yosys JSON in.
//!
//! Yosys makes both of Verilog, e.g. by
//!
//! ```text
//! yosys -p "read_verilog word.v; synth -flatten -top word; abc -g AND,XOR,MUX; opt_clean; write_json word.json"
//! ```
//!
//! Bits `a[0]`, `a[1]`, … of BLIF are a word `a`. Whatever has a state or a loop, is not connected, has two drivers or is
//! no known cell is refused, by its line or name; any text gives a circuit or an error, within [`limits`].
//!
//! | step | file |
//! |---|---|
//! | BLIF | `blif.rs`, `blif_writer.rs` |
//! | JSON of Yosys | `yosys_json.rs` |
//! | cells with names and pins | `cells.rs`, `lut_cell.rs` |
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
