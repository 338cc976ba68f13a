//! Progress within a circuit, and its cancellation.

use cryptable_lattice::Result;

/// Callback that is called after each step of a circuit. If it returns an error (cancellation), the circuit ends.
///
/// Dry runs pass a closure that does nothing. Several threads may call the callback at once.
pub(crate) type Step<'a> = &'a (dyn Fn() -> Result<()> + Sync);
