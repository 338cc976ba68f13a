//! Names of files for messages: nothing in them can control the terminal.

use std::path::Path;

/// A type whose values are names that others chose.
pub trait Printable {
    /// Returns the name for messages and reports, escaped by [`cryptable_wire::printable`].
    fn printable(&self) -> String;
}

impl Printable for Path {
    fn printable(&self) -> String {
        cryptable_wire::printable(&self.to_string_lossy()).into_owned()
    }
}
