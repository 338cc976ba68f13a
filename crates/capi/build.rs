//! Names the shared library as programs that are linked to it look for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let option = match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => "-Wl,-soname,libcryptable.so.0",
        Ok("macos") => "-Wl,-install_name,@rpath/libcryptable.0.dylib",
        _ => return,
    };
    println!("cargo::rustc-cdylib-link-arg={option}");
}
