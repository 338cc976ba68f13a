//! RLWE ciphertexts modulo a power of two, with integers in their coefficients.

mod compressed;
#[cfg(feature = "diagnostics")]
mod diagnostics;
mod linear_operations;
#[cfg(feature = "client")]
mod public_key;
#[cfg(feature = "client")]
mod real_decryption;

use cryptable_ring::random::{RandomStream, Seed, StreamPurpose};

pub use compressed::{CompressedCiphertext, KeptBits};
#[cfg(feature = "client")]
pub use public_key::RlwePublicKey;
#[cfg(feature = "client")]
pub use real_decryption::{Flooding, RealDecryption};

use cryptable_wire::bit_packing::{pack, packed_bytes, unpack};
use cryptable_wire::{BodyReader, WireError, body_bytes};

/// The largest log2 of a ciphertext modulus: words then fit 64 bits with their sign and room for additions.
pub const MAX_LOG2_MODULUS: u32 = 60;

/// The largest log2 of the modulus of values.
const MAX_LOG2_PLAINTEXT_MODULUS: u32 = 40;

/// The coefficients that hold values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoefficientLayout {
    /// Ring degree N.
    pub ring_degree: usize,
    /// Number of coefficients that can hold values, a power of two: those at multiples of `N / slots`.
    pub slots: usize,
    /// Number of values.
    pub count: usize,
}

impl CoefficientLayout {
    /// Returns the distance between coefficients that hold values.
    #[must_use]
    pub fn gap(&self) -> usize {
        self.ring_degree / self.slots
    }
}

/// The part of a ciphertext that the secret multiplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UniformPart {
    /// A seed from which the words are expanded: a fresh ciphertext is half as large.
    Seed(Seed),
    /// The words themselves.
    Words(Vec<u64>),
}

/// A ciphertext `(b, a)` with `b + a·s = round(2^k·m/p) + e` modulo `2^k` and `X^N + 1`.
///
/// The integers m of `Z_p` are in the coefficients that its layout names; p need not be a power of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoefficientCiphertext {
    /// k, the log2 of the ciphertext modulus.
    pub log2_modulus: u32,
    /// p, the modulus of the values.
    pub plaintext_modulus: u64,
    /// The coefficients that hold values.
    pub layout: CoefficientLayout,
    /// The words of b, below `2^k`.
    pub b: Vec<u64>,
    /// The words of a, or the seed that they are expanded from.
    pub a: UniformPart,
}

impl CoefficientCiphertext {
    /// Returns the words `(b, a)`, with a expanded if it is a seed.
    #[must_use]
    pub fn to_pair(&self) -> (Vec<u64>, Vec<u64>) {
        let a = match &self.a {
            UniformPart::Words(words) => words.clone(),
            UniformPart::Seed(seed) => expand(seed, self.layout.ring_degree, self.log2_modulus),
        };
        (self.b.clone(), a)
    }
}

/// The largest ring degree that a ciphertext may claim.
const MAX_DEGREE: u64 = 1 << 20;

impl CoefficientCiphertext {
    /// Returns the body of the ciphertext's wire format: numbers, packed words of b, and the seed or words of a.
    #[must_use]
    pub fn to_body(&self) -> Vec<u8> {
        body_bytes(|writer| {
            let CoefficientLayout { ring_degree, slots, count } = self.layout;
            writer.u32(self.log2_modulus)?;
            writer.u64(self.plaintext_modulus)?;
            for number in [ring_degree, slots, count] {
                writer.u64(number as u64)?;
            }
            writer.u8(u8::from(matches!(self.a, UniformPart::Words(_))))?;
            writer.raw(&pack(&self.b, self.log2_modulus))?;
            match &self.a {
                UniformPart::Seed(seed) => writer.raw(seed.as_bytes()),
                UniformPart::Words(words) => writer.raw(&pack(words, self.log2_modulus)),
            }
        })
    }

