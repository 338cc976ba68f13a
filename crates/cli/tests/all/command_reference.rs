//! The command reference of the book consists of the commands' help texts.
#![cfg(all(feature = "client", feature = "remote", feature = "serve", not(feature = "bench")))]
// Names are those of the repository's own files.
#![allow(clippy::disallowed_methods)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The page, below the repository's root.
const PAGE: &str = "docs/book/src/command_reference.md";

/// Variable that is set to write the page instead of comparing it.
const WRITE: &str = "CRYPTABLE_WRITE_REFERENCE";

const HEAD: &str = "# Command reference

Every command, as `cryptable help COMMAND` shows it; `-h` is the short form. This page is made from the commands: after
changing one, run `CRYPTABLE_WRITE_REFERENCE=1 cargo test -p cryptable-cli --profile checks --features serve
command_reference`. Global options are listed once, with `cryptable` itself.
";

/// Returns what the program prints as help for a command, `[]` being the program itself.
fn help(command: &[String]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cryptable"))
        .args(command)
        .arg("--help")
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("help in UTF-8")
}

/// Lists the subcommands that a help text names.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        // Further lines of a description are indented more.
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then(|| name.to_owned())
    });
    names.collect()
}

/// Writes the section of a command, and those of its subcommands.
fn write_sections(page: &mut String, command: &[String]) {
    let text = help(command);
    let depth = if command.is_empty() { 2 } else { 1 + command.len() };
    let title =
        ["cryptable".to_owned()].iter().chain(command).cloned().collect::<Vec<_>>().join(" ");
    let shown = match text.find("\nGlobal options:") {
        // These options are the same for all commands; examples may follow them.
        Some(start) if !command.is_empty() => {
            let after = text[start + 1..].find("\n\n").and_then(|blank| {
                let rest = &text[start + 1 + blank..];
                let mut heading = rest.match_indices("\n\n").map(|(at, _)| &rest[at..]);
                heading.find(|rest| !rest.trim_start_matches('\n').starts_with(' '))
            });
            format!("{}{}", &text[..start], after.unwrap_or_default())
        }
        _ => text.clone(),
    };
    let shown: Vec<_> = shown.trim_end().lines().map(str::trim_end).collect();
    write!(page, "\n{} {title}\n```text\n{}\n```\n", "#".repeat(depth), shown.join("\n")).unwrap();
    for name in subcommands(&text) {
        write_sections(page, &[command, &[name]].concat());
    }
}

#[test]
fn command_reference() {
    let mut page = HEAD.to_owned();
    write_sections(&mut page, &[]);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = committed.lines().zip(page.lines()).find(|(old, new)| old != new);
    assert!(
        committed == page,
        "{PAGE} is not of these commands ({differs:?}): {WRITE}=1 writes it"
    );
}
