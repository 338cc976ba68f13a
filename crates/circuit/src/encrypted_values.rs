//! Encrypted integers as they are sent and stored: LWE of dimension N modulo Q, a ciphertext for every bit.
//!
//! Words are packed at the width of the modulus. The masks of fresh ciphertexts are a seed, so that a fresh bit costs
//! one word: the round keys of AES-128 take 8.3 kB instead of 17 MB.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_rlwe::bit_packing::{UnpackError, pack, unpack};
use cryptable_rlwe::lwe::LweCiphertext;
use cryptable_rlwe::wire::{BodyReader, BodyWriter, KeyId, WireError};

use crate::error::{Error, Result};
use crate::parameters::CircuitParameters;

/// Longest run of packed words, 4 GiB.
pub(crate) const MAX_BODY_BYTES: u64 = 1 << 32;

/// Largest LWE dimension that is read.
const MAX_DIMENSION: u32 = 1 << 13;

/// Largest modulus that is read.
const MAX_MODULUS: u64 = (1 << 62) - 1;

/// Most bits of a value.
pub const MAX_WIDTH: usize = 64;

/// Masks of LWE ciphertexts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Masks {
    /// Those of fresh ciphertexts: the mask of bit i is stream i of a seed.
    Seed(Seed),
    /// N words a bit.
    Words(Vec<u64>),
}

/// Integers of some bits each, encrypted bit by bit under one client's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncryptedValues {
    client: KeyId,
    dimension: usize,
    modulus: u64,
    width: usize,
    masks: Masks,
    bodies: Vec<u64>,
}

/// The mask of a fresh bit.
fn fresh_mask(seed: &Seed, index: usize, dimension: usize, modulus: u64) -> Vec<u64> {
    let mut mask = vec![0; dimension];
    RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, index as u64)
        .uniform_assign(&mut mask, modulus);
    mask
}

/// Bits of a word below a modulus.
fn word_bits(modulus: u64) -> u32 {
    u64::BITS - (modulus - 1).leading_zeros()
}

impl EncryptedValues {
    /// Fresh ciphertexts of `bits` bits, of which `body` makes the body from index and mask.
    ///
    /// # Panics
    /// If the width is 0 or the number of bits no multiple of it.
    #[cfg(feature = "client")]
    pub(crate) fn fresh(
        parameters: &CircuitParameters,
        client: KeyId,
        width: usize,
        bits: usize,
        body: impl Fn(usize, &[u64]) -> u64 + Sync,
    ) -> Self {
        use rayon::prelude::*;
        assert!(width > 0 && bits.is_multiple_of(width), "{bits} bits of values of {width}");
        let (dimension, modulus) =
            (parameters.parameters().ring_degree(), parameters.parameters().prime());
        let seed = Seed::random();
        let body = |index| body(index, &fresh_mask(&seed, index, dimension, modulus));
        let bodies = (0..bits).into_par_iter().map(body).collect();
        Self { client, dimension, modulus, width, masks: Masks::Seed(seed), bodies }
    }

    /// Values of `width` bits that were computed under keys of this client.
    ///
    /// # Errors
    /// If the width is not from 1 to [`MAX_WIDTH`], a value has another number of bits, or a bit is of other
    /// parameters.
    pub fn computed(
        parameters: &CircuitParameters,
        client: KeyId,
        width: usize,
        values: &[Vec<LweCiphertext>],
    ) -> Result<Self> {
        check_width(width)?;
        if let Some(value) = values.iter().find(|value| value.len() != width) {
            let (value, limit) = (value.len() as u64, format!("values here have {width}"));
            return Err(Error::Number { name: "number of a value's bits", value, limit });
        }
        let dimension = parameters.parameters().ring_degree();
        let modulus = parameters.parameters().prime();
        let bits = values.len() * width;
        let (mut masks, mut bodies) =
            (Vec::with_capacity(bits * dimension), Vec::with_capacity(bits));
        for bit in values.iter().flatten() {
            crate::bits::check(parameters.parameters(), bit)?;
            masks.extend_from_slice(bit.mask());
            bodies.push(bit.body());
        }
        Ok(Self { client, dimension, modulus, width, masks: Masks::Words(masks), bodies })
    }

