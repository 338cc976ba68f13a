//! The integer matrices of matrix products, in the order in which kernels read them.
//!
//! There are four layouts: words, for the portable kernel and for IFMA; bytes, for the matrix unit AMX, and for VNNI if
//! entries have one byte; residues modulo numbers of one byte, for VNNI; and doubles, for AVX2, AVX-512 without IFMA,
//! and NEON.

use super::amx;
use super::common_factor::common_factor;
use super::residue_entries::{RESIDUE_TILE_ROWS, ResidueEntries};
use crate::{Buffer, Isa};

/// Rows of a tile of words: with [`STRIP`] words, their sums take 16 of the 32 vector registers.
pub(super) const TILE_ROWS: usize = 4;

/// Words that are multiplied with a tile of words at a time: two vectors.
pub(super) const STRIP: usize = 16;

/// Rows of a tile of bytes.
pub(super) const BYTE_TILE_ROWS: usize = 16;

/// Columns of a tile of bytes.
pub(super) const BYTE_TILE_COLUMNS: usize = 64;

/// Entries of a tile of bytes.
pub(super) const BYTE_TILE: usize = BYTE_TILE_ROWS * BYTE_TILE_COLUMNS;

/// Rows of a tile of doubles: with a vector of AVX-512, their sums take 16 of 32 registers.
pub(super) const DOUBLE_TILE_ROWS: usize = 8;

/// Bits of the lower half of a word that doubles multiply; see [`DoubleEntries`].
pub(super) const HALF_BITS: u32 = 25;

/// The fewest columns for which bytes are faster than words: a tile has [`BYTE_TILE_COLUMNS`] columns, used or not.
const MIN_BYTE_COLUMNS: usize = 64;

/// The fewest columns for which residues are faster than words or doubles: converting words to residues, and combining
/// sums, takes some instructions.
pub const MIN_RESIDUE_COLUMNS: usize = 192;

/// The most bytes of an entry: with residues, four entries take seven bytes modulo each of 24 numbers. Three pieces as
/// doubles take 24, words 8.
const LARGEST_ENTRY_BYTES: usize = 42;

/// The number of bits of the absolute value of an entry.
const ENTRY_BITS: u32 = 39;

/// The largest number of columns. High halves of products with words, below `2^50·2^40/2^52`, then add up to less than
/// `2^52`, and products of bytes, five per weight and column, to less than `2^32`.
pub const MAX_COLUMNS: usize = 1 << 12;

/// An integer matrix in tiles of several rows.
#[derive(Debug)]
pub struct MatrixTiles {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) layout: Layout,
}

/// The layouts. In words and bytes, an offset is added to entries, which makes them positive.
#[derive(Debug)]
pub(super) enum Layout {
    /// `[tile][column][row]`, with `2^39` added to entries.
    Words(Vec<[u64; TILE_ROWS]>),
    Bytes(ByteEntries),
    Doubles(DoubleEntries),
    Residues(ResidueEntries),
}

/// The [`Layout`] to make.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Words,
    Bytes,
    Doubles,
    Residues,
}

/// Entries divided by a common factor, in signed pieces, whose number of bits keeps sums exact:
/// `[tile][piece][column][row]`.
///
/// A word below 2^50 is `2^25·high + low` with `|low| <= 2^24` and `0 <= high <= 2^25`. A piece of b bits is at most
/// 2^(b-1), so that k columns add up to at most `k·2^(b+24)`; with b = 29 - ⌈log2 k⌉ that is 2^53.
#[derive(Debug)]
pub(super) struct DoubleEntries {
    values: Vec<[f64; DOUBLE_TILE_ROWS]>,
    /// A common divisor, by which all entries were divided.
    pub(super) factor: u64,
    /// The number of bits of a piece.
    pub(super) bits: u32,
    /// The number of pieces of an entry.
    pub(super) pieces: usize,
    columns: usize,
}

/// Entries as bytes, divided by a common factor: `[tile][pair of planes][64 columns][plane][row][column]`, where plane
/// p has byte p of all entries, and a last plane without a partner is a pair by itself.
#[derive(Debug)]
pub(super) struct ByteEntries {
    bytes: Buffer,
    /// A common divisor, by which all entries were divided.
    pub(super) factor: u64,
    /// The number added to the quotients to make the smallest one 0.
    offset: u64,
    /// The number of bytes of an entry.
    pub(super) planes: usize,
    /// The number of tiles for the columns, [`BYTE_TILE_COLUMNS`] each.
    pub(super) chunks: usize,
}

impl Kind {
    /// Returns the fastest kind on this machine; `has_byte_entries` says whether entries differ by less than a byte.
    fn best(columns: usize, has_byte_entries: bool) -> Self {
        let has_byte_columns = columns >= MIN_BYTE_COLUMNS;
        match Isa::detect() {
            _ if amx::is_available() && has_byte_columns => Self::Bytes,
            _ if takes_vnni() && has_byte_columns && has_byte_entries => Self::Bytes,
            _ if takes_vnni() && columns >= MIN_RESIDUE_COLUMNS => Self::Residues,
            Isa::Neon | Isa::Avx2 | Isa::Avx512f => Self::Doubles,
            _ => Self::Words,
        }
    }
}

