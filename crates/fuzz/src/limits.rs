//! Limits on what reading an input may use: memory, as a small multiple of its length, and time.

use std::alloc::System;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cap::Cap;
use rustix::time::{ClockId, clock_gettime};

/// Bytes that reading any input may use: twice the largest picture, since pictures may be compressed a thousandfold.
pub const FREE_BYTES: usize = 128 << 20;

/// Additional bytes that may be used per byte of input: LWE ciphertexts have words of at least six bits, which become
/// words of 64 bits and are copied once.
pub const BYTES_PER_BYTE: usize = 24;

/// Memory limit that readers of keys are given, below [`FREE_BYTES`].
pub const MAX_KEY_MEMORY: u64 = 32 << 20;

/// Longest processor time per input, over all threads.
pub const MAX_TIME: Duration = Duration::from_secs(2);

/// Counts allocations, and refuses those above its limit. The process then ends, and the target fails.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Serializes tests, since all tests of a process share the allocator.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Removes the limit on drop, even after a panic.
struct Limited;

impl Drop for Limited {
    fn drop(&mut self) {
        ALLOCATOR.set_limit(usize::MAX).expect("any amount is below");
    }
}

/// Runs a reader on an input of `input_bytes` bytes within the limits.
///
/// # Panics
/// If reading takes longer than [`MAX_TIME`]. If it uses more memory than [`FREE_BYTES`] and [`BYTES_PER_BYTE`] allow,
/// the process ends.
pub fn within_limits<T>(input_bytes: usize, read: impl FnOnce() -> T) -> T {
    let (found, time) = within_bytes(FREE_BYTES + BYTES_PER_BYTE * input_bytes, || {
        let start = cpu_time();
        let found = read();
        (found, cpu_time().saturating_sub(start))
    });
    assert!(time <= MAX_TIME, "{input_bytes} bytes took {time:?}");
    found
}

/// Runs a call that may allocate `bytes` bytes. If it allocates more, the process ends.
pub fn within_bytes<T>(bytes: usize, call: impl FnOnce() -> T) -> T {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = ALLOCATOR.allocated() + bytes;
    ALLOCATOR.set_limit(limit).expect("more than what is allocated");
    let _limited = Limited;
    call()
}

/// Returns the processor time of this process, which does not depend on other processes.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).expect("processes take no negative time")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_read_and_time_is_limited() {
        assert_eq!(within_limits(0, || vec![1_u8; FREE_BYTES / 2].len()), FREE_BYTES / 2);
        let slow = || {
            let start = cpu_time();
            while cpu_time() - start < MAX_TIME + Duration::from_millis(10) {}
        };
        assert!(std::panic::catch_unwind(|| within_limits(0, slow)).is_err());
        within_limits(0, || ());
        assert_eq!(ALLOCATOR.limit(), usize::MAX);
    }
}
