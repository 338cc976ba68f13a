//! Ciphertexts: encrypted values of any engine.

use std::fmt;

use cryptable_lattice::error::{check_client, check_parameters, check_signs};
use cryptable_wire::KeyId;

use crate::engine::other_engine;
use crate::engines::{leveled, packed, single};
use crate::{Engine, Error, NoiseBound, Result};

/// Any number of encrypted integers with one modulus, under one client's key.
///
/// A ciphertext consists of one or more *parts*, ciphertexts of its engine: a part holds up to
/// [`crate::Parameters::values_per_ciphertext`] packed values, or a list of single ones.
///
/// [`Ciphertext::to_bytes`] writes the format of [`crate::CiphertextWriter`], which the command line uses too.
///
/// ```
/// use cryptable::{Engine, Parameters, SecretKey};
/// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
/// let values = secret.encrypt(&[3, 0, 2])?;
/// assert_eq!((values.count(), values.modulus()), (3, 4));
/// assert_eq!(secret.decrypt(&values)?, [3, 0, 2]);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext {
    /// Never empty; all parts have the same [`Contents`].
    parts: Vec<Part>,
    marks: Marks,
}

/// Public statements about values that their encryption does not depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) signed: bool,
    pub(crate) standalone: bool,
}

impl Marks {
    /// Returns the number that encodes the marks in files.
    pub(crate) fn number(self) -> u16 {
        u16::from(self.signed) | u16::from(self.standalone) << 1
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, count, modulus) = (self.engine(), self.count(), self.modulus());
        let signed = if self.marks.signed { "signed " } else { "" };
        write!(f, "Ciphertext({engine}, {count} {signed}values below {modulus})")
    }
}

/// The properties that all parts of a ciphertext share, and all ciphertexts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The engine that encrypts the values.
    pub engine: Engine,
    /// Digest of the parameters ([`crate::Parameters::digest`]).
    pub parameter_digest: [u8; 32],
    /// Identifier of the client's secret key, which decrypts the values.
    pub key_id: KeyId,
    /// Modulus M of the values, which are 0 to M - 1, or -M/2 to M/2 - 1 if they are signed.
    pub modulus: u64,
    /// Whether values are signed; see [`Ciphertext::is_signed`].
    pub signed: bool,
    /// Whether each ciphertext stands alone; see [`Ciphertext::is_standalone`].
    pub standalone: bool,
}

impl Contents {
    /// Checks that `found` equals these contents. Errors call the object `object`.
    ///
    /// # Errors
    /// [`Error::OtherKind`], [`Error::OtherParameters`], [`Error::OtherClient`], [`Error::Mismatch`] or
    /// [`Error::Signs`] if the engines, parameters, clients, moduli or signs differ, respectively. Whether they
    /// stand alone does not matter.
    pub fn check(&self, found: &Self, object: &'static str) -> Result<()> {
        if found.engine != self.engine {
            return Err(other_engine(object, self.engine, found.engine));
        }
        check_parameters(object, self.parameter_digest, found.parameter_digest)?;
        check_client(object, self.key_id, found.key_id)?;
        if found.modulus != self.modulus {
            let (found, expected) = (found.modulus.to_string(), self.modulus.to_string());
            return Err(Error::Mismatch { name: "modulus of the values", found, expected });
        }
        check_signs("values", found.signed, self.signed, "the others")
    }

    pub(crate) fn marks(&self) -> Marks {
        Marks { signed: self.signed, standalone: self.standalone }
    }
}

impl Ciphertext {
    /// Creates a ciphertext of unsigned values from its parts.
    ///
    /// # Errors
    /// If there is no part, or if the contents of one differ from those of the first.
    pub(crate) fn new(parts: Vec<Part>) -> Result<Self> {
        let Some(first) = parts.first() else {
            return Err(Error::TooSmall { name: "number of parts", value: 0, limit: 1 });
        };
        let contents = first.contents(Marks::default());
        for part in &parts[1..] {
            contents.check(&part.contents(Marks::default()), "part of a ciphertext")?;
        }
        Ok(Self { parts, marks: Marks::default() })
    }

