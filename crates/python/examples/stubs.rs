//! Writes the type stubs of a built library: `stubs LIBRARY FOLDER`.
//!
//! The library says itself what it has, if it was built with the feature `stubs`: names, signatures and documentation.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use pyo3_introspection::{introspect_cdylib, module_stub_files};

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let [_, library, folder] = &arguments[..] else {
        bail!("usage: stubs LIBRARY FOLDER");
    };
    let module = introspect_cdylib(library, "_native").with_context(|| library.clone())?;
    fs::create_dir_all(folder).with_context(|| folder.clone())?;
    for (name, text) in module_stub_files(&module) {
        let path = Path::new(folder).join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
