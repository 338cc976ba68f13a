//! Digit products by Fourier transforms over doubles: AVX2, AVX-512, NEON.
//!
//! Sums of products are fractions of the torus, and so are the rows of keys here, `k/q` in `[-1/2, 1/2)`: no residue is
//! ever reduced. A real polynomial modulo `X^N + 1` is a complex one modulo `X^M - i`, M = N/2: coefficient j + M is
//! the imaginary part of coefficient j. A transform therefore has M·log2(M)/2 butterflies of six instructions, where a
//! transform of residues in doubles has twice that number of eight instructions.
//!
//! # Errors
//! With unit roundoff u = 2^-53 a butterfly, its twiddle included, has an error of less than 5u times the norm of its
//! input. Up to factors of √2 it preserves norms, and so does the whole transform. Three transforms of log2 M levels
//! and the products add up to less than `15·log2(2M)·u·‖d‖·‖k/q‖` in any coefficient of the product of digits d and row
//! k, for certain. Rounding errors are independent, however, and key rows random: the standard deviation is below
//! `5u·‖d‖·‖k/q‖/√N` for degrees up to 4,096 (measured: 4.2), and `‖k/q‖ = √(N/12)`. The noise of a fresh row, of
//! standard deviation σ, contributes `σ/q·‖d‖` to the same coefficient. So transforms add `(5u·q)²/(12·σ²)` of that
//! noise's variance, whatever the digits are, to body and mask: 2^-14 for q = 2^47 and σ = 3.2. Only the body of a row
//! has noise, however, and a phase is the body plus the mask times the secret s, so that transforms add `1 + ‖s‖²`
//! times this share to it: 2^-4.4 for a binary secret of degree 2,048, which noise models count. For primes of 25 bits
//! it is less than the 52 bits of a fraction can represent.
//!
//! A sum of R products of digits of w bits is below `R·N·2^(w-2)`, and must be below 2^51.

mod fractions;
mod monomials;
mod tables;
mod transform;

use super::super::ntt::doubles::Doubles;
#[cfg(target_arch = "x86_64")]
use super::super::ntt::doubles::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use super::super::ntt::doubles::avx512::Avx512;
#[cfg(target_arch = "aarch64")]
use super::super::ntt::doubles::neon::Neon;
use super::super::prefetch::prefetch;
use crate::digit_product::MOST_KEYS;
use crate::fraction_digits::FractionDigits;
use crate::{Buffer, Modulus};
use fractions::{Decomposition, Real};
pub(super) use tables::{Tables, fits};
use transform::{
    Complex, forward_block, forward_first, forward_middle, inverse_block, inverse_trailing,
    sum_keys, sum_rows,
};

/// Writes the digits of a polynomial of fractions, or of its product with `X^exponent - 1` if there is an exponent,
/// after the first pass of their transforms.
///
/// # Safety
/// The same as for [`multiply_add`].
#[inline(always)]
unsafe fn decompose<D: Doubles>(
    tables: &Tables,
    digits: &FractionDigits,
    out: &mut [u64],
    biased: &mut [u64],
    source: &[u64],
    exponent: Option<usize>,
) {
    assert_eq!((source.len(), biased.len()), (tables.degree(), tables.degree()));
    assert_eq!(out.len(), tables.degree() * digits.length());
    // The bias is a separate pass: rotations are out of step with the vectors of transforms.
    match exponent {
        Some(exponent) => digits.bias_rotation(biased, source, exponent),
        None => digits.bias(biased, source),
    }
    let input = Decomposition::new(digits, biased);
    // SAFETY: the caller promises the instruction set; lengths are those of all rows.
    unsafe { forward_first::<D>(tables, out.as_mut_ptr(), &input) };
}