    /// Reads a body that [`CoefficientCiphertext::to_body`] wrote.
    ///
    /// # Errors
    /// If a number is invalid, or if bytes are missing or left over.
    pub fn from_body(body: &[u8]) -> Result<Self, WireError> {
        let mut reader = BodyReader::new(body);
        let bits = reader.u32("log2 of the ciphertext modulus")?;
        if !(1..=MAX_LOG2_MODULUS).contains(&bits) {
            let name = "log2 of the ciphertext modulus";
            let expected = format!("within 1 to {MAX_LOG2_MODULUS}");
            return Err(WireError::invalid(name, bits, expected));
        }
        let (plaintext_modulus, layout) = read_layout(&mut reader, bits)?;
        let kind = reader.u8("kind of uniform part")?;
        let degree = layout.ring_degree;
        let b = read_words(&mut reader, "words of b", degree, bits)?;
        let a = match kind {
            0 => UniformPart::Seed(Seed::from_bytes(reader.array("seed")?)),
            1 => UniformPart::Words(read_words(&mut reader, "words of a", degree, bits)?),
            _ => return Err(WireError::invalid("kind of uniform part", kind, "0 or 1")),
        };
        reader.finish()?;
        Ok(Self { log2_modulus: bits, plaintext_modulus, layout, b, a })
    }
}

/// Reads packed words of this many bits.
fn read_words(
    reader: &mut BodyReader<'_>,
    name: &'static str,
    count: usize,
    bits: u32,
) -> Result<Vec<u64>, WireError> {
    let bytes = reader.raw(name, packed_bytes(count, bits))?;
    unpack(bytes, bits, count).map_err(|error| WireError::invalid(name, error, "packed words"))
}

/// Reads the modulus of values, of at most `bits` bits, and the layout.
fn read_layout(
    reader: &mut BodyReader<'_>,
    bits: u32,
) -> Result<(u64, CoefficientLayout), WireError> {
    let plaintext_modulus =
        reader.u64_within("plaintext modulus", 2..=1 << bits.min(MAX_LOG2_PLAINTEXT_MODULUS))?;
    let degree = reader.u64_within("ring degree", 1..=MAX_DEGREE)?;
    let slots = reader.u64_within("slots", 1..=degree)?;
    let count = reader.u64_within("count of values", 0..=slots)?;
    for (name, value) in [("ring degree", degree), ("slots", slots)] {
        if !value.is_power_of_two() {
            return Err(WireError::invalid(name, value, "a power of two"));
        }
    }
    let [ring_degree, slots, count] = [degree, slots, count].map(|it| it as usize);
    Ok((plaintext_modulus, CoefficientLayout { ring_degree, slots, count }))
}

/// Expands the uniform part from a seed.
fn expand(seed: &Seed, degree: usize, bits: u32) -> Vec<u64> {
    let mut words = vec![0; degree];
    RandomStream::new(seed.as_bytes(), StreamPurpose::Mask, 0)
        .uniform_assign(&mut words, 1 << bits);
    words
}

#[cfg(feature = "client")]
mod client {
    use zeroize::Zeroizing;

    use super::*;
    use crate::plaintext_encoding::PlaintextEncoding;
    use crate::power_of_two_product::multiply;
    use crate::secret::TernarySecret;

    impl CoefficientCiphertext {
        /// Encrypts `values`, each below `plaintext_modulus`, with a fresh seed.
        ///
        /// # Panics
        /// If there are more values than slots or more slots than coefficients, if a value is not below the plaintext
        /// modulus, or if that is above the ciphertext modulus. Callers check the input of users.
        #[must_use]
        pub fn encrypt(
            secret: &TernarySecret,
            values: &[u64],
            slots: usize,
            plaintext_modulus: u64,
            bits: u32,
        ) -> Self {
            let degree = secret.coefficients().len();
            let layout = CoefficientLayout { ring_degree: degree, slots, count: values.len() };
            assert!(values.len() <= slots && slots <= degree, "{} values", values.len());
            assert!((1..=MAX_LOG2_MODULUS).contains(&bits), "modulus 2^{bits}");
            assert!((2..=1 << bits).contains(&plaintext_modulus), "{plaintext_modulus}, 2^{bits}");
            let seed = Seed::random();
            let a = expand(&seed, degree, bits);
            let mask = (1u64 << bits) - 1;
            let product = multiply(&a, secret.coefficients(), bits);
            let error = RandomStream::from_os().centered_binomial(degree);
            let mut b: Vec<u64> = product
                .iter()
                .zip(error.iter())
                .map(|(&x, &e)| (e as i64 as u64).wrapping_sub(x) & mask)
                .collect();
            let encoding = PlaintextEncoding::new(plaintext_modulus, 1 << bits);
            for (word, &value) in b.iter_mut().step_by(layout.gap()).zip(values) {
                assert!(value < plaintext_modulus, "value {value}");
                *word = word.wrapping_add(encoding.encode(value)) & mask;
            }
            Self { log2_modulus: bits, plaintext_modulus, layout, b, a: UniformPart::Seed(seed) }
        }

