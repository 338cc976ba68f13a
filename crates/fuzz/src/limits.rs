//! What reading may take: memory, a small multiple of the input's length, and time.

use std::alloc::System;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cap::Cap;
use rustix::time::{ClockId, clock_gettime};

/// Bytes that any input may take: twice the largest picture, which compresses a thousandfold.
pub const FREE_BYTES: usize = 128 << 20;

/// Bytes that every byte of an input may take beside them: bodies of six bits, the least modulus of LWE ciphertexts, become
/// words of 64 bits, and are copied once.
pub const BYTES_PER_BYTE: usize = 24;

/// Most memory that readers of keys are told to take, below [`FREE_BYTES`].
pub const MAX_KEY_MEMORY: u64 = 32 << 20;

/// Most time that an input may take, of all threads together.
pub const MAX_TIME: Duration = Duration::from_secs(2);

/// Counts what is allocated, and refuses what is above its limit: the process then ends, which fails the target.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Tests of one process share the allocator.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Takes the limit away again, also after a panic.
struct Limited;

impl Drop for Limited {
    fn drop(&mut self) {
        ALLOCATOR.set_limit(usize::MAX).expect("any amount is below");
    }
}

/// Reads an input of so many bytes.
///
/// # Panics
/// If that takes longer than [`MAX_TIME`]. More memory than [`FREE_BYTES`] and [`BYTES_PER_BYTE`] allow ends the process.
pub fn within_limits<T>(input_bytes: usize, read: impl FnOnce() -> T) -> T {
    let (found, time) = within_bytes(FREE_BYTES + BYTES_PER_BYTE * input_bytes, || {
        let start = cpu_time();
        let found = read();
        (found, cpu_time().saturating_sub(start))
    });
    assert!(time <= MAX_TIME, "{input_bytes} bytes took {time:?}");
    found
}

/// Makes a call that may allocate so many bytes more than there are; with one more the process ends.
pub fn within_bytes<T>(bytes: usize, call: impl FnOnce() -> T) -> T {
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let limit = ALLOCATOR.allocated() + bytes;
    ALLOCATOR.set_limit(limit).expect("more than what is allocated");
    let _limited = Limited;
    call()
}

/// Time that the processor spent on this process: it does not count what other processes took.
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
