//! The parameters and the client that an object belongs to.

use cryptable_wire::{BodyReader, KeyId, ObjectType, peek_header, read_object};

use crate::error::{Result, check_client, check_parameters};

/// The digest of an object's parameters, and the identifier of the client's key that the object is under.
///
/// ```
/// use cryptable_lattice::Binding;
/// use cryptable_wire::KeyId;
/// let [ann, bob] = [1, 2].map(|id| Binding { parameter_digest: [0; 32], key_id: KeyId([id; 16]) });
/// assert!(ann.check("ciphertext", &ann).is_ok() && ann.check("ciphertext", &bob).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Digest of the parameters.
    pub parameter_digest: [u8; 32],
    /// Identifier of the client's secret key.
    pub key_id: KeyId,
}

impl Binding {
    /// Checks that an object with this binding belongs to the parameters and the client of `expected`. Errors call the
    /// object `object`.
    ///
    /// # Errors
    /// [`crate::Error::OtherParameters`], [`crate::Error::OtherClient`].
    pub fn check(&self, object: &'static str, expected: &Self) -> Result<()> {
        check_parameters(object, expected.parameter_digest, self.parameter_digest)?;
        check_client(object, expected.key_id, self.key_id)
    }

    /// Checks an object whose body begins with a key identifier. Returns the binding, and a reader of the rest.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged object of this type, or its body is longer than `longest`.
    pub fn open(
        bytes: &[u8],
        object_type: ObjectType,
        longest: u64,
    ) -> Result<(Self, BodyReader<'_>)> {
        let mut reader = BodyReader::new(read_object(bytes, object_type, None, longest)?);
        let key_id = KeyId(reader.array("key identifier")?);
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        Ok((Self { parameter_digest, key_id }, reader))
    }
}

/// Defines the public methods that all keys of a client have, in an `impl` of a type with the fields `parameters` and
/// `binding`. The second argument is the name of the method that returns the identifier.
#[macro_export]
macro_rules! bound_key {
    ($parameters:ty, $id:ident) => {
        /// Returns the parameters of everything that is under this key.
        #[must_use]
        pub fn parameters(&self) -> &$parameters {
            &self.parameters
        }

        /// Returns the identifier that the client's secret key, its other keys and its ciphertexts share: a hash that
        /// reveals nothing about the secret.
        #[must_use]
        pub fn $id(&self) -> cryptable_wire::KeyId {
            self.binding.key_id
        }

        /// Returns the binding of everything that is under this key.
        #[must_use]
        pub fn binding(&self) -> &$crate::Binding {
            &self.binding
        }
    };
}
