//! Evaluation keys as bytes.
//!
//! The bytes are the seed of the masks, then all parts in a fixed order, each packed at the bit width of its modulus. No
//! lengths are stored, since the parameters determine them. Words and lengths are checked before anything is computed from
//! them.

use cryptable_lattice::Result;
use cryptable_ring::random::Seed;
use cryptable_ring::reserved;
use cryptable_wire::WireError;
use cryptable_wire::bit_packing::{UnpackError, pack_onto, packed_bytes, unpack_into};

use crate::encrypted_zero::EncryptedZero;
use crate::keys::evaluation_key::SeededEvaluationKey;
use crate::packing::trace::exponents;
use crate::parameters::Parameters;
use crate::rotation::cmux::cmux_rgsw_count;
use crate::seeded_rows::{RowDomain, SeededRows};
use crate::switching::lwe_key_switching::{SeededKeySwitchingKey, word_bytes};

/// Name of the LWE key switching key in messages.
const KEY_SWITCHING: &str = "the LWE key switching key";

/// Name of all parts together in messages.
const WHOLE: &str = "the evaluation key";

/// Description of one part of a key.
struct Part {
    name: &'static str,
    /// Number of words.
    words: usize,
    /// Exclusive bound of the words.
    modulus: u64,
}

impl Part {
    /// Returns the bits of a word.
    fn bits(&self) -> u32 {
        u64::BITS - (self.modulus - 1).leading_zeros()
    }

    fn bytes(&self) -> usize {
        packed_bytes(self.words, self.bits())
    }

    /// Checks that the number of words is right and all are below the modulus.
    fn check(&self, words: &[u64]) -> std::result::Result<(), WireError> {
        let Self { name, words: expected, modulus } = *self;
        if words.len() != expected {
            return Err(wrong_length(name, "words", words.len(), expected));
        }
        match words.iter().position(|&word| word >= modulus) {
            Some(position) => {
                let value = format!("{} at word {position}", words[position]);
                Err(WireError::invalid(name, value, format!("below its modulus {modulus}")))
            }
            None => Ok(()),
        }
    }
}

/// Returns the error for a part, or a whole key, whose length does not fit the parameters.
fn wrong_length(part: &'static str, unit: &str, found: usize, expected: usize) -> WireError {
    WireError::invalid(part, format!("{found} {unit} long"), format!("{expected} {unit} long"))
}

/// Lists all parts, in the order in which they are stored.
fn parts(parameters: &Parameters) -> Vec<Part> {
    let literal = parameters.literal();
    let (degree, prime) = (parameters.ring_degree(), parameters.prime());
    // A part of several polynomials of the ring. The product saturates on machines with short words: no key is that long.
    let part = |name, factors: [usize; 2]| Part {
        name,
        words: factors.into_iter().fold(degree, usize::saturating_mul),
        modulus: prime,
    };
    let automorphism = literal.automorphism.length;
    let window = parameters.rotation_automorphisms();
    let rgsw = match &window {
        None => cmux_rgsw_count(literal.lwe_dimension, literal.lwe_secret),
        Some(_) => literal.lwe_dimension + 1,
    };
    let automorphisms = window.map(|window| [window.key_count(), window.gadget.length()]);
    let rotations = parameters.rotation_gadgets().into_iter();
    let rotations = rotations.map(|g| part("the rotation key", [rgsw, g.rows()]));
    let automorphisms =
        automorphisms.map(|factors| part("the rotation's automorphism keys", factors));
    let key_switching = Part {
        name: KEY_SWITCHING,
        words: parameters.key_switching_source().0 * literal.key_switching.length,
        modulus: parameters.lwe_modulus(),
    };
    let ring_dimension = parameters.small_ring().map(|small| Part {
        name: "the ring dimension switching key",
        words: degree * small.literal.digits.length,
        modulus: small.prime(),
    });
    let trace = part("the trace key", [exponents(degree).count(), automorphism]);
    let relinearization = part("the relinearization key", [1, literal.relinearization.length]);
    rotations
        .chain(automorphisms)
        .chain([key_switching])
        .chain(ring_dimension)
        .chain([trace, relinearization])
        .collect()
}

/// Returns the number of bytes of a key of these parameters.
#[must_use]
pub fn evaluation_key_bytes(parameters: &Parameters) -> usize {
    parts(parameters).iter().fold(Seed::BYTES, |sum, part| sum.saturating_add(part.bytes()))
}

