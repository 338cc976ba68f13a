//! Products of pairs of polynomials with an integer matrix, whose rows are multiplied with
//! selectors while they are in the cache: what a multiplexer tree makes of a table.

use rayon::prelude::*;

use crate::combination::Tensor;
use crate::kernels::{self, ColumnBlock, MatrixTiles};
use crate::{Buffer, Evaluations, Modulus, Poly, Ring};

/// Words that a task packs at a time, at most 1.5 MiB: they stay in the second-level cache for all
/// rows.
const BLOCK_WORDS: usize = 3 << 16;

/// Fewest words of a block: the smallest ring degree.
const MIN_WIDTH: usize = 16;

/// Words of a limb that a task takes: enough tasks for all threads, and few slices of outputs to
/// keep track of.
const SPAN: usize = 1024;

/// A pair of polynomials: the two parts of a ciphertext.
pub type Parts<'a> = [&'a Poly<Evaluations>; 2];

/// Entries `e[o][i][j]` of a table, signed integers, in the layout that the kernels read.
///
/// Takes up to 8 bytes per entry: fewer where AMX works on bytes.
#[derive(Debug)]
pub struct TableMatrix {
    outer: usize,
    inner: usize,
    tiles: MatrixTiles,
}

impl TableMatrix {
    /// The entries `entry(o, i, j)` for `o < outer`, `i < inner`, `j < columns`.
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

    /// The number of results for each set of selectors.
    #[must_use]
    pub fn outer(&self) -> usize {
        self.outer
    }

    /// The number of rows that selectors choose from.
    #[must_use]
    pub fn inner(&self) -> usize {
        self.inner
    }

    /// The number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.tiles.columns()
    }

    /// The bytes that the entries take in memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.tiles.memory_bytes()
    }
}

/// `result[o][k] = Σ_i (Σ_j e[o][i][j]·columns[j]) ⊗ selectors[k][i]` modulo `q_0 … q_{main-1}`,
/// where ⊗ is the product of pairs that a [`Tensor`] holds.
///
/// Columns and selectors may have more limbs than `main`: the others are not read. Costs two
/// multiply-accumulates per entry, limb and coefficient (one for each part), and reads every
/// operand once: row sums stay in the cache.
///
/// # Panics
/// If there are no selectors, numbers of columns or selectors are not those of the matrix, an
/// operand has fewer than `main` chain primes, or primes share limbs.
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
    assert_eq!(basis.limbs(), main, "tables are for chains of one prime a limb");
    let poly = || Poly::<Evaluations>::unspecified(ring, basis);
    let tensor = || Tensor { d0: poly(), d1: poly(), d2: poly() };
    let mut results: Vec<Vec<Tensor>> =
        (0..matrix.outer).map(|_| selectors.iter().map(|_| tensor()).collect()).collect();

    let degree = ring.degree();
    let span = SPAN.min(degree);
    let mut tasks: Vec<Vec<[&mut [u64]; 3]>> = Vec::new();
    tasks.resize_with(main * degree / span, Vec::new);
    for Tensor { d0, d1, d2 } in results.iter_mut().flatten() {
        let parts = [d0, d1, d2].map(|part| part.words_mut().chunks_mut(span));
        let [d0, d1, d2] = parts;
        for (task, ((d0, d1), d2)) in tasks.iter_mut().zip(d0.zip(d1).zip(d2)) {
            task.push([d0, d1, d2]);
        }
    }
    tasks.into_par_iter().enumerate().for_each(|(index, mut out)| {
        let (limb, start) = (index * span / degree, index * span % degree);
        let operands = Operands { modulus: ring.modulus(limb), limb, columns, matrix, selectors };
        let mut scratch = Scratch::new(&operands, span);
        for block in (0..span).step_by(scratch.width) {
            scratch.load(&operands, start + block);
            scratch.write_tensors(&operands, &mut out, block);
        }
    });
    results
}

/// What the results are computed from, and the limb of it that a task reads.
struct Operands<'a> {
    modulus: &'a Modulus,
    limb: usize,
    columns: &'a [Parts<'a>],
    matrix: &'a TableMatrix,
    selectors: &'a [Vec<Parts<'a>>],
}

