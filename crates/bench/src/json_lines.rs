//! Files of JSON lines, as benchmarks print them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// Reads the lines of a file with `parse`, skipping those for which it returns nothing. Empty lines are skipped.
///
/// # Errors
/// If the file cannot be read, a line is not JSON, or `parse` refuses it. The error names the line, and says that it is not
/// `what`.
pub fn read<T>(
    file: &Path,
    what: &str,
    parse: impl Fn(Value) -> Result<Option<T>>,
) -> Result<Vec<T>> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let mut objects = Vec::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
        let parsed = serde_json::from_str(line).map_err(anyhow::Error::from).and_then(&parse);
        objects.extend(parsed.with_context(|| format!("{name}, line {number}: not {what}"))?);
    }
    Ok(objects)
}
