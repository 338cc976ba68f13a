//! The operations that circuits are written in.
//!
//! A circuit (polynomial evaluation, linear transform, bootstrapping) is generic over [`Arithmetic`]. The same code
//! computes on an [`crate::Evaluator`], and on a [`crate::DryRun`] predicts limbs, scales, noise and transforms before
//! any key exists.

use num_complex::Complex64;
use rayon::prelude::*;

use crate::hiding::Hiding;

/// Slotwise arithmetic on ciphertexts with exact scales.
pub trait Arithmetic: Sync {
    /// A ciphertext, or its shape in a dry run.
    type Ciphertext: Clone + Send + Sync;
    /// A product that is not relinearized yet.
    type Product: Send;
    /// A matrix prepared for multiplication at one level.
    type Matrix: Send + Sync;
    /// An encoded plaintext.
    type Plain: Send + Sync;

    /// Applies `f` to all items, on all threads. A dry run applies it to one after the other, since an operation then
    /// takes less time than a thread needs to wake up.
    fn map_all<T: Send, U: Send>(&self, items: Vec<T>, f: impl Fn(T) -> U + Send + Sync) -> Vec<U> {
        items.into_par_iter().map(f).collect()
    }

    /// The number of limbs.
    fn limbs(&self, ct: &Self::Ciphertext) -> usize;

    /// The exact scale.
    fn scale(&self, ct: &Self::Ciphertext) -> f64;

    /// The prime `q_index` of the chain.
    fn prime(&self, index: usize) -> f64;

    /// Keeps the first `limbs` limbs.
    fn drop_to(&self, ct: &mut Self::Ciphertext, limbs: usize);

    /// A copy with the first `limbs` limbs only.
    fn truncated(&self, ct: &Self::Ciphertext, limbs: usize) -> Self::Ciphertext;

    /// Adds `other`, which has at least as many limbs and the same scale.
    fn add_assign(&self, ct: &mut Self::Ciphertext, other: &Self::Ciphertext);

    /// Subtracts `other`, which has at least as many limbs and the same scale.
    fn sub_assign(&self, ct: &mut Self::Ciphertext, other: &Self::Ciphertext);

    /// Adds a constant to every slot.
    fn add_constant_assign(&self, ct: &mut Self::Ciphertext, constant: Complex64);

    /// Multiplies every slot by an integer; the scale stays.
    fn mul_integer_assign(&self, ct: &mut Self::Ciphertext, factor: i64);

    /// Multiplies every slot by i; free of noise and levels.
    fn mul_imaginary_unit_assign(&self, ct: &mut Self::Ciphertext);

    /// Divides every slot by `factor` by reading the same words at a larger scale: free.
    fn divide_slots_assign(&self, ct: &mut Self::Ciphertext, factor: f64);

    /// Tells a dry run the mean square of the slots, if the circuit knows it better than the dry run, which adds up the
    /// terms. Does nothing for real ciphertexts.
    fn declare_power(&self, _ct: &mut Self::Ciphertext, _mean_square: f64) {}

    /// Tells a dry run that a circuit has squared the relative error ε of `before` on the way to `ct`: the noise that
    /// is left is `factor·ε²`, plus `roundings` roundings at its scale.
    fn declare_cleaned(
        &self,
        _ct: &mut Self::Ciphertext,
        _before: &Self::Ciphertext,
        _factor: f64,
        _roundings: f64,
    ) {
    }

    /// Tells a dry run that all noise of `ct` comes from the source with this number, below 64. Noises of different
    /// sources are independent: see [`crate::noise_sources`]. Does nothing for real ciphertexts.
    fn declare_source(&self, _ct: &mut Self::Ciphertext, _source: u32) {}

    /// Tells a dry run that the errors of two ciphertexts may have the same origin. A combination whose factors'
    /// squares add up to 1 has at most the noise of both together, which each of them gets. Does nothing for real
    /// ciphertexts.
    fn declare_dependent(&self, _a: &mut Self::Ciphertext, _b: &mut Self::Ciphertext) {}

