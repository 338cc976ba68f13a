//! Dumezy, Alexandru, Polyakov, Clet, Chakraborty, Boudguiga: Evaluating Larger Lookup Tables using CKKS
//! (TCHES 2026(1), ePrint 2025/1301): running times and memory on one thread of a server with two AMD EPYC 7302 at
//! 3 GHz and 128 GB of memory.

/// A lookup of a random table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedLookup {
    /// Bits of the table's inputs.
    pub bits: f64,
    /// Seconds a lookup.
    pub seconds: f64,
    /// Milliseconds a value: seconds over slots.
    pub milliseconds_a_value: f64,
}

const fn lookup(bits: f64, seconds: f64, milliseconds_a_value: f64) -> PublishedLookup {
    PublishedLookup { bits, seconds, milliseconds_a_value }
}

/// Table A1, AKP-FBT: bits, seconds per lookup, milliseconds per value. Its 16-bit line evaluates a modular reduction
/// instead of a random table, below 128 bits of security.
pub const AKP_LOOKUPS: [PublishedLookup; 15] = [
    lookup(1.0, 16.685, 0.2546),
    lookup(2.0, 24.392, 0.3722),
    lookup(3.0, 25.768, 0.3932),
    lookup(4.0, 30.181, 0.4605),
    lookup(5.0, 32.871, 0.5016),
    lookup(6.0, 39.933, 0.6093),
    lookup(7.0, 45.681, 0.6970),
    lookup(8.0, 56.593, 0.8635),
    lookup(9.0, 75.036, 1.1450),
    lookup(10.0, 243.95, 1.8612),
    lookup(11.0, 401.51, 3.0632),
    lookup(12.0, 706.98, 5.3938),
    lookup(13.0, 1347.9, 10.284),
    lookup(14.0, 2479.2, 18.915),
    lookup(16.0, 45722.0, 348.83),
];

/// Table 3, CMT-FBT with its best digits: bits, seconds per lookup, milliseconds per value.
pub const CMT_LOOKUPS: [PublishedLookup; 9] = [
    lookup(8.0, 115.02, 1.76),
    lookup(10.0, 151.71, 2.31),
    lookup(11.0, 156.38, 2.39),
    lookup(12.0, 167.27, 2.55),
    lookup(13.0, 315.04, 4.81),
    lookup(14.0, 335.88, 5.13),
    lookup(16.0, 480.80, 7.34),
    lookup(18.0, 1290.5, 19.69),
    lookup(20.0, 8447.0, 64.45),
];

/// Table 5, peak memory of an evaluation: bits, and GB of AKP-FBT, BMT-FBT and CMT-FBT.
pub const PEAK_MEMORY: [(f64, [f64; 3]); 4] = [
    (10.0, [22.9, 22.4, 13.8]),
    (12.0, [27.4, 22.6, 13.9]),
    (14.0, [32.3, 24.8, 27.3]),
    (16.0, [110.2, 26.2, 28.5]),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A slip of a digit in either column would break the bond between them: time a value is latency over the
    /// number of slots, 2^16 or, for AKP from 10 bits and CMT from 20 bits on, 2^17.
    #[test]
    fn columns_agree() {
        for (table, larger_from) in [(&AKP_LOOKUPS[..], 10.0), (&CMT_LOOKUPS[..], 20.0)] {
            for PublishedLookup { bits, seconds, milliseconds_a_value } in table {
                let slots = if *bits < larger_from { 65536.0 } else { 131072.0 };
                let error: f64 = seconds * 1e3 / slots / milliseconds_a_value - 1.0;
                assert!(error.abs() < 4e-3, "{bits} bits: {error}");
            }
        }
    }
}
