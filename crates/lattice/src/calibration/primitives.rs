//! Times of the innermost operations of all engines, on one thread.

use std::hint::black_box;
use std::io;
use std::time::Instant;

use crate::external_product::{ExternalProduct, RgswGadget, Scratch};
use cryptable_ring::combination::{GaussianInteger, linear_combinations};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::kernels::PackedRow;
use cryptable_ring::prime_ring::PrimeRing;
use cryptable_ring::primes::ntt_primes;
use cryptable_ring::selected_product::{TableMatrix, selected_matrix_product};
use cryptable_ring::unit::measure_unit;
use cryptable_ring::word_sums::add_multiples;
use cryptable_ring::{
    Basis, Buffer, ByteBuffer, Evaluations, Isa, Poly, Ring, catch_refused, release_buffers,
    reserved,
};

use crate::cost::{equivalent_limbs, table_products};
use crate::key_switching::{KeySum, multiply_limb};

/// The ring degree at which packed values are measured.
const DEGREE: usize = 1 << 16;

/// Bits of the primes of packed values.
const LOG2_PRIME: f64 = 49.0;

/// Limbs of the inner product: with two sums and [`STREAMED_POLYNOMIALS`] per limb, 48 MiB, more than most caches hold.
const STREAMED_LIMBS: usize = 12;

/// Polynomials that the inner product reads per limb: two digits, and two pairs of a key.
const STREAMED_POLYNOMIALS: usize = 6;

/// Times of operations, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Primitives {
    /// A forward transform of degree 65,536.
    pub(super) transform: f64,
    /// A multiply-accumulate of a limb of degree 65,536 in an inner product with a switching key,
    /// from memory.
    pub(super) streamed_product: f64,
    /// A multiply-accumulate of a limb of degree 65,536 in a linear combination, from memory.
    pub(super) combination_product: f64,
    /// A multiply-accumulate of a limb of degree 65,536 by a table entry.
    pub(super) table_product: f64,
    /// A transform of degree 2,048 within a CMUX, digits and products included, with keys from the cache.
    pub(super) digit_transform: f64,
    /// A byte of a key switching key, read from memory and added.
    pub(super) streamed_byte: f64,
}

impl Primitives {
    /// Measures everything, one operation after the other, on a thread of its own.
    ///
    /// The thread is not in the caller's pool: a caller that waits for a job in its own pool runs other jobs in
    /// between. These would be measured, too, and might request this very measurement.
    ///
    /// # Errors
    /// If a thread cannot be started, or the system refuses memory.
    pub(super) fn measure() -> io::Result<Self> {
        let measure = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
            let pool = pool.map_err(io::Error::other)?;
            catch_refused(|| pool.install(Self::measure_here))
                .map_err(|_| io::ErrorKind::OutOfMemory.into())
        };
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, measure)?;
            thread.join().map_err(|_| io::Error::other("a measurement failed"))?
        })
    }

    fn measure_here() -> Self {
        let transform = measure_unit();
        let ring = Ring::new(DEGREE, &ntt_primes(DEGREE, LOG2_PRIME, 1, &[]), &[]);
        let words = words(STREAMED_LIMBS * STREAMED_POLYNOMIALS * DEGREE, LOG2_PRIME as u32 - 1);
        let streamed_product = streamed_product(&ring, &words);
        let streamed_byte = streamed_byte(&words);
        let combination_product = combination_product(&ring, &words);
        drop((ring, words));
        let table_product = table_product();
        let digit_transform = digit_transform();
        // Recycled buffers of these lengths are of no use to lookups.
        release_buffers();
        Self {
            transform,
            streamed_product,
            combination_product,
            table_product,
            digit_transform,
            streamed_byte,
        }
    }
}

/// Returns the least time of several batches in seconds, after one batch that warms up caches and recycled buffers.
fn least(batches: usize, mut batch: impl FnMut()) -> f64 {
    batch();
    let timed = |_| {
        let start = Instant::now();
        batch();
        start.elapsed().as_secs_f64()
    };
    (0..batches).map(timed).fold(f64::INFINITY, f64::min)
}

/// Returns words below 2^bits without a visible pattern.
fn words(count: usize, bits: u32) -> Vec<u64> {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut words = reserved(count);
    words.extend((1..=count as u64).map(|index| index.wrapping_mul(ODD) >> (u64::BITS - bits)));
    words
}

/// Computes inner products of two digits with both halves of a key, limb after limb, like
/// [`crate::key_switching::switch`]: digits and sums are in aligned buffers, and the key is as it was read.
///
/// Each batch processes some of the limbs, and the next batch those that follow, so that no batch finds its words in a
/// cache.
fn streamed_product(ring: &Ring, words: &[u64]) -> f64 {
    const BATCH_LIMBS: usize = 3;
    let (digits, key) = words.split_at(2 * STREAMED_LIMBS * DEGREE);
    let digits = Buffer::copied(digits);
    let (isa, bits) = (Isa::detect(), ring.modulus(0).bits());
    let row_bytes = PackedRow::packed_bytes(DEGREE, bits);
    let mut packed = ByteBuffer::zeroed(PackedRow::packed_bytes(key.len(), bits));
    PackedRow::pack(isa, &mut packed, key, bits);
    let mut sums = Buffer::zeroed(digits.len());
    let mut first = 0;
    let batch = || {
        for index in first..first + BATCH_LIMBS {
            let range = 2 * index * DEGREE..2 * (index + 1) * DEGREE;
            let outs = sums[range.clone()].split_at_mut(DEGREE);
            let digits: [_; 2] = digits[range].split_at(DEGREE).into();
            let at = |part: usize| {
                PackedRow::new(&packed[(4 * index + part) * row_bytes..][..row_bytes], bits)
            };
            let pairs = [(at(0), at(1)), (at(2), at(3))];
            let mut sums = KeySum::both(outs.into(), [None; 2]);
            multiply_limb(ring.modulus(0), &digits, &pairs, &mut sums);
        }
        first = (first + BATCH_LIMBS) % STREAMED_LIMBS;
    };
    least(64, batch) / (4 * BATCH_LIMBS) as f64
}

