//! Lists of LWE ciphertexts of one dimension and modulus, as they are sent and stored.
//!
//! Words are packed at the width of the modulus. The masks of fresh ciphertexts are a seed, so that a fresh ciphertext
//! takes only one word.

mod linear_operations;

use std::borrow::Cow;
use std::io::{self, Write};

use cryptable_ring::Buffer;
use cryptable_ring::columns::Columns;
use cryptable_ring::random::Seed;
use cryptable_wire::{BodyReader, BodyWriter, WireError, packed_field_bytes};
use rayon::prelude::*;

use crate::error::{Result, check_equal, check_values, check_within};
use crate::lwe::LweCiphertext;
use crate::lwe_masks::{MaskKind, Masks, fill_fresh_mask};

/// The largest LWE dimension that readers accept.
const MAX_DIMENSION: u32 = 1 << 13;

/// The largest modulus that readers accept.
const MAX_MODULUS: u64 = (1 << 62) - 1;

/// The most values of a ciphertext of single or leveled values that readers accept, which is the number of values of
/// the largest packed one. Larger lists are divided into several.
pub const MAX_VALUES: usize = 1 << 16;

/// Checks the values of a ciphertext before they are encrypted.
///
/// # Errors
/// If a value is not below the modulus, or if there are more than [`MAX_VALUES`], which readers would refuse.
pub fn check_plain_values(values: &[u64], modulus: u64) -> Result<()> {
    check_values(values, modulus)?;
    check_within("number of values of a ciphertext", values.len() as u64, ..=MAX_VALUES as u64)
}

/// Dimension and modulus that all ciphertexts of a list share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LweShape {
    /// LWE dimension n: the number of words of a mask.
    pub dimension: usize,
    /// Ciphertext modulus q, below 2^62.
    pub modulus: u64,
}

impl LweShape {
    /// The least modulus that readers accept, twice the least ring degree of single values: no parameters have a
    /// smaller one. Words of fewer bits, down to one, would take up to 64 times as much memory once they are unpacked.
    pub const MIN_MODULUS: u64 = 2 * 32;

    /// The number of bytes that [`LweShape::write`] writes.
    pub const BYTES: u64 = 12;

    /// Returns the shape of a ciphertext.
    #[must_use]
    pub fn of(ciphertext: &LweCiphertext) -> Self {
        Self { dimension: ciphertext.dimension(), modulus: ciphertext.modulus() }
    }

    /// Checks that a ciphertext has this shape.
    ///
    /// # Errors
    /// If the dimension or the modulus differs.
    pub fn check(self, ciphertext: &LweCiphertext) -> Result<()> {
        check_shape(Self::of(ciphertext), self)
    }

    /// Writes dimension and modulus.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        writer.u32(self.dimension as u32)?;
        writer.u64(self.modulus)
    }

    /// Reads a shape that [`LweShape::write`] wrote.
    ///
    /// # Errors
    /// If bytes are missing, or a number is out of range.
    pub fn read(reader: &mut BodyReader<'_>) -> Result<Self> {
        let dimension = reader.u32("LWE dimension")?;
        if !(1..=MAX_DIMENSION).contains(&dimension) {
            let expected = format!("from 1 to {MAX_DIMENSION}");
            return Err(WireError::invalid("LWE dimension", dimension, expected).into());
        }
        let modulus = reader.u64_within("LWE modulus", Self::MIN_MODULUS..=MAX_MODULUS)?;
        Ok(Self { dimension: dimension as usize, modulus })
    }

    /// Returns the number of bytes of `count` computed ciphertexts: masks and bodies. Saturates.
    #[must_use]
    pub fn computed_bytes(&self, count: usize) -> u64 {
        packed_field_bytes(count.saturating_mul(self.dimension), self.modulus)
            .saturating_add(packed_field_bytes(count, self.modulus))
    }

    /// Returns the memory in bytes of `count` computed ciphertexts, each with a list of words of its own. Saturates.
    #[must_use]
    pub fn memory_bytes(&self, count: usize) -> usize {
        count.saturating_mul(size_of::<u64>() * (self.dimension + 1) + size_of::<LweCiphertext>())
    }

    /// Returns the number of bytes of `count` fresh ciphertexts: a seed and bodies. Saturates.
    #[must_use]
    pub fn fresh_bytes(&self, count: usize) -> u64 {
        packed_field_bytes(count, self.modulus).saturating_add(Seed::BYTES as u64)
    }
}

