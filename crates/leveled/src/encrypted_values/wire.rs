//! Encrypted integers in the wire format, whole or in chunks.
//!
//! A body is the client, the LWE dimension, the modulus, the number of values, and the kind of masks; of fresh values,
//! the seed of all masks and all bodies; of others, chunk after chunk of [`CHUNK_VALUES`] values, masks and then
//! bodies. So values of any number are written as they are computed and decrypted as they are read.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use cryptable_lattice::lwe_masks::Masks;
use cryptable_ring::random::Seed;
use cryptable_wire::{BodyReader, BodyWriter, KeyId, WireError, packed_field_bytes};

use super::{EncryptedValues, check_width};
use crate::error::Result;

/// Values of a chunk: as bytes, four blocks of AES, 6 MB for ring degree 2,048.
pub const CHUNK_VALUES: usize = 64;

/// Longest body that is held in memory, 4 GiB.
pub(crate) const MAX_BODY_BYTES: u64 = 1 << 32;

/// Largest LWE dimension that is read.
const MAX_DIMENSION: u32 = 1 << 13;

/// Largest modulus that is read.
const MAX_MODULUS: u64 = (1 << 62) - 1;

/// Bytes before masks and bodies.
const FIXED_BYTES: u64 = KeyId::BYTES as u64 + 4 + 8 + 8 + 4;

/// What is known of values before their masks and bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) client: KeyId,
    pub(crate) dimension: usize,
    pub(crate) modulus: u64,
    /// Ciphertexts of a value; not written.
    pub(crate) width: usize,
    /// Number of values.
    pub(crate) count: u64,
    pub(crate) fresh: bool,
}

impl Sizes {
    pub(crate) fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.raw(&self.client.0)?;
        writer.u32(self.dimension as u32)?;
        writer.u64(self.modulus)?;
        writer.u64(self.count)?;
        writer.u32(u32::from(self.fresh))
    }

    /// Of values of this width, as many as `counts` allows.
    pub(crate) fn read(
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
        let modulus = reader.u64_within("modulus", 2..=MAX_MODULUS)?;
        let count = reader.u64_within("number of values", counts)?;
        let fresh = match reader.u32("kind of masks")? {
            1 => true,
            0 => false,
            other => return Err(WireError::invalid("kind of masks", other, "0 or 1").into()),
        };
        Ok(Self { client, dimension: dimension as usize, modulus, width, count, fresh })
    }

    /// Bytes of a chunk of computed values.
    fn chunk_field_bytes(&self, values: u64) -> u64 {
        let count = values as usize * self.width;
        packed_field_bytes(count * self.dimension, self.modulus)
            + packed_field_bytes(count, self.modulus)
    }

    /// Bytes of a body of computed values. Saturates.
    pub(crate) fn body_bytes(&self) -> u64 {
        let (whole, rest) = (self.count / CHUNK_VALUES as u64, self.count % CHUNK_VALUES as u64);
        let chunks = whole.saturating_mul(self.chunk_field_bytes(CHUNK_VALUES as u64));
        let last = if rest > 0 { self.chunk_field_bytes(rest) } else { 0 };
        chunks.saturating_add(FIXED_BYTES + last)
    }

    /// Values of the next chunk, with `left` to come: fresh ones are all together, they are small.
    pub(crate) fn next_chunk(&self, left: u64) -> u64 {
        if self.fresh { left } else { left.min(CHUNK_VALUES as u64) }
    }

    /// Reads the masks, or their seed, and bodies of the next values.
    pub(crate) fn read_chunk(
        &self,
        reader: &mut BodyReader<'_>,
        values: u64,
    ) -> Result<EncryptedValues> {
        let Self { client, dimension, modulus, width, .. } = *self;
        if values == 0 && !self.fresh {
            // No chunk was written.
            let (masks, bodies) = (Masks::Words(Vec::new()), Vec::new());
            return Ok(EncryptedValues { client, dimension, modulus, width, masks, bodies });
        }
        let count = usize::try_from(values).unwrap_or(usize::MAX).saturating_mul(width);
        let masks = if self.fresh {
            Masks::Seed(Seed::from_bytes(reader.array("seed of the masks")?))
        } else {
            let words = count.saturating_mul(dimension);
            Masks::Words(reader.packed_words("masks", words, modulus)?)
        };
        let bodies = reader.packed_words("bodies", count, modulus)?;
        Ok(EncryptedValues { client, dimension, modulus, width, masks, bodies })
    }
}

impl EncryptedValues {
    pub(crate) fn sizes(&self) -> Sizes {
        Sizes {
            client: self.client,
            dimension: self.dimension,
            modulus: self.modulus,
            width: self.width,
            count: self.count() as u64,
            fresh: self.is_fresh(),
        }
    }

    /// Writes client, sizes, masks or their seed, bodies. The width is not written.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        self.sizes().write(writer)?;
        self.write_chunks(writer)
    }

    /// Writes masks, or their seed, and bodies.
    pub(crate) fn write_chunks<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        match &self.masks {
            Masks::Seed(seed) => {
                writer.raw(seed.as_bytes())?;
                writer.packed_words(&self.bodies, self.modulus)
            }
            Masks::Words(masks) => {
                let chunk = CHUNK_VALUES * self.width;
                let chunks = masks.chunks(chunk * self.dimension).zip(self.bodies.chunks(chunk));
                for (masks, bodies) in chunks {
                    writer.packed_words(masks, self.modulus)?;
                    writer.packed_words(bodies, self.modulus)?;
                }
                Ok(())
            }
        }
    }

    /// Reads what [`EncryptedValues::write`] wrote: values of this width, as many as `counts` allows.
    ///
    /// # Errors
    /// If bytes are missing, or a number is out of its range, the width not from 1 to [`super::MAX_WIDTH`].
    pub fn read(
        reader: &mut BodyReader<'_>,
        width: usize,
        counts: RangeInclusive<u64>,
    ) -> Result<Self> {
        let sizes = Sizes::read(reader, width, counts)?;
        if sizes.fresh {
            return sizes.read_chunk(reader, sizes.count);
        }
        let Sizes { client, dimension, modulus, .. } = sizes;
        let (mut masks, mut bodies, mut left) = (Vec::new(), Vec::new(), sizes.count);
        while left > 0 {
            let chunk = sizes.read_chunk(reader, sizes.next_chunk(left))?;
            left -= chunk.count() as u64;
            bodies.extend(chunk.bodies);
            if let Masks::Words(words) = chunk.masks {
                masks.extend(words);
            }
        }
        Ok(Self { client, dimension, modulus, width, masks: Masks::Words(masks), bodies })
    }
}
