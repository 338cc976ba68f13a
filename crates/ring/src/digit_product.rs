//! Products of digits with prepared rows, from torus fractions to torus fractions.
//!
//! The kernels in [`crate::kernels::digit_product`] combine decomposition, forward transforms, row sums and inverse
//! transforms in shared passes over memory, and use an order of evaluations of their own. They are Fourier transforms
//! over doubles, whose rounding is far below the noise of keys, for primes below 2^47 on AVX2, AVX-512 and NEON. All
//! other cases use portable code with number-theoretic transforms.

use rayon::prelude::*;

use crate::fraction_digits::FractionDigits;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::kernels::digit_product::VectorTables;
use crate::{Buffer, Modulus, NttTable, kernels, torus};

/// The largest number of keys of one product with the same digits.
pub const MOST_KEYS: usize = 8;

/// Keys with the same number of rows, prepared for products with digits.
///
/// A key is a list of rows, and a row is two polynomials. All keys lie in one buffer, in the order in which products
/// read them; the meaning of their words is private to the ring.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedRows {
    words: Buffer,
    words_each: usize,
}

/// The rows of one key of [`PreparedRows`].
#[derive(Clone, Copy, Debug)]
pub struct PreparedKey<'a> {
    pub(crate) words: &'a [u64],
    /// The words that the next product reads, which this one prefetches to the cache.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        expect(dead_code, reason = "only vector kernels fetch words ahead")
    )]
    pub(crate) next: &'a [u64],
}

impl<'a> PreparedKey<'a> {
    /// Returns the same key, with `next` instead of its neighbour in memory as the key to prefetch.
    #[must_use]
    pub fn before(self, next: PreparedKey<'a>) -> Self {
        Self { next: next.words, ..self }
    }

    /// Returns the same key, with nothing to prefetch for the next product.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { next: &[], ..self }
    }
}

impl PreparedRows {
    /// Returns the number of keys.
    #[must_use]
    pub fn count(&self) -> usize {
        self.words.len() / self.words_each
    }

    /// Returns the memory of all keys in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    /// Returns the key with this index.
    ///
    /// # Panics
    /// If the index is not below [`PreparedRows::count`].
    #[must_use]
    pub fn key(&self, index: usize) -> PreparedKey<'_> {
        self.keys(index, 1)
    }

    /// Returns `count` keys from this index on, for products with the same digits. The `count` keys after them are
    /// prefetched.
    ///
    /// # Panics
    /// If there are fewer keys.
    #[must_use]
    pub fn keys(&self, first: usize, count: usize) -> PreparedKey<'_> {
        let length = count * self.words_each;
        let (words, rest) = self.words[first * self.words_each..].split_at(length);
        PreparedKey { words, next: &rest[..length.min(rest.len())] }
    }
}

/// Constants of digit products over one ring.
#[derive(Debug)]
pub(crate) struct DigitProductTables {
    modulus: Modulus,
    degree: usize,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    vector: Option<VectorTables>,
}

/// Scratch memory of digit products, reused from one product to the next: digits, which are written before each
/// product, and sums.
#[derive(Debug)]
pub struct DigitScratch {
    digits: Buffer,
    /// The polynomial that is decomposed, in the form of [`FractionDigits::bias`].
    biased: Buffer,
    sums: Buffer,
}

impl DigitScratch {
    /// Allocates memory for products of up to `rows` digits with each of `count` accumulators.
    pub(crate) fn new(degree: usize, rows: usize, count: usize) -> Self {
        Self {
            digits: Buffer::zeroed(count * rows * degree),
            biased: Buffer::zeroed(degree),
            sums: Buffer::zeroed(2 * count * degree),
        }
    }
}

impl DigitProductTables {
    /// Returns the constants for a ring of degree N modulo a prime that is 1 modulo 2N.
    pub(crate) fn new(degree: usize, modulus: Modulus) -> Self {
        Self {
            modulus,
            degree,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            vector: VectorTables::new(degree, modulus),
        }
    }