/// LWE ciphertexts of one shape.
///
/// ```
/// use cryptable_lattice::lwe::LweCiphertext;
/// use cryptable_lattice::lwe_list::{LweList, LweShape};
/// let shape = LweShape { dimension: 4, modulus: 1 << 20 };
/// let list = LweList::computed(shape, [LweCiphertext::trivial(4, 1 << 20, 7)])?;
/// assert_eq!((list.len(), list.ciphertext(0).body(), list.is_fresh()), (1, 7, false));
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LweList {
    shape: LweShape,
    masks: Masks,
    bodies: Vec<u64>,
}

impl LweList {
    /// Returns `count` fresh ciphertexts with masks from a new seed. `body` computes a body from index and mask, on all
    /// threads.
    #[cfg(feature = "client")]
    #[must_use]
    pub fn fresh(
        shape: LweShape,
        count: usize,
        body: impl Fn(usize, &[u64]) -> u64 + Sync,
    ) -> Self {
        use crate::lwe_masks::fresh_mask;
        let seed = Seed::random();
        let body = |i| body(i, &fresh_mask(&seed, i, shape.dimension, shape.modulus));
        let bodies = (0..count).into_par_iter().map(body).collect();
        Self { shape, masks: Masks::Seed(seed), bodies }
    }

    /// Returns a list of computed ciphertexts.
    ///
    /// # Errors
    /// If a ciphertext has another dimension or modulus.
    pub fn computed(
        shape: LweShape,
        ciphertexts: impl IntoIterator<Item = LweCiphertext>,
    ) -> Result<Self> {
        let ciphertexts = ciphertexts.into_iter();
        let count = ciphertexts.size_hint().0;
        let mut masks = Vec::with_capacity(count * shape.dimension);
        let mut bodies = Vec::with_capacity(count);
        for ciphertext in ciphertexts {
            shape.check(&ciphertext)?;
            masks.extend_from_slice(ciphertext.mask());
            bodies.push(ciphertext.body());
        }
        Ok(Self { shape, masks: Masks::Words(masks.into()), bodies })
    }

    /// Returns the dimension and the modulus.
    #[must_use]
    pub fn shape(&self) -> LweShape {
        self.shape
    }

