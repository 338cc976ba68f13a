//! Results that are only decrypted: they have fewer bits per word, and only those words of b that hold values.

use cryptable_wire::bit_packing::pack;
use cryptable_wire::{BodyReader, WireError, body_bytes};

#[cfg(feature = "client")]
use zeroize::Zeroizing;

use super::{CoefficientCiphertext, CoefficientLayout, MAX_LOG2_MODULUS, read_layout, read_words};
#[cfg(feature = "client")]
use crate::plaintext_encoding::PlaintextEncoding;
#[cfg(feature = "client")]
use crate::power_of_two_product::multiply;
#[cfg(feature = "client")]
use crate::secret::TernarySecret;

/// The number of bits of words that are kept, the highest ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptBits {
    /// Bits of the words of a: phases are modulo `2^a`.
    pub a: u32,
    /// Bits of the words of b, at most those of a.
    pub b: u32,
}

/// A ciphertext `(b, a)` whose words are rounded to their highest bits.
///
/// Rounding a adds an error of variance `|s|²/12` modulo `2^a` to every phase, and rounding b adds one of at most
/// `2^(a-b-1)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressedCiphertext {
    plaintext_modulus: u64,
    layout: CoefficientLayout,
    bits: KeptBits,
    /// Words of the coefficients that hold values, in their order.
    b: Vec<u64>,
    /// The N words of a, or the words of a short mask, which stand at multiples of N divided by their number.
    a: Vec<u64>,
}

impl CompressedCiphertext {
    /// Rounds the words of a ciphertext whose mask has `mask_words` words that are not 0: either N of them, or those at
    /// multiples of N divided by their number, as a [`crate::result_key::ResultKey`] leaves them.
    ///
    /// # Panics
    /// If no bits of a or b are kept, more of b than of a, or more of a than there are; or if the number of words does
    /// not divide N.
    #[must_use]
    pub fn new(ciphertext: &CoefficientCiphertext, bits: KeptBits, mask_words: usize) -> Self {
        let from = ciphertext.log2_modulus;
        assert!((1..=bits.a).contains(&bits.b) && bits.a <= from, "{bits:?} of {from}");
        let (b, a) = ciphertext.to_pair();
        let layout = ciphertext.layout;
        assert!(layout.ring_degree.is_multiple_of(mask_words), "{mask_words} words of a mask");
        let gap = layout.ring_degree / mask_words;
        let rounded = |word: u64, to: u32| {
            let half = (1u64 << (from - to)) >> 1;
            (word.wrapping_add(half) >> (from - to)) & ((1 << to) - 1)
        };
        let of_values = b.iter().step_by(layout.gap()).take(layout.count);
        Self {
            plaintext_modulus: ciphertext.plaintext_modulus,
            layout,
            bits,
            b: of_values.map(|&word| rounded(word, bits.b)).collect(),
            a: a.iter().step_by(gap).map(|&word| rounded(word, bits.a)).collect(),
        }
    }

    /// Returns the modulus of the values.
    #[must_use]
    pub fn plaintext_modulus(&self) -> u64 {
        self.plaintext_modulus
    }

    /// Returns the layout of the values.
    #[must_use]
    pub fn layout(&self) -> CoefficientLayout {
        self.layout
    }

    /// Returns the numbers of bits that are kept.
    #[must_use]
    pub fn bits(&self) -> KeptBits {
        self.bits
    }

    /// Returns the number of words of the mask, which is less than the ring degree for a short one.
    #[must_use]
    pub fn mask_words(&self) -> usize {
        self.a.len()
    }

    /// Returns whether the mask is short and hence under a secret of its own.
    #[must_use]
    pub fn has_short_mask(&self) -> bool {
        self.mask_words() < self.layout.ring_degree
    }

