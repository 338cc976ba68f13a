//! Builds without optimisation: vector kernels keep every word on the stack there, and threads that take work of others while they
//! wait pile such frames up beyond the 2 MiB that threads have.

#[cfg(unoptimised)]
use std::sync::{Once, OnceLock};

/// Bytes of a thread's stack in builds without optimisation. Pages that nobody touches take no memory.
const STACK_BYTES: usize = 256 << 20;

/// Returns the bytes of stack for threads that the library works on; none where the default of 2 MiB will do.
#[must_use]
pub fn stack_bytes() -> Option<usize> {
    cfg!(unoptimised).then_some(STACK_BYTES)
}

/// Runs a call where stacks are large enough: in a build without optimisation on threads of its own, whatever threads the program or
/// earlier work has started; in other builds at once.
///
/// # Panics
/// If the call does, or a build without optimisation cannot start threads.
pub fn on_large_stacks<R: Send>(call: impl FnOnce() -> R + Send) -> R {
    #[cfg(unoptimised)]
    {
        static POOL: OnceLock<rayon::ThreadPool> = OnceLock::new();
        let start = || rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES).build();
        let pool = POOL.get_or_init(|| start().expect("threads can be started"));
        pool.install(call)
    }
    #[cfg(not(unoptimised))]
    call()
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
        assert_eq!(on_large_stacks(|| std::thread::current().id()), std::thread::current().id());
        warn();
    }
}