    /// Returns the number of ciphertexts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Returns whether there is no ciphertext.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Returns whether only sums with constants were computed: masks are a seed, or ring elements of a public key's
    /// encryption.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        matches!(self.mask_kind(), MaskKind::Seed | MaskKind::Ring)
    }

    /// Returns how masks are stored.
    #[must_use]
    pub fn mask_kind(&self) -> MaskKind {
        self.masks.kind()
    }

    /// Returns one ciphertext.
    ///
    /// # Panics
    /// If there is no such ciphertext.
    #[must_use]
    pub fn ciphertext(&self, index: usize) -> LweCiphertext {
        let mut words = self.masks.mask(index, self.shape.dimension, self.shape.modulus);
        words.push(self.bodies[index]);
        LweCiphertext::from_words(words, self.shape.modulus)
    }

    /// Returns ciphertexts of computed words: masks, ciphertext after ciphertext, and bodies.
    ///
    /// # Panics
    /// If the numbers of masks and bodies differ, or if a word is not below the modulus.
    #[must_use]
    pub fn from_words(shape: LweShape, masks: Buffer, bodies: Vec<u64>) -> Self {
        assert_eq!(masks.len(), bodies.len() * shape.dimension, "words of masks");
        // The loop has no early exit, which vectors could not have.
        let fit =
            |words: &[u64]| words.iter().fold(true, |fit, &word| fit & (word < shape.modulus));
        assert!(fit(&masks) && fit(&bodies), "words modulo {}", shape.modulus);
        Self { shape, masks: Masks::Words(masks), bodies }
    }

    /// Returns ciphertexts of computed words: masks by columns, with word i of all of them in column i, and bodies.
    ///
    /// # Panics
    /// If the numbers of masks and bodies differ, or if the masks have another dimension. Words that are not below the
    /// modulus are detected in debug builds only: a pass over all columns would take a tenth of the time of making
    /// them.
    #[must_use]
    pub fn from_columns(shape: LweShape, masks: Columns, bodies: Vec<u64>) -> Self {
        assert_eq!((masks.rows(), masks.width()), (bodies.len(), shape.dimension), "masks");
        let fits = |column: usize| {
            masks.column(column).iter().all(|&word| u64::from(word) < shape.modulus)
        };
        debug_assert!((0..shape.dimension).all(fits), "words modulo {}", shape.modulus);
        assert!(bodies.iter().all(|&word| word < shape.modulus), "words modulo {}", shape.modulus);
        Self { shape, masks: Masks::Columns(masks), bodies }
    }

    /// Returns the coefficients of RLWE ciphertexts of degree n as ciphertexts, in their order: words of the masks of
    /// all ring elements, and a body for each coefficient that is used. The last element may have fewer than n
    /// coefficients.
    ///
    /// # Panics
    /// If the number of ring elements is not the one that the bodies need.
    #[must_use]
    pub fn from_ring_elements(shape: LweShape, masks: Vec<u64>, bodies: Vec<u64>) -> Self {
        assert_eq!(masks.len(), ring_words(shape, bodies.len()), "words of ring elements");
        Self { shape, masks: Masks::Ring(masks), bodies }
    }

    /// Returns results that a server packed into RLWE ciphertexts, laid out as in [`LweList::from_ring_elements`].
    ///
    /// # Panics
    /// If the number of ring elements is not the one that the bodies need.
    #[must_use]
    pub fn from_packed_results(shape: LweShape, masks: Vec<u64>, bodies: Vec<u64>) -> Self {
        assert_eq!(masks.len(), ring_words(shape, bodies.len()), "words of ring elements");
        Self { shape, masks: Masks::Results(masks), bodies }
    }

    /// Returns all masks, ciphertext after ciphertext. Masks of fresh ciphertexts are drawn.
    #[must_use]
    pub fn masks(&self) -> Cow<'_, [u64]> {
        self.masks.words().unwrap_or_else(|| {
            let LweShape { dimension, modulus } = self.shape;
            let mask = |index| self.masks.mask(index, dimension, modulus);
            Cow::Owned((0..self.len()).into_par_iter().flat_map_iter(mask).collect())
        })
    }

    /// Returns all masks by columns, if they are stored in this form.
    #[must_use]
    pub fn mask_columns(&self) -> Option<&Columns> {
        if let Masks::Columns(columns) = &self.masks { Some(columns) } else { None }
    }

    /// Returns the same ciphertexts with words of masks, in recycled pages, instead of a seed or packed words: for
    /// callers that read all of them.
    ///
    /// ```
    /// # #[cfg(feature = "client")] {
    /// use cryptable_lattice::lwe_list::{LweList, LweShape};
    /// let fresh = LweList::fresh(LweShape { dimension: 4, modulus: 1 << 20 }, 3, |_, _| 7);
    /// let words = fresh.with_words();
    /// assert!(fresh.is_fresh() && !words.is_fresh());
    /// assert_eq!((words.masks(), words.bodies()), (fresh.masks(), fresh.bodies()));
    /// # }
    /// ```
    #[must_use]
    pub fn with_words(&self) -> Self {
        let LweShape { dimension, modulus } = self.shape;
        if let Masks::Words(_) | Masks::Columns(_) = &self.masks {
            return self.clone();
        }
        let mut words = Buffer::unspecified(self.len() * dimension);
        let fill = |(index, mask): (usize, &mut [u64])| match &self.masks {
            Masks::Seed(seed) => fill_fresh_mask(mask, seed, index, modulus),
            masks => mask.copy_from_slice(&masks.mask(index, dimension, modulus)),
        };
        words.par_chunks_exact_mut(dimension).enumerate().for_each(fill);
        Self { shape: self.shape, masks: Masks::Words(words), bodies: self.bodies.clone() }
    }

    /// Returns some of the ciphertexts, with words of masks.
    ///
    /// # Panics
    /// If the range exceeds the list.
    #[must_use]
    pub fn slice(&self, range: std::ops::Range<usize>) -> Self {
        let bodies = self.bodies[range.clone()].to_vec();
        let LweShape { dimension, modulus } = self.shape;
        let mut words = Buffer::unspecified(bodies.len() * dimension);
        for (mask, index) in words.chunks_exact_mut(dimension).zip(range) {
            mask.copy_from_slice(&self.masks.mask(index, dimension, modulus));
        }
        Self { shape: self.shape, masks: Masks::Words(words), bodies }
    }

    /// Returns the bodies of all ciphertexts, in their order: words below the modulus.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// Checks the shape.
    ///
    /// # Errors
    /// If the dimension or the modulus differs: the error names which.
    pub fn check(&self, expected: LweShape) -> Result<()> {
        check_shape(self.shape, expected)
    }

    /// Checks that the shape is one of two.
    ///
    /// # Errors
    /// If the shape is neither: the error names how it differs from the first.
    pub fn check_either(&self, expected: LweShape, other: LweShape) -> Result<()> {
        if self.shape == other { Ok(()) } else { self.check(expected) }
    }

    /// Appends computed ciphertexts of the same shape to computed ones.
    ///
    /// # Panics
    /// If the shapes differ, or if a list is fresh: a seed expands to the masks of one list only.
    pub fn append(&mut self, other: Self) {
        assert_eq!(self.shape, other.shape, "shapes of lists");
        if let Masks::Columns(_) | Masks::Packed(_) = &self.masks {
            self.masks = Masks::Words(self.masks().into_owned().into());
        }
        let (Masks::Words(masks), Some(more)) = (&mut self.masks, other.masks.words()) else {
            panic!("fresh ciphertexts cannot be joined to a list");
        };
        masks.extend_from_slice(&more);
        self.bodies.extend(&other.bodies);
    }

    /// Writes the masks, or their seed, and the bodies. The caller writes shape, length and kind.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_words<W: Write>(&self, writer: &mut BodyWriter<W>) -> io::Result<()> {
        match &self.masks {
            Masks::Seed(seed) => writer.raw(seed.as_bytes())?,
            Masks::Ring(words) | Masks::Results(words) => {
                writer.packed_words(words, self.shape.modulus)?
            }
            Masks::Packed(packed) => writer.kept_words(packed)?,
            Masks::Words(_) | Masks::Columns(_) => {
                writer.packed_words(&self.masks(), self.shape.modulus)?;
            }
        }
        writer.packed_words(&self.bodies, self.shape.modulus)
    }

    /// Writes computed ciphertexts in pieces of `chunk`, each like [`LweList::write_words`]. Writes fresh ones at once,
    /// since they are small.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_chunks<W: Write>(
        &self,
        writer: &mut BodyWriter<W>,
        chunk: usize,
    ) -> io::Result<()> {
        let Some(masks) = self.masks.words() else {
            return self.write_words(writer);
        };
        let pieces = masks.chunks(chunk * self.shape.dimension).zip(self.bodies.chunks(chunk));
        for (masks, bodies) in pieces {
            writer.packed_words(masks, self.shape.modulus)?;
            writer.packed_words(bodies, self.shape.modulus)?;
        }
        Ok(())
    }

    /// Reads words that [`LweList::write_words`] wrote. Allocates nothing before it has checked the number of bytes.
    /// Masks stay packed; bodies, one per ciphertext, take 8 bytes each.
    ///
    /// # Errors
    /// If bytes are missing, or a word is not below the modulus.
    pub fn read_words(
        reader: &mut BodyReader<'_>,
        shape: LweShape,
        count: usize,
        kind: MaskKind,
    ) -> Result<Self> {
        let masks = match kind {
            MaskKind::Seed => Masks::Seed(Seed::from_bytes(reader.array("seed of the masks")?)),
            MaskKind::Ring | MaskKind::Results => {
                let count = ring_words(shape, count);
                let words = reader.packed_words("ring elements", count, shape.modulus)?;
                if kind == MaskKind::Ring { Masks::Ring(words) } else { Masks::Results(words) }
            }
            MaskKind::Words => {
                let words = count.saturating_mul(shape.dimension);
                Masks::Packed(reader.kept_words("masks", words, shape.modulus)?)
            }
        };
        let bodies = reader.packed_words("bodies", count, shape.modulus)?;
        Ok(Self { shape, masks, bodies })
    }
}

