//! The table of all kinds of keys: their names, their types in files and in code, and the keys that contain them.

use std::fmt;

use cryptable_wire::ObjectType;

use crate::engine::not_bridged;
use crate::engines::{bridged, integer_bridge, leveled, leveled_bridge, packed, single};
use crate::{Engine, Error};
use crate::{bits, ckks, gates, large_values, transciphering};

/// Defines [`KeyKind`], [`SecretKey`] and [`EvaluationKey`] with one variant per kind, and the accessors of each
/// variant. The list in brackets names the other kinds of keys that contain a key of this kind, and the method that
/// borrows it.
macro_rules! key_kinds {
    ($($(#[$doc:meta])+ $kind:ident = $module:ident, $name:literal, $secret:ident, $evaluation:ident,
        [$($whole:ident.$part:ident),*];)+) => {
        /// The purpose of a key. [`SecretKey`](crate::SecretKey) and [`EvaluationKey`] have one variant per kind.
        ///
        /// ```
        /// use cryptable::{KeyKind, SecretKey, gates};
        /// let secret = SecretKey::generate(gates::Parameters::insecure_toy());
        /// assert_eq!(secret.kind(), KeyKind::Gates);
        /// assert!(secret.ckks().unwrap_err().to_string().contains("gates"));
        /// # Ok::<(), cryptable::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum KeyKind {
            $($(#[$doc])+ $kind,)+
        }

        impl KeyKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// Returns the name in options and messages.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// Returns the type of a secret key of this kind in files.
            pub(crate) fn secret_key(self) -> ObjectType {
                match self {
                    $(Self::$kind => ObjectType::$secret,)+
                }
            }

            /// Returns the type of an evaluation key of this kind in files.
            pub(crate) fn evaluation_key(self) -> ObjectType {
                match self {
                    $(Self::$kind => ObjectType::$evaluation,)+
                }
            }
        }

        /// A client's secret key. It encrypts, decrypts, and generates the evaluation key for a server.
        ///
        /// A key has one [`KeyKind`], which its parameters determine. Keys for lookups encrypt and decrypt values
        /// themselves; for other kinds, methods such as [`SecretKey::gates`] and [`SecretKey::ckks`] borrow the key
        /// that does.
        ///
        /// Secrets are zeroized on drop and redacted in `Debug`; a key cannot be cloned. The example at the top of
        /// [this crate](crate) shows all steps between client and server.
        #[cfg(feature = "client")]
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum SecretKey {
            $($(#[$doc])+ $kind(Box<$module::SecretKey>),)+
        }

        #[cfg(feature = "client")]
        impl SecretKey {
            $(
                #[doc = concat!("Borrows the key of kind `", $name, "`, or the part of the key that has this kind.")]
                ///
                /// # Errors
                /// [`Error::OtherKind`] if the key has another kind and no such part.
                pub fn $module(&self) -> crate::Result<&$module::SecretKey> {
                    match self {
                        Self::$kind(key) => Ok(key),
                        $(Self::$whole(key) => Ok(key.$part()),)*
                        other => Err(KeyKind::$kind.is_not(other.kind(), "secret key")),
                    }
                }
            )+

            /// Returns the kind of the key.
            #[must_use]
            pub fn kind(&self) -> KeyKind {
                match self {
                    $(Self::$kind(_) => KeyKind::$kind,)+
                }
            }

            /// Reads a secret key of any kind, as [`SecretKey::to_bytes`] writes it.
            ///
            /// # Errors
            /// If the bytes are not exactly one undamaged secret key, or if `options` refuse its parameters.
            pub fn from_bytes(bytes: &[u8], options: crate::ReadOptions) -> crate::Result<Self> {
                Ok(match cryptable_wire::peek_header(bytes)?.object_type {
                    $(ObjectType::$secret => $module::SecretKey::from_bytes(bytes, options)?.into(),)+
                    found => {
                        return Err(crate::WireError::WrongKind { expected: "a secret key", found }.into());
                    }
                })
            }
        }

        $(
            #[cfg(feature = "client")]
            impl From<$module::SecretKey> for SecretKey {
                fn from(key: $module::SecretKey) -> Self {
                    Self::$kind(Box::new(key))
                }
            }

            impl From<$module::EvaluationKey> for EvaluationKey {
                fn from(key: $module::EvaluationKey) -> Self {
                    Self::$kind(Box::new(key))
                }
            }
        )+

        /// A server's evaluation key. It computes on encrypted values without the secret.
        ///
        /// [`SecretKey::evaluation_key`](crate::SecretKey::evaluation_key) generates it. Any number of threads may
        /// share it.
        ///
        /// ```
        /// use cryptable::{Engine, Parameters, SecretKey, Table};
        /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Leveled, 8, 8)?);
        /// let server = secret.evaluation_key();
        /// let halves = server.prepare(&Table::from_fn(8, 8, |x| x / 2)?)?;
        /// let output = server.lookup(&secret.encrypt(&[7, 2])?, &halves)?;
        /// assert_eq!(secret.decrypt(&output)?, [3, 1]);
        /// # Ok::<(), cryptable::Error>(())
        /// ```
        #[non_exhaustive]
        pub enum EvaluationKey {
            $($(#[$doc])+ $kind(Box<$module::EvaluationKey>),)+
        }

        impl EvaluationKey {
            $(
                #[doc = concat!("Borrows the key of kind `", $name, "`, or the part of the key that has this kind.")]
                ///
                /// # Errors
                /// [`Error::OtherKind`] if the key has another kind and no such part.
                pub fn $module(&self) -> crate::Result<&$module::EvaluationKey> {
                    match self {
                        Self::$kind(key) => Ok(key),
                        $(Self::$whole(key) => Ok(key.$part()),)*
                        other => Err(KeyKind::$kind.is_not(other.kind(), "evaluation key")),
                    }
                }
            )+

            /// Returns the kind of the key.
            #[must_use]
            pub fn kind(&self) -> KeyKind {
                match self {
                    $(Self::$kind(_) => KeyKind::$kind,)+
                }
            }

            /// Reads an evaluation key of any kind from bytes in memory. A packed key is not copied: it keeps the bytes
            /// and uses them in place.
            ///
            /// ```
            /// use std::sync::Arc;
            /// use cryptable::{Engine, EvaluationKey, Execution, Parameters, ReadOptions, SecretKey};
            /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
            /// let mut file = Vec::new();
            /// secret.write_evaluation_key(&mut file, Execution::default())?;
            /// // Toys are insecure; a server should accept them in tests only.
            /// let options = ReadOptions::default().allow_insecure();
            /// let server = EvaluationKey::from_shared(Arc::new(file), options)?;
            /// assert_eq!(server.key_id(), secret.id());
            /// # Ok::<(), cryptable::Error>(())
            /// ```
            ///
            /// # Errors
            /// If the bytes are not exactly one undamaged evaluation key, or if `options` refuse its parameters.
            pub fn from_shared(
                bytes: crate::SharedBytes,
                options: crate::ReadOptions,
            ) -> crate::Result<Self> {
                let found = cryptable_wire::peek_header((*bytes).as_ref())?.object_type;
                // Reading expands keys, which uses all threads.
                crate::Execution::default().run(|_| Ok(match found {
                    $(ObjectType::$evaluation => {
                        $module::EvaluationKey::from_shared(bytes, options)?.into()
                    })+
                    found => {
                        let expected = "an evaluation key";
                        return Err(crate::WireError::WrongKind { expected, found }.into());
                    }
                }))
            }
        }
    };
}

key_kinds! {
    /// Lookups of tens of thousands of values per ciphertext ([`Engine::Packed`]), with comparisons, dictionaries and
    /// columns.
    Packed = packed, "packed", PackedSecretKey, PackedEvaluationKey,
        [Bridged.packed, IntegerBridge.packed, LeveledBridge.packed];
    /// Lookups of single values in small tables ([`Engine::Single`]).
    Single = single, "single", SingleSecretKey, SingleEvaluationKey, [Bridged.single];
    /// Lookups of single values that the server may pack ([`crate::Request::inputs`]).
    Bridged = bridged, "single, packed", BridgedSecretKey, BridgedEvaluationKey, [];
    /// Lookups of single values in larger tables ([`Engine::Leveled`]).
    Leveled = leveled, "leveled", LeveledSecretKey, LeveledEvaluationKey, [LeveledBridge.single];
    /// Boolean gates on encrypted bits ([`crate::gates`]).
    Gates = gates, "gates", BooleanSecretKey, BooleanEvaluationKey, [];
    /// Functions of integers, one per ciphertext ([`crate::large_values`]).
    LargeValues = large_values, "large values", IntegerSecretKey, IntegerEvaluationKey,
        [IntegerBridge.single];
    /// Circuits on thousands of words at once ([`crate::circuits`]).
    Bits = bits, "circuits", SlotBitsSecretKey, SlotBitsEvaluationKey, [];
    /// Arithmetic on vectors of real and complex numbers ([`crate::ckks`]).
    Ckks = ckks, "ckks", VectorSecretKey, VectorEvaluationKey, [];
    /// Conversion of AES-128 ciphertexts into homomorphic ones ([`crate::transciphering`]).
    Transciphering = transciphering, "transciphering",
        TranscipheringSecretKey, TranscipheringEvaluationKey, [];
    /// Packed lookups whose results become integers, and back ([`crate::bridges`]).
    IntegerBridge = integer_bridge, "bridge of packed values and integers",
        IntegerBridgeSecretKeys, IntegerBridgeEvaluationKeys, [];
    /// Packed lookups whose results become leveled values, and back ([`crate::bridges`]).
    LeveledBridge = leveled_bridge, "bridge of packed and leveled values",
        LeveledBridgeSecretKeys, LeveledBridgeEvaluationKeys, [];
}

/// Evaluates the same expression on the object of whichever kind the enum holds.
macro_rules! each_kind {
    ($object:expr, $inner:ident => $expression:expr) => {
        match $object {
            Self::Packed($inner) => $expression,
            Self::Single($inner) => $expression,
            Self::Bridged($inner) => $expression,
            Self::Leveled($inner) => $expression,
            Self::Gates($inner) => $expression,
            Self::LargeValues($inner) => $expression,
            Self::Bits($inner) => $expression,
            Self::Ckks($inner) => $expression,
            Self::Transciphering($inner) => $expression,
            Self::IntegerBridge($inner) => $expression,
            Self::LeveledBridge($inner) => $expression,
        }
    };
}

pub(super) use each_kind;

impl KeyKind {
    /// Returns the kind of a secret, public, evaluation or rekeying key, given its type in files.
    pub(crate) fn of(object: ObjectType) -> Option<Self> {
        let is_key = |kind: &&Self| {
            [kind.secret_key(), kind.evaluation_key()].contains(&object)
                || [kind.public_key(), kind.rekeying_key()].contains(&Some(object))
        };
        Self::ALL.iter().find(is_key).copied()
    }

    /// Returns the type of a public key of this kind in files, if there are any.
    pub(crate) fn public_key(self) -> Option<ObjectType> {
        match self {
            Self::Packed => Some(ObjectType::PackedPublicKey),
            Self::Single => Some(ObjectType::SinglePublicKey),
            Self::Leveled => Some(ObjectType::LeveledPublicKey),
            Self::Gates => Some(ObjectType::BooleanPublicKey),
            Self::LargeValues => Some(ObjectType::IntegerPublicKey),
            Self::Ckks => Some(ObjectType::VectorPublicKey),
            Self::Bits => Some(ObjectType::SlotBitsPublicKey),
            Self::Transciphering => Some(ObjectType::TranscipheringPublicKey),
            Self::Bridged | Self::IntegerBridge | Self::LeveledBridge => None,
        }
    }

    /// Returns the type of a rekeying key of this kind, if there are any.
    fn rekeying_key(self) -> Option<ObjectType> {
        match self {
            Self::Packed => Some(ObjectType::PackedRekeyingKey),
            Self::Single => Some(ObjectType::SingleRekeyingKey),
            Self::Leveled => Some(ObjectType::LeveledRekeyingKey),
            _ => None,
        }
    }

    /// Returns the engine that keys of this kind belong to; `None` if they belong to several, or are not for lookups.
    #[must_use]
    pub fn engine(self) -> Option<Engine> {
        match self {
            Self::Packed => Some(Engine::Packed),
            Self::Single | Self::Bridged => Some(Engine::Single),
            Self::Leveled => Some(Engine::Leveled),
            _ => None,
        }
    }

    /// Returns the error for an object of kind `found` where one of this kind is needed.
    fn is_not(self, found: Self, object: &'static str) -> Error {
        match self {
            Self::Bridged => not_bridged(found.name()),
            _ => Error::OtherKind { object, expected: self.name(), found: found.name() },
        }
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
