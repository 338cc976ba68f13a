//! A dry run: predicts limbs, scales, noise and transforms of a circuit without any key.

mod inner_ring;
mod key_switches;
mod parameters;
mod shape;
mod slot_noise;

use std::sync::{Arc, Mutex, OnceLock, RwLock};

use cryptable_lattice::{ERROR_VARIANCE, KeyRequest, SwitchingKeyShape};
use cryptable_ring::{Basis, rotation_element};
use num_complex::Complex64;

use crate::arithmetic::{Arithmetic, ratio_of_products, rows_of_all_quarters};
pub use crate::counts::Counts;
use crate::counts::{AtomicCounts, StageCounts};
use crate::hiding::Hiding;
use crate::inner_ring::Slots;
use crate::noise_sources::NoiseSources;
use crate::transform_plan::{TransformPlan, division_transforms};

use key_switches::{PlannedSwitch, Switching};
pub use parameters::{DryRunParameters, PlannedChain};
use shape::combination;
pub use shape::{PlainShape, Shape, SlotVariance};
pub use slot_noise::SlotNoise;

/// Products that the four quarters of a row cost beyond its own: sixteen by powers of i, and the cost of reducing four
/// sums and four results, measured on a Zen 4.
const QUARTERS_OF_A_ROW: usize = 36;

/// Bound on the rounding of an encoded plaintext in a slot, in deviations. A slot exceeds it with probability 2^-33,
/// unless plaintexts are chosen for their roundings.
const ENCODING_DEVIATIONS: f64 = 6.5;

/// Bound on noise of slots before it is cleaned, in deviations. A slot exceeds it with probability 2^-150 if key
/// generation keeps slots of the secret below 11 times their mean.
const CLEANED_DEVIATIONS: f64 = 46.0;

/// The same bound for real slots, where slots of the secret are below 21 times their mean.
const CLEANED_REAL_DEVIATIONS: f64 = 65.0;

/// [`Arithmetic`] on [`Shape`]s.
///
/// Noise is propagated as variances, one per kind of law ([`SlotNoise`]). Noises that meet in a product are taken as
/// fully correlated, unless the circuit has declared them independent ([`NoiseSources`]). This is exact for powers of
/// one ciphertext and an upper bound elsewhere.
#[derive(Debug)]
pub struct DryRun {
    parameters: DryRunParameters,
    /// log2 of the primes of every chain.
    log2_primes: Vec<Vec<f64>>,
    /// Relinearizations and automorphisms of polynomials, by chain and number of primes. They are cached because there
    /// are many, and few differ.
    switches: [Vec<Vec<OnceLock<PlannedSwitch>>>; 2],
    slots: Slots,
    inner: Option<PlannedInner>,
    counts: Arc<AtomicCounts>,
    stages: Arc<Mutex<StageCounts>>,
    requests: Arc<RwLock<Vec<KeyRequest>>>,
}

/// The inner ring of a dry run.
#[derive(Clone, Debug)]
pub enum PlannedInner {
    /// Real slots, entered by plaintexts of this scale.
    Real(f64),
    /// The half ring, with the key shapes for which its secret is secure.
    Half(Vec<SwitchingKeyShape>),
}

impl DryRun {
    /// Makes a dry run with all counts 0.
    #[must_use]
    pub fn new(parameters: DryRunParameters) -> Self {
        let log2 = |chain: &PlannedChain| chain.primes.iter().map(|prime| prime.log2()).collect();
        let log2_primes = parameters.chains.iter().map(log2).collect();
        let (counts, stages, requests) = Default::default();
        let none = |chain: &PlannedChain| vec![OnceLock::new(); chain.primes.len() + 1];
        let switches = [(), ()].map(|()| parameters.chains.iter().map(none).collect());
        let (slots, inner) = (Slots::Complex, None);
        Self { parameters, log2_primes, switches, slots, inner, counts, stages, requests }
    }

