//! Encrypted frames: `encrypt --schema`, `run`, `decrypt` of a frame, and `schema`.

#[cfg(feature = "client")]
mod client;
mod plan;
mod run;

use std::path::Path;

use anyhow::{Context, Result};
use cryptable_frames::{Frame, Program, Schema};

#[cfg(feature = "client")]
pub use self::client::{decrypt, encrypt, schema};
pub use self::plan::plan;
pub use self::run::run;
use crate::args::Global;
use crate::{input_file, key_input};

/// Longest schema or pipeline that is read, in bytes.
const MAX_TEXT_BYTES: u64 = 1 << 28;

/// Reads a schema.
fn read_schema(path: &Path) -> Result<Schema> {
    let text = read_text(path)?;
    Schema::from_json(text.as_bytes()).with_context(|| input_file::name(path))
}

/// Reads a program.
pub fn read_program(path: &Path) -> Result<Program> {
    let text = read_text(path)?;
    Program::from_json(text.as_bytes()).with_context(|| input_file::name(path))
}

/// Reads a file of text.
fn read_text(path: &Path) -> Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let file = input_file::open(path)?.take(MAX_TEXT_BYTES).read_to_string(&mut text);
    file.with_context(|| format!("cannot read {}", input_file::name(path)))?;
    Ok(text)
}

/// Reads a whole frame into memory.
fn read_frame(global: Global, file: &std::fs::File, path: &Path) -> Result<Frame> {
    let map = key_input::map_file(file, path)?;
    let frame = Frame::from_bytes(map.as_ref(), global.read_options());
    let failed = || format!("cannot read {}", input_file::name(path));
    let frame = frame.with_context(failed)?;
    map.check_unchanged().with_context(failed)?;
    Ok(frame)
}
