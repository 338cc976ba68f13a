//! Ciphertexts and plaintexts of CKKS on a card, with exact scales.

use cryptable_ckks::{Ciphertext, Plaintext};
use cryptable_lattice::{Result, RlweCiphertext};
use cryptable_ring::Evaluations;

use crate::poly::DevicePoly;
use crate::ring::DeviceRing;
use crate::tensor::{DeviceParts, DeviceTensor};

/// [`Ciphertext`] on a card.
#[derive(Clone, Debug)]
pub struct DeviceCiphertext {
    /// The part that is not multiplied by the secret.
    pub(crate) c0: DevicePoly<Evaluations>,
    /// The part that is.
    pub(crate) c1: DevicePoly<Evaluations>,
    /// The factor between slots and the encrypted values.
    pub(crate) scale: f64,
}

impl DeviceCiphertext {
    /// A copy of a ciphertext of the processor.
    #[must_use]
    pub fn upload(ring: &DeviceRing<'_>, ct: &Ciphertext) -> Self {
        let upload = |poly| DevicePoly::upload(ring, poly);
        Self { c0: upload(&ct.parts.c0), c1: upload(&ct.parts.c1), scale: ct.scale }
    }

    /// A copy for the processor.
    ///
    /// # Errors
    /// The first error of the card.
    pub fn download(&self, ring: &DeviceRing<'_>) -> Result<Ciphertext> {
        let parts = RlweCiphertext { c0: self.c0.download(ring)?, c1: self.c1.download(ring)? };
        Ok(Ciphertext { parts, scale: self.scale })
    }

    /// The number of primes of its modulus.
    #[must_use]
    pub fn limbs(&self) -> usize {
        self.c0.basis().main
    }

    /// Both parts.
    pub(crate) fn parts(&self) -> DeviceParts<'_> {
        [&self.c0, &self.c1]
    }
}

/// [`cryptable_ckks::Product`] on a card.
#[derive(Debug)]
pub struct DeviceProduct {
    pub(crate) tensor: DeviceTensor,
    pub(crate) scale: f64,
}

/// [`Plaintext`] on a card.
#[derive(Debug)]
pub struct DevicePlaintext {
    pub(crate) poly: DevicePoly<Evaluations>,
    pub(crate) scale: f64,
}

impl DevicePlaintext {
    /// A copy of a plaintext of the processor.
    #[must_use]
    pub fn upload(ring: &DeviceRing<'_>, plain: &Plaintext) -> Self {
        Self { poly: DevicePoly::upload(ring, &plain.poly), scale: plain.scale }
    }
}
