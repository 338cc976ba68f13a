//! Integer matrices modulo small numbers, for products of bytes by VNNI.
//!
//! A sum of products of entries with words is known as soon as it is known modulo coprime numbers whose product M
//! exceeds its range. For words centred modulo Q, and a row whose absolute values add up to E, this means `M > Q·E`.
//! Numbers up to 256 store eight bits in a byte, so that the number of byte products is a tenth of the range's bits,
//! whereas words of seven bytes and entries of k bytes take 7k. A word stands for up to three limbs at once, with Q the
//! product of their primes, so that the bits of E count only once.
//!
//! Products of tiles use Strassen's algorithm in Winograd's form, with seven products instead of eight: sums of
//! residues are residues again. The factors from the entries are computed here, once per table.

use std::ops::Range;

use rayon::prelude::*;

use super::common_factor::common_factor;

/// Coprime numbers up to 256: residues are unsigned bytes, and centred ones signed bytes.
pub(super) const MODULI: [u16; 24] = [
    256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193, 191, 181, 179,
    173, 167, 163, 157, 151,
];

/// Rows whose sums are kept in registers: with two vectors of words, they take 26 of 32.
pub(super) const STRIPE_ROWS: usize = 13;

/// Rows of a tile: an upper stripe and a lower one.
pub(super) const RESIDUE_TILE_ROWS: usize = 2 * STRIPE_ROWS;

/// Columns whose products one instruction adds up.
pub(super) const QUAD: usize = 4;

/// Products of stripes with halves of the columns that add up to the product of a tile.
pub(super) const PRODUCTS: usize = 7;

/// The most limbs of a group.
pub(super) const MAX_GROUP: usize = 3;

/// Moduli of limbs are below 2 to this power.
pub(super) const LIMB_BITS: u32 = 50;

/// The number of moduli that distinguish entries below 2^39 in absolute value: their product is above 2^47.
const ENTRY_PLANES: usize = 6;

/// The margin for rounding, in bits: products of small numbers must exceed the range by it.
const MARGIN_BITS: f64 = 0.001;

/// The entries of a stripe and four columns.
pub(super) type Stripe = [[i8; QUAD]; STRIPE_ROWS];

/// Entries divided by a common factor, as centred residues modulo [`MODULI`], in the sums that are multiplied:
/// `[tile][modulus][product][4 columns][row][column]`.
///
/// With `A` in halves of rows and columns, these sums are, in the order in which they are read: `A11`, `A12`,
/// `S2 = S1 - A11`, `S3 = A11 - A21`, `-A22`, `S1 = A21 + A22`, `S4 = A12 - S2`.
#[derive(Debug)]
pub(super) struct ResidueEntries {
    residues: Vec<Stripe>,
    /// A common divisor, by which all entries were divided.
    pub(super) factor: u64,
    /// The number of moduli that are kept: enough for the largest group of limbs.
    pub(super) planes: usize,
    /// Groups of four columns in half a row.
    pub(super) quads: usize,
    /// log2 of the largest sum of absolute values of a row.
    sum_bits: f64,
}

