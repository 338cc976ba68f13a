//! Pictures of lines of single values: full-domain methods as bars, digit decomposition and chains of CMUXes as curves.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use cryptable_papers::ma_2024::noise::decomposition::Variant;
use cryptable_papers::ma_2024::published_times::decomposition_time;
use serde::Deserialize;

use super::bars::Bars;
use super::chart::{Chart, Curve, medians};
use crate::json_lines;
use crate::measurement::median;

/// Plotted fields of a line.
#[derive(Clone, Debug, Deserialize)]
pub struct SingleRecord {
    method: String,
    modulus_in: u64,
    threads: usize,
    units_per_value: f64,
    ms_per_value: f64,
    log2_fail: f64,
    /// log2 of the requested failure probability, which older lines do not have.
    requested_log2_fail: Option<f64>,
    /// log2 of the modulus of a digit decomposition.
    log2_q0: Option<u32>,
    /// Depth of a chain of CMUXes.
    chain_depth: Option<u64>,
}

impl SingleRecord {
    /// Returns the exponent of the requested failure probability, by which lines are compared. Lines that do not state it
    /// belong to one of two parameter sets: 2^-64 or, faster, 2^-40.
    fn requested_fail(&self) -> i64 {
        let by_achieved = if self.log2_fail <= -64.0 { 64.0 } else { 40.0 };
        self.requested_log2_fail.map_or(by_achieved, |log2| -log2).round() as i64
    }
}

/// Reads the lines of bootstraps of single values in a file, except circuits on bits, functions of large values and papers'
/// parameters. All other lines are skipped; [`super::records::read`] checks them.
pub fn read(file: &Path) -> Result<Vec<SingleRecord>> {
    json_lines::read(file, "a record of single values", |value| {
        let has = |name: &str| value.get(name).is_some();
        let is_table = !has("bootstraps") && !has("paper_set") && !has("rotation_keys");
        let is_curve = has("log2_q0") || has("chain_depth");
        // Single values that were packed are skipped, since they are looked up together.
        let is_one = value.get("slots").is_none_or(|slots| slots == 1);
        let is_single = has("units_per_value") && is_one && (is_table || is_curve);
        Ok(if is_single { Some(serde_json::from_value(value)?) } else { None })
    })
}

/// Returns names without extension, and pictures, of measurements on `threads` threads.
pub fn pictures(records: &[SingleRecord], threads: usize) -> Result<Vec<(String, String)>> {
    let records: Vec<&SingleRecord> =
        records.iter().filter(|record| record.threads == threads).collect();
    let mut pictures = Vec::new();
    let mut tables: BTreeMap<(u64, i64), BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    let is_table = |r: &&&SingleRecord| r.log2_q0.is_none() && r.chain_depth.is_none();
    for record in records.iter().filter(|r| is_table(r) && r.modulus_in > 2) {
        let table = tables.entry((record.modulus_in, record.requested_fail())).or_default();
        table.entry(&record.method).or_default().push(record.units_per_value);
    }
    for ((p, fail), methods) in tables {
        let mut bars: Vec<(String, f64)> =
            methods.into_iter().map(|(name, times)| (name.to_owned(), median(&times))).collect();
        bars.sort_by(|a, b| b.1.total_cmp(&a.1));
        let title = format!(
            "A table of {p} entries on one value, failing with 2^-{fail} at most, {}",
            on(threads)
        );
        let picture = Bars { title, quantity: "time of a lookup (u)", bars };
        pictures.push((format!("full_domain_p{p}_fail{fail}"), picture.svg()?));
    }
    let having = |has: fn(&SingleRecord) -> bool| -> Vec<&SingleRecord> {
        records.iter().copied().filter(|record| has(record)).collect()
    };
    let decompositions = having(|record| record.log2_q0.is_some());
    if !decompositions.is_empty() {
        pictures.push(("decomposition".to_owned(), decomposition(&decompositions, threads).svg()?));
    }
    let chains = having(|record| record.chain_depth.is_some());
    if !chains.is_empty() {
        pictures.push(("cmux_chain".to_owned(), cmux_chain(&chains, threads).svg()?));
    }
    Ok(pictures)
}

