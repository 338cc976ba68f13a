//! The column method (Halevi, Shoup, CRYPTO 2014; base method of HERMES: Bae, Cheon, Kim, Park, Stehlé, CRYPTO 2023).
//!
//! N' LWE ciphertexts `(b_i, a_i)` modulo q = 2^w under s become
//!
//! `(Σ_i b_i·X^i, 0) + Σ_{j<n} A_j(X)·row_j`, with columns `A_j(X) = Σ_i a_ij·X^i`,
//!
//! where row j is an RLWE ciphertext modulo Q' of `s_j·⌊Q'/q⌉`. The phase is `(Q'/q)·Σ_i phase_i·X^i`. LWE words serve
//! directly as digits between -q/2 and q/2: no modulus switch rounds them, and nothing has to be decomposed. HERMES
//! uses Q'·P with a special modulus instead of one prime Q' that is larger than the result needs; both divide errors.
//!
//! Shapes: up to N' ciphertexts of dimension n in, fractions of degree N' out. Work: n transforms of degree N', n·N'
//! products with body and mask each, two inverse transforms. No level, no rescaling.
//!
//! Noise, a fraction of the modulus: `n·N'·E[a²]·σ²/Q'²` with `E[a²] = (q² + 2)/12`, and the rounding δ of `Q'/q` times
//! the phase of centred masks, `δ²·n·E[s²]·E[a²]/Q'²`.

use std::borrow::Cow;

use cryptable_fhew::noise::{Variance, second_moment};
use cryptable_fhew::seeded_rows::SeededRows;
use cryptable_lattice::ERROR_VARIANCE;
use cryptable_lattice::lwe_list::LweList;
use cryptable_ring::columns::Columns;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{Multiplicand, PrimeRing};
use cryptable_ring::random::Seed;
use cryptable_ring::{Buffer, kernels, torus};
use rayon::prelude::*;

use crate::blocks::Stride;
use crate::literal::ParametersLiteral;

/// Columns of a block that are transformed before they are multiplied: 256 KB of them stay in the second-level cache.
const COLUMNS_AT_ONCE: usize = 16;

/// Returns the decomposition whose digits are the LWE words.
pub(crate) fn gadget(literal: &ParametersLiteral, prime: u64) -> Gadget {
    Gadget::new(prime, literal.log2_lwe_modulus, 1)
}

/// Rows of all columns, prepared.
#[derive(Debug)]
pub(crate) struct ColumnKey {
    /// Body and mask of each row.
    rows: Vec<Multiplicand>,
    /// Start of the sums, as evaluations: digits are computed as words from 0 to q - 1, which are q/2 too large, so the
    /// start is `-(q/2)·(1 + X + … + X^(N'-1))·Σ_j row_j`.
    start: Buffer,
    log2_modulus: u32,
}

impl ColumnKey {
    /// Expands the masks of all rows from the seed.
    pub(crate) fn expand(
        ring: &PrimeRing,
        rows: &SeededRows,
        seed: &Seed,
        log2_modulus: u32,
    ) -> Self {
        let (n, m) = (ring.degree(), ring.modulus());
        let prepare = |row| {
            let mut words = Buffer::unspecified(2 * n);
            rows.write_row(ring, seed, row, &mut words);
            ring.prepare(&words)
        };
        let count = rows.bodies().len() / n;
        let rows: Vec<Multiplicand> = (0..count).into_par_iter().map(prepare).collect();
        let mut start = Buffer::zeroed(2 * n);
        rows.iter().for_each(|row| kernels::add_assign(m, &mut start, row.words()));
        let offset = ring.prepare(&vec![m.neg(1 << (log2_modulus - 1)); n]);
        start.chunks_exact_mut(n).for_each(|half| kernels::mul_assign(m, half, offset.words()));
        Self { rows, start, log2_modulus }
    }