impl ResidueEntries {
    pub(super) fn new(columns: usize, entries: &[i64]) -> Self {
        let factor = common_factor(entries);
        let entries: Vec<i64> = entries.iter().map(|entry| entry / factor.cast_signed()).collect();
        let row_sum = |row: &[i64]| row.iter().map(|entry| entry.unsigned_abs()).sum::<u64>();
        let largest_sum = entries.chunks_exact(columns).map(row_sum).max().unwrap_or(0).max(1);
        let sum_bits = (largest_sum as f64).log2();
        let fits = |group: usize| planes(f64::from(LIMB_BITS) * group as f64 + sum_bits);
        let planes =
            (1..=MAX_GROUP).rev().find_map(fits).expect("rows of 4,096 entries below 2^39");
        let quads = columns.div_ceil(2 * QUAD);
        let tiles = (entries.len() / columns).div_ceil(RESIDUE_TILE_ROWS);
        let stripes = PRODUCTS * quads;
        let mut residues = vec![[[0; QUAD]; STRIPE_ROWS]; tiles * planes * stripes];
        residues.par_chunks_exact_mut(stripes).enumerate().for_each(|(index, out)| {
            let (first_row, p) = (index / planes * RESIDUE_TILE_ROWS, MODULI[index % planes]);
            for (quad, row, column) in positions(quads) {
                let residue = |lower: usize, right: usize| {
                    let row = first_row + lower * STRIPE_ROWS + row;
                    let column = (right * quads + quad) * QUAD + column;
                    let entry = (column < columns).then(|| entries.get(row * columns + column));
                    (entry.flatten().copied().unwrap_or(0) % i64::from(p)) as i32
                };
                let quarters = [[residue(0, 0), residue(0, 1)], [residue(1, 0), residue(1, 1)]];
                for (product, sum) in winograd_sums(quarters).into_iter().enumerate() {
                    out[product * quads + quad][row][column] =
                        nearest(sum.rem_euclid(p.into()) as i16, p) as i8;
                }
            }
        });
        Self { residues, factor, planes, quads, sum_bits }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.residues)
    }

    /// Returns the number of moduli that sums of products need for words modulo the product of these primes, or `None`
    /// if that exceeds those that are kept.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for kernels of x86-64"))]
    pub(super) fn planes_for(&self, primes: impl Iterator<Item = u64>) -> Option<usize> {
        let bits: f64 = primes.map(|q| (q as f64).log2()).sum();
        planes(bits + self.sum_bits).filter(|&planes| planes <= self.planes)
    }

    /// Returns the stripes of a tile that one product multiplies modulo one number.
    pub(super) fn stripes(&self, tile: usize, plane: usize, product: usize) -> &[Stripe] {
        let index = (tile * self.planes + plane) * PRODUCTS + product;
        &self.residues[index * self.quads..][..self.quads]
    }

    /// Computes an entry, divided by the factor, from its residues.
    pub(super) fn quotient(&self, tile: usize, row: usize, column: usize) -> i64 {
        let (lower, row) = (row / STRIPE_ROWS, row % STRIPE_ROWS);
        let (quad, column) = (column / QUAD, column % QUAD);
        let (right, quad) = (quad / self.quads, quad % self.quads);
        let planes = &MODULI[..ENTRY_PLANES];
        let product: i128 = planes.iter().map(|&p| i128::from(p)).product();
        let term = |(plane, &p): (usize, &u16)| {
            let of = |product| i128::from(self.stripes(tile, plane, product)[quad][row][column]);
            let residue = match (lower, right) {
                (0, 0) => of(0),
                (0, _) => of(1),
                (_, 0) => of(0) - of(3),
                _ => -of(4),
            };
            let others = product / i128::from(p);
            residue * i128::from(inverse(others, p)) * others
        };
        let sum = planes.iter().enumerate().map(term).sum::<i128>().rem_euclid(product);
        (if sum > product / 2 { sum - product } else { sum }) as i64
    }
}

/// Iterates over the places in the stripes of one product.
fn positions(quads: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..quads * STRIPE_ROWS * QUAD)
        .map(|index| (index / QUAD / STRIPE_ROWS, index / QUAD % STRIPE_ROWS, index % QUAD))
}

/// Computes the sums of quarters that are multiplied; see [`ResidueEntries`].
fn winograd_sums([[a11, a12], [a21, a22]]: [[i32; 2]; 2]) -> [i32; PRODUCTS] {
    let s1 = a21 + a22;
    let s2 = s1 - a11;
    [a11, a12, s2, a11 - a21, -a22, s1, a12 - s2]
}

/// Returns the fewest moduli whose product exceeds 2 to the power of `bits`, or `None` if there are not enough.
fn planes(bits: f64) -> Option<usize> {
    let mut left = bits + MARGIN_BITS;
    let is_last = |&p: &u16| {
        left -= f64::from(p).log2();
        left < 0.0
    };
    Some(MODULI.iter().position(is_last)? + 1)
}

/// Returns the fewest small moduli, summed over groups, for limbs of these primes, given by log2, that are multiplied
/// in groups, and for rows whose absolute values add up to `sum_bits` bits.
///
/// # Panics
/// If a limb by itself needs too many.
#[must_use]
pub fn fewest_numbers(log2_primes: &[f64], sum_bits: f64) -> usize {
    let numbers = |limbs: Range<usize>| {
        if limbs.len() > MAX_GROUP {
            return None;
        }
        let bits: f64 = log2_primes[limbs.clone()].iter().sum();
        let numbers = planes(bits + sum_bits);
        assert!(numbers.is_some() || limbs.len() > 1, "a limb takes few numbers");
        numbers
    };
    cheapest_groups(log2_primes.len(), numbers)[log2_primes.len()].0
}

