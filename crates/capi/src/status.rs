//! Status codes, the last error of a thread, and the boundary that panics do not cross.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use cryptable::Error;

/// Outcome of a call. Later versions may add codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CryptableStatus {
    /// The call did what it is for.
    Ok = 0,
    /// A pointer is NULL that must not be, or a string is not UTF-8.
    Argument = 1,
    /// A number is outside of its range, such as a value that is not below the modulus.
    Range = 2,
    /// A table has a wrong number of entries, or an entry that is not below its modulus.
    Table = 3,
    /// No parameters serve the request.
    Plan = 4,
    /// Keys, ciphertexts and tables do not belong together.
    Mismatch = 5,
    /// A file or buffer is damaged, or of another kind.
    Format = 6,
    /// A key is insecure, fails too often, or takes more memory than readers allow.
    Trust = 7,
    /// Memory does not suffice.
    Memory = 8,
    /// A sum has too many terms for what is asked of it.
    Noise = 9,
    /// The operation does not exist for keys of this kind.
    Unsupported = 10,
    /// A file cannot be read or written.
    Io = 11,
    /// The library failed. This is an error in it: please report it.
    Internal = 12,
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: CryptableStatus,
    message: String,
}

/// Result of what a call does.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn new(status: CryptableStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// Names the file that the error is about.
    pub(crate) fn of_file(self, path: &std::path::Path) -> Self {
        let message = format!("{}: {}", path.display(), self.message);
        Self { message, ..self }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let status = match error.kind() {
            std::io::ErrorKind::OutOfMemory => CryptableStatus::Memory,
            _ => CryptableStatus::Io,
        };
        Self::new(status, error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        use Error as E;
        let status = match error {
            E::Io(error) => return error.into(),
            E::TooSmall { .. }
            | E::TooLarge { .. }
            | E::ValueOutOfRange { .. }
            | E::SignedValueOutOfRange { .. }
            | E::Parameter { .. }
            | E::PlaintextModulus { .. } => CryptableStatus::Range,
            E::TableLength { .. } | E::TableEntry { .. } | E::TableModulus { .. } => {
                CryptableStatus::Table
            }
            E::Memory { .. }
            | E::FailureUnreachable { .. }
            | E::FailureProbability { .. }
            | E::Security(_)
            | E::Unsupported(_) => CryptableStatus::Plan,
            E::Mismatch { .. }
            | E::OtherClient { .. }
            | E::OtherParameters { .. }
            | E::OtherKind { .. }
            | E::Signs { .. } => CryptableStatus::Mismatch,
            E::Wire(_) => CryptableStatus::Format,
            E::ReadingMemory { .. } | E::Insecure | E::WeakFailureProbability { .. } => {
                CryptableStatus::Trust
            }
            E::MemoryLeft { .. } | E::Allocation { .. } => CryptableStatus::Memory,
            E::NoiseTooLarge { .. } => CryptableStatus::Noise,
            E::UnsupportedOperation { .. } | E::MissingKey { .. } => CryptableStatus::Unsupported,
            _ => CryptableStatus::Internal,
        };
        Self::new(status, error.to_string())
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs what a call does. Notes the message of a failure, and makes one of a panic.
///
/// Handles are not changed by calls, so that a panic leaves none of them half changed.
pub(crate) fn guarded(call: impl FnOnce() -> Result<()>) -> CryptableStatus {
    let outcome = catch_unwind(AssertUnwindSafe(call));
    let failure = match outcome {
        Ok(Ok(())) => return CryptableStatus::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => Failure::new(CryptableStatus::Internal, reason(&*panic)),
    };
    let message = CString::new(failure.message.replace('\0', " ")).unwrap_or_default();
    LAST_ERROR.with(|last| last.replace(message));
    failure.status
}

/// The message of a panic.
fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("the library failed: {}", text.unwrap_or("it does not say why"))
}

/// Returns the message of the last call that failed in this thread, in English; an empty string if none has. It is valid
/// until another call fails in this thread, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn cryptable_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn panics_and_zeros_in_messages_stay_on_this_side() {
        let status = guarded(|| panic!("a test of {}", "panics"));
        // SAFETY: the message is valid until the next failure of this thread.
        let message = unsafe { CStr::from_ptr(cryptable_last_error()) };
        assert_eq!(status, CryptableStatus::Internal);
        assert_eq!(message.to_str().unwrap(), "the library failed: a test of panics");
        let status = guarded(|| Err(Failure::new(CryptableStatus::Range, "a\0b")));
        // SAFETY: as above.
        let message = unsafe { CStr::from_ptr(cryptable_last_error()) };
        assert_eq!((status, message.to_str().unwrap()), (CryptableStatus::Range, "a b"));
        assert_eq!(guarded(|| Ok(())), CryptableStatus::Ok);
    }
}
