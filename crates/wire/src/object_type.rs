//! What files hold, by number.

use std::fmt;

/// What a file holds. Numbers are part of the format: new types are added, none changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[repr(u16)]
pub enum ObjectType {
    /// A parameter set.
    Parameters = 1,
    /// A client's secret key for packed values.
    PackedSecretKey = 2,
    /// A server's switching keys for packed values.
    PackedEvaluationKey = 3,
    /// Packed encrypted values, fresh or computed.
    PackedCiphertext = 4,
    /// Encrypted tables, one a value.
    EncryptedTables = 5,
    /// A client's secret key for single values.
    SingleSecretKey = 6,
    /// A server's bootstrapping keys for single values.
    SingleEvaluationKey = 7,
    /// LWE ciphertexts of single values.
    SingleCiphertext = 8,
    /// A client's secret key for transciphering.
    TranscipheringSecretKey = 9,
    /// A server's keys for transciphering.
    TranscipheringEvaluationKey = 10,
    /// Bytes, encrypted bit by bit.
    EncryptedBytes = 11,
    /// Round keys of AES-128, encrypted bit by bit.
    EncryptedRoundKeys = 12,
    /// A key that packs LWE ciphertexts.
    PackingKey = 13,
    /// A key for private switching of LWE ciphertexts.
    PrivateSwitchingKey = 14,
    /// A client's secret key for leveled values.
    LeveledSecretKey = 15,
    /// A server's keys for leveled values.
    LeveledEvaluationKey = 16,
    /// Leveled values: digits of a few bits each.
    LeveledCiphertext = 17,
    /// A client's secret key for Boolean gates.
    BooleanSecretKey = 18,
    /// A server's keys for Boolean gates.
    BooleanEvaluationKey = 19,
    /// LWE ciphertexts of bits for Boolean gates.
    EncryptedBits = 20,
    /// A client's secret key for functions of integers.
    IntegerSecretKey = 21,
    /// A server's keys for functions of integers.
    IntegerEvaluationKey = 22,
    /// LWE ciphertexts of whole integers.
    EncryptedIntegers = 23,
    /// LWE ciphertexts of the digits of one integer.
    RadixInteger = 24,
    /// LWE ciphertexts of signs, comparisons and results of tables of digits.
    SmallValues = 25,
    /// A message by AES-128 in counter mode.
    AesMessage = 26,
    /// A client's secret key for bits in slots.
    SlotBitsSecretKey = 27,
    /// A server's switching keys for bits in slots.
    SlotBitsEvaluationKey = 28,
    /// Encrypted bits in slots.
    SlotBitsCiphertext = 29,
    /// A key that packs LWE ciphertexts into one RLWE ciphertext of a packed method.
    RingPackingKey = 30,
    /// A key that takes LWE ciphertexts out of an RLWE ciphertext of a packed method.
    ExtractionKey = 31,
    /// Words of encrypted bits in slots: what stands before their ciphertexts.
    SlotBitsWords = 32,
    /// Values in the coefficients of an RLWE ciphertext at the bottom of its chain.
    SlotBitsCoefficients = 33,
    /// A client's secret keys for single values that may be packed.
    BridgedSecretKey = 36,
    /// A server's keys for single values, for packed ones, and between both.
    BridgedEvaluationKey = 37,
    /// A client's secret key for vectors of real and complex numbers.
    VectorSecretKey = 40,
    /// A server's switching keys for vectors.
    VectorEvaluationKey = 41,
    /// An encrypted vector.
    VectorCiphertext = 42,
    /// A server's keys between packed values and integers.
    IntegerBridgeKey = 44,
    /// A server's keys between packed values and leveled ones.
    LeveledBridgeKey = 45,
    /// A client's secret keys for packed values and integers.
    IntegerBridgeSecretKeys = 46,
    /// A server's keys for packed values, for integers, and between both.
    IntegerBridgeEvaluationKeys = 47,
    /// A client's secret keys for packed values and leveled ones.
    LeveledBridgeSecretKeys = 48,
    /// A server's keys for packed values, for leveled ones, and between both.
    LeveledBridgeEvaluationKeys = 49,
    /// A part of a column of integers in digits, or of booleans.
    IntegerColumn = 50,
}

impl ObjectType {
    /// All types.
    const ALL: [Self; 45] = [
        Self::Parameters,
        Self::PackedSecretKey,
        Self::PackedEvaluationKey,
        Self::PackedCiphertext,
        Self::EncryptedTables,
        Self::SingleSecretKey,
        Self::SingleEvaluationKey,
        Self::SingleCiphertext,
        Self::TranscipheringSecretKey,
        Self::TranscipheringEvaluationKey,
        Self::EncryptedBytes,
        Self::EncryptedRoundKeys,
        Self::PackingKey,
        Self::PrivateSwitchingKey,
        Self::LeveledSecretKey,
        Self::LeveledEvaluationKey,
        Self::LeveledCiphertext,
        Self::BooleanSecretKey,
        Self::BooleanEvaluationKey,
        Self::EncryptedBits,
        Self::IntegerSecretKey,
        Self::IntegerEvaluationKey,
        Self::EncryptedIntegers,
        Self::RadixInteger,
        Self::SmallValues,
        Self::AesMessage,
        Self::SlotBitsSecretKey,
        Self::SlotBitsEvaluationKey,
        Self::SlotBitsCiphertext,
        Self::RingPackingKey,
        Self::ExtractionKey,
        Self::SlotBitsWords,
        Self::SlotBitsCoefficients,
        Self::BridgedSecretKey,
        Self::BridgedEvaluationKey,
        Self::VectorSecretKey,
        Self::VectorEvaluationKey,
        Self::VectorCiphertext,
        Self::IntegerBridgeKey,
        Self::LeveledBridgeKey,
        Self::IntegerBridgeSecretKeys,
        Self::IntegerBridgeEvaluationKeys,
        Self::LeveledBridgeSecretKeys,
        Self::LeveledBridgeEvaluationKeys,
        Self::IntegerColumn,
    ];

