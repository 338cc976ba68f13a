//! Bae, Cheon, Kim, Stehlé: Bootstrapping Bits with CKKS (EUROCRYPT 2024, ePrint 2024/767): parameter sets, running times
//! and precision, measured with the HEaaN library on one thread of an Intel Xeon Gold 6242 at 2.8 GHz.
//!
//! Secrets are ternary of Hamming weight h, with a sparse one of weight h' for raising the modulus. Levels are those for
//! gates and cleaning after a bootstrap; a cleaning consumes two.

/// A parameter set, and the paper's measurements with it (Tables 5 and 7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedSet {
    /// Name in the paper.
    pub name: &'static str,
    /// Ring degree N.
    pub ring_degree: usize,
    /// Hamming weights of the dense and the sparse secret.
    pub weights: [usize; 2],
    /// log2 of the largest modulus, including special primes.
    pub log2_modulus: f64,
    /// Gadget rank of key switching.
    pub dnum: usize,
    /// Levels left after a bootstrap.
    pub levels: usize,
    /// Bits per bootstrap: real slots for Param14, complex slots for Param16.
    pub bits: usize,
    /// Seconds for BinBoot and GateBoot.
    pub seconds: [f64; 2],
    /// Bits of precision for BinBoot and GateBoot.
    pub precision_bits: [f64; 2],
    /// Sizes in bits of the primes of the chain, and the number of primes of each size: base, SlotsToCoeffs, gates, EvalMod,
    /// CoeffsToSlots.
    pub chain: [(u32, usize); 5],
}

/// The set of Table 5, for low latency.
pub const PARAM_14: PublishedSet = PublishedSet {
    name: "Param14",
    ring_degree: 1 << 14,
    weights: [256, 32],
    log2_modulus: 424.0,
    dnum: 13,
    levels: 2,
    bits: 1 << 13,
    seconds: [1.36, 1.39],
    precision_bits: [9.6, 7.7],
    chain: [(32, 1), (28, 1), (26, 2), (32, 7), (28, 2)],
};

/// The set of Table 7, for throughput. The table prints 30 x 28 for the levels of gates, meaning 28 primes of 30 bits.
pub const PARAM_16: PublishedSet = PublishedSet {
    name: "Param16",
    ring_degree: 1 << 16,
    weights: [256, 32],
    log2_modulus: 1598.0,
    dnum: 3,
    levels: 28,
    bits: 1 << 16,
    seconds: [23.1, 23.3],
    precision_bits: [8.53, 6.61],
    chain: [(32, 1), (32, 1), (30, 28), (32, 7), (32, 2)],
};

impl PublishedSet {
    /// Returns the set with a ring degree, if the paper has one.
    ///
    /// ```
    /// use cryptable_papers::bae_2024::{PARAM_14, PublishedSet};
    /// assert_eq!(PublishedSet::of_degree(1 << 14), Some(PARAM_14));
    /// assert_eq!(PublishedSet::of_degree(1 << 15), None);
    /// ```
    #[must_use]
    pub fn of_degree(ring_degree: usize) -> Option<Self> {
        [PARAM_14, PARAM_16].into_iter().find(|set| set.ring_degree == ring_degree)
    }

    /// Returns the microseconds per gate by BinBoot and GateBoot, for the number of gates that the paper counts between two
    /// bootstraps of Param16 (Section 5.2): 20 and 17 of the 28 levels, where the others are for cleaning; GateBoot evaluates
    /// one more gate itself.
    #[must_use]
    pub fn microseconds_per_gate(&self) -> [f64; 2] {
        let gates = [20.0, 17.0];
        [0, 1].map(|i| 1e6 * self.seconds[i] / (gates[i] * self.bits as f64))
    }
}

/// A method to evaluate gates, and its time per gate (Table 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedGate {
    /// Name of the method.
    pub of: &'static str,
    /// Number of plaintext slots.
    pub slots: usize,
    /// Microseconds per gate, including bootstraps.
    pub microseconds: f64,
}

/// Table 1: throughput. The table quotes LMSS23 and CGGI16b.
pub const GATES: [PublishedGate; 5] = [
    PublishedGate { of: "LMSS23", slots: 1, microseconds: 6490.0 },
    PublishedGate { of: "CGGI16b", slots: 1, microseconds: 10_500.0 },
    PublishedGate { of: "BLEACH, naive", slots: 1 << 15, microseconds: 92.6 },
    PublishedGate { of: "BLEACH, improved", slots: 1 << 16, microseconds: 27.7 },
    PublishedGate { of: "BinBoot, Param16", slots: 1 << 16, microseconds: 17.6 },
];

/// Table 2: seconds for 2^14 gates on FHEW ciphertexts, in and out, of which ring packing takes 0.157 and half GateBoot 1.54
/// (Section 6.2), and the least numbers of gates for which this is faster than LMSS23 and CGGI16b.
pub const FHEW_GATES: (f64, [u32; 2]) = (1.70, [262, 162]);

/// A parameter set of the comparison with BLEACH (Table 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BleachSet {
    /// Name in the paper.
    pub name: &'static str,
    /// log2 of the largest modulus.
    pub log2_modulus: f64,
    /// Number of levels in all.
    pub levels: usize,
    /// Number of levels for computations, without those of bootstrapping and cleaning.
    pub depth: usize,
    /// log2 of the scale, of the scale at the bottom and of the bottom prime.
    pub log2_scales: [u32; 3],
}

/// Table 3, at degree 2^16 with gadget rank 5 and secrets of weight 192.
pub const BLEACH_SETS: [BleachSet; 3] = [
    BleachSet {
        name: "HEaaN FGb",
        log2_modulus: 1555.0,
        levels: 24,
        depth: 7,
        log2_scales: [42, 45, 58],
    },
    BleachSet {
        name: "Proposed - naive",
        log2_modulus: 1546.0,
        levels: 28,
        depth: 13,
        log2_scales: [42, 45, 46],
    },
    BleachSet {
        name: "Proposed - optimized",
        log2_modulus: 1550.0,
        levels: 44,
        depth: 29,
        log2_scales: [28, 33, 34],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A wrong digit would contradict the numbers that the paper computes from its own tables.
    #[test]
    fn tables_agree_with_each_other() {
        let [bin_boot, gate_boot] = PARAM_16.microseconds_per_gate();
        assert!((bin_boot - 17.6).abs() < 0.05 && (gate_boot - 20.9).abs() < 0.05);
        assert!((GATES[4].microseconds - bin_boot).abs() < 0.05);
        // From the threshold on, evaluating all gates at once is faster than one after the other.
        let (seconds, thresholds) = FHEW_GATES;
        for (gate, threshold) in GATES.iter().zip(thresholds) {
            let computed = (seconds / (1e-6 * gate.microseconds)).ceil();
            assert!((computed - f64::from(threshold)).abs() < 1.5, "{}: {computed}", gate.of);
        }
        for set in [PARAM_14, PARAM_16] {
            let chain: u32 = set.chain.iter().map(|&(bits, count)| bits * count as u32).sum();
            assert!(f64::from(chain) < set.log2_modulus, "{}", set.name);
            assert_eq!(set.levels, set.chain[2].1);
        }
        // The other levels are for the bootstrap and one cleaning of BLEACH.
        assert!(BLEACH_SETS.iter().all(|set| set.depth < set.levels));
    }
}
