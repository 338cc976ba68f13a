//! Public keys modulo a power of two, whose ciphertexts are lists of LWE ciphertexts (Lyubashevsky, Peikert, Regev,
//! EUROCRYPT 2010).
//!
//! A public key is an encryption of zero, `(b, a)` with `b + a·s = e` modulo `2^k` and `X^N + 1`, where a is expanded from
//! a seed. A message polynomial m is encrypted as `(b·v + e_0 + m, a·v + e_1)` with a fresh ternary v and fresh errors, so
//! that its phase is `m + e·v + e_0 + e_1·s`. Both halves look uniform to anyone without s if RLWE with ternary secrets is
//! hard at this degree and modulus: first for the key, whose secret is s, then for ciphertexts, whose secret is v.
//! Every coefficient is an LWE ciphertext under the coefficients of s.

use cryptable_ring::random::{RandomStream, Seed};
use cryptable_wire::bit_packing::pack;
use cryptable_wire::{BodyReader, BodyWriter, WireError};
use rayon::prelude::*;

use super::{expand, read_words};
use crate::error::Result;
use crate::lwe_list::{LweList, LweShape};
use crate::power_of_two_product::multiply;
use crate::public_key_error::{bounded_error, check_norm};

/// An encryption of zero that encrypts phases for the holder of the secret: the words of b, and the seed of a.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RlwePublicKey {
    log2_modulus: u32,
    b: Vec<u64>,
    seed: Seed,
}

impl RlwePublicKey {
    /// Draws a public key for the ternary or binary coefficients of a secret, modulo `2^log2_modulus`.
    ///
    /// # Errors
    /// [`crate::Error::Unsupported`] if the secret's norm exceeds the bound on noise. From degree 1,024 on, this
    /// happens to fewer than one secret in 2^80.
    pub fn generate(secret: &[i8], log2_modulus: u32) -> Result<Self> {
        let degree = secret.len();
        check_norm(secret)?;
        let seed = Seed::random();
        let a = expand(&seed, degree, log2_modulus);
        let product = multiply(&a, secret, log2_modulus);
        let error = bounded_error(degree, &mut RandomStream::from_os());
        let mask = (1u64 << log2_modulus) - 1;
        let difference =
            |(&x, &e): (&u64, &i8)| i64::from(e).cast_unsigned().wrapping_sub(x) & mask;
        let b = product.iter().zip(error.iter()).map(difference).collect();
        Ok(Self { log2_modulus, b, seed })
    }

