//! Ciphertexts of integers, of their digits and of small values.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_list::{LweList, LweShape};
use cryptable_lattice::{Binding, Error, NoiseBound, Result};
use cryptable_wire::{BodyReader, BodyWriter, KeyId, ObjectType, WireError};

use super::{MAX_RADIX_DIGITS, Parameters};
use crate::serialization::{bound_ciphertext, ciphertext_bytes, read_ciphertext};

/// Largest modulus of small values.
const MAX_SMALL_MODULUS: u64 = 1 << 13;

/// Flag next to the modulus in files: the values have the noise of one bootstrap. Without it they may have any noise that
/// still decrypts.
const OF_BOOTSTRAP: u64 = 1 << 32;

/// Encoding of the values of a ciphertext of large precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Two's complement with [`Parameters::bits`] bits; `computed` says whether they are results.
    Signed { computed: bool },
    /// Not negative, with one bit less: results of ReLU and maximum.
    Unsigned,
    /// Two's complement, computed by another method, with a bound on its noise.
    Imported { noise: NoiseBound },
}

/// Any number of signed integers of [`Parameters::bits`] bits, each an LWE ciphertext under the ring secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedIntegers {
    binding: Binding,
    encoding: Encoding,
    values: LweList,
}

/// One integer, unsigned or in two's complement: digits of base 8, the lowest first, each an LWE ciphertext.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RadixInteger {
    binding: Binding,
    digits: Vec<LweCiphertext>,
}

/// Any number of values below a small modulus, each an LWE ciphertext: signs, comparisons, results of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallValues {
    binding: Binding,
    modulus: u64,
    /// Whether their noise is that of one bootstrap.
    of_bootstrap: bool,
    values: LweList,
}

impl EncryptedIntegers {
    bound_ciphertext!();

    pub(super) fn new(binding: Binding, encoding: Encoding, values: LweList) -> Self {
        Self { binding, encoding, values }
    }

    /// Returns the integers in their wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let encoding = match self.encoding {
            Encoding::Signed { computed: false } => 0,
            Encoding::Signed { computed: true } => 1,
            Encoding::Unsigned => 2,
            Encoding::Imported { .. } => 3,
        };
        let head = |writer: &mut BodyWriter<Vec<u8>>| {
            writer.u32(encoding)?;
            self.imported_noise().map_or(Ok(()), |noise| noise.write(writer))
        };
        ciphertext_bytes(&self.binding, ObjectType::EncryptedIntegers, head, &self.values)
    }

    /// Reads integers.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of integers.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let head = |reader: &mut BodyReader<'_>| match reader.u32("encoding of integers")? {
            0 => Ok(Encoding::Signed { computed: false }),
            1 => Ok(Encoding::Signed { computed: true }),
            2 => Ok(Encoding::Unsigned),
            3 => Ok(Encoding::Imported { noise: NoiseBound::read(reader)? }),
            other => Err(WireError::invalid("encoding of integers", other, "from 0 to 3").into()),
        };
        let object_type = ObjectType::EncryptedIntegers;
        let (binding, encoding, values) = read_ciphertext(bytes, object_type, usize::MAX, head)?;
        Ok(Self { binding, encoding, values })
    }

    /// Returns the bound on the noise of integers that another method computed.
    pub(super) fn imported_noise(&self) -> Option<NoiseBound> {
        match self.encoding {
            Encoding::Imported { noise } => Some(noise),
            Encoding::Signed { .. } | Encoding::Unsigned => None,
        }
    }

    pub(super) fn encoding(&self) -> Encoding {
        self.encoding
    }

    pub(super) fn ciphertext(&self, index: usize) -> LweCiphertext {
        self.values.ciphertext(index)
    }

    /// Checks that the values belong to a key.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("ciphertext of integers", expected)?;
        if let Some(noise) = self.imported_noise() {
            noise.check_floor(parameters.fresh_integer_noise())?;
        }
        self.values.check(parameters.large_shape())
    }

    /// Checks that functions accept the noise and the encoding of the values.
    pub(super) fn check_input(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.check(parameters, expected)?;
        let found = match self.encoding {
            Encoding::Signed { computed: false } => return Ok(()),
            Encoding::Imported { noise } => return parameters.check_integer_noise(noise),
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

    /// Returns the number of digits.
    #[must_use]
    pub fn digits(&self) -> usize {
        self.digits.len()
    }

    /// Returns the identifier of the client's key under which the integer is encrypted.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.binding.key_id
    }

    /// Returns the integer in its wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let first = &self.digits[0];
        let shape = LweShape { dimension: first.dimension(), modulus: first.modulus() };
        let digits = LweList::computed(shape, self.digits.iter().cloned()).expect("one shape");
        ciphertext_bytes(&self.binding, ObjectType::RadixInteger, |_| Ok(()), &digits)
    }

    /// Reads an integer.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of a radix integer.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let object_type = ObjectType::RadixInteger;
        let (binding, (), list) = read_ciphertext(bytes, object_type, usize::MAX, |_| Ok(()))?;
        if !(1..=MAX_RADIX_DIGITS).contains(&list.len()) {
            let expected = format!("from 1 to {MAX_RADIX_DIGITS}");
            return Err(WireError::invalid("number of digits", list.len(), expected).into());
        }
        let digits = (0..list.len()).map(|index| list.ciphertext(index)).collect();
        Ok(Self { binding, digits })
    }

    pub(super) fn ciphertexts(&self) -> &[LweCiphertext] {
        &self.digits
    }

    /// Checks that the integer belongs to a key.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("radix integer", expected)?;
        self.digits.iter().try_for_each(|digit| parameters.fhew().lwe_shape().check(digit))
    }
}

