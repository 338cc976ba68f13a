//! Compiles the kernels for the processor, for tests without a card. Cards take the PTX of `kernels/compiled`, which is
//! made by `make gpu-kernels` and kept with the sources.

fn main() {
    println!("cargo::rerun-if-changed=kernels");
    #[cfg(feature = "emulation")]
    emulation();
}

#[cfg(feature = "emulation")]
fn emulation() {
    let mut sources: Vec<_> = std::fs::read_dir("kernels")
        .expect("the folder of kernels")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .collect();
    sources.sort();
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(2).warnings(false);
    // Rounding is that of the card: products and sums are fused where the code says so, and nowhere else.
    build.flag("-ffp-contract=off").flag("-xc++");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        build.flag_if_supported("-mfma");
    }
    build.files(sources).compile("cryptable_kernels");
}
