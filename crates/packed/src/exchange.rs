//! Batcher's networks (1968) over the places of a ciphertext: the bitonic network for merging, the odd-even network for
//! sorting.
//!
//! Every pair of a network ends up with the value that comes first in order at its first place.

/// Pairs of places that are compared in one step, and exchanged if their values are not in order.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Distance from the first place of a pair to the second.
    distance: usize,
    /// The first place that belongs to a pair.
    start: usize,
    /// Size of blocks of places: both places of a pair are in the same block.
    block: usize,
}

impl Exchange {
    /// Returns the exchanges that sort `places` places, a power of two, whose values rise and then fall.
    pub fn of_merge(places: usize) -> impl Iterator<Item = Self> {
        let exchange = move |log2: u32| Self { distance: 1 << log2, start: 0, block: places };
        (0..places.ilog2()).rev().map(exchange)
    }

    /// Returns the exchanges that sort the first `rows` places: merges of pairs, of fours, and so on, where a merge of
    /// 2^k places has k exchanges. Other places are not read, as if their values came last.
    ///
    /// ```
    /// use cryptable_packed::Exchange;
    /// let mut values = [5, 2, 9, 1, 7];
    /// for exchange in Exchange::of_sort(values.len()) {
    ///     for place in (0..values.len()).filter(|&place| exchange.is_first(place, 5)) {
    ///         let second = place + exchange.distance();
    ///         if values[second] < values[place] {
    ///             values.swap(place, second);
    ///         }
    ///     }
    /// }
    /// assert_eq!(values, [1, 2, 5, 7, 9]);
    /// assert_eq!((Exchange::of_sort(5).count(), Exchange::of_sort(65_536).count()), (6, 136));
    /// ```
    pub fn of_sort(rows: usize) -> impl Iterator<Item = Self> {
        let merge = |log2: u32| {
            let exchange = move |distance: u32| Self {
                distance: 1 << distance,
                start: if distance == log2 { 0 } else { 1 << distance },
                block: 2 << log2,
            };
            (0..=log2).rev().map(exchange)
        };
        (0..rows.next_power_of_two().ilog2()).flat_map(merge)
    }

    /// Returns the distance between the places of a pair.
    #[must_use]
    pub fn distance(self) -> usize {
        self.distance
    }

    /// Returns whether a place is the first of a pair whose places are both below `rows`.
    #[must_use]
    pub fn is_first(self, place: usize, rows: usize) -> bool {
        let Self { distance, start, block } = self;
        let is_first = place >= start && (place - start) & distance == 0;
        is_first && place / block == (place + distance) / block && place + distance < rows
    }
}