impl<'a> Operands<'a> {
    /// The words of a polynomial from `start`.
    fn words(&self, poly: &'a Poly<Evaluations>, start: usize, count: usize) -> &'a [u64] {
        &poly.limb(self.limb)[start..start + count]
    }
}

/// One block of words of all operands, contiguous, and of the row sums.
///
/// Polynomials lie a power of two apart, so that the same words of many of them would fall into a
/// few sets of the cache.
struct Scratch {
    /// The number of words of the block.
    width: usize,
    /// Part 0 of all columns in the first half, part 1 in the second.
    columns: ColumnBlock,
    /// `[set][i][part][word]`.
    selectors: Buffer,
    /// `[row][part][word]`: rows that wait to be multiplied with selectors.
    sums: Buffer,
}

impl Scratch {
    fn new(operands: &Operands, span: usize) -> Self {
        let matrix = operands.matrix;
        let selectors = operands.selectors.len() * matrix.inner;
        let rows = matrix.inner + matrix.tiles.tile_rows();
        let polys = 2 * (matrix.columns() + selectors + rows);
        let fitting = (BLOCK_WORDS / polys).max(1);
        let width = (1 << fitting.ilog2()).clamp(MIN_WIDTH, span);
        Self {
            width,
            columns: ColumnBlock::new(operands.modulus, &matrix.tiles, 2 * width),
            selectors: Buffer::unspecified(selectors * 2 * width),
            sums: Buffer::unspecified(rows * 2 * width),
        }
    }

    /// Copies the words of the operands that begin at `start`.
    fn load(&mut self, operands: &Operands, start: usize) {
        let width = self.width;
        let tiles = &operands.matrix.tiles;
        for part in 0..2 {
            let columns =
                operands.columns.iter().map(|column| operands.words(column[part], start, width));
            let columns: Vec<_> = columns.collect();
            self.columns.pack(operands.modulus, tiles, part * width, &columns);
        }
        let selectors = operands.selectors.iter().flatten().flatten();
        for (copy, selector) in self.selectors.chunks_exact_mut(width).zip(selectors) {
            copy.copy_from_slice(operands.words(selector, start, width));
        }
    }