/// Returns the number of bytes of an expanded key in memory, [`crate::keys::EvaluationKey::bytes`]: masks are drawn
/// and words widened.
#[must_use]
pub fn evaluation_key_memory_bytes(parameters: &Parameters) -> usize {
    let word = word_bytes(parameters.literal().log2_lwe_modulus);
    let lwe_row = word.saturating_mul(parameters.lwe_dimension() + 1);
    let bytes = |part: &Part| match part.name {
        KEY_SWITCHING => part.words.saturating_mul(lwe_row),
        // Body and mask in words of 64 bits.
        _ => part.words.saturating_mul(16),
    };
    // Lookup table of rotation by automorphisms.
    let window = parameters.rotation_automorphisms();
    let places = window.map_or(0, |window| 4 * window.group.places().len());
    let (gadget, degree) = (parameters.automorphism_gadget(), parameters.ring_degree());
    let places = places + EncryptedZero::bytes(gadget, degree);
    parts(parameters).iter().map(bytes).fold(places, usize::saturating_add)
}

/// Returns the number of words that generating a key draws: the mask and the errors of every row.
#[must_use]
pub fn evaluation_key_words(parameters: &Parameters) -> usize {
    let words = |part: &Part| match part.name {
        KEY_SWITCHING => part.words.saturating_mul(parameters.lwe_dimension() + 1),
        _ => part.words.saturating_mul(2),
    };
    parts(parameters).iter().map(words).fold(0, usize::saturating_add)
}

/// Returns the largest number of bytes of memory in use while a key is read and expanded: its unpacked words, and the
/// expanded key.
#[must_use]
pub fn reading_memory_bytes(parameters: &Parameters) -> u64 {
    let unpacked = parts(parameters)
        .iter()
        .fold(0, |sum: usize, part| sum.saturating_add(part.words.saturating_mul(8)));
    unpacked.saturating_add(evaluation_key_memory_bytes(parameters)) as u64
}

/// Returns the part of [`evaluation_key_bytes`] for keys of the trace and of scheme switching.
#[must_use]
pub fn conversion_key_bytes(parameters: &Parameters) -> usize {
    // These are the last two parts.
    parts(parameters).iter().rev().take(2).fold(0, |sum, part| sum.saturating_add(part.bytes()))
}

/// Reads the parts from packed bytes, one after the other.
struct PartReader<'a> {
    rest: &'a [u8],
    parts: std::vec::IntoIter<Part>,
}

impl PartReader<'_> {
    fn words(&mut self) -> Result<Vec<u64>> {
        let part = self.parts.next().expect("as many reads as parts");
        let (bytes, rest) = self.rest.split_at(part.bytes());
        self.rest = rest;
        let mut words = reserved(part.words);
        words.resize(part.words, 0);
        unpack_into(bytes, part.bits(), &mut words).map_err(|error| match error {
            UnpackError::Length { expected, found } => {
                wrong_length(part.name, "bytes", found, expected)
            }
            UnpackError::Padding => {
                WireError::invalid(part.name, "set beyond its last word", "zero there")
            }
        })?;
        part.check(&words)?;
        Ok(words)
    }

    fn rows(&mut self, domain: RowDomain) -> Result<SeededRows> {
        Ok(SeededRows::new(domain, self.words()?))
    }
}

impl SeededEvaluationKey {
    /// Returns the words of all parts, in the order of [`parts`].
    fn part_words(&self) -> Vec<&[u64]> {
        let rows = self.rotations.iter().chain(&self.rotation_automorphisms);
        rows.map(SeededRows::bodies)
            .chain([self.key_switching.bodies()])
            .chain(self.ring_dimension.as_ref().map(SeededRows::bodies))
            .chain([self.trace.bodies(), self.relinearization.bodies()])
            .collect()
    }

    /// Checks that every part has the length that the parameters require, and that every word is below its modulus.
    ///
    /// # Errors
    /// If a part has another number of words, or a word is not below its modulus ([`WireError::InvalidField`]).
    pub fn check(&self) -> Result<()> {
        let (parts, words) = (parts(&self.parameters), self.part_words());
        if words.len() != parts.len() {
            return Err(wrong_length(WHOLE, "parts", words.len(), parts.len()))?;
        }
        Ok(parts.iter().zip(words).try_for_each(|(part, words)| part.check(words))?)
    }

