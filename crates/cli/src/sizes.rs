//! Formatting of sizes for people.

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
