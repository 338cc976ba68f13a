//! Sums of rows of machine words times small factors, modulo 2^16, 2^32 or 2^64.
//!
//! Such a sum reads tens of megabytes once. Rows are therefore as narrow as their modulus allows, and four of them are
//! added at a time, while the sum stays in the first-level cache.
//!
//! Words of up to 24 bits are stored as [`Words24`], three bytes each in two planes, and summed as 32-bit words.

use crate::kernels::wrapping_sums;
pub use crate::kernels::wrapping_sums::Word;

/// `sum += Σ_r factors[r]·rows[r]`, wrapping. Rows are as long as the sum, and contiguous.
///
/// ```
/// use cryptable_ring::word_sums::add_multiples;
/// let mut sum = [1u32, 2];
/// add_multiples(&mut sum, &[10, 20, 100, 200], &[3, -1]);
/// assert_eq!(sum, [31u32.wrapping_sub(100), 62u32.wrapping_sub(200)]);
/// ```
///
/// # Panics
/// If the number of rows is not that of factors.
pub fn add_multiples<W: Word>(sum: &mut [W], rows: &[W], factors: &[i32]) {
    assert_eq!(rows.len(), sum.len() * factors.len());
    wrapping_sums::add_multiples(sum, rows, factors);
}

/// Words of 24 bits, in two planes: the lower 16 bits of all words, and the upper 8 of all words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words24 {
    low: Vec<u16>,
    high: Vec<u8>,
}

impl FromIterator<u32> for Words24 {
    /// Collects words. Bits from 24 on are dropped.
    fn from_iter<I: IntoIterator<Item = u32>>(words: I) -> Self {
        let (low, high) = words.into_iter().map(|word| (word as u16, (word >> 16) as u8)).unzip();
        Self { low, high }
    }
}

impl Words24 {
    /// Returns the memory of the words in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        2 * self.low.len() + self.high.len()
    }

    /// `sum += Σ_r factors[r]·rows[r]`, wrapping. The words are rows as long as the sum.
    ///
    /// ```
    /// use cryptable_ring::word_sums::Words24;
    /// let rows: Words24 = [10, 20, 70_000, 200].into_iter().collect();
    /// let mut sum = [1u32, 2];
    /// rows.add_multiples(&mut sum, &[3, 2]);
    /// assert_eq!(sum, [140_031, 462]);
    /// ```
    ///
    /// # Panics
    /// If the number of rows is not that of factors.
    pub fn add_multiples(&self, sum: &mut [u32], factors: &[i32]) {
        assert_eq!(self.low.len(), sum.len() * factors.len());
        wrapping_sums::add_multiples_24(sum, &self.low, &self.high, factors);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check<W: Word + PartialEq + std::fmt::Debug>(length: usize, factors: &[i32], words: &[u64]) {
        let word = |i: usize| W::from_u64(words[i % words.len()].wrapping_mul(2 * i as u64 + 1));
        let rows: Vec<W> = (0..length * factors.len()).map(word).collect();
        let start: Vec<W> = (0..length).map(|j| word(7 * j + 3)).collect();
        let expected: Vec<W> = (0..length)
            .map(|j| {
                let terms = factors.iter().enumerate();
                let products =
                    terms.map(|(r, &f)| i128::from(rows[r * length + j].to_u64()) * i128::from(f));
                W::from_u64((i128::from(start[j].to_u64()) + products.sum::<i128>()) as u64)
            })
            .collect();
        for of in [add_multiples::<W>, wrapping_sums::add_multiples_portable::<W>] {
            let mut sum = start.clone();
            of(&mut sum, &rows, factors);
            assert_eq!(sum, expected);
        }
    }

    fn check_24(length: usize, factors: &[i32], words: &[u64]) {
        let word = |i: usize| words[i % words.len()].wrapping_mul(2 * i as u64 + 1) as u32 >> 8;
        let rows: Vec<u32> = (0..length * factors.len()).map(word).collect();
        let mut expected: Vec<u32> = (0..length).map(word).collect();
        let (mut sum, mut portable) = (expected.clone(), expected.clone());
        add_multiples(&mut expected, &rows, factors);
        let rows: Words24 = rows.into_iter().collect();
        rows.add_multiples(&mut sum, factors);
        wrapping_sums::add_multiples_24_portable(&mut portable, &rows.low, &rows.high, factors);
        assert_eq!(sum, expected);
        assert_eq!(portable, expected);
        assert_eq!(rows.bytes(), 3 * length * factors.len());
    }

    proptest! {
        #[test]
        fn sums_are_those_of_wide_integers(
            length in 1usize..100,
            factors in prop::collection::vec(any::<i32>(), 0..11),
            words in prop::collection::vec(any::<u64>(), 1..20),
        ) {
            check::<u16>(length, &factors, &words);
            check::<u32>(length, &factors, &words);
            check::<u64>(length, &factors, &words);
            check_24(length, &factors, &words);
        }
    }
}
