//! Counts of what a circuit does: of all of it, and of its parts.

use std::ops::{AddAssign, Sub};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::stages::add_to;

/// Counts of what a circuit does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// NTTs of the ring degree, either direction.
    pub transforms: usize,
    /// Multiply-accumulates, in limbs of N words: keys, tensors, diagonals, constants.
    pub limb_products: usize,
    /// Multiply-accumulates of base conversions, in limbs of N words: inputs stay in the cache for all targets.
    pub conversion_products: usize,
    /// Switches by hybrid key switching keys.
    pub key_switches: usize,
    /// Multiply-accumulates of constants, in limbs of N words: inputs stay in the cache for all rows.
    pub combination_products: usize,
    /// Multiply-accumulates of table entries, in limbs of N words: they run from the cache.
    pub table_products: usize,
    /// Limbs of N words that key-switching digits of a single prime are lifted to: the words of one limb are written as many
    /// times as there are others, for a product each by [`Counts::conversion_products`].
    pub lifted_limbs: usize,
    /// Limbs of N words of keys and of encoded matrices that are read, from memory as a rule.
    pub streamed_limbs: usize,
}

/// Number of counts.
const FIELDS: usize = 8;

impl Counts {
    fn to_array(self) -> [usize; FIELDS] {
        [
            self.transforms,
            self.limb_products,
            self.conversion_products,
            self.key_switches,
            self.combination_products,
            self.table_products,
            self.lifted_limbs,
            self.streamed_limbs,
        ]
    }

    fn of_array(counts: [usize; FIELDS]) -> Self {
        let [transforms, limb_products, conversion_products, key_switches, rest @ ..] = counts;
        let [combination_products, table_products, lifted_limbs, streamed_limbs] = rest;
        Self {
            transforms,
            limb_products,
            conversion_products,
            key_switches,
            combination_products,
            table_products,
            lifted_limbs,
            streamed_limbs,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let (a, b) = (self.to_array(), other.to_array());
        *self = Self::of_array(std::array::from_fn(|i| a[i] + b[i]));
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let (a, b) = (self.to_array(), other.to_array());
        Self::of_array(std::array::from_fn(|i| a[i] - b[i]))
    }
}

/// Counts in halves, that threads add to without waiting for each other: a planner's dry runs do little else.
#[derive(Debug, Default)]
pub(crate) struct AtomicCounts([AtomicUsize; FIELDS]);

impl AtomicCounts {
    /// Adds this number of halves of counts.
    pub(crate) fn add(&self, more: Counts, halves: usize) {
        // Most of them are 0, and an atomic addition is what takes the time.
        for (count, more) in self.0.iter().zip(more.to_array()).filter(|(_, more)| *more != 0) {
            count.fetch_add(halves * more, Ordering::Relaxed);
        }
    }

    pub(crate) fn get(&self) -> Counts {
        Counts::of_array(std::array::from_fn(|i| self.0[i].load(Ordering::Relaxed).div_ceil(2)))
    }
}

/// Counts by part of a circuit: of those that ended, and when the one that runs began.
#[derive(Debug, Default)]
pub(crate) struct StageCounts {
    ended: Vec<(&'static str, Counts)>,
    running: Option<(&'static str, Counts)>,
}

impl StageCounts {
    /// The part of this name begins at these counts; the one that runs ends.
    pub(crate) fn begin(&mut self, name: &'static str, now: Counts) {
        self.ended = self.until(now);
        self.running = Some((name, now));
    }

    /// Returns the counts of every part so far.
    pub(crate) fn until(&self, now: Counts) -> Vec<(&'static str, Counts)> {
        let mut all = self.ended.clone();
        if let Some((name, before)) = self.running {
            add_to(&mut all, name, now - before);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_out_all_that_is_counted() {
        let (counts, mut stages) = (AtomicCounts::default(), StageCounts::default());
        let transforms = |transforms| Counts { transforms, ..Counts::default() };
        for (name, count) in [("first", 1), ("second", 10), ("first", 100)] {
            stages.begin(name, counts.get());
            counts.add(transforms(count), 2);
        }
        let expected = vec![("first", transforms(101)), ("second", transforms(10))];
        assert_eq!(stages.until(counts.get()), expected);
    }
}
