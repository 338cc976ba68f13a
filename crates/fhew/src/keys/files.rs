//! Files of keys, of every face: one header and one checksum, the parameters at the start of the body.

use cryptable_lattice::{ReadOptions, Result};
use cryptable_wire::{BodyReader, KeyId, ObjectType, open_with_parameters};

use crate::keys::evaluation_key::SeededEvaluationKey;
use crate::keys::serialization::reading_memory_bytes;
use crate::parameters::Parameters;

/// Longest body of an evaluation key, 4 GiB.
const MAX_EVALUATION_KEY_BYTES: u64 = 1 << 32;

/// Parameters as a face has them in files.
pub(crate) trait FileParameters: Sized {
    /// Canonical bytes.
    #[cfg(feature = "client")]
    fn to_bytes(&self) -> Vec<u8>;

    /// Reads and validates canonical bytes.
    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self>;

    /// The digest that names the parameters.
    fn digest(&self) -> [u8; 32];

    /// The numbers that keys follow from.
    fn fhew(&self) -> &Parameters;
}

/// Checks an object that starts with its parameters: those, and the rest of its body.
fn open<P: FileParameters>(
    bytes: &[u8],
    object_type: ObjectType,
    max_body: u64,
    options: ReadOptions,
) -> Result<(P, BodyReader<'_>)> {
    let read = |bytes: &[u8]| P::from_bytes(bytes, options);
    open_with_parameters(bytes, object_type, max_body, read, P::digest)
}

/// Reads what a client sent: parameters, the identifier of its key, and keys.
///
/// # Errors
/// If the bytes are not exactly one undamaged object of this type, the parameters are insecure and that is not allowed,
/// or the expanded key takes more memory than the options allow.
pub(crate) fn read_evaluation_key<P: FileParameters>(
    bytes: &[u8],
    object_type: ObjectType,
    options: ReadOptions,
) -> Result<(P, KeyId, SeededEvaluationKey)> {
    let (parameters, mut reader) =
        open::<P>(bytes, object_type, MAX_EVALUATION_KEY_BYTES, options)?;
    let key_id = KeyId(reader.array("identifier of the key")?);
    let packed = reader.bytes("bootstrapping keys", MAX_EVALUATION_KEY_BYTES)?;
    reader.finish()?;
    options.check_memory("evaluation key", reading_memory_bytes(parameters.fhew()))?;
    let keys = SeededEvaluationKey::from_bytes(parameters.fhew(), packed)?;
    Ok((parameters, key_id, keys))
}

#[cfg(feature = "client")]
pub(crate) use client::{read_secret_key, secret_key_file, write_evaluation_key};

#[cfg(feature = "client")]
mod client {
    use std::io::Write;

    use cryptable_lattice::Progress;
    use cryptable_ring::clear_stack;
    use cryptable_wire::{secret_key_bytes, write_server_keys};
    use zeroize::Zeroizing;

    use super::*;
    use crate::keys::secret_key::SecretKey;

    /// Longest body of a secret key, 1 MiB.
    const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

    /// A secret key as bytes: parameters, then two bits a coefficient of every secret.
    pub(crate) fn secret_key_file(
        object_type: ObjectType,
        parameters: &impl FileParameters,
        secret: &SecretKey,
    ) -> Zeroizing<Vec<u8>> {
        let (digest, bytes) = (parameters.digest(), parameters.to_bytes());
        let length = secret.coefficient_bytes();
        let file = secret_key_bytes(object_type, &digest, &bytes, length, |writer| {
            secret.write_coefficients(writer)
        });
        clear_stack();
        file
    }

    /// Reads what [`secret_key_file`] wrote.
    ///
    /// # Errors
    /// As [`read_evaluation_key`].
    pub(crate) fn read_secret_key<P: FileParameters>(
        bytes: &[u8],
        object_type: ObjectType,
        options: ReadOptions,
    ) -> Result<(P, SecretKey)> {
        let (parameters, mut reader) =
            open::<P>(bytes, object_type, MAX_SECRET_KEY_BYTES, options)?;
        let secret = SecretKey::read_coefficients(parameters.fhew(), &mut reader)?;
        reader.finish()?;
        Ok((parameters, secret))
    }

    /// Generates an evaluation key and writes it; `progress` counts two steps: generation, and writing.
    ///
    /// # Errors
    /// If writing fails, or `progress` asks to stop.
    pub(crate) fn write_evaluation_key(
        out: &mut dyn Write,
        object_type: ObjectType,
        parameters: &impl FileParameters,
        (secret, key_id): (&SecretKey, KeyId),
        progress: Progress<'_>,
    ) -> Result<()> {
        let steps = progress.steps(2)?;
        let keys = secret.evaluation_key().to_bytes();
        steps.done()?;
        let (digest, bytes) = (parameters.digest(), parameters.to_bytes());
        write_server_keys(out, object_type, (&digest, &bytes), key_id, &keys)?;
        steps.done()
    }
}

/// Reading and writing of a face's keys: for `Parameters`, `EvaluationKey` and, with the feature `client`, `SecretKey`
/// of the module that calls it, which names the types of their files.
macro_rules! key_files {
    (secret: $secret:expr, evaluation: $evaluation:expr) => {
        impl $crate::keys::files::FileParameters for Parameters {
            #[cfg(feature = "client")]
            fn to_bytes(&self) -> Vec<u8> {
                self.to_bytes()
            }

            fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
                Self::from_bytes(bytes, options)
            }

            fn digest(&self) -> [u8; 32] {
                self.digest()
            }

            fn fhew(&self) -> &$crate::parameters::Parameters {
                self.fhew()
            }
        }

        impl EvaluationKey {
            /// Reads a key from bytes, such as a memory-mapped file; masks are drawn from its seed. The key is
            /// expanded, so that the bytes are not needed any more.
            ///
            /// # Errors
            /// If the bytes are not exactly one undamaged evaluation key of this kind, or its parameters are insecure
            /// and that is not allowed.
            pub fn from_shared(bytes: SharedBytes, options: ReadOptions) -> Result<Self> {
                let (parameters, key_id, keys) = $crate::keys::files::read_evaluation_key::<
                    Parameters,
                >((*bytes).as_ref(), $evaluation, options)?;
                Self::expand(parameters, key_id, &keys)
            }
        }

        #[cfg(feature = "client")]
        impl super::SecretKey {
            /// The key in its wire format: parameters, then two bits a coefficient of every secret.
            #[must_use]
            pub fn to_bytes(&self) -> zeroize::Zeroizing<Vec<u8>> {
                $crate::keys::files::secret_key_file($secret, self.parameters(), self.fhew())
            }

            /// Reads a secret key.
            ///
            /// # Errors
            /// If the bytes are not exactly one undamaged secret key of this kind, or its parameters are insecure and
            /// that is not allowed.
            pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
                let (parameters, secret) =
                    $crate::keys::files::read_secret_key(bytes, $secret, options)?;
                Ok(Self::from_secret(parameters, secret))
            }

            /// Generates an evaluation key and writes it in its wire format, less than half the bytes that it takes
            /// in memory. `progress` counts two steps: generation, and writing.
            ///
            /// # Errors
            /// If writing fails, or `progress` asks to stop.
            pub fn write_evaluation_key(
                &self,
                out: &mut dyn std::io::Write,
                progress: cryptable_lattice::Progress<'_>,
            ) -> Result<()> {
                let secret = (self.fhew(), self.id());
                let parameters = self.parameters();
                $crate::keys::files::write_evaluation_key(
                    out,
                    $evaluation,
                    parameters,
                    secret,
                    progress,
                )
            }
        }
    };
}

pub(crate) use key_files;
