//! Operation counts of a circuit, in all and for each of its parts.

use std::ops::{AddAssign, Sub};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::stages::add_to;

/// Operation counts of a circuit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// NTTs of the ring degree, either direction.
    pub transforms: usize,
    /// Multiply-accumulates, in limbs of N words: keys, tensors, diagonals, constants.
    pub limb_products: usize,
    /// Multiply-accumulates of base conversions, in limbs of N words. Inputs stay in the cache for all targets.
    pub conversion_products: usize,
    /// Number of hybrid key switches.
    pub key_switches: usize,
    /// Multiply-accumulates of constants, in limbs of N words. Inputs stay in the cache for all rows.
    pub combination_products: usize,
    /// Multiply-accumulates of table entries, in limbs of N words. They run from the cache.
    pub table_products: usize,
    /// Limbs of N words to which key-switching digits of a single prime are lifted. The words of one limb are written
    /// once for each other limb, with one product each of [`Counts::conversion_products`].
    pub lifted_limbs: usize,
    /// Limbs of N words of keys and of encoded matrices that are read, usually from memory.
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

/// Counts in halves, to which threads add without waiting for each other: planners' dry runs do little else.
#[derive(Debug, Default)]
pub(crate) struct AtomicCounts([AtomicUsize; FIELDS]);

impl AtomicCounts {
    /// Adds `halves` halves of counts.
    pub(crate) fn add(&self, more: Counts, halves: usize) {
        // Most counts are 0, and the atomic additions take the time.
        for (count, more) in self.0.iter().zip(more.to_array()).filter(|(_, more)| *more != 0) {
            count.fetch_add(halves * more, Ordering::Relaxed);
        }
    }

    pub(crate) fn get(&self) -> Counts {
        Counts::of_array(std::array::from_fn(|i| self.0[i].load(Ordering::Relaxed).div_ceil(2)))
    }
}

/// Counts by part of a circuit: finished parts, and the start of the running one.
#[derive(Debug, Default)]
pub(crate) struct StageCounts {
    ended: Vec<(&'static str, Counts)>,
    running: Option<(&'static str, Counts)>,
}

impl StageCounts {
    /// Begins the part with this name at these counts, and ends the running one.
    pub(crate) fn begin(&mut self, name: &'static str, now: Counts) {
        self.ended = self.until(now);
        self.running = Some((name, now));
    }

    /// Returns the counts of all parts so far.
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
