//! The interpolation of a hidden table: linear in its outputs up to the product that hides them.
//!
//! `Σ_g B_g·z^(B·g)` with blocks `B_g = Σ_b A_(g,b)·z^b`: all powers are computed first, independently of the table,
//! and there is one relinearization at the end. Constants are `A_k = Σ_j x_j·W_(k,j)` with integers x_j, the outputs
//! plus multiples of P ([`HiddenTable`]), and rounded W, so that constants are linear in x as well. This needs one
//! level more than joining blocks one after the other.

use std::f64::consts::TAU;

use cryptable_ckks::Arithmetic;
use cryptable_ckks::hiding::Hiding;
use cryptable_lattice::hidden_table::HiddenTable;
use num_complex::Complex64;

use crate::akp::hermite_kernel::{HermiteKernel, HermiteOrder};

/// Constants below this bound are exact in `f64`, regardless of the scale that they are divided and multiplied by.
const LARGEST_CONSTANT: u64 = 1 << 49;

/// All powers of z that blocks need.
pub(crate) struct HiddenPowers<C> {
    /// `1, z, …, z^(B-1)`.
    babies: Vec<C>,
    /// `1, z^B, z^2B, …`
    giants: Vec<C>,
    /// Limbs of products of blocks and giants.
    limbs: usize,
}

impl<C: Clone + Send + Sync> HiddenPowers<C> {
    /// The powers of z for tables of p inputs, in blocks of `2^log_babies`.
    pub(crate) fn new<A: Arithmetic<Ciphertext = C>>(
        arithmetic: &A,
        z: &C,
        p: usize,
        log_babies: u32,
    ) -> Self {
        let levels = p.next_power_of_two().trailing_zeros();
        let block = 1usize << log_babies.min(levels);
        let blocks = p.div_ceil(block);
        let limbs = arithmetic.limbs(z) - levels as usize;
        let mut babies = vec![one(arithmetic, z), z.clone()];
        extend(arithmetic, &mut babies, block + usize::from(blocks > 1));
        let mut giants = vec![one(arithmetic, z)];
        giants.extend((blocks > 1).then(|| babies.remove(block)));
        extend(arithmetic, &mut giants, blocks);
        Self { babies, giants, limbs }
    }

    /// Evaluates the interpolation of a table. The real parts of the result's slots are half of the outputs.
    pub(crate) fn evaluate<A: Arithmetic<Ciphertext = C>>(
        &self,
        arithmetic: &A,
        table: &HiddenTable,
        constant_bits: f64,
        hiding: Option<&Hiding>,
    ) -> C {
        let z = &self.babies[1];
        let last = &self.giants[self.giants.len() - 1];
        let whole = arithmetic.scale(z) * arithmetic.scale(last) * constant_bits.exp2();
        let scales: Vec<f64> = self.giants.iter().map(|it| whole / arithmetic.scale(it)).collect();
        let common = scales[0];
        // constants[block][baby], at the ratio of its scale to that of the baby step.
        let ratio = |k: usize| {
            let (block, baby) = (k / self.babies.len(), k % self.babies.len());
            scales[block] / arithmetic.scale(&self.babies[baby])
        };
        let constants = drawn_constants(table, &ratio);
        let exact = |(k, constant): (usize, &[i64; 2])| {
            let unit = common / arithmetic.scale(&self.babies[k % self.babies.len()]);
            Complex64::new(constant[0] as f64 / unit, constant[1] as f64 / unit)
        };
        let mut entries: Vec<Complex64> = constants.iter().enumerate().map(exact).collect();
        entries.resize(self.babies.len() * self.giants.len(), Complex64::ZERO);
        let rows: Vec<Vec<Complex64>> =
            entries.chunks(self.babies.len()).map(<[_]>::to_vec).collect();
        let inputs: Vec<&C> = self.babies.iter().collect();
        let mut blocks = arithmetic.linear_combinations(self.limbs, &inputs, &rows, common);
        for (block, scale) in blocks.iter_mut().zip(&scales) {
            arithmetic.divide_slots_assign(block, scale / common);
        }
        let pairs: Vec<(&C, &C)> = blocks.iter().zip(&self.giants).collect();
        let mut product = arithmetic.product_sum(&pairs);
        if let Some(hiding) = hiding {
            arithmetic.hide(&mut product, hiding);
        }
        arithmetic.relinearize(product, 1)
    }
}

