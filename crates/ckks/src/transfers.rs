//! Ciphertexts, plaintexts and matrices of the processor to where arithmetic computes, and back.

use cryptable_lattice::Result;

use crate::{Arithmetic, Ciphertext, Evaluator, LinearTransform, Plaintext};

/// Arithmetic that takes ciphertexts, plaintexts and matrices of the processor, and gives ciphertexts back. On an
/// [`Evaluator`] they are what they are.
pub trait Transfers: Arithmetic {
    /// A ciphertext of the processor.
    fn load(&self, ct: Ciphertext) -> Self::Ciphertext;

    /// A plaintext of the processor.
    fn load_plain(&self, plain: Plaintext) -> Self::Plain;

    /// A matrix that is encoded for the processor.
    fn load_matrix(&self, matrix: LinearTransform) -> Self::Matrix;

    /// A ciphertext for the processor.
    ///
    /// # Errors
    /// If anything before it failed, where that is not known at once: on a card. An [`Evaluator`] does not fail.
    fn fetch(&self, ct: Self::Ciphertext) -> Result<Ciphertext>;
}

impl Transfers for Evaluator<'_> {
    fn load(&self, ct: Ciphertext) -> Ciphertext {
        ct
    }

    fn load_plain(&self, plain: Plaintext) -> Plaintext {
        plain
    }

    fn load_matrix(&self, matrix: LinearTransform) -> LinearTransform {
        matrix
    }

    fn fetch(&self, ct: Ciphertext) -> Result<Ciphertext> {
        Ok(ct)
    }
}
