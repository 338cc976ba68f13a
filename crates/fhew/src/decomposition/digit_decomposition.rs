//! The interface of algorithms for homomorphic digit decomposition, which clear one window after the other.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::method::Decision;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance};
use crate::test_polynomial::TestPolynomial;

/// One step of a decomposition: the lowest digit that is left, and its window.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// log2 of q_0.
    pub log2_modulus: u32,
    /// log2 of the window: the digit is the phase modulo it.
    pub log2_window: u32,
    /// log2 of the digit's base.
    pub base_log2: u32,
}

impl Window {
    /// The window's share of the modulus.
    fn share(self) -> f64 {
        (f64::from(self.log2_window) - f64::from(self.log2_modulus)).exp2()
    }

    /// Converts noise from a fraction of the modulus to a fraction of the window.
    pub(super) fn of_large(self, noise: NoiseLaw) -> NoiseLaw {
        noise.times(self.share().recip())
    }

    /// Converts an error from a fraction of the modulus to a fraction of the window.
    pub(super) fn of_large_error(self, error: f64) -> f64 {
        error / self.share()
    }

    /// Converts a variance from a fraction of the window to a fraction of the modulus.
    pub(super) fn to_large(self, variance: Variance) -> Variance {
        variance * self.share().powi(2)
    }

    /// Returns half a digit's slot, where the window is scaled to `modulus`.
    pub(super) fn half_slot(self, modulus: u64) -> u64 {
        modulus >> (self.base_log2 + 1)
    }
}

/// The key that clears a window, and which of its rotation keys is precise enough.
#[derive(Clone, Copy, Debug)]
pub struct Clearing<'a> {
    /// Keys of the server.
    pub key: &'a EvaluationKey,
    /// Number of the rotation key.
    pub rotation_key: usize,
    /// The window that is cleared.
    pub window: Window,
}

impl Clearing<'_> {
    /// Returns the ciphertext's phase modulo the window: LWE modulo the LWE modulus, of dimension n.
    ///
    /// Adds the noise of key switching, as a fraction of the window.
    #[must_use]
    pub fn low_phase(&self, large: &LweCiphertext) -> LweCiphertext {
        self.key.key_switch(&large.mod_down(1 << self.window.log2_window))
    }

    /// Looks up `of(x/2N)·window` for a phase x < N of the window, and its negative for x + N. Returns a ciphertext of
    /// large precision.
    #[must_use]
    pub fn boot(&self, of: impl Fn(f64) -> f64, phase: &LweCiphertext) -> LweCiphertext {
        let parameters = self.key.parameters();
        let (m, two_n) = (parameters.modulus(), parameters.rotation_modulus());
        let scale = self.window.share() * parameters.prime() as f64;
        let test = TestPolynomial::from_fn(parameters.ring(), |x| {
            m.reduce_i64((of(x as f64 / two_n as f64) * scale).round() as i64)
        });
        let phase = self.key.to_rotation_modulus(phase, two_n);
        self.key.boot_large(self.rotation_key, &test, &phase)
    }
}

/// Predicts the noise of clearing a window with [`Clearing`].
#[derive(Clone, Copy, Debug)]
pub struct ClearingModel<'a> {
    /// Noise model of the server's parameters.
    pub model: &'a NoiseModel,
    /// Number of the rotation key.
    pub rotation_key: usize,
    /// The window that is cleared.
    pub window: Window,
}

impl ClearingModel<'_> {
    /// Returns the noise of [`Clearing::boot`], as a fraction of q_0.
    pub(super) fn rotation(&self) -> Variance {
        self.model.large_rotation(self.rotation_key)
    }

    /// Returns the noise of [`Clearing::low_phase`] and its switch to 2N, as a fraction of the window.
    pub(super) fn common(&self) -> Variance {
        self.model.common(self.model.parameters().rotation_modulus())
    }
}

/// Noise of a cleared window.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearedNoise {
    /// Noise of the rest of the ciphertext, as a fraction of q_0.
    pub output: NoiseLaw,
    /// The largest noise of the rest: that of a phase at a jump of a function.
    pub worst: NoiseLaw,
    /// All decisions on the way except that of the digit itself.
    pub decisions: Vec<Decision>,
}

/// An algorithm of homomorphic digit decomposition.
pub trait DigitDecomposition: std::fmt::Debug + Sync {
    /// The paper's name.
    fn name(&self) -> &'static str;

    /// Blind rotations for every digit but the highest.
    fn rotations(&self) -> usize;

    /// Largest distance from 0 of what is left in a cleared window, as a fraction of the window, without noise.
    fn remainder(&self) -> f64;

    /// Clears the window's phase, or narrows its range.
    ///
    /// Half a slot has been added to `large`, and `low` is its phase modulo the window, of dimension n. Afterwards the phase
    /// of `large` modulo the window is within [`DigitDecomposition::remainder`] of 0; above the window it is unchanged.
    fn clear(&self, clearing: &Clearing<'_>, large: &mut LweCiphertext, low: &LweCiphertext);

    /// Predicts the noise for a ciphertext whose noise has the law `input` (a fraction of q_0).
    fn noise(&self, clearing: &ClearingModel<'_>, input: NoiseLaw) -> ClearedNoise;
}