    /// Makes another dry run of the same parameters, with all counts 0.
    #[must_use]
    pub fn afresh(&self) -> Self {
        let (slots, inner) = (self.slots, self.inner.clone());
        Self { slots, inner, ..Self::new(self.parameters.clone()) }
    }

    /// Sets the inner ring, if there is one.
    #[must_use]
    pub fn with_inner(self, inner: Option<PlannedInner>) -> Self {
        Self { inner, ..self }
    }

    /// Returns all counts so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    /// Returns the counts so far of each part that the circuit names, in the order in which the parts first began. The
    /// counts are correct if the circuit ran on one thread.
    #[must_use]
    pub fn stages(&self) -> Vec<(&'static str, Counts)> {
        self.stages.lock().expect("no panic under lock").until(self.counts())
    }

    /// Returns the keys that the circuit needs, one per purpose and shape.
    #[must_use]
    pub fn key_requests(&self) -> Vec<KeyRequest> {
        self.requests.read().expect("no panic under lock").clone()
    }

    /// Records that a key is needed.
    pub fn request(&self, request: KeyRequest) {
        if self.requests.read().expect("no panic under lock").contains(&request) {
            return;
        }
        let mut requests = self.requests.write().expect("no panic under lock");
        if !requests.contains(&request) {
            requests.push(request);
        }
    }

    /// Adds all counts and key requests of another dry run, as if its steps had been executed here.
    pub fn repeat(&self, other: &Self) {
        other.key_requests().into_iter().for_each(|request| self.request(request));
        for (name, counts) in other.stages() {
            self.begin_stage(name);
            self.add_counts(counts);
        }
    }

    /// Slot variance of one rounding of both parts: `M·(1 + n·2N/3)/12` for n owners, over the square of the scale, if
    /// noise of M coefficients counts.
    #[must_use]
    pub fn rounding_noise(&self, scale: f64) -> SlotNoise {
        let variance = self.parameters.owners.mean_rounding_variance(self.parameters.degree);
        let variance = self.slots_of_coefficients(variance, scale);
        match self.slots {
            Slots::Complex | Slots::Half => SlotNoise::roundings(variance),
            Slots::Real => SlotNoise::products(variance),
        }
    }

    /// Slot variance of a fresh ciphertext.
    #[must_use]
    pub fn fresh_noise(&self, scale: f64) -> SlotNoise {
        SlotNoise::gaussian(self.slots_of_coefficients(ERROR_VARIANCE, scale))
    }

    /// Slot variance of independent noise of this variance in every coefficient.
    #[must_use]
    pub fn slots_of_coefficients(&self, variance: f64, scale: f64) -> f64 {
        self.parameters.noise_coefficients as f64 * variance / (scale * scale)
    }

    /// Adds to the counts, for steps of circuits that are not operations of [`Arithmetic`].
    pub fn add_counts(&self, more: Counts) {
        // Counts are in limbs of the whole ring, in halves.
        let halves = if self.slots == Slots::Half { 1 } else { 2 };
        self.counts.add(more, halves);
    }

    fn count_products(&self, limb_products: usize) {
        self.add_counts(Counts { limb_products, ..Counts::default() });
    }

    /// Counts `products` products with constants for each limb of both parts.
    fn count_combinations(&self, limbs: usize, inputs: &[&Shape], products: usize) {
        let chain = inputs.first().map_or(0, |input| input.chain);
        let combination_products = 2 * self.basis(chain, limbs).limbs() * products;
        self.add_counts(Counts { combination_products, ..Counts::default() });
    }

    /// The primes of a polynomial.
    fn basis(&self, chain: usize, limbs: usize) -> Basis {
        let shared = self.parameters.chains[chain].shared;
        Basis { chain, ..Basis::main(limbs).sharing(shared) }
    }

    /// The primes of the polynomials of a ciphertext.
    fn basis_of(&self, ct: &Shape) -> Basis {
        self.basis(ct.chain, ct.limbs)
    }

