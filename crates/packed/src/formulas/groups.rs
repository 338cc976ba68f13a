//! Groups of rows that results of formulas are added up over, and the places of the sums.
//!
//! With w groups, w a power of two, each place of a result holds the sum of a group over w rows: a partial sum. Whoever
//! decrypts the result adds up the partial sums of each group. Place r belongs to group `reversed(r mod w)`, the number
//! with reversed log2 w bits, since values are in slots in bit-reversed order.

use cryptable_lattice::coefficient_ciphertext::CoefficientCiphertext;
use cryptable_lattice::error::{Error, Result, check_within};

/// Minimum number of groups that are evaluated: tables of two entries are cosines, which have no constants in their
/// scale.
const LEAST_GROUPS: u64 = 4;

/// Maximum number of groups: sums of more rows are too noisy.
const MAX_GROUPS: u64 = 1 << 10;

/// Groups of rows with the same value of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// Number of the column.
    column: usize,
    /// Number of groups, a power of two that divides the modulus of columns.
    count: usize,
}

impl Groups {
    /// Levels that sums by groups use: one for products with the bit of a group, and one for products with 0 where
    /// there is no row.
    pub(crate) const HEIGHT: usize = 2;

    /// The number of groups that are evaluated if `groups` are requested: the next power of two.
    fn count_of(groups: u64) -> u64 {
        groups.max(LEAST_GROUPS).next_power_of_two()
    }

    /// Groups rows by the value of a column, with at least the requested number of groups.
    ///
    /// # Errors
    /// If there are too many, or their number rounded up to a power of two does not divide the modulus.
    pub(crate) fn new(column: usize, groups: u64, input_modulus: u64) -> Result<Self> {
        check_within("number of groups", groups, ..=MAX_GROUPS)?;
        let count = Self::count_of(groups);
        if !input_modulus.is_multiple_of(count) {
            let expected = format!("a multiple of {count}, for {groups} groups");
            return Err(Error::mismatch("modulus of columns", input_modulus, expected));
        }
        Ok(Self { column, count: count as usize })
    }

    /// The number of the column.
    pub(crate) fn column(self) -> usize {
        self.column
    }

    /// The number of groups.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// The minimum number of columns.
    pub(crate) fn columns(self) -> usize {
        self.column + 1
    }

    /// The least and the largest partial sum: with w groups, a sum over w rows, some of which may not belong to the
    /// group.
    pub(crate) fn range(self, (low, high): (i64, i64)) -> (i64, i64) {
        let rows = self.count as i64;
        (low.min(0).saturating_mul(rows), high.max(0).saturating_mul(rows))
    }

    /// The group whose sum a place holds.
    fn of_place(self, place: usize) -> usize {
        (place % self.count).reverse_bits() >> (usize::BITS - self.count.ilog2())
    }

    /// Computes the group of each row minus the group of its place, modulo the number of groups, from the ciphertext of
    /// the column: 0 where both are the same, -1 where the place whose sum the row belongs to is one turn of the slots
    /// away, and so on.
    ///
    /// # Errors
    /// Never, for moduli that groups divide.
    pub(crate) fn differences(
        self,
        column: &CoefficientCiphertext,
    ) -> Result<CoefficientCiphertext> {
        let modulus = column.plaintext_modulus;
        let unit = modulus / self.count as u64;
        let of_place = |row| (self.count - self.of_place(row)) as u64 * unit % modulus;
        let offsets: Vec<u64> = (0..column.layout.count).map(of_place).collect();
        column.mul_scalar(unit as i64).add_plain(&offsets)
    }

    /// The table on [`Groups::differences`] that is 1 for rows whose sum is this number of turns of the slots away.
    pub(crate) fn delta(groups: usize, turns: usize) -> Vec<f64> {
        let value = (groups - turns) % groups;
        (0..groups).map(|it| f64::from(it == value)).collect()
    }
}

/// Adds up decrypted sums by groups ([`crate::PreparedFormulas::by_group`]): one sum for each of `groups` groups. If
/// results of a formula may be negative, they are representatives around 0 of the given modulus.
///
/// ```
/// use cryptable_packed::group_totals;
/// // Places are of groups 0, 2, 1, 3, and again.
/// assert_eq!(group_totals(&[1, 2, 3, 4, 5, 6, 7, 8], 4, None), [6, 10, 8, 12]);
/// assert_eq!(group_totals(&[1, 2, 15, 4], 3, Some(16)), [1, -1, 2]);
/// ```
///
/// # Panics
/// If there are more than 2^62 groups.
#[must_use]
pub fn group_totals(results: &[u64], groups: usize, signed_modulus: Option<u64>) -> Vec<i64> {
    let all = Groups { column: 0, count: Groups::count_of(groups as u64) as usize };
    let mut totals = vec![0; all.count];
    for (place, &result) in results.iter().enumerate() {
        let negative = signed_modulus.filter(|modulus| result >= modulus.div_ceil(2)).unwrap_or(0);
        let total = &mut totals[all.of_place(place)];
        *total = i64::saturating_add(*total, result as i64 - negative as i64);
    }
    totals.truncate(groups);
    totals
}