    /// Writes the words `start..start + width` of all results.
    fn write_tensors(&mut self, operands: &Operands, out: &mut [[&mut [u64]; 3]], start: usize) {
        let (m, matrix) = (operands.modulus, operands.matrix);
        let tile_rows = matrix.tiles.tile_rows();
        let (width, inner, sets) = (self.width, matrix.inner, operands.selectors.len());
        let row = 2 * width;
        // The rows in `sums`; the tiles that have been computed.
        let (mut ready, mut tiles) = (0..0, 0);
        for out in out.chunks_mut(sets) {
            if ready.start > 0 {
                self.sums.copy_within(ready.start * row..ready.end * row, 0);
                ready = 0..ready.len();
            }
            while ready.len() < inner {
                let sums = &mut self.sums[ready.end * row..][..tile_rows * row];
                kernels::tile_product(m, sums, &matrix.tiles, tiles, &self.columns);
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

/// The sum of the tensor products of pairs of `a` with pairs of `b`, pair after pair.
fn tensor_sum(m: &Modulus, [d0, d1, d2]: [&mut [u64]; 3], a: &[u64], b: &[u64]) {
    let width = d0.len();
    let pairs = || a.chunks_exact(2 * width).zip(b.chunks_exact(2 * width));
    let pairs = || pairs().map(|(a, b)| (a.split_at(width), b.split_at(width)));
    let terms: Vec<_> = pairs().map(|((a0, _), (b0, _))| (a0, b0)).collect();
    kernels::inner_product(m, d0, &terms);
    let terms: Vec<_> = pairs().flat_map(|((a0, a1), (b0, b1))| [(a0, b1), (a1, b0)]).collect();
    kernels::inner_product(m, d1, &terms);
    let terms: Vec<_> = pairs().map(|((_, a1), (_, b1))| (a1, b1)).collect();
    kernels::inner_product(m, d2, &terms);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::primes::ntt_primes;

    /// A polynomial of pseudorandom words, or of the largest ones.
    fn poly(ring: &Ring, main: usize, seed: usize, largest: bool) -> Poly<Evaluations> {
        let mut poly = Poly::unspecified(ring, Basis::main(main));
        let mut state = seed as u64;
        for (limb, words) in poly.words_mut().chunks_mut(ring.degree()).enumerate() {
            let m = ring.modulus(limb);
            for word in words {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99_991);
                *word = if largest { m.value() - 1 } else { m.reduce(state ^ state >> 29) };
            }
        }
        poly
    }

    fn pairs(ring: &Ring, main: usize, count: usize, largest: bool) -> Vec<[Poly<Evaluations>; 2]> {
        (0..count).map(|i| [2 * i, 2 * i + 1].map(|seed| poly(ring, main, seed, largest))).collect()
    }

    fn references(pairs: &[[Poly<Evaluations>; 2]]) -> Vec<Parts<'_>> {
        pairs.iter().map(|pair| pair.each_ref()).collect()
    }

    /// Word `word` of the result for one row of entries `rows[i][j]`, term by term.
    fn oracle(
        m: &Modulus,
        rows: &[Vec<i64>],
        columns: &[[u64; 2]],
        selectors: &[[u64; 2]],
    ) -> [u64; 3] {
        let mut tensor = [0; 3];
        for (row, s) in rows.iter().zip(selectors) {
            let sum = |part: usize| {
                row.iter().zip(columns).fold(0, |sum, (&entry, column)| {
                    m.add(sum, m.mul(m.reduce_i64(entry), column[part]))
                })
            };
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                tensor[a + b] = m.add(tensor[a + b], m.mul(sum(a), s[b]));
            }
        }
        tensor
    }

    /// Compares all words of a product with the oracle; all words and entries extreme if `largest`.
    fn check(ring: &Ring, [outer, inner, count, sets]: [usize; 4], largest: bool) {
        let main = ring.full_basis().main - 1;
        // A limb more than is read.
        let columns = pairs(ring, main + 1, count, largest);
        let selectors = pairs(ring, main + 1, sets * inner, largest);
        let entry = |o: usize, i: usize, j: usize| {
            let x = ((o * 31 + i) * 1009 + j) as u64;
            let random = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed() >> 24;
            match (largest, x % 5) {
                (true, _) => ((1 << 39) - 1) * if o.is_multiple_of(2) { 1 } else { -1 },
                (_, 0) => 0,
                _ => random.clamp(1 - (1 << 39), (1 << 39) - 1),
            }
        };
        let matrix = TableMatrix::new(outer, inner, count, entry);
        let (columns, selectors) = (references(&columns), references(&selectors));
        let selector_sets: Vec<_> = selectors.chunks(inner).map(<[_]>::to_vec).collect();
        let result = selected_matrix_product(ring, main, &columns, &matrix, &selector_sets);
        assert_eq!(result.len(), outer);
        for (o, row) in result.iter().enumerate() {
            assert_eq!(row.len(), sets);
            let rows: Vec<Vec<i64>> =
                (0..inner).map(|i| (0..count).map(|j| entry(o, i, j)).collect()).collect();
            for (set, tensor) in row.iter().enumerate() {
                assert_eq!(tensor.d0.basis(), Basis::main(main));
                for limb in 0..main {
                    for word in 0..ring.degree() {
                        let at = |pair: &Parts| pair.map(|poly| poly.limb(limb)[word]);
                        let columns: Vec<_> = columns.iter().map(at).collect();
                        let selectors: Vec<_> = selector_sets[set].iter().map(at).collect();
                        let result =
                            [&tensor.d0, &tensor.d1, &tensor.d2].map(|part| part.limb(limb)[word]);
                        let expected = oracle(ring.modulus(limb), &rows, &columns, &selectors);
                        assert_eq!(result, expected, "{o}, {set}, limb {limb}, word {word}");
                    }
                }
            }
        }
    }

    /// Two primes below 2^50, and one above for the portable kernel.
    fn ring(degree: usize) -> Ring {
        let small = ntt_primes(degree, 50.0, 2, &[]);
        let large = ntt_primes(degree, 60.0, 2, &[]);
        Ring::new(degree, &[small[0], large[0], small[1], large[1]], &[])
    }

    #[test]
    fn products_of_all_shapes() {
        let ring = ring(64);
        for shape in [
            [1, 1, 1, 1],
            [1, 1, 2, 2],
            [2, 3, 5, 2],
            [7, 1, 3, 1],
            [5, 2, 4, 2],
            [3, 4, 17, 1],
            [2, 33, 3, 2],
            [0, 4, 2, 1],
        ] {
            check(&ring, shape, false);
            check(&ring, shape, true);
        }
    }

    #[test]
    fn blocks_of_all_widths() {
        // More words than a span; so many columns and rows that only one strip fits a block.
        check(&ring(2048), [2, 2, 3, 1], false);
        check(&ring(64), [2, 2, 4096, 1], true);
        check(&ring(32), [2, 1, 4095, 1], true);
        check(&ring(16), [1, 257, 2, 2], true);
    }

    #[test]
    #[should_panic(expected = "absolute value 549755813888")]
    fn entries_beyond_39_bits_are_refused() {
        let _ = TableMatrix::new(1, 1, 1, |_, _, _| 1 << 39);
    }
}
