//! Parameters at the start of key files.

use cryptable_ring::clear_stack;
use cryptable_wire::{BodyReader, ObjectType, open_with_parameters};

use crate::error::Result;
use crate::trust::ReadOptions;

/// Implements [`KeyParameters`](crate::KeyParameters) for a type that has inherent methods with these three names; the
/// parameter of a generic type follows, with its bound.
#[macro_export]
macro_rules! key_parameters {
    ($parameters:ty $(, $generic:ident: $bound:path)?) => {
        impl$(<$generic: $bound>)? $crate::KeyParameters for $parameters {
            fn to_bytes(&self) -> Vec<u8> {
                self.to_bytes()
            }

            fn from_bytes(
                bytes: &[u8],
                options: $crate::ReadOptions,
            ) -> $crate::error::Result<Self> {
                Self::from_bytes(bytes, options)
            }

            fn digest(&self) -> [u8; 32] {
                self.digest()
            }
        }
    };
}

/// Parameters that keys are generated for, and that key files begin with.
pub trait KeyParameters: Send + Sized + Sync {
    /// Returns canonical bytes, whose digest names the parameters.
    fn to_bytes(&self) -> Vec<u8>;

    /// Reads canonical bytes and validates the parameters.
    ///
    /// # Errors
    /// If the bytes are no parameters, or if these are invalid, insecure or have a failure probability that the options
    /// do not allow.
    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self>;

    /// Returns the digest that names the parameters.
    fn digest(&self) -> [u8; 32];

    /// Opens a file that begins with its parameters. Returns these and a reader of the rest of the body.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged object of this type with a body of at most `max_body` bytes, or for
    /// the reasons of [`KeyParameters::from_bytes`].
    fn open(
        bytes: &[u8],
        object_type: ObjectType,
        max_body: u64,
        options: ReadOptions,
    ) -> Result<(Self, BodyReader<'_>)> {
        let read = |bytes: &[u8]| {
            // The checksum left blocks of a secret file on the stack. Bytes between the fields of parameters, which
            // nobody sets, would carry them to the heap.
            clear_stack();
            Self::from_bytes(bytes, options)
        };
        open_with_parameters(bytes, object_type, max_body, read, Self::digest)
    }
}
