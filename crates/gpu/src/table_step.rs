//! The table step of multiplexer trees: products of an integer matrix with ciphertexts, and of its rows with selectors.

use cryptable_ring::Basis;
use cryptable_ring::kernels::MAX_COLUMNS;
use rayon::prelude::*;

use crate::arguments::{TableProducts, TableSums};
use crate::device::{Device, Words};
use crate::kernels::{self, Grid};
use crate::poly::word_grid;
use crate::ring::DeviceRing;
use crate::tensor::{DeviceParts, DeviceTensor, common_basis};

/// Rows of a tile: `TILE_ROWS` of `table_step.cu`.
const TILE_ROWS: usize = 16;

/// Most tiles of a block, and most threads.
const BLOCK_TILES: usize = 4;
const THREADS: usize = 256;

/// Bits of the absolute value of an entry.
const ENTRY_BITS: u32 = 39;

/// Bits of a piece of an entry and of the number of columns together: sums of products with 25 bits of a word are then
/// integers of at most 2^53, which doubles hold.
const PIECE_AND_COLUMN_BITS: u32 = 29;

/// Bytes that row sums take at most, but for a tile of rows.
const SUMS_BYTES: usize = 1 << 30;

/// Most outputs of all sets that a turn has: blocks of a grid's third dimension.
const MOST_OUTPUTS: usize = 1 << 15;

/// Entries `e[o][i][j]` of a table, signed integers, on a card: [`cryptable_ring::selected_product::TableMatrix`].
///
/// An entry is divided by the greatest common divisor of all, and takes 8 bytes for every piece of `29 - ⌈log2 columns⌉`
/// bits: one for up to 21 bits and 256 columns.
#[derive(Debug)]
pub struct DeviceTable {
    outer: usize,
    inner: usize,
    columns: usize,
    factor: u64,
    bits: u32,
    pieces: usize,
    /// `[tile][piece][column][row]`, doubles.
    entries: Words,
}

impl DeviceTable {
    /// The entries `entry(o, i, j)` for `o < outer`, `i < inner`, `j < columns`.
    ///
    /// # Panics
    /// If an entry is not in `(-2^39, 2^39)`, `inner` is 0, or there are no columns or more than [`MAX_COLUMNS`].
    #[must_use]
    pub fn new(
        device: &Device,
        outer: usize,
        inner: usize,
        columns: usize,
        entry: impl Fn(usize, usize, usize) -> i64 + Sync,
    ) -> Self {
        assert!(inner > 0, "a sum of no rows");
        assert!((1..=MAX_COLUMNS).contains(&columns), "{columns} columns");
        let rows = outer * inner;
        let of_row = |row| {
            let entry = &entry;
            (0..columns).map(move |column| entry(row / inner, row % inner, column))
        };
        let entries: Vec<i64> = (0..rows).into_par_iter().flat_map_iter(of_row).collect();
        let largest = entries.iter().map(|entry| entry.unsigned_abs()).max().unwrap_or(0);
        assert!(largest >> ENTRY_BITS == 0, "entry of absolute value {largest}");
        let factor = common_factor(&entries);
        let bits = PIECE_AND_COLUMN_BITS - columns.next_power_of_two().ilog2();
        // A last piece takes what is left: at most half of 2^bits too.
        let holds = |&pieces: &usize| largest / factor <= 1 << (bits as usize * pieces - 1);
        let pieces = (1..).find(holds).expect("entries are below 2^39");
        let tile_words = pieces * columns * TILE_ROWS;
        let mut words = vec![0; rows.div_ceil(TILE_ROWS) * tile_words];
        let tiles = words.par_chunks_mut(tile_words).zip(entries.par_chunks(TILE_ROWS * columns));
        tiles.for_each(|(words, entries)| {
            for (index, &entry) in entries.iter().enumerate() {
                let (row, column) = (index / columns, index % columns);
                let quotient = entry / factor.cast_signed();
                for (piece, value) in pieces_of(quotient, bits, pieces).enumerate() {
                    words[(piece * columns + column) * TILE_ROWS + row] = (value as f64).to_bits();
                }
            }
        });
        Self { outer, inner, columns, factor, bits, pieces, entries: device.upload(&words) }
    }

