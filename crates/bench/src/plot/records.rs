//! JSON lines for pictures: reading, selecting, and the median of repeated measurements.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::chart::{Curve, DIGITS, REQUESTED, RING_DEGREE, medians};
use crate::json_lines;

/// Methods that are compared over the width of tables.
const METHODS: [&str; 4] = ["akp", "bmt", "cmt", "fdd"];

/// Plotted fields of a line of the JSON contract; other fields are ignored.
#[derive(Clone, Debug, Deserialize)]
pub struct Record {
    pub method: String,
    pub bits_in: f64,
    threads: usize,
    pub slots: usize,
    ring_degree: usize,
    pub eval_s: f64,
    pub eval_units: f64,
    pub ms_per_value: f64,
    /// Memory of the evaluation; 0 if the system does not account for memory.
    pub eval_rss_bytes: f64,
    /// Number of tables on the same input, which older lines do not state.
    #[serde(default = "one")]
    tables: usize,
    /// Sizes of digits; empty for methods without digits, and in older lines.
    #[serde(default)]
    digits: Vec<u64>,
    literal: Option<Literal>,
}

/// Fields of a line's parameters; the oldest lines do not have them.
#[derive(Clone, Copy, Debug, Deserialize)]
struct Literal {
    /// log2 of the failure probability per value for which the parameters were chosen.
    log2_fail: Option<f64>,
}

fn one() -> usize {
    1
}

impl Record {
    /// Returns whether the line is of one table on a full ciphertext, by a method that is compared.
    pub fn is_full(&self) -> bool {
        let is_compared = METHODS.contains(&self.method.as_str());
        is_compared && self.tables == 1 && self.slots == self.ring_degree
    }

    /// Returns the width in thousandths of a bit, which distinguishes widths that are not integers.
    fn width(&self) -> u64 {
        (self.bits_in * 1000.0).round() as u64
    }

    /// Returns the bits of the largest digit, rounded up; `None` if no digit has more than one bit.
    pub fn digit_bits(&self) -> Option<u32> {
        let largest = self.digits.iter().copied().max()?;
        (largest > 2).then(|| largest.next_power_of_two().ilog2())
    }

    /// Returns the ring degree, if one of the records has a larger one for the same method and width.
    fn smaller_degree(&self, records: &[Self]) -> Option<usize> {
        let is_larger = |other: &Self| {
            other.method == self.method
                && other.width() == self.width()
                && other.ring_degree > self.ring_degree
        };
        records.iter().any(is_larger).then_some(self.ring_degree)
    }

    /// Returns the exponent of the requested failure probability per ciphertext, by which lines are compared.
    fn requested_fail(&self) -> Option<i64> {
        let of_value = self.literal?.log2_fail?;
        Some(-(of_value + (self.slots as f64).log2()).round() as i64)
    }

    /// Checks that the numbers are positive, as logarithmic axes require.
    fn check(&self) -> Result<()> {
        ensure!(self.bits_in > 0.0 && self.bits_in <= 64.0, "bits_in is not between 0 and 64");
        ensure!(self.slots > 0, "slots is 0");
        let positive = [
            ("eval_s", self.eval_s),
            ("eval_units", self.eval_units),
            ("ms_per_value", self.ms_per_value),
        ];
        for (name, value) in positive {
            ensure!(value > 0.0, "{name} is not positive");
        }
        ensure!(self.eval_rss_bytes >= 0.0, "eval_rss_bytes is negative");
        Ok(())
    }
}

/// Reads the records of a file.
///
/// # Errors
/// If the file cannot be read, or a line is not a record; the error names the line.
pub fn read(file: &Path) -> Result<Vec<Record>> {
    json_lines::read(file, "a record", parse)
}

/// Reads the record of a line; `None` for lines of other kinds: of `bench primitives`, which have an `operation`; of circuits
/// on bits, which count their `bootstraps`; of outputs in halves, which are another task; and of methods that are not compared,
/// whose fields may have other types.
fn parse(value: Value) -> Result<Option<Record>> {
    let method = value.get("method").and_then(Value::as_str);
    let is_other = method.is_some_and(|method| !METHODS.contains(&method));
    let table = value.get("table").and_then(Value::as_str);
    let is_other = is_other || table.is_some_and(|table| table.ends_with(", halves"));
    if value.get("operation").is_some() || value.get("bootstraps").is_some() || is_other {
        return Ok(None);
    }
    let record: Record = serde_json::from_value(value)?;
    record.check()?;
    Ok(Some(record))
}