        /// Returns `b + a·s` at the coefficients that hold values.
        pub(super) fn phases(&self, secret: &TernarySecret) -> Zeroizing<Vec<u64>> {
            let (b, a) = self.to_pair();
            let product = multiply(&a, secret.coefficients(), self.log2_modulus);
            let mask = (1u64 << self.log2_modulus) - 1;
            let sums = b.iter().zip(product.iter()).map(|(&b, &x)| b.wrapping_add(x) & mask);
            Zeroizing::new(sums.step_by(self.layout.gap()).take(self.layout.count).collect())
        }

        /// Returns the encoding of values modulo `2^k`.
        pub(super) fn encoding(&self) -> PlaintextEncoding {
            PlaintextEncoding::new(self.plaintext_modulus, 1 << self.log2_modulus)
        }

        /// Returns the values: `round(p·phase / 2^k) mod p`.
        ///
        /// # Panics
        /// If the secret has another degree.
        #[must_use]
        pub fn decrypt(&self, secret: &TernarySecret) -> Vec<u64> {
            let encoding = self.encoding();
            self.phases(secret).iter().map(|&phase| encoding.decode(phase)).collect()
        }

        /// Returns the phases without rounding, as fractions of the ciphertext modulus within [-1/2, 1/2).
        pub(super) fn noisy_fractions(&self, secret: &TernarySecret) -> Zeroizing<Vec<f64>> {
            let unit = (-f64::from(self.log2_modulus)).exp2();
            let phases = self.phases(secret);
            Zeroizing::new(phases.iter().map(|&x| self.signed(x) * unit).collect())
        }

        /// Returns the representative of a word that has the least absolute value.
        pub(super) fn signed(&self, word: u64) -> f64 {
            let unused = 64 - self.log2_modulus;
            ((word << unused) as i64 >> unused) as f64
        }
    }
}

#[cfg(all(test, feature = "diagnostics"))]
mod tests {
    use cryptable_ring::random::replay;
    use proptest::prelude::*;

    use super::*;
    use crate::secret::TernarySecret;

    #[test]
    fn encryption_inverts_with_noise_of_the_right_size() {
        let _replay = replay::begin();
        for degree in [64usize, 256, 1024] {
            let secret = TernarySecret::uniform(degree);
            for (p, bits) in [(2u64, 28u32), (3, 28), (7, 32), (256, 28), (1000, 32), (256, 50)] {
                for slots in [degree, 64] {
                    let values: Vec<u64> = (0..slots as u64 - 3).map(|i| i * 77 % p).collect();
                    let ct = CoefficientCiphertext::encrypt(&secret, &values, slots, p, bits);
                    assert_eq!(ct.decrypt(&secret), values, "p = {p}, 2^{bits}, {slots} slots");
                    let half_step = f64::from(bits).exp2() / (2.0 * p as f64);
                    let errors = ct.errors(&secret, &values);
                    let variance = errors.iter().map(|e| (e * half_step).powi(2)).sum::<f64>()
                        / errors.len() as f64;
                    // The bounds are seven standard deviations of the estimate above, and five below.
                    let deviation = 10.5 * (2.0 / errors.len() as f64).sqrt();
                    let bounds = 10.5 - 5.0 * deviation..10.5 + 7.0 * deviation;
                    assert!(bounds.contains(&variance), "variance {variance}, expected 10.5");
                }
            }
        }
    }

