//! Limits of a netlist. A circuit of these sizes would take days on encrypted bits.

use super::error::{NetlistError, Place};

/// Bytes of text.
pub const MAX_BYTES: usize = 1 << 26;
/// Gates and covers.
pub const MAX_GATES: usize = 1 << 20;
/// Nodes of the circuit.
pub const MAX_NODES: usize = 1 << 22;
/// Bits of all ports.
pub const MAX_PORT_BITS: usize = 1 << 16;
/// Bytes of a name.
pub const MAX_NAME: usize = 1 << 12;
/// Inputs of a cover.
pub const MAX_COVER_INPUTS: usize = 1 << 10;
/// Rows of a cover times its inputs.
pub const MAX_COVER_CELLS: usize = 1 << 20;

/// Checks that a size is within its limit.
pub(super) fn check(
    place: impl FnOnce() -> Place,
    what: &'static str,
    found: usize,
    limit: usize,
) -> Result<(), NetlistError> {
    if found <= limit {
        return Ok(());
    }
    Err(NetlistError::TooLarge { place: place(), what, found, limit })
}
