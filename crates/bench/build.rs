//! Passes the commit that is built to the program: `CRYPTABLE_REVISION` of the environment or, by default, git's answer;
//! empty if neither exists.

use std::process::Command;

/// The variable that the program reads.
const REVISION: &str = "CRYPTABLE_REVISION";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={REVISION}");
    // Git adds a line to this log whenever a commit is made or another one is checked out.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && std::path::Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
    let of_environment = std::env::var(REVISION).ok().filter(|revision| !revision.is_empty());
    if let Some(revision) = of_environment.or_else(|| git(&["rev-parse", "--short", "HEAD"])) {
        println!("cargo::rustc-env={REVISION}={revision}");
    }
}

/// Runs git; returns its output if it is installed and this is a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