    /// Returns the key as [`evaluation_key_bytes`] bytes: seed, rotation keys, automorphism keys of the rotation, LWE key
    /// switching, ring dimension switching, trace, relinearization. Parts that the parameters do not need are absent.
    ///
    /// ```
    /// use cryptable_fhew::keys::SeededEvaluationKey;
    /// use cryptable_fhew::parameters::Parameters;
    /// use cryptable_fhew::keys::SecretKey;
    /// let parameters = Parameters::insecure_toy();
    /// let key = SecretKey::generate(&parameters).evaluation_key();
    /// assert_eq!(SeededEvaluationKey::from_bytes(&parameters, &key.to_bytes())?, key);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Panics
    /// If a part does not fit the parameters ([`SeededEvaluationKey::check`]).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.check().expect("the parts of the parameters");
        // Includes space for the word into which the last bits are written.
        let mut bytes = reserved(evaluation_key_bytes(&self.parameters) + size_of::<u64>());
        bytes.extend_from_slice(self.seed.as_bytes());
        for (part, words) in parts(&self.parameters).iter().zip(self.part_words()) {
            pack_onto(&mut bytes, words, part.bits());
        }
        bytes
    }

    /// Reads the bytes of [`SeededEvaluationKey::to_bytes`].
    ///
    /// # Errors
    /// If the number of bytes is not that of the parameters, a word is not below its modulus, or bits beyond the
    /// last word of a part are set. Nothing is allocated before the number of bytes is checked.
    pub fn from_bytes(parameters: &Parameters, bytes: &[u8]) -> Result<Self> {
        let (found, expected) = (bytes.len(), evaluation_key_bytes(parameters));
        let wrong_length = || wrong_length(WHOLE, "bytes", found, expected);
        let (seed, rest) = bytes.split_first_chunk().ok_or_else(wrong_length)?;
        if found != expected {
            return Err(wrong_length())?;
        }
        let mut reader = PartReader { rest, parts: parts(parameters).into_iter() };
        let mut rotations = Vec::new();
        for (domain, _) in RowDomain::ROTATIONS.into_iter().zip(parameters.rotation_gadgets()) {
            rotations.push(reader.rows(domain)?);
        }
        let automorphisms = parameters.rotation_automorphisms();
        let rotation_automorphisms =
            automorphisms.map(|_| reader.rows(RowDomain::RotationAutomorphism)).transpose()?;
        let key_switching = SeededKeySwitchingKey::new(reader.words()?);
        let small = parameters.small_ring();
        let ring_dimension = small.map(|_| reader.rows(RowDomain::RingDimension)).transpose()?;
        Ok(Self {
            parameters: parameters.clone(),
            seed: Seed::from_bytes(*seed),
            rotations,
            rotation_automorphisms,
            key_switching,
            ring_dimension,
            trace: reader.rows(RowDomain::Automorphism)?,
            relinearization: reader.rows(RowDomain::Relinearization)?,
        })
    }
}

#[cfg(all(test, feature = "client"))]
mod tests {
    use cryptable_lattice::Error;
    use cryptable_lattice::security::SecretDistribution;
    use proptest::prelude::*;

    use super::*;
    use crate::keys::evaluation_key::EvaluationKey;
    use crate::keys::secret_key::SecretKey;
    use crate::parameters::{GadgetLiteral, IntermediateRing, ParametersLiteral, RotationMethod};

    /// Returns small parameters whose keys have every part that a key may have.
    fn all_parts(rotation_method: RotationMethod) -> Parameters {
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        Parameters::insecure(ParametersLiteral {
            lwe_dimension: 5,
            lwe_secret: SecretDistribution::UniformTernary,
            log2_lwe_modulus: 13,
            ring_degree: 64,
            log2_prime: 30.3,
            rotation_method,
            rotation: gadget(10, 2).into(),
            finer_rotations: [Some(gadget(7, 3).into()), None, Some(gadget(5, 4).into())],
            intermediate: Some(IntermediateRing {
                degree: 32,
                log2_prime: 20.4,
                secret: SecretDistribution::Binary,
                digits: gadget(5, 3),
            }),
            key_switching: gadget(3, 3),
            automorphism: gadget(7, 3),
            relinearization: gadget(10, 2),
            packing: gadget(6, 4),
            ring_secret: SecretDistribution::Binary,
        })
        .unwrap()
    }

    fn by_automorphisms(window: usize) -> RotationMethod {
        RotationMethod::Automorphism { window, digits: GadgetLiteral { base_log2: 7, length: 4 } }
    }

    fn by_sparse_automorphisms(window: usize) -> RotationMethod {
        let digits = GadgetLiteral { base_log2: 7, length: 4 };
        RotationMethod::SparseAutomorphism { sparsity_log2: 3, window, digits }
    }

    fn key(rotation_method: RotationMethod) -> SeededEvaluationKey {
        SecretKey::generate(&all_parts(rotation_method)).evaluation_key()
    }

