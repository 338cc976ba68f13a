//! Switching keys, which hybrid key switching multiplies digits by.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use cryptable_ring::kernels::PackedRow;
use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};
use cryptable_ring::{
    Basis, Buffer, ByteBuffer, Evaluations, Isa, PackedLayout, Poly, Ring, RingModuli,
};
use cryptable_wire::{BodyReader, BodyWriter, WireError};
use rayon::prelude::*;

/// The shape of a hybrid switching key (Han, Ki 2020): its level, and its division into digits.
///
/// A polynomial of l limbs, at most those of `basis`, is cut into `ceil(l / digit_limbs)` digits of `digit_limbs`
/// consecutive limbs each. The product of the special primes must be at least as large as that of a digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SwitchingKeyShape {
    /// The primes of the key: the highest level that it supports, and its special primes.
    pub basis: Basis,
    /// Limbs of chain primes per digit.
    pub digit_limbs: usize,
}

impl SwitchingKeyShape {
    /// Returns the shape of keys of this basis with digits of `digit_limbs` limbs. The number of special primes is that
    /// of a digit's limbs, or `special_primes` if there are fewer.
    #[must_use]
    pub fn of_digits(basis: Basis, digit_limbs: usize, special_primes: usize) -> Self {
        let special = digit_limbs.min(basis.main_limbs()).min(special_primes);
        Self { basis: Basis { special, ..basis }, digit_limbs }
    }

    /// Returns the basis of a polynomial of the first `main` primes that was raised to the modulus Q·P.
    #[must_use]
    pub const fn raised(self, main: usize) -> Basis {
        self.basis.lowered(main)
    }

    /// Returns whether the key supports polynomials of this basis: those of its chain, up to its level.
    #[must_use]
    pub const fn serves(self, basis: Basis) -> bool {
        self.basis.chain == basis.chain && basis.main <= self.basis.main
    }

    /// Returns the number of digits of a polynomial of the first `main` primes.
    #[must_use]
    pub const fn digits_at(self, main: usize) -> usize {
        self.raised(main).main_limbs().div_ceil(self.digit_limbs)
    }

    /// Returns the limbs of one digit of a polynomial of the first `main` primes.
    #[must_use]
    pub const fn digit_range(self, digit: usize, main: usize) -> std::ops::Range<usize> {
        let limbs = self.raised(main).main_limbs();
        let (start, end) = (digit * self.digit_limbs, (digit + 1) * self.digit_limbs);
        start..if end < limbs { end } else { limbs }
    }

    /// Returns the number of digits (dnum) of the key itself.
    #[must_use]
    pub const fn digits(self) -> usize {
        self.digits_at(self.basis.main)
    }

    /// Returns the number of NTTs of one key switch of a polynomial of the first `main` primes: `(d + 2)(l + k)` for l
    /// limbs.
    #[must_use]
    pub const fn transforms_at(self, main: usize) -> usize {
        (self.digits_at(main) + 2) * self.raised(main).limbs()
    }

    /// Returns the bytes of the key's bodies, which are also those of its masks: packed rows, one per limb and digit.
    /// Saturates.
    #[must_use]
    pub fn body_bytes(self, moduli: &RingModuli) -> usize {
        moduli.packed_bytes(self.basis).saturating_mul(self.digits())
    }

    /// Returns the bytes of the key on disk: a seed and bodies. Saturates.
    #[must_use]
    pub fn stored_bytes(self, moduli: &RingModuli) -> usize {
        self.body_bytes(moduli).saturating_add(Seed::BYTES)
    }
}

/// Bytes from which a key may borrow its rows, such as a memory-mapped file.
pub type SharedBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// Rows of a key: bytes of its own, or a part of shared ones.
enum Stored {
    Owned(ByteBuffer),
    Shared { bytes: SharedBytes, range: Range<usize> },
}

impl Stored {
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Owned(bytes) => bytes,
            Self::Shared { bytes, range } => {
                let bytes: &[u8] = (**bytes).as_ref();
                &bytes[range.clone()]
            }
        }
    }
}

/// A key that switches ciphertexts from one secret s' to another s.
///
/// Digit i is `(b_i, a_i)` with `b_i = -a_i·s + e_i + P·g_i·s'` modulo `Q·P`, in evaluations, where `g_i` is 1 modulo
/// the primes of digit i and 0 modulo the other chain primes, and P is the product of the special primes. The masks a
/// are expanded from a seed, and only the bodies b are stored and sent. Relinearization keys of several owners are an
/// exception: their masks have no seed. Bodies and masks are rows of residues packed at the width of their modulus
/// ([`PackedRow`]), digit after digit, limb after limb, in memory as in files.
pub struct SwitchingKey {
    shape: SwitchingKeyShape,
    /// The layout of one digit.
    layout: PackedLayout,
    b: Stored,
    a: Stored,
}

