//! Public keys, with which anyone encrypts for the holder of the secret key.

use cryptable_wire::{KeyId, WireError, peek_header};

use crate::ciphertext::{Ciphertext, Part};
use crate::engines::{leveled, packed, single};
use crate::owners::JointAgreement;
use crate::{Error, KeyKind, KeyParameters, ReadOptions, Result, SecretKey};
use crate::{bits, ckks, gates, large_values, transciphering};

/// A client's public key. Its ciphertexts can be computed with and decrypted like those of the secret key.
///
/// Phones or hospitals can thus send values to a server without sharing a secret: whoever has the public key encrypts, and
/// only the holder of the secret key decrypts. Ciphertexts have more noise than those of the secret key, which the stated
/// failure probabilities include.
///
/// | keys for | method | bytes of the key | bytes per value |
/// |---|---|---|---|
/// | packed lookups | [`PublicKey::encrypt`], [`encrypt`](crate::integers::encrypt) of columns by [`PublicKey::packed`] | 0.81 MB for 8 bits | 7 in a full ciphertext, twice the size with the secret key |
/// | single lookups | [`PublicKey::encrypt`] | 13 kB | 18 in a full part of 1,024, 12 kB for a single value |
/// | leveled lookups | [`PublicKey::encrypt`] | 13 kB | some 210 for 8 bits in a full part of 64 |
/// | gates, bit by bit | [`PublicKey::encrypt_bits`] | 4 kB | 6 for 1,024 values or more |
/// | large values | [`PublicKey::encrypt_integers`] | 13 kB | 12 for 2,048 values or more |
/// | vectors | [`encrypt`](ckks::PublicKey::encrypt) of [`PublicKey::ckks`] | 0.78 MB for seven levels | same as with the secret key |
/// | circuits | [`encrypt_at`](bits::PublicKey::encrypt_at) of [`PublicKey::bits`] | 0.3 to 8 MB | same as with the secret key |
/// | transciphering | [`encrypt_key`](transciphering::PublicKey::encrypt_key) of [`PublicKey::transciphering`] | 13 kB | 22 kB for an AES key |
///
/// ```
/// use cryptable::{Engine, Parameters, PublicKey, ReadOptions, SecretKey, Table};
/// for engine in [Engine::Packed, Engine::Single, Engine::Leveled] {
///     let secret = SecretKey::generate(Parameters::insecure_toy(engine, 16, 16)?);
///     let server = secret.evaluation_key();
///     let file = secret.public_key()?.to_bytes();
///
///     // A contributor has nothing but the file of the public key.
///     let public = PublicKey::from_bytes(&file, ReadOptions::default().allow_insecure())?;
///     let values = public.encrypt(&[3, 1, 4])?;
///
///     let squares = server.prepare(&Table::from_fn(16, 16, |x| x * x % 16)?)?;
///     assert_eq!(secret.decrypt(&server.lookup(&values, &squares)?)?, [9, 1, 0]);
/// }
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PublicKey {
    key: Key,
}

/// Defines the public keys of all kinds that have them, and their common methods.
macro_rules! public_keys {
    ($($kind:ident = $module:ident),+) => {
        #[derive(Clone, Debug)]
        enum Key {
            $($kind($module::PublicKey),)+
        }

        $(
            impl From<$module::PublicKey> for PublicKey {
                fn from(key: $module::PublicKey) -> Self {
                    Self { key: Key::$kind(key) }
                }
            }
        )+

        impl PublicKey {
            /// Returns the parameters of the secret key.
            #[must_use]
            pub fn parameters(&self) -> KeyParameters {
                match &self.key {
                    $(Key::$kind(key) => key.parameters().into(),)+
                }
            }

            /// Returns the identifier of the secret key, which its evaluation keys and ciphertexts share.
            #[must_use]
            pub fn id(&self) -> KeyId {
                match &self.key {
                    $(Key::$kind(key) => key.id(),)+
                }
            }

            /// Encodes the key for a file. It reveals nothing about the secret key.
            #[must_use]
            pub fn to_bytes(&self) -> Vec<u8> {
                match &self.key {
                    $(Key::$kind(key) => key.to_bytes(),)+
                }
            }

            /// Reads a public key.
            ///
            /// # Errors
            /// If the bytes are not exactly one undamaged public key, or if `options` refuse its parameters.
            pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
                let found = peek_header(bytes)?.object_type;
                let has_type = |kind: &&KeyKind| kind.public_key() == Some(found);
                Ok(match KeyKind::ALL.iter().find(has_type) {
                    $(Some(KeyKind::$kind) => $module::PublicKey::from_bytes(bytes, options)?.into(),)+
                    _ => return Err(WireError::WrongKind { expected: "a public key", found }.into()),
                })
            }
        }
    };
}

