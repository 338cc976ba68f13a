//! Formats of users' files: values, tables and pictures.

#[cfg(feature = "client")]
pub mod column;
pub mod csv;
pub mod dictionary;
pub mod domain;
#[cfg(all(test, feature = "client"))]
mod fuzz;
pub mod integer;
pub mod lines;
pub mod npy;
pub mod pairs;
#[cfg(feature = "client")]
pub mod png;
pub mod raw;
pub mod records;
pub mod rules;
pub mod table;
pub mod value_tables;
#[cfg(feature = "client")]
pub mod value_writer;
#[cfg(feature = "client")]
pub mod values;

use std::path::Path;

/// Returns the extension in lower case; empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default()
}
