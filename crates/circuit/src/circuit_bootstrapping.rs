//! Circuit bootstrapping without conversions between LWE and RLWE (Algorithms 1, 2 and 6 of Wang et al., EUROCRYPT
//! 2024): from a noisy bit to a [`Selector`].
//!
//! 1. Multi-value functional bootstrapping without sample extraction: one blind rotation, whose test polynomial has
//!    the weights of all rows of the selector in neighbouring coefficients (phases are rounded to multiples of 2^ϑ).
//!    By CMUXes or by automorphisms, as the parameters have it (the paper's CMUX and AUTO variants).
//! 2. HomTrace: each row's coefficient, moved to the constant one, is all that the trace leaves.
//! 3. Scheme switching: each row times the secret.

use cryptable_fhew::evaluation_key::EvaluationKey;
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_fhew::test_polynomial::TestPolynomial;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::kernels;
use cryptable_rlwe::lwe::LweCiphertext;
use rayon::prelude::*;

use crate::error::Result;
use crate::parameters::CircuitParameters;
use crate::selector::Selector;

/// Bootstraps that go in step: the keys of a step, some 100 kB, stay in the cache for all.
pub const IN_STEP: usize = 4;

/// Circuit bootstraps under a server's key. Holds no secret, and is `Sync`.
///
/// ```
/// use cryptable_circuit::bits::decrypt_bit;
/// use cryptable_circuit::circuit_bootstrapping::CircuitBootstrapping;
/// use cryptable_circuit::leveled::LeveledCiphertext;
/// use cryptable_circuit::parameters::CircuitParameters;
/// use cryptable_circuit::selector::CmuxGates;
/// use cryptable_fhew::evaluation_key::EvaluationKey;
/// use cryptable_fhew::secret_key::SecretKey;
/// let parameters = CircuitParameters::set_1();
/// let secret = SecretKey::generate(parameters.parameters());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let circuit = CircuitBootstrapping::new(&parameters, &key);
/// let bit = cryptable_circuit::bits::encrypt_bit(&secret, true);
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
/// # Ok::<(), cryptable_circuit::error::Error>(())
/// ```
#[derive(Debug)]
pub struct CircuitBootstrapping<'a> {
    parameters: CircuitParameters,
    key: &'a EvaluationKey,
    gadget: Gadget,
    /// -weight(k)/2 in the coefficients that are k modulo 2^ϑ.
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
        let test = TestPolynomial::from_fn(ring, |x| match (x % step) as usize {
            k if k < gadget.length() => ring.modulus().neg(half_weight(key, gadget, k)),
            _ => 0,
        });
        let test = test.to_rlwe(ring);
        Self { parameters: parameters.clone(), key, gadget, test }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &CircuitParameters {
        &self.parameters
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
    /// 2(n + 1)(ℓ_ep + 1) + n_auto·(ℓ_auto + 2), see [`cryptable_fhew::automorphism_counts`]. For each of ℓ rows
    /// log2 N·(ℓ_trace + 2) for the trace and ℓ_ss + 2 for scheme switching. Rows have the noise of
    /// [`crate::noise::CircuitNoise::selector`].
    ///
    /// # Errors
    /// If the ciphertext is not of dimension N modulo Q.
    pub fn bootstrap(&self, bit: &LweCiphertext) -> Result<Selector> {
        Ok(self.convert(&mut self.rotated(bit)?))
    }

    /// Step 1: ±weight(k)/2 in coefficient k of the phase.
    pub(crate) fn rotated(&self, bit: &LweCiphertext) -> Result<RlweCiphertext> {
        crate::bits::check(self.key.parameters(), bit)?;
        Ok(self.key.blind_rotate(&self.test, &self.phases(&[bit])[0]))
    }

    /// Selectors of several bits, in [`parts`] that go in step. Rotations by automorphisms share nothing there, as each
    /// ciphertext takes its keys in an order of its own: they go one after the other.
    ///
    /// # Errors
    /// As [`CircuitBootstrapping::bootstrap`].
    pub fn bootstrap_many(&self, bits: &[&LweCiphertext]) -> Result<Vec<Selector>> {
        bits.iter().try_for_each(|bit| crate::bits::check(self.key.parameters(), bit))?;
        let parts = parts(bits.len(), rayon::current_num_threads());
        let several = |part: usize| -> Vec<Selector> {
            let bits = &bits[part * bits.len() / parts..(part + 1) * bits.len() / parts];
            let mut rotated = self.key.blind_rotate_many(&self.test, &self.phases(bits));
            rotated.iter_mut().map(|rotated| self.convert(rotated)).collect()
        };
        Ok((0..parts).into_par_iter().flat_map_iter(several).collect())
    }

    /// Steps 2 and 3: the selector of a rotated test polynomial.
    fn convert(&self, rotated: &mut RlweCiphertext) -> Selector {
        let ring = self.key.parameters().ring();
        self.complete(rotated);
        let length = self.gadget.length();
        let mut rows = Vec::with_capacity(2 * length);
        for k in 0..length {
            // X^-k moves the row's weight to the constant coefficient.
            let exponent = (2 * ring.degree() - k) % (2 * ring.degree());
            let mut row = rotated.times_monomial(ring, exponent);
            self.key.trace().trace_assign(ring, &mut row);
            rows.push(row);
        }
        let by_secret: Vec<_> = rows.iter().map(|row| self.key.times_secret(row)).collect();
        rows.extend(by_secret);
        Selector::from_rows(ring, self.gadget, &rows)
    }

    /// Bits' phases, plus 1/4, modulo 2N: multiples of 2^ϑ.
    fn phases(&self, bits: &[&LweCiphertext]) -> Vec<LweCiphertext> {
        let sparsity = self.parameters.sparsity_log2();
        let phase = |mut low: LweCiphertext| {
            // Phases 0 and 1/2 to 1/4 and 3/4, the middles of both halves.
            low.add_constant_assign(low.modulus() / 4);
            let coarse = self.key.to_rotation_modulus(&low, self.parameters.sparse_modulus());
            let words = coarse.words().iter().map(|word| word << sparsity).collect();
            LweCiphertext::from_words(words, self.key.parameters().rotation_modulus())
        };
        self.key.key_switch_many(bits).into_iter().map(phase).collect()
    }

    /// From ±weight(k)/2 in coefficient k to bit·weight(k)/N; anything is in others.
    fn complete(&self, rotated: &mut RlweCiphertext) {
        let (ring, m) = (self.key.parameters().ring(), self.key.parameters().modulus());
        for k in 0..self.gadget.length() {
            let word = &mut rotated.words_mut()[k];
            *word = m.add(*word, half_weight(self.key, self.gadget, k));
        }
        // The trace multiplies by N.
        kernels::mul_scalar_assign(m, rotated.words_mut(), m.inv(ring.degree() as u64));
    }
}

/// Parts of about equal length into which several bits go: as many for each thread, of at most [`IN_STEP`] bits.
///
/// ```
/// use cryptable_circuit::circuit_bootstrapping::parts;
/// assert_eq!(parts(8, 1), 2);
/// assert_eq!(parts(10, 2), 4);
/// assert_eq!(parts(3, 8), 3);
/// ```
#[must_use]
pub fn parts(bits: usize, threads: usize) -> usize {
    bits.div_ceil(IN_STEP).next_multiple_of(threads.max(1)).min(bits)
}

/// weight(k)/2 modulo Q.
pub(crate) fn half_weight(key: &EvaluationKey, gadget: Gadget, k: usize) -> u64 {
    let m = key.parameters().modulus();
    m.mul(gadget.weight(k), m.inv(2))
}
