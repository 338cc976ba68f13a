//! The table step of a group of limbs by residues modulo small numbers: some words of both parts of all columns, and
//! the products of all rows with them.
//!
//! Words are packed and all rows are multiplied modulo one number after the other, so that packed words stay in the
//! second-level cache and entries are read once. Residues of sums, one byte each, are kept until those of the other
//! numbers are there.

use std::ops::Range;

use super::matrix_layout::{Layout, MatrixTiles};
use super::residue_entries::{PRODUCTS, QUAD, RESIDUE_TILE_ROWS, ResidueEntries, cheapest_groups};
use super::residue_group::ResidueGroup;
use super::residue_lift::{self, STRIP};
use super::residue_matrix::{self, PARTS, PlaneProduct, ResidueStrip};
use super::{residue_recombination, vnni_matrix};
use crate::{Buffer, Isa, Modulus};

/// The number of small moduli for which words are packed together. Their residues of sums are contiguous.
const BATCH: usize = QUAD;

/// Bytes of packed words of all columns modulo these numbers: they stay in a second-level cache of 1 MiB.
const PACKED_BYTES: usize = 3 << 18;

/// Bytes of residues of all sums.
const RESIDUE_BYTES: usize = 1 << 24;

/// Instructions for computing residues and combining sums, in units of a row's products for one number.
const CONVERSION_QUADS: usize = 12;

/// Limbs that are multiplied together.
#[derive(Clone, Debug, PartialEq)]
pub struct LimbGroup {
    /// The range of limbs of the operands.
    pub limbs: Range<usize>,
    /// Whether [`ResidueBlock`] multiplies them; otherwise there is one limb, for [`super::tile_product`].
    pub has_residues: bool,
}

/// Returns the groups of limbs of these primes that take the fewest products.
#[must_use]
pub fn limb_groups(matrix: &MatrixTiles, moduli: &[&Modulus]) -> Vec<LimbGroup> {
    let best = cheapest_groups(moduli.len(), |limbs| cost(matrix, &moduli[limbs]));
    let (mut groups, mut end) = (Vec::new(), moduli.len());
    while end > 0 {
        let limbs = best[end].1..end;
        let has_residues = cost(matrix, &moduli[limbs.clone()]).is_some();
        end = limbs.start;
        groups.push(LimbGroup { limbs, has_residues });
    }
    groups.reverse();
    groups
}

/// Returns the cost of a row for a group of limbs, or `None` if residues cannot multiply it.
fn cost(matrix: &MatrixTiles, moduli: &[&Modulus]) -> Option<usize> {
    let Layout::Residues(entries) = &matrix.layout else { return None };
    // The bounds of doubles hold only for moduli of more than 6 bits.
    let fits = |m: &&Modulus| m.isa() >= Isa::Avx512f && (7..=50).contains(&m.bits());
    if moduli.len() > super::residue_entries::MAX_GROUP
        || !moduli.iter().all(fits)
        || !vnni_matrix::is_available()
    {
        return None;
    }
    let planes = entries.planes_for(moduli.iter().map(|m| m.value()))?;
    Some(planes * (2 * entries.quads + CONVERSION_QUADS))
}

/// Some words of both parts of every column, for one group of limbs and one matrix.
#[derive(Debug)]
pub struct ResidueBlock {
    group: ResidueGroup,
    width: usize,
    rows: usize,
    /// `[part][strip][4 columns][even or odd][limb][half][column][word]`, double words, with zeros for padding columns.
    lifted: Buffer,
    /// `[number][strip][product][4 columns][word][column]`, bytes, for some of the numbers.
    packed: Buffer,
    /// `[four numbers][row][part][strip][number][word]`, bytes, unspecified after the last number.
    residues: Buffer,
}

impl ResidueBlock {
    /// Allocates memory for a block of at most `span` words of both parts.
    ///
    /// # Panics
    /// If 32 does not divide `span`, or if the limbs are not a group of [`limb_groups`].
    #[must_use]
    pub fn new(moduli: &[&Modulus], matrix: &MatrixTiles, span: usize) -> Self {
        assert!(span.is_multiple_of(STRIP), "{span} words");
        let entries = entries(matrix);
        let group = ResidueGroup::new(moduli, entries);
        let columns = 2 * QUAD * entries.quads;
        let rows = matrix.rows.next_multiple_of(RESIDUE_TILE_ROWS);
        let per_word = BATCH * PRODUCTS * QUAD * entries.quads;
        let fitting = (PACKED_BYTES / per_word).min(RESIDUE_BYTES / (PARTS * rows * group.slots()));
        let width = (1 << fitting.max(1).ilog2()).clamp(STRIP, span);
        let vectors = PARTS * width / STRIP * columns * residue_lift::lifted_vectors(&group);
        let lifted = vectors * size_of::<[u32; 16]>() / 8;
        let residues = PARTS * rows * width * group.slots();
        Self {
            width,
            rows: matrix.rows,
            lifted: if columns == matrix.columns() {
                Buffer::unspecified(lifted)
            } else {
                Buffer::zeroed(lifted)
            },
            packed: Buffer::unspecified(width * per_word / 8),
            residues: Buffer::unspecified(residues / 8),
            group,
        }
    }