    /// Returns the number of bytes of memory that the rows use.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.iter().map(|row| 8 * row.words().len()).sum()
    }

    /// Returns the columns of sums of masks, as digits from 0 to q - 1, which are q/2 too large. Lists that are stored
    /// by columns need no transposition.
    pub(crate) fn digits(&self, lists: &[&LweList]) -> Columns {
        let half = 1 << (self.log2_modulus - 1);
        let mask = ((1u64 << self.log2_modulus) - 1) as u32;
        let mut columns: Vec<&Columns> = lists.iter().filter_map(|l| l.mask_columns()).collect();
        let others = lists.iter().filter(|list| list.mask_columns().is_none());
        let rows: Vec<Cow<'_, [u64]>> = others.map(|list| list.masks()).collect();
        if rows.is_empty() {
            return Columns::of_column_sums(&columns, half, mask);
        }
        let rows: Vec<&[u64]> = rows.iter().map(|words| &**words).collect();
        let of_rows = Columns::of_sums(&rows, self.rows.len(), half, mask);
        if columns.is_empty() {
            return of_rows;
        }
        columns.push(&of_rows);
        Columns::of_column_sums(&columns, 0, mask)
    }

    /// Computes `Σ_j A_j·row_j` of every block, as torus fractions of body and mask.
    ///
    /// All blocks are multiplied by a group of rows before the next group is read, so that the key passes through the
    /// cache only once.
    pub(crate) fn products(
        &self,
        ring: &PrimeRing,
        digits: &Columns,
        blocks: &[(usize, Stride)],
    ) -> Vec<Buffer> {
        let mut sums: Vec<Buffer> = blocks.iter().map(|_| Buffer::copied(&self.start)).collect();
        for first in (0..self.rows.len()).step_by(COLUMNS_AT_ONCE) {
            sums.par_iter_mut().zip(blocks).for_each(|(sum, (_, stride))| {
                self.add_columns(ring, sum, digits, *stride, first);
            });
        }
        let m = ring.modulus();
        let fractions = |mut sum: Buffer| {
            sum.chunks_exact_mut(ring.degree()).for_each(|half| ring.inverse_assign(half));
            let mut fractions = Buffer::unspecified(sum.len());
            torus::from_residues(m, &mut fractions, &sum);
            fractions
        };
        sums.into_par_iter().map(fractions).collect()
    }

    /// Adds the products of some columns of a block.
    fn add_columns(
        &self,
        ring: &PrimeRing,
        sum: &mut [u64],
        digits: &Columns,
        stride: Stride,
        first: usize,
    ) {
        let n = ring.degree();
        let rows = &self.rows[first..self.rows.len().min(first + COLUMNS_AT_ONCE)];
        let mut columns = Buffer::unspecified(n * rows.len());
        // Positions without a value have the digit 0.
        columns.fill(1 << (self.log2_modulus - 1));
        for (c, column) in columns.chunks_exact_mut(n).enumerate() {
            stride.gather(column, digits.column(first + c));
            ring.forward_assign(column);
        }
        for (half, sum) in sum.chunks_exact_mut(n).enumerate() {
            let keys = rows.iter().map(|row| &row.words()[half * n..][..n]);
            let terms: Vec<(&[u64], &[u64])> = columns.chunks_exact(n).zip(keys).collect();
            kernels::inner_product_add(ring.modulus(), sum, &terms);
        }
    }
}

/// Returns the variance that the sum over all columns adds to a phase, modulo the given prime Q'.
pub(crate) fn noise(literal: &ParametersLiteral, prime: u64) -> Variance {
    let gadget = gadget(literal, prime);
    let n = literal.lwe_dimension as f64;
    let exact = prime as f64 / f64::from(literal.log2_lwe_modulus).exp2();
    let rounding = (gadget.weight(0) as f64 - exact).powi(2) * second_moment(literal.lwe_secret);
    let a_term = literal.packing.degree as f64 * ERROR_VARIANCE + rounding;
    Variance::of_units(n * gadget.digit_variance() * a_term, prime as f64)
}