    #[test]
    fn another_secret_or_another_encryption_shows_nothing() {
        let _replay = replay::begin();
        let secret = TernarySecret::uniform(1024);
        let values = vec![0u64; 1024];
        let encrypt = || CoefficientCiphertext::encrypt(&secret, &values, 1024, 16, 28);
        let (first, second) = (encrypt(), encrypt());
        assert_ne!(first.a, second.a);
        // Zeros decrypt to the right value only by chance, once in 16: 64 are expected, with standard deviation 8.
        let zeros = |values: &[u64]| values.iter().filter(|&&v| v == 0).count();
        let wrong = zeros(&first.decrypt(&TernarySecret::uniform(1024)));
        assert!((10..130).contains(&wrong), "{wrong} of 1024");
        // The same holds for the top bits of b.
        let top: Vec<u64> = first.b.iter().map(|b| b >> 24).collect();
        assert!((10..130).contains(&zeros(&top)), "{}", zeros(&top));
    }

    #[test]
    fn errors_are_measured_in_half_steps_with_their_sign() {
        let secret = TernarySecret::uniform(64);
        let mut ct = CoefficientCiphertext::encrypt(&secret, &[0, 5, 15], 64, 16, 40);
        let half_step = 1u64 << 35;
        // The errors themselves are of the order of 2^-33 half steps.
        ct.b[0] = ct.b[0].wrapping_sub(half_step / 2) & ((1 << 40) - 1);
        ct.b[1] = (ct.b[1] + half_step / 4) & ((1 << 40) - 1);
        ct.b[2] = (ct.b[2] + 3 * half_step / 2) & ((1 << 40) - 1);
        let errors = ct.errors(&secret, &[0, 5, 15]);
        for (error, expected) in errors.iter().zip([-0.5, 0.25, 1.5]) {
            assert!((error - expected).abs() < 1e-6, "{error}, expected {expected}");
        }
        assert_eq!(ct.decrypt(&secret), [0, 5, 0]);
    }

    /// Returns a small fresh ciphertext, and one with both halves.
    fn small_ciphertexts() -> [CoefficientCiphertext; 2] {
        let fresh =
            CoefficientCiphertext::encrypt(&TernarySecret::uniform(16), &[1, 2, 3], 8, 10, 27);
        let both = fresh.mul_scalar(3);
        [fresh, both]
    }

    #[test]
    fn bodies_have_the_stated_size_and_come_back() {
        for (ct, bytes) in small_ciphertexts().into_iter().zip([54 + 32, 2 * 54]) {
            let body = ct.to_body();
            assert_eq!(body.len(), 4 + 4 * 8 + 1 + bytes);
            assert_eq!(CoefficientCiphertext::from_body(&body), Ok(ct));
            for length in 0..body.len() {
                let error = CoefficientCiphertext::from_body(&body[..length]);
                assert!(matches!(error, Err(WireError::Truncated { .. })), "{length} bytes");
            }
        }
    }

    #[test]
    fn fields_out_of_range_are_refused() {
        let [fresh, _] = small_ciphertexts();
        let body = fresh.to_body();
        for (position, byte, name) in [
            (0, 0, "log2 of the ciphertext modulus"),
            (0, 61, "log2 of the ciphertext modulus"),
            (4, 1, "plaintext modulus"),
            (7, 8, "plaintext modulus"),
            (12, 15, "ring degree"),
            (15, 0xFF, "ring degree"),
            (20, 7, "slots"),
            (20, 32, "slots"),
            (28, 9, "count of values"),
            (36, 2, "kind of uniform part"),
        ] {
            let mut changed = body.clone();
            changed[position] = byte;
            match CoefficientCiphertext::from_body(&changed) {
                Err(WireError::InvalidField { name: found, .. }) => assert_eq!(found, name),
                other => panic!("byte {position} = {byte}: {other:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn bodies_are_refused_or_come_back(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            prop_assert!(CoefficientCiphertext::from_body(&bytes).is_err());
            for ct in small_ciphertexts() {
                let mut body = ct.to_body();
                changes.iter().for_each(|(index, byte)| *index.get_mut(&mut body) = *byte);
                if let Ok(read) = CoefficientCiphertext::from_body(&body) {
                    prop_assert_eq!(read.to_body(), body);
                }
            }
        }
    }
}
