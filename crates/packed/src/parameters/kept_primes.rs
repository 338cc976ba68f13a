//! The primes of chains, found once: a planner asks for the same ones hundreds of times, and finding them takes longer than
//! all else that it computes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use cryptable_ring::primes::ntt_primes;

/// Most lists that are kept: sizes come from files, too.
const MAX_LISTS: usize = 256;

/// Primes nearest to a size, by ring degree and size.
type Lists = BTreeMap<(usize, u64), Vec<u64>>;

static LISTS: Mutex<Lists> = Mutex::new(BTreeMap::new());

/// Returns primes like [`ntt_primes`], and keeps them for later calls.
///
/// # Panics
/// As there.
pub(crate) fn primes(degree: usize, log2_target: f64, count: usize, exclude: &[u64]) -> Vec<u64> {
    let mut wanted = count;
    loop {
        let mut found = nearest(degree, log2_target, wanted);
        found.retain(|prime| !exclude.contains(prime));
        found.truncate(count);
        if found.len() == count {
            return found;
        }
        wanted += count - found.len();
    }
}

/// So many primes nearest to a size, the nearest first.
fn nearest(degree: usize, log2_target: f64, count: usize) -> Vec<u64> {
    let key = (degree, log2_target.to_bits());
    let lists = || LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(list) = lists().get(&key).filter(|list| list.len() >= count) {
        return list[..count].to_vec();
    }
    // Not under the lock: others need not wait.
    let list = ntt_primes(degree, log2_target, count, &[]);
    let mut lists = lists();
    if lists.len() >= MAX_LISTS {
        lists.clear();
    }
    lists.insert(key, list.clone());
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_primes_are_those_that_are_searched() {
        for (log2_target, count) in [(40.0, 5), (40.0, 3), (40.0, 9), (41.5, 4)] {
            let main = primes(1 << 12, log2_target, count, &[]);
            assert_eq!(main, ntt_primes(1 << 12, log2_target, count, &[]));
            // Special primes of the same size are others.
            let special = primes(1 << 12, log2_target, 3, &main);
            assert_eq!(special, ntt_primes(1 << 12, log2_target, 3, &main));
        }
    }
}
