//! Noise of circuit bootstrapping and leveled evaluation (Wang et al., EUROCRYPT 2024, ePrint 2024/323, Sec. 5.1 and
//! Theorems 1 and 2), as a law and not only as a variance.
//!
//! The paper bounds the noise of an RGSW ciphertext as if every coefficient had the largest variance. This module follows
//! the computations of this crate: after the trace, the noise of blind rotation is only in the constant coefficient, so a
//! CMUX adds it once for the body's rows instead of N times, and `N·E[s²]` times for the mask's.
//!
//! **Products.** Row k of an RGSW ciphertext has an error E_k in its body's row and `E_k·s + S_k` in its mask's. A CMUX
//! adds `Σ_k E_k·G_k + S_k·D_k`, where D_k are digits of the mask and G_k those of the body plus `D_k·s`.
//! - E_k is the error of blind rotation in its constant coefficient, and that of the trace, of which two coefficients have a
//!   third each. G_k is a sum of N/2 digits. The sum therefore has some products of two Gaussians per row, and a tail far
//!   above a Gaussian's.
//! - S_k is the error of scheme switching. Its digits leave noise in N independent coefficients, so that `S_k·D_k` is
//!   Gaussian. Their rounding error is multiplied by s², which under a binary secret is close to one wave: `S_k·D_k` is then
//!   two products.
//! - Under a binary secret, half of the error that rotation and trace make by rounding masks is alike in neighbouring
//!   coefficients, from which all rows of a rotation come: [`RgswNoise::largest`] counts it once per row. The error of the
//!   trace is also alike in the coefficients of one row, as G_k is, which adds to the variance.
//!
//! **Fixed per selector.** E_k and S_k are drawn with the RGSW ciphertext. Using one selector for several CMUXes of a sum
//! multiplies the same E_k by different digits. The result is one product, whose variance is multiplied by the number of
//! uses, and not several products ([`CircuitBootstrappingNoise::chain`]). The path through a tree meets each selector once
//! ([`CircuitBootstrappingNoise::tree`]).

use cryptable_fhew::noise::{NoiseModel, Variance, second_moment};
use cryptable_fhew::rotation::cmux_roundings;
use cryptable_lattice::noise_bound::largest_where;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::security::SecretDistribution;
use cryptable_lattice::{ERROR_VARIANCE, NoiseBound};

use crate::parameters::{CircuitBootstrappingParameters, LOG2_FAIL};

/// The largest product of the trace's noise, relative to that of the constant coefficient: coefficients of G_k are alike,
/// too. Computed from their covariances; the second value is for noise that is as alike as possible under a binary secret,
/// at N = 2,048.
const TRACE_PRODUCT: f64 = 1.1;
const ALIKE_TRACE_PRODUCT: f64 = 3.1;

