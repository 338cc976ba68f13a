//! The picture of signs of packed integers over the size of their digits (Sec. 5 of Alexandru, Kim, Polyakov, CRYPTO 2025).

use std::path::Path;

use anyhow::Result;
use serde::Deserialize;

use super::chart::{Chart, Curve, medians};
use crate::json_lines;

/// Plotted fields of a line.
#[derive(Clone, Debug, Deserialize)]
pub struct SignRecord {
    bits_in: f64,
    threads: usize,
    eval_s: f64,
    /// Bases of the digits.
    digits: Vec<u64>,
}

/// Returns the lines of signs in a file, and skips all others.
pub fn read(file: &Path) -> Result<Vec<SignRecord>> {
    json_lines::read(file, "a record of a sign", |value| {
        let is_sign = value.get("table").is_some_and(|table| table == "sign");
        let has_digits =
            value.get("digits").and_then(|it| it.as_array()).is_some_and(|it| !it.is_empty());
        Ok(if is_sign && has_digits { Some(serde_json::from_value(value)?) } else { None })
    })
}

/// Returns the chart of measurements on `threads` threads: one curve per width of integers that was measured with two or more
/// sizes of digits.
pub fn chart(records: &[SignRecord], threads: usize) -> Option<Chart> {
    let measured = records.iter().filter(|record| record.threads == threads).map(|record| {
        let largest = record.digits.iter().max().map_or(1, |base| base.ilog2());
        (record.bits_in as u64, f64::from(largest), record.eval_s)
    });
    let curve =
        |(bits, points)| Curve { method: format!("sign of {bits} bits"), source: None, points };
    let curves = medians(measured).into_iter().map(curve).filter(|curve| curve.points.len() > 1);
    let curves: Vec<Curve> = curves.collect();
    let plural = if threads == 1 { "" } else { "s" };
    (!curves.is_empty()).then(|| Chart {
        file_name: "sign_by_digit_size",
        title: format!("The sign of 65,536 packed integers, {threads} thread{plural}"),
        axis: "bits of the largest digit",
        quantity: "time per ciphertext (s)",
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_needs_two_sizes_on_as_many_threads() {
        let record = |bits_in: f64, threads, eval_s, base| SignRecord {
            bits_in,
            threads,
            eval_s,
            digits: vec![4, base],
        };
        let records = [
            record(32.0, 1, 5.0, 16),
            record(32.0, 1, 7.0, 16),
            record(32.0, 1, 6.0, 16),
            record(32.0, 1, 4.0, 256),
            record(20.0, 1, 2.0, 16),
            record(20.0, 2, 1.0, 256),
        ];
        let chart = chart(&records, 1).unwrap();
        let [curve] = &chart.curves[..] else { panic!("{:?}", chart.curves) };
        assert_eq!(curve.points, [(4.0, 6.0), (8.0, 4.0)]);
        assert!(super::chart(&records, 2).is_none());
    }
}
