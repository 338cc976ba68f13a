//! Noise of circuit bootstrapping and leveled evaluation (Wang et al., EUROCRYPT 2024, ePrint 2024/323, Sec. 5.1 and
//! Theorems 1 and 2), as a law and not as a variance alone.
//!
//! The paper bounds the noise of an RGSW ciphertext as if every coefficient had the largest variance. Here what this
//! crate computes is followed: after the trace, blind rotation's noise is in the constant coefficient alone, so that a
//! CMUX meets it once in the body's rows instead of N times, and `N·E[s²]` times in the mask's.
//!
//! **Products.** Row k of an RGSW ciphertext has an error E_k in its body's row and `E_k·s + S_k` in its mask's. A CMUX
//! adds `Σ_k E_k·G_k + S_k·D_k`, where D_k are digits of the mask and G_k those of the body plus `D_k·s`.
//! - E_k is blind rotation's in its constant coefficient, and the trace's, of which two coefficients have a third each. G_k
//!   is a sum of N/2 digits. So the sum has some products of two Gaussians per row, and a tail far above a Gaussian's.
//! - S_k is scheme switching's. Its digits leave noise in N independent coefficients, so that `S_k·D_k` is Gaussian. What
//!   they round away is multiplied by s², which under a binary secret is close to one wave: `S_k·D_k` then is two
//!   products.
//! - Under a binary secret half of what rotation and trace round of masks is alike in neighbouring coefficients, which all
//!   rows of a rotation come from: [`RgswNoise::largest`] counts it once for each of them. The trace's is also alike in
//!   the coefficients of one row, as G_k is, which adds to the variance.
//!
//! **Fixed per selector.** E_k and S_k are drawn with the RGSW ciphertext. Whoever uses one selector for several CMUXes of
//! a sum multiplies the same E_k with other digits: one product of a variance as many times as large, and not as many
//! products ([`CircuitBootstrappingNoise::chain`]). The path through a tree meets each selector once
//! ([`CircuitBootstrappingNoise::tree`]).

use cryptable_fhew::noise::{NoiseModel, Variance, second_moment};
use cryptable_fhew::rotation::cmux_roundings;
use cryptable_lattice::noise_bound::largest_where;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{ERROR_VARIANCE, NoiseBound};

use crate::parameters::{CircuitBootstrappingParameters, LOG2_FAIL};

/// The largest product of the trace's noise in the constant coefficient's: coefficients of G_k are alike, too. Computed
/// from their covariances; the second is that of noise which is as alike as under a binary secret is possible, at N = 2,048.
const TRACE_PRODUCT: f64 = 1.1;
const ALIKE_TRACE_PRODUCT: f64 = 3.1;

/// Noise of the rows of a circuit-bootstrapped RGSW ciphertext, as fractions of Q².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RgswNoise {
    /// Constant coefficient of a body's row: blind rotation and trace.
    pub constant: Variance,
    /// Noise from a body's row, per digit of second moment 1 in each coefficient.
    pub body: Variance,
    /// The same of a mask's row.
    pub mask: Variance,
    /// Part of both that is spread over enough independent coefficients to be Gaussian.
    pub spread: Variance,
    /// The largest product of two Gaussians in the rest.
    pub largest: Variance,
}

/// Noise of circuit bootstrapping under one parameter set.
#[derive(Clone, Debug)]
pub struct CircuitBootstrappingNoise {
    parameters: CircuitBootstrappingParameters,
    model: NoiseModel,
    rgsw: RgswNoise,
}

impl CircuitBootstrappingNoise {
    /// Noise under these parameters.
    #[must_use]
    pub fn new(parameters: &CircuitBootstrappingParameters) -> Self {
        let model = NoiseModel::new(parameters.fhew());
        let rgsw = by_trace(&model, parameters);
        Self { parameters: parameters.clone(), model, rgsw }
    }

    /// Noise of blind rotation, key switching, trace and scheme switching.
    #[must_use]
    pub fn model(&self) -> &NoiseModel {
        &self.model
    }