/// Multiplies digits by one key; see the entries.
///
/// # Safety
/// The processor must have the instruction set of D, of R lanes, and the tables must be for R lanes.
#[inline(always)]
unsafe fn multiply_add<D: Doubles, const R: usize>(
    tables: &Tables,
    accumulator: &mut [u64],
    keys: &[u64],
    next: &[u64],
    digits: &mut [u64],
    sums: &mut [u64],
) {
    let degree = tables.degree();
    let rows = digits.len() / degree;
    let block_words = 2 * R * R;
    assert_eq!(keys.len(), 2 * digits.len());
    assert!(accumulator.len() == 2 * degree && sums.len() == 2 * degree, "{degree}");
    for row in digits.chunks_exact_mut(degree) {
        // SAFETY: the caller promises the instruction set; a row has as many words as the degree.
        unsafe { forward_middle::<D>(tables, row.as_mut_ptr()) };
    }
    // The words to prefetch, in equal pieces between the transforms of a block: prefetches in one burst would wait for
    // each other.
    let mut next = next.chunks((2 * block_words * rows).div_ceil(rows + 2));
    for (block, keys) in keys.chunks_exact(2 * block_words * rows).enumerate() {
        for row in digits.chunks_exact_mut(degree) {
            prefetch(next.next().unwrap_or_default());
            // SAFETY: as above; there are as many blocks as keys of blocks.
            unsafe { forward_block::<D, R>(tables, row.as_mut_ptr(), block) };
        }
        let parts = keys.chunks_exact(block_words * rows).zip(sums.chunks_exact_mut(degree));
        for (key, sums) in parts {
            prefetch(next.next().unwrap_or_default());
            // SAFETY: as above; the key has the words of a block for every row.
            unsafe {
                let digits = digits.as_ptr().add(block * block_words);
                let x = sum_rows::<D, R, R>(tables, digits, rows, key.as_ptr());
                inverse_block::<D, R>(tables, x, sums.as_mut_ptr(), block);
            }
        }
    }
    for (sums, out) in sums.chunks_exact_mut(degree).zip(accumulator.chunks_exact_mut(degree)) {
        // SAFETY: as above.
        unsafe { inverse_trailing::<D, R>(tables, out.as_mut_ptr(), sums.as_mut_ptr()) };
    }
}

/// Multiplies digits by several keys; see the entries. W vectors of sums, and W of products, stay in registers.
///
/// # Safety
/// The same as for [`multiply_add`].
#[inline(always)]
unsafe fn multiply_add_keys<D: Doubles, const R: usize, const W: usize>(
    tables: &Tables,
    accumulators: &mut [u64],
    (keys, next): (&[u64], &[u64]),
    exponents: &[usize],
    digits: &mut [u64],
    sums: &mut [u64],
) {
    let (degree, block_words) = (tables.degree(), 2 * R * R);
    let count = accumulators.len() / (2 * degree);
    let (each, keys_each) = (digits.len() / count, exponents.len() / count);
    let (rows, key_words) = (each / degree, 2 * each);
    assert_eq!((keys.len(), sums.len()), (keys_each * key_words, accumulators.len()));
    assert!((1..=MOST_KEYS).contains(&keys_each) && digits.len() == count * rows * degree);
    for row in digits.chunks_exact_mut(degree) {
        // SAFETY: the caller promises the instruction set; a row has as many words as the degree.
        unsafe { forward_middle::<D>(tables, row.as_mut_ptr()) };
    }
    let (monomials, blocks) = (tables.monomials(), degree / block_words);
    // Prefetches are in equal pieces, as in `multiply_add`.
    let mut next = next.chunks(next.len().div_ceil(3 * blocks * count).max(1));
    // SAFETY: as above.
    let mut factors = [[[unsafe { D::splat(0.0) }; 2]; R]; MOST_KEYS];
    for block in 0..blocks {
        let of_each = digits.chunks_exact_mut(each).zip(sums.chunks_exact_mut(2 * degree));
        for ((digits, sums), exponents) in of_each.zip(exponents.chunks_exact(keys_each)) {
            prefetch(next.next().unwrap_or_default());
            for row in digits.chunks_exact_mut(degree) {
                // SAFETY: as above; the degree has as many blocks.
                unsafe { forward_block::<D, R>(tables, row.as_mut_ptr(), block) };
            }
            for (factors, &exponent) in factors.iter_mut().zip(exponents) {
                // SAFETY: as above.
                *factors = unsafe { monomials.differences::<D, R>(exponent, block) };
            }
            let factors: &[[Complex<D>; R]] = &factors[..keys_each];
            for (component, sums) in sums.chunks_exact_mut(degree).enumerate() {
                prefetch(next.next().unwrap_or_default());
                // SAFETY: as above; each key has the words of a block for every component and row.
                unsafe {
                    let digits = digits.as_ptr().add(block * block_words);
                    let keys = keys.as_ptr().add((2 * block + component) * rows * block_words);
                    let keys = (keys, key_words);
                    let x = sum_keys::<D, R, W>(tables, digits, rows, keys, factors);
                    inverse_block::<D, R>(tables, x, sums.as_mut_ptr(), block);
                }
            }
        }
    }
    for (sums, out) in sums.chunks_exact_mut(degree).zip(accumulators.chunks_exact_mut(degree)) {
        // SAFETY: as above.
        unsafe { inverse_trailing::<D, R>(tables, out.as_mut_ptr(), sums.as_mut_ptr()) };
    }
}