    /// Encrypts values in parts of `per_part` by `encrypt`.
    ///
    /// # Errors
    /// [`Error::TooSmall`] if there is no value; those of `encrypt`, with positions among all values.
    #[cfg(feature = "client")]
    pub(crate) fn of_chunks(
        values: &[u64],
        per_part: usize,
        encrypt: impl Fn(&[u64]) -> Result<Part>,
    ) -> Result<Self> {
        if values.is_empty() {
            return Err(Error::TooSmall { name: "number of values", value: 0, limit: 1 });
        }
        let shifted = |part, error| match error {
            Error::ValueOutOfRange { index, value, limit } => {
                Error::ValueOutOfRange { index: index + part * per_part, value, limit }
            }
            other => other,
        };
        let parts = values
            .chunks(per_part)
            .enumerate()
            .map(|(part, values)| encrypt(values).map_err(|error| shifted(part, error)));
        Self::new(parts.collect::<Result<_>>()?)
    }

    /// Returns the properties that all values share.
    #[must_use]
    pub fn contents(&self) -> Contents {
        self.parts[0].contents(self.marks)
    }

    /// Returns the engine that the values are encrypted with.
    #[must_use]
    pub fn engine(&self) -> Engine {
        self.parts[0].engine()
    }

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.parts.iter().map(Part::count).sum()
    }

    /// Returns the modulus of the values.
    #[must_use]
    pub fn modulus(&self) -> u64 {
        self.contents().modulus
    }

    /// Returns whether values are signed: from -M/2 to M/2 - 1 for the modulus M, instead of 0 to M - 1.
    ///
    /// Values are signed if [`SecretKey::encrypt_signed`](crate::SecretKey::encrypt_signed) encrypted them or if the
    /// table of their lookup has signed outputs ([`Table::signed_outputs`](crate::Table::signed_outputs)); sums and
    /// files preserve the sign. It is public, like the modulus, and does not change what is encrypted: -1 and M - 1 are
    /// the same modulo M.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.marks.signed
    }

    /// Returns whether values are marked as standing alone, as the results of [`EvaluationKey::decompose`] and
    /// [`EvaluationKey::floor`] are. Files of integers in digits, which comparisons return, have several ciphertexts
    /// per integer, which programs join for decryption. The mark tells single digits with the same modulus from such
    /// integers.
    ///
    /// The mark is public. Sums, lookups and files preserve it, and it does not change what is encrypted. Files of
    /// earlier versions do not have it.
    ///
    /// [`EvaluationKey::decompose`]: crate::EvaluationKey::decompose
    /// [`EvaluationKey::floor`]: crate::EvaluationKey::floor
    #[must_use]
    pub fn is_standalone(&self) -> bool {
        self.marks.standalone
    }

    /// Returns the same ciphertext, marked as standing alone or not.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let digits = secret.encrypt(&[3])?.with_standalone(true);
    /// assert!(digits.is_standalone() && digits.contents().standalone);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn with_standalone(self, standalone: bool) -> Self {
        Self { marks: Marks { standalone, ..self.marks }, ..self }
    }

    /// Returns the same ciphertext with its values read as signed or unsigned, for example a difference of unsigned
    /// values.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Packed, 16, 16)?);
    /// let (x, y) = (secret.encrypt(&[3])?, secret.encrypt(&[5])?);
    /// let difference = secret.evaluation_key().sub(&x, &y)?;
    /// assert_eq!(secret.decrypt(&difference)?, [14]);
    /// assert_eq!(secret.decrypt_signed(&difference.with_signed(true))?, [-2]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    #[must_use]
    pub fn with_signed(self, is_signed: bool) -> Self {
        Self { marks: Marks { signed: is_signed, ..self.marks }, ..self }
    }

    /// Returns the same ciphertext with these marks.
    pub(crate) fn with_marks(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }

    pub(crate) fn marks(&self) -> Marks {
        self.marks
    }

    /// Returns the identifier of the secret key that decrypts the values.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.contents().key_id
    }

    /// Returns the digest of the parameters.
    #[must_use]
    pub fn parameter_digest(&self) -> [u8; 32] {
        self.contents().parameter_digest
    }

    /// Returns the bound on the noise, the maximum over all parts. `None` for the leveled engine, whose values cannot
    /// be added.
    #[must_use]
    pub fn noise(&self) -> Option<NoiseBound> {
        let noises = self.parts.iter().map(|part| match part {
            Part::Packed(part) => Some(part.noise()),
            Part::Single(part) => Some(part.noise()),
            Part::Leveled(_) => None,
        });
        noises.reduce(|a, b| Some(a?.max(b?))).flatten()
    }

    /// Returns whether nothing was computed on the values yet, except sums with constants.
    ///
    /// The random part of a fresh ciphertext, its masks, is stored as a seed of 32 bytes, so it is much shorter than
    /// the result of a lookup.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.parts.iter().all(Part::is_fresh)
    }

    /// Returns the parts, each as a ciphertext of its own, in the order of the values.
    pub fn into_parts(self) -> impl ExactSizeIterator<Item = Self> {
        let marks = self.marks;
        self.parts.into_iter().map(move |part| Self { parts: vec![part], marks })
    }

    /// Returns the values from position `first` on, in order, in ciphertexts of at most `most` values each. A part of
    /// packed values is never split.
    ///
    /// ```
    /// use cryptable::{Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let pieces: Vec<_> = secret.encrypt(&[0, 3, 1, 2])?.into_pieces(1, 2).collect();
    /// assert_eq!((secret.decrypt(&pieces[0])?, secret.decrypt(&pieces[1])?), (vec![3, 1], vec![2]));
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Panics
    /// If `most` is 0.
    pub fn into_pieces(self, first: usize, most: usize) -> impl Iterator<Item = Self> {
        let marks = self.marks;
        let mut skipped = first;
        let pieces = self.parts.into_iter().flat_map(move |part| {
            let first = skipped.min(part.count());
            skipped -= first;
            part.into_pieces(first, most)
        });
        pieces.map(move |part| Self { parts: vec![part], marks })
    }

    /// Joins ciphertexts with the same contents into one: the values of the first, then those of the next, and so on. They
    /// stand alone if all of them do.
    ///
    /// ```
    /// use cryptable::{Ciphertext, Engine, Parameters, SecretKey};
    /// let secret = SecretKey::generate(Parameters::insecure_toy(Engine::Single, 4, 4)?);
    /// let joined = Ciphertext::join([secret.encrypt(&[3])?, secret.encrypt(&[1, 2])?])?;
    /// assert_eq!(secret.decrypt(&joined)?, [3, 1, 2]);
    /// # Ok::<(), cryptable::Error>(())
    /// ```
    ///
    /// # Errors
    /// If there is none, or if engines, parameters, clients, moduli or signs differ.
    pub fn join(ciphertexts: impl IntoIterator<Item = Self>) -> Result<Self> {
        let mut marks: Option<Marks> = None;
        let mut parts = Vec::new();
        for ciphertext in ciphertexts {
            let found = ciphertext.marks;
            let first = marks.get_or_insert(found);
            check_signs("values", found.signed, first.signed, "the first")?;
            first.standalone &= found.standalone;
            parts.extend(ciphertext.parts);
        }
        Ok(Self::new(parts)?.with_marks(marks.unwrap_or_default()))
    }

    /// Interleaves ciphertexts with equal numbers of parts: the first part of each, then the second part of each, and
    /// so on.
    pub(crate) fn interleaved(ciphertexts: &[Self]) -> Result<Self> {
        let parts = ciphertexts.first().map_or(0, |first| first.parts.len());
        let nth_parts = |index: usize| ciphertexts.iter().map(move |one| one.parts[index].clone());
        Self::new((0..parts).flat_map(nth_parts).collect())
    }

    /// Splits a result of [`Ciphertext::interleaved`] into `count` ciphertexts. Errors call the ciphertexts `what`.
    pub(crate) fn deinterleaved(self, count: usize, what: &str) -> Result<Vec<Self>> {
        let found = self.parts.len();
        if count == 0 || !found.is_multiple_of(count) {
            let expected = format!("a multiple of {count}, the number of {what}");
            return Err(Error::mismatch("number of ciphertexts", found, expected));
        }
        let mut parts: Vec<Vec<Part>> = vec![Vec::new(); count];
        for (index, part) in self.parts.into_iter().enumerate() {
            parts[index % count].push(part);
        }
        parts.into_iter().map(Self::new).collect()
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the parts as ciphertexts of the packed engine, for operations that only this engine has.
    ///
    /// # Errors
    /// [`Error::OtherKind`] if the values are encrypted with another engine.
    pub fn packed(&self) -> Result<Vec<&packed::Ciphertext>> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Packed(part) => Ok(part),
                other => Err(other_engine("ciphertext", Engine::Packed, other.engine())),
            })
            .collect()
    }
}

