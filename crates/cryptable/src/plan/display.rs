//! The display of a plan as a table.

use std::fmt;
use std::time::Duration;

use super::{Candidate, Plan};
use crate::{Engine, Parameters};

/// Number of methods shown per engine.
const SHOWN_PER_ENGINE: usize = 3;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_best(f, self.best().parameters())?;
        let (values, threads) = (self.values(), self.threads());
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let assumed =
            if self.values_assumed() { " (assumed: `values` sets another number)" } else { "" };
        writeln!(
            f,
            "\n{values} value{}{assumed} on {threads} thread{}, {} lookup{} with one key:",
            plural(values),
            plural(threads as u64),
            self.lookups(),
            plural(self.lookups()),
        )?;
        self.write_table(f)?;
        if let Some((lookups, other)) = self.best_for_more_lookups() {
            let parameters = other.parameters();
            let (engine, method) = (parameters.engine(), parameters.method_name());
            writeln!(f, "{engine}, {method} is faster from {lookups} lookups with one key on")?;
        }
        if let Some(crossing) = self.crossing() {
            let packing = "packing single values and looking them up at once";
            writeln!(f, "{packing} is faster from {crossing} values on")?;
        }
        for (engine, error) in self.refusals() {
            writeln!(f, "{engine:<7} unavailable: {error}")?;
        }
        Ok(())
    }
}

impl Plan {
    /// Returns the candidates that [`Display`](fmt::Display) shows: for each engine, the fastest parameters of its
    /// three fastest methods.
    #[must_use]
    pub fn fastest_per_method(&self) -> Vec<&Candidate> {
        let mut shown: Vec<(Engine, bool, String)> = Vec::new();
        let mut is_shown = |candidate: &&Candidate| {
            let parameters = candidate.parameters();
            let (engine, is_bridged) = (parameters.engine(), parameters.bridged().is_ok());
            let family = family(&parameters.method_name());
            let of_engine = || shown.iter().filter(|row| (row.0, row.1) == (engine, is_bridged));
            if of_engine().count() == SHOWN_PER_ENGINE || of_engine().any(|row| row.2 == family) {
                return false;
            }
            shown.push((engine, is_bridged, family));
            true
        };
        self.candidates().iter().filter(|candidate| is_shown(candidate)).collect()
    }

    fn write_table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.fastest_per_method();
        let names = rows.iter().map(|row| row.parameters().method_name().chars().count());
        let width = names.max().unwrap_or_default();
        // Shown only if the request states a bandwidth.
        let send = self.best().transfer_duration().map_or("", |_| "    send");
        writeln!(
            f,
            "{:<7} {:<width$} {:>7}{send} {:>7} {:>7} {:>7} {:>7} {:>6} {:>4}",
            "engine", "method", "keygen", "first", "next", "memory", "key", "fail", "bits"
        )?;
        rows.iter().try_for_each(|row| write_row(f, row, width))?;
        match self.candidates().len() - rows.len() {
            0 => Ok(()),
            1 => writeln!(f, "(1 slower parameter set is not shown)"),
            more => writeln!(f, "({more} slower parameter sets are not shown)"),
        }
    }
}

/// Returns the name of a method without sizes of digits, depths and variants: `CMT` for `CMT 16^2`.
fn family(method: &str) -> String {
    let bridged = method.strip_prefix("packed, ");
    let name = bridged.unwrap_or(method);
    name.split([' ', ',', '*']).next().unwrap_or_default().to_owned()
}

/// Writes the best parameters, their failure probability, and the sums that they allow, each on its own line.
fn write_best(f: &mut fmt::Formatter<'_>, best: &Parameters) -> fmt::Result {
    let text = best.to_string();
    let (parameters, failures) = text.split_once(", a value fails").unwrap_or((&text, ""));
    writeln!(f, "best: {parameters}")?;
    if !failures.is_empty() {
        writeln!(f, "      a value fails{failures}")?;
    }
    if let Some(limits) = best.sum_limits() {
        // Each limit gets a line, since together they are wider than a terminal.
        for limit in limits.to_string().split([',', ';']) {
            writeln!(f, "      {}", limit.trim_start())?;
        }
    }
    Ok(())
}

fn write_row(f: &mut fmt::Formatter<'_>, candidate: &Candidate, width: usize) -> fmt::Result {
    let (parameters, prediction) = (candidate.parameters(), candidate.prediction());
    let send = candidate.transfer_duration().map(|time| format!(" {:>7}", seconds(time)));
    writeln!(
        f,
        "{:<7} {:<width$} {:>7}{} {:>7} {:>7} {:>7} {:>7} {:>6} {:>4.0}",
        parameters.engine(),
        parameters.method_name(),
        seconds(candidate.key_duration()),
        send.unwrap_or_default(),
        seconds(candidate.first_duration()),
        seconds(candidate.duration()),
        bytes(prediction.peak_bytes()),
        bytes(prediction.key_file_bytes),
        format!("2^{:.0}", parameters.failure_probability().log2()),
        parameters.security_bits(),
    )
}

/// Formats a time with three digits: `1.23 s`, `45.6 ms`; long ones in hours and days.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s >= 359_999.0 => three_digits(s / 86_400.0, "d"),
        s if s >= 9_999.5 => three_digits(s / 3_600.0, "h"),
        s if s >= 0.9995 => three_digits(s, "s"),
        s if s >= 0.9995e-3 => three_digits(s * 1e3, "ms"),
        s => three_digits(s * 1e6, "µs"),
    }
}

/// Formats a size in decimal units with three digits: `1.23 GB`.
fn bytes(bytes: usize) -> String {
    match bytes as f64 {
        b if b >= 0.9995e9 => three_digits(b / 1e9, "GB"),
        b if b >= 0.9995e6 => three_digits(b / 1e6, "MB"),
        b if b >= 0.9995e3 => three_digits(b / 1e3, "kB"),
        b => format!("{b} B"),
    }
}

fn three_digits(number: f64, unit: &str) -> String {
    let decimals = match number {
        n if n >= 99.95 => 0,
        n if n >= 9.995 => 1,
        _ => 2,
    };
    format!("{number:.decimals$} {unit}")
}