public_keys!(
    Packed = packed,
    Single = single,
    Leveled = leveled,
    Gates = gates,
    LargeValues = large_values,
    Ckks = ckks,
    Bits = bits,
    Transciphering = transciphering
);

/// Borrows the key if it has the kind `$kind`. Errors call the values that it should encrypt `$wanted`.
macro_rules! of_kind {
    ($public:expr, $kind:ident, $wanted:literal) => {
        match &$public.key {
            Key::$kind(key) => Ok(key),
            _ => Err($public.is_not($wanted)),
        }
    };
}

impl SecretKey {
    /// Generates a public key of this secret key. Every call draws a new one, and all of them work.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for keys of several owners for bits.
    pub fn public_key(&self) -> Result<PublicKey> {
        Ok(match self {
            // Bridges begin with packed lookups.
            Self::Packed(_) | Self::IntegerBridge(_) | Self::LeveledBridge(_) => {
                self.packed()?.public_key()?.into()
            }
            Self::Single(_) | Self::Bridged(_) => self.single()?.public_key()?.into(),
            Self::Leveled(secret) => secret.public_key()?.into(),
            Self::Gates(secret) => secret.public_key()?.into(),
            Self::LargeValues(secret) => secret.public_key()?.into(),
            Self::Bits(secret) => secret.public_key()?.into(),
            Self::Ckks(secret) => secret.public_key()?.into(),
            Self::Transciphering(secret) => secret.public_key()?.into(),
        })
    }
}

impl PublicKey {
    /// Combines the first shares of several owners, in any order, into their public key ([`crate::owners`]).
    ///
    /// # Errors
    /// Same errors as [`JointAgreement::public_key`].
    pub fn of_owners(agreement: &JointAgreement, first: &[&[u8]]) -> Result<Self> {
        Ok(Self { key: Key::Packed(agreement.public_key(first)?) })
    }

