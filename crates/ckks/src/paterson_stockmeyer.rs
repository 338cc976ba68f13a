//! Paterson-Stockmeyer evaluation of polynomials, in the power and in the Chebyshev basis.
//!
//! A polynomial of degree below `B·2^g` is cut into `2^g` blocks of B coefficients. A block is a linear combination of
//! the baby steps (`z^i` or `T_i(x)`, i < B); blocks are then joined pairwise, low + high · giant, with the giant steps
//! `B, 2B, 4B, …` (Paterson, Stockmeyer, SIAM Journal on Computing 2(1), 1973; Chen, Chillotti, Song, EUROCRYPT 2019,
//! ePrint 2018/1043, for the Chebyshev basis). Multiplications: `B - 1 + g` for the steps, once for any number of
//! polynomials, and `2^g - 1` per polynomial. Depth: `log2(B·2^g)`, without the constants.

use num_complex::Complex64;

use crate::arithmetic::Arithmetic;

mod least_depth;
mod rounding_gains;

pub use least_depth::relinearizations_at_least_depth;
pub use rounding_gains::rounding_gain;

/// Basis of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolynomialBasis {
    /// `1, z, z², …`
    Power,
    /// `T_0, T_1, T_2, …`, for arguments in [-1, 1].
    Chebyshev,
}

/// How the constants of the blocks are scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantScale {
    /// Constants consume one prime, which is dropped at once. The scale of the result is that of the input times 2 to
    /// this power.
    Shifted(f64),
    /// Constants have this many bits, which stay in the scale of the result. This saves a level if the result is only
    /// used linearly, because later rescaling also removes these bits.
    Kept(f64),
}

/// The baby and giant steps of one ciphertext, whose slots are at most 1 in absolute value.
#[derive(Debug)]
pub struct Steps<C> {
    basis: PolynomialBasis,
    /// log2 of B.
    log_babies: u32,
    /// Steps 1 to B - 1.
    babies: Vec<C>,
    /// Steps B, 2B, 4B, …
    giants: Vec<C>,
    /// Step 3B in the power basis, if there are at least eight blocks: the last of every four blocks then has a factor
    /// of its own.
    triple: Option<C>,
}

impl<C: Clone + Send + Sync> Steps<C> {
    /// Computes the steps of `z` for polynomials of `2^log_length` coefficients in blocks of
    /// `2^log_babies`.
    ///
    /// # Panics
    /// If `log_babies` is 0 or above `log_length`.
    pub fn new<A: Arithmetic<Ciphertext = C>>(
        arithmetic: &A,
        basis: PolynomialBasis,
        z: &C,
        log_length: u32,
        log_babies: u32,
    ) -> Self {
        assert!((1..=log_length).contains(&log_babies), "{log_babies} of {log_length}");
        let block = 1usize << log_babies;
        // steps[i] is step i + 1. Step k joins ceil(k/2) and floor(k/2), so its depth is log2(k).
        let mut steps: Vec<C> = vec![z.clone()];
        for k in 2..block {
            let (high, low) = (k.div_ceil(2), k / 2);
            let next = join_steps(arithmetic, basis, &steps[high - 1], &steps[low - 1], z);
            steps.push(next);
        }
        let mut giants: Vec<C> = Vec::new();
        for g in log_babies..log_length {
            let half =
                if g == log_babies { &steps[block / 2 - 1] } else { &giants[giants.len() - 1] };
            giants.push(join_steps(arithmetic, basis, half, half, z));
        }
        let has_triple = basis == PolynomialBasis::Power && giants.len() >= 3;
        let triple = has_triple.then(|| join_steps(arithmetic, basis, &giants[1], &giants[0], z));
        Self { basis, log_babies, babies: steps, giants, triple }
    }

