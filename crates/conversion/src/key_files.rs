//! Keys of conversions in the form in which clients send them, with a seed instead of masks.
//!
//! The header names the parameters ([`Parameters::digest`]). The body is the identifiers of both clients, the seed, and
//! the bodies of all rows, packed at the width of their modulus.

use std::io::{self, Write};

use cryptable_ring::random::Seed;
use cryptable_wire::{
    BodyReader, BodyWriter, ObjectType, ObjectWriter, WireError, packed_field_bytes, read_object,
};

use crate::clients::Clients;
use crate::parameters::Parameters;

/// Words of a key with one modulus.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name in errors.
    pub(crate) name: &'static str,
    /// Number of words.
    pub(crate) count: usize,
    /// Modulus of the words.
    pub(crate) modulus: u64,
}

/// Rows of one kind of key, represented by their bodies.
pub trait SeededBodies: Sized {
    /// Type of the key in files.
    const OBJECT_TYPE: ObjectType;

    /// Longest body of a file.
    const MAX_BODY_BYTES: u64;

    /// Lists the words of a key of these parameters.
    fn fields(parameters: &Parameters) -> [Field; 2];

    /// Returns the bodies, field by field.
    fn words(&self) -> [&[u64]; 2];

    /// Builds the rows from the output of [`SeededBodies::words`].
    fn from_words(words: [Vec<u64>; 2]) -> Self;
}

/// Key of a conversion in the form in which a client sends it: bodies of all rows, and the seed of their masks.
#[derive(Clone, Debug, PartialEq)]
pub struct SeededKey<R> {
    pub(crate) parameters: Parameters,
    pub(crate) clients: Clients,
    pub(crate) seed: Seed,
    pub(crate) rows: R,
}

impl<R: SeededBodies> SeededKey<R> {
    /// Returns the parameters of the key.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the number of bytes of a key of these parameters in a file, without the header.
    #[must_use]
    pub fn body_bytes(parameters: &Parameters) -> u64 {
        let bytes = |field: Field| packed_field_bytes(field.count, field.modulus);
        let fields = R::fields(parameters).map(bytes).iter().sum::<u64>();
        (Clients::BYTES + Seed::BYTES) as u64 + fields
    }

    /// Writes the key.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (digest, length) = (self.parameters.digest(), Self::body_bytes(&self.parameters));
        let mut writer = BodyWriter::new(ObjectWriter::new(out, R::OBJECT_TYPE, &digest, length)?);
        self.clients.write(&mut writer)?;
        writer.raw(self.seed.as_bytes())?;
        for (words, field) in self.rows.words().into_iter().zip(R::fields(&self.parameters)) {
            writer.packed_words(words, field.modulus)?;
        }
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads the output of [`SeededKey::write`], for these parameters and clients.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged key of this kind, these parameters and clients.
    pub fn from_bytes(
        parameters: &Parameters,
        clients: Clients,
        bytes: &[u8],
    ) -> Result<Self, WireError> {
        let digest = parameters.digest();
        let body = read_object(bytes, R::OBJECT_TYPE, Some(&digest), R::MAX_BODY_BYTES)?;
        let mut reader = BodyReader::new(body);
        clients.check_read(&mut reader)?;
        let seed = Seed::from_bytes(reader.array("seed of the masks")?);
        let mut words = |field: Field| reader.packed_words(field.name, field.count, field.modulus);
        let [first, second] = R::fields(parameters);
        let rows = R::from_words([words(first)?, words(second)?]);
        reader.finish()?;
        Ok(Self { parameters: parameters.clone(), clients, seed, rows })
    }
}