    /// Returns the body of the wire format: numbers, including the number of words of a short mask, and packed words of
    /// b and a.
    #[must_use]
    pub fn to_body(&self) -> Vec<u8> {
        body_bytes(|writer| {
            let CoefficientLayout { ring_degree, slots, count } = self.layout;
            writer.u32(self.bits.a)?;
            writer.u32(self.bits.b)?;
            writer.u64(self.plaintext_modulus)?;
            for number in [ring_degree, slots, count] {
                writer.u64(number as u64)?;
            }
            if self.has_short_mask() {
                writer.u64(self.mask_words() as u64)?;
            }
            writer.raw(&pack(&self.b, self.bits.b))?;
            writer.raw(&pack(&self.a, self.bits.a))
        })
    }

    /// Reads a body that [`CompressedCiphertext::to_body`] wrote for a ciphertext with or without a short mask.
    ///
    /// # Errors
    /// If a number is invalid, or if bytes are missing or left over.
    pub fn from_body(body: &[u8], has_short_mask: bool) -> Result<Self, WireError> {
        let mut reader = BodyReader::new(body);
        let bits = KeptBits { a: reader.u32("bits of a")?, b: reader.u32("bits of b")? };
        for (name, value, most) in
            [("bits of a", bits.a, MAX_LOG2_MODULUS), ("bits of b", bits.b, bits.a)]
        {
            if !(1..=most).contains(&value) {
                return Err(WireError::invalid(name, value, format!("within 1 to {most}")));
            }
        }
        let (plaintext_modulus, layout) = read_layout(&mut reader, bits.a)?;
        let mask_words = match has_short_mask {
            true => read_mask_words(&mut reader, layout.ring_degree)?,
            false => layout.ring_degree,
        };
        let b = read_words(&mut reader, "words of b", layout.count, bits.b)?;
        let a = read_words(&mut reader, "words of a", mask_words, bits.a)?;
        reader.finish()?;
        Ok(Self { plaintext_modulus, layout, bits, b, a })
    }

    /// Decrypts the values with the client's secret, or with its second one if the mask is short
    /// ([`crate::result_key::result_secret`]).
    ///
    /// # Panics
    /// If the secret has another degree.
    #[cfg(feature = "client")]
    #[must_use]
    pub fn decrypt(&self, secret: &TernarySecret) -> Vec<u64> {
        let encoding = PlaintextEncoding::new(self.plaintext_modulus, 1 << self.bits.a);
        self.phases(secret).iter().map(|&phase| encoding.decode(phase)).collect()
    }

    /// Returns `b + a·s` modulo `2^a` at the coefficients that hold values.
    #[cfg(feature = "client")]
    fn phases(&self, secret: &TernarySecret) -> Zeroizing<Vec<u64>> {
        let KeptBits { a: bits, b: kept } = self.bits;
        let mask = (1u64 << bits) - 1;
        let mut a = vec![0; self.layout.ring_degree];
        let gap = a.len() / self.a.len();
        a.iter_mut().step_by(gap).zip(&self.a).for_each(|(to, &word)| *to = word);
        let product = multiply(&a, secret.coefficients(), bits);
        let of_values = product.iter().step_by(self.layout.gap());
        let phase = |(&b, &x): (&u64, &u64)| (b << (bits - kept)).wrapping_add(x) & mask;
        Zeroizing::new(self.b.iter().zip(of_values).map(phase).collect())
    }
}

/// Reads the number of words of a short mask.
fn read_mask_words(reader: &mut BodyReader<'_>, degree: usize) -> Result<usize, WireError> {
    let name = "words of a short mask";
    let words = reader.u64_within(name, 1..=degree as u64 / 2)?;
    if words.is_power_of_two() {
        return Ok(words as usize);
    }
    Err(WireError::invalid(name, words, "a power of two"))
}

#[cfg(all(test, feature = "client"))]
mod tests {

    use super::*;