    /// Returns the ring degree.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.b.len()
    }

    /// Encrypts phases modulo `2^log2_modulus` as LWE ciphertexts under the coefficients of the secret, of dimension N:
    /// a compact list with N phases per ring element. Uses all threads. The noise is that of
    /// [`crate::NoiseBound::by_public_key`].
    ///
    /// # Panics
    /// If a phase is not below the modulus.
    #[must_use]
    pub fn encrypt_list(&self, phases: &[u64]) -> LweList {
        let (degree, modulus) = (self.degree(), 1u64 << self.log2_modulus);
        let expanded = expand(&self.seed, degree, self.log2_modulus);
        let encrypt = |phases: &[u64]| {
            let [mut b, a] = self.encrypt_zero(&expanded);
            b.truncate(phases.len());
            for (word, &phase) in b.iter_mut().zip(phases) {
                assert!(phase < modulus, "phase {phase} modulo {modulus}");
                *word = word.wrapping_add(phase) & (modulus - 1);
            }
            (a, b)
        };
        let elements: Vec<_> = phases.par_chunks(degree).map(encrypt).collect();
        let (masks, bodies): (Vec<_>, Vec<_>) = elements.into_iter().unzip();
        let shape = LweShape { dimension: degree, modulus };
        LweList::from_ring_elements(shape, masks.concat(), bodies.concat())
    }

    /// Returns `(b·v + e_0, a·v + e_1)` with a fresh v and fresh errors.
    fn encrypt_zero(&self, a: &[u64]) -> [Vec<u64>; 2] {
        let mut stream = RandomStream::from_os();
        let ephemeral = stream.uniform_ternary(self.degree());
        [&self.b, a].map(|half| self.masked(half, &ephemeral, &mut stream))
    }

    /// Returns the sum of `half·v` and a fresh error.
    fn masked(&self, half: &[u64], ephemeral: &[i8], stream: &mut RandomStream) -> Vec<u64> {
        let product = multiply(half, ephemeral, self.log2_modulus);
        let error = stream.centered_binomial(half.len());
        let mask = (1u64 << self.log2_modulus) - 1;
        let sum = |(&x, &e): (&u64, &i8)| x.wrapping_add(i64::from(e).cast_unsigned()) & mask;
        product.iter().zip(error.iter()).map(sum).collect()
    }

    /// Writes the key: words of b, followed by the seed of a.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write<W: std::io::Write>(&self, writer: &mut BodyWriter<W>) -> std::io::Result<()> {
        writer.raw(&pack(&self.b, self.log2_modulus))?;
        writer.raw(self.seed.as_bytes())
    }

    /// Reads a key of this degree and modulus.
    ///
    /// # Errors
    /// If bytes are missing, or padding is not zero.
    pub fn read(
        reader: &mut BodyReader<'_>,
        degree: usize,
        log2_modulus: u32,
    ) -> std::result::Result<Self, WireError> {
        let b = read_words(reader, "words of a public key", degree, log2_modulus)?;
        Ok(Self { log2_modulus, b, seed: Seed::from_bytes(reader.array("seed")?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lwe::LweCiphertext;
    use crate::lwe_encryption::phase;
    use crate::lwe_masks::MaskKind;
    use crate::owners::{NORM_SLACK, Owners};
    use crate::secret::TernarySecret;

    /// Returns the error of a ciphertext of this phase.
    fn error(secret: &TernarySecret, found: &LweCiphertext, expected: u64) -> f64 {
        let modulus = found.modulus() as i64;
        let error = phase(secret.coefficients(), found) as i64 - expected as i64;
        ((error + modulus / 2).rem_euclid(modulus) - modulus / 2) as f64
    }

    #[test]
    fn keys_are_read_as_written() {
        let secret = TernarySecret::uniform(1024);
        let key = RlwePublicKey::generate(secret.coefficients(), 28).unwrap();
        let mut bytes = BodyWriter::new(Vec::new());
        key.write(&mut bytes).unwrap();
        let bytes = bytes.into_inner();
        assert_eq!(bytes.len(), 1024 * 28 / 8 + Seed::BYTES);
        let read = |bytes: &[u8]| RlwePublicKey::read(&mut BodyReader::new(bytes), 1024, 28);
        assert_eq!(read(&bytes).unwrap(), key);
        assert!(read(&bytes[1..]).is_err());
    }

    /// Checks that phases of a compact list, whose last ring element is not full, come back from its LWE ciphertexts.
    #[test]
    fn lists_are_lwe_ciphertexts_of_their_phases() {
        let secret = TernarySecret::uniform(256);
        let key = RlwePublicKey::generate(secret.coefficients(), 30).unwrap();
        let phases: Vec<u64> = (0..600).map(|i| i * 1_000_003 % (1 << 30)).collect();
        let list = key.encrypt_list(&phases);
        assert_ne!(list, key.encrypt_list(&phases));
        assert_eq!((list.len(), list.masks().len()), (600, 600 * 256));
        let mut written = BodyWriter::new(Vec::new());
        list.write_words(&mut written).unwrap();
        let written = written.into_inner();
        // Two lengths, three ring elements, and one body per phase.
        assert_eq!(written.len(), 16 + (3 * 256 + 600) * 30 / 8);
        let mut reader = BodyReader::new(&written);
        let read = LweList::read_words(&mut reader, list.shape(), 600, MaskKind::Ring).unwrap();
        assert_eq!(read, list);
        for (index, &expected) in phases.iter().enumerate() {
            for found in [read.ciphertext(index), list.with_words().ciphertext(index)] {
                let error = error(&secret, &found, expected);
                assert!(error.abs() < 1000.0, "phase {index}: {error}");
            }
        }
        let part = list.slice(250..260);
        assert_eq!(part.ciphertext(7), list.ciphertext(257));
    }

    /// Checks errors of a key: the variance from both sides of the predicted one, for this key's norms, and the
    /// kurtosis of sums of many terms.
    #[test]
    fn noise_is_as_large_as_its_law() {
        let secret = TernarySecret::uniform(2048);
        let key = RlwePublicKey::generate(secret.coefficients(), 40).unwrap();
        let list = key.encrypt_list(&vec![0; 20 * 2048]);
        let errors: Vec<f64> =
            (0..list.len()).map(|index| error(&secret, &list.ciphertext(index), 0)).collect();
        let count = errors.len() as f64;
        let moment = |k| errors.iter().map(|e| e.powi(k)).sum::<f64>() / count;
        let ratio = moment(2) / Owners::ONE.public_error_variance(2048);
        assert!((0.7..1.0).contains(&ratio), "{ratio}");
        // Norms are easily within some percent of their means.
        assert!((ratio * NORM_SLACK - 1.0).abs() < 0.15, "{ratio}");
        let kurtosis = moment(4) / moment(2).powi(2);
        assert!((2.8..3.2).contains(&kurtosis), "{kurtosis}");
    }
}
