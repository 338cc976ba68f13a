//! Results that a planner asks for hundreds of times.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Most results that are kept: arguments come from files, too.
const MAX_KEPT: usize = 256;

/// The results of a function, by its arguments.
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
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Returns the result that is kept for a key, or makes one and keeps it, if there is none that serves.
    pub fn get(&self, key: K, serves: impl Fn(&V) -> bool, make: impl FnOnce() -> V) -> V {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = lock().get(&key).filter(|it| serves(it)) {
            return kept.clone();
        }
        // Not under the lock: others need not wait.
        let made = make();
        let mut all = lock();
        if all.len() >= MAX_KEPT {
            all.clear();
        }
        all.insert(key, made.clone());
        made
    }
}
