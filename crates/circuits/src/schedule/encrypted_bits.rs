//! The model of schedules for parameters of packed bits.

use std::collections::BTreeSet;

use cryptable_bits::{BitNoise, BitTable, Gate, Parameters, SumGate};
use cryptable_lattice::cost::Work;

use super::model::{BitModel, Task};

impl BitModel for Parameters {
    type Noise = BitNoise;

    fn slots(&self) -> usize {
        self.bits()
    }

    fn levels_after_bootstrap(&self) -> usize {
        Self::levels_after_bootstrap(self)
    }

    fn cleaning_levels(&self) -> usize {
        Self::cleaning_levels(self)
    }

    fn fresh_noise(&self) -> BitNoise {
        Self::fresh_noise(self)
    }

    fn noise_after_lowering(&self, x: BitNoise) -> BitNoise {
        Self::noise_after_lowering(self, x)
    }

    fn noise_after_gates(&self, gates: &[Gate], x: BitNoise, y: BitNoise) -> Vec<BitNoise> {
        match gates {
            [gate] => vec![self.noise_after_gate(*gate, x, y)],
            _ => gates.iter().map(|&gate| self.noise_after_shared_gate(gate, x, y)).collect(),
        }
    }

    fn noise_after_tables(
        &self,
        tables: &[BitTable],
        inputs: &[BitNoise],
        levels: usize,
    ) -> Vec<BitNoise> {
        Self::noise_after_tables(self, tables, inputs, levels)
    }

    fn noise_after_union(&self, x: BitNoise, y: BitNoise) -> BitNoise {
        self.noise_after_disjoint_or(x, y)
    }

    fn noise_after_cleaning(&self, x: BitNoise) -> BitNoise {
        Self::noise_after_cleaning(self, x)
    }

    fn noise_after_bin_boot(&self, summands: &[BitNoise]) -> BitNoise {
        self.noise_after_bin_boot_sum(summands)
    }

    fn noise_after_gate_boot(&self, gate: Gate, x: BitNoise, y: BitNoise) -> BitNoise {
        Self::noise_after_gate_boot(self, gate, x, y)
    }

    fn noise_after_cleaning_gate_boot(&self, gate: Gate, x: BitNoise, y: BitNoise) -> BitNoise {
        self.noise_after_gate_boot_cleaning(gate, x, y)
    }

    fn noise_after_sum_boot(
        &self,
        gates: &[SumGate],
        summands: &[BitNoise],
    ) -> Option<Vec<BitNoise>> {
        self.noise_after_sum_gates(gates, summands).ok()
    }

    fn levels_of_sum_boot(&self, gates: &[SumGate]) -> usize {
        self.levels_of_sum_gates(gates).expect("plans have functions of few bits")
    }

    fn log2_fail(&self, noise: BitNoise) -> f64 {
        self.log2_fail_per_bit(noise)
    }

    fn largest_error(&self, noise: BitNoise) -> f64 {
        Self::largest_error(self, noise)
    }

    fn deviation(&self, noise: BitNoise) -> f64 {
        noise.deviation()
    }

    fn log2_fail_limit(&self) -> f64 {
        self.literal().log2_fail
    }

    fn work(&self, task: Task) -> Work {
        let counts = match task {
            Task::Gates { levels } => self.gate_counts(levels),
            Task::Tables { inputs, lowered, count, levels } => {
                // The spectrum of an AND has no zeros, so it needs as many operations as any table.
                let table = BitTable::from_fn(inputs, |x| x + 1 == 1 << inputs);
                table.and_then(|table| self.table_counts(&vec![table; count], levels, lowered))
            }
            Task::Cleaning { levels } => self.cleaning_counts(levels),
            Task::Lowering { levels } => self.lowering_counts(levels),
            Task::Bootstrap => Ok(self.operation_counts()),
            Task::SumBoot(gates) => self.sum_gate_counts(&gates),
        };
        counts.expect("plans have levels for their gates").work(self.literal().ring_degree)
    }

    fn ciphertext_bytes(&self, levels: usize) -> usize {
        Self::ciphertext_bytes(self, levels)
    }

    fn working_bytes(&self) -> usize {
        self.bootstrap_working_bytes()
    }

    fn key_bytes(&self, moduli: &BTreeSet<u64>) -> usize {
        self.evaluation_key_bytes(moduli.iter().copied())
    }
}
