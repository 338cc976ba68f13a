//! Circuit bootstrapping without conversions between LWE and RLWE (Algorithms 1, 2 and 6 of Wang et al., EUROCRYPT
//! 2024): from a noisy bit to a [`Selector`].
//!
//! 1. Multi-value functional bootstrapping without sample extraction: one blind rotation, whose test polynomial has
//!    the weights of all rows of the selector in neighbouring coefficients (phases are rounded to multiples of 2^ϑ).
//!    By CMUXes or by automorphisms, as the parameters have it (the paper's CMUX and AUTO variants).
//! 2. HomTrace: each row's coefficient, moved to the constant one, is all that the trace leaves.
//! 3. Scheme switching: each row times the secret.
//!
//! Of a digit of two bits, one rotation makes the rows of two selectors ([`crate::digit_selectors`]).

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_fhew::test_polynomial::TestPolynomial;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::kernels;
use rayon::prelude::*;

use crate::digit_selectors::{bits_of_digit, digit_count, gray_bit};
use crate::error::{Error, Result};
use crate::parameters::CircuitParameters;
use crate::selector::Selector;

/// Bootstraps that go in step: the keys of a step, some 100 kB, stay in the cache for all.
pub const IN_STEP: usize = 4;

/// Circuit bootstraps under a server's key. Holds no secret, and is `Sync`.
///
/// ```
/// use cryptable_leveled::bits::decrypt_bit;
/// use cryptable_leveled::circuit_bootstrapping::CircuitBootstrapping;
/// use cryptable_leveled::leveled::LeveledCiphertext;
/// use cryptable_leveled::parameters::CircuitParameters;
/// use cryptable_leveled::selector::CmuxGates;
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// let parameters = CircuitParameters::set_1();
/// let secret = SecretKey::generate(parameters.parameters());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let circuit = CircuitBootstrapping::new(&parameters, &key);
/// let bit = cryptable_leveled::bits::encrypt_bit(&secret, true);
/// let selector = circuit.bootstrap(&bit)?;
/// // bit ? 1 : 0
/// let ring = parameters.parameters().ring();
/// let constant = |value| {
///     let mut polynomial = vec![0; ring.degree()];
///     polynomial[0] = value;
///     LeveledCiphertext::trivial(ring, &polynomial)
/// };
/// let mut chosen = constant(0);
/// let one = constant(parameters.parameters().prime() / 2);
/// CmuxGates::new(ring, selector.gadget()).select_assign(&selector, &mut chosen, &one);
/// assert!(decrypt_bit(&secret, &chosen.extract(ring, [0].into_iter())[0])?);
/// # Ok::<(), cryptable_leveled::error::Error>(())
/// ```
#[derive(Debug)]
pub struct CircuitBootstrapping<'a> {
    parameters: CircuitParameters,
    key: &'a EvaluationKey,
    gadget: Gadget,
    /// weight(k)/2 modulo Q of every row.
    half_weights: Vec<u64>,
    /// ±weight(k)/2 in the coefficients that are jℓ + k modulo 2^ϑ, + where the digit's Gray code has bit j.
    test: RlweCiphertext,
}

impl<'a> CircuitBootstrapping<'a> {
    /// Circuit bootstraps by keys of these parameters.
    ///
    /// # Panics
    /// If the key is of other parameters.
    #[must_use]
    pub fn new(parameters: &CircuitParameters, key: &'a EvaluationKey) -> Self {
        assert_eq!(key.parameters(), parameters.parameters(), "parameters of the key");
        let gadget = parameters.selector_gadget();
        let ring = key.parameters().ring();
        let step = 1u64 << parameters.sparsity_log2();
        let (length, digit_bits) = (gadget.length(), parameters.digit_bits());
        let m = ring.modulus();
        let half = m.inv(2);
        let half_weights: Vec<u64> = (0..length).map(|k| m.mul(gadget.weight(k), half)).collect();
        let test = TestPolynomial::from_fn(ring, |x| {
            let (j, k) = ((x % step) as usize / length, (x % step) as usize % length);
            let half = half_weights[k];
            match j < digit_bits as usize {
                true if gray_bit(x as usize, ring.degree(), digit_bits, j) => half,
                true => m.neg(half),
                false => 0,
            }
        });
        let test = test.to_rlwe(ring);
        Self { parameters: parameters.clone(), key, gadget, half_weights, test }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &CircuitParameters {
        &self.parameters
    }

    /// weight(k)/2 modulo Q of every row of a selector.
    pub(crate) fn half_weights(&self) -> &[u64] {
        &self.half_weights
    }

    /// The server's key.
    #[must_use]
    pub fn key(&self) -> &'a EvaluationKey {
        self.key
    }

    /// A selector of a bit: LWE of dimension N modulo Q, of phase bit·Q/2 and a variance of up to
    /// [`CircuitParameters::input_variance`].
    ///
    /// Transforms of the rotation by CMUXes of a binary secret: 2n(ℓ_ep + 1). By automorphisms, of any secret:
    /// 2(n + 1)(ℓ_ep + 1) + n_auto·(ℓ_auto + 2), see [`cryptable_fhew::rotation`]. For each of ℓ rows
    /// log2 N·(ℓ_trace + 2) for the trace and ℓ_ss + 2 for scheme switching. Rows have the noise of
    /// [`crate::noise::CircuitNoise::selector`].
    ///
    /// # Errors
    /// If the ciphertext is not of dimension N modulo Q, or the parameters are for digits.
    pub fn bootstrap(&self, bit: &LweCiphertext) -> Result<Selector> {
        let rotated = self.rotated(bit)?;
        Ok(self.convert(rotated, 1).remove(0))
    }