/// Divides limbs into groups at the least cost in all. Returns, for each number of the first limbs, their cost and the start
/// of their last group. A range of limbs for which `cost` returns `None` is not a group; a limb that is in no group is
/// alone, and costs nothing.
pub(super) fn cheapest_groups(
    limbs: usize,
    cost: impl Fn(Range<usize>) -> Option<usize>,
) -> Vec<(usize, usize)> {
    let mut best = vec![(0, 0)];
    for end in 1..=limbs {
        let group = |start: usize| (best[start].0 + cost(start..end)?, start).into();
        let alone = (best[end - 1].0, end - 1);
        best.push((0..end).filter_map(group).min().unwrap_or(alone));
    }
    best
}

/// Returns the residue nearest to zero; `-128` modulo 256.
pub(super) fn centered(value: i128, p: u16) -> i16 {
    nearest(value.rem_euclid(p.into()) as i16, p)
}

/// Returns the number nearest to zero for a residue in `[0, p)`.
fn nearest(residue: i16, p: u16) -> i16 {
    if 2 * residue >= p.cast_signed() { residue - p.cast_signed() } else { residue }
}

/// Returns the inverse of a number modulo p, centred.
pub(super) fn inverse(number: i128, p: u16) -> i16 {
    let number = centered(number, p);
    let is_inverse =
        |&w: &i16| (i32::from(w) * i32::from(number) - 1).rem_euclid(i32::from(p)) == 0;
    let half = p.cast_signed() / 2;
    (-half..=half).find(is_inverse).expect("moduli are coprime")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_are_coprime_and_fit_every_matrix() {
        for (index, &p) in MODULI.iter().enumerate() {
            for &other in &MODULI[..index] {
                let (mut a, mut b) = (p, other);
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                assert_eq!(a, 1, "{p} and {other}");
            }
        }
        // The largest words, entries and numbers of columns.
        assert_eq!(planes(50.0 + 39.0 + 12.0), Some(13));
        assert_eq!(planes(2.0 * 50.0 + 39.0 + 12.0), Some(20));
        assert_eq!(planes(3.0 * 50.0 + 39.0 + 12.0), None);
        let product: u64 = MODULI[..ENTRY_PLANES].iter().map(|&p| u64::from(p)).product();
        assert!(product > 1 << 41);
    }

    #[test]
    fn entries_come_back_from_residues() {
        let largest = (1 << 39) - 1;
        let entries = [0, 1, -1, 127, 128, -128, -129, largest, -largest, 12_345_678_901];
        for columns in [1, 2, 5, 10] {
            let residues = ResidueEntries::new(columns, &entries);
            for (index, &entry) in entries.iter().enumerate() {
                let (row, column) = (index / columns, index % columns);
                let tile = row / RESIDUE_TILE_ROWS;
                assert_eq!(residues.quotient(tile, row % RESIDUE_TILE_ROWS, column), entry);
            }
        }
        // Entries in lower stripes.
        let entries: Vec<i64> = (0..17 * 64).map(|index| (index * index - 5_000) << 12).collect();
        let residues = ResidueEntries::new(17, &entries);
        let factor = residues.factor.cast_signed();
        for (index, &entry) in entries.iter().enumerate() {
            let (row, column) = (index / 17, index % 17);
            let (tile, row) = (row / RESIDUE_TILE_ROWS, row % RESIDUE_TILE_ROWS);
            assert_eq!(residues.quotient(tile, row, column) * factor, entry);
        }
    }

    #[test]
    fn groups_take_fewer_moduli_than_their_limbs() {
        // 512 random columns of 20 bits, and 256 columns of 16 bits in the worst case.
        for (sum_bits, expected) in [(27.05, [10, 16, 23]), (23.0, [10, 16, 22])] {
            let counts = [1.0, 2.0, 3.0].map(|limbs| planes(49.0 * limbs + sum_bits));
            assert_eq!(counts, expected.map(Some), "{sum_bits}");
        }
        // Five limbs, in groups of three and two: random entries of 20 bits in 256 columns.
        let limbs = |log2| fewest_numbers(&[48.0, log2, log2, log2, log2], 26.05);
        assert_eq!([48.0, 44.0, 43.0].map(limbs), [38, 36, 35]);
    }
}
