//! Ciphertexts of single values.

use std::ops::Range;

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::lwe_list::{LweList, MAX_VALUES};
use cryptable_lattice::lwe_masks::MaskKind;
use cryptable_lattice::{Binding, NoiseBound};
use cryptable_wire::{BodyReader, BodyWriter, ObjectType};

use super::Parameters;
use super::request::MAX_MODULUS;
use crate::serialization::{bound_ciphertext, ciphertext_bytes, read_ciphertext};

/// Name of a ciphertext in errors.
const OBJECT: &str = "ciphertext of single values";

/// Any number of integers of one modulus, each encrypted by itself.
///
/// A fresh value needs one word of log2 q bits, since masks are a seed; a result needs n + 1 words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    binding: Binding,
    modulus: u64,
    noise: NoiseBound,
    values: LweList,
}

impl Ciphertext {
    bound_ciphertext!();

    /// Wraps LWE ciphertexts of values below a modulus, with a bound on their noise.
    pub(super) fn new(binding: Binding, modulus: u64, noise: NoiseBound, values: LweList) -> Self {
        Self { binding, modulus, noise, values }
    }

    /// Returns the modulus of the values: p if they are fresh, P if they are results.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.modulus
    }

    /// Returns the bound on the noise of every value. Every operation updates it; for a ciphertext from a file, the bound is
    /// the one that the file states.
    #[must_use]
    pub fn noise(&self) -> NoiseBound {
        self.noise
    }

    /// Returns whether the masks are still a seed: true if nothing was computed except sums with constants.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.values.is_fresh()
    }

    /// Returns the LWE ciphertexts, each of phase m·q/modulus.
    #[must_use]
    pub fn values(&self) -> &LweList {
        &self.values
    }

    /// Returns a range of the values, in their order.
    ///
    /// # Panics
    /// If the range exceeds the number of values.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        Self { values: self.values.slice(range), ..*self }
    }

    /// Returns whether a public key encrypted the values and no lookup or sum has switched them to the LWE secret.
    #[must_use]
    pub fn is_compact(&self) -> bool {
        self.values.mask_kind() == MaskKind::Ring
    }

    /// Checks that the ciphertext belongs to these parameters and this key, and every number that later code relies on.
    ///
    /// # Errors
    /// If the client, the parameters or the shape of LWE ciphertexts differ, or the modulus is neither p nor P; if the
    /// ciphertext claims less noise than a fresh one has, or more than can be decrypted.
    pub(super) fn check(&self, parameters: &Parameters, expected: &Binding) -> Result<()> {
        self.binding.check(OBJECT, expected)?;
        let public = parameters.fhew().public_shape();
        self.values.check_either(parameters.fhew().lwe_shape(), public)?;
        let moduli = [parameters.input_modulus(), parameters.output_modulus()];
        if !moduli.contains(&self.modulus) {
            let expected = moduli.map(|m| m.to_string()).join(" or ");
            return Err(Error::mismatch("modulus of the values", self.modulus, expected));
        }
        let is_public = self.values.shape() == public;
        let floor = parameters.noise().fresh();
        self.noise.check_floor(if is_public { parameters.public_noise() } else { floor })?;
        self.noise.check_decryption("decryption", self.modulus, parameters.stated_log2_fail())
    }

    /// Returns the ciphertext in its wire format: the key's identifier, the modulus, the bound on noise, the number and the
    /// shape of the LWE ciphertexts, then masks or their seed, and bodies, in packed bits.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let head = |writer: &mut BodyWriter<Vec<u8>>| {
            writer.u64(self.modulus)?;
            self.noise.write(writer)
        };
        ciphertext_bytes(&self.binding, ObjectType::SingleCiphertext, head, &self.values)
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext of at most [`MAX_VALUES`] single values.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let head = |reader: &mut BodyReader<'_>| {
            let modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
            Ok((modulus, NoiseBound::read(reader)?))
        };
        let object_type = ObjectType::SingleCiphertext;
        let (binding, (modulus, noise), values) =
            read_ciphertext(bytes, object_type, MAX_VALUES, head)?;
        Ok(Self { binding, modulus, noise, values })
    }
}
