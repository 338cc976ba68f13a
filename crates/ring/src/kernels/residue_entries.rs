//! Integer matrices modulo small numbers: the entries that bytes of VNNI multiply.
//!
//! A sum of products of entries with words is known as soon as it is known modulo coprime numbers whose
//! product M exceeds the range that it can have: words centered modulo Q, and a row with absolute values
//! E in all, need `M > Q·E`. Numbers up to 256 hold eight bits in a byte, so that this takes a tenth of
//! the range's bits in products of bytes, where words of seven bytes and entries of k take 7k. A word is
//! that of up to three limbs at once, Q the product of their primes, so that E is paid for once.
//!
//! Products of tiles are those of Strassen's algorithm in Winograd's form, seven for eight: sums of residues are
//! residues again. The factors made of the entries are computed here, once per table.

use rayon::prelude::*;

use super::common_factor::common_factor;

/// Coprime numbers up to 256, so that residues are unsigned bytes, and centered ones signed bytes.
pub(super) const MODULI: [u16; 24] = [
    256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193, 191, 181, 179,
    173, 167, 163, 157, 151,
];

/// Rows whose sums are kept in registers: with two vectors of words, 26 of 32.
pub(super) const STRIPE_ROWS: usize = 13;

/// Rows of a tile: an upper stripe and a lower one.
pub(super) const RESIDUE_TILE_ROWS: usize = 2 * STRIPE_ROWS;

/// Columns whose products one instruction adds up.
pub(super) const QUAD: usize = 4;

/// Products of stripes with halves of the columns that make up that of a tile.
pub(super) const PRODUCTS: usize = 7;

/// Most limbs of a group.
pub(super) const MAX_GROUP: usize = 3;

/// Moduli of limbs are below two to this power.
pub(super) const LIMB_BITS: u32 = 50;

/// Moduli that tell entries below 2^39 in absolute value apart: their product is above 2^47.
const ENTRY_PLANES: usize = 6;

/// Margin for rounding, in bits, by which products of small numbers may exceed the range.
const MARGIN_BITS: f64 = 0.001;

/// Entries of a stripe and four columns.
pub(super) type Stripe = [[i8; QUAD]; STRIPE_ROWS];

/// Entries divided by a common factor, as centered residues modulo [`MODULI`], in the sums that are
/// multiplied: `[tile][modulus][product][4 columns][row][column]`.
///
/// With `A` in halves of rows and columns, in the order in which they are read: `A11`, `A12`, `S2 = S1 - A11`,
/// `S3 = A11 - A21`, `-A22`, `S1 = A21 + A22`, `S4 = A12 - S2`.
#[derive(Debug)]
pub(super) struct ResidueEntries {
    residues: Vec<Stripe>,
    /// A common divisor, by which all entries were divided.
    pub(super) factor: u64,
    /// Moduli that are kept: enough for the largest group of limbs.
    pub(super) planes: usize,
    /// Fours of columns of half of a row.
    pub(super) quads: usize,
    /// The logarithm of the largest sum of absolute values of a row.
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

    /// Moduli that sums of products with words modulo the product of primes take; none if they are too many.
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

    /// An entry divided by the factor, out of its residues.
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

/// Places in the stripes of one product.
fn positions(quads: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..quads * STRIPE_ROWS * QUAD)
        .map(|index| (index / QUAD / STRIPE_ROWS, index / QUAD % STRIPE_ROWS, index % QUAD))
}

/// The sums of quarters that are multiplied; see [`ResidueEntries`].
fn winograd_sums([[a11, a12], [a21, a22]]: [[i32; 2]; 2]) -> [i32; PRODUCTS] {
    let s1 = a21 + a22;
    let s2 = s1 - a11;
    [a11, a12, s2, a11 - a21, -a22, s1, a12 - s2]
}

/// The fewest moduli whose product exceeds two to the power of `bits`, if there are as many.
fn planes(bits: f64) -> Option<usize> {
    let mut left = bits + MARGIN_BITS;
    let is_last = |&p: &u16| {
        left -= f64::from(p).log2();
        left < 0.0
    };
    Some(MODULI.iter().position(is_last)? + 1)
}

/// The fewest numbers, in all, that residues are taken modulo where limbs of these primes, given by log2, are multiplied in groups
/// and rows have absolute values of `sum_bits` bits in all.
///
/// # Panics
/// If a limb by itself takes too many.
#[must_use]
pub fn fewest_numbers(log2_primes: &[f64], sum_bits: f64) -> usize {
    let mut fewest = vec![0];
    for end in 1..=log2_primes.len() {
        let group = |start: usize| {
            let bits: f64 = log2_primes[start..end].iter().sum();
            planes(bits + sum_bits).map(|numbers| fewest[start] + numbers)
        };
        let best = (end.saturating_sub(MAX_GROUP)..end).filter_map(group).min();
        fewest.push(best.expect("a limb takes few numbers"));
    }
    fewest[log2_primes.len()]
}

/// The residue nearest to zero; `-128` modulo 256.
pub(super) fn centered(value: i128, p: u16) -> i16 {
    nearest(value.rem_euclid(p.into()) as i16, p)
}

/// The number nearest to zero for a residue in `[0, p)`.
fn nearest(residue: i16, p: u16) -> i16 {
    if 2 * residue >= p.cast_signed() { residue - p.cast_signed() } else { residue }
}

/// The inverse of a number modulo p, centered.
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
        // Lower stripes.
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
        // 512 columns of 20 bits, random ones, and 256 of 16 bits at their worst.
        for (sum_bits, expected) in [(27.05, [10, 16, 23]), (23.0, [10, 16, 22])] {
            let counts = [1.0, 2.0, 3.0].map(|limbs| planes(49.0 * limbs + sum_bits));
            assert_eq!(counts, expected.map(Some), "{sum_bits}");
        }
        // Five limbs, in groups of three and two: random entries of 20 bits in 256 columns.
        let limbs = |log2| fewest_numbers(&[48.0, log2, log2, log2, log2], 26.05);
        assert_eq!([48.0, 44.0, 43.0].map(limbs), [38, 36, 35]);
    }
}
