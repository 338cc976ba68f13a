//! Products of an integer matrix with words by Winograd's variant of Strassen's algorithm (Strassen, Numerische Mathematik
//! 13, 1969; Winograd, Linear Algebra and its Applications 4(4), 1971): seven products of half the size in place of eight,
//! and fifteen sums, four of which are taken of the matrix once and for all.
//!
//! Words stay residues, so that a product is that of the plain algorithm word for word. Entries grow by two bits a level,
//! which costs nothing on IFMA: it multiplies 39 bits in the time of one. Where entries are bytes or doubles, each bit
//! more may cost a piece more, and matrices are left whole.

use crate::kernels::{self, ColumnBlock, LOG2_LARGEST_ENTRY, MatrixTiles};
use crate::{Isa, Modulus};

/// Words of a strip: blocks are `[strip][row][word]`, so that half of the rows or half of the words are a few long runs.
pub(crate) const STRIP_WORDS: usize = 64;

/// Fewest rows and columns of the smallest products. Below it, sums and reductions take what a level saves.
const LEAST_SIDE: usize = 128;

/// Fewest levels of a matrix that is cut: less does not pay, by measurement.
const LEAST_DEPTH: u32 = 3;

/// Most levels: a level takes 7/4 of the memory of the matrix.
const MAX_DEPTH: u32 = 4;

/// Most bytes of a matrix that is cut, all levels included.
const MAX_BYTES: usize = 1 << 28;

/// A matrix of integers, cut as often as that pays.
#[derive(Debug)]
pub(crate) struct CutMatrix {
    rows: usize,
    columns: usize,
    depth: u32,
    root: Node,
}

#[derive(Debug)]
enum Node {
    Leaf(MatrixTiles),
    /// `A11, A12, S1, S2, S3, S4, A22` of Winograd's form.
    Cut(Box<[Node; 7]>),
}

/// How often to cut a matrix of entries up to `largest` in absolute value.
pub(crate) fn depth(rows: usize, columns: usize, largest: u64) -> u32 {
    if Isa::detect() != Isa::Avx512Ifma || !MatrixTiles::has_words(columns, largest) {
        return 0;
    }
    let fits = |depth: u32| {
        let side = LEAST_SIDE << depth;
        let divides = rows.trailing_zeros().min(columns.trailing_zeros()) >= depth;
        let bits = u64::BITS - largest.leading_zeros() + 2 * depth;
        let bytes = 8 * rows * columns * 7usize.pow(depth) / 4usize.pow(depth);
        let is_large = rows >= side && columns >= side && bytes <= MAX_BYTES;
        divides && is_large && bits <= LOG2_LARGEST_ENTRY
    };
    (LEAST_DEPTH..=MAX_DEPTH).rev().find(|&depth| fits(depth)).unwrap_or(0)
}

/// The most bytes that a matrix of so many entries takes.
pub(crate) fn bytes_at_most(entries: usize) -> usize {
    let whole = 8 * entries;
    let cut = whole * 7usize.pow(MAX_DEPTH) / 4usize.pow(MAX_DEPTH);
    cut.min(whole.max(MAX_BYTES))
}

