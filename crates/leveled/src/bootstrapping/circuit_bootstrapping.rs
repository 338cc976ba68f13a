//! Circuit bootstrapping without conversions between LWE and RLWE: from a noisy LWE ciphertext of a bit to an RGSW
//! ciphertext of the same bit.
//!
//! LWE of dimension N modulo Q, of phase bit·Q/2 + e, becomes 2ℓ RLWE ciphertexts of degree N modulo Q, of
//! bit·weight(k) and of bit·s·weight(k), k < ℓ.
//!
//! Wang et al. (EUROCRYPT 2024, ePrint 2024/323), Sec. 3, three steps:
//!
//! 1. Multi-value functional bootstrapping without sample extraction: one blind rotation, whose test polynomial has
//!    the weights of all rows in neighbouring coefficients (phases are rounded to multiples of 2^θ). By CMUXes or by
//!    automorphisms, depending on the parameters (the paper's CMUX and AUTO variants, Sec. 3.1 and Algorithm 6).
//! 2. HomTrace (Algorithm 1): each row's coefficient is moved to the constant one; the trace removes all others.
//! 3. Scheme switching (Algorithm 2): each row is multiplied by the secret.
//!
//! Two things differ from the paper. For a ciphertext of two bits, one rotation computes the rows of two RGSW ciphertexts
//! (`two_bit_rotation.rs`); and several bootstraps run in a batch, which reads each key once for all.
//!
//! Noise: [`crate::noise::CircuitBootstrappingNoise::rgsw`].

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_fhew::test_polynomial::TestPolynomial;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::kernels;
use rayon::prelude::*;

use super::plaintext::check;
use super::two_bit_rotation::{bits_in_ciphertext, ciphertext_count, gray_bit};
use crate::parameters::CircuitBootstrappingParameters;
use cryptable_lattice::error::out_of_range;

/// Number of bootstraps in a batch: the keys of a step, some 100 kB, stay in the cache for all.
pub const BATCH: usize = 4;

/// Circuit bootstraps under a server's key. Holds no secret, and is `Sync`.
///
/// ```
/// use cryptable_fhew::keys::EvaluationKey;
/// use cryptable_fhew::keys::SecretKey;
/// use cryptable_leveled::bootstrapping::{CircuitBootstrapping, decrypt_bit, encrypt_bit};
/// use cryptable_leveled::parameters::ParameterSet;
/// use cryptable_leveled::tree::{Cmux, LeveledCiphertext};
/// let parameters = ParameterSet::CmuxDepth2.parameters();
/// let secret = SecretKey::generate(parameters.fhew());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let circuit = CircuitBootstrapping::new(&parameters, &key);
/// let selector = circuit.bootstrap(&encrypt_bit(&secret, true))?;
/// // bit ? 1 : 0
/// let ring = parameters.fhew().ring();
/// let constant = |value| {
///     let mut polynomial = vec![0; ring.degree()];
///     polynomial[0] = value;
///     LeveledCiphertext::trivial(ring, &polynomial)
/// };
/// let mut chosen = constant(0);
/// let one = constant(parameters.fhew().prime() / 2);
/// Cmux::new(ring, selector.gadget()).select_assign(&selector, &mut chosen, &one);
/// assert!(decrypt_bit(&secret, &chosen.extract(ring, [0].into_iter())[0])?);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Debug)]
pub struct CircuitBootstrapping<'a> {
    parameters: CircuitBootstrappingParameters,
    key: &'a EvaluationKey,
    gadget: Gadget,
    /// weight(k)/2 modulo Q of every row.
    half_weights: Vec<u64>,
    /// Test polynomial with ±weight(k)/2 in the coefficients that are jℓ + k modulo 2^θ: plus where bit j of the plaintext's
    /// Gray code is 1.
    test: RlweCiphertext,
}

