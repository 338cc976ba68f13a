//! Products of pairs of polynomials with an integer matrix, whose rows are multiplied with selectors while they are in
//! the cache: the way a multiplexer tree evaluates a table.

use std::ops::Range;

use rayon::prelude::*;

use crate::combination::Tensor;
use crate::kernels::{self, ColumnBlock, MatrixTiles};
use crate::{Buffer, Evaluations, Modulus, Poly, Ring};

/// Words that a task packs at a time, at most 1.5 MiB: they stay in the second-level cache for all rows.
const BLOCK_WORDS: usize = 3 << 16;

/// Bytes of a block per entry of the matrix, for matrices with few entries: with 128 rows and columns, 256 words of
/// both parts take 24 bytes each, for every column and for every row.
const SCRATCH_BYTES_PER_ENTRY: usize = 192;

/// The most bytes of a block: 16 MiB of residues, and the words that they are computed from.
const MOST_SCRATCH_BYTES: usize = 24 << 20;

/// The fewest words of a block: the smallest ring degree.
const MIN_WIDTH: usize = 16;

/// Words of a limb per task: there are enough tasks for all threads, and few slices of outputs to keep track of.
const SPAN: usize = 1024;

/// A pair of polynomials: the two parts of a ciphertext.
pub type Parts<'a> = [&'a Poly<Evaluations>; 2];

/// Entries `e[o][i][j]` of a table, signed integers, in the layout that the kernels read.
///
/// With VNNI, an entry takes 7/4 bytes for each of the small moduli of its residues, of which there are at most 24. It
/// takes 8 bytes as a word, 8 to 24 as doubles, and fewer with AMX, which works on bytes.
#[derive(Debug)]
pub struct TableMatrix {
    outer: usize,
    inner: usize,
    tiles: MatrixTiles,
}

impl TableMatrix {
    /// Returns the entries `entry(o, i, j)` for `o < outer`, `i < inner`, `j < columns`.
    ///
    /// # Panics
    /// If an entry is not in `(-2^39, 2^39)`, `inner` is 0, or there are no columns or more than
    /// [`kernels::MAX_COLUMNS`].
    #[must_use]
    pub fn new(
        outer: usize,
        inner: usize,
        columns: usize,
        entry: impl Fn(usize, usize, usize) -> i64 + Sync,
    ) -> Self {
        assert!(inner > 0, "a sum of no rows");
        let rows = (0..outer * inner).into_par_iter();
        let entry = &entry;
        let row = |row| (0..columns).map(move |column| entry(row / inner, row % inner, column));
        let entries: Vec<i64> = rows.flat_map_iter(row).collect();
        Self { outer, inner, tiles: MatrixTiles::new(columns, &entries) }
    }

    /// Returns an upper bound on the memory of a matrix of `entries` entries, in bytes.
    #[must_use]
    pub fn bytes_at_most(entries: usize) -> usize {
        MatrixTiles::bytes_at_most(entries)
    }

    /// Returns an upper bound on a thread's memory for the words and sums of a block, with a matrix of `entries`
    /// entries, in bytes.
    #[must_use]
    pub fn scratch_bytes_at_most(entries: usize) -> usize {
        (SCRATCH_BYTES_PER_ENTRY * entries).min(MOST_SCRATCH_BYTES)
    }

    /// Returns the number of results for each set of selectors.
    #[must_use]
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// Returns the number of rows that selectors choose from.
    #[must_use]
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.tiles.columns()
    }

    /// Returns the memory of the entries in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tiles.memory_bytes()
    }
}

