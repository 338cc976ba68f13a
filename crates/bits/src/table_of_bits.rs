//! Tables of k bits, k up to 8, by characters: a function of bits is a linear combination of products of signs.
//!
//! With `c_i = 1 - 2x_i`, which is 1 or -1, every function to a bit is `F = Σ_S w_S·χ_S`, `χ_S = Π_{i∈S} c_i`, with the
//! Walsh-Hadamard coefficients `w_S = W_S/2^k`, W_S integers (`walsh_hadamard.rs`). Inputs are split into two halves,
//! and the characters of each half are products of characters of its own halves, at depth ⌈log2 k⌉ - 1. In the last
//! level
//!
//! ```text
//! F = Σ_A χ_A(low half)·g_A(high half),    g_A = Σ_B w_{A∪B}·χ_B(high half)
//! ```
//!
//! is a sum of at most 2^⌈k/2⌉ products, relinearized once: for k = 8, 22 key switches for the characters of all tables
//! of the same inputs, and one per table. The alternative, to multiply all 225 pairs of characters once and to add up
//! multiples for every table, takes 1.4 times the products of limbs for 18 tables, and twenty times the memory.
//!
//! **Scales.** `c_i` is x_i read at half its scale, so that the characters of a group of n bits have the scale of bits
//! over 2^n, and the W_S are the constants: the scale already contains the divisor of F. A set for tables has scales
//! that grow towards the bottom, so that characters do not lose precision.
//!
//! Input: k ciphertexts of one level at the scale of bits. Output: one per table, ⌈log2 k⌉ levels below, at the scale
//! of bits there.
//!
//! **Noise.** F is linear in each input, with derivative 0, 1 or -1 at bits: an error of an input enters the result at
//! most once. The characters of a group have an error of one rounding each, which is multiplied by their cofactors.
//! Over the characters of a group other than 1, the squares of cofactors add up to the variance of F over the group, at
//! most 1/4 (Parseval). Roundings therefore do not add up over characters, though a smaller scale makes them larger.

use cryptable_ckks::Arithmetic;
use num_complex::Complex64;

use crate::bit_table::BitTable;
use crate::circuit::BitCircuit;
use crate::walsh_hadamard::spectrum;

/// Number of inputs of the low half.
pub(crate) const fn low_half(inputs: usize) -> usize {
    inputs.div_ceil(2)
}

/// Characters of a group of bits, indexed by their sets; `None` for the empty set and for sets that are not needed.
type Characters<C> = Vec<Option<C>>;

/// Evaluates tables of the same bits.
pub(crate) fn evaluate<A: Arithmetic>(
    arithmetic: &A,
    circuit: &BitCircuit,
    inputs: &[A::Ciphertext],
    tables: &[BitTable],
) -> Vec<A::Ciphertext> {
    let evaluation = TableEvaluation { arithmetic, circuit };
    if let [input] = inputs {
        return tables.iter().map(|table| evaluation.of_one_bit(input, table)).collect();
    }
    let half = low_half(inputs.len());
    let depth = tables[0].levels() - 1;
    let spectra: Vec<Vec<i32>> = tables.iter().map(spectrum).collect();
    let mut needed = vec![false; 1 << inputs.len()];
    for spectrum in &spectra {
        spectrum.iter().zip(&mut needed).for_each(|(&w, needed)| *needed |= w != 0);
    }
    let [low_needed, high_needed] = needed_of_halves(&needed, half);
    let both = vec![(&inputs[..half], low_needed), (&inputs[half..], high_needed)];
    let characters = |(inputs, needed): (&[A::Ciphertext], Vec<bool>)| {
        evaluation.characters(inputs, &needed, depth)
    };
    let mut both = arithmetic.map_all(both, characters);
    let (high, low) = (both.swap_remove(1), both.swap_remove(0));
    let halves = Halves { low, high, low_inputs: half, inputs: inputs.len(), any: &inputs[0] };
    arithmetic.map_all(spectra, |spectrum| evaluation.output(&halves, &spectrum))
}

/// Sets of both halves whose unions are the needed sets of a group.
fn needed_of_halves(needed: &[bool], half: usize) -> [Vec<bool>; 2] {
    let mut halves = [vec![false; 1 << half], vec![false; needed.len() >> half]];
    for (set, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
        halves[0][set % (1 << half)] = true;
        halves[1][set >> half] = true;
    }
    halves
}

/// Characters of both halves of the inputs, one level above the outputs.
struct Halves<'a, C> {
    low: Characters<C>,
    high: Characters<C>,
    low_inputs: usize,
    inputs: usize,
    /// Any ciphertext: a constant is computed as 0 times it, plus the constant.
    any: &'a C,
}

struct TableEvaluation<'a, A> {
    arithmetic: &'a A,
    circuit: &'a BitCircuit,
}