    fn divisor(&self, basis: Basis, count: usize) -> f64 {
        let primes = &self.parameters.chains[basis.chain].primes;
        primes[basis.main - count..basis.main].iter().product()
    }
}

impl Arithmetic for DryRun {
    type Ciphertext = Shape;
    type Product = Shape;
    type Matrix = TransformPlan;
    type Plain = PlainShape;

    fn map_all<T: Send, U: Send>(&self, items: Vec<T>, f: impl Fn(T) -> U + Send + Sync) -> Vec<U> {
        items.into_iter().map(f).collect()
    }

    fn limbs(&self, ct: &Shape) -> usize {
        ct.limbs
    }

    fn scale(&self, ct: &Shape) -> f64 {
        ct.scale
    }

    fn prime(&self, index: usize) -> f64 {
        self.parameters.chains[0].primes[index]
    }

    fn drop_to(&self, ct: &mut Shape, limbs: usize) {
        assert!(limbs <= ct.limbs, "{limbs} of {} limbs", ct.limbs);
        ct.limbs = limbs;
    }

    fn truncated(&self, ct: &Shape, limbs: usize) -> Shape {
        let mut copy = *ct;
        self.drop_to(&mut copy, limbs);
        copy
    }

    fn add_assign(&self, ct: &mut Shape, other: &Shape) {
        ct.power.0 += other.power.0;
        ct.noise += other.noise;
        ct.sources = ct.sources.union(other.sources);
        self.count_products(2 * self.basis_of(ct).limbs());
    }

    fn sub_assign(&self, ct: &mut Shape, other: &Shape) {
        self.add_assign(ct, other);
    }

    fn add_constant_assign(&self, ct: &mut Shape, constant: Complex64) {
        ct.power.0 += constant.norm_sqr();
    }

    fn mul_integer_assign(&self, ct: &mut Shape, factor: i64) {
        let square = (factor as f64).powi(2);
        ct.power.0 *= square;
        ct.noise = ct.noise * square;
    }

    fn mul_imaginary_unit_assign(&self, _: &mut Shape) {}

    fn divide_slots_assign(&self, ct: &mut Shape, factor: f64) {
        ct.scale *= factor;
        ct.power.0 /= factor * factor;
        ct.noise = ct.noise * (1.0 / (factor * factor));
    }

    fn declare_power(&self, ct: &mut Shape, mean_square: f64) {
        ct.power.0 = mean_square;
    }

    fn declare_cleaned(&self, ct: &mut Shape, before: &Shape, factor: f64, roundings: f64) {
        // The mean square of ε² is 3·σ⁴ for a Gaussian, which is the expected value. The bound is that of the largest
        // ε.
        let before = before.noise;
        let squared = 3.0 * (factor * before.total()).powi(2);
        let deviations = match self.slots {
            Slots::Complex | Slots::Half => CLEANED_DEVIATIONS,
            Slots::Real => CLEANED_REAL_DEVIATIONS,
        };
        let largest = before.bound + deviations * (before.total() - before.fixed).sqrt();
        let left = SlotNoise::fixed(squared, factor * largest * largest);
        ct.noise = left + self.rounding_noise(ct.scale) * roundings;
    }

    fn declare_source(&self, ct: &mut Shape, source: u32) {
        ct.sources = NoiseSources::single(source);
    }

    fn declare_dependent(&self, a: &mut Shape, b: &mut Shape) {
        a.noise += b.noise;
        b.noise = a.noise;
    }

    fn begin_stage(&self, name: &'static str) {
        self.stages.lock().expect("no panic under lock").begin(name, self.counts());
    }

