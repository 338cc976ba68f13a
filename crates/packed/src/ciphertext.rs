//! Ciphertexts as callers see them.

use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, UniformPart};
use cryptable_wire::{ObjectType, peek_header, read_object, short_hex, write_object};

use crate::Parameters;
use cryptable_lattice::error::{Error, Result};

/// Longest body of a ciphertext: two polynomials of the largest ring degree.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 24;

/// Largest modulus of values.
pub(crate) const MAX_MODULUS: u64 = 1 << 24;

/// Encrypted integers of one modulus, of one parameter set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    parameter_digest: [u8; 32],
    body: CoefficientCiphertext,
}

impl Ciphertext {
    pub(crate) fn new(parameter_digest: [u8; 32], body: CoefficientCiphertext) -> Self {
        Self { parameter_digest, body }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.body.layout.count
    }

    /// The modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.body.plaintext_modulus
    }

    /// The digest of its parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// Whether its uniform half is a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        matches!(self.body.a, UniformPart::Seed(_))
    }

    /// The ciphertext in its wire format.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let body = self.body.to_body();
        write_object(&mut bytes, ObjectType::PackedCiphertext, &self.parameter_digest, &body)
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::PackedCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let body = CoefficientCiphertext::from_body(body)?;
        Ok(Self { parameter_digest: peek_header(bytes)?.parameter_digest, body })
    }

    /// Checks that it belongs to these parameters, in every number that later code relies on: a file
    /// may claim anything.
    ///
    /// # Errors
    /// If the digest or a size differs, or its values have another modulus than the one given (a
    /// modulus that results may not have, if `None`).
    pub(crate) fn check(&self, parameters: &Parameters, modulus: Option<u64>) -> Result<()> {
        let literal = parameters.literal();
        let layout = self.body.layout;
        let checks = [
            (
                "parameter digest",
                short_hex(&self.parameter_digest),
                short_hex(&parameters.digest()),
            ),
            ("ring degree", layout.ring_degree.to_string(), literal.ring_degree.to_string()),
            ("number of slots", layout.slots.to_string(), literal.slots.to_string()),
            (
                "log2 of the modulus",
                self.body.log2_modulus.to_string(),
                literal.log2_ciphertext_modulus.to_string(),
            ),
        ];
        for (name, found, expected) in checks {
            if found != expected {
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        let found = self.modulus();
        let (valid, expected) = match modulus {
            Some(modulus) => (found == modulus, modulus.to_string()),
            // Results have the output modulus; digits and functions of them have others.
            None => ((2..=MAX_MODULUS).contains(&found), format!("2 to {MAX_MODULUS}")),
        };
        if !valid {
            let found = found.to_string();
            return Err(Error::Mismatch { name: "modulus of the values", found, expected });
        }
        Ok(())
    }

    /// The RLWE ciphertext.
    #[must_use]
    pub fn body(&self) -> &CoefficientCiphertext {
        &self.body
    }
}
