//! What commands print: prose for people, JSON for programs.

use std::fmt::Display;
use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::args::Global;

/// Prints what a command found out, whatever `--quiet` says.
pub fn result<R: Serialize + Display>(global: Global, report: &R) -> Result<()> {
    let line = if global.json {
        serde_json::to_string(report).context("cannot write the report as JSON")?
    } else {
        report.to_string()
    };
    match writeln!(io::stdout().lock(), "{}", line.trim_end()) {
        // Whoever read our output has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Prints what a command did: nothing with `--quiet`.
pub fn summary<R: Serialize + Display>(global: Global, report: &R) -> Result<()> {
    if global.quiet && !global.json { Ok(()) } else { result(global, report) }
}

/// A size for people: `1.5 GiB`.
pub fn bytes(count: u64) -> String {
    let units = [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|&(_, size)| count >= size) {
        Some((unit, size)) => format!("{:.1} {unit}", count as f64 / size as f64),
        None => format!("{count} bytes"),
    }
}

/// A time for people: `3.2 s`, `15 ms`, `4 min 2 s`.
pub fn seconds(time: f64) -> String {
    if time < 0.9995 {
        format!("{:.0} ms", time * 1e3)
    } else if time < 119.5 {
        format!("{time:.1} s")
    } else {
        let whole = time.round();
        format!("{} min {} s", (whole / 60.0).floor(), whole % 60.0)
    }
}

/// Bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The most memory that this process held at any time, where the system tells (Linux: `VmHWM`).
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
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 30), "3.0 GiB");
        assert_eq!(seconds(0.0151), "15 ms");
        assert_eq!(seconds(0.9999), "1.0 s");
        assert_eq!(seconds(119.7), "2 min 0 s");
        assert_eq!(seconds(242.4), "4 min 2 s");
        assert_eq!(hex(&[0, 255]), "00ff");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_memory_is_known_on_linux() {
        assert!(peak_memory_bytes().unwrap() > 100_000);
    }
}
