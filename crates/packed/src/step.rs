//! Progress within a circuit, and its cancellation.

use cryptable_lattice::Result;

/// What a circuit calls after each of its steps; an error (cancellation) ends it there.
///
/// Dry runs pass a closure that does nothing. It may be called from several threads at once.
pub(crate) type Step<'a> = &'a (dyn Fn() -> Result<()> + Sync);