/// Evaluates the same expression on the part of whichever engine the enum holds.
macro_rules! each_part {
    ($object:expr, $inner:ident => $expression:expr) => {
        match $object {
            Self::Packed($inner) => $expression,
            Self::Single($inner) => $expression,
            Self::Leveled($inner) => $expression,
        }
    };
}

/// Values that an engine encrypts together, or a list of single values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Packed(packed::Ciphertext),
    Single(single::Ciphertext),
    Leveled(leveled::Ciphertext),
}

impl Part {
    pub(crate) fn engine(&self) -> Engine {
        match self {
            Self::Packed(_) => Engine::Packed,
            Self::Single(_) => Engine::Single,
            Self::Leveled(_) => Engine::Leveled,
        }
    }

    pub(crate) fn count(&self) -> usize {
        each_part!(self, it => it.count())
    }

    /// Returns the number of values of this part that fit in `bytes` bytes of a file, estimated from the first value. A
    /// fresh or packed part is small, so all of its values fit.
    pub(crate) fn values_within(&self, bytes: u64) -> usize {
        let one = match self {
            Self::Single(part) if !part.is_fresh() && part.count() > 1 => {
                part.slice(0..1).to_bytes()
            }
            Self::Leveled(part) if !part.is_fresh() && part.count() > 1 => {
                part.slice(0..1).to_bytes()
            }
            _ => return usize::MAX,
        };
        ((bytes / one.len() as u64) as usize).max(1)
    }

