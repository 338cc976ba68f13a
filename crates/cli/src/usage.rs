//! Messages about invalid command lines: the command, the option or value, and the remedy.

use std::net::AddrParseError;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Returns a one-line message about an invalid command line; `None` if the text of `clap` is to be shown: help, version, and
/// rare errors.
pub fn message(error: &clap::Error) -> Option<String> {
    if let Some(message) = missing_feature(error) {
        return Some(message);
    }
    let command = command(error);
    let given = strings(error, ContextKind::InvalidArg);
    let options: Vec<String> = given.iter().map(|argument| plain(argument)).collect();
    let first = options.first().map_or("", String::as_str);
    let help = format!("; `{command} --help` shows examples");
    Some(match error.kind() {
        ErrorKind::MissingRequiredArgument => {
            format!("`{command}` needs {}{help}", listed(&options, "and"))
        }
        ErrorKind::UnknownArgument => {
            let option = first.starts_with('-');
            let what = if option { "has no option" } else { "does not take the word" };
            let hint = match text(error, ContextKind::SuggestedArg) {
                Some(near) => format!("; did you mean {near}?"),
                None if first.parse::<f64>().is_ok() => {
                    format!("; write a negative value with =, as in --option={first}")
                }
                None => other_place(error).unwrap_or(help),
            };
            format!("`{command}` {what} {first}{hint}")
        }
        ErrorKind::InvalidSubcommand => {
            let name = text(error, ContextKind::InvalidSubcommand)?;
            // The nearest name is the last one.
            let hint = match strings(error, ContextKind::SuggestedSubcommand).pop() {
                Some(near) => format!("; did you mean \"{near}\"?"),
                None => format!("; `{command} --help` lists all"),
            };
            format!("`{command}` has no command \"{name}\"{hint}")
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => bad_value(error, &given)?,
        ErrorKind::ArgumentConflict => {
            let others = strings(error, ContextKind::PriorArg);
            let others: Vec<_> = others.iter().map(|other| name_of(other).to_owned()).collect();
            let option = name_of(given.first()?);
            match others.is_empty() || others.iter().all(|other| other == option) {
                true => format!("{option} is given more than once"),
                false => format!("{option} cannot be used with {}{help}", listed(&others, "or")),
            }
        }
        _ => return None,
    })
}

/// Returns the message about a value that an option does not accept.
fn bad_value(error: &clap::Error, given: &[String]) -> Option<String> {
    use std::error::Error as _;
    let argument = given.first()?;
    let (option, known) = (name_of(argument), strings(error, ContextKind::ValidValue));
    let known = listed(&known, "or");
    let value = text(error, ContextKind::InvalidValue).unwrap_or_default();
    if value.is_empty() {
        let known = if known.is_empty() { "a value".into() } else { format!("one of {known}") };
        return Some(format!("{option} needs {known}"));
    }
    let reason = match error.source() {
        Some(source) => reason(source, &value),
        None => format!("it must be {known}"),
    };
    let near = text(error, ContextKind::SuggestedValue);
    let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Some(format!("{option} {value}: {reason}{hint}"))
}

/// Returns why a value was refused: the valid range, rather than the text of Rust's parsers.
fn reason(source: &(dyn std::error::Error + 'static), value: &str) -> String {
    let integer = source.downcast_ref::<ParseIntError>().map(ParseIntError::kind);
    let text = source.to_string();
    match integer {
        Some(IntErrorKind::PosOverflow) => return "it is too large".into(),
        Some(_) if value.starts_with('-') => {
            return "it must be a non-negative integer".into();
        }
        Some(_) => return "it must be an integer".into(),
        None if source.is::<ParseFloatError>() => return "it must be a number".into(),
        None if source.is::<AddrParseError>() => {
            return "it must be an address and a port, such as 127.0.0.1:8080".into();
        }
        None => {}
    }
    let Some((least, most)) = text.split_once(" is not in ").and_then(|it| it.1.split_once(".."))
    else {
        return text;
    };
    let is_limit = |bound: &str| bound.is_empty() || bound.parse::<i64>().is_err();
    match most.strip_prefix('=').unwrap_or(most) {
        bound if is_limit(bound) => format!("it must be at least {least}"),
        bound => format!("it must be from {least} to {bound}"),
    }
}

/// Returns the command of a group after which an unknown option would be valid.
fn other_place(error: &clap::Error) -> Option<String> {
    let ContextValue::StyledStrs(hints) = error.get(ContextKind::Suggested)? else { return None };
    let hint = hints.iter().map(ToString::to_string).find(|hint| hint.ends_with(" exists"))?;
    let words = hint.trim_end_matches(" exists").trim_matches('\'');
    Some(format!("; it goes after a command, as in `{} {words}`", command(error)))
}

/// Returns the command that was given, from the line about its usage.
fn command(error: &clap::Error) -> String {
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => usage.to_string(),
        _ => String::new(),
    };
    let words = usage.trim_start_matches("Usage:").split_whitespace();
    let words = words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    match words.collect::<Vec<_>>().join(" ") {
        none if none.is_empty() => program().into(),
        found => found,
    }
}

/// Returns the name of this program.
fn program() -> &'static str {
    if cfg!(feature = "client") { "cryptable" } else { "cryptable-server" }
}

