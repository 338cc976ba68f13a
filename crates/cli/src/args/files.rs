//! The files that each command reads and writes, as named by its options.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, CommandFactory, FromArgMatches};

use super::Cli;
use crate::guard::{FileArg, FileArgs, Role};

impl Cli {
    /// Reads the arguments of the process.
    pub fn read() -> Result<Self, clap::Error> {
        Self::read_from(std::env::args_os().collect())
    }

    fn read_from(words: Vec<std::ffi::OsString>) -> Result<Self, clap::Error> {
        let mut grammar = Self::command();
        let matches = grammar.try_get_matches_from_mut(words)?;
        let read = Self::from_arg_matches(&matches);
        let mut cli = read.map_err(|error| error.format(&mut grammar))?;
        cli.files = files(&grammar, &matches);
        #[cfg(feature = "client")]
        if let super::Command::Demo(args) = &cli.command {
            cli.files.files.extend(args.files());
        }
        Ok(cli)
    }
}

/// Lists the files of a command: every option with a path names one.
fn files(grammar: &Command, matches: &ArgMatches) -> FileArgs {
    let (mut command, mut matches, mut names) = (grammar, matches, Vec::new());
    while let Some((name, inner)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, matches) = (found, inner);
        names.push(name);
    }
    let mut files = FileArgs { files: Vec::new(), force: is_given(matches, "force") };
    if names.first() == Some(&"bench") {
        return files;
    }
    for argument in command.get_arguments() {
        let paths = matches.try_get_many::<PathBuf>(argument.get_id().as_str());
        let option = name(argument);
        for path in paths.ok().flatten().into_iter().flatten() {
            if let Some(role) = role(&names, &option, path, matches) {
                files.files.push(FileArg { option: option.clone(), path: path.clone(), role });
            }
        }
    }
    files
}

/// Returns the name of an argument for messages: `--input`, or that of its value.
fn name(argument: &Arg) -> String {
    let of_value = || argument.get_value_names().and_then(<[_]>::first).map(ToString::to_string);
    let long = argument.get_long().map(|long| format!("--{long}"));
    long.or_else(of_value).unwrap_or_default()
}

fn is_given(matches: &ArgMatches, flag: &str) -> bool {
    matches.try_get_one(flag).ok().flatten().copied().unwrap_or(false)
}

/// Returns how a command uses the file that an option names; `None` if it is not a file, or if the command completes
/// its name.
fn role(command: &[&str], option: &str, path: &Path, matches: &ArgMatches) -> Option<Role> {
    let book = |name: &str| matches.try_get_one::<PathBuf>(name).ok().flatten();
    let outputs = book("output_dictionary").map(PathBuf::as_path);
    let extends = is_given(matches, "extend");
    match (command, option) {
        (_, "--folder") | (["demo" | "digits"], "--output") => None,
        // A circuit of this program is no file.
        (_, "NETLIST" | "--circuit") if !path.exists() => None,
        // One book may serve inputs and outputs.
        (_, "--dictionary") if outputs == Some(path) => None,
        (_, "--dictionary") if extends && outputs.is_none() => Some(Role::Text),
        (_, "--output-dictionary") if extends => Some(Role::Text),
        (["keygen", ..], "--secret" | "--evaluation" | "--public")
        | (["encrypt"], "--canaries" | "--canary-values")
        | (["rekey", "keygen"], "--output")
        | (["foreign", "keygen"], "--evaluation")
        | (["owners", "share"], "--secret" | "--commitment" | "--first" | "--keys")
        | (["owners", "deal"], "--dealt")
        | (["owners", "receive"], "--secret")
        | (["owners", "combine"], "--public" | "--evaluation" | "--bits-evaluation") => {
            Some(Role::NewKey)
        }
        (["decrypt"], "--output" | "--imaginary") if is_of_bytes(matches) => Some(Role::Bytes),
        (["decrypt"], "--imaginary")
        | (["decrypt"] | ["schema", _] | ["aes", "open"] | ["circuit", "test"], "--output") => {
            Some(Role::Text)
        }
        (_, "--output") | (["owners", "agree"], "--second") | (["integers"], "--value") => {
            Some(Role::Bytes)
        }
        _ => Some(Role::Input),
    }
}

/// Returns whether `--format` states another format than text.
#[cfg(feature = "client")]
fn is_of_bytes(matches: &ArgMatches) -> bool {
    let format = matches.try_get_one::<super::Format>("format").ok().flatten();
    format.is_some_and(|&format| format != super::Format::Csv)
}

#[cfg(not(feature = "client"))]
fn is_of_bytes(_: &ArgMatches) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &[(&str, Role)]) {
        let words = line.split(' ').map(Into::into).collect();
        let files = Cli::read_from(words).unwrap().files;
        let found: Vec<_> = files.files.iter().map(|it| (it.option.as_str(), it.role)).collect();
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn options_with_paths_are_files_of_the_command() {
        use Role::{Bytes, Input};
        let integers =
            "cryptable integers --op argmax --evaluation e --input i --value v --output o";
        let options = ["--input", "--value", "--evaluation", "--output"];
        check(
            integers,
            &[0, 1, 2, 3].map(|k| (options[k], if k % 2 == 0 { Input } else { Bytes })),
        );
        check("cryptable plan program p.json", &[("PROGRAM", Input)]);
        check("cryptable plan circuit add32 --output p", &[("--output", Bytes)]);
        check("cryptable inspect a b", &[("FILE", Input), ("FILE", Input)]);
    }

    #[cfg(feature = "client")]
    #[test]
    fn outputs_are_told_from_inputs() {
        use Role::{Bytes, Input, NewKey, Text};
        check(
            "cryptable keygen compare --bits 8 --secret s --evaluation e",
            &[("--secret", NewKey), ("--evaluation", NewKey)],
        );
        let decrypt = "cryptable decrypt --secret s --input i --output o";
        check(decrypt, &[("--secret", Input), ("--input", Input), ("--output", Text)]);
        let bytes = format!("{decrypt} --format raw");
        check(&bytes, &[("--secret", Input), ("--input", Input), ("--output", Bytes)]);
        let encrypt = "cryptable encrypt --public p --input i --dictionary d --output o";
        let files = |book| {
            [("--public", Input), ("--input", Input), ("--dictionary", book), ("--output", Bytes)]
        };
        check(encrypt, &files(Input));
        check(&format!("{encrypt} --extend"), &files(Text));
        let table = "cryptable encrypt-table --secret s --table t --output o --output-dictionary d";
        let files = |book| {
            [
                ("--secret", Input),
                ("--table", Input),
                ("--output-dictionary", book),
                ("--output", Bytes),
            ]
        };
        check(&format!("{table} --dictionary d"), &files(Input));
        check(&format!("{table} --dictionary d --extend"), &files(Text));
        let demo = Cli::read_from(["cryptable", "demo"].map(Into::into).into()).unwrap().files;
        assert!(demo.files[0].path.ends_with("before-after.png"));
    }
}
