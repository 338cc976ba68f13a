//! Numbers in the clear, before they are encrypted and after they are decrypted.

use cryptable::ckks::{Complex64, SlotBounds};

/// Returns the bounds of numbers whose parts are at most `bound`.
pub(super) fn bounds_of(bound: f64, is_real: bool) -> SlotBounds {
    SlotBounds { re: bound, im: if is_real { 0.0 } else { bound } }
}

/// Numbers that are erased when they are dropped.
pub(super) struct Cleared(pub(super) Vec<Complex64>);

impl Drop for Cleared {
    fn drop(&mut self) {
        use zeroize::Zeroize as _;
        for value in &mut self.0 {
            value.re.zeroize();
            value.im.zeroize();
        }
    }
}