    /// The bytes that the entries take on the card.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        8 * self.entries.len()
    }

    fn rows(&self) -> usize {
        self.outer * self.inner
    }
}

/// An integer in so many pieces of `bits` bits, in `[-2^(bits-1), 2^(bits-1)]`, the lowest first.
fn pieces_of(mut rest: i64, bits: u32, pieces: usize) -> impl Iterator<Item = i64> {
    let half = 1 << (bits - 1);
    (1..=pieces).map(move |number| {
        let is_last = number == pieces;
        let low = if is_last { rest } else { (rest + half).rem_euclid(2 * half) - half };
        rest = (rest - low) >> bits;
        low
    })
}

/// The greatest common divisor of all entries; 1 if all are 0.
fn common_factor(entries: &[i64]) -> u64 {
    let mut factor = 0;
    for entry in entries {
        let mut rest = entry.unsigned_abs();
        while rest != 0 {
            (factor, rest) = (rest, factor % rest);
        }
        if factor == 1 {
            break;
        }
    }
    factor.max(1)
}

/// `result[o][k] = Σ_i (Σ_j e[o][i][j]·columns[j]) ⊗ selectors[k][i]` modulo `q_0 … q_{main-1}`, where ⊗ is the product of
/// pairs that a [`DeviceTensor`] holds: [`cryptable_ring::selected_product::selected_matrix_product`].
///
/// Columns and selectors may have more limbs than `main`: the others are not read. Costs four multiplications of doubles a
/// piece of an entry, limb and coefficient (two for each part); row sums take up to 1 GiB at a time.
///
/// # Panics
/// If there are no selectors, numbers of columns or selectors are not those of the table, or an operand has fewer than `main`
/// chain primes.
#[must_use]
pub fn selected_matrix_product(
    ring: &DeviceRing<'_>,
    main: usize,
    columns: &[DeviceParts<'_>],
    table: &DeviceTable,
    selectors: &[Vec<DeviceParts<'_>>],
) -> Vec<Vec<DeviceTensor>> {
    product_in_turns(ring, main, (columns, selectors), table, SUMS_BYTES)
}

/// As [`selected_matrix_product`], with as many rows at a time as fit so many bytes.
fn product_in_turns(
    ring: &DeviceRing<'_>,
    main: usize,
    (columns, selectors): (&[DeviceParts<'_>], &[Vec<DeviceParts<'_>>]),
    table: &DeviceTable,
    sums_bytes: usize,
) -> Vec<Vec<DeviceTensor>> {
    assert_eq!(columns.len(), table.columns, "columns");
    assert!(!selectors.is_empty(), "no selectors");
    assert!(selectors.iter().all(|set| set.len() == table.inner), "selectors of a set");
    let operands = columns.iter().chain(selectors.iter().flatten()).flatten().copied();
    let basis = common_basis(columns[0][0].basis(), main, operands);
    let tensors = || selectors.iter().map(|_| DeviceTensor::unspecified(ring, basis)).collect();
    let results: Vec<Vec<DeviceTensor>> = (0..table.outer).map(|_| tensors()).collect();
    if table.outer == 0 {
        return results;
    }
    let row_words = 2 * basis.limbs() * ring.degree();
    let most_rows = (sums_bytes / (8 * row_words)).min(MOST_OUTPUTS / selectors.len());
    let all_tiles = table.rows().div_ceil(TILE_ROWS);
    let tiles = (most_rows / TILE_ROWS).clamp(1, all_tiles);
    let c0 = columns.iter().map(|column| column[0].limb(0));
    let c1 = columns.iter().map(|column| column[1].limb(0));
    let selectors_of = selectors.iter().flatten().flatten().map(|poly| poly.limb(0));
    let results_of = results.iter().flatten().flat_map(DeviceTensor::addresses);
    let addresses: Vec<u64> = c0.chain(c1).chain(selectors_of).chain(results_of).collect();
    let step = TableStep {
        ring,
        basis,
        table,
        sets: selectors.len(),
        addresses: ring.device().upload(&addresses),
        sums: ring.device().allocate(tiles * TILE_ROWS * row_words),
    };
    for first in (0..all_tiles).step_by(tiles) {
        let tiles = tiles.min(all_tiles - first);
        step.add_columns(first, tiles);
        step.multiply_by_selectors(first, tiles);
    }
    results
}

/// What all turns of a table step have in common.
struct TableStep<'a> {
    ring: &'a DeviceRing<'a>,
    basis: Basis,
    table: &'a DeviceTable,
    sets: usize,
    /// Where columns, selectors and results are.
    addresses: Words,
    /// The row sums of a turn.
    sums: Words,
}

impl TableStep<'_> {
    /// The sums of the rows of some tiles.
    fn add_columns(&self, first_tile: usize, tiles: usize) {
        let (ring, table, degree) = (self.ring, self.table, self.ring.degree());
        let block_tiles = tiles.next_power_of_two().min(BLOCK_TILES);
        let words = (THREADS / block_tiles).min(degree);
        let arguments = TableSums {
            moduli: ring.moduli(),
            entries: table.entries.address(0),
            columns: self.addresses.address(0),
            sums: self.sums.address(0),
            factor: table.factor,
            column_count: table.columns as u32,
            pieces: table.pieces as u32,
            bits: table.bits,
            first_tile: first_tile as u32,
            tiles: tiles as u32,
            block_tiles: block_tiles as u32,
            degree: degree as u32,
            limbs: ring.limbs(self.basis),
        };
        let groups = tiles.div_ceil(block_tiles) as u32;
        let blocks = [groups, (2 * degree / words) as u32, self.basis.limbs() as u32];
        let grid = Grid { blocks, threads: (words * block_tiles) as u32 };
        ring.device().launch(&kernels::TABLE_SUMS, grid, &arguments);
    }

    /// Adds their products with the selectors to the results.
    fn multiply_by_selectors(&self, first_tile: usize, tiles: usize) {
        let (ring, table) = (self.ring, self.table);
        let first_row = first_tile * TILE_ROWS;
        let rows = (tiles * TILE_ROWS).min(table.rows() - first_row);
        let first_output = first_row / table.inner;
        let outputs = (first_row + rows - 1) / table.inner - first_output + 1;
        let selectors = 2 * table.columns;
        let arguments = TableProducts {
            moduli: ring.moduli(),
            sums: self.sums.address(0),
            selectors: self.addresses.address(selectors),
            results: self.addresses.address(selectors + 2 * self.sets * table.inner),
            first_row: first_row as u32,
            rows: rows as u32,
            inner: table.inner as u32,
            sets: self.sets as u32,
            first_output: first_output as u32,
            degree: ring.degree() as u32,
            limbs: ring.limbs(self.basis),
        };
        let mut grid = word_grid(ring, self.basis.limbs());
        grid.blocks[2] = (outputs * self.sets) as u32;
        ring.device().launch(&kernels::TABLE_PRODUCTS, grid, &arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poly::DevicePoly;
    use crate::samples;
    use cryptable_ring::primes::ntt_primes;
    use cryptable_ring::selected_product::{self, TableMatrix};
    use cryptable_ring::{Evaluations, Poly, Ring};

    /// Two primes below 2^50, and one above.
    fn ring(degree: usize) -> Ring {
        let (small, large) = (ntt_primes(degree, 50.0, 3, &[]), ntt_primes(degree, 60.0, 1, &[]));
        Ring::new(degree, &[small[0], large[0], small[1], small[2]], &[])
    }

    type Entry<'a> = &'a (dyn Fn(usize, usize, usize) -> i64 + Sync);

    /// Compares all words with those of the processor, with row sums of 16 rows at a time, of 32, and of more; words are all
    /// the largest ones if `extreme`.
    fn check(ring: &Ring, main: usize, shape: [usize; 4], (entry, extreme): (Entry<'_>, bool)) {
        let [outer, inner, columns, sets] = shape;
        let on_card = DeviceRing::new(&Device::for_tests(), ring);
        let count = 2 * (columns + sets * inner);
        let primes = |k: usize| (main + k % 2).min(ring.full_basis().main);
        let seed = |k: usize| if extreme { 0 } else { k as u64 + 1 };
        let polys: Vec<Poly<Evaluations>> = (0..count.min(40))
            .map(|k| samples::poly(ring, ring.main_basis(primes(k)), seed(k)))
            .collect();
        let copies: Vec<_> = polys.iter().map(|poly| DevicePoly::upload(&on_card, poly)).collect();
        let pick = |k: usize| (k * 7 + k / 40) % polys.len();
        let selector = |set: usize, i: usize| 2 * (columns + set * inner + i);

        let matrix = TableMatrix::new(outer, inner, columns, entry);
        let pair = |k: usize| [&polys[pick(k)], &polys[pick(k + 1)]];
        let on_processor: Vec<_> = (0..columns).map(|j| pair(2 * j)).collect();
        let set = |set| (0..inner).map(|i| pair(selector(set, i))).collect();
        let selectors: Vec<Vec<_>> = (0..sets).map(set).collect();
        let expected = selected_product::selected_matrix_product(
            ring,
            main,
            &on_processor,
            &matrix,
            &selectors,
        );

        let table = DeviceTable::new(on_card.device(), outer, inner, columns, entry);
        let pair = |k: usize| [&copies[pick(k)], &copies[pick(k + 1)]];
        let columns: Vec<_> = (0..columns).map(|j| pair(2 * j)).collect();
        let set = |set| (0..inner).map(|i| pair(selector(set, i))).collect();
        let selectors: Vec<Vec<_>> = (0..sets).map(set).collect();
        for rows in [1, 32, 1000] {
            let bytes = rows * 16 * main * ring.degree();
            let found = product_in_turns(&on_card, main, (&columns, &selectors), &table, bytes);
            assert_eq!(found.len(), outer);
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                let found = found.download(&on_card).unwrap();
                assert!(found.d0 == expected.d0, "{shape:?}, {main} primes, {rows} rows");
                assert!(found.d1 == expected.d1 && found.d2 == expected.d2, "{shape:?}");
            }
        }
    }

    /// Random entries of so many bits, times a factor; some are 0.
    fn random_entry(bits: u32, factor: i64) -> impl Fn(usize, usize, usize) -> i64 + Sync {
        move |o, i, j| {
            let mut state = ((o * 31 + i) * 1009 + j) as u64;
            let random = samples::random(&mut state);
            let entry = (random >> (64 - bits)).cast_signed() * factor;
            if random.is_multiple_of(7) { 0 } else { entry * [1, -1][random as usize % 2] }
        }
    }

    #[test]
    fn products_are_those_of_the_processor() {
        let ring = ring(64);
        for shape in [
            [1, 1, 1, 1],
            [1, 1, 2, 2],
            [2, 3, 5, 2],
            [7, 1, 3, 1],
            [3, 4, 17, 1],
            [2, 33, 3, 2],
            [0, 4, 2, 1],
            [3, 16, 195, 2],
            [1, 70, 9, 1],
        ] {
            for (bits, factor) in [(1, 1), (8, 1), (16, 1), (8, 1 << 25), (39, 1)] {
                check(&ring, 3, shape, (&random_entry(bits, factor), false));
            }
        }
        check(&ring, 1, [4, 8, 16, 2], (&random_entry(17, 3), false));
    }

    /// The largest words and entries, of one sign and of both, with as many columns as there may be.
    #[test]
    fn sums_stay_exact() {
        const LARGEST: i64 = (1 << ENTRY_BITS) - 1;
        let ring = ring(16);
        for columns in [1usize, 255, 256, 4095, 4096] {
            // The largest entries of one piece and of two, and the largest.
            let bits = PIECE_AND_COLUMN_BITS - columns.next_power_of_two().ilog2();
            for largest in [1 << (bits - 1), (1 << (bits - 1)) + 1, LARGEST] {
                let entry = |o: usize, _, j: usize| match o {
                    0 => largest,
                    1 => -largest,
                    // So that entries have no factor.
                    _ => {
                        if j == 0 {
                            largest - 1
                        } else {
                            -largest
                        }
                    }
                };
                check(&ring, 3, [3, 1, columns, 1], (&entry, true));
            }
        }
    }

    #[test]
    fn products_of_the_full_degree() {
        let ring = Ring::new(1 << 16, &ntt_primes(1 << 16, 50.0, 2, &[]), &[]);
        check(&ring, 1, [2, 3, 4, 1], (&random_entry(16, 1), false));
    }

    #[test]
    #[should_panic(expected = "absolute value 549755813888")]
    fn entries_beyond_39_bits_are_refused() {
        let _ = DeviceTable::new(&Device::for_tests(), 1, 1, 1, |_, _, _| 1 << 39);
    }
}