    /// Same as [`Ciphertext::into_pieces`], for one part. Pieces are cut lazily, so that only one is in memory at a
    /// time.
    pub(crate) fn into_pieces(self, first: usize, most: usize) -> impl Iterator<Item = Self> {
        let count = self.count();
        let is_whole = first == 0 && count <= most || matches!(self, Self::Packed(_));
        let step = if is_whole { count.max(1) } else { most };
        (first..count).step_by(step).map(move |start| {
            let range = start..count.min(start + step);
            match &self {
                // A whole part keeps its seed, if it has one.
                whole if is_whole => whole.clone(),
                Self::Packed(part) => Self::Packed(part.clone()),
                Self::Single(part) => Self::Single(part.slice(range)),
                Self::Leveled(part) => Self::Leveled(part.slice(range)),
            }
        })
    }

    pub(crate) fn is_fresh(&self) -> bool {
        each_part!(self, it => it.is_fresh())
    }

    pub(crate) fn contents(&self, marks: Marks) -> Contents {
        let Marks { signed, standalone } = marks;
        each_part!(self, it => Contents {
            engine: self.engine(),
            parameter_digest: it.parameter_digest(),
            key_id: it.key_id(),
            modulus: it.modulus(),
            signed,
            standalone,
        })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        each_part!(self, it => it.to_bytes())
    }

    pub(crate) fn from_bytes(engine: Engine, bytes: &[u8]) -> Result<Self> {
        Ok(match engine {
            Engine::Packed => Self::Packed(packed::Ciphertext::from_bytes(bytes)?),
            Engine::Single => Self::Single(single::Ciphertext::from_bytes(bytes)?),
            Engine::Leveled => Self::Leveled(leveled::Ciphertext::from_bytes(bytes)?),
        })
    }
}

impl From<packed::Ciphertext> for Part {
    fn from(ciphertext: packed::Ciphertext) -> Self {
        Self::Packed(ciphertext)
    }
}

impl From<single::Ciphertext> for Part {
    fn from(ciphertext: single::Ciphertext) -> Self {
        Self::Single(ciphertext)
    }
}

impl From<leveled::Ciphertext> for Part {
    fn from(ciphertext: leveled::Ciphertext) -> Self {
        Self::Leveled(ciphertext)
    }
}

impl From<packed::Ciphertext> for Ciphertext {
    fn from(ciphertext: packed::Ciphertext) -> Self {
        Self { parts: vec![ciphertext.into()], marks: Marks::default() }
    }
}

impl From<single::Ciphertext> for Ciphertext {
    fn from(ciphertext: single::Ciphertext) -> Self {
        Self { parts: vec![ciphertext.into()], marks: Marks::default() }
    }
}

impl From<leveled::Ciphertext> for Ciphertext {
    fn from(ciphertext: leveled::Ciphertext) -> Self {
        Self { parts: vec![ciphertext.into()], marks: Marks::default() }
    }
}
