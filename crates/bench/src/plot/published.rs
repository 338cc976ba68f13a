//! Figures of Dumezy et al. ("CMT-FBT"), as their paper prints them: one thread of a server with two AMD EPYC
//! 7302 at 3 GHz and 128 GB of memory. A point is the bits of the table's inputs and the quantity.

use super::chart::Curve;

/// Who measured, in the legend.
const SOURCE: &str = "Dumezy et al., their machine";

/// Table A1, AKP-FBT: bits, seconds a lookup, milliseconds a value. Its 16-bit line evaluates a modular
/// reduction instead of a random table, below 128 bits of security.
const AKP: [(f64, f64, f64); 15] = [
    (1.0, 16.685, 0.2546),
    (2.0, 24.392, 0.3722),
    (3.0, 25.768, 0.3932),
    (4.0, 30.181, 0.4605),
    (5.0, 32.871, 0.5016),
    (6.0, 39.933, 0.6093),
    (7.0, 45.681, 0.6970),
    (8.0, 56.593, 0.8635),
    (9.0, 75.036, 1.1450),
    (10.0, 243.95, 1.8612),
    (11.0, 401.51, 3.0632),
    (12.0, 706.98, 5.3938),
    (13.0, 1347.9, 10.284),
    (14.0, 2479.2, 18.915),
    (16.0, 45722.0, 348.83),
];

/// Table 3, CMT-FBT with its best digits: bits, seconds a lookup, milliseconds a value.
const CMT: [(f64, f64, f64); 9] = [
    (8.0, 115.02, 1.76),
    (10.0, 151.71, 2.31),
    (11.0, 156.38, 2.39),
    (12.0, 167.27, 2.55),
    (13.0, 315.04, 4.81),
    (14.0, 335.88, 5.13),
    (16.0, 480.80, 7.34),
    (18.0, 1290.5, 19.69),
    (20.0, 8447.0, 64.45),
];

/// Table 5, peak memory of an evaluation: bits, and GB of AKP-FBT, BMT-FBT and CMT-FBT.
const MEMORY: [(f64, [f64; 3]); 4] = [
    (10.0, [22.9, 22.4, 13.8]),
    (12.0, [27.4, 22.6, 13.9]),
    (14.0, [32.3, 24.8, 27.3]),
    (16.0, [110.2, 26.2, 28.5]),
];

/// Milliseconds a value.
pub fn time_per_value() -> Vec<Curve> {
    let points = |(bits, _, milliseconds): &(f64, f64, f64)| (*bits, *milliseconds);
    vec![curve("akp", AKP.iter().map(points)), curve("cmt", CMT.iter().map(points))]
}

/// Seconds a lookup.
pub fn latency() -> Vec<Curve> {
    let points = |(bits, seconds, _): &(f64, f64, f64)| (*bits, *seconds);
    vec![curve("akp", AKP.iter().map(points)), curve("cmt", CMT.iter().map(points))]
}

/// Peak memory in GB.
pub fn memory() -> Vec<Curve> {
    let points = |column: usize| MEMORY.iter().map(move |(bits, memory)| (*bits, memory[column]));
    ["akp", "bmt", "cmt"].iter().zip(0..).map(|(method, i)| curve(method, points(i))).collect()
}

fn curve(method: &str, points: impl Iterator<Item = (f64, f64)>) -> Curve {
    Curve { method: method.to_string(), source: Some(SOURCE), points: points.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A slip of a digit in either column would break the bond between them: time a value is latency over the
    /// number of slots, 2^16 or, for AKP from 10 bits and CMT from 20 bits on, 2^17.
    #[test]
    fn columns_agree() {
        for (table, larger_from) in [(&AKP[..], 10.0), (&CMT[..], 20.0)] {
            for (bits, seconds, milliseconds) in table {
                let slots = if *bits < larger_from { 65536.0 } else { 131072.0 };
                let error: f64 = seconds * 1e3 / slots / milliseconds - 1.0;
                assert!(error.abs() < 4e-3, "{bits} bits: {error}");
            }
        }
    }
}
