//! Support for builds without optimisation. Vector kernels keep every word on the stack in such builds, and threads
//! that run other work while they wait pile up these frames beyond their 2 MiB of stack.

#[cfg(unoptimised)]
use std::sync::{Once, OnceLock};

/// The stack of a thread in builds without optimisation, in bytes. Untouched pages take no memory.
const STACK_BYTES: usize = 256 << 20;

/// Returns the stack size in bytes for threads that the library works on, or `None` if the default of 2 MiB is enough.
#[must_use]
pub fn stack_bytes() -> Option<usize> {
    cfg!(unoptimised).then_some(STACK_BYTES)
}

/// Runs a call where stacks are large enough. In a build without optimisation it runs on threads of its own, whatever
/// threads the program or earlier work has started; in other builds it runs directly.
///
/// # Panics
/// If the call panics, or if a build without optimisation cannot start threads.
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

/// Warns once, on standard error, that the build has no optimisation and how to change that. Does nothing in other
/// builds.
pub fn warn() {
    #[cfg(unoptimised)]
    {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            eprintln!(
                "cryptable is built without optimisation, about a hundred times slower: use `cargo run --release`, or \
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
