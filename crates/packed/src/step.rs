//! Progress within a circuit, and its cancellation.

use cryptable_lattice::Result;

/// Callback after each step of a circuit; its error (cancellation) ends the circuit.
///
/// Dry runs pass a closure that does nothing. Several threads may call it at once.
pub(crate) type Step<'a> = &'a (dyn Fn() -> Result<()> + Sync);
