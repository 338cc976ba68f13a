//! Ciphertexts of integers, of their digits and of small values.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Error, Result};
use cryptable_wire::KeyId;

use super::Parameters;
use crate::binding::Binding;

/// What values of a ciphertext of large precision are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Two's complement of [`Parameters::bits`]; whether they are results.
    Signed { computed: bool },
    /// Not negative, of one bit less: what ReLU and maximum give.
    Unsigned,
}

/// Signed integers of [`Parameters::bits`] bits, any number of them, an LWE ciphertext under the ring secret each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedIntegers {
    binding: Binding,
    encoding: Encoding,
    values: LweList,
}

/// One integer as digits of base 8, the lowest first, an LWE ciphertext each: unsigned, or in two's complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RadixInteger {
    binding: Binding,
    digits: Vec<LweCiphertext>,
}

/// Values below a small modulus, any number of them, an LWE ciphertext each: signs, comparisons, results of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallValues {
    binding: Binding,
    modulus: u64,
    values: LweList,
}

impl EncryptedIntegers {
    pub(super) fn new(binding: Binding, encoding: Encoding, values: LweList) -> Self {
        Self { binding, encoding, values }
    }

    /// The number of integers.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Identifier of the client's key under which they are encrypted.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(super) fn ciphertext(&self, index: usize) -> LweCiphertext {
        self.values.ciphertext(index)
    }

    /// Demands that they belong to a key.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("ciphertext of integers", expected)?;
        self.values.check(parameters.large_shape())
    }

    /// Demands that functions take them: in noise, and in encoding.
    pub(super) fn check_input(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.check(parameters, expected)?;
        let found = match self.encoding {
            Encoding::Signed { computed: false } => return Ok(()),
            Encoding::Signed { computed: true } if parameters.results_are_inputs() => return Ok(()),
            Encoding::Signed { computed: true } => "a result of a function",
            Encoding::Unsigned => "a result of ReLU or maximum, of one bit less",
        };
        let bits = parameters.bits();
        Err(Error::mismatch(
            "input of the function",
            found,
            format!("fresh integers of {bits} bits"),
        ))
    }
}

impl RadixInteger {
    pub(super) fn new(binding: Binding, digits: Vec<LweCiphertext>) -> Self {
        Self { binding, digits }
    }

    /// The number of digits.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.digits.len()
    }

    /// Identifier of the client's key under which it is encrypted.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    pub(super) fn ciphertexts(&self) -> &[LweCiphertext] {
        &self.digits
    }

    /// Demands that it belongs to a key.
    pub(super) fn check(&self, expected: &Binding) -> Result<()> {
        self.binding.check("radix integer", expected)
    }
}

impl SmallValues {
    pub(super) fn new(
        binding: Binding,
        parameters: &Parameters,
        modulus: u64,
        values: Vec<LweCiphertext>,
    ) -> Result<Self> {
        Ok(Self { binding, modulus, values: LweList::computed(parameters.small_shape(), values)? })
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Modulus of the values; signs and comparisons are 0 or 1 modulo 16.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Identifier of the client's key under which they are encrypted.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    pub(super) fn ciphertext(&self, index: usize) -> LweCiphertext {
        self.values.ciphertext(index)
    }

    /// Demands that they belong to a key.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("ciphertext of small values", expected)?;
        self.values.check(parameters.small_shape())
    }
}
