//! The display of a plan as a table.

use std::fmt;
use std::time::Duration;

use super::{Candidate, Plan};

/// Number of candidates shown per engine.
const SHOWN_PER_ENGINE: usize = 3;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let best = self.best();
        writeln!(f, "best: {}", best.parameters())?;
        if let Some(limits) = best.parameters().sum_limits() {
            writeln!(f, "      {limits}")?;
        }
        let (values, threads) = (self.values(), self.threads());
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        writeln!(
            f,
            "\n{values} value{} on {threads} thread{}:",
            plural(values),
            plural(threads as u64)
        )?;
        let names = self.candidates().iter().map(|c| c.parameters().method_name().len());
        let width = names.max().unwrap_or_default();
        writeln!(
            f,
            "{:<8} {:<width$} {:>9} {:>10} {:>9} {:>9} {:>9} {:>6} {:>5}",
            "engine", "method", "time", "a value", "memory", "key file", "fresh", "fail", "bits"
        )?;
        let mut shown = Vec::new();
        for candidate in self.candidates() {
            let parameters = candidate.parameters();
            let way = (parameters.engine(), parameters.bridged().is_ok());
            shown.push(way);
            if shown.iter().filter(|&&other| other == way).count() <= SHOWN_PER_ENGINE {
                write_line(f, candidate, values, width)?;
            }
        }
        if self.values_assumed() {
            let assumed = match values {
                1 => "1 value is assumed".to_owned(),
                _ => format!("{values} values are assumed, as many as a packed ciphertext holds"),
            };
            writeln!(f, "{assumed}: `values` states another number")?;
        }
        if let Some(crossing) = self.crossing() {
            writeln!(
                f,
                "packing single values, to look them up at once, is faster from {crossing} values on"
            )?;
        }
        for (engine, error) in self.refusals() {
            writeln!(f, "{engine:<8} not: {error}")?;
        }
        Ok(())
    }
}

fn write_line(
    f: &mut fmt::Formatter<'_>,
    candidate: &Candidate,
    values: u64,
    width: usize,
) -> fmt::Result {
    let (parameters, prediction) = (candidate.parameters(), candidate.prediction());
    writeln!(
        f,
        "{:<8} {:<width$} {:>9} {:>10} {:>9} {:>9} {:>9} {:>6} {:>5.0}",
        parameters.engine(),
        parameters.method_name(),
        seconds(candidate.duration()),
        seconds(candidate.duration() / u32::try_from(values).unwrap_or(u32::MAX)),
        bytes(prediction.peak_bytes()),
        bytes(prediction.key_file_bytes),
        bytes(prediction.ciphertext_bytes),
        format!("2^{:.0}", parameters.failure_probability().log2()),
        parameters.security_bits(),
    )
}

/// Formats a time with three digits: `1.23 s`, `45.6 ms`.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 100.0 => format!("{s:.0} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.1} µs", s * 1e6),
    }
}

/// Formats a size in decimal units: `1.23 GB`.
fn bytes(bytes: usize) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        b => format!("{b} B"),
    }
}