/// Returns the number of words of the ring elements of `count` coefficients.
fn ring_words(shape: LweShape, count: usize) -> usize {
    count.div_ceil(shape.dimension).saturating_mul(shape.dimension)
}

/// Checks that the dimension and the modulus are the expected ones.
///
/// # Errors
/// If one of them differs: the error names which.
pub fn check_shape(found: LweShape, expected: LweShape) -> Result<()> {
    check_equal("LWE dimension", found.dimension, expected.dimension)?;
    check_equal("LWE modulus", found.modulus, expected.modulus)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moduli_of_few_bits_are_refused() {
        let read = |modulus| {
            let mut writer = BodyWriter::new(Vec::new());
            LweShape { dimension: 4, modulus }.write(&mut writer).unwrap();
            LweShape::read(&mut BodyReader::new(&writer.into_inner()))
        };
        for modulus in [2, LweShape::MIN_MODULUS - 1, MAX_MODULUS + 1] {
            assert!(read(modulus).is_err(), "{modulus}");
        }
        for modulus in [LweShape::MIN_MODULUS, MAX_MODULUS] {
            assert_eq!(read(modulus).unwrap(), LweShape { dimension: 4, modulus });
        }
    }

    #[test]
    fn what_was_read_is_as_what_was_written() {
        let shape = LweShape { dimension: 3, modulus: 1 << 20 };
        let masks: Vec<u64> = (0..15).map(|word| word * word * 3001).collect();
        let list = LweList::from_words(shape, masks.into(), vec![5, 4, 3, 2, 1]);
        let bytes = |list: &LweList| {
            let mut writer = BodyWriter::new(Vec::new());
            list.write_words(&mut writer).unwrap();
            writer.into_inner()
        };
        let written = bytes(&list);
        let mut read =
            LweList::read_words(&mut BodyReader::new(&written), shape, 5, MaskKind::Words).unwrap();
        assert!(matches!(read.masks, Masks::Packed(_)));
        assert_eq!((&read, bytes(&read)), (&list, written));
        assert_eq!(read.with_words(), list);
        for piece in [read.slice(1..3), list.slice(1..3)] {
            assert_eq!(piece.len(), 2);
            assert!((0..2).all(|i| piece.ciphertext(i) == list.ciphertext(i + 1)));
        }
        read.append(list.slice(0..1));
        assert_eq!((read.len(), read.ciphertext(5)), (6, list.ciphertext(0)));
    }
}