impl MatrixTiles {
    /// Returns the matrix of these entries, given row after row.
    ///
    /// # Panics
    /// If there are no columns or more than [`MAX_COLUMNS`], if their number does not divide the number of entries, or
    /// if an entry is not in `(-2^39, 2^39)`.
    #[must_use]
    pub fn new(columns: usize, entries: &[i64]) -> Self {
        Self::with_layout(columns, entries, Kind::best(columns, Span::of(entries).planes() == 1))
    }

    /// Tiles a matrix like [`MatrixTiles::new`], in a layout of the caller's choice.
    pub(super) fn with_layout(columns: usize, entries: &[i64], kind: Kind) -> Self {
        assert!((1..=MAX_COLUMNS).contains(&columns), "{columns} columns");
        assert!(entries.len().is_multiple_of(columns), "{columns} columns");
        let largest = entries.iter().map(|entry| entry.unsigned_abs()).max().unwrap_or(0);
        assert!(largest >> ENTRY_BITS == 0, "entry of absolute value {largest}");
        let layout = match kind {
            Kind::Words => Layout::Words(words(columns, entries)),
            Kind::Bytes => Layout::Bytes(ByteEntries::new(columns, entries)),
            Kind::Doubles => Layout::Doubles(DoubleEntries::new(columns, entries)),
            Kind::Residues => Layout::Residues(ResidueEntries::new(columns, entries)),
        };
        Self { rows: entries.len() / columns, columns, layout }
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the memory of the entries in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        match &self.layout {
            Layout::Words(tiles) => size_of_val(&**tiles),
            Layout::Bytes(entries) => size_of_val(&*entries.bytes),
            Layout::Doubles(entries) => size_of_val(&*entries.values),
            Layout::Residues(entries) => entries.memory_bytes(),
        }
    }

    /// Returns an upper bound on the memory of a matrix of `entries` entries, in bytes, without the rows that pad a
    /// tile.
    #[must_use]
    pub fn bytes_at_most(entries: usize) -> usize {
        LARGEST_ENTRY_BYTES * entries
    }

    /// Returns the number of rows of a tile. The last tile has zeros for rows that are missing.
    #[must_use]
    pub fn tile_rows(&self) -> usize {
        match self.layout {
            Layout::Words(_) => TILE_ROWS,
            Layout::Bytes(_) => BYTE_TILE_ROWS,
            Layout::Doubles(_) => DOUBLE_TILE_ROWS,
            Layout::Residues(_) => RESIDUE_TILE_ROWS,
        }
    }

    /// Returns the numbers that undo storage: an entry is `factor·(stored - offset)`.
    pub(super) fn factor_and_offset(&self) -> (u64, u64) {
        match &self.layout {
            Layout::Words(_) => (1, 1 << ENTRY_BITS),
            Layout::Bytes(entries) => (entries.factor, entries.offset),
            Layout::Doubles(entries) => (entries.factor, 1 << ENTRY_BITS),
            Layout::Residues(entries) => (entries.factor, 1 << ENTRY_BITS),
        }
    }

    /// Returns an entry as it is stored: divided by the factor, plus the offset.
    pub(super) fn stored(&self, tile: usize, row: usize, column: usize) -> u64 {
        match &self.layout {
            Layout::Words(tiles) => tiles[tile * self.columns + column][row],
            Layout::Bytes(entries) => (0..entries.planes)
                .map(|plane| {
                    entries.byte(entries.position(tile, plane, row, column)) << (8 * plane)
                })
                .sum(),
            Layout::Doubles(entries) => {
                let pieces = (0..entries.pieces).map(|piece| {
                    let value = entries.tile(tile)[piece * self.columns + column][row];
                    (value as i64) << (entries.bits * piece as u32)
                });
                (pieces.sum::<i64>() + (1 << ENTRY_BITS)).cast_unsigned()
            }
            Layout::Residues(entries) => {
                (entries.quotient(tile, row, column) + (1 << ENTRY_BITS)).cast_unsigned()
            }
        }
    }
}

/// Returns the tiles of [`Layout::Words`].
fn words(columns: usize, entries: &[i64]) -> Vec<[u64; TILE_ROWS]> {
    let stored = |row: usize, column: usize| {
        let entry = entries.get(row * columns + column).copied().unwrap_or(0);
        (entry + (1 << ENTRY_BITS)).cast_unsigned()
    };
    let firsts = (0..entries.len() / columns).step_by(TILE_ROWS);
    firsts
        .flat_map(|first| (0..columns).map(move |column| (first, column)))
        .map(|(first, column)| std::array::from_fn(|row| stored(first + row, column)))
        .collect()
}

