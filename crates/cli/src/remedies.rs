//! Error messages, with the commands and options that help.

use std::error::Error;

use cryptable::packed_gates::foreign::ForeignParameters;
use cryptable::transciphering::MessageError;
use cryptable::{CiphertextFileSummary, WireError};
use cryptable_wire::ObjectType;

use crate::commands::resume;
use crate::report::{bytes, bytes_at_least};

/// A command or an option that reads a kind of file, and whether only builds for clients have it.
type Reader = (&'static str, bool);

/// Returns the message for an error with all of its causes. If a file has the wrong kind, the message names the commands or
/// options that read it; if a limit refuses a file, the message names the option that raises the limit.
pub fn message(error: &anyhow::Error) -> String {
    let causes: Vec<String> = error.chain().map(|cause| without_numbers(describe(cause))).collect();
    causes.join(": ")
}

/// Returns the system's text for its error, in lower case and without `(os error 2)`.
fn without_numbers(mut text: String) -> String {
    let Some(end) = text.rfind(" (os error ").filter(|_| text.ends_with(')')) else { return text };
    text.truncate(end);
    let start = text.rfind(": ").map_or(0, |colon| colon + 2);
    let mut letters = text[start..].chars();
    if letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase)
    {
        text[start..=start].make_ascii_lowercase();
    }
    text
}

fn describe(cause: &(dyn Error + 'static)) -> String {
    use cryptable::Error as E;
    match library_error(cause) {
        Some(E::ReadingMemory { object, needed, limit }) => {
            let (needed, limit) = (bytes_at_least(*needed), bytes(*limit));
            return format!(
                "the {object} may take {needed} of memory while it is read, above the limit of {limit}; \
                 --max-key-memory raises it"
            );
        }
        Some(E::WeakFailureProbability { .. }) => {
            return format!("{cause}; --allow-log2-fail allows it");
        }
        Some(E::OtherClient { .. }) => {
            return format!("{cause}; `inspect` shows the key of a file");
        }
        _ => {}
    }
    let (what, readers) = match wire_error(cause) {
        Some(WireError::BadMagic { found }) if *found == CiphertextFileSummary::MAGIC => {
            ("it is a file of ciphertexts".to_owned(), &[("decrypt", true), ("lookup", false)][..])
        }
        Some(WireError::BadMagic { found }) if found == ForeignParameters::LIST => (
            "it is a list of LWE ciphertexts of another library".to_owned(),
            &[("foreign gate", false)][..],
        ),
        Some(WireError::BadMagic { found }) if *found == resume::MAGIC => (
            "it holds finished results of an interrupted lookup".to_owned(),
            &[("lookup --resume", false)][..],
        ),
        Some(WireError::BadMagic { found: [0, 0, 0, 0, 0, 0, 0, 0] }) => {
            ("it is empty, or begins with zeros".to_owned(), &[][..])
        }
        Some(WireError::BadMagic { found }) if cfg!(feature = "client") && is_text(found) => {
            (format!("{cause}; if it holds values, `encrypt` reads it"), &[][..])
        }
        Some(WireError::WrongType { expected, found, .. }) => {
            (cause.to_string(), readers_but(*found, &expected.to_string()))
        }
        Some(WireError::WrongKind { expected, found }) => {
            (cause.to_string(), readers_but(*found, expected))
        }
        _ => (cause.to_string(), &[][..]),
    };
    let is_here = |reader: &&Reader| !reader.1 || cfg!(feature = "client");
    let names: Vec<String> =
        readers.iter().filter(is_here).map(|(name, _)| format!("`{name}`")).collect();
    match names.len() {
        0 => what,
        1 => format!("{what}; {} reads it", names[0]),
        _ => format!("{what}; {} read it", names.join(" and ")),
    }
}

/// Returns whether the first bytes of a file are text. Short files are padded with zeros.
fn is_text(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    bytes.iter().skip_while(|byte| is_text(byte)).all(|&byte| byte == 0)
}

/// Returns the library's error that is a cause, or that a cause wraps.
pub fn library_error<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a cryptable::Error> {
    use cryptable_frames::Error as FrameError;
    match (cause.downcast_ref(), cause.downcast_ref()) {
        (Some(MessageError::Library(error)), _) | (_, Some(FrameError::Library(error))) => {
            Some(error)
        }
        _ => cause.downcast_ref(),
    }
}

/// Returns the error about a file's bytes that is a cause, or that a cause wraps.
fn wire_error<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a WireError> {
    match (library_error(cause), cause.downcast_ref()) {
        (Some(cryptable::Error::Wire(error)), _)
        | (_, Some(cryptable_frames::Error::Wire(error))) => Some(error),
        _ => cause.downcast_ref(),
    }
}

/// Returns the commands and options that read an object that was found in place of another one; nothing for a key of another
/// job at the option for such keys.
fn readers_but(found: ObjectType, expected: &str) -> &'static [Reader] {
    let is_its_option = ["secret key", "evaluation key"]
        .iter()
        .any(|key| expected.contains(key) && found.to_string().contains(key));
    if is_its_option { &[] } else { readers(found) }
}