impl SmallValues {
    bound_ciphertext!();

    pub(super) fn new(
        binding: Binding,
        parameters: &Parameters,
        modulus: u64,
        values: Vec<LweCiphertext>,
    ) -> Result<Self> {
        let values = LweList::computed(parameters.fhew().lwe_shape(), values)?;
        Ok(Self { binding, modulus, of_bootstrap: false, values })
    }

    /// Marks the values as having the noise of one bootstrap.
    pub(super) fn of_bootstrap(mut self) -> Self {
        self.of_bootstrap = true;
        self
    }

    pub(super) fn is_of_bootstrap(&self) -> bool {
        self.of_bootstrap
    }

    /// Returns the modulus of the values; signs and comparisons are 0 or 1 modulo 16.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the values in their wire format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let flag = if self.of_bootstrap { OF_BOOTSTRAP } else { 0 };
        let head = |writer: &mut BodyWriter<Vec<u8>>| writer.u64(self.modulus | flag);
        ciphertext_bytes(&self.binding, ObjectType::SmallValues, head, &self.values)
    }

    /// Reads values.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of small values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let head = |reader: &mut BodyReader<'_>| {
            let word = reader.u64("modulus of the values")?;
            let modulus = word & !OF_BOOTSTRAP;
            if !(2..=MAX_SMALL_MODULUS).contains(&modulus) {
                let expected = format!("from 2 to {MAX_SMALL_MODULUS}");
                return Err(WireError::invalid("modulus of the values", modulus, expected).into());
            }
            Ok((modulus, word != modulus))
        };
        let object_type = ObjectType::SmallValues;
        let (binding, head, values) = read_ciphertext(bytes, object_type, usize::MAX, head)?;
        let (modulus, of_bootstrap) = head;
        Ok(Self { binding, modulus, of_bootstrap, values })
    }

    pub(super) fn ciphertext(&self, index: usize) -> LweCiphertext {
        self.values.ciphertext(index)
    }

    /// Checks that the values belong to a key.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check("ciphertext of small values", expected)?;
        self.values.check(parameters.fhew().lwe_shape())
    }
}