/// `result[o][k] = Σ_i (Σ_j e[o][i][j]·columns[j]) ⊗ selectors[k][i]` modulo `q_0 … q_{main-1}`,
/// where ⊗ is the product of pairs that a [`Tensor`] holds.
///
/// Columns and selectors may have more limbs than `main`: the others are not read. The cost is two multiply-accumulates
/// per entry, limb and coefficient (one for each part). Every operand is read once: row sums stay in the cache.
///
/// # Panics
/// If there are no selectors, if the numbers of columns or selectors are not those of the matrix, if an operand has
/// fewer than `main` chain primes, or if primes share limbs.
///
/// ```
/// use cryptable_ring::selected_product::{TableMatrix, selected_matrix_product};
/// use cryptable_ring::{Basis, Poly, Ring, primes::ntt_primes};
/// let ring = Ring::new(16, &ntt_primes(16, 49.0, 1, &[]), &[]);
/// let constant = |c| Poly::from_words(&ring, Basis::main(1), vec![c; 16]);
/// let (one, two, five) = (constant(1), constant(2), constant(5));
/// // One row: 3·(1, 2) + 4·(2, 5) = (11, 26).
/// let matrix = TableMatrix::new(1, 1, 2, |_, _, j| [3, 4][j]);
/// let columns = [[&one, &two], [&two, &five]];
/// let result = selected_matrix_product(&ring, 1, &columns, &matrix, &[vec![[&one, &two]]]);
/// assert_eq!(result[0][0].d1, constant(26 + 2 * 11));
/// ```
#[must_use]
pub fn selected_matrix_product(
    ring: &Ring,
    main: usize,
    columns: &[Parts],
    matrix: &TableMatrix,
    selectors: &[Vec<Parts>],
) -> Vec<Vec<Tensor>> {
    assert_eq!(columns.len(), matrix.columns(), "columns");
    assert!(!selectors.is_empty(), "no selectors");
    assert!(selectors.iter().all(|set| set.len() == matrix.inner), "selectors of a set");
    let operands = columns.iter().chain(selectors.iter().flatten()).flatten();
    assert!({ operands }.all(|poly| poly.basis().main >= main), "an operand lacks limbs");
    let basis = ring.main_basis(main);
    assert_eq!(basis.limbs(), main, "tables are for chains of one prime per limb");
    let poly = || Poly::<Evaluations>::unspecified(ring, basis);
    let tensor = || Tensor { d0: poly(), d1: poly(), d2: poly() };
    let mut results: Vec<Vec<Tensor>> =
        (0..matrix.outer).map(|_| selectors.iter().map(|_| tensor()).collect()).collect();

    let degree = ring.degree();
    let span = SPAN.min(degree);
    let mut outputs: Vec<Outputs> = Vec::new();
    outputs.resize_with(main * degree / span, Vec::new);
    for Tensor { d0, d1, d2 } in results.iter_mut().flatten() {
        let parts = [d0, d1, d2].map(|part| part.words_mut().chunks_mut(span));
        let [d0, d1, d2] = parts;
        for (outputs, ((d0, d1), d2)) in outputs.iter_mut().zip(d0.zip(d1).zip(d2)) {
            outputs.push([d0, d1, d2]);
        }
    }
    let operands = Operands { ring, columns, matrix, selectors };
    let mut tasks = Vec::new();
    for (limbs, has_residues) in groups(&operands, main) {
        for start in (0..degree).step_by(span) {
            let of = |limb| std::mem::take(&mut outputs[(limb * degree + start) / span]);
            tasks.push(Task {
                start,
                span,
                out: limbs.clone().map(of).collect(),
                limbs: limbs.clone(),
                has_residues,
            });
        }
    }
    tasks.into_par_iter().for_each(|task| task.run(&operands));
    results
}

/// The words of one limb that a task writes to all results: `[o][set]`, set after set.
type Outputs<'a> = Vec<[&'a mut [u64]; 3]>;

/// Some words of one limb, or of a group of limbs that are multiplied by residues.
struct Task<'a> {
    limbs: Range<usize>,
    has_residues: bool,
    start: usize,
    span: usize,
    /// Outputs of each limb.
    out: Vec<Outputs<'a>>,
}

impl Task<'_> {
    fn run(mut self, operands: &Operands) {
        #[cfg(target_arch = "x86_64")]
        if self.has_residues {
            return residue_groups::write_tensors(operands, self);
        }
        debug_assert!(!self.has_residues && self.limbs.len() == 1, "no kernel for groups");
        let limb = self.limbs.start;
        let mut scratch = Scratch::new(operands, limb, self.span);
        for block in (0..self.span).step_by(scratch.width) {
            scratch.load(operands, self.start + block);
            scratch.write_tensors(operands, &mut self.out[0], block);
        }
    }
}

/// Returns the limbs that are multiplied together, and whether residues multiply them.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "kernels are for x86-64"))]
fn groups(operands: &Operands, main: usize) -> Vec<(Range<usize>, bool)> {
    #[cfg(target_arch = "x86_64")]
    if operands.ring.degree() >= residue_groups::MIN_DEGREE {
        let moduli: Vec<_> = (0..main).map(|limb| operands.ring.modulus(limb)).collect();
        let groups = kernels::limb_groups(&operands.matrix.tiles, &moduli);
        return groups.into_iter().map(|group| (group.limbs, group.has_residues)).collect();
    }
    (0..main).map(|limb| (limb..limb + 1, false)).collect()
}

/// Operands of the results.
struct Operands<'a> {
    ring: &'a Ring,
    columns: &'a [Parts<'a>],
    matrix: &'a TableMatrix,
    selectors: &'a [Vec<Parts<'a>>],
}

