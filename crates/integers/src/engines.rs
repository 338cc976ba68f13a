//! The engines that integers run on.
//!
//! Keys and ciphertexts of both engines have the same methods; differences are in one file per engine.

pub(crate) mod packed;
pub(crate) mod single;

/// Implements sums, lookups and bytes of digits by the methods of an engine's key and ciphertext.
macro_rules! delegate_digits {
    ($key:ty, $ciphertext:ty, $table:ty, engine $number:literal) => {
        const _: () = {
            use cryptable_lattice::{NoiseBound, Progress, Result, Table};
            use cryptable_wire::KeyId;

            use $crate::digit_arithmetic::{DigitArithmetic, LookupModel};
            use $crate::serialization::DigitCiphertext;

            impl DigitArithmetic for $key {
                type Ciphertext = $ciphertext;
                type Table = $table;

                fn model(&self) -> &dyn LookupModel {
                    self.parameters()
                }

                fn noise(&self, x: &Self::Ciphertext) -> NoiseBound {
                    x.noise()
                }

                fn count(&self, x: &Self::Ciphertext) -> usize {
                    x.count()
                }

                fn add(
                    &self,
                    x: &Self::Ciphertext,
                    y: &Self::Ciphertext,
                ) -> Result<Self::Ciphertext> {
                    self.add(x, y)
                }

                fn mul_scalar(
                    &self,
                    x: &Self::Ciphertext,
                    factor: i64,
                ) -> Result<Self::Ciphertext> {
                    self.mul_scalar(x, factor)
                }

                fn add_plain(
                    &self,
                    x: &Self::Ciphertext,
                    constants: &[u64],
                ) -> Result<Self::Ciphertext> {
                    self.add_plain(x, constants)
                }

                fn prepare(&self, table: &Table) -> Result<Self::Table> {
                    self.prepare(table)
                }

                fn look_up(
                    &self,
                    x: &Self::Ciphertext,
                    tables: &[Self::Table],
                    progress: Progress<'_>,
                ) -> Result<Vec<Self::Ciphertext>> {
                    self.lookup_many(x, &tables.iter().collect::<Vec<_>>(), progress)
                }
            }

            impl DigitCiphertext for $ciphertext {
                const ENGINE: u16 = $number;

                fn modulus(&self) -> u64 {
                    self.modulus()
                }

                fn count(&self) -> usize {
                    self.count()
                }

                fn parameter_digest(&self) -> [u8; 32] {
                    self.parameter_digest()
                }

                fn key_id(&self) -> KeyId {
                    self.key_id()
                }

                fn is_fresh(&self) -> bool {
                    self.is_fresh()
                }

                fn to_bytes(&self) -> Vec<u8> {
                    self.to_bytes()
                }

                fn from_bytes(bytes: &[u8]) -> Result<Self> {
                    Self::from_bytes(bytes)
                }
            }
        };
    };
}
use delegate_digits;

/// Implements encryption of digits by the methods of an engine's secret and public keys, and decryption by those of the
/// secret key.
#[cfg(feature = "client")]
macro_rules! delegate_encryption {
    ($secret:ty, $public:ty, $ciphertext:ty) => {
        const _: () = {
            use cryptable_lattice::Result;

            use $crate::digit_arithmetic::DigitDecryption;

            $crate::engines::delegate_encryption!($secret, $ciphertext);
            $crate::engines::delegate_encryption!($public, $ciphertext);

            impl DigitDecryption for $secret {
                fn decrypt(&self, x: &Self::Ciphertext) -> Result<Vec<u64>> {
                    self.decrypt(x)
                }
            }
        };
    };
    ($key:ty, $ciphertext:ty) => {
        const _: () = {
            use $crate::digit_arithmetic::DigitEncryption;

            impl DigitEncryption for $key {
                type Ciphertext = $ciphertext;

                fn modulus(&self) -> u64 {
                    self.parameters().input_modulus()
                }

                fn encrypt(&self, values: &[u64]) -> Result<Self::Ciphertext> {
                    self.encrypt(values)
                }
            }
        };
    };
}
#[cfg(feature = "client")]
use delegate_encryption;