impl<'a> CircuitBootstrapping<'a> {
    /// Returns the circuit bootstraps by keys of these parameters.
    ///
    /// # Panics
    /// If the key belongs to other parameters.
    #[must_use]
    pub fn new(parameters: &CircuitBootstrappingParameters, key: &'a EvaluationKey) -> Self {
        assert_eq!(key.parameters(), parameters.fhew(), "parameters of the key");
        let gadget = parameters.rgsw_gadget();
        let ring = key.parameters().ring();
        let step = 1u64 << parameters.sparsity_log2();
        let (length, bits_per_ciphertext) = (gadget.length(), parameters.bits_per_ciphertext());
        let m = ring.modulus();
        let half = m.inv(2);
        let half_weights: Vec<u64> = (0..length).map(|k| m.mul(gadget.weight(k), half)).collect();
        let test = TestPolynomial::from_fn(ring, |x| {
            let (j, k) = ((x % step) as usize / length, (x % step) as usize % length);
            let half = half_weights[k];
            match j < bits_per_ciphertext as usize {
                true if gray_bit(x as usize, ring.degree(), bits_per_ciphertext, j) => half,
                true => m.neg(half),
                false => 0,
            }
        });
        let test = test.to_rlwe(ring);
        Self { parameters: parameters.clone(), key, gadget, half_weights, test }
    }

    /// Returns the parameters of the keys.
    #[must_use]
    pub fn parameters(&self) -> &CircuitBootstrappingParameters {
        &self.parameters
    }

    /// Returns weight(k)/2 modulo Q of every row of an RGSW ciphertext.
    #[must_use]
    pub fn half_weights(&self) -> &[u64] {
        &self.half_weights
    }

