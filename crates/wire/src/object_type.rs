//! Types of objects in files, by number.

use std::fmt;

/// Defines the enum of types from one list of types, numbers and names in messages, so that every type in the list can
/// be read and has a name.
macro_rules! object_types {
    ($($(#[$doc:meta])+ $name:ident = $number:literal, $text:literal;)+) => {
        /// Type of a file's content. Numbers are part of the format: new ones may be added, but none ever changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum ObjectType {
            $($(#[$doc])+ $name = $number,)+
        }

        impl ObjectType {
            pub(crate) fn from_number(number: u16) -> Option<Self> {
                match number {
                    $($number => Some(Self::$name),)+
                    _ => None,
                }
            }
        }

        impl fmt::Display for ObjectType {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Self::$name => $text,)+
                })
            }
        }
    };
}

object_types! {
    /// A parameter set.
    Parameters = 1, "parameters";
    /// A client's secret key for packed values.
    PackedSecretKey = 2, "a secret key for packed values";
    /// A server's switching keys for packed values.
    PackedEvaluationKey = 3, "an evaluation key for packed values";
    /// Packed encrypted values, fresh or computed.
    PackedCiphertext = 4, "a ciphertext of packed values";
    /// Encrypted tables, one per value.
    EncryptedTables = 5, "encrypted tables";
    /// A client's secret key for single values.
    SingleSecretKey = 6, "a secret key for single values";
    /// A server's bootstrapping keys for single values.
    SingleEvaluationKey = 7, "an evaluation key for single values";
    /// LWE ciphertexts of single values.
    SingleCiphertext = 8, "a ciphertext of single values";
    /// A client's secret key for transciphering.
    TranscipheringSecretKey = 9, "a secret key for transciphering";
    /// A server's keys for transciphering.
    TranscipheringEvaluationKey = 10, "an evaluation key for transciphering";
    /// Bytes, encrypted bit by bit.
    EncryptedBytes = 11, "bytes encrypted bit by bit";
    /// Round keys of AES-128, encrypted bit by bit.
    EncryptedRoundKeys = 12, "encrypted round keys of AES-128";
    /// A client's secret key for leveled values.
    LeveledSecretKey = 15, "a secret key for leveled values";
    /// A server's keys for leveled values.
    LeveledEvaluationKey = 16, "an evaluation key for leveled values";
    /// Leveled values: digits of a few bits each.
    LeveledCiphertext = 17, "a ciphertext of leveled values";
    /// A client's secret key for Boolean gates.
    BooleanSecretKey = 18, "a secret key for Boolean gates";
    /// A server's keys for Boolean gates.
    BooleanEvaluationKey = 19, "an evaluation key for Boolean gates";
    /// LWE ciphertexts of bits for Boolean gates.
    EncryptedBits = 20, "a ciphertext of bits";
    /// A client's secret key for functions of integers.
    IntegerSecretKey = 21, "a secret key for functions of integers";
    /// A server's keys for functions of integers.
    IntegerEvaluationKey = 22, "an evaluation key for functions of integers";
    /// LWE ciphertexts of whole integers.
    EncryptedIntegers = 23, "a ciphertext of integers";
    /// LWE ciphertexts of the digits of one integer.
    RadixInteger = 24, "a ciphertext of a radix integer";
    /// LWE ciphertexts of signs, comparisons and results of tables of digits.
    SmallValues = 25, "a ciphertext of small values";
    /// A message by AES-128 in counter mode.
    AesMessage = 26, "a message by AES-128 in counter mode";
    /// A client's secret key for bits in slots.
    SlotBitsSecretKey = 27, "a secret key for bits in slots";
    /// A server's switching keys for bits in slots.
    SlotBitsEvaluationKey = 28, "an evaluation key for bits in slots";
    /// Encrypted bits in slots.
    SlotBitsCiphertext = 29, "a ciphertext of bits in slots";
    /// A key that packs LWE ciphertexts into one RLWE ciphertext of a packed method.
    RingPackingKey = 30, "a ring packing key";
    /// A key that extracts LWE ciphertexts from an RLWE ciphertext of a packed method.
    ExtractionKey = 31, "an extraction key";
    /// Header of words of encrypted bits in slots, which precedes their ciphertexts.
    SlotBitsWords = 32, "words of bits in slots";
    /// Values in the coefficients of an RLWE ciphertext at the bottom of its chain.
    SlotBitsCoefficients = 33, "values in coefficients for bits in slots";
    /// A client's secret keys for single values that may be packed.
    BridgedSecretKey = 36, "a secret key for single values, packed on the way";
    /// A server's keys for single values, for packed ones, and between both.
    BridgedEvaluationKey = 37, "an evaluation key for single values, packed on the way";
    /// A client's secret key for vectors of real and complex numbers.
    VectorSecretKey = 40, "a secret key for vectors";
    /// A server's switching keys for vectors.
    VectorEvaluationKey = 41, "an evaluation key for vectors";
    /// An encrypted vector.
    VectorCiphertext = 42, "a ciphertext of a vector";
    /// A server's keys between packed values and integers.
    IntegerBridgeKey = 44, "a bridge key between packed values and integers";
    /// A server's keys between packed values and leveled ones.
    LeveledBridgeKey = 45, "a bridge key between packed values and leveled ones";
    /// A client's secret keys for packed values and integers.
    IntegerBridgeSecretKeys = 46, "secret keys for packed values and integers";
    /// A server's keys for packed values, for integers, and between both.
    IntegerBridgeEvaluationKeys = 47, "evaluation keys for packed values and integers";
    /// A client's secret keys for packed values and leveled ones.
    LeveledBridgeSecretKeys = 48, "secret keys for packed values and leveled ones";
    /// A server's keys for packed values, for leveled ones, and between both.
    LeveledBridgeEvaluationKeys = 49, "evaluation keys for packed values and leveled ones";
    /// A part of a column of integers in digits, or of booleans.
    IntegerColumn = 50, "a column of integers in digits";
    /// A public key, which encrypts packed values.
    PackedPublicKey = 51, "a public key for packed values";
    /// Results of packed lookups in a form that can only be decrypted.
    CompressedPackedResult = 57, "compressed results of packed lookups";
    /// Compressed results of packed lookups with short masks, under the client's second secret.
    ShortMaskResult = 88, "compressed results of packed lookups, with short masks";
    /// A key that turns packed values of one client into those of another.
    PackedRekeyingKey = 58, "a key that gives packed values a new owner";
    /// A key that turns results of single values of one client into those of another.
    SingleRekeyingKey = 63, "a key that gives results of single values a new owner";
    /// A key that turns results of leveled values of one client into those of another.
    LeveledRekeyingKey = 64, "a key that gives results of leveled values a new owner";
    /// A client's public key for single values.
    SinglePublicKey = 52, "a public key for single values";
    /// A client's public key for leveled values.
    LeveledPublicKey = 53, "a public key for leveled values";
    /// A client's public key for vectors.
    VectorPublicKey = 65, "a public key for vectors";
    /// A client's public key for Boolean gates.
    BooleanPublicKey = 54, "a public key for Boolean gates";
    /// A client's public key for functions of integers.
    IntegerPublicKey = 55, "a public key for functions of integers";
    /// A client's public key for bits in slots.
    SlotBitsPublicKey = 89, "a public key for bits in slots";
    /// A client's public key for transciphering.
    TranscipheringPublicKey = 90, "a public key for transciphering";
    /// A client's secret record of canaries in a ciphertext: their places and inputs.
    Canaries = 60, "canaries";
    /// Encrypted bits in slots, exact enough for partial decryptions.
    PreparedBits = 80, "bits for partial decryption";
    /// One owner's message in a joint decryption.
    PartialDecryption = 81, "a partial decryption";
    /// Results of lookups that the owners of a joint key decrypt together.
    JointResult = 82, "results for decryption by several owners";
    /// A share of an owner's part of a joint secret, dealt to one holder, so that fewer than all can decrypt.
    DealtShare = 86, "a dealt share of a joint secret key";
    /// A holder's share of a joint secret key. Decryption needs a quorum: one holder per owner of the key.
    ThresholdSecret = 87, "a holder's share of a joint secret key";
    /// Encrypted columns with names.
    EncryptedFrame = 61, "an encrypted frame";
    /// A server's keys for gates on bits that another library encrypted.
    ForeignGatesKey = 66, "keys for gates on bits of another library";
    /// Hashes that an owner of a joint key publishes before its shares.
    OwnerCommitment = 70, "an owner's commitment to its shares of a joint key";
    /// An owner's share of a joint public key and of the first round of joint relinearization keys.
    OwnerFirstShare = 71, "an owner's first share of a joint key";
    /// An owner's share of the joint switching keys that take one round.
    OwnerKeyShare = 72, "an owner's share of joint switching keys";
    /// An owner's share of the second round of joint relinearization keys.
    OwnerSecondShare = 73, "an owner's second share of a joint key";
    /// Parameters and masks that the owners of a joint key for packed values agree on.
    PackedOwnersSession = 74, "a session of several owners of packed values";
    /// An owner's part of a joint secret key for packed values.
    PackedOwnerSecret = 75, "an owner's part of a secret key for packed values";
    /// Parameters and masks that the owners of a joint key for bits in slots agree on.
    SlotBitsOwnersSession = 76, "a session of several owners of bits in slots";
    /// An owner's part of a joint secret key for bits in slots.
    SlotBitsOwnerSecret = 79, "an owner's part of a secret key for bits in slots";
}

