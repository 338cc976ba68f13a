//! Memory checks: work that would not fit in memory is refused before it starts.

use anyhow::{Result, bail, ensure};
use cryptable::memory;

use crate::report::bytes;

/// Checks, before a key is read, that a job and its key fit within `limit`; together they need `needed` bytes. Without a
/// limit, checks that the machine has enough free memory for both.
pub fn check_unread(limit: Option<usize>, job: &str, needed: usize) -> Result<()> {
    match limit {
        Some(limit) => check_limit(limit, job, needed),
        None => check_available(memory::left(), job, needed, "with its key"),
    }
}

/// Checks, after a key was read, that `key` and the `beside` bytes that the job needs in addition fit within `limit`. Without
/// a limit, checks that the machine has enough free memory for the additional bytes.
pub fn check(limit: Option<usize>, job: &str, key: usize, beside: usize) -> Result<()> {
    match limit {
        Some(limit) => check_limit(limit, job, key + beside),
        None => check_available(memory::left(), job, beside, "beside its key"),
    }
}

fn check_limit(limit: usize, job: &str, needed: usize) -> Result<()> {
    let (shown, most) = (bytes(needed as u64), bytes(limit as u64));
    ensure!(needed <= limit, "{job} may take {shown} of memory, above --memory {most}");
    Ok(())
}

fn check_available(available: Option<usize>, job: &str, needed: usize, of: &str) -> Result<()> {
    match available {
        Some(left) if needed > left => {
            let (needed, left) = (bytes(needed as u64), bytes(left as u64));
            bail!(
                "{job} may take {needed} of memory {of}, but {left} are left on this machine, or within the limits of its \
                 container or ulimit; \
                 --memory SIZE runs it anyway"
            )
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused() {
        let job = "the lookup";
        assert!(check_limit(10, job, 10).is_ok() && check_available(Some(10), job, 10, "").is_ok());
        assert!(check_available(None, job, usize::MAX, "").is_ok());
        assert!(check(Some(10), job, 4, 6).is_ok() && check(None, job, 9, 0).is_ok());
        let error = check(Some(9), "the circuit", 4, 6).unwrap_err().to_string();
        assert!(error.starts_with("the circuit may take 10 "), "{error}");
        let error = check_limit(1000, job, 2000).unwrap_err().to_string();
        assert!(error.contains("above --memory"), "{error}");
        let error = check_available(Some(10), job, 11, "with its key").unwrap_err().to_string();
        assert!(error.contains("left on this machine"), "{error}");
    }
}