impl CutMatrix {
    /// Cuts the matrix of these entries, row after row, `depth` times.
    pub(crate) fn new(columns: usize, entries: &[i64], depth: u32) -> Self {
        let rows = entries.len() / columns;
        Self { rows, columns, depth, root: Node::new(columns, entries, depth) }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Words of every row of a product.
    pub(crate) fn words(&self) -> usize {
        STRIP_WORDS << self.depth
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.root.memory_bytes()
    }

    /// `out[r][w] = Σ_j entries[r][j]·columns[j][w]`, both `[strip][row][word]`.
    ///
    /// # Panics
    /// If a length is not that of [`CutMatrix::words`] of all columns, or rows.
    pub(crate) fn multiply(
        &self,
        m: &Modulus,
        columns: &[u64],
        out: &mut [u64],
        space: &mut Workspace,
    ) {
        assert_eq!(columns.len(), self.columns * self.words());
        assert_eq!(out.len(), self.rows * self.words());
        let columns = Block { words: columns, rows: self.columns, stride: self.columns };
        self.root.multiply(m, columns, out, &mut space.levels);
    }
}

impl Node {
    fn new(columns: usize, entries: &[i64], depth: u32) -> Self {
        if depth == 0 {
            return Self::Leaf(MatrixTiles::new(columns, entries));
        }
        let (half, rows) = (columns / 2, entries.len() / columns);
        let quadrant = |row: usize, column: usize| -> Vec<i64> {
            let rows = entries.chunks_exact(columns).skip(row * rows / 2).take(rows / 2);
            rows.flat_map(|entries| &entries[column * half..][..half]).copied().collect()
        };
        let [a11, a12, a21, a22] =
            [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(row, column)| quadrant(row, column));
        let sum =
            |a: &[i64], b: &[i64]| -> Vec<i64> { a.iter().zip(b).map(|(a, b)| a + b).collect() };
        let difference =
            |a: &[i64], b: &[i64]| -> Vec<i64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let s1 = sum(&a21, &a22);
        let s2 = difference(&s1, &a11);
        let s3 = difference(&a11, &a21);
        let s4 = difference(&a12, &s2);
        let node = |entries: Vec<i64>| Self::new(half, &entries, depth - 1);
        Self::Cut(Box::new([a11, a12, s1, s2, s3, s4, a22].map(node)))
    }

    fn memory_bytes(&self) -> usize {
        match self {
            Self::Leaf(tiles) => tiles.memory_bytes(),
            Self::Cut(nodes) => nodes.iter().map(Self::memory_bytes).sum(),
        }
    }

    /// The product with a block, written without gaps.
    fn multiply(&self, m: &Modulus, b: Block<'_>, out: &mut [u64], levels: &mut [Level]) {
        let (level, below) = levels.split_first_mut().expect("a level a cut, and one for leaves");
        match self {
            Self::Leaf(tiles) => multiply_leaf(m, tiles, b, out, level),
            Self::Cut(nodes) => multiply_cut(m, nodes, b, out, (level, below)),
        }
    }
}

/// The product of a matrix that is not cut with one strip.
fn multiply_leaf(
    m: &Modulus,
    tiles: &MatrixTiles,
    b: Block<'_>,
    out: &mut [u64],
    level: &mut Level,
) {
    let block = level.leaf.get_or_insert_with(|| ColumnBlock::new(m, tiles, STRIP_WORDS));
    let columns: Vec<&[u64]> = b.words[..b.rows * STRIP_WORDS].chunks_exact(STRIP_WORDS).collect();
    block.pack(m, tiles, 0, &columns);
    for (tile, out) in out.chunks_exact_mut(tiles.tile_rows() * STRIP_WORDS).enumerate() {
        kernels::tile_product(m, out, tiles, tile, block);
    }
}

/// The product of a matrix in quadrants.
fn multiply_cut(
    m: &Modulus,
    [a11, a12, s1, s2, s3, s4, a22]: &[Node; 7],
    b: Block<'_>,
    out: &mut [u64],
    (level, below): (&mut Level, &mut [Level]),
) {
    let [b11, b12, b21, b22] = b.quadrants();
    let Level { factor, products: [p, u, v], .. } = level;
    let mut c = Quadrants { words: out, strips: b.words.len().div_ceil(b.stride * STRIP_WORDS) };
    a11.multiply(m, b11, p, below);
    c.each([0, 0], p, |c, p| c.copy_from_slice(p));
    // T1 and P5.
    b12.copy_to(factor);
    b11.each(factor, |t, b| kernels::sub_assign(m, t, b));
    s1.multiply(m, b11.of(factor), v, below);
    // T2 and U2 = P1 + P6.
    b22.each(factor, |t, b| kernels::sub_from_assign(m, t, b));
    s2.multiply(m, b11.of(factor), u, below);
    kernels::add_assign(m, u, p);
    // T4 and P4.
    b21.each(factor, |t, b| kernels::sub_assign(m, t, b));
    a22.multiply(m, b11.of(factor), p, below);
    c.each([1, 0], p, |c, p| c.copy_from_slice(p));
    // T3 and U3 = U2 + P7; C21 = U3 - P4, C22 = U3 + P5, U4 = U2 + P5.
    b22.copy_to(factor);
    b12.each(factor, |t, b| kernels::sub_assign(m, t, b));
    s3.multiply(m, b11.of(factor), p, below);
    kernels::add_assign(m, p, u);
    c.each([1, 0], p, |c, p| kernels::sub_from_assign(m, c, p));
    c.each([1, 1], p, |c, p| c.copy_from_slice(p));
    c.each([1, 1], v, |c, v| kernels::add_assign(m, c, v));
    kernels::add_assign(m, u, v);
    // C11 = P1 + P2 and C12 = U4 + P3.
    a12.multiply(m, b21, p, below);
    c.each([0, 0], p, |c, p| kernels::add_assign(m, c, p));
    s4.multiply(m, b22, p, below);
    kernels::add_assign(m, p, u);
    c.each([0, 1], p, |c, p| c.copy_from_slice(p));
}

/// Rows of a block, of every strip: `words[strip·stride + row]`, a row of a strip at a time.
#[derive(Clone, Copy)]
struct Block<'a> {
    words: &'a [u64],
    rows: usize,
    /// Rows from one strip to the next.
    stride: usize,
}