    /// Prepares `count` keys of `rows` rows each. `fill(index, words)` writes the coefficients of one key.
    pub(crate) fn prepare_rows(
        &self,
        ntt: &NttTable,
        count: usize,
        rows: usize,
        fill: impl Fn(usize, &mut [u64]) + Sync,
    ) -> PreparedRows {
        let words_each = 2 * rows * self.degree;
        let mut words = Buffer::unspecified(count * words_each);
        words.par_chunks_exact_mut(words_each).enumerate().for_each(|(index, out)| {
            let mut rows = Buffer::zeroed(words_each);
            fill(index, &mut rows);
            self.prepare(ntt, out, &mut rows);
        });
        PreparedRows { words, words_each }
    }

    /// Writes rows of two polynomials each (coefficients in `[0, q)`, N words each) to `out`, in the form that
    /// [`DigitProductTables::multiply_add`] reads, which has the same number of words. Overwrites the rows.
    fn prepare(&self, ntt: &NttTable, out: &mut [u64], rows: &mut [u64]) {
        assert!(rows.len().is_multiple_of(2 * self.degree), "{} words", rows.len());
        assert_eq!(out.len(), rows.len());
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(tables) = &self.vector {
            return tables.prepare(out, rows);
        }
        out.copy_from_slice(rows);
        for polynomial in out.chunks_exact_mut(self.degree) {
            ntt.forward_assign(polynomial);
        }
    }

    /// Writes the digits of a polynomial of fractions, or of its product with `X^exponent - 1` if there is an exponent,
    /// as the digits for the rows from `first_row` on.
    pub(crate) fn decompose(
        &self,
        digits: &FractionDigits,
        scratch: &mut DigitScratch,
        first_row: usize,
        source: &[u64],
        exponent: Option<usize>,
    ) {
        let n = self.degree;
        assert_eq!(source.len(), n);
        let out = &mut scratch.digits[first_row * n..][..digits.length() * n];
        let biased = &mut *scratch.biased;
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(tables) = &self.vector {
            return tables.decompose(digits, out, biased, source, exponent);
        }
        match exponent {
            Some(exponent) => digits.bias_rotation(biased, source, exponent),
            None => digits.bias(biased, source),
        }
        digits.decompose(out, biased, |digit| self.modulus.reduce_i64(digit));
    }

    /// `accumulator += Σ digit·row` over the rows of a key: two polynomials of N fractions. Overwrites the digits in
    /// `scratch`.
    pub(crate) fn multiply_add(
        &self,
        ntt: &NttTable,
        accumulator: &mut [u64],
        key: PreparedKey<'_>,
        scratch: &mut DigitScratch,
    ) {
        let n = self.degree;
        let rows = key.words.len() / (2 * n);
        assert_eq!((accumulator.len(), key.words.len()), (2 * n, 2 * n * rows));
        let (digits, sums) = (&mut scratch.digits[..rows * n], &mut scratch.sums[..2 * n]);
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(tables) = &self.vector {
            return tables.multiply_add(accumulator, key.words, key.next, digits, sums);
        }
        digits.chunks_exact_mut(n).for_each(|digit| ntt.forward_assign(digit));
        let product = self.products(ntt, key.words, digits, sums);
        for (out, &fraction) in accumulator.iter_mut().zip(product.iter()) {
            *out = out.wrapping_add(fraction);
        }
    }