    fn linear_combinations(
        &self,
        limbs: usize,
        inputs: &[&Shape],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<Shape> {
        self.count_combinations(limbs, inputs, inputs.len() * rows.len());
        rows.iter().map(|row| combination(limbs, inputs, row, scale)).collect()
    }

    fn quarter_combinations(
        &self,
        limbs: usize,
        inputs: &[&Shape],
        exponents: &[usize],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<Shape> {
        self.count_combinations(limbs, inputs, (inputs.len() + QUARTERS_OF_A_ROW) * rows.len());
        let rows = rows_of_all_quarters(exponents, rows);
        rows.iter().map(|row| combination(limbs, inputs, row, scale)).collect()
    }

    fn product_sum(&self, pairs: &[(&Shape, &Shape)]) -> Shape {
        let limbs = pairs.iter().map(|(a, b)| a.limbs.min(b.limbs)).min().expect("a pair");
        let chain = pairs[0].0.chain;
        self.count_products(4 * self.basis(chain, limbs).limbs() * pairs.len());
        Shape {
            limbs,
            chain,
            scale: pairs[0].0.scale * pairs[0].1.scale,
            power: SlotVariance(pairs.iter().map(|(a, b)| a.power.0 * b.power.0).sum()),
            noise: pairs.iter().map(|(a, b)| a.product_noise(b)).sum(),
            sources: NoiseSources::union_of(pairs.iter().map(|(a, b)| a.sources.union(b.sources))),
        }
    }

    fn plain_product_sum(&self, pairs: &[(&Shape, &PlainShape)]) -> Shape {
        let limbs = pairs.iter().map(|(ct, _)| ct.limbs).min().expect("a pair");
        let chain = pairs[0].0.chain;
        self.count_products(2 * self.basis(chain, limbs).limbs() * pairs.len());
        let noise = |(ct, plain): &(&Shape, &PlainShape)| {
            let rounding = ct.power.0 * plain.encoding_noise();
            let largest = ENCODING_DEVIATIONS * rounding.sqrt();
            ct.noise * plain.mean_square + SlotNoise::fixed(rounding, largest)
        };
        let power = |(ct, plain): &(&Shape, &PlainShape)| ct.power.0 * plain.mean_square;
        Shape {
            limbs,
            chain,
            scale: pairs[0].0.scale * pairs[0].1.scale,
            power: SlotVariance(pairs.iter().map(power).sum()),
            noise: pairs.iter().map(noise).sum(),
            sources: NoiseSources::union_of(pairs.iter().map(|(ct, _)| ct.sources)),
        }
    }

    fn product_add_assign(&self, product: &mut Shape, ct: &Shape, factor: f64) {
        assert!(ct.limbs >= product.limbs, "operand lacks limbs");
        self.count_products(2 * self.basis_of(product).limbs());
        product.power.0 += factor * factor * ct.power.0;
        product.noise += ct.noise * (factor * factor);
        product.sources = product.sources.union(ct.sources);
    }

    fn add_product_assign(&self, product: &mut Shape, other: &Shape) {
        assert!(other.limbs == product.limbs, "products of {} limbs", product.limbs);
        self.count_products(3 * self.basis_of(product).limbs());
        product.power.0 += other.power.0;
        product.noise += other.noise;
        product.sources = product.sources.union(other.sources);
    }

    fn hide(&self, product: &mut Shape, hiding: &Hiding) {
        self.add_counts(hiding.counts(self.basis_of(product).limbs()));
        let flooding = self.slots_of_coefficients(hiding.flooding.variance(), product.scale);
        product.noise += SlotNoise::gaussian(flooding);
    }

    fn relinearize(&self, product: Shape, rescale: usize) -> Shape {
        let basis = self.basis_of(&product);
        let purpose = self.slots.relinearization();
        let switching = self.switch(purpose, basis, Switching::Relinearization, product.scale);
        let scale = product.scale / self.divisor(basis, rescale);
        let noise = product.noise + self.rounding_noise(scale) + switching;
        Shape { limbs: product.limbs - rescale, scale, noise, ..product }
    }

    fn rescale(&self, ct: Shape, count: usize) -> Shape {
        let basis = self.basis_of(&ct);
        let scale = ct.scale / self.divisor(basis, count);
        let kept = ct.limbs - count;
        let stored = self.basis(ct.chain, kept).limbs();
        self.add_counts(Counts {
            transforms: 2 * division_transforms(basis, count),
            conversion_products: 2 * count * stored,
            ..Counts::default()
        });
        let noise = ct.noise + self.rounding_noise(scale);
        Shape { limbs: kept, scale, noise, ..ct }
    }

    fn switch_chain(&self, ct: Shape, chain: usize, limbs: usize) -> Shape {
        let (from, to) = (self.basis_of(&ct), self.basis(chain, limbs));
        let stored = [from, to].map(Basis::limbs);
        self.add_counts(Counts {
            transforms: 2 * (stored[0] + stored[1]),
            conversion_products: 2 * stored[0] * stored[1],
            ..Counts::default()
        });
        let primes =
            |basis: Basis| self.parameters.chains[basis.chain].primes[..basis.main].iter().copied();
        let scale = ct.scale * ratio_of_products(primes(to), primes(from));
        let noise = ct.noise + self.rounding_noise(scale);
        Shape { limbs, chain, scale, noise, ..ct }
    }

    fn rotate(&self, ct: &Shape, rotation: usize) -> Shape {
        let element = rotation_element(self.parameters.degree, rotation);
        self.automorphism(ct, element)
    }

    fn conjugate(&self, ct: &Shape) -> Shape {
        self.automorphism(ct, 2 * self.parameters.degree - 1)
    }

    fn over_inner(&self) -> Self {
        self.inner()
    }

    fn enter_inner(&self, ct: &Shape) -> Shape {
        self.entered(ct)
    }

    fn leave_inner(&self, ct: &Shape) -> Shape {
        self.left(ct)
    }

    fn transform(&self, ct: &Shape, matrix: &TransformPlan, rescale: usize) -> Shape {
        let limbs = matrix.limbs;
        assert!(ct.limbs >= limbs, "matrix for {limbs} limbs, ciphertext has {}", ct.limbs);
        self.add_counts(matrix.counts(self.parameters.degree, rescale));
        for &rotation in &matrix.rotations() {
            let element = rotation_element(self.parameters.degree, rotation);
            self.request(KeyRequest { purpose: matrix.key_purpose(element), shape: matrix.shape });
        }
        let scale = ct.scale * matrix.scale / self.divisor(matrix.shape.basis, rescale);
        let gain = matrix.row_norm * matrix.row_norm;
        // Rotations by baby steps are multiplied by the matrix; rotations by giant steps follow it.
        let key_error = self.parameters.automorphism_error();
        let switching = match matrix.raises {
            true => self.raising_noise(ct.scale, matrix.shape, key_error),
            false => self.switching_noise(ct.scale, limbs, matrix.shape, key_error),
        };
        let switching = SlotNoise::switches(switching);
        let turn = switching + self.rounding_noise(ct.scale);
        let babies = (switching + turn * matrix.mean_turns()).averaged(matrix.row_entries(), gain);
        let giants = self.rounding_noise(scale) * matrix.giants as f64;
        let encoding = ct.power.0 * matrix.encoding_noise();
        let noise = if let Some(span) = matrix.coefficient_span {
            // Outputs and their noise become coefficients. Noise that the matrix adds is read through its inverse.
            let added = babies + giants.averaged(matrix.row_entries(), 1.0);
            // By the Cauchy-Schwarz inequality, for any outputs.
            let largest = (encoding * span as f64).sqrt();
            ct.noise * gain + added + SlotNoise::fixed(encoding, largest)
        } else {
            // Phases are random, and so is the error that they cause together with the roundings of the matrix.
            ct.noise.averaged(matrix.row_entries(), gain)
                + babies
                + giants
                + SlotNoise::gaussian(encoding)
        };
        Shape {
            limbs: limbs - rescale,
            chain: ct.chain,
            scale,
            power: SlotVariance(ct.power.0 * gain),
            noise,
            sources: ct.sources,
        }
    }
}