/// Returns the commands of a group that read an object, or the option that accepts a key.
fn readers(object: ObjectType) -> &'static [Reader] {
    use ObjectType as O;
    match object {
        O::IntegerColumn => &[("decrypt", true), ("integers", false)],
        O::EncryptedFrame => &[("decrypt", true), ("run", false)],
        O::Canaries => &[("decrypt --canaries", true)],
        O::EncryptedTables => &[("lookup --table", false)],
        O::AesMessage => &[("aes open", true), ("aes transcipher", false)],
        O::EncryptedRoundKeys => &[("aes transcipher --encrypted-key", false)],
        O::EncryptedBytes => &[("decrypt", true)],
        O::TranscipheringSecretKey => &[("aes encrypt-key", true), ("decrypt", true)],
        O::TranscipheringEvaluationKey => &[("aes transcipher", false)],
        O::SlotBitsWords => &[("decrypt", true), ("circuit run", false)],
        O::SlotBitsSecretKey => &[("encrypt --circuit", true), ("decrypt", true)],
        O::SlotBitsEvaluationKey => &[("circuit run", false)],
        O::ForeignGatesKey => &[("foreign gate", false)],
        O::PackedOwnersSession => &[("owners share", true), ("owners combine", true)],
        O::PackedOwnerSecret => &[("owners agree", true), ("decrypt", true)],
        O::OwnerCommitment | O::OwnerFirstShare => {
            &[("owners agree", true), ("owners combine", true)]
        }
        O::OwnerKeyShare | O::OwnerSecondShare => &[("owners combine", true)],
        O::DealtShare => &[("owners receive", true)],
        O::ThresholdSecret => &[("decrypt", true)],
        O::JointResult => &[("decrypt", true)],
        O::PartialDecryption => &[("decrypt --part", true)],
        O::EncryptedIntegers => &[("decrypt", true)],
        O::IntegerBridgeSecretKeys | O::LeveledBridgeSecretKeys => {
            &[("encrypt", true), ("decrypt", true)]
        }
        O::IntegerBridgeEvaluationKeys | O::LeveledBridgeEvaluationKeys => &[("bridge", false)],
        _ if object.is_rekeying_key() => &[("rekey apply", false)],
        _ if object.is_public_key() => &[("encrypt --public", true)],
        _ if object.is_secret_key() => &[("--secret", true)],
        _ if object.is_evaluation_key() => &[("--evaluation", false)],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    fn message_of(error: WireError) -> String {
        let error: Result<(), cryptable::Error> = Err(error.into());
        message(&error.context("a.ct").unwrap_err())
    }

    #[test]
    fn files_of_other_commands_are_told_with_the_command() {
        let wrong = |found| message_of(WireError::WrongKind { expected: "a secret key", found });
        assert_eq!(
            wrong(ObjectType::EncryptedTables),
            "a.ct: it is encrypted tables, not a secret key; `lookup --table` reads it"
        );
        let plain = "a.ct: it is a secret key for packed values, not a secret key";
        assert_eq!(wrong(ObjectType::PackedSecretKey), plain);
        assert_eq!(
            wrong(ObjectType::PackedEvaluationKey),
            "a.ct: it is an evaluation key for packed values, not a secret key; `--evaluation` reads it"
        );
        let partial = message_of(WireError::BadMagic { found: resume::MAGIC });
        assert!(partial.ends_with("an interrupted lookup; `lookup --resume` reads it"));
        let empty = message_of(WireError::BadMagic { found: [0; 8] });
        assert_eq!(empty, "a.ct: it is empty, or begins with zeros");
        let other = message_of(WireError::BadMagic { found: *b"name,age" });
        assert_eq!(
            other,
            "a.ct: not a cryptable file: it begins with \"name,age\"; if it holds values, `encrypt` reads it"
        );
    }

    #[test]
    fn the_systems_errors_are_words_without_numbers() {
        let system = |number| std::io::Error::from_raw_os_error(number).to_string();
        assert_eq!(without_numbers(system(2)), "no such file or directory");
        assert_eq!(without_numbers(format!("a: {}", system(13))), "a: permission denied");
        assert_eq!(without_numbers("I/O error (os error 5)".into()), "I/O error");
        assert_eq!(without_numbers("as (os error 2) said".into()), "as (os error 2) said");
    }

    #[cfg(feature = "client")]
    #[test]
    fn commands_that_are_named_exist() {
        use clap::CommandFactory;
        let program = crate::args::Cli::command();
        let all = (0..=u8::MAX).filter_map(|number| {
            let mut header = [0; 64];
            header[..8].copy_from_slice(b"CRYPTABL");
            header[8..10].copy_from_slice(&cryptable_wire::FORMAT_VERSION.to_le_bytes());
            header[10] = number;
            Some(cryptable_wire::peek_header(&header).ok()?.object_type)
        });
        let named: Vec<&str> = all.flat_map(readers).map(|(name, _)| *name).collect();
        assert!(named.len() > 12, "{named:?}");
        for name in named.into_iter().filter(|name| !name.starts_with("--")) {
            let mut command = &program;
            for word in name.split(' ') {
                command = match word.strip_prefix("--") {
                    None => command.find_subcommand(word).expect(name),
                    Some(option) => {
                        let is_named = |arg: &clap::Arg| arg.get_long() == Some(option);
                        assert!(command.get_arguments().any(is_named), "{name}");
                        command
                    }
                };
            }
        }
    }
}
