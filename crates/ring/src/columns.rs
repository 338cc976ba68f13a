//! Many rows of words, read and written by columns: a transposition through a matrix of half words.
//!
//! Rows of LWE ciphertexts take a hundred megabytes, and a column has one word of each row. Read one by one, every word
//! is a miss of the cache and of the page tables. Rows are therefore read once, in order, sixteen at a time, and each
//! tile of them fills one cache line of every column. From then on columns are contiguous, at half the size.

use bytemuck::{cast_slice, cast_slice_mut};
use rayon::prelude::*;

use crate::Buffer;

/// Rows of a tile: a cache line of half words.
const TILE: usize = 16;

/// Columns that are written to the rows of a tile at once: one cache line of words.
const GROUP: usize = 8;

/// The least number of columns that a thread reads at once: pieces of rows must stay long.
const LEAST_COLUMNS: usize = 64;

/// A matrix of words below 2^32, stored column after column.
#[derive(Clone, Debug)]
pub struct Columns {
    /// Half words, in recycled pages.
    words: Buffer,
    rows: usize,
    /// Half words from the start of one column to the start of the next: a cache line more than the rows take, since
    /// distances that are powers of two share sets of the caches.
    stride: usize,
    columns: usize,
}

impl Columns {
    /// Returns a matrix of unspecified words, which must be written before they are read.
    #[must_use]
    pub fn unspecified(rows: usize, columns: usize) -> Self {
        let stride = rows.next_multiple_of(TILE) + TILE;
        Self { words: Buffer::unspecified(stride * columns / 2), rows, stride, columns }
    }

    /// Returns the sum of several matrices with rows of `width` words, and of a constant: `(Σ word + constant) & mask`.
    ///
    /// ```
    /// use cryptable_ring::columns::Columns;
    /// let columns = Columns::of_sums(&[&[1, 2, 3, 4, 5, 6], &[10; 6]], 3, 100, u32::MAX);
    /// assert_eq!(columns.column(1), [112, 115]);
    /// ```
    ///
    /// # Panics
    /// If a matrix has an incomplete row, or the matrices differ in length.
    #[must_use]
    pub fn of_sums(matrices: &[&[u64]], width: usize, constant: u64, mask: u32) -> Self {
        let length = matrices.first().map_or(0, |matrix| matrix.len());
        assert!(matrices.iter().all(|matrix| matrix.len() == length), "lengths of matrices");
        assert!(width > 0 && length.is_multiple_of(width), "{length} words, rows of {width}");
        let mut out = Self::unspecified(length / width, width);
        let (rows, stride) = (out.rows, out.stride);
        let piece = width.div_ceil(rayon::current_num_threads()).max(LEAST_COLUMNS);
        let words: &mut [u32] = cast_slice_mut(&mut out.words);
        words.par_chunks_mut(piece * stride).enumerate().for_each(|(index, words)| {
            let columns = index * piece..width.min((index + 1) * piece);
            for start in (0..rows).step_by(TILE) {
                let tile = start..rows.min(start + TILE);
                for (k, matrix) in matrices.iter().enumerate() {
                    let rows = || tile.clone().map(|i| &matrix[i * width..][columns.clone()]);
                    let target = &mut words[start..];
                    match k {
                        0 => add_tile(target, stride, rows(), |_, word| {
                            word.wrapping_add(constant) as u32 & mask
                        }),
                        _ => add_tile(target, stride, rows(), |sum, word| {
                            sum.wrapping_add(word as u32) & mask
                        }),
                    }
                }
            }
        });
        out
    }