    /// The number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bodies.len() / self.width
    }

    /// Bits of a value.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Whose key they are encrypted under.
    #[must_use]
    pub fn client(&self) -> KeyId {
        self.client
    }

    /// Whether masks are a seed: true as long as nothing was computed.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        matches!(self.masks, Masks::Seed(_))
    }

    /// Checks that they belong to this client, and have the sizes of these parameters.
    ///
    /// # Errors
    /// If the client or a size differs.
    pub fn check(&self, parameters: &CircuitParameters, client: KeyId) -> Result<()> {
        if self.client != client {
            return Err(Error::OtherClient { expected: client, found: self.client });
        }
        let fhew = parameters.parameters();
        let pairs = [
            ("dimension", self.dimension as u64, fhew.ring_degree() as u64),
            ("modulus", self.modulus, fhew.prime()),
        ];
        match pairs.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => {
                Err(cryptable_fhew::error::Error::Ciphertext { what, found, expected }.into())
            }
            None => Ok(()),
        }
    }

    /// The bits of a value, the lowest first.
    ///
    /// # Panics
    /// If there is no such value.
    #[must_use]
    pub fn value(&self, index: usize) -> Vec<LweCiphertext> {
        (index * self.width..(index + 1) * self.width).map(|bit| self.bit(bit)).collect()
    }

    fn bit(&self, index: usize) -> LweCiphertext {
        let mut words = match &self.masks {
            Masks::Seed(seed) => fresh_mask(seed, index, self.dimension, self.modulus),
            Masks::Words(words) => words[index * self.dimension..][..self.dimension].to_vec(),
        };
        words.push(self.bodies[index]);
        LweCiphertext::from_words(words, self.modulus)
    }

    /// Writes client, sizes, masks or their seed, bodies. The width is not written.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        let bits = word_bits(self.modulus);
        writer.raw(&self.client.0)?;
        writer.u32(self.dimension as u32)?;
        writer.u64(self.modulus)?;
        writer.u64(self.count() as u64)?;
        match &self.masks {
            Masks::Seed(seed) => {
                writer.u32(1)?;
                writer.raw(seed.as_bytes())?;
            }
            Masks::Words(words) => {
                writer.u32(0)?;
                writer.bytes(&pack(words, bits))?;
            }
        }
        writer.bytes(&pack(&self.bodies, bits))
    }

    /// Reads what [`EncryptedValues::write`] wrote: values of this width, as many as `counts` allows.
    ///
    /// # Errors
    /// If bytes are missing, or a number is out of its range, the width not from 1 to [`MAX_WIDTH`].
    pub fn read(
        reader: &mut BodyReader<'_>,
        width: usize,
        counts: RangeInclusive<u64>,
    ) -> Result<Self> {
        check_width(width)?;
        let client = KeyId(reader.array("client key identifier")?);
        let dimension = reader.u32("LWE dimension")?;
        if !(1..=MAX_DIMENSION).contains(&dimension) {
            let expected = format!("from 1 to {MAX_DIMENSION}");
            return Err(WireError::invalid("LWE dimension", dimension, expected).into());
        }
        let dimension = dimension as usize;
        let modulus = reader.u64_within("modulus", 2..=MAX_MODULUS)?;
        let bits = (reader.u64_within("number of values", counts)? as usize).saturating_mul(width);
        let masks = match reader.u32("kind of masks")? {
            1 => Masks::Seed(Seed::from_bytes(reader.array("seed of the masks")?)),
            0 => {
                let words = bits.saturating_mul(dimension);
                Masks::Words(read_words(reader, "masks", modulus, words)?)
            }
            other => return Err(WireError::invalid("kind of masks", other, "0 or 1").into()),
        };
        let bodies = read_words(reader, "bodies", modulus, bits)?;
        Ok(Self { client, dimension, modulus, width, masks, bodies })
    }
}

fn check_width(width: usize) -> Result<()> {
    if (1..=MAX_WIDTH).contains(&width) {
        return Ok(());
    }
    let limit = format!("values have from 1 to {MAX_WIDTH} bits");
    Err(Error::Number { name: "width", value: width as u64, limit })
}

/// Packed words, all of them below a modulus.
fn read_words(
    reader: &mut BodyReader<'_>,
    name: &'static str,
    modulus: u64,
    count: usize,
) -> Result<Vec<u64>> {
    let packed = reader.bytes(name, MAX_BODY_BYTES)?;
    let damaged =
        |error: UnpackError| WireError::invalid(name, error, "as many words as bits need");
    let words = unpack(packed, word_bits(modulus), count).map_err(damaged)?;
    match words.iter().find(|&&word| word >= modulus) {
        Some(word) => Err(WireError::invalid(name, word, format!("below {modulus}")).into()),
        None => Ok(words),
    }
}