impl std::fmt::Debug for SwitchingKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SwitchingKey").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl SwitchingKey {
    /// Returns the key with bodies and masks that [`fill_rows`] wrote.
    #[cfg(feature = "client")]
    pub(crate) fn from_rows(ring: &Ring, shape: SwitchingKeyShape, rows: [ByteBuffer; 2]) -> Self {
        let layout = PackedLayout::new(ring.moduli(), shape.basis);
        let [b, a] = rows.map(Stored::Owned);
        Self { shape, layout, b, a }
    }

    /// Returns a key whose bodies stay where they are, at byte `offset` of `bytes`. Expands the masks from a seed;
    /// without a seed the masks follow the bodies, and stay where they are as well.
    ///
    /// Returns `None` if the rows are not wholly inside, or if a word is not reduced modulo its prime.
    #[must_use]
    pub fn from_shared(
        ring: &Ring,
        shape: SwitchingKeyShape,
        seed: Option<&Seed>,
        bytes: SharedBytes,
        offset: usize,
    ) -> Option<Self> {
        let layout = PackedLayout::new(ring.moduli(), shape.basis);
        let length = shape.body_bytes(ring.moduli());
        let b = shared_rows(ring, shape, &bytes, offset)?;
        let a = match seed {
            None => shared_rows(ring, shape, &bytes, offset.checked_add(length)?)?,
            Some(seed) => {
                let mut a = ByteBuffer::zeroed(length);
                let rows = layout.rows_mut(&mut a).into_par_iter();
                rows.enumerate().for_each(|(row, (bytes, bits))| {
                    let (digit, limb) = (row / shape.basis.limbs(), row % shape.basis.limbs());
                    let mut words = Buffer::unspecified(ring.degree());
                    expand_row(ring, shape.basis, seed, digit, limb, &mut words);
                    PackedRow::pack(Isa::detect(), bytes, &words, bits);
                });
                Stored::Owned(a)
            }
        };
        Some(Self { shape, layout, b, a })
    }

    /// Returns the basis, the number of digits and the limbs per digit.
    #[must_use]
    pub fn shape(&self) -> SwitchingKeyShape {
        self.shape
    }

    /// Returns limb `limb` of the pair `(b_i, a_i)`, for a polynomial in `basis`, modulo [`SwitchingKey::prime_index`].
    ///
    /// # Panics
    /// If the key does not hold that basis.
    #[must_use]
    pub fn limb(&self, digit: usize, basis: Basis, limb: usize) -> (PackedRow<'_>, PackedRow<'_>) {
        let limb = self.own_limb(basis, limb);
        let start = digit * self.layout.bytes();
        let [b, a] = [self.b.as_slice(), self.a.as_slice()];
        (self.layout.row(&b[start..], limb), self.layout.row(&a[start..], limb))
    }

    /// Returns the number of the modulus of [`SwitchingKey::limb`]. It is a multiple of the modulus of that limb in
    /// `basis` if the polynomial has dropped the second prime of the limb.
    #[must_use]
    pub fn prime_index(&self, ring: &Ring, basis: Basis, limb: usize) -> usize {
        ring.prime_index(self.shape.basis, self.own_limb(basis, limb))
    }

    /// Returns the key's own limb for limb `limb` of `basis`.
    fn own_limb(&self, basis: Basis, limb: usize) -> usize {
        let own = self.shape.basis;
        assert!(basis.main <= own.main && own.lowered(basis.main) == basis, "{basis:?}");
        let main_limbs = basis.main_limbs();
        if limb < main_limbs { limb } else { limb - main_limbs + own.main_limbs() }
    }
}

/// Returns the rows of a key at byte `offset` of some bytes, or `None` if they are not wholly inside, or if a word is
/// not reduced.
fn shared_rows(
    ring: &Ring,
    shape: SwitchingKeyShape,
    bytes: &SharedBytes,
    offset: usize,
) -> Option<Stored> {
    let range = offset..offset.checked_add(shape.body_bytes(ring.moduli()))?;
    let all: &[u8] = (**bytes).as_ref();
    let is_reduced = rows_are_reduced(ring, shape, all.get(range.clone())?);
    is_reduced.then(|| Stored::Shared { bytes: SharedBytes::clone(bytes), range })
}

/// Returns whether all words of a key's rows are below their primes.
pub(crate) fn rows_are_reduced(ring: &Ring, shape: SwitchingKeyShape, rows: &[u8]) -> bool {
    let (basis, layout) = (shape.basis, PackedLayout::new(ring.moduli(), shape.basis));
    (0..shape.digits() * basis.limbs()).into_par_iter().all(|index| {
        let (digit, limb) = (index / basis.limbs(), index % basis.limbs());
        let q = ring.modulus(ring.prime_index(basis, limb)).value();
        layout.row(&rows[digit * layout.bytes()..], limb).is_below(Isa::detect(), q)
    })
}