    /// Evaluates `Σ_k coefficients[k]·step_k`.
    ///
    /// # Panics
    /// If there are more coefficients than the steps support, or all coefficients except the constant one are zero.
    pub fn evaluate<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: &[Complex64],
        constants: ConstantScale,
    ) -> C {
        let (block, length) = (1 << self.log_babies, self.length());
        assert!(coefficients.len() <= length, "{} coefficients", coefficients.len());
        let mut padded = coefficients.to_vec();
        // With constants that stay in the scale, series are divided where they are cut.
        if self.basis == PolynomialBasis::Chebyshev && !matches!(constants, ConstantScale::Kept(_))
        {
            padded.resize(length, Complex64::ZERO);
            divide_by_giants(&mut padded, block);
        }
        let shift = match constants {
            ConstantScale::Kept(bits) => return self.evaluate_kept(arithmetic, padded, bits),
            ConstantScale::Shifted(bits) => bits,
        };
        let blocks = self.block_sums(arithmetic, &padded, shift);
        self.join_blocks(arithmetic, blocks)
    }

    /// Combines the baby steps for blocks of coefficients, each block to its own scale. Constants are rounded at
    /// `scale`. All steps are read, unless all blocks are shorter.
    fn combine<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        limbs: usize,
        scale: f64,
        blocks: &[(&[Complex64], f64)],
    ) -> Vec<C> {
        let longest = blocks.iter().map(|(block, _)| block.len()).fold(2, usize::max);
        let inputs: Vec<&C> = self.babies[..longest - 1].iter().collect();
        let row = |&(block, of_block): &(&[Complex64], f64)| {
            let mut row: Vec<_> = block[1..].iter().map(|c| c * (of_block / scale)).collect();
            row.resize(inputs.len(), Complex64::ZERO);
            row
        };
        let rows: Vec<Vec<Complex64>> = blocks.iter().map(row).collect();
        let sums = arithmetic.linear_combinations(limbs, &inputs, &rows, scale);
        let with_constant = |(mut sum, &(block, of_block)): (C, &(&[Complex64], f64))| {
            arithmetic.divide_slots_assign(&mut sum, of_block / scale);
            arithmetic.add_constant_assign(&mut sum, block[0]);
            sum
        };
        sums.into_iter().zip(blocks).map(with_constant).collect()
    }

    /// Number of coefficients that the steps support.
    fn length(&self) -> usize {
        1 << self.log_babies << self.giants.len()
    }

    /// The linear combinations of the baby steps, one per block, at the scale of the steps times 2 to the power
    /// `shift`.
    fn block_sums<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        coefficients: &[Complex64],
        shift: f64,
    ) -> Vec<C> {
        let limbs = self.babies.iter().map(|ct| arithmetic.limbs(ct)).min().expect("step 1");
        let last = self.babies.last().expect("step 1");
        let scale = arithmetic.scale(last) * arithmetic.prime(limbs - 1) * shift.exp2();
        let blocks: Vec<_> =
            coefficients.chunks(self.babies.len() + 1).map(|block| (block, scale)).collect();
        let sums = self.combine(arithmetic, limbs, scale, &blocks).into_iter();
        sums.map(|sum| arithmetic.rescale(sum, 1)).collect()
    }

    /// `low + high·giant`, pairwise, until one is left.
    fn join_blocks<A: Arithmetic<Ciphertext = C>>(&self, arithmetic: &A, mut blocks: Vec<C>) -> C {
        for giant in &self.giants {
            let mut joined = Vec::with_capacity(blocks.len().div_ceil(2));
            let mut pairs = blocks.into_iter();
            while let Some(low) = pairs.next() {
                joined.push(match pairs.next() {
                    Some(high) => {
                        let mut product = arithmetic.product(&high, giant);
                        arithmetic.product_add_assign(&mut product, &low, 1.0);
                        arithmetic.relinearize(product, 1)
                    }
                    None => low,
                });
            }
            blocks = joined;
        }
        blocks.pop().expect("at least one block")
    }
}

/// Step `a + b` from steps a and b, where `a - b` is 0 or 1.
fn join_steps<A: Arithmetic>(
    arithmetic: &A,
    basis: PolynomialBasis,
    a: &A::Ciphertext,
    b: &A::Ciphertext,
    first: &A::Ciphertext,
) -> A::Ciphertext {
    let mut product = arithmetic.product(a, b);
    if basis == PolynomialBasis::Power {
        let mut step = arithmetic.relinearize(product, 1);
        arithmetic.declare_power(&mut step, 1.0);
        return step;
    }
    // T_{a+b} = 2·(T_a·T_b - T_{a-b}/2).
    let same = std::ptr::eq(a, b);
    if !same {
        arithmetic.product_add_assign(&mut product, first, -0.5);
    }
    let mut step = arithmetic.relinearize(product, 1);
    arithmetic.mul_integer_assign(&mut step, 2);
    if same {
        arithmetic.add_constant_assign(&mut step, Complex64::new(-1.0, 0.0));
    }
    arithmetic.declare_power(&mut step, 1.0);
    step
}

/// Rewrites a Chebyshev series as `low + high·T_m`, where m is the length of either half.
///
/// `T_{m+j} = 2·T_m·T_j - T_{m-j}`: the upper half is doubled (except for its first coefficient) and subtracted,
/// mirrored, from the lower half.
fn split_at_giant(low: &mut [Complex64], high: &mut [Complex64]) {
    let half = low.len();
    for j in 1..high.len() {
        low[half - j] -= high[j];
        high[j] *= 2.0;
    }
}

/// Rewrites a Chebyshev series so that blocks join as `low + high·giant`, where each low half has a power of two of
/// blocks.
fn divide_by_giants(coefficients: &mut [Complex64], block: usize) {
    let count = coefficients.len() / block;
    if count < 2 {
        return;
    }
    let (low, high) = coefficients.split_at_mut(count.next_power_of_two() / 2 * block);
    split_at_giant(low, high);
    divide_by_giants(low, block);
    divide_by_giants(high, block);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divided_chebyshev_blocks_join_to_the_series() {
        let coefficients: Vec<Complex64> =
            (0..32).map(|k| Complex64::new((k as f64).sin(), 1.0 / (k + 1) as f64)).collect();
        let chebyshev = |k: usize, x: f64| (k as f64 * x.acos()).cos();
        for block in [2usize, 4, 8, 32] {
            let mut divided = coefficients.clone();
            divide_by_giants(&mut divided, block);
            for x in [-0.9, -0.2, 0.0, 0.31, 1.0] {
                let direct: Complex64 = (0..32).map(|k| coefficients[k] * chebyshev(k, x)).sum();
                let mut sums: Vec<Complex64> = divided
                    .chunks(block)
                    .map(|c| c.iter().enumerate().map(|(i, v)| v * chebyshev(i, x)).sum())
                    .collect();
                let mut giant = block;
                while sums.len() > 1 {
                    sums = sums.chunks(2).map(|p| p[0] + p[1] * chebyshev(giant, x)).collect();
                    giant *= 2;
                }
                assert!((sums[0] - direct).norm() < 1e-12, "block {block}, x {x}");
            }
        }
    }
}
