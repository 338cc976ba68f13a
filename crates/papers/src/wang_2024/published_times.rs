//! Published results of Wang et al. (EUROCRYPT 2024, ePrint 2024/323) on circuit bootstraps: Table 7, depths of the
//! TFHE baseline; Table 8, in OpenFHE on an Intel Core i5-11500 at 2.7 GHz; Table 9, with AVX.
//!
//! Step 1 is blind rotation, step 2 the conversion to an RGSW ciphertext.

/// A row of Table 8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedBootstrap {
    /// The method and its set: that of TFHEpp, or one of Table 5.
    pub name: &'static str,
    /// Size of the keys of both steps, in MiB.
    pub key_mebibytes: [f64; 2],
    /// Time of both steps, in milliseconds.
    pub step_milliseconds: [f64; 2],
    /// Total time, in milliseconds.
    pub milliseconds: f64,
}

const fn row(
    name: &'static str,
    key_mebibytes: [f64; 2],
    step_milliseconds: [f64; 2],
    milliseconds: f64,
) -> PublishedBootstrap {
    PublishedBootstrap { name, key_mebibytes, step_milliseconds, milliseconds }
}

/// Rows of Table 8 for the TFHE circuit bootstrap: with digits that multiply rows, and with precomputed multiples.
pub const TFHE_BOOTSTRAPS: [PublishedBootstrap; 2] = [
    row("TFHE, TFHEpp", [158.75, 320.16], [256.4, 620.6], 877.0),
    row("TFHE_precom, TFHEpp", [158.75, 2561.28], [256.4, 227.68], 484.08),
];

/// Rows of Table 8 for the paper's own circuit bootstraps.
pub const OWN_BOOTSTRAPS: [PublishedBootstrap; 4] = [
    row("AUTO_1", [24.41, 0.60], [96.96, 2.64], 99.6),
    row("CMUX_1", [30.11, 0.60], [85.94, 2.63], 88.57),
    row("AUTO_5", [48.83, 1.21], [152.31, 4.59], 156.9),
    row("CMUX_5", [60.22, 1.21], [135.77, 4.59], 140.36),
];

/// Table 9: each implementation with its times of both steps and its total time, in milliseconds. Both libraries store
/// multiples; MOSFHET switches at level 2 instead of level 1.
pub const VECTORIZED_TIMES: [(&str, [f64; 2], f64); 3] = [
    ("Wang et al.", [42.98, 1.46], 44.4),
    ("TFHEpp", [25.8, 32.3], 58.1),
    ("MOSFHET", [21.7, 181.2], 202.9),
];

/// A row of Table 7: the TFHE baseline, for inputs of variance 2^-10 of the torus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedDepth {
    /// The row of Table 8 to which this row belongs.
    pub name: &'static str,
    /// log2 of the variance of an RGSW ciphertext's error.
    pub log2_rgsw: f64,
    /// log2 of the variance that a CMUX adds.
    pub log2_cmux: f64,
    /// Longest chain of CMUXes.
    pub max_depth: u64,
}

/// All rows of Table 7.
pub const TFHE_DEPTHS: [PublishedDepth; 2] = [
    PublishedDepth { name: "TFHE, TFHEpp", log2_rgsw: -33.3, log2_cmux: -13.3, max_depth: 9 },
    PublishedDepth {
        name: "TFHE_precom, TFHEpp",
        log2_rgsw: -38.2,
        log2_cmux: -18.2,
        max_depth: 294,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A wrong digit would break the relations between columns.
    #[test]
    fn columns_agree() {
        for row in TFHE_BOOTSTRAPS.iter().chain(&OWN_BOOTSTRAPS) {
            let sum: f64 = row.step_milliseconds.iter().sum();
            assert!((sum - row.milliseconds).abs() < 0.051, "{row:?}");
        }
        for (name, steps, all) in VECTORIZED_TIMES {
            assert!((steps[0] + steps[1] - all).abs() < 0.051, "{name}");
        }
        for (row, time) in TFHE_DEPTHS.iter().zip(TFHE_BOOTSTRAPS) {
            assert_eq!(row.name, time.name);
            assert!((row.log2_cmux - row.log2_rgsw - 20.0).abs() < 1e-9, "{row:?}");
            // A chain of the published depth uses up the variance of inputs, except for less than one CMUX.
            let spent = (row.max_depth as f64).log2() + row.log2_cmux;
            assert!((-10.3..-9.9).contains(&spent), "{row:?}: {spent}");
        }
    }
}
