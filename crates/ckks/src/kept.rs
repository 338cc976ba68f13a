//! A cache for results that a planner needs hundreds of times.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Largest number of cached results: arguments may come from files.
const MAX_KEPT: usize = 256;

/// The cached results of a function, by its arguments.
///
/// ```
/// use cryptable_ckks::kept::Kept;
/// static SQUARES: Kept<u32, u32> = Kept::new();
/// assert_eq!(SQUARES.get(3, |_| true, || 9), 9);
/// assert_eq!(SQUARES.get(3, |_| true, || panic!("it is kept")), 9);
/// ```
#[derive(Debug, Default)]
pub struct Kept<K, V>(Mutex<BTreeMap<K, V>>);

impl<K: Ord, V: Clone> Kept<K, V> {
    /// Makes an empty cache.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Returns the cached result for a key, or computes and caches it if there is none for which `serves` holds.
    pub fn get(&self, key: K, serves: impl Fn(&V) -> bool, make: impl FnOnce() -> V) -> V {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(&key).filter(|it| serves(it)) {
            return kept.clone();
        }
        // Computed without the lock, so that others need not wait.
        let made = make();
        let mut all = lock();
        if all.len() >= MAX_KEPT {
            all.clear();
        }
        all.insert(key, made.clone());
        made
    }
}
