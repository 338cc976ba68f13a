//! The library's errors as Python exceptions: one class per kind, in `cryptable/errors.py`.

use std::io;
use std::path::Path;

use cryptable::transciphering::MessageError;
use cryptable::{CiphertextFileSummary, WireError};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// A result whose error is an exception.
pub(crate) type Result<T> = PyResult<T>;

/// Returns the name of the class as which an error is raised.
fn class_name(error: &cryptable::Error) -> &'static str {
    use cryptable::Error as E;
    match error {
        E::TooSmall { .. }
        | E::TooLarge { .. }
        | E::ValueOutOfRange { .. }
        | E::SignedValueOutOfRange { .. }
        | E::Parameter { .. }
        | E::PlaintextModulus { .. } => "RangeError",
        E::TableLength { .. }
        | E::TableEntry { .. }
        | E::RealTableEntry { .. }
        | E::TableModulus { .. } => "TableError",
        E::Memory { .. }
        | E::FailureUnreachable { .. }
        | E::FailureProbability { .. }
        | E::Security(_)
        | E::Unsupported(_) => "PlanError",
        E::Mismatch { .. }
        | E::OtherClient { .. }
        | E::OtherParameters { .. }
        | E::OtherKind { .. }
        | E::Signs { .. } => "MismatchError",
        E::WrongCanaries { .. } => "WrongResultError",
        E::NoiseTooLarge { .. } => "NoiseError",
        E::UnsupportedOperation { .. } | E::MissingKey { .. } => "UnsupportedError",
        E::ReadingMemory { .. } | E::Insecure | E::WeakFailureProbability { .. } => "TrustError",
        E::Cancelled { .. } => "CancelledError",
        E::Wire(_) => "FormatError",
        _ => "CryptableError",
    }
}

/// Returns the exception for an error.
pub(crate) fn raise(error: cryptable::Error) -> PyErr {
    match error {
        cryptable::Error::Io(error) => raise_of_system(&error),
        cryptable::Error::MemoryLeft { .. } | cryptable::Error::Allocation { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        error => exception(class_name(&error), message(&error)),
    }
}

/// Returns the message of an error, and names the call that reads the file if it is of another kind.
fn message(error: &cryptable::Error) -> String {
    match error {
        cryptable::Error::Wire(WireError::BadMagic { found })
            if *found == CiphertextFileSummary::MAGIC =>
        {
            "it is a file of ciphertexts, which Ciphertext.load reads".into()
        }
        _ => error.to_string(),
    }
}

/// Returns the exception for an error of the system, such as `FileNotFoundError` or `PermissionError`, with its text
/// but without `(os error 2)`.
pub(crate) fn raise_of_system(error: &io::Error) -> PyErr {
    let text = error.to_string();
    let words = text.split_once(" (os error ").map_or(&*text, |(words, _)| words);
    io::Error::new(error.kind(), words).into()
}

/// Returns the exception for an error of a message.
pub(crate) fn raise_of_message(error: MessageError) -> PyErr {
    let class = match error {
        MessageError::Library(error) => return raise(error),
        MessageError::OtherAesKey { .. } => "MismatchError",
        MessageError::CountersUsed { .. } | MessageError::NotAuthentic => "AuthenticityError",
        _ => "CryptableError",
    };
    exception(class, error.to_string())
}

/// Works like [`raise`] for errors of a file, and names the file in the message.
pub(crate) fn raise_of(path: &Path) -> impl FnOnce(cryptable::Error) -> PyErr {
    move |error| match error {
        // These errors name the file already, or have no class here.
        cryptable::Error::Io(_) | cryptable::Error::Allocation { .. } => raise(error),
        error => {
            let class = class_name(&error);
            exception(class, format!("{}: {}", path.display(), message(&error)))
        }
    }
}

/// Makes an exception of `cryptable.errors`.
pub(crate) fn exception(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let found = py.import("cryptable.errors").and_then(|module| module.getattr(class));
        match found.and_then(|class| class.call1((message,))) {
            Ok(instance) => PyErr::from_value(instance),
            Err(error) => error,
        }
    })
}

/// Returns the exception for an error of a frame.
pub(crate) fn raise_of_frame(error: cryptable_frames::Error) -> PyErr {
    use cryptable_frames::{Error as E, PipelineProblem as P};
    let class = match error {
        E::Library(error) | E::Step { problem: P::Library(error), .. } => {
            return raise(error);
        }
        E::Io(error) => return raise_of_system(&error),
        E::Wire(error) => return raise(error.into()),
        E::Cell { .. } | E::Column { .. } | E::Columns { .. } | E::Name { .. } => "RangeError",
        E::Program(ref problem) | E::Step { ref problem, .. } => match problem {
            P::WideKey { .. } | P::Wraps { .. } | P::NoGroup { .. } => "RangeError",
            _ => "MismatchError",
        },
        E::Mapping { .. } | E::Unmapped { .. } => "TableError",
        E::NoColumn { .. } | E::TwoColumns(_) | E::Rows { .. } => "MismatchError",
        _ => "FormatError",
    };
    exception(class, error.to_string())
}