impl<'a> Block<'a> {
    fn strips(self) -> usize {
        self.words.len().div_ceil(self.stride * STRIP_WORDS)
    }

    /// First half of rows and words, second half of words, second half of rows, both.
    fn quadrants(self) -> [Self; 4] {
        let (half, strips) = (self.rows / 2, self.strips() / 2);
        let quadrant = |row: usize, strip: usize| {
            let start = (strip * strips * self.stride + row * half) * STRIP_WORDS;
            let length = ((strips - 1) * self.stride + half) * STRIP_WORDS;
            Self { words: &self.words[start..start + length], rows: half, ..self }
        };
        [quadrant(0, 0), quadrant(0, 1), quadrant(1, 0), quadrant(1, 1)]
    }

    /// A block of the same shape without gaps.
    fn of(self, words: &[u64]) -> Block<'_> {
        Block { words, rows: self.rows, stride: self.rows }
    }

    /// Runs `f` on the rows of every strip, beside those of a block without gaps.
    fn each(self, other: &mut [u64], f: impl Fn(&mut [u64], &[u64])) {
        let run = self.rows * STRIP_WORDS;
        let strips = self.words.chunks(self.stride * STRIP_WORDS);
        other.chunks_exact_mut(run).zip(strips).for_each(|(other, own)| f(other, &own[..run]));
    }

    fn copy_to(self, other: &mut [u64]) {
        self.each(other, |other, own| other.copy_from_slice(own));
    }
}

/// The quadrants of a product.
struct Quadrants<'a> {
    words: &'a mut [u64],
    strips: usize,
}

impl Quadrants<'_> {
    /// Runs `f` on the rows of every strip of the quadrant of a half of the rows and a half of the words, beside those
    /// of a block without gaps.
    fn each(&mut self, [row, strip]: [usize; 2], other: &[u64], f: impl Fn(&mut [u64], &[u64])) {
        let (stride, half) = (self.words.len() / self.strips, self.strips / 2);
        let run = stride / 2;
        let strips = self.words.chunks_exact_mut(stride).skip(strip * half).take(half);
        let others = other.chunks_exact(run);
        strips.zip(others).for_each(|(own, other)| f(&mut own[row * run..][..run], other));
    }
}

/// What products need beside their operands, for a matrix and a modulus.
#[derive(Debug)]
pub(crate) struct Workspace {
    levels: Vec<Level>,
}