    /// Encrypts one or more integers below the input modulus. Decryption returns them in the same order.
    ///
    /// # Errors
    /// [`Error::ValueOutOfRange`] for the first value that is not below the input modulus; [`Error::TooSmall`] if there is
    /// no value; [`Error::NoiseTooLarge`] if lookups of such ciphertexts would fail more often than the parameters state;
    /// [`Error::OtherKind`] if the key is not for lookups.
    pub fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        let per_part = self.parameters().lookups()?.values_per_part();
        Ciphertext::of_chunks(values, per_part, |part| self.encrypt_part(part))
    }

    fn encrypt_part(&self, values: &[u64]) -> Result<Part> {
        Ok(match &self.key {
            Key::Packed(key) => key.encrypt(values)?.into(),
            Key::Single(key) => key.encrypt(values)?.into(),
            Key::Leveled(key) => key.encrypt(values)?.into(),
            _ => return Err(self.is_not("lookups")),
        })
    }

    /// Returns packed values under a fresh mask: the sum with a fresh encryption of zero.
    ///
    /// Without the secret key, nobody can tell which ciphertext it was made from, if RLWE is hard. The client can tell
    /// by the noise, which also still depends on the table.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let values = secret.encrypt(&[3, 1, 4])?;
    /// let again = secret.public_key()?.rerandomize(&values)?;
    /// assert_ne!(again, values);
    /// assert_eq!(secret.decrypt(&again)?, [3, 1, 4]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoiseTooLarge`] if the failure probability of decryption would exceed the stated one;
    /// [`Error::Unsupported`] if the values are not packed, since the noise of single results leaves no margin for
    /// another switch to the LWE secret, or if they are compressed; other errors if they belong to another client or
    /// parameter set.
    pub fn rerandomize(&self, values: &Ciphertext) -> Result<Ciphertext> {
        let parts = values.parts().iter().map(|part| match (&self.key, part) {
            (Key::Packed(key), Part::Packed(part)) => Ok(key.rerandomize(part)?.into()),
            _ => Err(Error::Unsupported("fresh masks for values that are not packed".into())),
        });
        let fresh = Ciphertext::new(parts.collect::<Result<_>>()?)?;
        Ok(fresh.with_marks(values.marks()))
    }

    /// Encrypts bits for gates.
    ///
    /// ```
    /// use cryptable::{SecretKey, gates};
    /// let secret = SecretKey::generate(gates::Parameters::insecure_toy());
    /// let bits = secret.public_key()?.encrypt_bits(&[true, false])?;
    /// assert_eq!(secret.gates()?.decrypt(&bits)?, [true, false]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is not for gates; [`Error::NoiseTooLarge`] if gates would fail more often than the
    /// parameters state.
    pub fn encrypt_bits(&self, bits: &[bool]) -> Result<gates::EncryptedBits> {
        of_kind!(self, Gates, "gates")?.encrypt(bits)
    }

    /// Encrypts integers for functions of large values, like the secret key: any two of them can be compared.
    ///
    /// ```
    /// use cryptable::{SecretKey, large_values};
    /// let secret = SecretKey::generate(large_values::Parameters::insecure_toy(16)?);
    /// let integers = secret.public_key()?.encrypt_integers(&[-300, 7])?;
    /// assert_eq!(secret.large_values()?.decrypt(&integers)?, [-300, 7]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is not for large values; [`Error::Parameter`] for the first integer that is too
    /// large; [`Error::NoiseTooLarge`] if functions would fail more often than the parameters state.
    pub fn encrypt_integers(&self, values: &[i64]) -> Result<large_values::EncryptedIntegers> {
        of_kind!(self, LargeValues, "large values")?.encrypt(values)
    }

    /// Borrows the key for packed lookups, for columns of [`crate::integers`] and operations that only this engine has.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is of another kind.
    pub fn packed(&self) -> Result<&packed::PublicKey> {
        of_kind!(self, Packed, "packed lookups")
    }

    /// Borrows the key for single lookups, for columns of [`crate::integers`] and operations that only this engine has.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is of another kind.
    pub fn single(&self) -> Result<&single::PublicKey> {
        of_kind!(self, Single, "single lookups")
    }

    /// Borrows the key for vectors of numbers.
    ///
    /// ```
    /// use cryptable::{PublicKey, ReadOptions, SecretKey, ckks};
    /// let secret = SecretKey::generate(ckks::Parameters::insecure_toy()?);
    /// let file = secret.public_key()?.to_bytes();
    /// let public = PublicKey::from_bytes(&file, ReadOptions::default().allow_insecure())?;
    /// let x = public.ckks()?.encrypt_reals(&[0.5, -0.25])?;
    /// assert!((secret.ckks()?.decrypt_reals(&x)?[1] + 0.25).abs() < 1e-5);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is of another kind.
    pub fn ckks(&self) -> Result<&ckks::PublicKey> {
        of_kind!(self, Ckks, "vectors")
    }

    /// Borrows the key for words of circuits, which need plans with
    /// [`public_inputs`](crate::circuits::PlanOptions::public_inputs).
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is of another kind.
    pub fn bits(&self) -> Result<&bits::PublicKey> {
        of_kind!(self, Bits, "circuits")
    }

    /// Borrows the key for encrypting AES keys, whose holders then send messages under AES.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the key is of another kind.
    pub fn transciphering(&self) -> Result<&transciphering::PublicKey> {
        of_kind!(self, Transciphering, "transciphering")
    }

    /// Borrows the key for leveled lookups.
    pub(super) fn leveled(&self) -> Result<&leveled::PublicKey> {
        of_kind!(self, Leveled, "leveled lookups")
    }

    fn is_not(&self, wanted: &str) -> Error {
        let kind = self.parameters().kind();
        Error::Unsupported(format!("values for {wanted} by a public key of {kind}"))
    }
}
