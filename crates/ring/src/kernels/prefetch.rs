//! Prefetches to the caches, for runs of words that are too short for the processor to predict that they continue.

/// The number of bytes of a cache line.
const LINE: usize = 64;

/// Bytes that sums of products prefetch rows ahead: several groups, since memory takes longer than one group.
#[cfg(target_arch = "x86_64")]
const AHEAD: usize = 1024;

/// Returns the number of cache lines of `words` words of 50 bits, the widest for sums of products in vectors.
#[cfg(target_arch = "x86_64")]
pub(super) const fn packed_lines(words: usize) -> usize {
    (words * 50).div_ceil(8 * LINE)
}

/// Prefetches `LINES` lines of `source`, [`AHEAD`] bytes ahead, to the first-level cache. They may lie beyond the end
/// of the allocation.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn fetch_ahead<const LINES: usize>(source: *const u8) {
    for line in 0..LINES {
        fetch::<true>(source.wrapping_add(AHEAD + line * LINE));
    }
}

/// Prefetches words to the second-level cache.
#[inline]
pub(super) fn prefetch(words: &[u64]) {
    for line in words.chunks(LINE / size_of::<u64>()) {
        fetch::<false>(line.as_ptr().cast());
    }
}

/// Prefetches a line, to the first-level cache if `NEAR`.
#[inline(always)]
fn fetch<const NEAR: bool>(line: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching reads nothing, and never faults.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        if NEAR {
            _mm_prefetch::<_MM_HINT_T0>(line.cast());
        } else {
            _mm_prefetch::<_MM_HINT_T1>(line.cast());
        }
    }
    // Other processors prefetch only by themselves.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = line;
}