/// Returns the name of an option without its value, or that of a positional argument.
fn name_of(argument: &str) -> &str {
    let name = argument.split([' ', '=', '[']).next().unwrap_or(argument);
    name.trim_matches(['<', '>', '.'])
}

/// Returns an argument as messages write it: `--bits B`, and `one of --bits B, --table FILE` for a choice.
fn plain(argument: &str) -> String {
    let bare = |text: &str| text.replace(['<', '>'], "");
    match argument.strip_prefix('<').and_then(|it| it.strip_suffix('>')) {
        Some(choice) if choice.contains('|') => {
            let choice: Vec<String> = choice.split('|').map(bare).collect();
            format!("one of {}", listed(&choice, "or"))
        }
        _ => bare(argument),
    }
}

/// Lists words: `a, b and c`.
fn listed(words: &[String], last: &str) -> String {
    match words {
        [most @ .., end] if !most.is_empty() => format!("{} {last} {end}", most.join(", ")),
        _ => words.concat(),
    }
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    strings(error, kind).into_iter().next()
}

fn strings(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// Returns advice for a command that only other builds of this program have.
fn missing_feature(error: &clap::Error) -> Option<String> {
    let name = text(error, ContextKind::InvalidSubcommand)?;
    let feature = match name.as_str() {
        "serve" if !cfg!(feature = "serve") => "serve",
        "remote" if !cfg!(feature = "remote") => "remote",
        "bench" if !cfg!(feature = "bench") => "bench",
        "keygen" | "encrypt" | "encrypt-key" | "encrypt-table" | "decrypt" | "demo" | "open"
        | "test"
            if !cfg!(feature = "client") =>
        {
            "client"
        }
        _ => return None,
    };
    Some(format!(
        "this program was built without {name}: cargo install --path crates/cli --features {feature} builds one with it"
    ))
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn command_lines_that_are_refused_name_option_value_and_limit() {
        let choice = "one of --bits B, --modulus P, --table FILE or --list-parameters";
        let of = |command: &str| format!("; `cryptable {command} --help` shows examples");
        for (line, expected) in [
            (
                "encrypt --input a.csv",
                format!(
                    "`cryptable encrypt` needs --output FILE and --secret FILE{}",
                    of("encrypt")
                ),
            ),
            ("inspect", format!("`cryptable inspect` needs FILE...{}", of("inspect"))),
            (
                "plan compare",
                format!("`cryptable plan compare` needs --bits B{}", of("plan compare")),
            ),
            (
                "encrypt --secrt k",
                "`cryptable encrypt` has no option --secrt; did you mean --secret?".into(),
            ),
            (
                "inspect a --nonsense",
                format!("`cryptable inspect` has no option --nonsense{}", of("inspect")),
            ),
            (
                "encrypts",
                "`cryptable` has no command \"encrypts\"; did you mean \"encrypt\"?".into(),
            ),
            (
                "nonsense",
                "`cryptable` has no command \"nonsense\"; `cryptable --help` lists all".into(),
            ),
            ("plan --bits abc", "--bits abc: it must be an integer".into()),
            ("plan --bits 99", "--bits 99: it must be from 1 to 24".into()),
            ("plan --bits 8 --values 0", "--values 0: it must be at least 1".into()),
            (
                "plan --bits 8 --values=-3",
                "--values -3: it must be a non-negative integer".into(),
            ),
            (
                "plan --values -3",
                "`cryptable plan` has no option -3; write a negative value with =, as in --option=-3"
                    .into(),
            ),
            (
                "plan --bits 8 --mode singles",
                "--mode singles: it must be packed, single or leveled; did you mean single?".into(),
            ),
            ("plan --bits 8 --mode", "--mode needs one of packed, single or leveled".into()),
            ("plan --bits 8 --bits 9", "--bits is given more than once".into()),
            (
                "plan --bits 8 --modulus 4",
                format!("--bits cannot be used with --modulus{}", of("plan")),
            ),
        ] {
            let error = Cli::try_parse_from(format!("cryptable {line}").split(' ')).unwrap_err();
            assert_eq!(message(&error), Some(expected), "{line}");
        }
        let error = Cli::try_parse_from(["cryptable", "plan"]).unwrap_err();
        assert!(message(&error).unwrap().contains(choice), "{error}");
        for line in [&["cryptable", "--help"][..], &["cryptable"], &["cryptable", "--version"]] {
            assert_eq!(message(&Cli::try_parse_from(line).unwrap_err()), None);
        }
    }

    #[cfg(feature = "remote")]
    #[test]
    fn options_before_the_command_of_a_group_are_put_in_their_place() {
        let line = "cryptable remote --server http://127.0.0.1:8080 tables";
        let found = message(&Cli::try_parse_from(line.split(' ')).unwrap_err()).unwrap();
        let place = "it goes after a command, as in `cryptable remote tables --server`";
        assert_eq!(found, format!("`cryptable remote` has no option --server; {place}"));
    }
}
