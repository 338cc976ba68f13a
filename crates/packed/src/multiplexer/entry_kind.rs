//! What kinds of entries a table may have.

/// What the entries of a table are, on the way through a lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// Integers, the same table for all values: [`crate::EvaluationKey::lookup`].
    Shared,
    /// Plaintexts, a table a value: [`crate::EvaluationKey::lookup_slots`].
    Plain,
    /// Fresh ciphertexts, a table a value: [`crate::EvaluationKey::lookup_encrypted`].
    Encrypted,
}