    /// Variance of a fresh ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Variance {
        let modulus = self.model.parameters().prime() as f64;
        Variance::of_units(ERROR_VARIANCE, modulus)
    }

    /// Noise of a ciphertext that a public key encrypted, once it is modulo Q.
    #[must_use]
    pub fn by_public_key(&self) -> NoiseBound {
        let fhew = self.model.parameters();
        let modulus = fhew.large_modulus() as f64;
        let switch = self.model.ring_modulus_switch(fhew.prime());
        // Digits of some bits are multiples of a power of two, which nothing rounds.
        let noise = NoiseBound::by_public_key(fhew.ring_degree(), modulus, 2);
        noise.with_independent(NoiseBound::of_law(switch.law(), 1.0 / modulus))
    }

    /// Noise of a circuit-bootstrapped RGSW ciphertext.
    #[must_use]
    pub fn rgsw(&self) -> RgswNoise {
        self.rgsw
    }

    /// Returns the noise that a CMUX adds ("Noise Add"), if its bit is 1 with this probability: `ℓ·B²/12·(Σ body + Σ
    /// mask) + ones·rounding·(1 + N·E[s²])`.
    #[must_use]
    pub fn cmux(&self, ones: f64) -> NoiseLaw {
        self.chain(1, 1, ones)
    }

    /// Returns the noise that `depth` CMUXes in a row add, by `selectors` distinct selectors, each used about equally
    /// often. The variance does not depend on their number, but products do: each selector's rows contribute a product
    /// that grows with its number of uses.
    ///
    /// # Panics
    /// If there are no selectors.
    #[must_use]
    pub fn chain(&self, depth: u64, selectors: u64, ones: f64) -> NoiseLaw {
        self.path(depth, depth.div_ceil(selectors), ones)
    }

    /// Returns the noise that `depth` CMUXes in a row add, none of whose selectors is used more often than `uses` times:
    /// [`CircuitBootstrappingNoise::chain`] for selectors that are used unequally often.
    #[must_use]
    pub fn path(&self, depth: u64, uses: u64, ones: f64) -> NoiseLaw {
        let (gadget, literal) = (self.parameters.rgsw_gadget(), self.model.parameters().literal());
        let RgswNoise { body, mask, spread, largest, .. } = self.rgsw;
        let digit = gadget.digit_variance();
        let digits = gadget.length() as f64 * digit * depth as f64;
        let largest = largest.0 * digit * uses as f64;
        let products = NoiseLaw::products((body.0 + mask.0 - spread.0) * digits, largest);
        let secret = literal.ring_degree as f64 * second_moment(literal.ring_secret);
        let rounding = gadget.rounding_variance() * (1.0 + secret) * ones * depth as f64;
        let rounding = Variance::of_units(rounding, self.model.parameters().prime() as f64);
        products.with_independent(NoiseLaw::gaussian(spread.0 * digits + rounding.0))
    }

    /// Noise of a result of a tree of this depth, a selector for each CMUX on its path. The first chooses between plain
    /// polynomials, of which one digit is not 0, B/2 at most, and that has no mask: it meets body's rows alone.
    #[must_use]
    pub fn tree(&self, depth: usize, ones: f64) -> NoiseLaw {
        let half_base = f64::from(self.parameters.rgsw_gadget().base_log2() - 1).exp2();
        let first = NoiseLaw::gaussian(self.rgsw.body.0 * half_base * half_base);
        let later = depth.saturating_sub(1) as u64;
        self.chain(later, later.max(1), ones).with_independent(first)
    }

    /// Longest chain of CMUXes with a selector each, on bits that are as often 0 as 1 (as the paper counts), whose result
    /// a circuit bootstrap takes, failing with probability 2^-64 at most.
    #[must_use]
    pub fn max_depth(&self) -> u64 {
        self.max_depth_by(u64::MAX)
    }

    /// Maximum depth of chains by at most `selectors` distinct selectors, each used about equally often.
    ///
    /// # Panics
    /// If there are no selectors.
    #[must_use]
    pub fn max_depth_by(&self, selectors: u64) -> u64 {
        let estimate = self.parameters.input_variance().0 / self.cmux(0.5).variance();
        largest_where(estimate, |depth| {
            let chain = self.chain(depth, selectors.min(depth), 0.5);
            self.log2_fail(NoiseBound::of_law(chain, 0.0)) <= LOG2_FAIL
        })
    }

    /// log2 of the probability that a circuit bootstrap reads an input with this noise wrong, at most.
    #[must_use]
    pub fn log2_fail(&self, input: impl Into<NoiseBound>) -> f64 {
        let sparse = self.model.lwe_modulus_switch(self.parameters.sparse_modulus());
        let switching = NoiseLaw::gaussian((self.model.key_switching() + sparse).0);
        let total = input.into().with_independent(NoiseBound::of_law(switching, 0.0));
        total.log2_exceeds(self.parameters.margin())
    }
}