    /// Returns the server's keys.
    #[must_use]
    pub fn key(&self) -> &'a EvaluationKey {
        self.key
    }

    /// Returns the RGSW ciphertext of a bit, given as LWE of dimension N modulo Q, of phase bit·Q/2 and a variance of up to
    /// [`CircuitBootstrappingParameters::input_variance`].
    ///
    /// The rotation needs 2n(ℓ_ep + 1) transforms by CMUXes with a binary secret, and
    /// 2(n + 1)(ℓ_ep + 1) + n_auto·(ℓ_auto + 2) by automorphisms with any secret, see [`cryptable_fhew::cost`]. Each of ℓ rows
    /// needs log2 N·(ℓ_trace + 2) for the trace and ℓ_ss + 2 for scheme switching. Rows have the noise of
    /// [`crate::noise::CircuitBootstrappingNoise::rgsw`].
    ///
    /// # Errors
    /// If the ciphertext is not of dimension N modulo Q, or the parameters are for two bits per ciphertext.
    pub fn bootstrap(&self, bit: &LweCiphertext) -> Result<RgswCiphertext> {
        let rotated = self.rotated(bit)?;
        Ok(self.convert(rotated, 1).remove(0))
    }

    /// Step 1: returns a ciphertext with ±weight(k)/2 in coefficient k of the phase.
    ///
    /// # Errors
    /// The errors of [`CircuitBootstrapping::bootstrap`].
    pub fn rotated(&self, bit: &LweCiphertext) -> Result<RlweCiphertext> {
        self.parameters.check_single_bits()?;
        check(&self.parameters, bit)?;
        Ok(self.key.blind_rotate(&self.test, &self.phases(&[bit])[0]))
    }

    /// Returns RGSW ciphertexts of all bits of the Gray codes ([`crate::bootstrapping::gray_code`]) of values of `bits` bits,
    /// value by value, the lowest bit first. Bootstraps run in batches ([`batch_count`]).
    ///
    /// A value is ⌈bits/d⌉ ciphertexts, LWE of dimension N modulo Q, each of phase x·Q/2^d with d =
    /// [`CircuitBootstrappingParameters::bits_per_ciphertext`]. Each ciphertext needs one rotation; each bit needs the trace
    /// and scheme switching. Transforms and noise are those of [`CircuitBootstrapping::bootstrap`].
    ///
    /// # Errors
    /// If a ciphertext is not of dimension N modulo Q, or the number of ciphertexts is not that of whole values.
    pub fn bootstrap_values(
        &self,
        inputs: &[&LweCiphertext],
        bits: usize,
    ) -> Result<Vec<RgswCiphertext>> {
        let bits_per_ciphertext = self.parameters.bits_per_ciphertext();
        let each = ciphertext_count(bits, bits_per_ciphertext);
        if each == 0 || !inputs.len().is_multiple_of(each) {
            let (name, found) = ("number of ciphertexts", inputs.len() as u64);
            return Err(out_of_range(name, found, format!("a value has {each}")));
        }
        inputs.iter().try_for_each(|input| check(&self.parameters, input))?;
        let batches = batch_count(inputs.len(), rayon::current_num_threads());
        let several = |batch: usize| -> Vec<RgswCiphertext> {
            let range = batch * inputs.len() / batches..(batch + 1) * inputs.len() / batches;
            let phases = self.phases(&inputs[range.clone()]);
            let rotated = self.key.blind_rotate_many(&self.test, &phases);
            let selectors = range.zip(rotated).flat_map(|(index, rotated)| {
                self.convert(rotated, bits_in_ciphertext(index % each, bits, bits_per_ciphertext))
            });
            selectors.collect()
        };
        Ok((0..batches).into_par_iter().flat_map_iter(several).collect())
    }

    /// Steps 2 and 3: converts a rotated test polynomial to its first `count` RGSW ciphertexts.
    fn convert(&self, mut rotated: RlweCiphertext, count: usize) -> Vec<RgswCiphertext> {
        self.complete(&mut rotated);
        (0..count).map(|j| self.convert_one(&rotated, j)).collect()
    }

    fn convert_one(&self, rotated: &RlweCiphertext, j: usize) -> RgswCiphertext {
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
        let words: Vec<&[u64]> = rows.iter().map(RlweCiphertext::words).collect();
        RgswCiphertext::from_rows(ring, self.gadget, &words)
    }

    /// Returns the phases of inputs plus half the distance between neighbouring phases, modulo 2N, as multiples of 2^θ.
    fn phases(&self, inputs: &[&LweCiphertext]) -> Vec<LweCiphertext> {
        let sparsity = self.parameters.sparsity_log2();
        let phase = |mut low: LweCiphertext| {
            // Moves phases of bits from 0 and 1/2 to 1/4 and 3/4, the middles of both halves.
            low.add_constant_assign(low.modulus() >> (self.parameters.bits_per_ciphertext() + 1));
            let coarse = self.key.to_rotation_modulus(&low, self.parameters.sparse_modulus());
            let words = coarse.words().iter().map(|word| word << sparsity).collect();
            LweCiphertext::from_words(words, self.key.parameters().rotation_modulus())
        };
        self.key.key_switch_many(inputs).into_iter().map(phase).collect()
    }

    /// Changes ±weight(k)/2 in coefficient jℓ + k to bit·weight(k)/N; the content of other coefficients does not matter.
    fn complete(&self, rotated: &mut RlweCiphertext) {
        let (ring, m) = (self.key.parameters().ring(), self.key.parameters().modulus());
        let length = self.gadget.length();
        for position in 0..self.parameters.bits_per_ciphertext() as usize * length {
            let word = &mut rotated.words_mut()[position];
            *word = m.add(*word, self.half_weights[position % length]);
        }
        // Compensates for the trace, which multiplies by N.
        kernels::mul_scalar_assign(m, rotated.words_mut(), m.inv(ring.degree() as u64));
    }
}

/// Returns the number of batches of about equal length for `bootstraps` bootstraps: a multiple of the number of threads if
/// possible, with at most [`BATCH`] bootstraps per batch.
///
/// ```
/// use cryptable_leveled::bootstrapping::batch_count;
/// assert_eq!(batch_count(8, 1), 2);
/// assert_eq!(batch_count(10, 2), 4);
/// assert_eq!(batch_count(3, 8), 3);
/// ```
#[must_use]
pub fn batch_count(bootstraps: usize, threads: usize) -> usize {
    bootstraps.div_ceil(BATCH).next_multiple_of(threads.max(1)).min(bootstraps)
}
