//! Encrypted bytes: eight LWE ciphertexts per byte, one per bit, the lowest first, with the digest of their parameters.

use std::borrow::Cow;

use cryptable_lattice::error::out_of_range;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Binding, Result};
use cryptable_wire::KeyId;

use super::block::EncryptedByte;
use super::parameters::Parameters;

/// Number of bits, and of ciphertexts, per byte.
pub(super) const BITS: usize = 8;

/// Bytes, encrypted bit by bit under one client's key.
///
/// A fresh byte has eight words in a file, since masks are a seed; a computed byte has 8(N + 1) words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedBytes {
    binding: Binding,
    list: LweList,
}

impl EncryptedBytes {
    /// Wraps bytes, given by one ciphertext per bit.
    pub(super) fn new(binding: Binding, list: LweList) -> Self {
        debug_assert!(list.len().is_multiple_of(BITS), "bits of bytes");
        Self { binding, list }
    }

    /// Wraps bytes that were computed under keys of this client.
    ///
    /// # Errors
    /// If a byte does not have eight bits, or a bit belongs to other parameters.
    pub fn computed(
        parameters: &Parameters,
        key_id: KeyId,
        bytes: impl IntoIterator<Item = EncryptedByte>,
    ) -> Result<Self> {
        let shape = parameters.circuit_bootstrapping().lwe_shape();
        let mut list = LweList::computed(shape, [])?;
        for byte in bytes {
            if byte.len() != BITS {
                let (name, found) = ("number of bits of a byte", byte.len() as u64);
                return Err(out_of_range(name, found, format!("a byte has {BITS}")));
            }
            list.append(LweList::computed(shape, byte)?);
        }
        Ok(Self::new(Binding { parameter_digest: parameters.digest(), key_id }, list))
    }

    /// Returns the number of bytes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len() / BITS
    }

    /// Returns the identifier of the secret key that decrypts the bytes.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// Returns the digest of the parameters under which the bytes were encrypted or computed.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.binding.parameter_digest
    }

    /// Returns the parameters and the client to which the bytes belong.
    pub(super) fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Returns whether the masks are still a seed: true if nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.list.is_fresh()
    }

    /// Returns the LWE ciphertexts.
    pub(super) fn list(&self) -> &LweList {
        &self.list
    }

    /// Returns a byte, its lowest bit first.
    ///
    /// # Panics
    /// If there is no such byte.
    #[must_use]
    pub fn byte(&self, index: usize) -> EncryptedByte {
        (BITS * index..BITS * (index + 1)).map(|i| self.list.ciphertext(i)).collect()
    }

    /// Checks that the bytes belong to these parameters and this client, and every number that later code relies on. The bytes
    /// may be encrypted with the secret key, with a public key, or computed.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::OtherParameters`], [`cryptable_lattice::Error::OtherClient`], or if a size differs.
    pub fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("encrypted bytes", expected)?;
        let circuit = parameters.circuit_bootstrapping();
        self.list.check_either(circuit.lwe_shape(), circuit.fhew().public_shape())
    }

    /// Returns the bytes modulo Q, to which bytes under public keys are switched. The bytes must have been checked.
    pub(super) fn switched(&self, parameters: &Parameters) -> Cow<'_, Self> {
        match parameters.circuit_bootstrapping().switched(&self.list) {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(list) => Cow::Owned(Self::new(self.binding, list)),
        }
    }
}
