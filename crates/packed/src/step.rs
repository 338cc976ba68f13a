//! Progress within a circuit, and its cancellation.

use cryptable_lattice::Result;

/// Callback after each step of a circuit; its error (cancellation) ends the circuit.
///
/// Dry runs pass a closure that does nothing. It may be called from several threads at once.
pub(crate) type Step<'a> = &'a (dyn Fn() -> Result<()> + Sync);