    /// Begins a part of the circuit, which lasts until the next one begins. Counts of a dry run and times of an
    /// evaluation are listed by these names (see [`crate::stages`]).
    fn begin_stage(&self, _name: &'static str) {}

    /// `out[r] = Σ_k rows[r][k]·inputs[k]` at `limbs` limbs, all with scale `scale`.
    ///
    /// Inputs may have different scales: each constant is rounded to an integer at the ratio of
    /// `scale` to the input's.
    fn linear_combinations(
        &self,
        limbs: usize,
        inputs: &[&Self::Ciphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<Self::Ciphertext>;

    /// `out[m·t + k] = Σ_j i^{-t·exponents[j]}·rows[k][j]·inputs[j]` for the m rows and `t < 4`, at `limbs` limbs and
    /// scale `scale`. The result is that of [`Arithmetic::linear_combinations`] with four times as many rows, for
    /// little more work than the given rows alone.
    fn quarter_combinations(
        &self,
        limbs: usize,
        inputs: &[&Self::Ciphertext],
        exponents: &[usize],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<Self::Ciphertext> {
        self.linear_combinations(limbs, inputs, &rows_of_all_quarters(exponents, rows), scale)
    }

    /// The product of two ciphertexts at the lower of their levels, before relinearization.
    fn product(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Self::Product {
        self.product_sum(&[(a, b)])
    }

    /// The sum of products of pairs at the lowest of their levels, before relinearization. All pairs have the same
    /// product of scales.
    fn product_sum(&self, pairs: &[(&Self::Ciphertext, &Self::Ciphertext)]) -> Self::Product;

    /// `Σ_k left[k]·(Σ_j rows[k][j]·right[j])` at the lowest of all levels, before relinearization. All left operands
    /// have the same scale, and combinations have the given one: see [`Arithmetic::linear_combinations`].
    fn combined_product_sum(
        &self,
        left: &[&Self::Ciphertext],
        right: &[&Self::Ciphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Self::Product {
        let limbs = left.iter().chain(right).map(|ct| self.limbs(ct)).min().expect("an operand");
        let combinations = self.linear_combinations(limbs, right, rows, scale);
        let pairs: Vec<_> = left.iter().copied().zip(&combinations).collect();
        self.product_sum(&pairs)
    }

    /// The product with a plaintext, at the ciphertext's level and before a rescale. Its scale is the product of both
    /// scales.
    fn mul_plain(&self, ct: &Self::Ciphertext, plain: &Self::Plain) -> Self::Ciphertext {
        self.plain_product_sum(&[(ct, plain)])
    }

    /// The sum of products with plaintexts, at the lowest level of the ciphertexts and before a rescale. All pairs have
    /// the same product of scales. Plaintexts have at least as many limbs as the result.
    fn plain_product_sum(&self, pairs: &[(&Self::Ciphertext, &Self::Plain)]) -> Self::Ciphertext;

    /// Adds `factor·ct` to a product of at most as many limbs, scaling `ct` up to the product's scale.
    fn product_add_assign(&self, product: &mut Self::Product, ct: &Self::Ciphertext, factor: f64);

    /// Adds another product with the same limbs and scale, so that one relinearization serves both.
    fn add_product_assign(&self, product: &mut Self::Product, other: &Self::Product);

    /// Hides everything in a product except the real parts of its slots, which get noise: see [`crate::hiding`].
    fn hide(&self, product: &mut Self::Product, hiding: &Hiding);

    /// Relinearizes and divides by the top `rescale` primes, in one pass.
    fn relinearize(&self, product: Self::Product, rescale: usize) -> Self::Ciphertext;

    /// Divides by the top `count` primes.
    fn rescale(&self, ct: Self::Ciphertext, count: usize) -> Self::Ciphertext;

    /// Moves to `limbs` primes of another chain of the ring: `x -> round(x·Q'/Q)`, which multiplies the scale by Q'/Q.
    fn switch_chain(&self, ct: Self::Ciphertext, chain: usize, limbs: usize) -> Self::Ciphertext;

    /// Rotates slots left.
    fn rotate(&self, ct: &Self::Ciphertext, rotation: usize) -> Self::Ciphertext;

    /// Conjugates slots.
    fn conjugate(&self, ct: &Self::Ciphertext) -> Self::Ciphertext;

    /// Returns the arithmetic of the inner ring, with the same keys and counts: see [`crate::inner_ring`].
    ///
    /// # Panics
    /// If there is no inner ring.
    #[must_use]
    fn over_inner(&self) -> Self
    where
        Self: Sized;

    /// Moves slots to the inner ring and divides by the top prime if that ring has real slots. The half ring gets the
    /// slots as they are; real slots get twice the parts of the slots, first all real parts, then all imaginary parts.
    fn enter_inner(&self, ct: &Self::Ciphertext) -> Self::Ciphertext;

    /// Moves slots of the inner ring to the whole ring. Slots of the half ring stay as they are; real slots become the
    /// parts of complex slots, before a rescale.
    fn leave_inner(&self, ct: &Self::Ciphertext) -> Self::Ciphertext;

    /// Multiplies slots by a matrix and divides by the top `rescale` primes.
    fn transform(
        &self,
        ct: &Self::Ciphertext,
        matrix: &Self::Matrix,
        rescale: usize,
    ) -> Self::Ciphertext;

    /// The cosine and the sine of the sum of two angles, from the cosine and sine of each, in real slots. Errors add up
    /// like those of products of numbers on the unit circle.
    fn sum_of_angles(
        &self,
        a: &[Self::Ciphertext; 2],
        b: &[Self::Ciphertext; 2],
    ) -> [Self::Ciphertext; 2] {
        let sine = self.product_sum(&[(&a[1], &b[0]), (&a[0], &b[1])]);
        let mut sine = self.relinearize(sine, 1);
        self.declare_power(&mut sine, 0.5);
        let mut negative = b[1].clone();
        self.mul_integer_assign(&mut negative, -1);
        let cosine = self.product_sum(&[(&a[0], &b[0]), (&a[1], &negative)]);
        let mut cosine = self.relinearize(cosine, 1);
        self.declare_power(&mut cosine, 0.5);
        [cosine, sine]
    }

    /// The product of two ciphertexts, relinearized and rescaled by one prime.
    fn mul(&self, a: &Self::Ciphertext, b: &Self::Ciphertext) -> Self::Ciphertext {
        self.relinearize(self.product(a, b), 1)
    }
}

/// Rows of all four quarters: row `m·t + k` is row k of the m given rows, times `i^{-t·exponents[j]}` entry by entry.
pub(crate) fn rows_of_all_quarters(
    exponents: &[usize],
    rows: &[Vec<Complex64>],
) -> Vec<Vec<Complex64>> {
    let turns = [Complex64::ONE, -Complex64::I, -Complex64::ONE, Complex64::I];
    let of_quarter = |row: &Vec<Complex64>, t: usize| -> Vec<Complex64> {
        row.iter().zip(exponents).map(|(entry, j)| entry * turns[t * j % 4]).collect()
    };
    (0..4).flat_map(|t| rows.iter().map(move |row| of_quarter(row, t))).collect()
}

/// Returns the product of some numbers divided by the product of others. Both products may exceed the range of `f64`,
/// as moduli of long chains do.
#[must_use]
pub fn ratio_of_products(
    numerators: impl IntoIterator<Item = f64>,
    denominators: impl IntoIterator<Item = f64>,
) -> f64 {
    let (mut above, mut below) = (numerators.into_iter(), denominators.into_iter());
    let mut ratio = 1.0;
    loop {
        let factor = if ratio >= 1.0 {
            below.next().map(|x| 1.0 / x).or_else(|| above.next())
        } else {
            above.next().or_else(|| below.next().map(|x| 1.0 / x))
        };
        match factor {
            Some(factor) => ratio *= factor,
            None => return ratio,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_of_long_products() {
        let long = |count: usize| (0..count).map(|i| 48f64.exp2() + i as f64);
        let expected = 48f64.exp2().powi(2);
        for (above, below) in [(40, 38), (38, 40), (2, 0), (0, 2)] {
            let found = ratio_of_products(long(above), long(below));
            let expected = if above > below { expected } else { 1.0 / expected };
            assert!((found / expected - 1.0).abs() < 1e-12, "{above} over {below}");
        }
    }
}