impl ByteEntries {
    fn new(columns: usize, entries: &[i64]) -> Self {
        let span = Span::of(entries);
        let (factor, offset, planes) = (span.factor, span.offset(), span.planes());
        let chunks = columns.div_ceil(BYTE_TILE_COLUMNS);
        let tiles = (entries.len() / columns).div_ceil(BYTE_TILE_ROWS);
        let bytes = Buffer::zeroed(tiles * planes * chunks * (BYTE_TILE / 8));
        let mut stored = Self { bytes, factor, offset, planes, chunks };
        for (row, entries) in entries.chunks_exact(columns).enumerate() {
            for (column, &entry) in entries.iter().enumerate() {
                let value = (entry / factor.cast_signed() + offset.cast_signed()).cast_unsigned();
                for plane in 0..planes {
                    let (tile, row) = (row / BYTE_TILE_ROWS, row % BYTE_TILE_ROWS);
                    let position = stored.position(tile, plane, row, column);
                    let byte = (value >> (8 * plane)) & 0xff;
                    stored.bytes[position / 8] |= byte << (8 * (position % 8));
                }
            }
        }
        stored
    }

    /// Returns the place of byte `plane` of an entry; see [`ByteEntries`].
    fn position(&self, tile: usize, plane: usize, row: usize, column: usize) -> usize {
        let first = plane & !1;
        let paired = (self.planes - first).min(2);
        let chunk = column / BYTE_TILE_COLUMNS;
        let block = (tile * self.planes + first) * self.chunks + chunk * paired + (plane - first);
        block * BYTE_TILE + row * BYTE_TILE_COLUMNS + column % BYTE_TILE_COLUMNS
    }

    fn byte(&self, position: usize) -> u64 {
        (self.bytes[position / 8] >> (8 * (position % 8))) & 0xff
    }

    /// Returns the bytes of a tile, eight per word.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn tile(&self, index: usize) -> &[u64] {
        let words = self.planes * self.chunks * (BYTE_TILE / 8);
        &self.bytes[index * words..][..words]
    }
}

impl DoubleEntries {
    fn new(columns: usize, entries: &[i64]) -> Self {
        let factor = common_factor(entries);
        let bits = 54 - HALF_BITS - columns.next_power_of_two().ilog2();
        let divided = |entry: i64| entry / factor.cast_signed();
        let largest = entries.iter().map(|&e| divided(e).unsigned_abs()).max().unwrap_or(0);
        // The last piece is the remainder, which is also at most half of 2^bits.
        let holds = |&pieces: &usize| largest <= 1 << (bits as usize * pieces - 1);
        let pieces = (1..).find(holds).expect("entries are below 2^39");
        let rows = entries.len() / columns;
        let tiles = rows.div_ceil(DOUBLE_TILE_ROWS);
        let mut values = vec![[0.0; DOUBLE_TILE_ROWS]; tiles * pieces * columns];
        for (row, entries) in entries.chunks_exact(columns).enumerate() {
            let (tile, row) = (row / DOUBLE_TILE_ROWS, row % DOUBLE_TILE_ROWS);
            for (column, &entry) in entries.iter().enumerate() {
                let mut rest = divided(entry);
                for piece in 0..pieces {
                    let half = 1 << (bits - 1);
                    let is_last = piece + 1 == pieces;
                    let low = match is_last {
                        true => rest,
                        false => (rest + half).rem_euclid(2 * half) - half,
                    };
                    values[(tile * pieces + piece) * columns + column][row] = low as f64;
                    rest = (rest - low) >> bits;
                }
            }
        }
        Self { values, factor, bits, pieces, columns }
    }

    /// Returns the entries of a tile: piece after piece, column after column.
    pub(super) fn tile(&self, index: usize) -> &[[f64; DOUBLE_TILE_ROWS]] {
        let length = self.pieces * self.columns;
        &self.values[index * length..][..length]
    }
}

/// The range of the entries: 0 and all entries lie between two multiples of their common factor.
struct Span {
    factor: u64,
    smallest: i64,
    largest: i64,
}

impl Span {
    fn of(entries: &[i64]) -> Self {
        let smallest = entries.iter().copied().min().unwrap_or(0).min(0);
        let largest = entries.iter().copied().max().unwrap_or(0).max(0);
        Self { factor: common_factor(entries), smallest, largest }
    }

    /// Returns the number that makes quotients by the factor positive when it is added.
    fn offset(&self) -> u64 {
        self.smallest.unsigned_abs() / self.factor
    }

    /// Returns the number of bytes of quotients that are positive.
    fn planes(&self) -> usize {
        let bits = u64::BITS - (self.largest.abs_diff(self.smallest) / self.factor).leading_zeros();
        bits.div_ceil(8).max(1) as usize
    }
}

/// Returns whether VNNI multiplies entries of one byte.
fn takes_vnni() -> bool {
    #[cfg(target_arch = "x86_64")]
    return Isa::detect() >= Isa::Avx512f && is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_few_as_the_span_of_entries_allows() {
        for (entries, planes) in [
            (&[-128i64, 127][..], 1),
            (&[1, 65_535], 2),
            (&[0, 65_535], 1),
            (&[-32_768 << 20, 32_767 << 20], 2),
            (&[-1, 65_535], 3),
            (&[0, 0], 1),
            (&[1 - (1 << 39), (1 << 39) - 2], 5),
        ] {
            assert_eq!(ByteEntries::new(2, entries).planes, planes, "{entries:?}");
        }
    }
}
