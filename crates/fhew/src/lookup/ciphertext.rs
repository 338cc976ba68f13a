//! Ciphertexts of single values: any number of LWE ciphertexts.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::lwe_masks::Masks;
use cryptable_ring::random::Seed;
use cryptable_wire::bit_packing::{pack, unpack};
use cryptable_wire::{
    BodyReader, BodyWriter, ObjectType, WireError, peek_header, read_object, write_object,
};

use super::Parameters;
use cryptable_lattice::error::{Error, Result};
use cryptable_wire::short_hex;

/// Longest body, 16 GiB.
const MAX_CIPHERTEXT_BYTES: u64 = 1 << 34;

/// Largest LWE dimension that is read.
const MAX_DIMENSION: u32 = 4096;

/// Largest modulus of values.
const MAX_MODULUS: u64 = 1 << 24;

/// Encrypted integers of one modulus, each by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ciphertext {
    parameter_digest: [u8; 32],
    dimension: usize,
    log2_modulus: u32,
    plaintext_modulus: u64,
    masks: Masks,
    bodies: Vec<u64>,
}

impl Ciphertext {
    /// Fresh ciphertexts: bodies, and the seed of their masks.
    #[cfg(feature = "client")]
    pub(super) fn fresh(
        parameters: &Parameters,
        plaintext_modulus: u64,
        seed: Seed,
        bodies: Vec<u64>,
    ) -> Self {
        Self {
            parameter_digest: parameters.digest(),
            dimension: parameters.fhew().lwe_dimension(),
            log2_modulus: parameters.fhew().literal().log2_lwe_modulus,
            plaintext_modulus,
            masks: Masks::Seed(seed),
            bodies,
        }
    }

    /// Results.
    pub(super) fn computed(
        parameters: &Parameters,
        plaintext_modulus: u64,
        values: &[LweCiphertext],
    ) -> Self {
        Self {
            parameter_digest: parameters.digest(),
            dimension: parameters.fhew().lwe_dimension(),
            log2_modulus: parameters.fhew().literal().log2_lwe_modulus,
            plaintext_modulus,
            masks: Masks::Words(values.iter().flat_map(|value| value.mask()).copied().collect()),
            bodies: values.iter().map(LweCiphertext::body).collect(),
        }
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bodies.len()
    }

    /// The modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.plaintext_modulus
    }

    /// The digest of its parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest
    }

    /// Whether its masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.masks.are_fresh()
    }

    /// A value as LWE ciphertext.
    ///
    /// # Panics
    /// If there is no such value.
    #[must_use]
    pub fn value(&self, index: usize) -> LweCiphertext {
        let modulus = 1 << self.log2_modulus;
        let mut words = self.masks.mask(index, self.dimension, modulus);
        words.push(self.bodies[index]);
        LweCiphertext::from_words(words, modulus)
    }

    /// Checks that it belongs to these parameters, in every number that later code relies on.
    ///
    /// # Errors
    /// If the digest or a size differs, or its values have another modulus than the one given.
    pub(super) fn check(&self, parameters: &Parameters, modulus: Option<u64>) -> Result<()> {
        let fhew = parameters.fhew();
        let checks = [
            (
                "parameter digest",
                short_hex(&self.parameter_digest),
                short_hex(&parameters.digest()),
            ),
            ("LWE dimension", self.dimension.to_string(), fhew.lwe_dimension().to_string()),
            (
                "log2 of the modulus",
                self.log2_modulus.to_string(),
                fhew.literal().log2_lwe_modulus.to_string(),
            ),
        ];
        let modulus = modulus.map(|modulus| {
            ("modulus of the values", self.plaintext_modulus.to_string(), modulus.to_string())
        });
        for (name, found, expected) in checks.into_iter().chain(modulus) {
            if found != expected {
                return Err(Error::Mismatch { name, found, expected });
            }
        }
        Ok(())
    }

    /// The ciphertext in its wire format: sizes, then masks or their seed, then bodies, in packed bits.
    ///
    /// # Panics
    /// Never: memory takes all bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let mut writer = BodyWriter::new(&mut body);
        let write = |writer: &mut BodyWriter<&mut Vec<u8>>| {
            writer.u32(self.dimension as u32)?;
            writer.u32(self.log2_modulus)?;
            writer.u64(self.plaintext_modulus)?;
            writer.u64(self.bodies.len() as u64)?;
            match &self.masks {
                Masks::Seed(seed) => {
                    writer.u32(1)?;
                    writer.raw(seed.as_bytes())?;
                }
                Masks::Words(words) => {
                    writer.u32(0)?;
                    writer.bytes(&pack(words, self.log2_modulus))?;
                }
            }
            writer.bytes(&pack(&self.bodies, self.log2_modulus))
        };
        let mut bytes = Vec::new();
        write(&mut writer)
            .and_then(|()| {
                let object_type = ObjectType::SingleCiphertext;
                write_object(&mut bytes, object_type, &self.parameter_digest, &body)
            })
            .expect("memory takes all bytes");
        bytes
    }

    /// Reads a ciphertext.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged ciphertext.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let body = read_object(bytes, ObjectType::SingleCiphertext, None, MAX_CIPHERTEXT_BYTES)?;
        let mut reader = BodyReader::new(body);
        let dimension = reader.u32("LWE dimension")?;
        let log2_modulus = reader.u32("log2 of the modulus")?;
        if !(1..=MAX_DIMENSION).contains(&dimension) || !(1..=62).contains(&log2_modulus) {
            let sizes = format!("{dimension} and 2^{log2_modulus}");
            let expected = "from 1 to 4096, and from 2 to 2^62";
            return Err(WireError::invalid("LWE dimension and modulus", sizes, expected).into());
        }
        let plaintext_modulus = reader.u64_within("modulus of the values", 2..=MAX_MODULUS)?;
        // Every value has a body of at least one bit: more cannot be in these bytes.
        let count = reader.u64_within("number of values", 0..=8 * body.len() as u64)? as usize;
        let dimension = dimension as usize;
        let damaged = |error: cryptable_wire::bit_packing::UnpackError| {
            WireError::invalid("packed words", error.to_string(), "as many as values need")
        };
        let masks = match reader.u32("kind of masks")? {
            1 => Masks::Seed(Seed::from_bytes(reader.array("seed of the masks")?)),
            0 => {
                let packed = reader.bytes("masks", MAX_CIPHERTEXT_BYTES)?;
                let words = count.saturating_mul(dimension);
                Masks::Words(unpack(packed, log2_modulus, words).map_err(damaged)?)
            }
            other => {
                return Err(WireError::invalid("kind of masks", other.to_string(), "0 or 1").into());
            }
        };
        let packed = reader.bytes("bodies", MAX_CIPHERTEXT_BYTES)?;
        let bodies = unpack(packed, log2_modulus, count).map_err(damaged)?;
        reader.finish()?;
        let parameter_digest = peek_header(bytes)?.parameter_digest;
        Ok(Self { parameter_digest, dimension, log2_modulus, plaintext_modulus, masks, bodies })
    }
}
