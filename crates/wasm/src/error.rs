//! Errors that JavaScript catches.

use wasm_bindgen::{JsError, JsValue};

/// A result whose error is thrown in JavaScript.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An `Error` with the library's message, or the value that the caller's callback threw.
#[derive(Debug)]
pub struct Error(JsValue);

impl Error {
    /// Creates an error with a message of this crate.
    pub(crate) fn new(message: &str) -> Self {
        Self(JsError::new(message).into())
    }

    /// Wraps a value that the caller's callback threw.
    pub(crate) fn thrown(value: JsValue) -> Self {
        Self(value)
    }
}

impl From<cryptable::Error> for Error {
    fn from(error: cryptable::Error) -> Self {
        Self::new(&error.to_string())
    }
}

impl From<Error> for JsValue {
    fn from(Error(value): Error) -> Self {
        value
    }
}