/// Formats a number of threads for titles.
fn on(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// Returns the median times of each method as a curve, over the place that `place` returns for a line.
fn curves(records: &[&SingleRecord], place: impl Fn(&SingleRecord) -> f64) -> Vec<Curve> {
    let measured = records.iter().map(|it| (it.method.as_str(), place(it), it.ms_per_value));
    let curve = |(name, points): (&str, _)| Curve { method: name.to_owned(), source: None, points };
    medians(measured).into_iter().map(curve).collect()
}

/// Draws Figure 4 of Wang et al. (EUROCRYPT 2024): time of a circuit bootstrap and a chain of CMUXes, over log2 of its depth.
fn cmux_chain(records: &[&SingleRecord], threads: usize) -> Chart {
    // One CMUX is at place 1, since places must be positive.
    let place = |record: &SingleRecord| (record.chain_depth.unwrap_or(1) as f64).log2() + 1.0;
    Chart {
        file_name: "cmux_chain",
        title: format!("A circuit bootstrap and a chain of CMUXes, {}", on(threads)),
        axis: "1 + log2 of the chain's depth",
        quantity: "time (ms)",
        curves: curves(records, place),
    }
}

/// Draws Figure 4 of Ma et al.: time over log2 q_0, with the paper's times if `threads` is 1.
fn decomposition(records: &[&SingleRecord], threads: usize) -> Chart {
    let mut curves = curves(records, |record| f64::from(record.log2_q0.unwrap_or(0)));
    if threads == 1 {
        for variant in Variant::ALL {
            let time = |log2| Some((f64::from(log2), decomposition_time(variant, log2)?));
            curves.push(Curve {
                method: variant.name().to_owned(),
                source: Some("Ma et al., their machine"),
                points: (13..=35).filter_map(time).collect(),
            });
        }
    }
    Chart {
        file_name: "decomposition",
        title: format!("Homomorphic digit decomposition, {}", on(threads)),
        axis: "log2 of the modulus q_0",
        quantity: "time per value (ms)",
        curves,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn bars_a_modulus_and_curves_of_decomposition() {
        let line = |method: &str, rest: &str| {
            format!(
                r#"{{"method":"{method}","modulus_in":16,"threads":1,"units_per_value":120.5,"ms_per_value":14.0,"log2_fail":-66.0{rest}}}"#
            )
        };
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lines.jsonl");
        let lines = [
            line("FDFB-Compress", ""),
            line("FDFB-KS", r#","requested_log2_fail":-40.0"#),
            line("HomDecomp-Reduce", r#","log2_q0":20"#),
            line("CMUX chain, cmux-depth-8", r#","chain_depth":8,"bootstraps":1"#),
            line("FDFB-Compress", r#","paper_set":"PARAM_fast""#),
            line("sign of 20 bits", r#","rotation_keys":[0]"#),
            line("packed, AKP of single values", r#","slots":65536"#),
            r#"{"method":"akp"}"#.to_owned(),
        ];
        fs::write(&file, lines.join("\n")).unwrap();
        let records = read(&file).unwrap();
        assert_eq!(records.len(), 4);
        let drawn = pictures(&records, 1).unwrap();
        let names: Vec<&str> = drawn.iter().map(|(name, _)| name.as_str()).collect();
        // The requested failure probability distinguishes lines, not the one that was reached.
        assert_eq!(
            names,
            ["full_domain_p16_fail40", "full_domain_p16_fail64", "decomposition", "cmux_chain"]
        );
        assert!(drawn[0].1.contains("FDFB-KS") && !drawn[0].1.contains("FDFB-Compress"));
        assert!(drawn[1].1.contains("FDFB-Compress") && drawn[1].1.contains("120.5"));
        assert!(drawn[2].1.contains("HomDecomp-Reduce, cryptable"));
        assert!(drawn[2].1.contains("HomFloor, Ma et al., their machine"));
        assert!(drawn[3].1.contains("CMUX chain, cmux-depth-8, cryptable"));
        assert!(pictures(&records, 2).unwrap().is_empty());
    }
}