    /// Step 1: ±weight(k)/2 in coefficient k of the phase.
    pub(crate) fn rotated(&self, bit: &LweCiphertext) -> Result<RlweCiphertext> {
        self.parameters.check_single_bits()?;
        crate::bits::check(self.key.parameters(), bit)?;
        Ok(self.key.blind_rotate(&self.test, &self.phases(&[bit])[0]))
    }

    /// Selectors of several bits, in [`parts`] that go in step. Rotations by automorphisms share nothing there, as each
    /// ciphertext takes its keys in an order of its own: they go one after the other.
    ///
    /// # Errors
    /// As [`CircuitBootstrapping::bootstrap`].
    pub fn bootstrap_many(&self, bits: &[&LweCiphertext]) -> Result<Vec<Selector>> {
        self.parameters.check_single_bits()?;
        self.bootstrap_values(bits, 1)
    }

    /// Selectors of values of `bits` bits, those of one value after those of another, the lowest bit first: of all bits
    /// of the values' Gray codes ([`crate::digit_selectors::gray_code`]), in [`parts`] that go in step.
    ///
    /// A value is ⌈bits/d⌉ ciphertexts, LWE of dimension N modulo Q, of phase digit·Q/2^d each with d =
    /// [`CircuitParameters::digit_bits`]. One rotation for each, trace and scheme switching for every bit; transforms
    /// and noise are those of [`CircuitBootstrapping::bootstrap`].
    ///
    /// # Errors
    /// If a ciphertext is not of dimension N modulo Q, or their number is not that of whole values.
    pub fn bootstrap_values(
        &self,
        digits: &[&LweCiphertext],
        bits: usize,
    ) -> Result<Vec<Selector>> {
        let digit_bits = self.parameters.digit_bits();
        let each = digit_count(bits, digit_bits);
        if each == 0 || !digits.len().is_multiple_of(each) {
            let (name, value) = ("number of digits", digits.len() as u64);
            return Err(Error::Number { name, value, limit: format!("a value has {each}") });
        }
        digits.iter().try_for_each(|digit| crate::bits::check(self.key.parameters(), digit))?;
        let parts = parts(digits.len(), rayon::current_num_threads());
        let several = |part: usize| -> Vec<Selector> {
            let range = part * digits.len() / parts..(part + 1) * digits.len() / parts;
            let phases = self.phases(&digits[range.clone()]);
            let rotated = self.key.blind_rotate_many(&self.test, &phases);
            let selectors = range.zip(rotated).flat_map(|(index, rotated)| {
                self.convert(rotated, bits_of_digit(index % each, bits, digit_bits))
            });
            selectors.collect()
        };
        Ok((0..parts).into_par_iter().flat_map_iter(several).collect())
    }

    /// Steps 2 and 3: the selectors of a rotated test polynomial, the first `count`.
    fn convert(&self, mut rotated: RlweCiphertext, count: usize) -> Vec<Selector> {
        self.complete(&mut rotated);
        (0..count).map(|j| self.convert_one(&rotated, j)).collect()
    }

    fn convert_one(&self, rotated: &RlweCiphertext, j: usize) -> Selector {
        let ring = self.key.parameters().ring();
        let length = self.gadget.length();
        let mut rows = Vec::with_capacity(2 * length);
        for position in j * length..(j + 1) * length {
            // X^-position moves the row's weight to the constant coefficient.
            let exponent = (2 * ring.degree() - position) % (2 * ring.degree());
            let mut row = rotated.times_monomial(ring, exponent);
            self.key.trace().trace_assign(ring, &mut row);
            rows.push(row);
        }
        let by_secret: Vec<_> = rows.iter().map(|row| self.key.times_secret(row)).collect();
        rows.extend(by_secret);
        Selector::from_rows(ring, self.gadget, &rows)
    }

    /// Digits' phases, plus half of what lies between two of them, modulo 2N: multiples of 2^ϑ.
    fn phases(&self, digits: &[&LweCiphertext]) -> Vec<LweCiphertext> {
        let sparsity = self.parameters.sparsity_log2();
        let phase = |mut low: LweCiphertext| {
            // Of bits, phases 0 and 1/2 to 1/4 and 3/4, the middles of both halves.
            low.add_constant_assign(low.modulus() >> (self.parameters.digit_bits() + 1));
            let coarse = self.key.to_rotation_modulus(&low, self.parameters.sparse_modulus());
            let words = coarse.words().iter().map(|word| word << sparsity).collect();
            LweCiphertext::from_words(words, self.key.parameters().rotation_modulus())
        };
        self.key.key_switch_many(digits).into_iter().map(phase).collect()
    }

    /// From ±weight(k)/2 in coefficient jℓ + k to bit·weight(k)/N; anything is in others.
    fn complete(&self, rotated: &mut RlweCiphertext) {
        let (ring, m) = (self.key.parameters().ring(), self.key.parameters().modulus());
        let length = self.gadget.length();
        for position in 0..self.parameters.digit_bits() as usize * length {
            let word = &mut rotated.words_mut()[position];
            *word = m.add(*word, self.half_weights[position % length]);
        }
        // The trace multiplies by N.
        kernels::mul_scalar_assign(m, rotated.words_mut(), m.inv(ring.degree() as u64));
    }
}

/// Parts of about equal length into which several bits go: as many for each thread, of at most [`IN_STEP`] bits.
///
/// ```
/// use cryptable_leveled::circuit_bootstrapping::parts;
/// assert_eq!(parts(8, 1), 2);
/// assert_eq!(parts(10, 2), 4);
/// assert_eq!(parts(3, 8), 3);
/// ```
#[must_use]
pub fn parts(bits: usize, threads: usize) -> usize {
    bits.div_ceil(IN_STEP).next_multiple_of(threads.max(1)).min(bits)
}
