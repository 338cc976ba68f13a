//! Clearing the stack of data that functions left behind.

use zeroize::Zeroize;

/// Words that are cleared, 8 KiB: more than a generator or a block cipher uses, with all functions that it calls.
const WORDS: usize = 1 << 10;

/// Overwrites the stack below the caller's frame, where functions that it called had their variables.
///
/// Moved values and spilled registers leave copies there that no destructor knows about. Call this function last, after
/// the code that handled the secret has returned, from a function that does not have the secret itself as a local
/// variable.
///
/// ```
/// cryptable_ring::clear_stack();
/// ```
#[inline(never)]
pub fn clear_stack() {
    let mut frame = [0u64; WORDS];
    // The compiler keeps volatile writes although nothing reads them.
    frame.zeroize();
    std::hint::black_box(&mut frame);
}
