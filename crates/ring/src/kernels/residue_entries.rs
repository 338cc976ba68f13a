//! Integer matrices modulo small numbers: the entries that bytes of VNNI multiply.
//!
//! A sum of products of entries with words is known as soon as it is known modulo coprime numbers whose
//! product M exceeds the range that it can have: words centered modulo q, and a row with absolute values
//! E in all, need `M > q·E`. Numbers up to 256 hold eight bits in a byte, so that this takes a tenth of
//! the range's bits in products of bytes, where words of seven bytes and entries of k take 7k.

use super::matrix_layout::common_factor;
use crate::Modulus;

/// Coprime numbers up to 256, so that residues are unsigned bytes, and centered ones signed bytes.
pub(super) const MODULI: [u16; 13] =
    [256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211];

/// Rows of a tile: with two vectors of words, their sums take 26 of the 32 vector registers, and 256 or
/// 1,024 rows leave few rows over.
pub(super) const RESIDUE_TILE_ROWS: usize = 13;

/// Columns whose products one instruction adds up.
pub(super) const QUAD: usize = 4;

/// Moduli of residues are below this.
const LARGEST_MODULUS: u64 = 1 << 50;

/// Planes that tell entries below 2^39 in absolute value apart: their product is above 2^47.
const ENTRY_PLANES: usize = 6;

/// Bytes of packed columns of a block: beside tiles, they fit a second-level cache of 1 MiB.
const BLOCK_BYTES: usize = 3 << 18;

/// Entries divided by a common factor, as centered residues modulo [`MODULI`]:
/// `[tile][modulus][4 columns][row][column]`.
#[derive(Debug)]
pub(super) struct ResidueEntries {
    residues: Vec<[[i8; QUAD]; RESIDUE_TILE_ROWS]>,
    /// A common divisor, by which all entries were divided.
    pub(super) factor: u64,
    /// Moduli that are kept: enough for words below 2^50.
    planes: usize,
    /// Columns in fours.
    pub(super) quads: usize,
    /// The largest sum of absolute values of a row.
    largest_sum: u64,
}

impl ResidueEntries {
    pub(super) fn new(columns: usize, entries: &[i64]) -> Self {
        let factor = common_factor(entries);
        let divided = |entry: i64| entry / factor.cast_signed();
        let row_sum = |row: &[i64]| row.iter().map(|&entry| divided(entry).unsigned_abs()).sum();
        let largest_sum = entries.chunks_exact(columns).map(row_sum).max().unwrap_or(0).max(1);
        let planes = planes(LARGEST_MODULUS, largest_sum);
        let quads = columns.div_ceil(QUAD);
        let tiles = (entries.len() / columns).div_ceil(RESIDUE_TILE_ROWS);
        let mut residues = vec![[[0; QUAD]; RESIDUE_TILE_ROWS]; tiles * planes * quads];
        for (row, entries) in entries.chunks_exact(columns).enumerate() {
            let (tile, row) = (row / RESIDUE_TILE_ROWS, row % RESIDUE_TILE_ROWS);
            for (column, &entry) in entries.iter().enumerate() {
                let entry = divided(entry);
                for (plane, &p) in MODULI[..planes].iter().enumerate() {
                    let at = (tile * planes + plane) * quads + column / QUAD;
                    residues[at][row][column % QUAD] = centered(entry.into(), p) as i8;
                }
            }
        }
        Self { residues, factor, planes, quads, largest_sum }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of_val(&*self.residues)
    }

    /// Words whose residues of all columns take at most [`BLOCK_BYTES`].
    pub(super) fn block_words(&self) -> usize {
        BLOCK_BYTES / (self.planes * self.quads * QUAD)
    }

    /// Moduli that sums of products with words modulo `m` take, which are below 2^50.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for kernels of x86-64"))]
    pub(super) fn planes_for(&self, m: &Modulus) -> usize {
        planes(m.value(), self.largest_sum).min(self.planes)
    }

    /// Entries of a tile modulo one number.
    pub(super) fn plane(&self, tile: usize, plane: usize) -> &[[[i8; QUAD]; RESIDUE_TILE_ROWS]] {
        &self.residues[(tile * self.planes + plane) * self.quads..][..self.quads]
    }

    /// An entry divided by the factor, out of its residues.
    pub(super) fn quotient(&self, tile: usize, row: usize, column: usize) -> i64 {
        let planes = &MODULI[..ENTRY_PLANES];
        let product: i128 = planes.iter().map(|&p| i128::from(p)).product();
        let term = |(plane, &p): (usize, &u16)| {
            let residue = self.plane(tile, plane)[column / QUAD][row][column % QUAD];
            let others = product / i128::from(p);
            i128::from(residue) * i128::from(inverse(others, p)) * others
        };
        let sum = planes.iter().enumerate().map(term).sum::<i128>().rem_euclid(product);
        (if sum > product / 2 { sum - product } else { sum }) as i64
    }
}

/// The product of the first moduli.
pub(super) fn product_of(planes: usize) -> u128 {
    MODULI[..planes].iter().map(|&p| u128::from(p)).product()
}

/// The fewest moduli for words modulo q and rows of so large a sum. A millionth of their product is left
/// for rounding, when sums are divided by it.
fn planes(q: u64, largest_sum: u64) -> usize {
    let range = u128::from(q) * u128::from(largest_sum);
    let holds = |&planes: &usize| product_of(planes) > range + (range >> 20);
    (1..MODULI.len()).find(holds).unwrap_or(MODULI.len())
}

/// The residue nearest to zero; `-128` modulo 256.
fn centered(value: i128, p: u16) -> i16 {
    let residue = value.rem_euclid(p.into()) as i16;
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
        let range = (1u128 << 50) * (1 << 39) * (1 << 12);
        assert!(product_of(MODULI.len()) > range + (range >> 20));
        assert!(product_of(ENTRY_PLANES) > 1 << 41);
    }

    #[test]
    fn entries_come_back_from_residues() {
        let largest = (1 << 39) - 1;
        let entries = [0, 1, -1, 127, 128, -128, -129, largest, -largest, 12_345_678_901];
        let residues = ResidueEntries::new(5, &entries);
        for (index, &entry) in entries.iter().enumerate() {
            assert_eq!(residues.quotient(0, index / 5, index % 5), entry);
        }
    }

    #[test]
    fn smaller_rows_take_fewer_moduli() {
        // 1,024 columns of 20 bits and 256 of 16 bits, random and at their worst.
        for (log_q, sum, expected) in [
            (50, 1 << 29, 10),
            (50, 1 << 28, 10),
            (50, 1 << 23, 10),
            (49, 1 << 22, 9),
            (50, 1 << 51, 13),
        ] {
            assert_eq!(planes(1 << log_q, sum), expected, "2^{log_q}, {sum}");
        }
    }
}