/// Prepares keys; see the entries.
///
/// # Safety
/// The same as for [`multiply_add`].
#[inline(always)]
unsafe fn prepare<D: Doubles, const R: usize>(
    m: &Modulus,
    tables: &Tables,
    out: &mut [u64],
    rows: &mut [u64],
) {
    let degree = tables.degree();
    let (points, count) = (degree / 2, rows.len() / (2 * degree));
    // Inverse transforms multiply by M.
    let scale = 1.0 / (m.value() as f64 * points as f64);
    let mut transformed = Buffer::unspecified(degree);
    for (index, words) in rows.chunks_exact_mut(degree).enumerate() {
        let (row, component) = (index / 2, index % 2);
        for x in words.iter_mut() {
            *x = (m.center(*x) as f64 * scale).to_bits();
        }
        // SAFETY: as in `multiply_add`.
        unsafe {
            forward_first::<D>(tables, transformed.as_mut_ptr(), &Real(words));
            forward_middle::<D>(tables, transformed.as_mut_ptr());
        }
        for block in 0..points / (R * R) {
            // SAFETY: as in `multiply_add`.
            unsafe { forward_block::<D, R>(tables, transformed.as_mut_ptr(), block) };
            let start = ((2 * block + component) * count + row) * 2 * R * R;
            let block = &transformed[2 * block * R * R..][..2 * R * R];
            out[start..start + 2 * R * R].copy_from_slice(block);
        }
    }
}

/// Defines the module of an instruction set from the names of its features and its vectors.
macro_rules! entries {
    ($name:ident, $features:literal, $doubles:ty) => {
        pub(super) mod $name {
            use super::*;

            const LANES: usize = <$doubles as Doubles>::LANES;

            /// `accumulator += Σ digit·row`, two components, fractions of coefficients, over the rows of a key.
            /// Meanwhile prefetches the words `next` to the cache. `digits` has N words per row, which are overwritten;
            /// `sums` is 2N words of scratch memory.
            ///
            /// # Safety
            /// The tables must have the number of lanes of this instruction set.
            #[target_feature(enable = $features)]
            pub(in super::super) unsafe fn multiply_add(
                tables: &Tables,
                accumulator: &mut [u64],
                keys: &[u64],
                next: &[u64],
                digits: &mut [u64],
                sums: &mut [u64],
            ) {
                // SAFETY: the instruction set is enabled; the caller promises the rest.
                unsafe {
                    super::multiply_add::<$doubles, LANES>(
                        tables,
                        accumulator,
                        keys,
                        next,
                        digits,
                        sums,
                    )
                }
            }

            /// `accumulator += Σ_k (X^exponent_k - 1)·(Σ digit·row of key k)` for each of several accumulators, with
            /// exponents and digits of its own, over the same keys, which are contiguous, [`MOST_KEYS`] at most. All
            /// keys are read once for all accumulators. Prefetched words, digits and sums are as above, for each
            /// accumulator.
            ///
            /// # Safety
            /// The same as above.
            #[target_feature(enable = $features)]
            pub(in super::super) unsafe fn multiply_add_keys(
                tables: &Tables,
                accumulators: &mut [u64],
                keys: (&[u64], &[u64]),
                exponents: &[usize],
                digits: &mut [u64],
                sums: &mut [u64],
            ) {
                // SAFETY: as above.
                unsafe {
                    super::multiply_add_keys::<$doubles, LANES, { LANES / 2 }>(
                        tables,
                        accumulators,
                        keys,
                        exponents,
                        digits,
                        sums,
                    )
                }
            }

            /// Converts rows of coefficients (body, mask; N words each) to the order and form of a product's keys:
            /// blocks, components, rows, points, all divided by q·M.
            ///
            /// # Safety
            /// The same as above.
            #[target_feature(enable = $features)]
            pub(in super::super) unsafe fn prepare(
                m: &Modulus,
                tables: &Tables,
                out: &mut [u64],
                rows: &mut [u64],
            ) {
                // SAFETY: as above.
                unsafe { super::prepare::<$doubles, LANES>(m, tables, out, rows) }
            }

            /// Writes the digits of a polynomial of fractions, or of its product with `X^exponent - 1` if there is an
            /// exponent, to `out` in the form that products read. `scratch` has N words.
            ///
            /// # Safety
            /// The same as above.
            #[target_feature(enable = $features)]
            pub(in super::super) unsafe fn decompose(
                tables: &Tables,
                digits: &FractionDigits,
                out: &mut [u64],
                scratch: &mut [u64],
                source: &[u64],
                exponent: Option<usize>,
            ) {
                // SAFETY: as above.
                unsafe {
                    super::decompose::<$doubles>(tables, digits, out, scratch, source, exponent)
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
entries!(avx2, "avx2,fma", Avx2);
#[cfg(target_arch = "x86_64")]
entries!(avx512, "avx512f,avx512dq,avx512vl,fma", Avx512);
#[cfg(target_arch = "aarch64")]
entries!(neon, "neon", Neon);
