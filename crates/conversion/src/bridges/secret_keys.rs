//! A client's secret keys for both ends of a bridge, in one.

use std::borrow::Borrow;
use std::fmt;
use std::io::Write;

use cryptable_fhew::keys::ClientKey;
use cryptable_lattice::error::check_parameters;
use cryptable_lattice::{KeyParameters, Progress, ReadOptions, Result};
use cryptable_packed as packed;
use cryptable_ring::clear_stack;
use cryptable_wire::KeyId;
use zeroize::Zeroizing;

use super::evaluation_keys::EvaluationKeys;
use super::{Bridge, Parameters, Target};
use crate::file_parts::{PART, ServerFile, pair_bytes};

/// Longest body of secret keys, in bytes.
const MAX_SECRET_KEY_BYTES: u64 = 1 << 22;

/// A client's secret keys for packed values and for the engine at the other end. Zeroized on drop, redacted in Debug,
/// not `Clone`.
///
/// ```
/// use cryptable_conversion::bridges::{IntegerParameters, IntegerSecretKeys, SecretKeys};
/// use cryptable_lattice::{Progress, ReadOptions, Table};
/// let secrets = SecretKeys::generate(&IntegerParameters::insecure_toy(4, 8)?);
/// let keys = secrets.evaluation_key(Progress::silent())?;
/// let table = keys.packed().prepare(&Table::new(4, 256, vec![0, 100, 200, 255])?)?;
/// let results =
///     keys.packed().lookup(&secrets.packed().encrypt(&[0, 1, 2, 3])?, &table, Progress::silent())?;
/// let integers = keys.bridge().to_integers(keys.ends(), &results, 0..4)?;
/// assert_eq!(secrets.single().decrypt(&integers)?, [0, 100, 200 - 256, -1]);
///
/// let toys = ReadOptions::default().allow_insecure();
/// let read = IntegerSecretKeys::from_bytes(&secrets.to_bytes(), toys)?;
/// assert_eq!(read.single().decrypt(&integers)?, [0, 100, 200 - 256, -1]);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
pub struct SecretKeys<T: Target> {
    parameters: Parameters<T>,
    packed: packed::SecretKey,
    single: T::SecretKey,
}

impl<T: Target> fmt::Debug for SecretKeys<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKeys").field("ids", &self.ids()).finish_non_exhaustive()
    }
}

impl<T: Target> SecretKeys<T> {
    /// Draws fresh secrets for both ends from the operating system's randomness.
    #[must_use]
    pub fn generate(parameters: &Parameters<T>) -> Self {
        let packed = packed::SecretKey::generate(parameters.packed());
        let single = ClientKey::generate(parameters.single()).into();
        Self { parameters: parameters.clone(), packed, single }
    }

    /// Returns the parameters of both engines and of the conversions between them.
    #[must_use]
    pub fn parameters(&self) -> &Parameters<T> {
        &self.parameters
    }

    /// Returns the key for packed values.
    #[must_use]
    pub fn packed(&self) -> &packed::SecretKey {
        &self.packed
    }

    /// Returns the key of the engine at the other end.
    #[must_use]
    pub fn single(&self) -> &T::SecretKey {
        &self.single
    }

    /// Returns the part that keys of all other engines have in common.
    fn client_key(&self) -> &ClientKey<T> {
        self.single.borrow()
    }

    /// Returns the key for packed values and that of the other engine.
    #[must_use]
    pub fn into_parts(self) -> (packed::SecretKey, T::SecretKey) {
        (self.packed, self.single)
    }

    /// Returns the identifier of the key for packed values, which files of ciphertexts name.
    #[must_use]
    pub fn id(&self) -> KeyId {
        self.packed.id()
    }

    /// Returns the identifiers of both keys, first that for packed values.
    #[must_use]
    pub fn ids(&self) -> [KeyId; 2] {
        [self.packed.id(), self.client_key().id()]
    }

    /// Generates all keys of a server in memory. Progress counts switching keys of packed values.
    ///
    /// # Errors
    /// If `progress` asks to stop.
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<EvaluationKeys<T>> {
        let packed = self.packed.evaluation_key(progress)?;
        let single = self.client_key().evaluation_key(Progress::silent())?;
        let bridge = Bridge::generate(&self.parameters, &self.packed, self.client_key())?;
        EvaluationKeys::new(packed, single.into(), bridge)
    }

    /// Encodes the keys: parameters, then both secret keys, each an object preceded by its length.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let (digest, literals) = (self.parameters.digest(), self.parameters.to_bytes());
        let keys = [self.packed.to_bytes(), self.client_key().to_bytes()];
        pair_bytes(T::SECRET_KEYS_TYPE, digest, &literals, keys)
    }

    /// Reads the output of [`SecretKeys::to_bytes`].
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged pair of secret keys for this kind of values, its parts have other
    /// parameters, or `options` refuse them because they are insecure.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (kind, most) = (T::SECRET_KEYS_TYPE, MAX_SECRET_KEY_BYTES);
        let opened = Parameters::<T>::open(bytes, kind, most, options);
        clear_stack();
        let (parameters, mut reader) = opened?;
        let mut part = |name| reader.bytes(name, MAX_SECRET_KEY_BYTES);
        let packed = part("secret key of packed values")?;
        let single = part("secret key of single values")?;
        reader.finish()?;
        let packed = packed::SecretKey::from_bytes(packed, options)?;
        let single = ClientKey::<T>::from_bytes(single, options)?;
        check_parameters(PART, parameters.packed().digest(), packed.parameters().digest())?;
        check_parameters(PART, parameters.single().digest(), single.parameters().digest())?;
        Ok(Self { parameters, packed, single: single.into() })
    }

    /// Generates all keys of a server and writes them in the wire format that [`EvaluationKeys::from_shared`] reads:
    /// parameters, identifiers of both secret keys, then objects, each preceded by its length: the evaluation key for
    /// single values, the bridge key and, after zeros up to a multiple of 8 bytes, the evaluation key for packed
    /// values. Progress counts switching keys of packed values.
    ///
    /// # Errors
    /// If writing fails, or `progress` asks to stop.
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        let [mut single, mut bridge] = [const { Vec::new() }; 2];
        self.client_key().write_evaluation_key(&mut single, Progress::silent())?;
        let (packed, silent) = (&self.packed, Progress::silent());
        self.parameters.write_key(packed, self.client_key(), &mut bridge, silent)?;
        let file = ServerFile {
            object_type: T::EVALUATION_KEYS_TYPE,
            digest: self.parameters.digest(),
            parameters: &self.parameters.to_bytes(),
            ids: self.ids(),
            parts: &[single, bridge],
        };
        file.write(out, self.packed.evaluation_key_bytes()?, |out| {
            self.packed.write_evaluation_key(out, progress)
        })
    }
}