/// Adds up multiples of rows of 32-bit words by small numbers, in blocks, like LWE key switching.
fn streamed_byte(words: &[u64]) -> f64 {
    const DIMENSION: usize = 742;
    const BLOCK_ROWS: usize = 64;
    let rows: &[u32] = bytemuck::cast_slice(words);
    let factors: Vec<i32> = (0..BLOCK_ROWS as i32).map(|row| row % 7 - 3).collect();
    let mut sum = vec![0u32; DIMENSION];
    let blocks = rows.chunks_exact(BLOCK_ROWS * DIMENSION);
    let bytes = blocks.len() * BLOCK_ROWS * DIMENSION * size_of::<u32>();
    let batch = || blocks.clone().for_each(|rows| add_multiples(&mut sum, rows, &factors));
    least(12, batch) / bytes as f64
}

/// Adds up one linear combination per polynomial.
fn combination_product(ring: &Ring, words: &[u64]) -> f64 {
    const INPUTS: usize = 16;
    const LIMBS: usize = 1;
    let inputs = words.chunks_exact(LIMBS * DEGREE).take(INPUTS);
    let inputs: Vec<_> = inputs
        .map(|words| Poly::<Evaluations>::from_words(ring, Basis::main(LIMBS), words.to_vec()))
        .collect();
    let inputs: Vec<_> = inputs.iter().collect();
    let factor = |row: usize, column: usize| GaussianInteger {
        re: (row as i128 + 1) << 40,
        im: -((column as i128 + 1) << 41),
        shift: 0,
    };
    let row = |row| (0..INPUTS).map(|column| factor(row, column)).collect();
    let rows: Vec<Vec<_>> = (0..INPUTS).map(row).collect();
    let batch = || drop(black_box(linear_combinations(ring, LIMBS, &inputs, &rows)));
    least(10, batch) / (LIMBS * INPUTS * INPUTS) as f64
}

/// Performs the table step at a low degree, whose blocks are those of all degrees. The products with selectors are
/// included, about a hundredth.
fn table_product() -> f64 {
    const STEP_DEGREE: usize = 512;
    const OUTER: usize = 8;
    const INNER: usize = 16;
    const COLUMNS: usize = 256;
    const ENTRY_BITS: u32 = 16;
    const LIMBS: usize = 3;
    let ring = Ring::new(STEP_DEGREE, &ntt_primes(STEP_DEGREE, LOG2_PRIME, LIMBS, &[]), &[]);
    let words = words(2 * LIMBS * (COLUMNS + INNER) * STEP_DEGREE, LOG2_PRIME as u32 - 1);
    let polys: Vec<_> = words
        .chunks_exact(LIMBS * STEP_DEGREE)
        .map(|words| Poly::<Evaluations>::from_words(&ring, Basis::main(LIMBS), words.to_vec()))
        .collect();
    let pairs: Vec<_> = polys.chunks_exact(2).map(|pair| [&pair[0], &pair[1]]).collect();
    let (columns, selectors) = pairs.split_at(COLUMNS);
    let matrix = TableMatrix::new(OUTER, INNER, COLUMNS, |o, i, j| {
        let index = (o * INNER + i) * COLUMNS + j;
        words[index % words.len()] as i64 % (1 << ENTRY_BITS) - (1 << (ENTRY_BITS - 1))
    });
    let selectors = [selectors.to_vec()];
    let batch =
        || drop(black_box(selected_matrix_product(&ring, LIMBS, columns, &matrix, &selectors)));
    let limbs = equivalent_limbs(&[LOG2_PRIME; LIMBS], f64::from(ENTRY_BITS - 1), COLUMNS);
    let products = table_products(OUTER * INNER, COLUMNS) * 2.0 * limbs * STEP_DEGREE as f64;
    least(12, batch) / (products / DEGREE as f64)
}

/// Performs CMUXes with two RGSW ciphertexts in turn, so that keys come from the cache.
fn digit_transform() -> f64 {
    const ROTATION_DEGREE: usize = 2048;
    const LOG2_ROTATION_PRIME: f64 = 46.9;
    const STEPS: usize = 64;
    let prime = ntt_primes(ROTATION_DEGREE, LOG2_ROTATION_PRIME, 1, &[])[0];
    let ring = PrimeRing::new(ROTATION_DEGREE, prime);
    let gadget = RgswGadget { body: Gadget::new(prime, 20, 1), mask: Gadget::new(prime, 15, 2) };
    let key_words = words(2 * gadget.rows() * ROTATION_DEGREE, LOG2_ROTATION_PRIME as u32 - 1);
    let keys = ring.prepare_rows(2, gadget.rows(), |_, out| out.copy_from_slice(&key_words));
    let mut accumulator = words(2 * ROTATION_DEGREE, u64::BITS);
    let mut scratch = Scratch::new(&ring, gadget.rows());
    let product = ExternalProduct { ring: &ring, gadget };
    let batch = || {
        for step in 0..STEPS {
            let key = keys.key(step % 2).before(keys.key(1 - step % 2));
            product.rotate_if_assign(&mut accumulator, 31 * step + 1, key, &mut scratch);
        }
    };
    // One forward transform per row, and two inverse ones.
    least(32, batch) / (STEPS * (gadget.rows() + 2)) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_refused_ends_a_measurement_alone() {
        assert!(catch_refused(|| words(1 << 59, 48)).is_err());
    }
}
