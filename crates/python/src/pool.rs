//! Threads for calls in forked processes.
//!
//! A process made by `os.fork` has none of its parent's threads, but its copy of the thread pool believes that it has:
//! work for that pool would wait forever. Calls in such a process run in a pool of its own.

use std::process;
use std::sync::{Arc, Mutex, OnceLock};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The process that loaded the library: its calls run in rayon's own pool.
static FIRST: OnceLock<u32> = OnceLock::new();

/// The pool of a forked process, and the identifier of that process.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Records the current process when the library is loaded.
pub(crate) fn note_process() {
    FIRST.get_or_init(process::id);
}

/// Runs a call in a pool that has threads in this process.
pub(crate) fn run<R: Send>(call: impl FnOnce() -> R + Send) -> R {
    if FIRST.get().is_none_or(|&first| first == process::id()) {
        return call();
    }
    of_this_process().install(call)
}

fn of_this_process() -> Arc<ThreadPool> {
    // Another thread may have held the lock when this process was forked: nobody would ever release it.
    let Ok(mut kept) = FORKED.try_lock() else { return new_pool() };
    match &*kept {
        Some((owner, pool)) if *owner == process::id() => pool.clone(),
        _ => {
            let pool = new_pool();
            // The threads of the parent's pool do not exist here: dropping it would wait for them.
            std::mem::forget(kept.replace((process::id(), pool.clone())));
            pool
        }
    }
}

fn new_pool() -> Arc<ThreadPool> {
    Arc::new(ThreadPoolBuilder::new().build().expect("the system starts threads"))
}