    #[test]
    fn keys_come_back_with_all_their_parts() {
        let toy = SecretKey::generate(&Parameters::insecure_toy()).evaluation_key();
        let methods = [RotationMethod::Cmux, by_automorphisms(4), by_sparse_automorphisms(4)];
        for key in std::iter::once(toy).chain(methods.map(key)) {
            let bytes = key.to_bytes();
            assert_eq!(bytes.len(), evaluation_key_bytes(&key.parameters));
            let expanded = EvaluationKey::expand(&key);
            assert_eq!(expanded.bytes(), evaluation_key_memory_bytes(&key.parameters));
            assert_eq!(SeededEvaluationKey::from_bytes(&key.parameters, &bytes).unwrap(), key);
        }
    }

    /// Sparse automorphisms have no key of -g.
    #[test]
    fn sparse_automorphisms_have_a_key_less() {
        let bytes = |method| evaluation_key_bytes(&all_parts(method));
        let key_bytes = packed_bytes(4 * 64, 31);
        assert_eq!(bytes(by_automorphisms(4)) - bytes(by_sparse_automorphisms(4)), key_bytes);
        let found = key(by_sparse_automorphisms(4)).rotation_automorphisms.unwrap();
        assert_eq!(found.bodies().len(), 4 * 4 * 64);
    }

    #[test]
    fn other_lengths_are_refused() {
        let key = key(RotationMethod::Cmux);
        let bytes = key.to_bytes();
        for length in (0..bytes.len()).step_by(211).chain([bytes.len() - 1, bytes.len() + 1]) {
            let mut other = bytes.clone();
            other.resize(length, 0);
            let error = SeededEvaluationKey::from_bytes(&key.parameters, &other).unwrap_err();
            let expected = bytes.len();
            let expected = super::wrong_length(WHOLE, "bytes", length, expected);
            assert!(matches!(&error, Error::Wire(found) if *found == expected), "{error}");
        }
        let other = all_parts(by_automorphisms(4));
        assert!(SeededEvaluationKey::from_bytes(&other, &bytes).is_err());
    }

    #[test]
    fn words_out_of_range_and_padding_are_named() {
        let key = key(by_automorphisms(3));
        let (bytes, parts) = (key.to_bytes(), parts(&key.parameters));
        let mut start = Seed::BYTES;
        for part in &parts {
            let mut damaged = bytes.clone();
            // Sets all bits of the first word: a value above every prime, or the largest one for a power of two.
            damaged[start..start + 8].fill(0xff);
            let read = SeededEvaluationKey::from_bytes(&key.parameters, &damaged);
            if part.modulus.is_power_of_two() {
                assert!(read.is_ok());
            } else {
                let message = read.unwrap_err().to_string();
                assert!(
                    message.contains(part.name) && message.contains("below its modulus"),
                    "{message}"
                );
            }
            let end = start + part.bytes();
            if !(part.words * part.bits() as usize).is_multiple_of(8) {
                let mut padded = bytes.clone();
                padded[end - 1] |= 0x80;
                let error = SeededEvaluationKey::from_bytes(&key.parameters, &padded).unwrap_err();
                let Error::Wire(WireError::InvalidField { name, expected, .. }) = error else {
                    panic!("{error}")
                };
                assert_eq!((name, &*expected), (part.name, "zero there"));
            }
            start = end;
        }
        assert_eq!(start, bytes.len());
    }

    #[test]
    fn foreign_parts_are_refused() {
        let whole = key(RotationMethod::Cmux);
        let mut missing = whole.clone();
        missing.ring_dimension = None;
        assert!(missing.check().unwrap_err().to_string().contains("parts"));
        let mut short = whole.clone();
        short.trace = SeededRows::new(RowDomain::Automorphism, vec![0; 64]);
        assert!(short.check().unwrap_err().to_string().contains("the trace key"));
        let mut large = whole;
        large.key_switching =
            SeededKeySwitchingKey::new(vec![1 << 13; large.key_switching.bodies().len()]);
        let message = large.check().unwrap_err().to_string();
        assert!(message.contains("8192") && message.contains("key switching"), "{message}");
    }

    proptest! {
        #[test]
        fn random_bytes_do_no_harm(
            seed in any::<u64>(),
            bytes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let parameters = all_parts(RotationMethod::Cmux);
            prop_assert!(SeededEvaluationKey::from_bytes(&parameters, &bytes).is_err());
            let mut long = vec![seed as u8; evaluation_key_bytes(&parameters)];
            for (i, byte) in bytes.iter().enumerate() {
                let place = (seed as usize ^ (i * 7919)) % long.len();
                long[place] = *byte;
            }
            if let Ok(key) = SeededEvaluationKey::from_bytes(&parameters, &long) {
                prop_assert_eq!(key.to_bytes(), long);
            }
        }
    }
}
