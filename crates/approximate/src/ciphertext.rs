//! Encrypted real and complex vectors.

use cryptable_ckks::dry_run::{Shape, SlotVariance};
use cryptable_lattice::Binding;
use cryptable_lattice::error::Result;
use cryptable_wire::KeyId;

use crate::bounds::{SlotBounds, SlotError};

/// An encrypted vector of complex numbers, one per slot.
#[derive(Clone, Debug)]
pub struct Ciphertext {
    pub(crate) inner: cryptable_ckks::Ciphertext,
    /// Shape in a dry run of the same operations.
    pub(crate) shape: Shape,
    pub(crate) tags: Tags,
}

/// Properties of a ciphertext besides the encrypted content.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags {
    /// Bounds on the slots.
    pub bounds: SlotBounds,
    /// Largest error that is not noise.
    pub bias: f64,
    /// The limit on noise of slots that key generation enforces.
    pub slot_limit: f64,
    /// Limbs at which no level is left.
    pub bottom_limbs: usize,
    pub slots: usize,
    pub binding: Binding,
}

impl Ciphertext {
    /// Joins the result of an operation with the shape of its dry run.
    pub(crate) fn join(inner: cryptable_ckks::Ciphertext, mut shape: Shape, tags: Tags) -> Self {
        // In products, errors are multiplied by slots as large as their bounds allow.
        shape.power = SlotVariance(tags.bounds.modulus().powi(2));
        Self { inner, shape, tags }
    }

    /// Number of multiplications left.
    #[must_use]
    pub fn level(&self) -> usize {
        self.inner.limbs() - self.tags.bottom_limbs
    }

    /// Returns the exact factor between slots and encrypted values.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.inner.scale
    }

    /// Returns the number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.tags.slots
    }

    /// Bounds on the slots.
    #[must_use]
    pub fn bounds(&self) -> SlotBounds {
        self.tags.bounds
    }

    /// Returns the errors of the slots.
    #[must_use]
    pub fn error(&self) -> SlotError {
        let Tags { bias, slot_limit, .. } = self.tags;
        SlotError { deviation: self.shape.noise.total().sqrt(), bias, slot_limit }
    }

    /// Returns the identifier of the secret key of the ciphertext.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.tags.binding.key_id
    }

    /// Returns the same ciphertext with other bounds, which its owner knows to hold: for example of a polynomial's
    /// values, for which operations only know the sum of bounds of its terms.
    ///
    /// # Errors
    /// If a bound is negative or not finite.
    pub fn with_bounds(mut self, bounds: SlotBounds) -> Result<Self> {
        bounds.check()?;
        self.tags.bounds = bounds;
        Ok(Self::join(self.inner, self.shape, self.tags))
    }

    /// Checks that the ciphertext belongs to a key.
    ///
    /// # Errors
    /// If it does not, with both digests or identifiers.
    pub(crate) fn check(&self, expected: &Binding) -> Result<()> {
        self.tags.binding.check("encrypted vector", expected)
    }
}