    /// Returns the number of words of the block.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Fills the words of one part: `words(limb, column)`.
    ///
    /// # Panics
    /// If there are not enough words.
    pub fn load<'a>(
        &mut self,
        matrix: &MatrixTiles,
        part: usize,
        words: impl Fn(usize, usize) -> &'a [u64],
    ) {
        let strips = self.width / STRIP;
        let lifted: &mut [u32] = bytemuck::cast_slice_mut(&mut self.lifted);
        let lifted = lifted.as_chunks_mut().0;
        let strip_vectors = lifted.len() / (PARTS * strips);
        let lifted = &mut lifted[part * strips * strip_vectors..][..strips * strip_vectors];
        for column in 0..matrix.columns() {
            let limbs = (0..self.group.moduli.len()).map(|limb| words(limb, column));
            let limbs: Vec<_> = limbs.map(|words| words.as_chunks::<STRIP>().0).collect();
            for (strip, out) in lifted.chunks_exact_mut(strip_vectors).enumerate() {
                // SAFETY: `limb_groups` returns such groups only if the processor has VNNI and the instruction sets
                // that are used with it.
                unsafe { residue_lift::lift(out, &self.group, column, &limbs, strip) }
            }
        }
    }

    /// Multiplies all rows with what was loaded.
    pub fn multiply(&mut self, matrix: &MatrixTiles) {
        let entries = entries(matrix);
        let (strips, slots) = (self.width / STRIP, self.group.slots());
        let lifted: &[u32] = bytemuck::cast_slice(&self.lifted);
        let lifted = lifted.as_chunks::<16>().0;
        let lifted: Vec<_> = lifted.chunks_exact(lifted.len() / (PARTS * strips)).collect();
        let packed: &mut [u32] = bytemuck::cast_slice_mut(&mut self.packed);
        let packed = packed.as_chunks_mut::<STRIP>().0;
        let residues: &mut [u8] = bytemuck::cast_slice_mut(&mut self.residues);
        let residues: &mut [ResidueStrip] = residues.as_chunks_mut().0;
        let batches = residues.chunks_exact_mut(BATCH * residues.len() / slots);
        let strip_words = PRODUCTS * entries.quads;
        for ((batch, planes), residues) in self.group.planes.chunks(BATCH).enumerate().zip(batches)
        {
            let mut numbers: Vec<_> = packed.chunks_exact_mut(strips * strip_words).collect();
            for strip in 0..strips {
                let words = strip * strip_words..(strip + 1) * strip_words;
                let mut out: Vec<_> =
                    numbers.iter_mut().map(|packed| &mut packed[words.clone()]).collect();
                let parts = [lifted[strip], lifted[strips + strip]];
                // SAFETY: as above.
                unsafe { residue_lift::pack(&mut out, &self.group, planes, parts) }
            }
            for ((place, plane), words) in planes.iter().enumerate().zip(&numbers) {
                let index = batch * BATCH + place;
                let product = PlaneProduct { entries, index, plane, words };
                // SAFETY: as above.
                unsafe { residue_matrix::multiply(&product, &mut residues[place..], BATCH) }
            }
        }
    }

    /// Writes the products of a row: `out(limb)` receives the words of one part.
    ///
    /// # Panics
    /// If there is no such row, or if `out` does not have [`ResidueBlock::width`] words for each limb.
    pub fn put_sums(&self, row: usize, part: usize, out: &mut [&mut [u64]]) {
        assert!(row < self.rows && out.len() == self.group.moduli.len(), "row {row}");
        let (strips, slots) = (self.width / STRIP, self.group.slots());
        let residues: &[u8] = bytemuck::cast_slice(&self.residues);
        let residues: &[ResidueStrip] = residues.as_chunks().0;
        let stride = BATCH * residues.len() / slots;
        let out = out.iter_mut().map(|words| words.as_chunks_mut::<STRIP>().0);
        let mut out: Vec<_> = out.collect();
        for strip in 0..strips {
            let residues = &residues[((row * PARTS + part) * strips + strip) * BATCH..];
            // SAFETY: as above.
            unsafe {
                residue_recombination::recombine(&self.group, residues, stride, &mut out, strip);
            }
        }
    }
}

/// Returns the entries as residues.
fn entries(matrix: &MatrixTiles) -> &ResidueEntries {
    let Layout::Residues(entries) = &matrix.layout else { panic!("no matrix of residues") };
    entries
}

#[cfg(test)]
mod tests {
    use super::super::matrix_layout::Kind;
    use super::*;
    use crate::kernels::tests::Random;
    use crate::primes::ntt_primes;

