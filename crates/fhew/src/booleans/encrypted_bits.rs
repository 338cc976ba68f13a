//! Ciphertexts of Boolean values.

use std::ops::Not;

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Binding, Error, Result};
use cryptable_wire::{KeyId, ObjectType};

use super::Parameters;
use crate::gates::Gates;
use crate::serialization::{bound_ciphertext, ciphertext_bytes, read_ciphertext};

/// Name of a ciphertext in errors.
const OBJECT: &str = "ciphertext of bits";

/// Any number of Boolean values, each encrypted by itself. `!&bits` negates all of them without a bootstrap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedBits {
    binding: Binding,
    values: LweList,
}

impl EncryptedBits {
    bound_ciphertext!();

    #[cfg(feature = "client")]
    pub(super) fn new(binding: Binding, values: LweList) -> Self {
        Self { binding, values }
    }

    /// Wraps computed LWE ciphertexts.
    pub(super) fn computed(
        binding: Binding,
        parameters: &Parameters,
        values: Vec<LweCiphertext>,
    ) -> Result<Self> {
        Ok(Self { binding, values: LweList::computed(parameters.fhew().lwe_shape(), values)? })
    }

    /// Wraps a client's bits that another method computed: LWE ciphertexts of phase 1/8 or -1/8 of the modulus, with no
    /// more noise than results of gates.
    ///
    /// # Errors
    /// If the dimension or the modulus differs from that of the parameters.
    pub fn of_values(parameters: &Parameters, key_id: KeyId, values: LweList) -> Result<Self> {
        values.check(parameters.fhew().lwe_shape())?;
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Ok(Self { binding, values })
    }

    /// Returns the LWE ciphertexts, each of phase 1/8 (true) or -1/8 (false) of the modulus.
    #[must_use]
    pub fn values(&self) -> &LweList {
        &self.values
    }

    /// Returns the bit at `index`, as a ciphertext of its own.
    ///
    /// # Errors
    /// If `index` is not below the number of bits.
    pub fn bit(&self, index: usize) -> Result<Self> {
        let (value, limit) = (index as u64, self.count() as u64);
        if value >= limit {
            return Err(Error::ValueOutOfRange { index: 0, value, limit });
        }
        let values = LweList::computed(self.values.shape(), [self.values.ciphertext(index)])?;
        Ok(Self { binding: self.binding, values })
    }

    /// Joins several ciphertexts of one client into one, in order.
    ///
    /// # Errors
    /// If there is no ciphertext, or they belong to different clients or parameters.
    pub fn join(parts: &[&Self]) -> Result<Self> {
        let [first, ..] = parts else {
            let (name, value, limit) = ("number of ciphertexts", 0, 1);
            return Err(Error::TooSmall { name, value, limit });
        };
        parts.iter().try_for_each(|part| part.binding.check(OBJECT, &first.binding))?;
        let all = parts.iter().flat_map(|part| part.ciphertexts());
        Ok(Self { binding: first.binding, values: LweList::computed(first.values.shape(), all)? })
    }

    /// Returns the bits in their wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        ciphertext_bytes(&self.binding, ObjectType::EncryptedBits, |_| Ok(()), &self.values)
    }

    /// Reads bits.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of bits.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::EncryptedBits;
        let (binding, (), values) = read_ciphertext(bytes, object_type, usize::MAX, |_| Ok(()))?;
        Ok(Self { binding, values })
    }

    pub(super) fn ciphertexts(&self) -> impl Iterator<Item = LweCiphertext> + '_ {
        (0..self.count()).map(|index| self.ciphertext(index))
    }

    pub(super) fn ciphertext(&self, index: usize) -> LweCiphertext {
        self.values.ciphertext(index)
    }

    /// Checks that the bits belong to a key.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check(OBJECT, expected)?;
        let fhew = parameters.fhew();
        self.values.check_either(fhew.lwe_shape(), fhew.public_shape())
    }
}

impl Not for &EncryptedBits {
    type Output = EncryptedBits;

    fn not(self) -> EncryptedBits {
        let negated = self.ciphertexts().map(|bit| Gates::not(&bit));
        let values = LweList::computed(self.values.shape(), negated).expect("the same shape");
        EncryptedBits { binding: self.binding, values }
    }
}