    /// Whether it is a client's secret key.
    #[must_use]
    pub const fn is_secret_key(self) -> bool {
        matches!(
            self,
            Self::PackedSecretKey
                | Self::SingleSecretKey
                | Self::BridgedSecretKey
                | Self::LeveledSecretKey
                | Self::TranscipheringSecretKey
                | Self::BooleanSecretKey
                | Self::IntegerSecretKey
                | Self::SlotBitsSecretKey
                | Self::VectorSecretKey
                | Self::IntegerBridgeSecretKeys
                | Self::LeveledBridgeSecretKeys
        )
    }

    /// Whether it is a key that a client generates for a server, whole or for one operation.
    #[must_use]
    pub const fn is_evaluation_key(self) -> bool {
        matches!(
            self,
            Self::PackedEvaluationKey
                | Self::SingleEvaluationKey
                | Self::BridgedEvaluationKey
                | Self::LeveledEvaluationKey
                | Self::TranscipheringEvaluationKey
                | Self::BooleanEvaluationKey
                | Self::IntegerEvaluationKey
                | Self::SlotBitsEvaluationKey
                | Self::VectorEvaluationKey
                | Self::IntegerBridgeKey
                | Self::LeveledBridgeKey
                | Self::IntegerBridgeEvaluationKeys
                | Self::LeveledBridgeEvaluationKeys
                | Self::PackingKey
                | Self::PrivateSwitchingKey
                | Self::RingPackingKey
                | Self::ExtractionKey
        )
    }

    pub(crate) fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|&object_type| object_type as u16 == number)
    }
}

impl fmt::Display for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parameters => "parameters",
            Self::PackedSecretKey => "a secret key for packed values",
            Self::PackedEvaluationKey => "an evaluation key for packed values",
            Self::PackedCiphertext => "a ciphertext of packed values",
            Self::EncryptedTables => "encrypted tables",
            Self::SingleSecretKey => "a secret key for single values",
            Self::SingleEvaluationKey => "an evaluation key for single values",
            Self::SingleCiphertext => "a ciphertext of single values",
            Self::TranscipheringSecretKey => "a secret key for transciphering",
            Self::TranscipheringEvaluationKey => "an evaluation key for transciphering",
            Self::EncryptedBytes => "bytes encrypted bit by bit",
            Self::EncryptedRoundKeys => "encrypted round keys of AES-128",
            Self::PackingKey => "a packing key",
            Self::PrivateSwitchingKey => "a private switching key",
            Self::LeveledSecretKey => "a secret key for leveled values",
            Self::LeveledEvaluationKey => "an evaluation key for leveled values",
            Self::LeveledCiphertext => "a ciphertext of leveled values",
            Self::BooleanSecretKey => "a secret key for Boolean gates",
            Self::BooleanEvaluationKey => "an evaluation key for Boolean gates",
            Self::EncryptedBits => "a ciphertext of bits",
            Self::IntegerSecretKey => "a secret key for functions of integers",
            Self::IntegerEvaluationKey => "an evaluation key for functions of integers",
            Self::EncryptedIntegers => "a ciphertext of integers",
            Self::RadixInteger => "a ciphertext of a radix integer",
            Self::SmallValues => "a ciphertext of small values",
            Self::AesMessage => "a message by AES-128 in counter mode",
            Self::SlotBitsSecretKey => "a secret key for bits in slots",
            Self::SlotBitsEvaluationKey => "an evaluation key for bits in slots",
            Self::SlotBitsCiphertext => "a ciphertext of bits in slots",
            Self::RingPackingKey => "a ring packing key",
            Self::ExtractionKey => "an extraction key",
            Self::SlotBitsWords => "words of bits in slots",
            Self::SlotBitsCoefficients => "values in coefficients for bits in slots",
            Self::BridgedSecretKey => "a secret key for single values, packed on the way",
            Self::BridgedEvaluationKey => "an evaluation key for single values, packed on the way",
            Self::VectorSecretKey => "a secret key for vectors",
            Self::VectorEvaluationKey => "an evaluation key for vectors",
            Self::VectorCiphertext => "a ciphertext of a vector",
            Self::IntegerBridgeKey => "a bridge key between packed values and integers",
            Self::LeveledBridgeKey => "a bridge key between packed values and leveled ones",
            Self::IntegerBridgeSecretKeys => "secret keys for packed values and integers",
            Self::IntegerBridgeEvaluationKeys => "evaluation keys for packed values and integers",
            Self::LeveledBridgeSecretKeys => "secret keys for packed values and leveled ones",
            Self::LeveledBridgeEvaluationKeys => {
                "evaluation keys for packed values and leveled ones"
            }
            Self::IntegerColumn => "a column of integers in digits",
        })
    }
}