    /// `accumulator += Σ_k (X^exponent_k - 1)·(Σ digit·row of key k)` for each of several accumulators, two polynomials
    /// of N fractions each. Exponents and digits are grouped by accumulator. Overwrites the digits in `scratch`.
    pub(crate) fn multiply_add_keys(
        &self,
        ntt: &NttTable,
        accumulators: &mut [u64],
        keys: PreparedKey<'_>,
        exponents: &[usize],
        scratch: &mut DigitScratch,
    ) {
        let n = self.degree;
        let count = accumulators.len() / (2 * n);
        let keys_each = exponents.len() / count.max(1);
        assert!((1..=MOST_KEYS).contains(&keys_each), "{keys_each} keys for one product");
        assert_eq!((accumulators.len(), exponents.len()), (2 * n * count, count * keys_each));
        let key_words = keys.words.len() / keys_each;
        let each = key_words / 2;
        assert_eq!((keys.words.len(), each % n), (2 * keys_each * each, 0));
        let (digits, sums) = (&mut scratch.digits[..count * each], &mut scratch.sums);
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(tables) = &self.vector {
            let (keys, sums) = ((keys.words, keys.next), &mut sums[..2 * n * count]);
            return tables.multiply_add_keys(accumulators, keys, exponents, digits, sums);
        }
        let of_each = accumulators.chunks_exact_mut(2 * n).zip(digits.chunks_exact_mut(each));
        for ((accumulator, digits), exponents) in of_each.zip(exponents.chunks_exact(keys_each)) {
            digits.chunks_exact_mut(n).for_each(|digit| ntt.forward_assign(digit));
            for (&exponent, key) in exponents.iter().zip(keys.words.chunks_exact(key_words)) {
                let product = self.products(ntt, key, digits, &mut sums[..2 * n]);
                for (out, product) in accumulator.chunks_exact_mut(n).zip(product.chunks_exact(n)) {
                    torus::add_rotation_difference(out, product, exponent);
                }
            }
        }
    }

