//! Names of files as people see them: nothing in them reaches the terminal that it might act on.

use std::path::Path;

/// What has a name that others chose.
pub trait Printable {
    /// The name for messages and reports, escaped as [`cryptable_wire::printable`] does.
    fn printable(&self) -> String;
}

impl Printable for Path {
    fn printable(&self) -> String {
        cryptable_wire::printable(&self.to_string_lossy()).into_owned()
    }
}
