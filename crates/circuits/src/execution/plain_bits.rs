//! Bits in the clear, 64 words at once.

use cryptable_bits::{BitTable, Gate, SumGate};
use cryptable_lattice::Result;

use super::engine::BitEngine;
use crate::table_node::TableNode;

/// The engine of bits in the clear: bit k of a value belongs to word k.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainBits;

impl PlainBits {
    fn gate(gate: Gate, x: u64, y: u64) -> u64 {
        let (symmetric, [not_x, not_y]) = gate.symmetric_form();
        let mask = |not: bool| if not { u64::MAX } else { 0 };
        let (x, y) = (x ^ mask(not_x), y ^ mask(not_y));
        // Where the sum of the bits is 0, 1 and 2.
        let sums = [!x & !y, x ^ y, x & y];
        let outputs = symmetric.outputs();
        sums.iter().zip(outputs).map(|(&sum, output)| sum & mask(output)).sum()
    }
}

impl BitEngine for PlainBits {
    type Bits = u64;

    fn not(&self, x: &u64) -> Result<u64> {
        Ok(!x)
    }

    fn union(&self, x: &u64, y: &u64) -> Result<u64> {
        assert_eq!(x & y, 0, "disjoint bits");
        Ok(x | y)
    }

    fn gates(&self, gates: &[Gate], x: &u64, y: &u64) -> Result<Vec<u64>> {
        Ok(gates.iter().map(|&gate| Self::gate(gate, *x, *y)).collect())
    }

    fn tables(&self, tables: &[BitTable], inputs: &[&u64], _levels: usize) -> Result<Vec<u64>> {
        let inputs: Vec<u64> = inputs.iter().map(|&&x| x).collect();
        Ok(tables.iter().map(|table| TableNode::evaluate_lanes(table, &inputs)).collect())
    }

    fn lower(&self, x: &u64, _levels: usize) -> Result<u64> {
        Ok(*x)
    }

    fn clean(&self, x: &u64) -> Result<u64> {
        Ok(*x)
    }

    fn bin_boot(&self, summands: &[&u64]) -> Result<u64> {
        Ok(summands.iter().fold(0, |sum, &&x| sum ^ x))
    }

    fn gate_boot(&self, gate: Gate, x: &u64, y: &u64, _cleaning: bool) -> Result<u64> {
        Ok(Self::gate(gate, *x, *y))
    }

    fn sum_boot(&self, gates: &[SumGate], summands: &[&u64]) -> Result<Vec<u64>> {
        let sum = |word: usize| summands.iter().filter(|&&x| x >> word & 1 == 1).count();
        let function =
            |gate: &SumGate| (0..64).map(|word| u64::from(gate.outputs()[sum(word)]) << word).sum();
        Ok(gates.iter().map(function).collect())
    }
}
