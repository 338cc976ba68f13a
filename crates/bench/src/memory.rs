//! Memory of this process, from the kernel's accounting.

/// A field of `/proc/self/status` in bytes; 0 where the system has none.
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

/// Peak resident memory since the start, or since [`reset_peak`].
pub fn peak_rss() -> u64 {
    status_field("VmHWM:")
}

/// Sets the peak back to what is resident now; without effect where the system does not allow it.
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}
