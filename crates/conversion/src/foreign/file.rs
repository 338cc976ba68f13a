//! Files of LWE ciphertexts and secrets, which programs of other libraries can write and read with a few lines of code.
//! All numbers are little-endian.
//!
//! | bytes | list of ciphertexts |
//! |---|---|
//! | 8 | `LWELIST1` in ASCII |
//! | 4 | dimension n |
//! | 4 | log2 of the modulus q, at most 32 |
//! | 8 | number of ciphertexts, at most 65,536 |
//! | 4·(n + 1) each | words of the mask a and the body b, with phase `b - ⟨a, s⟩` |
//!
//! | bytes | secret |
//! |---|---|
//! | 8 | `LWEKEY01` in ASCII |
//! | 4 | dimension n |
//! | n | coefficients, -1, 0 or 1, signed bytes |
//!
//! Reading a list needs additional memory of twice its size.

use cryptable_lattice::error::{Error, Result, check_equal, check_values};
use cryptable_lattice::lwe_list::{LweList, LweShape, MAX_VALUES};
use cryptable_ring::Buffer;
use cryptable_wire::BodyReader;
#[cfg(feature = "client")]
use cryptable_wire::WireError;

use super::parameters::ForeignParameters;

/// Number of bytes before the words of a list.
const LIST_HEADER: usize = 24;

impl ForeignParameters {
    /// First bytes of a list.
    pub const LIST: &[u8; 8] = b"LWELIST1";

    /// First bytes of a secret.
    pub const SECRET: &[u8; 8] = b"LWEKEY01";

    /// Reads ciphertexts and converts them to this library's convention by negating the masks.
    ///
    /// # Errors
    /// If the bytes are not exactly one list, of this dimension and modulus, or a word is not below the modulus.
    pub fn read_list(&self, bytes: &[u8]) -> Result<LweList> {
        let mut reader = BodyReader::new(bytes);
        check_magic(&mut reader, Self::LIST, "list of LWE ciphertexts")?;
        let shape = self.shape();
        check_equal("LWE dimension", reader.u32("LWE dimension")? as usize, shape.dimension)?;
        let log2_modulus = reader.u32("log2 of the LWE modulus")?;
        check_equal("log2 of the LWE modulus", log2_modulus, shape.modulus.ilog2())?;
        let count = reader.u64_within("number of ciphertexts", 0..=MAX_VALUES as u64)? as usize;
        let expected = LIST_HEADER + 4 * count * (shape.dimension + 1);
        check_equal("bytes of the list", bytes.len(), expected)?;
        let word = |bytes: &[u8]| u64::from(u32::from_le_bytes(bytes.try_into().expect("a word")));
        let records = bytes[LIST_HEADER..].chunks_exact(4 * (shape.dimension + 1));
        let (mut masks, mut bodies) = (Buffer::zeroed(count * shape.dimension), Vec::new());
        for (mask, record) in masks.chunks_exact_mut(shape.dimension).zip(records) {
            let mut words = record.chunks_exact(4).map(word);
            mask.iter_mut().zip(&mut words).for_each(|(out, word)| *out = word);
            check_values(mask, shape.modulus)?;
            mask.iter_mut().for_each(|word| *word = word.wrapping_neg() & (shape.modulus - 1));
            bodies.extend(words);
        }
        check_values(&bodies, shape.modulus)?;
        Ok(LweList::from_words(shape, masks, bodies))
    }

    /// Writes ciphertexts in the format that [`ForeignParameters::read_list`] reads.
    ///
    /// # Errors
    /// If they have another dimension or modulus.
    pub fn write_list(&self, list: &LweList) -> Result<Vec<u8>> {
        let shape = self.shape();
        list.check(shape)?;
        let LweShape { dimension, modulus } = shape;
        let mut bytes = Vec::with_capacity(LIST_HEADER + 4 * list.len() * (dimension + 1));
        bytes.extend_from_slice(Self::LIST);
        bytes.extend_from_slice(&(dimension as u32).to_le_bytes());
        bytes.extend_from_slice(&modulus.ilog2().to_le_bytes());
        bytes.extend_from_slice(&(list.len() as u64).to_le_bytes());
        let masks = list.masks();
        for (mask, &body) in masks.chunks_exact(dimension).zip(list.bodies()) {
            let negated = mask.iter().map(|word| word.wrapping_neg() & (modulus - 1));
            for word in negated.chain([body]) {
                bytes.extend_from_slice(&(word as u32).to_le_bytes());
            }
        }
        Ok(bytes)
    }

    /// Reads the coefficients of a secret.
    ///
    /// # Errors
    /// If the bytes are not exactly one secret of this dimension and distribution.
    #[cfg(feature = "client")]
    pub(super) fn read_secret(&self, bytes: &[u8]) -> Result<zeroize::Zeroizing<Vec<i8>>> {
        use cryptable_lattice::security::SecretDistribution;
        let mut reader = BodyReader::new(bytes);
        check_magic(&mut reader, Self::SECRET, "LWE secret")?;
        let dimension = self.shape().dimension;
        check_equal("LWE dimension", reader.u32("LWE dimension")? as usize, dimension)?;
        check_equal("bytes of the secret", bytes.len(), Self::SECRET.len() + 4 + dimension)?;
        let mut coefficients = zeroize::Zeroizing::new(vec![0; dimension]);
        let least = if self.secret() == SecretDistribution::Binary { 0 } else { -1 };
        // There is no branch on coefficients, except on whether all of them are allowed.
        let mut fit = true;
        for (out, &byte) in coefficients.iter_mut().zip(&bytes[Self::SECRET.len() + 4..]) {
            *out = byte as i8;
            fit &= (*out >= least) & (*out <= 1);
        }
        if !fit {
            let (found, expected) = ("others", format!("from {least} to 1"));
            return Err(WireError::invalid("coefficients of the secret", found, expected).into());
        }
        Ok(coefficients)
    }
}

fn check_magic(reader: &mut BodyReader<'_>, magic: &[u8; 8], name: &'static str) -> Result<()> {
    let found = reader.array::<8>(name)?;
    if &found == magic {
        return Ok(());
    }
    let (found, expected) = (found.escape_ascii(), magic.escape_ascii());
    Err(Error::mismatch(name, format!("begins with {found}"), format!("begins with {expected}")))
}