    /// Returns Σ digit·row over the rows of a key, for transformed digits: the fractions of two polynomials. `sums` has
    /// room for both.
    fn products(&self, ntt: &NttTable, key: &[u64], digits: &[u64], sums: &mut [u64]) -> Buffer {
        let (n, m) = (self.degree, &self.modulus);
        sums.fill(0);
        for (digit, row) in digits.chunks_exact(n).zip(key.chunks_exact(2 * n)) {
            for (sum, factor) in sums.chunks_exact_mut(n).zip(row.chunks_exact(n)) {
                kernels::mul_add_assign(m, sum, digit, factor);
            }
        }
        let mut fractions = Buffer::unspecified(2 * n);
        for (sum, out) in sums.chunks_exact_mut(n).zip(fractions.chunks_exact_mut(n)) {
            ntt.inverse_assign(sum);
            torus::from_residues(m, out, sum);
        }
        fractions
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;

    use super::*;
    use crate::Isa;
    use crate::primes::ntt_primes;

    /// Computes Σ digit·row modulo X^N + 1 and q by the definition.
    fn oracle(
        q: u64,
        degree: usize,
        digits: &[Vec<i64>],
        rows: &[u64],
        component: usize,
    ) -> Vec<u64> {
        let mut sum = vec![0i128; degree];
        for (digit, row) in digits.iter().zip(rows.chunks_exact(2 * degree)) {
            let row = &row[component * degree..][..degree];
            for (i, &d) in digit.iter().enumerate() {
                for (j, &r) in row.iter().enumerate() {
                    let product = i128::from(d) * i128::from(r) % i128::from(q);
                    let sign = if i + j < degree { 1 } else { -1 };
                    sum[(i + j) % degree] += sign * product;
                }
            }
        }
        sum.into_iter().map(|x| x.rem_euclid(i128::from(q)) as u64).collect()
    }

    fn words(seed: u64, count: usize, bound: u64) -> Vec<u64> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) % bound
        };
        // Extremes among the random ones.
        (0..count).map(|i| if i % 17 == 3 { bound - 1 } else { next() }).collect()
    }

    fn check(degree: usize, log2_prime: f64, base_log2: u32, length: usize, seed: u64) {
        let q = ntt_primes(degree, log2_prime, 1, &[])[0];
        let rows = words(seed, 4 * length * degree, q);
        let source = words(seed + 1, 2 * degree, 1 << 52);
        let gadget = FractionDigits::new(base_log2, length);
        compare(degree, q, gadget, &rows, &source, seed, true);
    }

    /// Compares products on every instruction set with the oracle's. For random rows, also compares their deviations
    /// with the documented ones.
    fn compare(
        degree: usize,
        q: u64,
        gadget: FractionDigits,
        rows: &[u64],
        source: &[u64],
        seed: u64,
        is_random: bool,
    ) {
        let length = gadget.length();
        let exponent = (seed as usize * 7919) % (2 * degree);
        let digits: Vec<Vec<i64>> = source
            .chunks_exact(degree)
            .flat_map(|source| {
                let (mut biased, mut out) = (vec![0; degree], vec![0; length * degree]);
                gadget.bias_rotation(&mut biased, source, exponent);
                gadget.decompose(&mut out, &biased, |d| d as u64);
                let signed = |row: &[u64]| row.iter().map(|&d| d as i64).collect();
                out.chunks_exact(degree).map(signed).collect::<Vec<_>>()
            })
            .collect();
        for isa in Isa::available() {
            let modulus = Modulus::with_isa(q, isa);
            let ntt = NttTable::new(degree, modulus).unwrap();
            let tables = DigitProductTables::new(degree, modulus);
            let mut key = vec![0; rows.len()];
            tables.prepare(&ntt, &mut key, &mut rows.to_vec());
            let key = PreparedKey { words: &key, next: &[] };
            let mut scratch = DigitScratch::new(degree, 2 * length, 1);
            for (half, source) in source.chunks_exact(degree).enumerate() {
                let first_row = half * length;
                tables.decompose(&gadget, &mut scratch, first_row, source, Some(exponent));
            }
            let start = words(seed + 2, 2 * degree, 1 << 52);
            let mut found = start.clone();
            tables.multiply_add(&ntt, &mut found, key, &mut scratch);
            let is_exact = isa == Isa::Scalar;
            let limits = Limits::new(&modulus, degree, &digits, rows, is_exact);
            for component in 0..2 {
                let expected = oracle(q, degree, &digits, rows, component);
                let mut squares = 0.0;
                for (i, &residue) in expected.iter().enumerate() {
                    let i = component * degree + i;
                    let fraction = BigInt::from(residue) * (1u64 << 52) / q;
                    let expected = start[i].wrapping_add(fraction.try_into().unwrap());
                    // The low 52 bits, as a signed number.
                    let error = (found[i].wrapping_sub(expected) << 12) as i64 >> 12;
                    let error = error as f64;
                    assert!(error.abs() <= limits.largest, "{isa:?}, degree {degree}: {error}");
                    squares += error * error;
                }
                let deviation = (squares / degree as f64).sqrt();
                let is_small = !is_random || deviation <= limits.deviation;
                assert!(is_small, "{isa:?}, degree {degree}: {deviation}");
            }
        }
    }

    /// Bounds on the error of results, in units of 2^-52.
    struct Limits {
        largest: f64,
        deviation: f64,
    }

    impl Limits {
        /// Returns two units, plus the error that `kernels::digit_product::fourier` documents if it runs.
        fn new(
            m: &Modulus,
            degree: usize,
            digits: &[Vec<i64>],
            rows: &[u64],
            is_exact: bool,
        ) -> Self {
            if is_exact || m.value() >> 47 != 0 {
                return Self { largest: 2.0, deviation: 2.0 };
            }
            let squared_norm = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum();
            let products: Vec<f64> = digits
                .iter()
                .zip(rows.chunks_exact(2 * degree))
                .map(|(digit, row)| {
                    let digit: f64 = squared_norm(&mut digit.iter().map(|&d| d as f64));
                    // The larger of the two components.
                    let row = row.chunks_exact(degree).map(|row| -> f64 {
                        let fraction = |&k: &u64| m.center(k) as f64 / m.value() as f64;
                        squared_norm(&mut row.iter().map(fraction))
                    });
                    digit * row.fold(0.0, f64::max)
                })
                .collect();
            let unit = 0.5;
            let all: f64 = products.iter().sum();
            let norms: f64 = products.iter().map(|x| x.sqrt()).sum();
            Self {
                largest: 2.0 + 15.0 * f64::from(degree.ilog2()) * unit * norms,
                deviation: 2.0 + 5.0 * unit * (all / degree as f64).sqrt(),
            }
        }
    }

    #[test]
    fn every_degree_and_size_of_prime() {
        for (k, degree) in [32, 64, 128, 256, 512, 1024].into_iter().enumerate() {
            for (log2_prime, base_log2, length) in
                [(46.99, 22, 1), (46.99, 5, 4), (24.9, 8, 3), (20.0, 3, 6), (49.9, 12, 2)]
            {
                check(degree, log2_prime, base_log2, length, 3 + k as u64);
            }
        }
    }

    /// Rows and digits have the largest values everywhere, with one sign or with alternating signs.
    #[test]
    fn ends_of_ranges() {
        for (log2_prime, base_log2, length) in [(46.99, 22, 1), (24.9, 8, 3), (46.99, 9, 3)] {
            let degree = 256;
            let q = ntt_primes(degree, log2_prime, 1, &[])[0];
            let gadget = FractionDigits::new(base_log2, length);
            for ends in [[q / 2, q / 2], [q / 2, q / 2 + 1], [q - 1, 0]] {
                let rows: Vec<u64> = (0..4 * length * degree).map(|i| ends[i % 2]).collect();
                for fraction in [1u64 << 50, (1 << 50) - 1, 3 << 50] {
                    // After a rotation by N, the difference has twice these fractions, a half of the torus.
                    let source = vec![fraction; 2 * degree];
                    compare(degree, q, gadget, &rows, &source, 256, false);
                }
            }
        }
    }

    /// Multiplies by several keys for several accumulators at once, and by each key alone, on every instruction set.
    #[test]
    fn products_with_several_keys() {
        let (rows, exponents) = (3, [[1, 700, 0], [127, 513, 1000]]);
        for (degree, log2_prime) in [(32, 46.99), (1024, 24.9), (2048, 46.99), (512, 49.9)] {
            let q = ntt_primes(degree, log2_prime, 1, &[])[0];
            let gadget = FractionDigits::new(5, rows);
            let [sources, start] =
                [2, 4].map(|count| words(count, count as usize * degree, 1 << 52));
            for isa in Isa::available() {
                let modulus = Modulus::with_isa(q, isa);
                let ntt = NttTable::new(degree, modulus).unwrap();
                let tables = DigitProductTables::new(degree, modulus);
                let fill = |index, out: &mut [u64]| {
                    out.copy_from_slice(&words(4 + index as u64, out.len(), q));
                };
                let keys = tables.prepare_rows(&ntt, 4, rows, fill);
                let mut scratch = DigitScratch::new(degree, rows, 2);
                let (mut expected, mut found) = (start.clone(), start.clone());
                for (index, source) in sources.chunks_exact(degree).enumerate() {
                    let out = &mut expected[2 * index * degree..][..2 * degree];
                    for (k, exponent) in exponents[index].into_iter().enumerate() {
                        let mut product = vec![0; 2 * degree];
                        tables.decompose(&gadget, &mut scratch, 0, source, None);
                        tables.multiply_add(&ntt, &mut product, keys.key(1 + k), &mut scratch);
                        let parts = out.chunks_exact_mut(degree).zip(product.chunks_exact(degree));
                        parts.for_each(|(out, product)| {
                            torus::add_rotation_difference(out, product, exponent % (2 * degree));
                        });
                    }
                }
                for (index, source) in sources.chunks_exact(degree).enumerate() {
                    tables.decompose(&gadget, &mut scratch, index * rows, source, None);
                }
                let exponents = exponents.as_flattened().iter().map(|e| e % (2 * degree));
                let (exponents, keys): (Vec<usize>, _) = (exponents.collect(), keys.keys(1, 3));
                tables.multiply_add_keys(&ntt, &mut found, keys, &exponents, &mut scratch);
                for (expected, found) in expected.iter().zip(&found) {
                    let error = (found.wrapping_sub(*expected) << 12) as i64 >> 12;
                    // Fourier transforms are off by about `√(18)·5u·16·√(N²/12)`, and ten deviations are within this.
                    assert!(error.abs() < 400 * degree as i64, "{isa:?}, degree {degree}: {error}");
                }
            }
        }
    }

    #[test]
    fn full_degrees() {
        check(2048, 46.99, 22, 1, 1);
        check(4096, 46.99, 9, 3, 2);
    }
}
