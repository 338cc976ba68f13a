//! An allocator with a reserve, for programs that may reach a memory limit.
//!
//! The standard library ends a process when the system refuses an allocation. A program that uses this allocator and
//! keeps a reserve instead returns the reserve to the system at that point, and the allocation succeeds. Work checks
//! for this at each of its steps ([`refused_allocation`]) and ends with an error. Allocations between two steps have to
//! fit into the reserve.
//!
//! Buffers that may be larger than the reserve, those of keys, are allocated by [`reserved`]: if the system refuses
//! one, the call unwinds to [`catch_refused`], with or without this allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The system's allocator, with the reserve of [`keep_reserve`].
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: cryptable_ring::WithReserve = cryptable_ring::WithReserve;
///
/// fn main() {
///     cryptable_ring::keep_reserve(1 << 20);
///     assert_eq!(cryptable_ring::refused_allocation(), None);
/// }
/// ```
#[derive(Debug)]
pub struct WithReserve;

/// The reserve of the process.
static RESERVE: Reserve = Reserve::new();

/// A block of unused memory, until it is returned to the system.
#[derive(Debug)]
struct Reserve {
    block: AtomicPtr<u8>,
    bytes: AtomicUsize,
    state: AtomicUsize,
    /// The size of the allocation that was refused, in bytes.
    refused: AtomicUsize,
}

/// The most bytes that a layout may have, rounded up to its alignment.
const MAX_BYTES: usize = isize::MAX as usize & !15;

/// State: there is no reserve, and there was none.
const NONE: usize = 0;
/// State: the reserve is there.
const KEPT: usize = 1;
/// State: a thread is making the reserve, or returning it.
const CHANGING: usize = 2;
/// State: the reserve was returned to the system.
const SPENT: usize = 3;

impl Reserve {
    const fn new() -> Self {
        Self {
            block: AtomicPtr::new(ptr::null_mut()),
            bytes: AtomicUsize::new(0),
            state: AtomicUsize::new(NONE),
            refused: AtomicUsize::new(0),
        }
    }

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, 16).unwrap_or(Layout::new::<u128>())
    }

    /// Moves from the state `from` to that of a change, and returns whether this thread makes the change.
    fn begins(&self, from: usize) -> bool {
        let moved =
            self.state.compare_exchange(from, CHANGING, Ordering::Acquire, Ordering::Relaxed);
        moved.is_ok()
    }

    /// Sets bytes aside, unless there is a reserve already.
    fn keep(&self, bytes: usize) {
        let bytes = bytes.min(MAX_BYTES);
        if bytes == 0 || !(self.begins(NONE) || self.begins(SPENT)) {
            return;
        }
        // SAFETY: the layout has a size.
        let block = unsafe { System.alloc(Self::layout(bytes)) };
        self.block.store(block, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        self.state.store(if block.is_null() { SPENT } else { KEPT }, Ordering::Release);
    }

    /// Returns the reserve to the system after an allocation was refused. The result says whether another attempt may
    /// succeed.
    fn spend(&self, refused: usize) -> bool {
        // Callers expect allocations larger than the reserve to fail.
        if refused > self.bytes.load(Ordering::Relaxed) {
            return false;
        }
        if self.begins(KEPT) {
            let block = self.block.swap(ptr::null_mut(), Ordering::Relaxed);
            // SAFETY: the block is the system's, of this layout, and whoever makes the change has it alone.
            unsafe { System.dealloc(block, Self::layout(self.bytes.load(Ordering::Relaxed))) };
            self.refused.store(refused.max(1), Ordering::Relaxed);
            self.state.store(SPENT, Ordering::Release);
        }
        while self.state.load(Ordering::Acquire) == CHANGING {
            hint::spin_loop();
        }
        self.state.load(Ordering::Acquire) == SPENT
    }

    fn refused(&self) -> Option<usize> {
        let is_spent = self.state.load(Ordering::Relaxed) == SPENT;
        is_spent.then(|| self.refused.load(Ordering::Relaxed))
    }
}

/// Sets `bytes` aside for the next allocation that the system refuses, unless there is a reserve already. In programs
/// with another allocator, this only uses memory.
pub fn keep_reserve(bytes: usize) {
    RESERVE.keep(bytes);
}

/// Returns the size in bytes of the allocation for which the reserve was used, or for which there was no memory for a
/// reserve. If there is one, work has to end.
pub fn refused_allocation() -> Option<usize> {
    RESERVE.refused()
}

