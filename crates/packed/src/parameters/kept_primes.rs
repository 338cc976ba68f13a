//! A cache of the primes of chains. A planner asks for the same primes hundreds of times, and finding them would take
//! longer than everything else it computes.

use cryptable_ckks::kept::Kept;
use cryptable_ring::primes::ntt_primes;

/// Primes nearest to a size, keyed by ring degree and size.
static LISTS: Kept<(usize, u64), Vec<u64>> = Kept::new();

/// Returns primes like [`ntt_primes`], and keeps them for later calls.
///
/// # Panics
/// In the same cases.
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

/// Returns the `count` primes nearest to a size, the nearest first.
fn nearest(degree: usize, log2_target: f64, count: usize) -> Vec<u64> {
    let is_enough = |list: &Vec<u64>| list.len() >= count;
    let search = || ntt_primes(degree, log2_target, count, &[]);
    let mut list = LISTS.get((degree, log2_target.to_bits()), is_enough, search);
    list.truncate(count);
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
            // Special primes of the same size must be different ones.
            let special = primes(1 << 12, log2_target, 3, &main);
            assert_eq!(special, ntt_primes(1 << 12, log2_target, 3, &main));
        }
    }
}