/// A ciphertext of 1, without encryption.
fn one<A: Arithmetic>(arithmetic: &A, z: &A::Ciphertext) -> A::Ciphertext {
    let mut one = z.clone();
    arithmetic.mul_integer_assign(&mut one, 0);
    arithmetic.add_constant_assign(&mut one, Complex64::ONE);
    one
}

/// Extends the powers `1, x` to a number of them: power k is the product of ceil(k/2) and floor(k/2).
fn extend<A: Arithmetic>(arithmetic: &A, powers: &mut Vec<A::Ciphertext>, count: usize) {
    for k in powers.len()..count {
        let mut power = arithmetic.mul(&powers[k.div_ceil(2)], &powers[k / 2]);
        arithmetic.declare_power(&mut power, 1.0);
        powers.push(power);
    }
}

/// Multiplies numbers by `unit`, and rounds them to integers of Z[i].
fn rounded(turns: &[Complex64], unit: f64) -> Vec<[i64; 2]> {
    turns.iter().map(|turn| [turn.re, turn.im].map(|part| (unit * part).round() as i64)).collect()
}

/// Draws the constants of a lookup, all of which are exact.
fn drawn_constants(table: &HiddenTable, ratio: &dyn Fn(usize) -> f64) -> Vec<[i64; 2]> {
    let (p, modulus) = (table.inputs(), table.modulus() as f64);
    let kernel = HermiteKernel::new(p, HermiteOrder::First);
    let turns: Vec<Complex64> =
        (0..p).map(|t| Complex64::from_polar(1.0, -TAU * t as f64 / p as f64)).collect();
    loop {
        let drawn = table.draw();
        let constants: Vec<[i64; 2]> = kernel
            .coefficients()
            .iter()
            .enumerate()
            .map(|(k, c)| {
                let unit = if k == 0 { c / 2.0 } else { *c } * ratio(k) / modulus;
                let weights = rounded(&turns, unit);
                let inputs = drawn.iter().enumerate();
                inputs.fold([0, 0], |[re, im], (j, x)| {
                    let weight = weights[j * k % p];
                    [re + x * weight[0], im + x * weight[1]]
                })
            })
            .collect();
        // Larger constants practically never occur: outputs of all inputs would have to be at the end of their range.
        if constants.iter().flatten().all(|c| c.unsigned_abs() < LARGEST_CONSTANT) {
            return constants;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounded constants change all deltas by a norm of about `p/√3`, in units of the constants times P, as independent
    /// roundings would.
    #[test]
    fn roundings_of_constants_add_up_as_independent_ones_do() {
        for p in [16usize, 60, 256] {
            let turn = |t: usize| Complex64::from_polar(1.0, -TAU * t as f64 / p as f64);
            let turns: Vec<Complex64> = (0..p).map(turn).collect();
            let kernel = HermiteKernel::new(p, HermiteOrder::First);
            // rests[k][t], of constants at scales that differ as those of a chain do.
            let rests: Vec<Vec<Complex64>> = kernel
                .coefficients()
                .iter()
                .enumerate()
                .map(|(k, c)| {
                    let unit = c * 2f64.powi(25) * (1.0 + (k as f64).sin() / 1e5);
                    let exact = turns.iter().zip(rounded(&turns, unit));
                    exact
                        .map(|(turn, [re, im])| Complex64::new(re as f64, im as f64) - turn * unit)
                        .collect()
                })
                .collect();
            let norm = |m: usize| {
                let error = |j: usize| -> f64 {
                    let term = |k: usize| rests[k][j * k % p] * turns[k * m % p].conj();
                    2.0 * (0..rests.len()).map(|k| term(k).re).sum::<f64>()
                };
                (0..p).map(|j| error(j).powi(2)).sum::<f64>().sqrt()
            };
            let largest = (0..p).step_by(p / 4).map(norm).fold(0.0, f64::max);
            let bound = 2.0 * p as f64 / 6f64.sqrt();
            println!("{p}: {largest}, bound {bound}");
            assert!(largest < bound && largest > bound / 4.0, "{p}: {largest}");
        }
    }
}
