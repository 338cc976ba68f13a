//! Limbs that a multiplexer tree holds at its widest point.

use std::ops::Range;

use crate::literal::{MultiplexerLiteral, ParametersLiteral};
use crate::multiplexer::real_deltas;
use crate::parameters::memory::depth;

/// Limbs of a relinearization of selectors of up to eight limbs: tensor, digits, remainders and quotient.
const RELINEARIZATION_LIMBS: usize = 60;

impl ParametersLiteral {
    /// Limbs in use at the widest point, if CoeffsToSlots and exponential take `front`: while the last digit is decomposed,
    /// when selectors are made, or when the tree is evaluated.
    pub(crate) fn tree_limbs(&self, tree: &MultiplexerLiteral, front: usize) -> usize {
        let deltas: Vec<usize> =
            (0..tree.digits.len()).map(|digit| self.limbs_of_deltas(tree, digit)).collect();
        let (mut held, mut peak) = (0, 0);
        for (digit, limbs) in deltas.iter().enumerate() {
            peak = peak.max(held + front.max(self.limbs_making_deltas(tree, digit)));
            held += limbs;
        }
        // Deltas give way to the selectors that are made of them.
        let (mut of_selectors, mut first) = (0, 0);
        for (index, &count) in tree.selectors.iter().enumerate() {
            let made = self.limbs_of_selector(tree, index);
            let factors = self.limbs_of_factors(tree, first..first + count);
            let more = if count > 1 { made + factors + RELINEARIZATION_LIMBS } else { 0 };
            peak = peak.max(of_selectors + held + more);
            held -= deltas[first..first + count].iter().sum::<usize>();
            (of_selectors, first) = (of_selectors + made, first + count);
        }
        let sizes = tree.row_sizes();
        let outer = sizes.get(1).map_or(1, |&size| size);
        let tensors = 3 * self.parts() * outer * (self.output_limbs() + sizes.len());
        peak.max(of_selectors + tensors + RELINEARIZATION_LIMBS)
    }

    /// Limbs in use at the widest point of a decomposition: in CoeffsToSlots or an exponential (`front`), where deltas are made,
    /// or in SlotsToCoeffs (`back`) of a digit, whose deltas stay until all functions of the digit are back in coefficients.
    pub(crate) fn decomposition_limbs(
        &self,
        tree: &MultiplexerLiteral,
        front: usize,
        back: usize,
    ) -> usize {
        let of_digit = |digit| {
            let making = self.limbs_making_deltas(tree, digit);
            making.max(self.limbs_of_deltas(tree, digit) + back)
        };
        (0..tree.digits.len()).map(of_digit).fold(front, usize::max)
    }

    /// Limbs of the deltas of a digit.
    fn limbs_of_deltas(&self, tree: &MultiplexerLiteral, digit: usize) -> usize {
        let limbs = self.output_limbs() + tree.delta_levels(digit);
        self.limbs_in_slots(2 * self.parts() * tree.digits[digit] as usize * limbs)
    }

    /// Limbs when the deltas of the last part of a digit are made: those of the other part, and all powers of an exponential
    /// with as many combinations.
    fn limbs_making_deltas(&self, tree: &MultiplexerLiteral, digit: usize) -> usize {
        let (limbs, p) = (self.exponential_limbs(), tree.digits[digit] as usize);
        if self.real_slots {
            return 2 * real_deltas::limbs_in_use(tree.digits[digit], limbs);
        }
        let others = self.limbs_of_deltas(tree, digit) / self.parts() * (self.parts() - 1);
        let powers: usize = (1..p).map(|power| limbs - depth(power)).sum();
        let sums = p * (limbs - depth(p - 1));
        self.limbs_in_slots(2 * (limbs + powers + sums)) + others
    }

    /// Limbs that the last two factors of a Kronecker product of deltas take, beyond the deltas of these digits that they are
    /// made of: neighbours are joined until two are left. Columns are made of both parts at once, rows of one after the other.
    fn limbs_of_factors(&self, tree: &MultiplexerLiteral, digits: Range<usize>) -> usize {
        let sizes = digits.clone().map(|digit| (tree.digits[digit] as usize, 0));
        let mut factors: Vec<(usize, usize)> = sizes.collect();
        while factors.len() > 2 {
            let join = |pair: &[(usize, usize)]| match pair {
                [(low, depth), (high, other)] => (low * high, *depth.max(other) + 1),
                _ => pair[0],
            };
            factors = factors.chunks(2).map(join).collect();
        }
        let limbs = self.output_limbs() + tree.delta_levels(digits.start);
        let of_factors = factors.iter().map(|&(size, depth)| size * (limbs - depth));
        let deltas = digits.clone().map(|digit| tree.digits[digit] as usize * limbs);
        let parts = if digits.end == tree.digits.len() { self.parts() } else { 1 };
        let factors = of_factors.sum::<usize>().saturating_sub(deltas.sum::<usize>());
        self.limbs_in_slots(2 * parts * factors)
    }

    /// Limbs of a selector: of rows in sums and differences of both parts, of columns joined, but for tables of slots.
    fn limbs_of_selector(&self, tree: &MultiplexerLiteral, index: usize) -> usize {
        let (sizes, output) = (tree.row_sizes(), self.output_limbs());
        self.limbs_in_slots(match sizes.get(index) {
            Some(size) => 2 * self.parts() * size * (output + sizes.len() - index),
            None => {
                let sets = if tree.entry_levels > 0 { self.parts() } else { 1 };
                let limbs = output + sizes.len() + tree.entry_levels as usize;
                2 * sets * tree.columns() * limbs
            }
        })
    }
}