impl<A: Arithmetic> TableEvaluation<'_, A> {
    /// `w_0 + w_1·c`, which is x, 1 - x, 0 or 1.
    fn of_one_bit(&self, input: &A::Ciphertext, table: &BitTable) -> A::Ciphertext {
        let mut result = input.clone();
        self.arithmetic.mul_integer_assign(&mut result, i64::from(table.derivative(0, 0)));
        if table.evaluate(0) {
            self.arithmetic.add_constant_assign(&mut result, Complex64::ONE);
        }
        result
    }

    /// `c = 1 - 2x`, read at half the scale of x.
    fn sign(&self, x: &A::Ciphertext) -> A::Ciphertext {
        let mut sign = x.clone();
        self.arithmetic.mul_integer_assign(&mut sign, -1);
        self.arithmetic.divide_slots_assign(&mut sign, 0.5);
        self.arithmetic.add_constant_assign(&mut sign, Complex64::ONE);
        self.arithmetic.declare_power(&mut sign, 1.0);
        sign
    }

    /// Computes the needed characters of a group of at most `2^depth` bits, `depth` levels below them.
    fn characters(
        &self,
        inputs: &[A::Ciphertext],
        needed: &[bool],
        depth: usize,
    ) -> Characters<A::Ciphertext> {
        if depth == 0 {
            return vec![None, needed[1].then(|| self.sign(&inputs[0]))];
        }
        let half = low_half(inputs.len());
        let [low_needed, high_needed] = needed_of_halves(needed, half);
        let low = self.characters(&inputs[..half], &low_needed, depth - 1);
        let high = match &inputs[half..] {
            [] => vec![None],
            rest => self.characters(rest, &high_needed, depth - 1),
        };
        let character = |set: usize| {
            if set == 0 || !needed[set] {
                return None;
            }
            Some(match (&low[set % (1 << half)], &high[set >> half]) {
                (Some(x), Some(y)) => self.arithmetic.mul(x, y),
                (Some(x), None) | (None, Some(x)) => self.lowered(x, inputs.len()),
                (None, None) => unreachable!("a set that is not empty has a part in a half"),
            })
        };
        self.arithmetic.map_all((0..needed.len()).collect(), character)
    }

    /// Lowers a character by one level, to the scale of those of a group of `group` bits.
    fn lowered(&self, character: &A::Ciphertext, group: usize) -> A::Ciphertext {
        let limbs = self.arithmetic.limbs(character) - 1;
        let scale = self.circuit.scale_at(limbs) / f64::from(1 << group);
        let wide = scale * self.arithmetic.prime(limbs);
        let row = [vec![Complex64::ONE]];
        let mut scaled = self.arithmetic.linear_combinations(limbs + 1, &[character], &row, wide);
        self.arithmetic.rescale(scaled.swap_remove(0), 1)
    }

    /// Evaluates a table from the characters of both halves, by its spectrum.
    fn output(&self, halves: &Halves<'_, A::Ciphertext>, spectrum: &[i32]) -> A::Ciphertext {
        let linear = self.linear_part(halves, spectrum);
        let mut result = if let Some(mut product) = self.products(halves, spectrum) {
            self.arithmetic.product_add_assign(&mut product, &linear, 1.0);
            self.arithmetic.relinearize(product, 1)
        } else {
            self.arithmetic.rescale(linear, 1)
        };
        let mean = f64::from(spectrum[0]) / spectrum.len() as f64;
        self.arithmetic.add_constant_assign(&mut result, Complex64::from(mean));
        self.arithmetic.declare_power(&mut result, 1.0);
        result
    }

    /// The characters of one half, with their coefficients, before the last level.
    fn linear_part(&self, halves: &Halves<'_, A::Ciphertext>, spectrum: &[i32]) -> A::Ciphertext {
        let of_low = halves.low.iter().enumerate();
        let of_high = halves.high.iter().enumerate().map(|(set, x)| (set << halves.low_inputs, x));
        let terms = of_low.chain(of_high).filter(|(set, _)| spectrum[*set] != 0);
        let (mut factors, mut inputs): (Vec<Complex64>, Vec<&A::Ciphertext>) = terms
            .filter_map(|(set, x)| Some((self.coefficient(spectrum, set), x.as_ref()?)))
            .unzip();
        if inputs.is_empty() {
            (factors, inputs) = (vec![Complex64::ZERO], vec![halves.any]);
        }
        let limbs = self.limbs_of(halves);
        let wide = self.circuit.scale_at(limbs - 1) * self.arithmetic.prime(limbs - 1);
        self.arithmetic.linear_combinations(limbs, &inputs, &[factors], wide).swap_remove(0)
    }

    /// `Σ χ_A·Σ w_{A∪B}·χ_B` over all A and B that are not empty, if a coefficient is not 0.
    fn products(&self, halves: &Halves<'_, A::Ciphertext>, spectrum: &[i32]) -> Option<A::Product> {
        let at = |a: usize, b: usize| a | b << halves.low_inputs;
        let of = |half: &'_ Characters<A::Ciphertext>| {
            half.iter()
                .enumerate()
                .filter_map(|(set, x)| x.as_ref().map(|_| set))
                .collect::<Vec<_>>()
        };
        let (mut low, high) = (of(&halves.low), of(&halves.high));
        low.retain(|&a| high.iter().any(|&b| spectrum[at(a, b)] != 0));
        if low.is_empty() {
            return None;
        }
        let row = |&a: &usize| high.iter().map(|&b| self.coefficient(spectrum, at(a, b))).collect();
        let rows: Vec<Vec<Complex64>> = low.iter().map(row).collect();
        let left: Vec<_> = low.iter().filter_map(|&a| halves.low[a].as_ref()).collect();
        let right: Vec<_> = high.iter().filter_map(|&b| halves.high[b].as_ref()).collect();
        let scale = self.arithmetic.scale(right[0]) * spectrum.len() as f64;
        Some(self.arithmetic.combined_product_sum(&left, &right, &rows, scale))
    }

    /// w_S.
    fn coefficient(&self, spectrum: &[i32], set: usize) -> Complex64 {
        Complex64::from(f64::from(spectrum[set]) / spectrum.len() as f64)
    }

    /// Limbs of characters before the last level.
    fn limbs_of(&self, halves: &Halves<'_, A::Ciphertext>) -> usize {
        let first = halves.low.iter().chain(&halves.high).flatten().next();
        let depth = halves.inputs.next_power_of_two().ilog2() as usize - 1;
        first.map_or(self.arithmetic.limbs(halves.any) - depth, |x| self.arithmetic.limbs(x))
    }
}
