//! Slots that hold secrets: values to be encrypted, and decrypted values before their noise is rounded away.

use std::fmt;
use std::ops::{Deref, DerefMut};

use num_complex::Complex64;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Complex numbers that are overwritten when they are dropped. Redacted in `Debug`, not `Clone`, and of a fixed length,
/// since growth would leave copies behind.
///
/// ```
/// use cryptable_ring::SecretSlots;
/// use num_complex::Complex64;
/// let mut slots = SecretSlots::from_fn(4, |i| Complex64::from(i as f64));
/// slots[0].im = 0.5;
/// assert_eq!((slots.len(), slots[3].re), (4, 3.0));
/// assert_eq!(format!("{slots:?}"), "SecretSlots(4, redacted)");
/// ```
pub struct SecretSlots(Vec<Complex64>);

impl SecretSlots {
    /// Returns `count` slots, each computed from its index.
    #[must_use]
    pub fn from_fn(count: usize, slot: impl FnMut(usize) -> Complex64) -> Self {
        let mut slots = Vec::with_capacity(count);
        slots.extend((0..count).map(slot));
        Self(slots)
    }

    /// Returns the slots, for a caller who may see them and has to clear them.
    #[must_use]
    pub fn into_public(mut self) -> Vec<Complex64> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for SecretSlots {
    fn drop(&mut self) {
        for slot in &mut self.0 {
            slot.re.zeroize();
            slot.im.zeroize();
        }
    }
}

impl ZeroizeOnDrop for SecretSlots {}

impl fmt::Debug for SecretSlots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretSlots({}, redacted)", self.0.len())
    }
}

impl Deref for SecretSlots {
    type Target = [Complex64];

    fn deref(&self) -> &[Complex64] {
        &self.0
    }
}

impl DerefMut for SecretSlots {
    fn deref_mut(&mut self) -> &mut [Complex64] {
        &mut self.0
    }
}
