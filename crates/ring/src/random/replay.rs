//! Replay of statistical tests: the seeds that a test draws derive from one number, which the test prints.
//!
//! This module exists in tests only, behind the feature `replay`, which crates enable among their development
//! dependencies and never for a product. Even where it is compiled in, nothing reads the environment, and seeds come
//! from the operating system, until a test calls [`begin`].
//!
//! A statistical test begins with
//! ```ignore
//! let _replay = replay::begin();
//! ```
//! which reads the number from the environment variable `CRYPTABLE_TEST_SEED`, or else draws one, the same for all
//! tests of a process, and prints it; the test harness shows it if the test fails. Until the guard is dropped, the
//! seeds that this thread draws come from a ChaCha20 stream, which is named by the number and by the place of the call:
//! - Keys that tests share begin a replay of their own where they are made. They do not depend on the test that makes
//!   them, and making them does not change the other seeds of that test.
//! - Parallel samples that draw begin a [`part`] each, and do not depend on the threads they run on.
//!
//! All other seeds that worker threads of Rayon draw while any test replays come from one stream of the process, in an
//! order that depends on scheduling. A test with such seeds is exactly repeatable only if it runs by itself on one
//! worker, each time:
//! ```sh
//! CRYPTABLE_TEST_SEED=… RAYON_NUM_THREADS=1 cargo test NAME -- --exact --test-threads=1
//! ```

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, OnceLock};

use rand::rngs::OsRng;
use rand::{RngCore, TryRngCore};

use super::key_stream::KeyStream;

/// The environment variable that sets the number.
pub const SETTING: &str = "CRYPTABLE_TEST_SEED";

thread_local! {
    /// The generator that the innermost guard of this thread installed.
    static OWN: RefCell<Option<Box<KeyStream>>> = const { RefCell::new(None) };
}

/// The stream of worker threads that have none of their own.
static SHARED: Mutex<Shared> = Mutex::new(Shared { guards: 0, stream: None });

struct Shared {
    /// The number of guards; without any, the stream is not used.
    guards: usize,
    stream: Option<Box<KeyStream>>,
}

fn shared() -> MutexGuard<'static, Shared> {
    SHARED.lock().expect("nothing panics with the lock")
}

/// The number of this process.
fn number() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER.get_or_init(|| match std::env::var_os(SETTING) {
        Some(text) => text
            .to_str()
            .and_then(|text| text.parse().ok())
            .unwrap_or_else(|| panic!("{SETTING} is {text:?}, not a number below 2^64")),
        None => OsRng.try_next_u64().expect("the operating system provides randomness"),
    })
}

fn stream(name: impl Hash) -> Box<KeyStream> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&number().to_le_bytes());
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    KeyStream::new(&key, hasher.finish())
}

/// Guard that replays the seeds of this thread until it is dropped. Guards nest.
#[must_use = "without the guard nothing is replayed"]
pub struct Replay {
    /// The stream of the guard around this one.
    outer: Option<Box<KeyStream>>,
    /// Guards stay on the thread whose stream they installed.
    not_send: PhantomData<*const ()>,
}

impl std::fmt::Debug for Replay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replay")
    }
}

impl Replay {
    fn install(stream: Box<KeyStream>) -> Self {
        let outer = OWN.replace(Some(stream));
        Self { outer, not_send: PhantomData }
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        OWN.set(self.outer.take());
        shared().guards -= 1;
    }
}

/// Replays the seeds that this thread draws from now on, and prints the number unless an outer guard did. Calls at one
/// place in the source replay the same seeds.
///
/// # Panics
/// If the environment variable is set, but not to a number, or if the operating system provides no
/// randomness.
#[track_caller]
pub fn begin() -> Replay {
    let own = stream(Location::caller());
    if OWN.with_borrow(Option::is_none) {
        let thread = std::thread::current();
        println!("{SETTING}={} (test {})", number(), thread.name().unwrap_or("without a name"));
    }
    let mut shared = shared();
    shared.guards += 1;
    if shared.guards == 1 {
        shared.stream = Some(stream("worker threads"));
    }
    drop(shared);
    Replay::install(own)
}

/// Replays the seeds of one of several samples, on whichever thread it runs. Does nothing unless a
/// test replays.
#[track_caller]
pub fn part(index: u64) -> Option<Replay> {
    let mut shared = shared();
    if shared.guards == 0 {
        return None;
    }
    shared.guards += 1;
    drop(shared);
    Some(Replay::install(stream((Location::caller(), index))))
}

/// Draws the bytes of a seed from the active replay. Returns false if there is none.
pub(super) fn fill(bytes: &mut [u8]) -> bool {
    let mut draw = |stream: &mut Option<Box<KeyStream>>| {
        stream.as_mut().map(|stream| stream.fill_bytes(bytes)).is_some()
    };
    if OWN.with_borrow_mut(&mut draw) {
        return true;
    }
    if rayon::current_thread_index().is_none() {
        return false;
    }
    let mut shared = shared();
    shared.guards > 0 && draw(&mut shared.stream)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw() -> [u8; 32] {
        let mut bytes = [0; 32];
        assert!(fill(&mut bytes));
        bytes
    }

    /// Draws the bytes that keys shared between tests would draw.
    fn shared_keys() -> [u8; 32] {
        let _replay = begin();
        draw()
    }

    #[test]
    fn guards_nest_and_leave_the_stream_around_them_alone() {
        assert!(!fill(&mut [0; 32]));
        let rounds = [false, true].map(|is_nested| {
            let _replay = begin();
            let first = draw();
            if is_nested {
                assert_eq!(shared_keys(), shared_keys());
                assert_ne!(shared_keys(), first);
            }
            (first, draw())
        });
        assert_eq!(rounds[0], rounds[1]);
        assert_ne!(rounds[0].0, rounds[0].1);
        let _elsewhere = begin();
        assert_ne!(draw(), rounds[0].0);
    }

    #[test]
    fn parts_do_not_depend_on_threads() {
        let _replay = begin();
        let sample = |index: u64| {
            let _part = part(index);
            draw()
        };
        let here = [0, 1].map(sample);
        assert_ne!(here[0], here[1]);
        let there = std::thread::spawn(move || [1, 0].map(sample)).join().unwrap();
        assert_eq!(there, [here[1], here[0]]);
        // Threads without a replay draw from the operating system.
        assert!(!std::thread::spawn(|| fill(&mut [0; 32])).join().unwrap());
    }
}