    /// Returns chains of small primes, of large ones and of both, for every instruction set on which residues are
    /// multiplied.
    fn chains() -> Vec<Vec<Modulus>> {
        let [small, large] = [49.0, 50.0].map(|bits| ntt_primes(64, bits, 3, &[]));
        let chains = [
            vec![97],
            vec![large[0]],
            vec![small[0], 193],
            vec![large[0], large[1]],
            vec![97, 193, 257],
            small,
            large,
        ];
        let isa = [Isa::Avx512f, Isa::Avx512Ifma];
        let isa = isa.into_iter().filter(|isa| Isa::available().contains(isa));
        isa.flat_map(|isa| {
            chains
                .clone()
                .map(|chain| chain.into_iter().map(|q| Modulus::with_isa(q, isa)).collect())
        })
        .collect()
    }

    /// Compares products of all rows with remainders of signed products; `words(limb, part, column, word)`.
    fn check(
        chain: &[Modulus],
        columns: usize,
        entries: &[i64],
        words: &dyn Fn(&Modulus, usize) -> u64,
    ) {
        let matrix = MatrixTiles::with_layout(columns, entries, Kind::Residues);
        let moduli: Vec<_> = chain.iter().collect();
        if cost(&matrix, &moduli).is_none() {
            assert!(columns * entries.len() > 10_000 || !vnni_matrix::is_available(), "{moduli:?}");
            return;
        }
        let mut block = ResidueBlock::new(&moduli, &matrix, 64);
        let width = block.width();
        let operands: Vec<Vec<Vec<u64>>> = moduli
            .iter()
            .map(|m| {
                let column =
                    |index| (0..width).map(|word| words(m, index * width + word)).collect();
                (0..2 * columns).map(column).collect()
            })
            .collect();
        for part in 0..2 {
            block.load(&matrix, part, |limb, column| &operands[limb][2 * column + part]);
        }
        block.multiply(&matrix);
        for (row, entries) in entries.chunks(columns).enumerate() {
            for part in 0..2 {
                let mut sums = vec![vec![0; width]; chain.len()];
                let mut out: Vec<_> = sums.iter_mut().map(Vec::as_mut_slice).collect();
                block.put_sums(row, part, &mut out);
                for ((m, operands), sums) in moduli.iter().zip(&operands).zip(&sums) {
                    for (word, &result) in sums.iter().enumerate() {
                        let product = |(column, &entry): (usize, &i64)| {
                            let word = operands[2 * column + part][word];
                            i128::from(entry) * i128::from(word)
                        };
                        let sum: i128 = entries.iter().enumerate().map(product).sum();
                        let expected = sum.rem_euclid(m.value().into());
                        assert_eq!(i128::from(result), expected, "{moduli:?}, row {row}, {word}");
                    }
                }
            }
        }
    }

    #[test]
    fn products_of_all_shapes() {
        let mut random = Random(1);
        for chain in chains() {
            for (rows, columns) in [(1, 1), (5, 3), (27, 63), (53, 8), (26, 130)] {
                for (bits, factor) in [(5, 1), (15, 3), (20, 1 << 19), (31, 1)] {
                    let mut entry = || {
                        let entry = (random.word() >> (64 - bits)).cast_signed() * factor;
                        if random.word().is_multiple_of(2) { entry } else { -entry }
                    };
                    let entries: Vec<i64> = (0..rows * columns).map(|_| entry()).collect();
                    let seed = random.word();
                    check(&chain, columns, &entries, &|m, index| {
                        m.reduce(Random(seed ^ index as u64).word())
                    });
                }
            }
        }
    }

    #[test]
    fn nothing_overflows() {
        const LARGEST: i64 = (1 << 39) - 1;
        for chain in chains() {
            for (columns, largest) in [(4096, LARGEST), (4095, 1 << 15), (512, 1 << 19)] {
                // Entries of one sign, of the other, and of both.
                let mut entries = vec![largest; 3 * columns];
                entries[columns..2 * columns].fill(-largest);
                entries[2 * columns] = -largest + 1;
                // The largest words, and those that are largest when they are centred.
                check(&chain, columns, &entries, &|m, index| match index % 32 {
                    1 => m.value() / 2,
                    2 => m.value() / 2 + 1,
                    3 => 0,
                    4 => 1,
                    _ => m.value() - 1,
                });
            }
        }
    }

    #[test]
    fn groups_are_as_large_as_pays() {
        if !vnni_matrix::is_available() || !Isa::available().contains(&Isa::Avx512f) {
            return;
        }
        let primes = ntt_primes(64, 49.0, 6, &[]);
        let large = Modulus::new(ntt_primes(64, 60.0, 1, &[])[0]);
        let mut moduli: Vec<_> = primes.iter().map(|&q| Modulus::new(q)).collect();
        let entries: Vec<i64> = (0..512).map(|index| (index * 7_919) % (1 << 19)).collect();
        let matrix = MatrixTiles::with_layout(512, &entries, Kind::Residues);
        let groups = |moduli: &[Modulus]| {
            let groups = limb_groups(&matrix, &moduli.iter().collect::<Vec<_>>());
            groups.into_iter().map(|group| (group.limbs, group.has_residues)).collect::<Vec<_>>()
        };
        assert_eq!(groups(&moduli), [(0..3, true), (3..6, true)]);
        moduli.insert(3, large);
        assert_eq!(groups(&moduli), [(0..3, true), (3..4, false), (4..7, true)]);
    }
}
