//! Memory of this process, from the kernel's accounting.

/// Returns a field of `/proc/self/status` in bytes; 0 if the system does not have it.
fn status_field(name: &str) -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let line = status.lines().find(|line| line.starts_with(name))?;
            let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
            Some(kibibytes * 1024)
        })
        .unwrap_or(0)
}

/// Returns the peak resident memory since the start, or since [`reset_peak`].
pub fn peak_rss() -> u64 {
    status_field("VmHWM:")
}

/// Resets the peak to the memory that is resident now. Has no effect if the system does not allow it.
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