/// Checks that every method with lines of one table on full ciphertexts was measured on `threads` threads.
pub fn check_measured(records: &[Record], threads: usize) -> Result<()> {
    let mut measured: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.is_full()) {
        measured.entry(&record.method).or_default().insert(record.threads);
    }
    ensure!(!measured.is_empty(), "no line of one table on a full ciphertext");
    for (method, with) in measured {
        if !with.contains(&threads) {
            let with: Vec<String> = with.iter().map(usize::to_string).collect();
            let with = with.join(", ");
            bail!("no line of method {method} on {threads} threads, only on {with}");
        }
    }
    Ok(())
}

/// Selects records that can be compared: one table, a full ciphertext, `threads` threads.
pub fn select(records: &[Record], threads: usize) -> Vec<Record> {
    let is_wanted = |record: &&Record| record.is_full() && record.threads == threads;
    records.iter().filter(is_wanted).cloned().collect()
}

/// Identity of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    method: &'a str,
    digit_bits: Option<u32>,
    smaller_degree: Option<usize>,
    fail: Option<i64>,
}

impl Key<'_> {
    /// Returns the curve's name, with the requested failure probability if `says_fail` is set.
    fn name(self, says_fail: bool) -> String {
        let digits = self.digit_bits.map(|bits| format!("{DIGITS}{bits} bits"));
        let degree = self.smaller_degree.map(|degree| format!("{RING_DEGREE}{degree}"));
        let fail = self.fail.filter(|_| says_fail).map(|fail| format!("{REQUESTED}{fail}"));
        let parts = [digits, degree, fail].into_iter().flatten();
        self.method.to_owned() + &parts.collect::<String>()
    }
}