/// Noise of the rows of a circuit-bootstrapped RGSW ciphertext, as fractions of Q².
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RgswNoise {
    /// Noise of blind rotation and trace in the constant coefficient of a body's row.
    pub constant: Variance,
    /// Noise from a body's row, per digit of second moment 1 in each coefficient.
    pub body: Variance,
    /// Noise from a mask's row, per digit of second moment 1 in each coefficient.
    pub mask: Variance,
    /// Part of the noise of body and mask that is spread over enough independent coefficients to be Gaussian.
    pub spread: Variance,
    /// The largest product of two Gaussians in the rest of the noise.
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
    /// Returns the noise under these parameters.
    #[must_use]
    pub fn new(parameters: &CircuitBootstrappingParameters) -> Self {
        let model = NoiseModel::new(parameters.fhew());
        let rgsw = by_trace(&model, parameters);
        Self { parameters: parameters.clone(), model, rgsw }
    }

    /// Returns the noise model of blind rotation, key switching, trace and scheme switching.
    #[must_use]
    pub fn model(&self) -> &NoiseModel {
        &self.model
    }

    /// Returns the variance of a fresh ciphertext.
    #[must_use]
    pub fn fresh(&self) -> Variance {
        let modulus = self.model.parameters().prime() as f64;
        Variance::of_units(ERROR_VARIANCE, modulus)
    }

    /// Returns the noise of a ciphertext that a public key encrypted, after the switch to modulus Q.
    #[must_use]
    pub fn by_public_key(&self) -> NoiseBound {
        let fhew = self.model.parameters();
        let modulus = fhew.large_modulus() as f64;
        let switch = self.model.ring_modulus_switch(fhew.prime());
        // Phases of digits are multiples of a power of two, so nothing is rounded.
        let noise = NoiseBound::by_public_key(fhew.ring_degree(), modulus, 2);
        noise.with_independent(NoiseBound::of_law(switch.law(), 1.0 / modulus))
    }

    /// Returns the noise of a circuit-bootstrapped RGSW ciphertext.
    #[must_use]
    pub fn rgsw(&self) -> RgswNoise {
        self.rgsw
    }

    /// Returns the noise that a CMUX adds ("Noise Add") if its bit is 1 with probability `ones`:
    /// `ℓ·B²/12·(Σ body + Σ mask) + ones·rounding·(1 + N·E[s²])`.
    #[must_use]
    pub fn cmux(&self, ones: f64) -> NoiseLaw {
        self.chain(1, 1, ones)
    }

    /// Returns the noise that `depth` CMUXes in a row add, by `selectors` distinct selectors that are used about equally
    /// often. The variance does not depend on the number of selectors, but the products do: each selector's rows contribute a
    /// product that grows with the selector's number of uses.
    ///
    /// # Panics
    /// If there are no selectors.
    #[must_use]
    pub fn chain(&self, depth: u64, selectors: u64, ones: f64) -> NoiseLaw {
        self.path(depth, depth.div_ceil(selectors), ones)
    }

    /// Returns the noise that `depth` CMUXes in a row add, where no selector is used more than `uses` times:
    /// [`CircuitBootstrappingNoise::chain`] for selectors that are not used equally often.
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

    /// Returns the noise of a result of a tree of this depth, with one selector per CMUX on its path. The first CMUX chooses
    /// between plain polynomials. Their difference has one nonzero digit, at most B/2, and no mask, so only the body's rows
    /// add noise.
    #[must_use]
    pub fn tree(&self, depth: usize, ones: f64) -> NoiseLaw {
        let half_base = f64::from(self.parameters.rgsw_gadget().base_log2() - 1).exp2();
        let first = NoiseLaw::gaussian(self.rgsw.body.0 * half_base * half_base);
        let later = depth.saturating_sub(1) as u64;
        self.chain(later, later.max(1), ones).with_independent(first)
    }

    /// Returns the length of the longest chain of CMUXes whose result a circuit bootstrap reads wrong with probability at most
    /// 2^-64. Each CMUX has a selector of its own, and bits are 0 and 1 equally often (as the paper counts).
    #[must_use]
    pub fn max_depth(&self) -> u64 {
        self.max_depth_by(u64::MAX)
    }

    /// Returns the maximum depth of chains by at most `selectors` distinct selectors that are used about equally often.
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

    /// Returns a bound on log2 of the probability that a circuit bootstrap reads an input with this noise wrong.
    #[must_use]
    pub fn log2_fail(&self, input: impl Into<NoiseBound>) -> f64 {
        let sparse = self.model.lwe_modulus_switch(self.parameters.sparse_modulus());
        let switching = NoiseLaw::gaussian((self.model.key_switching() + sparse).0);
        let total = input.into().with_independent(NoiseBound::of_law(switching, 0.0));
        total.log2_exceeds(self.parameters.margin())
    }
}

/// Sums the noise of the trace: on average N - 1 times that of an automorphism (Theorem 2 bounds all coefficients by the
/// constant one, (N² - 1)/3).
fn by_trace(model: &NoiseModel, parameters: &CircuitBootstrappingParameters) -> RgswNoise {
    let literal = model.parameters().literal();
    let degree = literal.ring_degree as f64;
    let secret = degree * second_moment(literal.ring_secret);
    let rotation = model.sparse_blind_rotation(parameters.sparsity_log2()).0;
    let automorphism = model.automorphism().0;
    let [alike_rotation, alike_automorphism] = alike(model, parameters.sparsity_log2());
    // Step i leaves N/2^i times its noise in 2^i coefficients: N²/2^i in all. The part that is alike in them, multiplied
    // by the part that is alike in G_k, half of it, adds another 4^i/6 - 2^i/2 + 1/3 times (N/2^i)².
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

/// Returns the part of the noise of a rotation, and of an automorphism, that is alike in neighbouring coefficients: the
/// rounding error of masks times the mean of a binary secret.
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

/// Returns the part of a coefficient's noise of scheme switching that is rounding times the square of a binary secret, whose
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
