//! Products of a matrix of small integers with a block of residues, for many columns.
//!
//! The residues of a block of words are packed once ([`ColumnBlock`]), and all rows of the matrix then
//! read them in the order of memory.

use super::{add_assign, mul_scalar_assign};
use crate::{Buffer, Modulus};

/// Rows of a tile: with [`STRIP`] words, their sums take 16 of the 32 vector registers.
pub const TILE_ROWS: usize = 4;

/// Words that a tile is multiplied with at a time: two vectors.
pub const STRIP: usize = 16;

/// Entries are in `(-2^39, 2^39)`: stored plus this, they are in `(0, 2^40)`.
const OFFSET: i64 = 1 << 39;

/// Largest number of columns: high halves of products, below `2^50·2^40/2^52`, then add up to less than
/// `2^51`.
pub const MAX_COLUMNS: usize = 1 << 13;

/// Rows of integers, [`TILE_ROWS`] at a time: a tile holds the entries of its rows in the first column,
/// then those in the second, and so on. Entries are stored plus `2^39`.
#[derive(Debug)]
pub struct MatrixTiles {
    entries: Vec<[u64; TILE_ROWS]>,
    columns: usize,
}

impl MatrixTiles {
    /// The matrix of `entry(row, column)`; rows that fill up the last tile are zeros.
    ///
    /// # Panics
    /// If there are no columns or more than [`MAX_COLUMNS`], or an entry is not in `(-2^39, 2^39)`.
    pub fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> i64) -> Self {
        assert!((1..=MAX_COLUMNS).contains(&columns), "{columns} columns");
        let stored = |row: usize, column: usize| {
            let entry = if row < rows { entry(row, column) } else { 0 };
            assert!(-OFFSET < entry && entry < OFFSET, "entry {entry} of row {row}");
            (entry + OFFSET).cast_unsigned()
        };
        let firsts = (0..rows).step_by(TILE_ROWS);
        let entries = firsts
            .flat_map(|first| (0..columns).map(move |column| (first, column)))
            .map(|(first, column)| std::array::from_fn(|row| stored(first + row, column)))
            .collect();
        Self { entries, columns }
    }

    /// Bytes of the entries.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }

    /// The tile that begins at row `TILE_ROWS·index`.
    fn tile(&self, index: usize) -> &[[u64; TILE_ROWS]] {
        &self.entries[index * self.columns..][..self.columns]
    }
}

/// Some words of every column, [`STRIP`] words at a time: a strip holds its words of a correction (see
/// [`ColumnBlock::finish`]), then those of the first column, of the second, and so on.
#[derive(Debug)]
pub struct ColumnBlock {
    strips: Buffer,
    columns: usize,
}

impl ColumnBlock {
    /// Room for `words` words of each column.
    ///
    /// # Panics
    /// If [`STRIP`] does not divide `words`.
    #[must_use]
    pub fn new(columns: usize, words: usize) -> Self {
        assert!(words.is_multiple_of(STRIP), "{words} words");
        Self { strips: Buffer::unspecified((columns + 1) * words), columns }
    }

    /// Fills words `start..` of all columns from an iterator over these words of each column.
    ///
    /// # Panics
    /// If the number of columns or their lengths are not as announced.
    pub fn pack<'a>(&mut self, m: &Modulus, start: usize, columns: impl Iterator<Item = &'a [u64]>) {
        let stride = (self.columns + 1) * STRIP;
        let strips = &mut self.strips[start / STRIP * stride..];
        let mut count = 0;
        let mut sums = Vec::new();
        for (index, words) in columns.enumerate() {
            for (strip, words) in strips.chunks_exact_mut(stride).zip(words.as_chunks::<STRIP>().0) {
                strip[(index + 1) * STRIP..][..STRIP].copy_from_slice(words);
            }
            match index {
                0 => sums.extend_from_slice(words),
                _ => add_assign(m, &mut sums, words),
            }
            count += 1;
        }
        assert_eq!(count, self.columns);
        // What the offset of the entries adds to all rows.
        mul_scalar_assign(m, &mut sums, m.reduce_i64(-OFFSET));
        for (strip, sums) in strips.chunks_exact_mut(stride).zip(sums.as_chunks::<STRIP>().0) {
            strip[..STRIP].copy_from_slice(sums);
        }
    }
}

/// `out[r][w] = Σ_j entries[r][j]·columns[j][w]` for the rows r of tile `tile` and all words w of the
/// block, row after row.
///
/// # Panics
/// If `out` has not [`TILE_ROWS`] rows of the block's length, or the numbers of columns differ.
pub fn tile_product(
    m: &Modulus,
    out: &mut [u64],
    matrix: &MatrixTiles,
    tile: usize,
    block: &ColumnBlock,
) {
    assert_eq!(matrix.columns, block.columns);
    assert_eq!(out.len() * (block.columns + 1), block.strips.len() * TILE_ROWS);
    let tile = matrix.tile(tile);
    match m.isa() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the processor has the instruction set, as `Modulus::isa` promises.
        crate::Isa::Avx512Ifma => unsafe {
            super::avx512_matrix::tile_product(m, out, tile, &block.strips);
        },
        _ => tile_product_portable(m, out, tile, &block.strips),
    }
}

/// See [`tile_product`]: for every modulus.
fn tile_product_portable(
    m: &Modulus,
    out: &mut [u64],
    tile: &[[u64; TILE_ROWS]],
    strips: &[u64],
) {
    let width = out.len() / TILE_ROWS;
    for (index, strip) in strips.chunks_exact((tile.len() + 1) * STRIP).enumerate() {
        let (correction, columns) = strip.split_at(STRIP);
        for row in 0..TILE_ROWS {
            // At most 2^13 products below 2^62·2^40.
            let mut sums: [u128; STRIP] = std::array::from_fn(|word| correction[word].into());
            for (entries, words) in tile.iter().zip(columns.as_chunks::<STRIP>().0) {
                for (sum, &word) in sums.iter_mut().zip(words) {
                    *sum += u128::from(entries[row]) * u128::from(word);
                }
            }
            let out = &mut out[row * width + index * STRIP..][..STRIP];
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = m.reduce_u128(sum);
            }
        }
    }
}
