//! Transforms modulo `X^M - i` on a card: twiddles, and the evaluations of keys' rows.

use cryptable_lattice::error::{Result, demand};
use cryptable_ring::Buffer;
use cryptable_ring::fourier_twiddles::twiddle;
use cryptable_ring::prime_ring::{PreparedRows, PrimeRing};
use cryptable_ring::torus::{self, FRACTION_BITS, FractionDigits};
use rayon::prelude::*;

use crate::arguments::fhew::PrepareRows;
use crate::device::{Device, Words};
use crate::kernels::{self, Grid, Kernel};

/// Points of a block of the last two passes of a transform.
const BLOCK: usize = 64;
/// Primes that processors transform by doubles are below this power of two.
const LOG2_PRIME_LIMIT: u32 = 47;

/// The twiddles of transforms of one degree on a card.
#[derive(Debug)]
pub(crate) struct FourierTables {
    degree: usize,
    twiddles: Words,
}

impl FourierTables {
    /// For a ring whose products processors find by such transforms.
    ///
    /// # Errors
    /// If it is none: a degree outside of 256 to 4,096, or a prime of more than 47 bits.
    pub(crate) fn new(device: &Device, ring: &PrimeRing) -> Result<Self> {
        let (degree, q) = (ring.degree(), ring.modulus().value());
        let fits = (256..=4096).contains(&degree);
        demand(fits, "ring_degree", degree as f64, "on a card it must be from 256 to 4096")?;
        let limit = "on a card it must be below 2^47";
        demand(q >> LOG2_PRIME_LIMIT == 0, "ring prime", q as f64, limit)?;
        let points = degree / 2;
        let sub_blocks = points / 8;
        let nodes = (0..sub_blocks).map(|node: usize| node.max(1));
        // Of the last three levels: a root's, and those of the first, third and fifth node below.
        let last = [(1, 0), (2, 0), (4, 0), (4, 2)].into_iter();
        let last = last.flat_map(|(times, more)| {
            (sub_blocks..2 * sub_blocks).map(move |root| times * root + more)
        });
        let words = nodes.chain(last).flat_map(|node| {
            let w = twiddle(node, points);
            [w.re.to_bits(), w.im.to_bits()]
        });
        let twiddles = device.upload(&words.collect::<Vec<_>>());
        Ok(Self { degree, twiddles })
    }

    /// The ring degree N.
    pub(crate) fn degree(&self) -> usize {
        self.degree
    }

    /// Where the twiddles are.
    pub(crate) fn address(&self) -> u64 {
        self.twiddles.address(0)
    }

    /// Threads that take one polynomial.
    pub(crate) fn threads(&self) -> u32 {
        (self.degree / 2 / BLOCK * 8) as u32
    }

    /// The evaluations of all rows of prepared keys, `rows` rows each: rows, components, points.
    pub(crate) fn prepare(&self, ring: &PrimeRing, keys: &PreparedRows, rows: usize) -> Words {
        let device = self.twiddles.device();
        let words = device.upload(&coefficients(ring, keys, rows));
        self.prepare_assign(ring, &words);
        words
    }

    /// Polynomials of coefficients to evaluations, in place: a block has read its polynomial before it writes.
    pub(crate) fn prepare_assign(&self, ring: &PrimeRing, words: &Words) {
        let (n, q) = (self.degree, ring.modulus().value());
        let arguments = PrepareRows {
            coefficients: words.address(0),
            out: words.address(0),
            twiddles: self.address(),
            modulus: q,
            scale: 1.0 / (q as f64 * (n / 2) as f64),
        };
        let grid = Grid { blocks: [(words.len() / n) as u32, 1, 1], threads: self.threads() };
        words.device().launch(self.kernel(), grid, &arguments);
    }

    fn kernel(&self) -> &'static Kernel<PrepareRows> {
        match self.degree {
            256 => &kernels::PREPARE_ROWS_256,
            512 => &kernels::PREPARE_ROWS_512,
            1024 => &kernels::PREPARE_ROWS_1024,
            2048 => &kernels::PREPARE_ROWS_2048,
            _ => &kernels::PREPARE_ROWS_4096,
        }
    }
}

/// The coefficients of all rows of prepared keys, body and mask of each: products of each row with the digit 1, whatever
/// form the processor's instruction set has them in. Exact, as fractions are finer than residues.
pub(crate) fn coefficients(ring: &PrimeRing, keys: &PreparedRows, rows: usize) -> Buffer {
    const BASE_LOG2: u32 = 2;
    let n = ring.degree();
    let digits = FractionDigits::new(BASE_LOG2, rows);
    let mut out = Buffer::unspecified(2 * n * rows * keys.count());
    out.par_chunks_exact_mut(2 * n * rows).enumerate().for_each(|(index, out)| {
        let mut scratch = ring.digit_scratch(rows);
        let (mut one, mut fractions) = (Buffer::zeroed(n), Buffer::unspecified(2 * n));
        for (row, out) in out.chunks_exact_mut(2 * n).enumerate() {
            one[0] = 1 << (FRACTION_BITS - BASE_LOG2 * (rows - row) as u32);
            fractions.fill(0);
            ring.decompose(&digits, &mut scratch, 0, &one);
            ring.add_digit_product(&mut fractions, keys.key(index), &mut scratch);
            torus::to_residues(ring.modulus(), out, &fractions);
        }
    });
    out
}