/// Returns one curve per method, size of digits and requested failure probability, with the median of repeated measurements.
/// A quantity of 0 counts as not measured.
pub fn curves(records: &[Record], quantity: impl Fn(&Record) -> f64) -> Vec<Curve> {
    let measured = records.iter().filter(|record| quantity(record) > 0.0).map(|record| {
        let key = Key {
            method: &record.method,
            digit_bits: record.digit_bits(),
            smaller_degree: record.smaller_degree(records),
            fail: record.requested_fail(),
        };
        (key, record.bits_in, quantity(record))
    });
    let methods = medians(measured);
    let keys: Vec<Key<'_>> = methods.keys().copied().collect();
    let name = |key: Key<'_>| {
        let of_method = keys.iter().filter(|other| other.method == key.method);
        let requests: BTreeSet<Option<i64>> = of_method.map(|other| other.fail).collect();
        key.name(requests.len() > 1)
    };
    let curve = |(key, points)| Curve { method: name(key), source: None, points };
    methods.into_iter().map(curve).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a line of the contract, with a field that is not plotted.
    fn line(method: &str, bits: f64, threads: usize, eval_s: f64, tables: usize) -> String {
        format!(
            r#"{{"method":"{method}","bits_in":{bits},"threads":{threads},"slots":65536,"ring_degree":65536,"eval_s":{eval_s},"eval_units":7000.0,"ms_per_value":0.5,"eval_rss_bytes":7000000000,"tables":{tables},"more":[1]}}"#
        )
    }

    fn records(lines: &[String]) -> Vec<Record> {
        lines
            .iter()
            .map(|line| parse(serde_json::from_str(line).unwrap()).unwrap().unwrap())
            .collect()
    }

    fn failure(text: &str) -> String {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        format!("{:#}", read(file.path()).unwrap_err())
    }

    #[test]
    fn files_are_read_and_other_benchmarks_passed_over() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let first = line("cmt", 16.0, 1, 30.0, 1);
        let second = first.replace(r#","tables":1"#, "");
        let primitive = r#"{"operation":"ntt","unit_us":140.0}"#;
        let decomposition =
            line("HomFloor", 5.0, 1, 0.1, 1).replace(r#""more":[1]"#, r#""digits":2"#);
        let text = format!("{first}\n\n{primitive}\n{decomposition}\n{second}\n");
        fs::write(file.path(), text).unwrap();
        let records = read(file.path()).unwrap();
        assert_eq!(records.len(), 2);
        assert_eq!((records[0].eval_s, records[0].eval_rss_bytes), (30.0, 7e9));
        assert_eq!(records[1].tables, 1);
    }

    #[test]
    fn errors_name_the_line() {
        let good = line("cmt", 16.0, 1, 30.0, 1);
        let message = failure(&format!("{good}\n\nnonsense\n"));
        assert!(message.contains(", line 3: not a record"), "{message}");
        let message = failure(&format!("{good}\n{}", good.replace("threads", "thread")));
        assert!(message.contains(", line 2") && message.contains("`threads`"), "{message}");
        let message = failure(&good.replace("30", "0.0"));
        assert!(message.contains(", line 1") && message.contains("eval_s"), "{message}");
        let message = failure(&line("cmt", 1e9, 1, 1.0, 1));
        assert!(message.contains(", line 1") && message.contains("bits_in"), "{message}");
        for other in ["[1]", "1", "{}"] {
            assert!(failure(other).contains(", line 1"), "{other}");
        }
        let message = format!("{:#}", read(Path::new("no/such.jsonl")).unwrap_err());
        assert!(message.contains("no/such.jsonl"), "{message}");
    }

    #[test]
    fn only_comparable_lines_are_selected() {
        let mut records = records(&[
            line("akp", 8.0, 1, 1.0, 1),
            line("akp", 8.0, 2, 2.0, 1),
            line("akp", 9.0, 1, 3.0, 1),
            line("akp", 8.0, 2, 4.0, 8),
        ]);
        records[2].slots = 32768;
        let times = |threads| -> Vec<f64> {
            let selected = select(&records, threads);
            selected.iter().map(|record| record.eval_s).collect()
        };
        assert_eq!((times(1), times(2)), (vec![1.0], vec![2.0]));
        let only_several = check_measured(&records[3..], 2).unwrap_err().to_string();
        assert!(only_several.contains("one table"), "{only_several}");
    }

    #[test]
    fn a_method_without_lines_is_an_error() {
        let lines = [line("akp", 8.0, 2, 1.0, 1), line("cmt", 8.0, 1, 1.0, 1)];
        let message = check_measured(&records(&lines), 2).unwrap_err().to_string();
        assert!(message.contains("method cmt on 2 threads, only on 1"), "{message}");
    }

    #[test]
    fn curves_hold_medians_in_order_of_width() {
        let times = [("cmt", 16.0, 10.0), ("cmt", 16.0, 90.0), ("cmt", 16.0, 30.0)];
        let others = [("cmt", 8.0, 5.0), ("akp", 8.0, 2.0)];
        let lines = times.iter().chain(&others).map(|&(m, bits, s)| line(m, bits, 1, s, 1));
        let mut records = records(&lines.collect::<Vec<_>>());
        let curves_of_time = curves(&records, |record| record.eval_s);
        let found: Vec<_> = curves_of_time.iter().map(|c| (&*c.method, &c.points[..])).collect();
        assert_eq!(found, [("akp", &[(8.0, 2.0)][..]), ("cmt", &[(8.0, 5.0), (16.0, 30.0)][..])]);
        records[1].literal = Some(Literal { log2_fail: Some(-80.0) });
        records[0].literal = Some(Literal { log2_fail: Some(-48.0) });
        let by_request = curves(&records, |record| record.eval_s);
        let names: Vec<&str> = by_request.iter().map(|curve| &*curve.method).collect();
        assert_eq!(
            names,
            [
                "akp",
                "cmt",
                "cmt, a ciphertext failing with 2^-32",
                "cmt, a ciphertext failing with 2^-64"
            ]
        );
        let mut sizes = records.clone();
        sizes.iter_mut().for_each(|record| record.literal = None);
        sizes[0].digits = vec![8, 16, 16];
        sizes[1].digits = vec![8, 8];
        sizes[3].ring_degree = 32768;
        sizes[4].ring_degree = 32768;
        let by_size = curves(&sizes, |record| record.eval_s);
        let names: Vec<&str> = by_size.iter().map(|curve| &*curve.method).collect();
        assert_eq!(names, ["akp", "cmt", "cmt, digits of 3 bits", "cmt, digits of 4 bits"]);
        let mut degrees = records[4..].to_vec();
        degrees.push(Record { ring_degree: 32768, ..degrees[0].clone() });
        degrees.iter_mut().for_each(|record| record.literal = None);
        let by_degree = curves(&degrees, |record| record.eval_s);
        let names: Vec<&str> = by_degree.iter().map(|curve| &*curve.method).collect();
        assert_eq!(names, ["akp", "akp, ring degree 32768"]);
        records[4].eval_rss_bytes = 0.0;
        let measured = curves(&records, |record| record.eval_rss_bytes);
        assert!(measured.iter().all(|curve| curve.method.starts_with("cmt")));
    }
}
