//! Kinds of table entries.

use std::fmt;

/// Form of a table's entries during a lookup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryKind {
    /// Integers in one table for all values: [`crate::EvaluationKey::lookup`].
    #[default]
    Shared,
    /// Plaintexts, with one table per value: [`crate::EvaluationKey::lookup_slots`].
    Plain,
    /// Fresh ciphertexts, with one table per value: [`crate::EvaluationKey::lookup_encrypted`].
    Encrypted,
}

impl EntryKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Shared, Self::Plain, Self::Encrypted];
}

/// Writes the kind in words: `a table for every value`.
impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "one table for all values",
            Self::Plain => "a table for every value",
            Self::Encrypted => "encrypted tables",
        })
    }
}
