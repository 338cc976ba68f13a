//! Products with linear combinations that are never stored: blocks of them stay in the cache.

use std::borrow::Cow;
use std::ops::Range;

use crate::combination::{GaussianInteger, Halves, Parts, Tensor, combine_rows};
use crate::modulus::Modulus;
use crate::{Ring, kernels};

/// Words of a block. For 15 inputs, their parts, combinations and products take 200 KiB, in the second-level cache.
const BLOCK_WORDS: usize = 256;

/// `Σ_k a_k·(Σ_j rows[k][j]·b_j)` modulo `q_0 … q_{main-1}`; further limbs of the operands are not read.
///
/// Combines and multiplies, like [`crate::combination::linear_combinations`] followed by
/// [`crate::combination::tensor`], without storing the combinations in between.
///
/// # Panics
/// If the number of rows is not that of the left operands, or the number of entries of a row is not that of the right
/// ones.
#[must_use]
pub fn combined_tensor(
    ring: &Ring,
    main: usize,
    left: &[Parts<'_>],
    right: &[Parts<'_>],
    rows: &[Vec<GaussianInteger>],
) -> Tensor {
    assert_eq!(rows.len(), left.len(), "rows");
    assert!(rows.iter().all(|row| row.len() == right.len()), "row length");
    let (degree, basis) = (ring.degree(), left[0].0.basis().lowered(main));
    Tensor::by_limbs(ring, basis, |limb, prime, [d0, d1, d2]| {
        let operands = Operands {
            left: limb_of(ring, main, limb, left),
            right: limb_of(ring, main, limb, right),
        };
        let Halves { first, second } = Halves::of_rows(ring, prime, rows);
        // Each half of the slots has residues of its own.
        let block = BLOCK_WORDS.min(degree / 2);
        let mut scratch = vec![0; 2 * rows.len() * block];
        for start in (0..degree).step_by(block) {
            let range = start..start + block;
            let factors = if start < degree / 2 { &first } else { &second };
            let out = [&mut *d0, &mut *d1, &mut *d2].map(|d| &mut d[range.clone()]);
            operands.multiply_block(ring.modulus(prime), range, factors, &mut scratch, out);
        }
    })
}

/// Returns one limb of both parts of the operands, for results modulo `primes` primes.
fn limb_of<'a>(
    ring: &Ring,
    main: usize,
    limb: usize,
    operands: &[Parts<'a>],
) -> Vec<[Cow<'a, [u64]>; 2]> {
    let words =
        |&(c0, c1): &Parts<'a>| [c0.limb_of(ring, main, limb), c1.limb_of(ring, main, limb)];
    operands.iter().map(words).collect()
}

/// A limb of both parts of all operands.
struct Operands<'a> {
    left: Vec<[Cow<'a, [u64]>; 2]>,
    right: Vec<[Cow<'a, [u64]>; 2]>,
}

impl Operands<'_> {
    /// Combines a range of the right operands by every row, and adds up the products with the left ones.
    fn multiply_block(
        &self,
        m: &Modulus,
        range: Range<usize>,
        factors: &[Vec<u64>],
        scratch: &mut [u64],
        out: [&mut [u64]; 3],
    ) {
        let mut combinations: Vec<&mut [u64]> = scratch.chunks_mut(range.len()).collect();
        for part in 0..2 {
            let right: Vec<&[u64]> =
                self.right.iter().map(|parts| &parts[part][range.clone()]).collect();
            let of_part = combinations.iter_mut().skip(part).step_by(2);
            combine_rows(m, of_part.map(|words| &mut **words), &right, factors);
        }
        let pairs = self.left.iter().zip(combinations.chunks(2));
        let pairs: Vec<kernels::TensorPair<'_>> = pairs
            .map(|([a0, a1], b)| [&a0[range.clone()], &a1[range.clone()], &*b[0], &*b[1]])
            .collect();
        kernels::tensor_products(m, out, &pairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combination::{linear_combinations, tensor};
    use crate::primes::ntt_primes;
    use crate::{Evaluations, Poly};

    /// Combinations followed by their products result in the same words.
    #[test]
    fn as_combinations_and_products_apart() {
        [64, 1024].into_iter().for_each(check);
    }

    fn check(degree: usize) {
        let ring = Ring::new(degree, &ntt_primes(degree, 45.0, 3, &[]), &[]);
        let poly = |seed: i64| {
            let coefficient = |i: i64| (i * i * 77 + seed * 1_000_003 + i * seed) % 9973 - 4986;
            let coefficients: Vec<i64> = (0..degree as i64).map(coefficient).collect();
            Poly::from_signed(&ring, ring.main_basis(3), &coefficients).into_evaluations(&ring)
        };
        let polys: Vec<[Poly<Evaluations>; 2]> =
            (0..5).map(|k| [poly(2 * k), poly(2 * k + 1)]).collect();
        let parts: Vec<Parts<'_>> = polys.iter().map(|[c0, c1]| (c0, c1)).collect();
        let (left, right) = parts.split_at(2);
        let integer = |re: i128, im: i128| GaussianInteger { re, im, shift: 0 };
        let rows = [
            vec![integer(3, 0), integer(-200, 1), integer(0, 0)],
            vec![integer(0, -7), integer(1 << 40, 0), integer(-1, 5)],
        ];
        let found = combined_tensor(&ring, 2, left, right, &rows);
        let combined = [0, 1].map(|part| {
            let inputs: Vec<_> = right.iter().map(|it| [it.0, it.1][part]).collect();
            linear_combinations(&ring, 2, &inputs, &rows)
        });
        let pairs: Vec<_> = (0..2).map(|k| (left[k], (&combined[0][k], &combined[1][k]))).collect();
        let expected = tensor(&ring, 2, &pairs);
        for (found, expected) in
            [(&found.d0, &expected.d0), (&found.d1, &expected.d1), (&found.d2, &expected.d2)]
        {
            assert!((0..2).all(|limb| found.limb(limb) == expected.limb(limb)));
        }
    }
}
