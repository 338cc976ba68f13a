//! The JSON contract, the record that every lookup benchmark prints, and timing.

use std::time::Instant;

use serde::Serialize;

/// What every line of JSON has: the contract.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Contract {
    pub method: String,
    pub bits_in: f64,
    pub bits_out: f64,
    pub modulus_in: u64,
    pub ring_degree: usize,
    pub slots: usize,
    pub threads: usize,
    pub setup_s: f64,
    pub keygen_s: f64,
    pub encrypt_s: f64,
    pub eval_s: f64,
    pub runs: usize,
    pub ms_per_value: f64,
    pub unit_us: f64,
    pub eval_units: f64,
    pub peak_rss_bytes: u64,
    pub eval_rss_bytes: u64,
    pub eval_key_bytes: usize,
    pub input_bytes: usize,
    pub output_bytes: usize,
    pub values_checked: usize,
    pub wrong: usize,
    pub noise_std_log2: f64,
    pub predicted_noise_std_log2: f64,
    pub log2_fail: f64,
    pub security_bits: f64,
    pub table: String,
}

/// One line of lookups of packed values.
#[derive(Debug, Serialize)]
pub struct Record {
    #[serde(flatten)]
    pub contract: Contract,
    /// Tables on the same input.
    pub tables: usize,
    /// Sizes of the digits, none for AKP.
    pub digits: Vec<u64>,
    /// Digits a selector.
    pub selectors: Vec<usize>,
    /// Time that the planner predicts for one table.
    pub predicted_units: f64,
    /// Peak memory that the planner predicts.
    pub predicted_peak_bytes: usize,
    /// Seconds of each step of the last run.
    pub steps: Vec<(String, f64)>,
    /// NTTs, limb products, key switches and table products that the dry run counts for one table.
    pub counts: [usize; 4],
}

/// The median of some times.
pub fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Runs `f` and returns its result with the seconds it took.
pub fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = f();
    (result, start.elapsed().as_secs_f64())
}
