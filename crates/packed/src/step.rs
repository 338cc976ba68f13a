//! Progress within a circuit, and its cancellation.

use cryptable_lattice::Result;

/// What a circuit calls after each of its steps; an error (cancellation) ends it there.
///
/// Dry runs pass a closure that does nothing.
pub(crate) type Step<'a> = &'a dyn Fn() -> Result<()>;