    /// Checks errors of rounding: those of a have the documented variance, from both sides, and the kurtosis of sums of
    /// many terms.
    #[test]
    fn rounding_errors_are_as_large_as_stated() {
        let (degree, from, bits) = (2048, 40, KeptBits { a: 20, b: 20 });
        let secret = TernarySecret::uniform(degree);
        let unit = f64::from(from - bits.a).exp2();
        let errors: Vec<f64> = (0..10)
            .flat_map(|_| {
                let full = CoefficientCiphertext::encrypt(&secret, &[0; 2048], degree, 2, from);
                let compressed = CompressedCiphertext::new(&full, bits, degree).phases(&secret);
                let signed = |x: u64| ((x << 44).cast_signed() >> 44) as f64;
                let exact = full.phases(&secret);
                let exact = exact.iter().map(|&x| full.signed(x) / unit).collect::<Vec<_>>();
                compressed.iter().zip(exact).map(|(&x, y)| signed(x) - y).collect::<Vec<_>>()
            })
            .collect();
        let moment = |k| errors.iter().map(|e| e.powi(k)).sum::<f64>() / errors.len() as f64;
        let of_b = 1.0 / 12.0;
        let ratio = moment(2) / (2.0 * degree as f64 / 3.0 / 12.0 + of_b);
        assert!((0.9..1.1).contains(&ratio), "{ratio}");
        let kurtosis = moment(4) / moment(2).powi(2);
        assert!((2.8..3.2).contains(&kurtosis), "{kurtosis}");
        // Coarser words of b add an error of at most half of their unit.
        let full = CoefficientCiphertext::encrypt(&secret, &[0; 2048], degree, 2, from);
        let [fine, coarse] = [20, 12].map(|b| {
            CompressedCiphertext::new(&full, KeptBits { a: 20, b }, degree).phases(&secret)
        });
        let apart = fine.iter().zip(coarse.iter()).map(|(&x, &y)| x.abs_diff(y));
        let apart = apart.map(|d| d.min((1 << 20) - d)).max().unwrap();
        assert!((100..=129).contains(&apart), "{apart}");
    }

    #[test]
    fn values_come_back_from_few_bits() {
        let secret = TernarySecret::uniform(1024);
        for (p, slots, count) in [(16, 1024, 1000_usize), (15, 256, 256), (2, 64, 1)] {
            let values: Vec<u64> = (0..count as u64).map(|i| i * 7 % p).collect();
            let full = CoefficientCiphertext::encrypt(&secret, &values, slots, p, 30);
            // Rounding errors of a have a deviation of 7.5 modulo 2^15, where half a step is 1,024 and the rounding
            // error of b at most 128.
            let compressed = CompressedCiphertext::new(&full, KeptBits { a: 15, b: 7 }, 1024);
            assert_eq!(compressed.decrypt(&secret), values);
            let body = compressed.to_body();
            assert_eq!(body.len(), 40 + 1024 * 15 / 8 + (count * 7).div_ceil(8));
            assert_eq!(CompressedCiphertext::from_body(&body, false), Ok(compressed));
            assert!(CompressedCiphertext::from_body(&body[1..], false).is_err());
            let mut wrong = body.clone();
            wrong[4] = 16; // more bits of b than of a
            assert!(CompressedCiphertext::from_body(&wrong, false).is_err());
        }
        let all = KeptBits { a: 30, b: 30 };
        let full = CoefficientCiphertext::encrypt(&secret, &[3, 1], 2, 4, 30);
        assert_eq!(CompressedCiphertext::new(&full, all, 1024).decrypt(&secret), [3, 1]);
    }

    /// Reads short masks as they were written, and refuses invalid numbers of words.
    #[test]
    fn short_masks_come_back() {
        let secret = TernarySecret::uniform(1024);
        let full = CoefficientCiphertext::encrypt(&secret, &[1; 9], 1024, 2, 30);
        let short = CompressedCiphertext::new(&full, KeptBits { a: 15, b: 7 }, 64);
        let body = short.to_body();
        assert_eq!(body.len(), 48 + 64 * 15 / 8 + (9 * 7_usize).div_ceil(8));
        assert_eq!(CompressedCiphertext::from_body(&body, true), Ok(short));
        for words in [0, 3, 128, 1024] {
            let mut wrong = body.clone();
            wrong[40..48].copy_from_slice(&u64::to_le_bytes(words));
            assert!(CompressedCiphertext::from_body(&wrong, true).is_err(), "{words}");
        }
    }
}