/// Bytes of a buffer that the system refused.
struct Refused(usize);

/// The number of running calls of [`catch_refused`].
static CATCHING: AtomicUsize = AtomicUsize::new(0);

/// Unwinds to the enclosing call of [`catch_refused`], without printing anything. Panics if there is none.
pub(crate) fn refuse(bytes: usize) -> ! {
    if CATCHING.load(Ordering::Relaxed) > 0 {
        resume_unwind(Box::new(Refused(bytes)));
    }
    panic!("the system refused memory for a buffer of {bytes} bytes")
}

/// Returns an empty vector with room for `count` elements.
///
/// # Panics
/// If the system refuses the memory. Within [`catch_refused`], this is an error instead.
#[must_use]
pub fn reserved<T>(count: usize) -> Vec<T> {
    let mut room = Vec::new();
    match room.try_reserve_exact(count) {
        Ok(()) => room,
        Err(_) => refuse(count.saturating_mul(size_of::<T>())),
    }
}

/// Runs a call that allocates large buffers.
///
/// ```
/// use cryptable_ring::{catch_refused, reserved};
/// assert_eq!(catch_refused(|| reserved::<u64>(3).capacity()), Ok(3));
/// let bytes = isize::MAX as usize;
/// assert_eq!(catch_refused(|| reserved::<u8>(bytes).capacity()), Err(bytes));
/// ```
///
/// # Errors
/// The bytes of the first buffer that the system refused, on any thread of the call.
pub fn catch_refused<R>(call: impl FnOnce() -> R) -> Result<R, usize> {
    CATCHING.fetch_add(1, Ordering::Relaxed);
    // Anything that the call has changed is dropped, as it is when the call returns an error.
    let outcome = catch_unwind(AssertUnwindSafe(call));
    CATCHING.fetch_sub(1, Ordering::Relaxed);
    outcome.map_err(|panic| match panic.downcast::<Refused>() {
        Ok(refused) => refused.0,
        Err(panic) => resume_unwind(panic),
    })
}

// SAFETY: all calls go to the system's allocator, which is called a second time after it refused.
unsafe impl GlobalAlloc for WithReserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() && RESERVE.spend(layout.size()) {
            // SAFETY: as above.
            return unsafe { System.alloc(layout) };
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract.
        let block = unsafe { System.alloc_zeroed(layout) };
        if block.is_null() && RESERVE.spend(layout.size()) {
            // SAFETY: as above.
            return unsafe { System.alloc_zeroed(layout) };
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract.
        unsafe { System.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract.
        let moved = unsafe { System.realloc(block, layout, size) };
        if moved.is_null() && RESERVE.spend(size) {
            // SAFETY: as above; a block that was not moved is unchanged.
            return unsafe { System.realloc(block, layout, size) };
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Buffer, ByteBuffer};

    #[test]
    fn a_reserve_is_given_back_once_and_can_be_kept_again() {
        let reserve = Reserve::new();
        assert!(!reserve.spend(1) && reserve.refused().is_none(), "there is none");
        reserve.keep(4096);
        reserve.keep(8192);
        assert_eq!((reserve.refused(), reserve.bytes.load(Ordering::Relaxed)), (None, 4096));
        assert!(!reserve.spend(4097) && reserve.refused().is_none(), "it would not suffice");
        std::thread::scope(|scope| {
            (0..4).for_each(|_| drop(scope.spawn(|| assert!(reserve.spend(100)))));
        });
        assert_eq!(reserve.refused(), Some(100));
        reserve.keep(4096);
        assert_eq!(reserve.refused(), None);
        assert!(reserve.spend(0) && reserve.refused() == Some(1));
    }

    #[test]
    fn refused_buffers_end_work_on_all_threads_and_panics_stay_panics() {
        let bytes = isize::MAX as usize;
        let on_threads =
            || rayon::join(|| Buffer::zeroed(10), || drop(reserved::<u8>(bytes))).0.len();
        assert_eq!(catch_refused(on_threads), Err(bytes));
        assert!(catch_refused(|| Buffer::zeroed(1 << 59)).is_err());
        assert!(catch_refused(|| ByteBuffer::zeroed(1 << 62)).is_err());
        assert!(catch_unwind(|| catch_refused::<()>(|| panic!("a test"))).is_err());
    }

    #[test]
    fn a_reserve_for_which_there_is_no_memory_counts_as_spent() {
        let reserve = Reserve::new();
        reserve.keep(usize::MAX >> 1);
        assert!(reserve.refused().is_some());
    }
}
