//! Work that would not fit into memory is refused before it starts.

use anyhow::{Result, bail, ensure};
use cryptable::Prediction;

use crate::report::bytes;

/// Where Linux says how much memory is left.
const MEMORY_INFO: &str = "/proc/meminfo";

/// Demands that a lookup is within a limit with its key, or without one, that the machine has room for what it takes beside
/// the key, which was read.
///
/// # Errors
/// If it is not.
pub fn check(limit: Option<usize>, prediction: &Prediction) -> Result<()> {
    check_job(limit, "the lookup", prediction)
}

/// As [`check`], of anything by its name.
///
/// # Errors
/// If it does not fit.
pub fn check_job(limit: Option<usize>, job: &str, prediction: &Prediction) -> Result<()> {
    let beside = prediction.peak_bytes() - prediction.key_memory_bytes;
    check_bytes(limit, job, (prediction.key_memory_bytes, beside))
}

/// As [`check_job`], of bytes of keys and beside them.
///
/// # Errors
/// If it does not fit.
pub fn check_bytes(
    limit: Option<usize>,
    job: &str,
    (key_bytes, working_bytes): (usize, usize),
) -> Result<()> {
    match limit {
        Some(limit) => check_limit(limit, job, key_bytes + working_bytes),
        None => check_available(available_bytes(), job, working_bytes),
    }
}

fn check_limit(limit: usize, job: &str, needed: usize) -> Result<()> {
    let (shown, most) = (bytes(needed as u64), bytes(limit as u64));
    ensure!(needed <= limit, "{job} may take {shown} of memory, above --memory {most}");
    Ok(())
}

fn check_available(available: Option<usize>, job: &str, needed: usize) -> Result<()> {
    match available {
        Some(left) if needed > left => {
            let (needed, left) = (bytes(needed as u64), bytes(left as u64));
            bail!(
                "{job} may take {needed} of memory beside its key, but {left} are left on this machine; \
                 --memory SIZE runs it all the same"
            )
        }
        _ => Ok(()),
    }
}

/// Memory that programs can have without others being swapped out, where the system says.
fn available_bytes() -> Option<usize> {
    let info = std::fs::read_to_string(MEMORY_INFO).ok()?;
    parse(&info)
}

/// The line `MemAvailable: N kB`.
fn parse(info: &str) -> Option<usize> {
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let job = "the lookup";
        assert!(check_limit(10, job, 10).is_ok() && check_available(Some(10), job, 10).is_ok());
        assert!(check_available(None, job, usize::MAX).is_ok());
        assert!(
            check_bytes(Some(10), job, (4, 6)).is_ok() && check_bytes(None, job, (9, 0)).is_ok()
        );
        let error = check_bytes(Some(9), "the circuit", (4, 6)).unwrap_err().to_string();
        assert!(error.starts_with("the circuit may take 10 "), "{error}");
        let error = check_limit(1000, job, 2000).unwrap_err().to_string();
        assert!(error.contains("above --memory"), "{error}");
        let error = check_available(Some(10), job, 11).unwrap_err().to_string();
        assert!(error.contains("left on this machine"), "{error}");
    }

    #[test]
    fn memory_is_read_as_linux_writes_it() {
        let info = "MemTotal:       24631968 kB\nMemAvailable:   17000000 kB\nBuffers: 0 kB\n";
        assert_eq!(parse(info), Some(17_000_000 * 1024));
        assert_eq!(parse("MemTotal: 3 kB\n"), None);
        assert_eq!(parse("MemAvailable: many\n"), None);
    }
}