/// Makes the bodies of a key, and the masks of its seed if there is room for them. `make_row(digit, limb, words)`
/// overwrites a row of masks with the row of bodies, row after row on all threads.
#[cfg(feature = "client")]
pub(crate) fn fill_rows(
    ring: &Ring,
    shape: SwitchingKeyShape,
    seed: &Seed,
    b: &mut [u8],
    a: Option<&mut [u8]>,
    make_row: impl Fn(usize, usize, &mut [u64]) + Sync,
) {
    let layout = PackedLayout::new(ring.moduli(), shape.basis);
    let bodies = layout.rows_mut(b);
    let mut masks = a.map_or_else(Vec::new, |a| layout.rows_mut(a)).into_iter();
    let rows: Vec<_> = bodies.into_iter().map(|row| (row, masks.next())).collect();
    rows.into_par_iter().enumerate().for_each(|(row, ((b, bits), a))| {
        let (digit, limb) = (row / shape.basis.limbs(), row % shape.basis.limbs());
        let mut words = Buffer::unspecified(ring.degree());
        expand_row(ring, shape.basis, seed, digit, limb, &mut words);
        if let Some((a, _)) = a {
            PackedRow::pack(Isa::detect(), a, &words, bits);
        }
        make_row(digit, limb, &mut words);
        PackedRow::pack(Isa::detect(), b, &words, bits);
    });
}

/// The part of a switching key that files hold.
#[derive(Clone, Copy, Debug)]
pub struct StoredKey<'a> {
    /// The seed of the masks.
    pub seed: &'a Seed,
    /// The bodies: packed rows of all limbs of all digits.
    pub rows: &'a [u8],
}

/// Expands a row of a key's masks: there is one stream of the seed per digit and prime, so that rows expand in parallel
/// and do not depend on which other rows are stored.
fn expand_row(
    ring: &Ring,
    basis: Basis,
    seed: &Seed,
    digit: usize,
    limb: usize,
    words: &mut [u64],
) {
    let prime = ring.prime_index(basis, limb);
    let stream = (digit as u64) << 32 | prime as u64;
    RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, stream)
        .uniform_assign(words, ring.modulus(prime).value());
}

/// Returns whether every word of a sequence of limb-major polynomials is below its prime.
#[must_use]
pub fn words_are_reduced(ring: &Ring, basis: Basis, words: &[u64]) -> bool {
    words.par_chunks(ring.degree()).enumerate().all(|(index, limb)| {
        let q = ring.modulus(ring.prime_index(basis, index % basis.limbs())).value();
        limb.iter().all(|&word| word < q)
    })
}

/// A ciphertext pair under one secret, `c0 + c1·s`, in evaluations.
#[derive(Clone, Debug)]
pub struct RlweCiphertext {
    /// The part that is not multiplied by the secret.
    pub c0: Poly<Evaluations>,
    /// The part that is multiplied by the secret.
    pub c1: Poly<Evaluations>,
}

impl RlweCiphertext {
    /// Returns a ciphertext of this basis with arbitrary words: every word must be written before it is read.
    #[must_use]
    pub fn unspecified(ring: &Ring, basis: Basis) -> Self {
        Self { c0: Poly::unspecified(ring, basis), c1: Poly::unspecified(ring, basis) }
    }

    /// Returns the ciphertext of both parts' images under a map.
    #[must_use]
    pub fn map(&self, f: impl Fn(&Poly<Evaluations>) -> Poly<Evaluations>) -> Self {
        Self { c0: f(&self.c0), c1: f(&self.c1) }
    }

    /// Iterates in parallel over the limbs of both parts, for a ring of this degree.
    pub(crate) fn limbs_mut(
        &mut self,
        degree: usize,
    ) -> impl IndexedParallelIterator<Item = (&mut [u64], &mut [u64])> {
        let (c0, c1) = (self.c0.words_mut(), self.c1.words_mut());
        c0.par_chunks_mut(degree).zip(c1.par_chunks_mut(degree))
    }

    /// Applies [`Poly::divide_round`] to both parts.
    ///
    /// # Panics
    /// If no prime of the chain would be left.
    #[must_use]
    pub fn divide_round(self, ring: &Ring, rescale: usize) -> Self {
        let Self { c0, c1 } = self;
        let (c0, c1) =
            rayon::join(|| c0.divide_round(ring, rescale), || c1.divide_round(ring, rescale));
        Self { c0, c1 }
    }

    /// Writes the words of both parts, every limb at the width of its modulus.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write<W: Write>(
        &self,
        writer: &mut BodyWriter<W>,
        moduli: &RingModuli,
    ) -> io::Result<()> {
        let limbs = moduli.limb_values(self.c0.basis());
        writer.packed_limbs(self.c0.words(), &limbs)?;
        writer.packed_limbs(self.c1.words(), &limbs)
    }

    /// Reads a ciphertext that [`RlweCiphertext::write`] wrote, modulo the primes of a basis. Errors name the words.
    ///
    /// # Errors
    /// If bytes are missing, or a word is not below its modulus.
    pub fn read(
        reader: &mut BodyReader<'_>,
        name: &'static str,
        ring: &Ring,
        basis: Basis,
    ) -> Result<Self, WireError> {
        let limbs = ring.moduli().limb_values(basis);
        let mut part = || -> Result<_, WireError> {
            let words = reader.packed_limbs(name, ring.degree(), &limbs)?;
            Ok(Poly::from_words(ring, basis, words))
        };
        Ok(Self { c0: part()?, c1: part()? })
    }
}
