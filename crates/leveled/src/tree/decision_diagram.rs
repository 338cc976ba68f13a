//! Decision diagrams: the CMUXes that choose the next states of all states of an automaton by the bits of one symbol.
//!
//! A node is a CMUX by one bit between two nodes of lower bits, or leaves; a leaf is a transition. Equal nodes are merged,
//! and nodes that choose between equal children are removed (Bryant, IEEE Trans. Computers 1986). Circuit bootstraps of two
//! bits per ciphertext return the bits of a symbol's Gray code, so diagrams are those of the code.

use std::collections::HashMap;
use std::ops::Range;

use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::PrimeRing;
use rayon::prelude::*;

use super::automaton::{Automaton, Transition};
use super::cmux::Cmux;
use super::leveled_ciphertext::LeveledCiphertext;
use crate::bootstrapping::gray_code;

/// The CMUXes of one symbol.
#[derive(Clone, Debug)]
pub struct DecisionDiagram {
    leaves: Vec<Transition>,
    /// The children for bits 0 and 1, as places among the leaves, then the nodes.
    nodes: Vec<[usize; 2]>,
    /// The nodes of every bit, the lowest first.
    bits: Vec<Range<usize>>,
    /// The places of the states.
    roots: Vec<usize>,
}

impl DecisionDiagram {
    /// Builds the diagram for symbols that are encrypted with this number of bits per ciphertext.
    #[must_use]
    pub fn new(automaton: &Automaton, bits_per_ciphertext: u32) -> Self {
        let symbols = automaton.states()[0].len();
        let bits = symbols.next_power_of_two().ilog2();
        let mut leaves = Vec::new();
        let mut known = HashMap::new();
        let mut leaf = |transition: Transition| {
            *known.entry(transition).or_insert_with(|| {
                leaves.push(transition);
                leaves.len() - 1
            })
        };
        let mut rows: Vec<Vec<usize>> = Vec::with_capacity(automaton.states().len());
        for state in automaton.states() {
            // Numbers above the last symbol never occur.
            let of = |address| state[gray_code(address, bits_per_ciphertext).min(symbols - 1)];
            rows.push((0..1 << bits).map(|address| leaf(of(address))).collect());
        }
        let (mut nodes, mut ranges) = (Vec::new(), Vec::new());
        for _ in 0..bits {
            let first = nodes.len();
            let mut known = HashMap::new();
            let mut node = |children: [usize; 2]| match children {
                [zero, one] if zero == one => zero,
                _ => *known.entry(children).or_insert_with(|| {
                    nodes.push(children);
                    leaves.len() + nodes.len() - 1
                }),
            };
            for row in &mut rows {
                *row = row.chunks_exact(2).map(|pair| node([pair[0], pair[1]])).collect();
            }
            ranges.push(first..nodes.len());
        }
        let roots = rows.into_iter().map(|row| row[0]).collect();
        Self { leaves, nodes, bits: ranges, roots }
    }

    /// Returns the number of bits of a symbol.
    #[must_use]
    pub fn symbol_bits(&self) -> usize {
        self.bits.len()
    }

    /// Computes the accumulators of all states before a symbol from those after it, by selectors of the symbol's bits.
    ///
    /// # Panics
    /// If there are fewer accumulators than states, or the selectors have another gadget.
    #[must_use]
    pub fn step(
        &self,
        ring: &PrimeRing,
        gadget: Gadget,
        selectors: &[RgswCiphertext],
        after: &[LeveledCiphertext],
    ) -> Vec<LeveledCiphertext> {
        let cycle = 2 * ring.degree();
        let moved = |&Transition { next, weight }: &Transition| match weight % cycle {
            0 => after[next].clone(),
            // X^-weight brings entry `weight` to the constant coefficient.
            weight => after[next].times_monomial(ring, cycle - weight),
        };
        let mut found: Vec<LeveledCiphertext> = self.leaves.par_iter().map(moved).collect();
        for (selector, range) in selectors.iter().zip(&self.bits) {
            let choose = |&[zero, one]: &[usize; 2]| {
                let mut chosen = found[zero].clone();
                Cmux::new(ring, gadget).select_assign(selector, &mut chosen, &found[one]);
                chosen
            };
            let chosen: Vec<_> = self.nodes[range.clone()].par_iter().map(choose).collect();
            found.extend(chosen);
        }
        self.roots.iter().map(|&root| found[root].clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_that_are_told_apart_take_cmuxes() {
        let pattern: Vec<u64> = b"cryptable".iter().map(|&byte| byte.into()).collect();
        let automaton = Automaton::occurrences(&pattern, 256).unwrap();
        for bits_per_ciphertext in [1, 2] {
            let diagram = DecisionDiagram::new(&automaton, bits_per_ciphertext);
            // Every state but the first distinguishes its own symbol, that of the first state, and all others.
            assert!((8 * 9..=2 * 8 * 10).contains(&diagram.nodes.len()), "{}", diagram.nodes.len());
        }
        let one = Automaton::occurrences(&[3], 4).unwrap();
        // Both states react alike: they distinguish 3 from the others, by two bits.
        assert_eq!(DecisionDiagram::new(&one, 1).nodes.len(), 2);
    }
}
