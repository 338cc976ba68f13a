//! Tables that are encoded once for any number of lookups.

use crate::full_domain::EncodedTable;

/// A table encoded as test polynomials of the parameters' method, made once by [`super::EvaluationKey::prepare`].
///
/// A prepared table contains no part of a key: all evaluation keys of the same parameters accept it.
#[derive(Clone, Debug)]
pub struct PreparedTable {
    parameter_digest: [u8; 32],
    encoded: EncodedTable,
}

impl PreparedTable {
    pub(super) fn new(parameter_digest: [u8; 32], encoded: EncodedTable) -> Self {
        Self { parameter_digest, encoded }
    }

    /// Returns the input modulus p of the table.
    #[must_use]
    pub fn input_modulus(&self) -> u64 {
        self.encoded.input_modulus()
    }

    /// Returns the output modulus P of the table.
    #[must_use]
    pub fn output_modulus(&self) -> u64 {
        self.encoded.output_modulus()
    }

    /// Returns the bytes of memory that the test polynomials occupy: some 16 kB each for ring degree 2,048.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.encoded.memory_bytes()
    }

    pub(super) fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    pub(super) fn encoded(&self) -> &EncodedTable {
        &self.encoded
    }
}
