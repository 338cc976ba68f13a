//! Threads for calls in forked processes.
//!
//! A process that `os.fork` made has none of the threads of the one before, but the pool that was there believes that it
//! has: work for it would wait for ever. Calls in such a process run in a pool of its own.

use std::process;
use std::sync::{Arc, Mutex, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that loaded the library: its calls run in rayon's own pool.
static FIRST: OnceLock<u32> = OnceLock::new();

/// The pool of a process that was forked, and which process that is.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Notes which process this is, when the library is loaded.
pub(crate) fn note_process() {
    FIRST.get_or_init(process::id);
}

/// Runs a call where there are threads for it.
pub(crate) fn run<R: Send>(call: impl FnOnce() -> R + Send) -> R {
    if FIRST.get().is_none_or(|&first| first == process::id()) {
        return call();
    }
    of_this_process().install(call)
}

fn of_this_process() -> Arc<ThreadPool> {
    // Another thread may have held the lock when this process was forked: nobody would ever open it.
    let Ok(mut kept) = FORKED.try_lock() else { return new_pool() };
    match &*kept {
        Some((owner, pool)) if *owner == process::id() => pool.clone(),
        _ => {
            let pool = new_pool();
            // The threads of a former pool are not there: dropping it would wait for them.
            std::mem::forget(kept.replace((process::id(), pool.clone())));
            pool
        }
    }
}

fn new_pool() -> Arc<ThreadPool> {
    Arc::new(ThreadPoolBuilder::new().build().expect("the system starts threads"))
}
