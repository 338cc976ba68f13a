//! Plans as tables for display.

use std::fmt;

use super::plan::{Plan, StepCounts};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepCounts {
            gates,
            products,
            unions,
            tables,
            table_groups,
            cleanings,
            bin_boots,
            xor_boots,
            gate_boots,
            adders,
            lowerings,
            longest_sum,
        } = self.counts();
        let name = cryptable_wire::printable(&self.circuit);
        writeln!(f, "{name} on {} words at once, {} steps", self.words, self.steps.len())?;
        writeln!(
            f,
            "  bootstraps   {}: BinBoot {bin_boots}, of XORs {xor_boots} (of up to {longest_sum} bits), GateBoot {gate_boots}, adders {adders}",
            self.counts().bootstraps()
        )?;
        writeln!(
            f,
            "  gates        {gates} on {products} products, {unions} disjoint ORs for free"
        )?;
        if tables > 0 {
            writeln!(f, "  tables       {tables} of {table_groups} groups of bits")?;
        }
        writeln!(
            f,
            "  cleanings    {cleanings}; {lowerings} bits lowered to the levels that are needed"
        )?;
        let (seconds, unit) = (self.seconds(), self.cost.unit());
        writeln!(
            f,
            "  time         {:.0} u on one thread ({seconds:.1} s, u = {:.0} us)",
            seconds / unit,
            1e6 * unit
        )?;
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        writeln!(
            f,
            "  memory       {:.2} GB: keys {:.2}, ciphertexts {:.2}, {} at once {:.2}",
            gigabytes(self.memory_bytes()),
            gigabytes(self.key_bytes),
            gigabytes(self.ciphertext_bytes),
            self.parallel,
            gigabytes(self.parallel * self.working_bytes)
        )?;
        let worst = self.deviations.iter().copied().fold(0.0, f64::max);
        writeln!(f, "  noise        at most 2^{:.1} per bit", worst.log2())?;
        write!(f, "  failure      {} per word, {} in any word", self.word_failure(), self.failure())
    }
}
