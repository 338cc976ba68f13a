//! Programs in C, compiled with the header and linked to the library.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

// Without it, Cargo has no reason to build the library for this test.
use cryptable_capi as _;

/// Where Cargo puts what it builds: beside this test.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().join(name);
    assert!(path.exists(), "{}", path.display());
    path
}

/// Compiles a program. `None` where there is no compiler.
fn compiled(source: &str, folder: &Path, options: &[&str]) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = folder.join("program");
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I"]);
    command.arg(here.join("include")).arg(here.join(source)).arg("-o").arg(&program);
    let Ok(output) = command.args(options).output() else {
        println!("{source} is NOT compiled: there is no cc");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

fn output_of(program: &Path, folder: &Path) -> String {
    let mut command = Command::new(program);
    command.current_dir(folder).env("CRYPTABLE_CALIBRATION", "off");
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{:?}: {errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// Linked into the program.
#[test]
fn the_example_gets_the_squares_of_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let library = built("libcryptable_capi.a");
    let options = [library.to_str().unwrap(), "-lpthread", "-ldl", "-lm"];
    let Some(program) = compiled("examples/lookup.c", folder.path(), &options) else { return };
    let output = output_of(&program, folder.path());
    let results: Vec<_> = output.lines().skip(1).collect();
    assert!(output.contains("bits of security"), "{output}");
    assert_eq!(results, ["3 -> 9", "0 -> 0", "15 -> 1", "6 -> 4"]);
}

/// Limits of the process's address space in KiB, from too little for the key to enough for all: the program says what it
/// lacks, and is not aborted.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_does_not_suffice_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let library = built("libcryptable_capi.a");
    let options = [library.to_str().unwrap(), "-lpthread", "-ldl", "-lm"];
    let Some(program) = compiled("examples/lookup.c", folder.path(), &options) else { return };
    let run = |limit: u32| {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("ulimit -v {limit}; exec \"$0\"")]).arg(&program);
        command.env("CRYPTABLE_CALIBRATION", "off").env("RAYON_NUM_THREADS", "2");
        command.current_dir(folder.path()).output().unwrap()
    };
    for limit in [60_000, 100_000, 200_000, 300_000] {
        let output = run(limit);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{limit}: {errors}");
        assert!(errors.contains("memory"), "{limit}: {errors}");
    }
    assert!(run(2_000_000).status.success());
}

/// Linked to the shared library, under the name by which programs look for it.
#[test]
#[cfg(target_os = "linux")]
fn every_function_does_what_the_header_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    std::os::unix::fs::symlink(built("libcryptable_capi.so"), path("libcryptable.so.0")).unwrap();
    std::os::unix::fs::symlink("libcryptable.so.0", path("libcryptable.so")).unwrap();
    let place = folder.path().to_str().unwrap();
    let options = ["-L", place, "-lcryptable", &format!("-Wl,-rpath,{place}")];
    let source = "tests/every_function.c";
    let Some(program) = compiled(source, folder.path(), &options) else { return };
    let output = output_of(&program, folder.path());
    assert_eq!(output, "every function is as the header says\n");
    use std::os::unix::fs::PermissionsExt as _;
    let mode = path("client.key").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0, "others may read a secret key: {mode:o}");
}