impl Operands<'_> {
    /// Copies the words from `start` on of one limb of all selectors: `[set][i][part][word]`.
    fn copy_selectors(&self, limb: usize, copies: &mut [u64], start: usize, width: usize) {
        let selectors = self.selectors.iter().flatten().flatten();
        for (copy, selector) in copies.chunks_exact_mut(width).zip(selectors) {
            copy.copy_from_slice(&selector.limb(limb)[start..start + width]);
        }
    }
}

/// One block of words of all operands and of the row sums, contiguous.
///
/// The distance between polynomials is a power of two, so that the same words of many of them would share a few sets of
/// the cache.
struct Scratch<'a> {
    tiles: &'a MatrixTiles,
    modulus: &'a Modulus,
    limb: usize,
    /// The number of words of the block.
    width: usize,
    /// Part 0 of all columns in the first half, part 1 in the second.
    columns: ColumnBlock,
    /// `[set][i][part][word]`.
    selectors: Buffer,
    /// `[row][part][word]`: rows that are yet to be multiplied with selectors.
    sums: Buffer,
}

impl<'a> Scratch<'a> {
    fn new(operands: &Operands<'a>, limb: usize, span: usize) -> Self {
        let (matrix, modulus) = (operands.matrix, operands.ring.modulus(limb));
        let tiles = &matrix.tiles;
        let selectors = operands.selectors.len() * matrix.inner;
        let rows = matrix.inner + tiles.tile_rows();
        let polys = 2 * (matrix.columns() + selectors + rows);
        let fitting = (BLOCK_WORDS / polys).max(1);
        let width = (1 << fitting.ilog2()).clamp(MIN_WIDTH, span);
        Self {
            tiles,
            modulus,
            limb,
            width,
            columns: ColumnBlock::new(modulus, tiles, 2 * width),
            selectors: Buffer::unspecified(selectors * 2 * width),
            sums: Buffer::unspecified(rows * 2 * width),
        }
    }

    /// Copies the words of the operands from `start` on.
    fn load(&mut self, operands: &Operands<'a>, start: usize) {
        let (width, limb) = (self.width, self.limb);
        for part in 0..2 {
            let words = |column: &Parts<'a>| &column[part].limb(limb)[start..start + width];
            let columns: Vec<_> = operands.columns.iter().map(words).collect();
            self.columns.pack(self.modulus, self.tiles, part * width, &columns);
        }
        operands.copy_selectors(limb, &mut self.selectors, start, width);
    }

    /// Writes the words `start..start + width` of all results.
    fn write_tensors(&mut self, operands: &Operands, out: &mut [[&mut [u64]; 3]], start: usize) {
        let (m, matrix) = (self.modulus, operands.matrix);
        let tile_rows = self.tiles.tile_rows();
        let (width, inner, sets) = (self.width, matrix.inner, operands.selectors.len());
        let row = 2 * width;
        // The rows in `sums`, and the number of tiles that have been computed.
        let (mut ready, mut tiles) = (0..0, 0);
        for out in out.chunks_mut(sets) {
            if ready.start > 0 {
                self.sums.copy_within(ready.start * row..ready.end * row, 0);
                ready = 0..ready.len();
            }
            while ready.len() < inner {
                let sums = &mut self.sums[ready.end * row..][..tile_rows * row];
                kernels::tile_product(m, sums, self.tiles, tiles, &self.columns);
                tiles += 1;
                ready.end += tile_rows;
            }
            let sums = &self.sums[..inner * row];
            for (out, selectors) in out.iter_mut().zip(self.selectors.chunks_exact(inner * row)) {
                let out = out.each_mut().map(|part| &mut part[start..start + width]);
                tensor_sum(m, out, sums, selectors);
            }
            ready.start = inner;
        }
    }
}

/// Writes the sum of the tensor products of pairs of `a` with pairs of `b`, pair after pair.
fn tensor_sum<'a>(m: &Modulus, out: [&mut [u64]; 3], a: &'a [u64], b: &'a [u64]) {
    let width = out[0].len();
    let pair = |(a, b): (&'a [u64], &'a [u64])| {
        let ((a0, a1), (b0, b1)) = (a.split_at(width), b.split_at(width));
        [a0, a1, b0, b1]
    };
    let pairs = a.chunks_exact(2 * width).zip(b.chunks_exact(2 * width));
    kernels::tensor_products(m, out, &pairs.map(pair).collect::<Vec<_>>());
}

#[cfg(target_arch = "x86_64")]
mod residue_groups;
#[cfg(test)]
mod tests;