/// Σ over the trace's noise: mean N - 1 of an automorphism (Theorem 2 bounds all by the constant's, (N² - 1)/3).
fn by_trace(model: &NoiseModel, parameters: &CircuitBootstrappingParameters) -> RgswNoise {
    let literal = model.parameters().literal();
    let degree = literal.ring_degree as f64;
    let secret = degree * second_moment(literal.ring_secret);
    let rotation = model.sparse_blind_rotation(parameters.sparsity_log2()).0;
    let automorphism = model.automorphism().0;
    let [alike_rotation, alike_automorphism] = alike(model, parameters.sparsity_log2());
    // Step i leaves noise, N/2^i times, in 2^i coefficients: N²/2^i in all. Of what is alike there, products with what
    // is alike in G_k, half of it, add up to another 4^i/6 - 2^i/2 + 1/3 times (N/2^i)².
    let more = alike_automorphism * degree * degree * (degree.log2() / 6.0 - 7.0 / 18.0);
    let body = rotation + automorphism * degree * (degree - 1.0) + more;
    let trace = |automorphism: f64| automorphism * (degree * degree - 1.0) / 3.0;
    let rows =
        f64::from(parameters.bits_per_ciphertext()) * parameters.literal().rgsw.length as f64;
    let largest = (rotation - alike_rotation)
        + TRACE_PRODUCT * trace(automorphism - alike_automorphism)
        + rows * (alike_rotation + ALIKE_TRACE_PRODUCT * trace(alike_automorphism));
    let switching = model.scheme_switching().0 * degree;
    let wave = wave_of_scheme_switching(model) * degree;
    RgswNoise {
        constant: Variance(rotation + trace(automorphism)),
        body: Variance(body),
        mask: Variance(body * secret + switching),
        spread: Variance(switching - wave),
        largest: Variance((largest * (1.0 + secret)).max(wave / 2.0)),
    }
}

/// The part of the noise of a rotation, and of an automorphism, that is alike in neighbouring coefficients: what is rounded
/// of masks, times the mean of a binary secret.
fn alike(model: &NoiseModel, sparsity_log2: u32) -> [f64; 2] {
    let parameters = model.parameters();
    let literal = parameters.literal();
    if literal.ring_secret != SecretDistribution::Binary {
        return [0.0; 2];
    }
    let (dimension, degree) = (literal.lwe_dimension, literal.ring_degree);
    let mean = |rounding: f64| {
        Variance::of_units(rounding * degree as f64 / 4.0, parameters.prime() as f64).0
    };
    let mask = parameters.rotation_gadget().mask.rounding_variance();
    let rotation = match parameters.rotation_automorphisms() {
        None => mask * cmux_roundings(dimension, literal.lwe_secret),
        Some(window) => {
            let count = literal.rotation_method.automorphisms(degree, dimension, sparsity_log2);
            (dimension + 1) as f64 * mask + count * window.gadget.rounding_variance()
        }
    };
    [mean(rotation), mean(parameters.automorphism_gadget().rounding_variance())]
}

/// The part of a coefficient's noise of scheme switching that is rounding times the square of a binary secret, whose
/// coefficients are N²/48 on average and lie on a line through 0: 98.6 % of a line is one wave.
fn wave_of_scheme_switching(model: &NoiseModel) -> f64 {
    let parameters = model.parameters();
    if parameters.literal().ring_secret != SecretDistribution::Binary {
        return 0.0;
    }
    let degree = parameters.ring_degree() as f64;
    let rounding = parameters.relinearization_gadget().rounding_variance();
    Variance::of_units(rounding * degree * degree.powi(2) / 48.0, parameters.prime() as f64).0
}
