//! Perfect hashes, by hash and displace, of keys in words, which cost one lookup.
//!
//! Two sums of the words, L and R modulo p, form different pairs for different keys. The hash is `L + F(R)` modulo p,
//! where F, a table of p displacements, is chosen so that no two keys collide. Keys with the same R have different L
//! and move together: each group, the largest first, moves to the first place where all its keys find room; single keys
//! fit anywhere. The hash is therefore minimal: p keys fill p places (Fox, Heath, Chen, Daoud, SIGIR 1992; Belazzougui,
//! Botelho, Dietzfelbinger, ESA 2009, for more than one displacement).
//!
//! Sums have small factors, since noise grows with factors. The factors of two of the words, the pivots, form a matrix
//! with an inverse modulo p, so that R, the hash and the other words together determine a key.

use cryptable_ring::primes::greatest_common_divisor;

use crate::words::circuit::words_of;

/// Number of pairs of sums that are tried.
const TRIES: u64 = 64;

/// A perfect hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PerfectHash {
    modulus: u64,
    /// Factors of the words in L and in R.
    pub factors: [Vec<i64>; 2],
    /// The words that L and R replace: these words of a key are not compared.
    pub pivots: [usize; 2],
    /// The table F of displacements.
    pub displacements: Vec<u64>,
}

impl PerfectHash {
    /// Finds a perfect hash of distinct keys in `words` words modulo p, at least two; `None` if the search failed.
    pub(crate) fn find(modulus: u64, words: usize, keys: &[u64]) -> Option<Self> {
        assert!(words >= 2, "a single word is its own hash");
        let keys: Vec<Vec<u64>> = keys.iter().map(|&key| words_of(key, modulus, words)).collect();
        let candidates = (0..TRIES).filter_map(|attempt| candidate(modulus, words, attempt));
        candidates.into_iter().find_map(|(pivots, factors)| {
            let mut hash = Self { modulus, factors, pivots, displacements: Vec::new() };
            let pairs: Vec<[u64; 2]> = keys.iter().map(|key| hash.pair(key)).collect();
            hash.displacements = displacements(modulus, pairs)?;
            Some(hash)
        })
    }

    /// The sums L and R of a key.
    fn pair(&self, key: &[u64]) -> [u64; 2] {
        [0, 1].map(|side| weighted_sum(&self.factors[side], key, self.modulus))
    }

    /// The sum R of a key, and its hash.
    pub(crate) fn place(&self, key: &[u64]) -> (u64, u64) {
        let [left, right] = self.pair(key);
        (right, (left + self.displacements[right as usize]) % self.modulus)
    }
}

fn weighted_sum(factors: &[i64], words: &[u64], modulus: u64) -> u64 {
    let terms = factors.iter().zip(words).map(|(&f, &x)| i128::from(f) * i128::from(x));
    terms.sum::<i128>().rem_euclid(i128::from(modulus)) as u64
}

/// Pivots and factors of the sums of an attempt. The first attempts have single words, later ones larger and larger
/// factors of the other words.
fn candidate(modulus: u64, words: usize, attempt: u64) -> Option<([usize; 2], [Vec<i64>; 2])> {
    let size = [0, 1, 1, 1, 2, 2, 3, 3][(attempt * 8 / TRIES) as usize];
    let mut state = attempt;
    let mut draw = |range: u64| {
        // SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same hash for the same keys.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % range
    };
    let left = draw(words as u64) as usize;
    let right = (left + 1 + draw(words as u64 - 1) as usize) % words;
    let mut factors = [vec![0; words], vec![0; words]];
    for (side, pivot) in [left, right].into_iter().enumerate() {
        for (word, factor) in factors[side].iter_mut().enumerate() {
            let other = draw(2 * size + 1) as i64 - size as i64;
            *factor = if word == pivot { 1 } else { other };
        }
    }
    let determinant = 1 - factors[0][right] * factors[1][left];
    let is_unit = greatest_common_divisor(determinant.unsigned_abs(), modulus) == 1;
    is_unit.then_some(([left, right], factors))
}

/// Computes displacements for pairs (L, R), if the pairs differ and all keys find places.
fn displacements(modulus: u64, mut pairs: Vec<[u64; 2]>) -> Option<Vec<u64>> {
    pairs.sort_unstable_by_key(|&[left, right]| (right, left));
    if pairs.windows(2).any(|two| two[0] == two[1]) || pairs.len() as u64 > modulus {
        return None;
    }
    let mut groups: Vec<&[[u64; 2]]> = pairs.chunk_by(|a, b| a[1] == b[1]).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut is_taken = vec![false; modulus as usize];
    let mut displacements = vec![0; modulus as usize];
    // All places before this one are taken.
    let mut first_free = 0;
    for group in groups {
        while first_free < modulus && is_taken[first_free as usize] {
            first_free += 1;
        }
        let place = |left: u64, displacement: u64| ((left + displacement) % modulus) as usize;
        // The first key of the group goes to each free place in turn.
        let displacement = (first_free..modulus).find_map(|free| {
            let displacement = (free + modulus - group[0][0]) % modulus;
            let fits = group.iter().all(|&[left, _]| !is_taken[place(left, displacement)]);
            fits.then_some(displacement)
        })?;
        group.iter().for_each(|&[left, _]| is_taken[place(left, displacement)] = true);
        displacements[group[0][1] as usize] = displacement;
    }
    Some(displacements)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(x: u64) -> u64 {
        let x = (x ^ (x >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }

    fn check(modulus: u64, words: usize, keys: &[u64]) {
        let hash = PerfectHash::find(modulus, words, keys).expect("a hash");
        let mut seen = vec![false; modulus as usize];
        for &key in keys {
            let (_, place) = hash.place(&words_of(key, modulus, words));
            assert!(!std::mem::replace(&mut seen[place as usize], true), "{key:x} collides");
        }
        assert!(hash.factors.iter().flatten().all(|factor| factor.abs() <= 3));
    }

    #[test]
    fn as_many_keys_as_places_have_one_each() {
        let p = 1 << 16;
        for (words, bits) in [(2, 32), (4, 64)] {
            let random: Vec<u64> = (0..p).map(|i| mix(i + 7) >> (64 - bits)).collect();
            check(p, words, &random);
            // Sequences in the lowest and the highest word, in steps, and a grid.
            check(p, words, &(0..p).collect::<Vec<_>>());
            check(p, words, &(0..p).map(|i| i << (bits - 16)).collect::<Vec<_>>());
            check(p, words, &(0..p).map(|i| i * 1000).collect::<Vec<_>>());
            check(
                p,
                words,
                &(0..p).map(|i| (i >> 8) << (bits / 2) | (i & 255)).collect::<Vec<_>>(),
            );
        }
    }

    #[test]
    fn small_and_odd_moduli() {
        for (modulus, words) in [(16u64, 2u32), (16, 4), (15, 2), (10, 3), (256, 4)] {
            let range = u64::try_from(u128::from(modulus).pow(words)).unwrap_or(u64::MAX);
            for count in [1, 2, modulus / 2, modulus] {
                let mut keys: Vec<u64> = (0..4 * count).map(|i| mix(i + count) % range).collect();
                keys.sort_unstable();
                keys.dedup();
                keys.truncate(count as usize);
                check(modulus, words as usize, &keys);
            }
        }
    }

    #[test]
    fn more_keys_than_places_have_none() {
        assert!(PerfectHash::find(16, 2, &(0..17).collect::<Vec<_>>()).is_none());
        assert!(PerfectHash::find(16, 2, &[5, 5]).is_none());
    }
}