/// Sums of one level.
#[derive(Debug, Default)]
struct Level {
    /// A sum of quadrants of words.
    factor: Vec<u64>,
    /// Products, and sums of them.
    products: [Vec<u64>; 3],
    /// Columns of a leaf, packed.
    leaf: Option<ColumnBlock>,
}

impl Workspace {
    pub(crate) fn new(matrix: &CutMatrix) -> Self {
        let level = |depth: u32| {
            let quarter = |rows: usize| vec![0; (rows * matrix.words()) >> (2 * depth)];
            let products = [(); 3].map(|()| quarter(matrix.rows));
            Level { factor: quarter(matrix.columns), products, leaf: None }
        };
        let mut levels: Vec<Level> = (1..=matrix.depth).map(level).collect();
        levels.push(Level::default());
        Self { levels }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::ntt_primes;

    /// Every word of a product beside the sum of its terms.
    fn check(m: &Modulus, [rows, columns]: [usize; 2], depth: u32, entry: impl Fn(u64) -> i64) {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99_991);
            state ^ state >> 31
        };
        let entries: Vec<i64> = (0..rows * columns).map(|_| entry(random())).collect();
        let matrix = CutMatrix::new(columns, &entries, depth);
        let words: Vec<u64> = (0..columns * matrix.words()).map(|_| m.reduce(random())).collect();
        let mut out = vec![0; rows * matrix.words()];
        matrix.multiply(m, &words, &mut out, &mut Workspace::new(&matrix));
        let at = |words: &[u64], rows: usize, row: usize, word: usize| {
            let (strip, word) = (word / STRIP_WORDS, word % STRIP_WORDS);
            words[(strip * rows + row) * STRIP_WORDS + word]
        };
        for row in 0..rows {
            for word in (0..matrix.words()).step_by(7) {
                let term = |j: usize| {
                    m.mul(m.reduce_i64(entries[row * columns + j]), at(&words, columns, j, word))
                };
                let expected = (0..columns).fold(0, |sum, j| m.add(sum, term(j)));
                assert_eq!(at(&out, rows, row, word), expected, "{m:?}, row {row}, word {word}");
            }
        }
    }

    #[test]
    fn products_are_those_of_the_plain_algorithm() {
        for q in [ntt_primes(64, 49.0, 1, &[])[0], ntt_primes(64, 60.0, 1, &[])[0]] {
            let m = Modulus::new(q);
            for (sides, depth) in [([16, 16], 0), ([16, 32], 1), ([32, 16], 2), ([64, 128], 3)] {
                check(&m, sides, depth, |random| (random >> 48) as i64 - (1 << 15));
                check(
                    &m,
                    sides,
                    depth,
                    |random| if random % 2 == 0 { 1 << 31 } else { -(1 << 31) },
                );
                check(&m, sides, depth, |_| 0);
            }
        }
    }

    #[test]
    fn cuts_keep_to_their_limits() {
        let is_cut = Isa::detect() == Isa::Avx512Ifma && MatrixTiles::has_words(1 << 10, 1 << 19);
        let expected = |depth: u32| if is_cut { depth } else { 0 };
        assert_eq!(depth(1 << 10, 1 << 10, 1 << 19), expected(3));
        assert_eq!(depth(1 << 11, 1 << 11, 1 << 19), expected(3));
        assert_eq!(depth(1 << 9, 1 << 9, 1 << 15), 0);
        // Entries that have no room to grow, and sides that are odd or short.
        assert_eq!(depth(1 << 10, 1 << 10, (1 << 39) - 1), 0);
        assert_eq!(depth(1023, 1 << 10, 1), 0);
        assert_eq!(depth(1 << 10, 64, 1), 0);
        for log_entries in [8, 20, 22, 24] {
            let side = 1 << (log_entries / 2);
            let levels = depth(side, side, 1 << 19);
            let bytes = (8usize << log_entries) * 7usize.pow(levels) / 4usize.pow(levels);
            assert!(bytes <= bytes_at_most(1 << log_entries));
        }
    }
}
