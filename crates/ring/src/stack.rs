//! Clearing what functions that returned left on the stack.

use zeroize::Zeroize;

/// Words that are cleared, 8 KiB: more than a generator or a block cipher takes with all it calls.
const WORDS: usize = 1 << 10;

/// Overwrites the stack below the caller's frame, where functions that it called had their variables.
///
/// Values that are moved, and registers that are spilled, leave copies there that no destructor knows
/// of. Call it last, after what handled the secret has returned, from a function of which the secret
/// itself is no local variable.
///
/// ```
/// cryptable_ring::clear_stack();
/// ```
#[inline(never)]
pub fn clear_stack() {
    let mut frame = [0u64; WORDS];
    // Volatile writes are kept by the compiler although nobody reads them.
    frame.zeroize();
    std::hint::black_box(&mut frame);
}
