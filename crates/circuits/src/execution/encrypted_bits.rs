//! The engine of plans on encrypted packed bits.

use cryptable_bits::{BitTable, EncryptedBits, EvaluationKey, Gate, SumGate};
use cryptable_lattice::Result;

use super::engine::BitEngine;

impl BitEngine for EvaluationKey {
    type Bits = EncryptedBits;

    fn not(&self, x: &EncryptedBits) -> Result<EncryptedBits> {
        Self::not(self, x)
    }

    fn union(&self, x: &EncryptedBits, y: &EncryptedBits) -> Result<EncryptedBits> {
        self.disjoint_or(x, y)
    }

    fn gates(
        &self,
        gates: &[Gate],
        x: &EncryptedBits,
        y: &EncryptedBits,
    ) -> Result<Vec<EncryptedBits>> {
        match gates {
            // A single gate has fewer roundings.
            [gate] => Ok(vec![self.gate(*gate, x, y)?]),
            _ => Self::gates(self, gates, x, y),
        }
    }

    fn tables(
        &self,
        tables: &[BitTable],
        inputs: &[&EncryptedBits],
        levels: usize,
    ) -> Result<Vec<EncryptedBits>> {
        self.tables_at(tables, inputs, levels)
    }

    fn lower(&self, x: &EncryptedBits, levels: usize) -> Result<EncryptedBits> {
        Self::lower(self, x, levels)
    }

    fn clean(&self, x: &EncryptedBits) -> Result<EncryptedBits> {
        Self::clean(self, x)
    }

    fn bin_boot(&self, summands: &[&EncryptedBits]) -> Result<EncryptedBits> {
        self.bin_boot_sum(summands)
    }

    fn gate_boot(
        &self,
        gate: Gate,
        x: &EncryptedBits,
        y: &EncryptedBits,
        cleaning: bool,
    ) -> Result<EncryptedBits> {
        if cleaning {
            self.gate_boot_cleaning(gate, x, y)
        } else {
            Self::gate_boot(self, gate, x, y)
        }
    }

    fn sum_boot(
        &self,
        gates: &[SumGate],
        summands: &[&EncryptedBits],
    ) -> Result<Vec<EncryptedBits>> {
        self.gate_boot_many(gates, summands)
    }
}
