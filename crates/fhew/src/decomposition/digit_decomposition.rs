//! Algorithms of homomorphic digit decomposition, which clear one window after the other.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::method::Decision;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance};
use crate::test_polynomial::TestPolynomial;

/// One step: the lowest digit that is left, and its window.
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

    /// Noise that is a fraction of the modulus, as one of the window.
    pub(super) fn of_large(self, noise: NoiseLaw) -> NoiseLaw {
        noise.times(self.share().recip())
    }

    /// An error that is a fraction of the modulus, as one of the window.
    pub(super) fn of_large_error(self, error: f64) -> f64 {
        error / self.share()
    }

    /// A variance that is a fraction of the window, as one of the modulus.
    pub(super) fn to_large(self, variance: Variance) -> Variance {
        variance * self.share().powi(2)
    }

    /// Half a digit's slot, modulo `modulus` for the window.
    pub(super) fn half_slot(self, modulus: u64) -> u64 {
        modulus >> (self.base_log2 + 1)
    }
}

/// Key that clears a window, and the index of its rotation key that is precise enough.
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

    /// Looks up `of(x/2N)·window` for a phase x of the window, x < N, and minus that for x + N: a ciphertext of large
    /// precision.
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

/// Predicts noise where a window is cleared, as [`Clearing`] clears it.
#[derive(Clone, Copy, Debug)]
pub struct ClearingModel<'a> {
    /// Noise of the server's parameters.
    pub model: &'a NoiseModel,
    /// Number of the rotation key.
    pub rotation_key: usize,
    /// The window that is cleared.
    pub window: Window,
}

impl ClearingModel<'_> {
    /// Noise of [`Clearing::boot`], a fraction of q_0.
    pub(super) fn rotation(&self) -> Variance {
        self.model.large_rotation(self.rotation_key)
    }

    /// Noise of [`Clearing::low_phase`] and its switch to 2N, a fraction of the window.
    pub(super) fn common(&self) -> Variance {
        self.model.common(self.model.parameters().rotation_modulus())
    }
}

/// Noise of a cleared window.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearedNoise {
    /// Noise of the rest of the ciphertext, as a fraction of q_0.
    pub output: NoiseLaw,
    /// The largest that it may be, where a phase meets a jump of a function.
    pub worst: NoiseLaw,
    /// Decisions on the way, besides the digit's own.
    pub decisions: Vec<Decision>,
}

/// An algorithm of homomorphic digit decomposition.
pub trait DigitDecomposition: std::fmt::Debug + Sync {
    /// The paper's name.
    fn name(&self) -> &'static str;

    /// Blind rotations for every digit but the highest.
    fn rotations(&self) -> usize;

    /// How far what is left of a cleared window reaches to either side, as a fraction of the window, noise apart.
    fn remainder(&self) -> f64;

    /// Clears the window's phase, or makes its range smaller.
    ///
    /// `large` has half a slot added, and `low` is its phase modulo the window, of dimension n. The phase of `large`
    /// modulo the window then is near 0, within [`DigitDecomposition::remainder`]; above the window it is unchanged.
    fn clear(&self, clearing: &Clearing<'_>, large: &mut LweCiphertext, low: &LweCiphertext);

    /// Predicts noise, for a ciphertext with noise of law `input` (a fraction of q_0).
    fn noise(&self, clearing: &ClearingModel<'_>, input: NoiseLaw) -> ClearedNoise;
}
