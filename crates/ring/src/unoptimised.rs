//! Builds without optimisation: vector kernels keep every word on the stack there, and threads that take work of others while they
//! wait pile such frames up beyond the 2 MiB that threads have.

#[cfg(unoptimised)]
use std::sync::Once;

/// Bytes of a thread's stack in builds without optimisation. Pages that nobody touches take no memory.
const STACK_BYTES: usize = 256 << 20;

/// Bytes of stack for threads that the library works on; none where the default of 2 MiB will do.
#[must_use]
pub fn stack_bytes() -> Option<usize> {
    cfg!(unoptimised).then_some(STACK_BYTES)
}

/// Starts rayon's threads with the stacks that a build without optimisation needs, unless the program started them already. Nothing
/// in other builds.
pub fn start_threads() {
    #[cfg(unoptimised)]
    {
        static STARTED: Once = Once::new();
        STARTED.call_once(|| {
            // An error says that the program has threads of its own.
            let _ = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build_global();
        });
    }
}

/// Tells once, on standard error, that the build has no optimisation and what to do about it. Nothing in other builds.
pub fn warn() {
    #[cfg(unoptimised)]
    {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            eprintln!(
                "cryptable is built without optimisation, and takes some hundred times as long: `cargo run --release`, or \
                 [profile.dev.package.\"*\"] opt-level = 3 in Cargo.toml"
            );
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optimised_builds_keep_their_threads() {
        // Tests are built with optimisation.
        assert_eq!(stack_bytes(), None);
        start_threads();
        warn();
    }
}
