//! Keys of conversions as files, a seed in place of masks.
//!
//! The header names the parameters ([`Parameters::digest`]). The body is the identifiers of both clients, the seed, and
//! fields of words, packed at the width of their modulus.

use std::io::{self, Write};

use cryptable_ring::random::Seed;
use cryptable_wire::{
    BodyReader, BodyWriter, ObjectType, ObjectWriter, WireError, packed_field_bytes, read_object,
};

use crate::clients::Clients;
use crate::parameters::Parameters;

/// Words of a key with one modulus.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// For errors.
    pub(crate) name: &'static str,
    /// How many there are.
    pub(crate) count: usize,
    /// Modulus of the words.
    pub(crate) modulus: u64,
}

/// Description of one kind of key file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyFile<'a> {
    pub(crate) object_type: ObjectType,
    pub(crate) max_body: u64,
    pub(crate) parameters: &'a Parameters,
    pub(crate) clients: Clients,
    pub(crate) fields: [Field; 2],
}

impl KeyFile<'_> {
    /// Bytes of a body of such fields.
    pub(crate) fn body_bytes(fields: [Field; 2]) -> u64 {
        let fields = fields.map(|field| packed_field_bytes(field.count, field.modulus));
        (Clients::BYTES + Seed::BYTES) as u64 + fields.iter().sum::<u64>()
    }

    /// Writes a key.
    pub(crate) fn write(
        &self,
        out: &mut dyn Write,
        seed: &Seed,
        words: [&[u64]; 2],
    ) -> io::Result<()> {
        let (digest, length) = (self.parameters.digest(), Self::body_bytes(self.fields));
        let object = ObjectWriter::new(out, self.object_type, &digest, length)?;
        let mut writer = BodyWriter::new(object);
        self.clients.write(&mut writer)?;
        writer.raw(seed.as_bytes())?;
        for (words, field) in words.into_iter().zip(self.fields) {
            writer.packed_words(words, field.modulus)?;
        }
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads what [`KeyFile::write`] wrote: seed and words.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged key of this kind, these parameters and clients.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<(Seed, [Vec<u64>; 2]), WireError> {
        let digest = self.parameters.digest();
        let body = read_object(bytes, self.object_type, Some(&digest), self.max_body)?;
        let mut reader = BodyReader::new(body);
        self.clients.check_read(&mut reader)?;
        let seed = Seed::from_bytes(reader.array("seed of the masks")?);
        let mut words = |field: Field| reader.packed_words(field.name, field.count, field.modulus);
        let words = [words(self.fields[0])?, words(self.fields[1])?];
        reader.finish()?;
        Ok((seed, words))
    }
}