impl ObjectType {
    /// Returns whether it is a client's secret key.
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
                | Self::PackedOwnerSecret
                | Self::SlotBitsOwnerSecret
                | Self::DealtShare
                | Self::ThresholdSecret
        )
    }

    /// Returns whether it is a key that can encrypt but not decrypt.
    #[must_use]
    pub const fn is_public_key(self) -> bool {
        matches!(
            self,
            Self::PackedPublicKey
                | Self::SinglePublicKey
                | Self::LeveledPublicKey
                | Self::BooleanPublicKey
                | Self::IntegerPublicKey
                | Self::VectorPublicKey
                | Self::SlotBitsPublicKey
                | Self::TranscipheringPublicKey
        )
    }

    /// Returns whether it is a key with which a server gives ciphertexts a new owner.
    #[must_use]
    pub const fn is_rekeying_key(self) -> bool {
        matches!(self, Self::PackedRekeyingKey | Self::SingleRekeyingKey | Self::LeveledRekeyingKey)
    }

    /// Returns whether it is a key that a client generates for a server, for all operations or a single one.
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
                | Self::RingPackingKey
                | Self::ExtractionKey
                | Self::ForeignGatesKey
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let found = (0..=u16::MAX).filter_map(|n| Some((n, ObjectType::from_number(n)?)));
        let found: Vec<_> = found.collect();
        assert!(found.iter().all(|&(number, object_type)| object_type as u16 == number));
        assert_eq!(found.first(), Some(&(1, ObjectType::Parameters)));
        let names: Vec<String> = found.iter().map(|(_, it)| it.to_string()).collect();
        assert!((1..names.len()).all(|i| !names[i..].contains(&names[i - 1])), "{names:?}");
        assert!(found.iter().all(|(_, it)| !(it.is_secret_key() && it.is_evaluation_key())));
    }
}
