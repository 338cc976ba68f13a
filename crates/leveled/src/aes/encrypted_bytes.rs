//! Encrypted bytes: eight LWE ciphertexts of a bit each, the lowest first, with the digest of their parameters.

use std::borrow::Cow;

use cryptable_lattice::error::out_of_range;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Binding, Result};
use cryptable_wire::KeyId;

use super::block::EncryptedByte;
use super::parameters::Parameters;

/// Bits, and ciphertexts, of a byte.
pub(super) const BITS: usize = 8;

/// Bytes, encrypted bit by bit under one client's key.
///
/// Fresh bytes take eight words of a file each, masks being a seed; computed ones 8(N + 1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedBytes {
    binding: Binding,
    list: LweList,
}

impl EncryptedBytes {
    /// Bytes, a ciphertext for every bit.
    pub(super) fn new(binding: Binding, list: LweList) -> Self {
        debug_assert!(list.len().is_multiple_of(BITS), "bits of bytes");
        Self { binding, list }
    }

    /// Bytes that were computed under keys of this client.
    ///
    /// # Errors
    /// If a byte has not eight bits, or a bit is of other parameters.
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

    /// The number of bytes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len() / BITS
    }

    /// The identifier of the secret key that decrypts them.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// The digest of the parameters that they were encrypted or computed under.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.binding.parameter_digest
    }

    /// The parameters and the client that they belong to.
    pub(super) fn binding(&self) -> &Binding {
        &self.binding
    }

    /// Whether masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.list.is_fresh()
    }

    /// The LWE ciphertexts.
    pub(super) fn list(&self) -> &LweList {
        &self.list
    }

    /// A byte, its lowest bit first.
    ///
    /// # Panics
    /// If there is no such byte.
    #[must_use]
    pub fn byte(&self, index: usize) -> EncryptedByte {
        (BITS * index..BITS * (index + 1)).map(|i| self.list.ciphertext(i)).collect()
    }

    /// Checks that they belong to these parameters and this client, in every number that later code relies on: of the secret key,
    /// of a public key, or computed.
    ///
    /// # Errors
    /// [`cryptable_lattice::Error::OtherParameters`], [`cryptable_lattice::Error::OtherClient`]; if a size differs.
    pub fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("encrypted bytes", expected)?;
        let circuit = parameters.circuit_bootstrapping();
        self.list.check_either(circuit.lwe_shape(), circuit.fhew().public_shape())
    }

    /// Returns the bytes modulo Q, to which those of public keys are switched. They were checked.
    pub(super) fn switched(&self, parameters: &Parameters) -> Cow<'_, Self> {
        match parameters.circuit_bootstrapping().switched(&self.list) {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(list) => Cow::Owned(Self::new(self.binding, list)),
        }
    }
}