    /// Returns the sum of several matrices of this type and of one size, and of a constant:
    /// `(Σ word + constant) & mask`.
    ///
    /// ```
    /// use cryptable_ring::columns::Columns;
    /// let columns = Columns::of_sums(&[&[1, 2, 3, 4, 5, 6]], 3, 0, u32::MAX);
    /// assert_eq!(Columns::of_column_sums(&[&columns, &columns], 1, 7).column(1), [5, 3]);
    /// ```
    ///
    /// # Panics
    /// If there is no matrix, or the matrices differ in size.
    #[must_use]
    pub fn of_column_sums(matrices: &[&Self], constant: u64, mask: u32) -> Self {
        let size = |matrix: &Self| (matrix.rows, matrix.columns);
        let first = matrices.first().expect("a matrix");
        assert!(matrices.iter().all(|matrix| size(matrix) == size(first)), "sizes of matrices");
        let mut out = Self::unspecified(first.rows, first.columns);
        out.write(1, |index, columns| {
            let column = &mut *columns[0];
            column.copy_from_slice(first.column(index));
            for other in &matrices[1..] {
                let words = column.iter_mut().zip(other.column(index));
                words.for_each(|(sum, &word)| *sum = sum.wrapping_add(word));
            }
            column.iter_mut().for_each(|sum| *sum = sum.wrapping_add(constant as u32) & mask);
        });
        out
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.columns
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns one column.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn column(&self, index: usize) -> &[u32] {
        let words: &[u32] = cast_slice(&self.words);
        &words[index * self.stride..][..self.rows]
    }

    /// Writes all columns in groups of up to `count`, on all threads: `write(first, columns)`.
    ///
    /// # Panics
    /// If `count` is 0.
    pub fn write(&mut self, count: usize, write: impl Fn(usize, &mut [&mut [u32]]) + Sync) {
        let (rows, stride) = (self.rows, self.stride);
        let words: &mut [u32] = cast_slice_mut(&mut self.words);
        words.par_chunks_mut(count * stride).enumerate().for_each(|(group, words)| {
            let columns = words.chunks_exact_mut(stride).map(|column| &mut column[..rows]);
            write(group * count, &mut columns.collect::<Vec<_>>());
        });
    }

    /// Returns the matrix row after row.
    ///
    /// ```
    /// use cryptable_ring::columns::Columns;
    /// let rows = [1, 2, 3, 4, 5, 6];
    /// assert_eq!(*Columns::of_sums(&[&rows], 3, 0, u32::MAX).to_rows(), rows);
    /// ```
    #[must_use]
    pub fn to_rows(&self) -> Buffer {
        let width = self.columns;
        let mut out = Buffer::unspecified(self.rows * width);
        let words: &[u32] = cast_slice(&self.words);
        out.par_chunks_mut((TILE * width).max(1)).enumerate().for_each(|(tile, out)| {
            let line = |c: usize| -> &[u32; TILE] {
                let words = &words[c * self.stride + tile * TILE..];
                words.first_chunk().expect("a padded column")
            };
            let whole = width - width % GROUP;
            for first in (0..whole).step_by(GROUP) {
                let lines: [&[u32; TILE]; GROUP] = std::array::from_fn(|c| line(first + c));
                for (i, row) in out.chunks_exact_mut(width).enumerate().take(TILE) {
                    let group = row[first..].first_chunk_mut::<GROUP>().expect("a group");
                    for (word, line) in group.iter_mut().zip(&lines) {
                        *word = line[i].into();
                    }
                }
            }
            for (i, row) in out.chunks_exact_mut(width).enumerate() {
                for (c, word) in row[whole..].iter_mut().enumerate() {
                    *word = line(whole + c)[i].into();
                }
            }
        });
        out
    }
}

/// `target[c·stride + i] = of(itself, row_i[c])` for a tile of rows and all their columns.
#[inline(always)]
fn add_tile<'a>(
    target: &mut [u32],
    stride: usize,
    rows: impl Iterator<Item = &'a [u64]>,
    of: impl Fn(u32, u64) -> u32,
) {
    let rows: Vec<&[u64]> = rows.collect();
    let width = rows.first().map_or(0, |row| row.len());
    // Tiles of a known length need no bounds checks, which would take a third of the time.
    if let Ok(rows) = <[&[u64]; TILE]>::try_from(&rows[..]) {
        let rows = rows.map(|row| &row[..width]);
        for c in 0..width {
            let line = target[c * stride..].first_chunk_mut::<TILE>().expect("a padded column");
            for (word, row) in line.iter_mut().zip(&rows) {
                *word = of(*word, row[c]);
            }
        }
        return;
    }
    for c in 0..width {
        for (i, row) in rows.iter().enumerate() {
            let word = &mut target[c * stride + i];
            *word = of(*word, row[c]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back() {
        for (rows, width) in [(32, 5), (20, 140), (3, 1), (0, 7), (100, 65), (17, 8)] {
            let words = |k: u64| (0..(rows * width) as u64).map(move |i| i * i * k % 1009);
            let (x, y): (Vec<u64>, Vec<u64>) = (words(3).collect(), words(5).collect());
            let columns = Columns::of_sums(&[&x, &y], width, 7, 1023);
            let expected: Vec<u64> = x.iter().zip(&y).map(|(x, y)| (x + y + 7) % 1024).collect();
            assert_eq!(*columns.to_rows(), expected);
            assert_eq!((columns.rows(), columns.width()), (rows, width));
            let parts = [&x, &y].map(|words| Columns::of_sums(&[words], width, 0, u32::MAX));
            let sums = Columns::of_column_sums(&[&parts[0], &parts[1]], 7, 1023);
            assert_eq!(*sums.to_rows(), expected);
            let mut copy = Columns::unspecified(rows, width);
            copy.write(3, |first, group| {
                for (c, column) in group.iter_mut().enumerate() {
                    column.copy_from_slice(columns.column(first + c));
                }
            });
            assert_eq!(*copy.to_rows(), expected);
        }
    }
}
