//! Output of commands: text for people, JSON for programs.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use cryptable_wire::{printable, printable_json};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use crate::args::Global;
use crate::atomic_file::{self, stdout_is_taken};

/// Prints the result of a command, even with `--quiet`; on standard error if an output goes to standard output.
pub fn result<R: Serialize + Display>(global: Global, report: &R) -> anyhow::Result<()> {
    let line = if global.json {
        let json = serde_json::to_string(report).context("cannot write the report as JSON")?;
        printable_json(&json).into_owned()
    } else {
        printable_lines(&report.to_string())
    };
    let line = line.trim_end();
    let written = if stdout_is_taken() {
        writeln!(io::stderr().lock(), "{line}")
    } else {
        writeln!(io::stdout().lock(), "{line}")
    };
    match written {
        // The reader of the output has closed the pipe.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Prints a note for people on standard error. With `--json`, the report contains it instead.
pub fn note(global: Global, note: Option<&impl Display>) {
    if let (Some(note), false) = (note, global.quiet || global.json) {
        eprintln!("{}", printable_lines(&note.to_string()));
    }
}

/// Prints the reason of a failure on standard error, with `json` as an object that has a kind: `usage`, `io` or
/// `invalid`.
pub fn error(json: bool, kind: &str, message: &str) {
    if json {
        let error = json!({ "error": { "kind": kind, "message": message } });
        eprintln!("{}", printable_json(&error.to_string()));
    } else {
        eprintln!("error: {}", printable(message));
    }
}

/// Returns the text that reports an interruption, like [`error`] with the kind `interrupted`. With `--quiet`, only JSON
/// is returned.
pub fn interruption(global: Global, message: &str) -> Option<String> {
    if global.json {
        let error = json!({ "error": { "kind": "interrupted", "message": message } });
        return Some(printable_json(&error.to_string()).into_owned());
    }
    (!global.quiet).then(|| format!("interrupted: {}", printable(message)))
}

/// Reports what is wrong with the arguments, or prints the help that they request. Returns the exit status.
pub fn usage(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    let shown = printable_lines(&text);
    if shown == text {
        // `clap` prints the text itself, in colour if the terminal has colours.
        error.exit();
    }
    eprint!("{shown}");
    ExitCode::from(2)
}

/// Escapes a text of several lines, such that line ends are the only characters in it that control the terminal.
fn printable_lines(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

/// Prints a summary of what a command did; nothing with `--quiet`.
pub fn summary<R: Serialize + Display>(global: Global, report: &R) -> anyhow::Result<()> {
    if global.quiet && !global.json { Ok(()) } else { result(global, report) }
}

/// A report of fields for programs, and of a text for people.
pub struct Report<F = Value> {
    /// For programs.
    pub fields: F,
    /// For people.
    pub text: String,
}

impl Report {
    /// Adds the fields of another report for programs, except those that are null.
    pub fn with(mut self, more: impl Serialize) -> Self {
        add(&mut self.fields, more);
        self
    }
}

/// Adds the fields of a report for programs to those of another.
pub fn extend(fields: &mut Value, more: impl Serialize) {
    if let (Value::Object(fields), Ok(Value::Object(more))) = (fields, serde_json::to_value(more)) {
        fields.extend(more);
    }
}

/// Adds fields like [`extend`], except those that are null.
pub fn add(fields: &mut Value, more: impl Serialize) {
    extend(fields, present(json!(more)));
}

/// Returns the fields that are not null.
pub fn present(mut fields: Value) -> Value {
    if let Value::Object(fields) = &mut fields {
        fields.retain(|_, value| !value.is_null());
    }
    fields
}

impl<F: Serialize> Serialize for Report<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

impl<F> Display for Report<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Prints a result: `fields` for programs, and `text` for people.
#[cfg(any(feature = "remote", feature = "serve"))]
pub fn answer(global: Global, fields: Value, text: String) -> anyhow::Result<()> {
    result(global, &Report { fields, text })
}

/// Prints a summary: `fields` for programs, and `text` for people; nothing with `--quiet`.
pub fn told(global: Global, fields: Value, text: String) -> anyhow::Result<()> {
    summary(global, &Report { fields, text })
}

/// Prints a summary of a command that wrote a file: `fields`, with the file's path and bytes, for programs, and `text`,
/// after the file's name, for people.
pub fn written(
    global: Global,
    output: &Path,
    output_bytes: u64,
    mut fields: Value,
    text: &str,
) -> anyhow::Result<()> {
    fields["output"] = output.to_string_lossy().into();
    fields["output_bytes"] = output_bytes.into();
    told(global, fields, format!("{}: {text}", atomic_file::name(output)))
}

/// Prints a summary like [`written`], with threads and peak memory, of a command that computed for `eval_s` seconds.
pub fn computed(
    global: Global,
    output: &Path,
    output_bytes: u64,
    eval_s: f64,
    mut fields: Value,
    text: &str,
) -> anyhow::Result<()> {
    fields["threads"] = rayon::current_num_threads().into();
    fields["eval_s"] = eval_s.into();
    fields["peak_rss_bytes"] = peak_memory_bytes().into();
    written(global, output, output_bytes, fields, text)
}

/// Formats a computing time, the threads, and the peak memory: `3.2 s on 2 threads; peak memory 1.5 GB`.
pub fn on_threads(time: f64) -> String {
    let threads = counted(rayon::current_num_threads() as u64, "thread");
    format!("{} on {threads}{}", seconds(time), peak_memory(peak_memory_bytes()))
}

/// Formats a size by powers of 1000: `1.5 GB`.
pub fn bytes(count: u64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    // A size that rounds to the next unit is shown in that unit.
    match units.into_iter().find(|&(_, size)| count as f64 >= 0.99995 * size) {
        Some((unit, size)) => format!("{:.1} {unit}", count as f64 / size),
        None => format!("{count} bytes"),
    }
}

/// Formats a size like [`bytes`], but rounded up, such that a limit of the printed size is sufficient.
pub fn bytes_at_least(count: u64) -> String {
    let units = [1e12, 1e9, 1e6, 1e3];
    let unit = units.into_iter().find(|&unit| count as f64 >= unit).unwrap_or(1.0);
    bytes(((10.0 * count as f64 / unit).ceil() * unit / 10.0).round() as u64)
}

/// Formats a number of values: `1 value`, `2 values`.
pub fn values(count: u64) -> String {
    counted(count, "value")
}

/// Formats a time for people: `3.2 s`, `15 ms`, `18 µs`, `4 min 2 s`, `70 h 48 min`.
pub fn seconds(time: f64) -> String {
    if time < 0.9995e-3 {
        format!("{:.0} µs", time * 1e6)
    } else if time < 0.9995 {
        format!("{:.0} ms", time * 1e3)
    } else if time < 119.5 {
        format!("{time:.1} s")
    } else if time < 7199.5 {
        let whole = time.round();
        format!("{} min {} s", (whole / 60.0).floor(), whole % 60.0)
    } else {
        let minutes = (time / 60.0).round();
        format!("{} h {} min", (minutes / 60.0).floor(), minutes % 60.0)
    }
}

/// Formats a number of things for people: `1 thread`, `2 threads`.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// Formats the end of a summary: `; peak memory 1.5 GB`, or nothing if the system does not report it.
pub fn peak_memory(found: Option<u64>) -> String {
    found.map_or_else(String::new, |peak| format!("; peak memory {}", bytes(peak)))
}

/// Returns the peak memory of this process in bytes, if the system reports it (Linux: `VmHWM`).
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_rounded() {
        assert_eq!(
            [0, 1, 2].map(|count| counted(count, "thread")),
            ["0 threads", "1 thread", "2 threads"]
        );
        assert_eq!([None, Some(1_500_000_000)].map(peak_memory), ["", "; peak memory 1.5 GB"]);
        assert_eq!(bytes(999), "999 bytes");
        assert_eq!(bytes(1536), "1.5 kB");
        assert_eq!(bytes(999_999), "1.0 MB");
        assert_eq!(bytes(3 << 30), "3.2 GB");
        assert_eq!(bytes(2_000_000_000_000), "2.0 TB");
        assert_eq!((seconds(0.0151), seconds(18.4e-6)), ("15 ms".into(), "18 µs".into()));
        assert_eq!(seconds(0.9999), "1.0 s");
        assert_eq!(seconds(119.7), "2 min 0 s");
        assert_eq!(seconds(242.4), "4 min 2 s");
        assert_eq!(
            (seconds(7199.4).as_str(), seconds(7199.6).as_str()),
            ("119 min 59 s", "2 h 0 min")
        );
        assert_eq!(seconds(254_892.0), "70 h 48 min");
        assert_eq!(bytes_at_least(107_827_200), "107.9 MB");
        assert_eq!(
            (bytes_at_least(7), bytes_at_least(1_000_000)),
            ("7 bytes".into(), "1.0 MB".into())
        );
        assert_eq!((values(1), values(2)), ("1 value".into(), "2 values".into()));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_memory_is_known_on_linux() {
        assert!(peak_memory_bytes().unwrap() > 100_000);
    }
}
