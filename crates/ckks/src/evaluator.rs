//! The CKKS evaluator: [`Arithmetic`] on real ciphertexts.

use cryptable_lattice::divided_key_switch::{switch_and_divide, switch_and_rescale};
use cryptable_lattice::evaluation_keys::Coordinate;
use cryptable_lattice::{EvaluationKeys, KeyPurpose, RlweCiphertext, SwitchingKey};
use cryptable_ring::combination::{self, GaussianInteger};
use cryptable_ring::combined_tensor::combined_tensor;
use cryptable_ring::quarter_combinations::quarter_combinations;
use cryptable_ring::{Basis, Evaluations, Poly, Ring};
use num_complex::Complex64;

use crate::arithmetic::{Arithmetic, ratio_of_products};
use crate::ciphertext::{Ciphertext, Product};
use crate::hiding::{self, Hiding};
use crate::inner_ring::{self, InnerRing, Slots};
use crate::linear_transform::LinearTransform;
use crate::plaintext::Plaintext;
use crate::stages;

/// Relative difference of scales up to which two ciphertexts can be added: far above rounding errors of `f64`, far
/// below any noise.
const SCALE_TOLERANCE: f64 = 1e-9;

/// Evaluates on ciphertexts with a ring and a set of keys. Holds no secret; `Sync`.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'a> {
    ring: &'a Ring,
    keys: &'a EvaluationKeys,
    /// The inner ring, if there is one.
    inner: Option<InnerRing<'a>>,
    slots: Slots,
}

impl<'a> Evaluator<'a> {
    /// Makes an evaluator over `ring` with the given keys.
    #[must_use]
    pub fn new(ring: &'a Ring, keys: &'a EvaluationKeys) -> Self {
        Self { ring, keys, inner: None, slots: Slots::Complex }
    }

    /// Sets the inner ring, if there is one.
    #[must_use]
    pub fn with_inner(self, inner: Option<InnerRing<'a>>) -> Self {
        Self { inner, ..self }
    }

    /// The keys of one way, to real slots or back.
    fn crossing_keys(
        &self,
        purpose: fn(Coordinate) -> KeyPurpose,
        ct: &Ciphertext,
    ) -> [&'a SwitchingKey; 2] {
        Coordinate::BOTH.map(|coordinate| self.key(purpose(coordinate), ct.parts.c0.basis()))
    }

    fn inner_ring(&self) -> InnerRing<'a> {
        self.inner.expect("an inner ring")
    }

    /// Returns the evaluator's ring.
    #[must_use]
    pub fn ring(&self) -> &'a Ring {
        self.ring
    }

    /// Returns the cheapest key for a purpose at a level.
    ///
    /// # Panics
    /// If there is none: key sets are generated from the plans of the circuits that use them.
    #[must_use]
    pub fn key(&self, purpose: KeyPurpose, basis: Basis) -> &'a SwitchingKey {
        self.keys
            .find(purpose, basis)
            .unwrap_or_else(|| panic!("no key for {purpose:?} at {basis:?}"))
    }

    /// The product of the top `count` primes of a basis, by which a rescale divides scales.
    ///
    /// # Panics
    /// If the basis has fewer primes.
    fn divisor(ring: &Ring, basis: Basis, count: usize) -> f64 {
        let prime = |i| ring.chain_prime(basis.chain, i) as f64;
        (basis.main - count..basis.main).map(prime).product()
    }

    /// `round(constant·scale)` as an integer of `Z[i]`.
    fn integer(constant: Complex64, scale: f64) -> GaussianInteger {
        GaussianInteger::rounded(constant.re * scale, constant.im * scale)
    }

    /// Constants of linear combinations as integers at the ratio of `scale` to the inputs' scales.
    fn integers(rows: &[Vec<Complex64>], scales: &[f64], scale: f64) -> Vec<Vec<GaussianInteger>> {
        let row = |row: &Vec<Complex64>| {
            let scaled = row.iter().zip(scales);
            scaled.map(|(&factor, &of_input)| Self::integer(factor, scale / of_input)).collect()
        };
        rows.iter().map(row).collect()
    }

    /// Checks that operands of a sum have the same scale.
    ///
    /// # Panics
    /// If two scales differ by more than floating-point rounding explains: the circuit is wrong.
    pub fn check_scales(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < SCALE_TOLERANCE, "scales 2^{} and 2^{}", a.log2(), b.log2());
    }

    /// Switches `(c0, c1)` with a Galois key and applies the automorphism.
    fn automorphism(&self, ct: &Ciphertext, element: usize) -> Ciphertext {
        let key = self.key(self.slots.automorphism(element), ct.parts.c0.basis());
        let parts = &ct.parts;
        let switched = switch_and_rescale(self.ring, &parts.c0, &parts.c1, key, 0);
        let parts = switched.map(|part| part.automorphism(self.ring, element));
        Ciphertext { parts, scale: ct.scale }
    }
}

/// The scales of ciphertexts.
fn scales(cts: &[&Ciphertext]) -> Vec<f64> {
    cts.iter().map(|ct| ct.scale).collect()
}

/// A polynomial modulo the first `limbs` primes.
fn truncated(poly: &Poly<Evaluations>, ring: &Ring, limbs: usize) -> Poly<Evaluations> {
    let basis = poly.basis().lowered(limbs);
    let mut copy = Poly::unspecified(ring, basis);
    for (limb, words) in copy.words_mut().chunks_mut(ring.degree()).enumerate() {
        words.copy_from_slice(&poly.limb_of(ring, limbs, limb));
    }
    copy
}

/// Combinations at `scale`; `combine` computes each part from the parts of the inputs and integer rows.
fn combine_parts(
    inputs: &[&Ciphertext],
    rows: &[Vec<Complex64>],
    scale: f64,
    combine: impl Fn(&[&Poly<Evaluations>], &[Vec<GaussianInteger>]) -> Vec<Poly<Evaluations>>,
) -> Vec<Ciphertext> {
    let rows = Evaluator::integers(rows, &scales(inputs), scale);
    let combine = |part: fn(&Ciphertext) -> &Poly<Evaluations>| {
        let parts: Vec<_> = inputs.iter().map(|ct| part(ct)).collect();
        combine(&parts, &rows)
    };
    let pairs = combine(|ct| &ct.parts.c0).into_iter().zip(combine(|ct| &ct.parts.c1));
    pairs.map(|(c0, c1)| Ciphertext { parts: RlweCiphertext { c0, c1 }, scale }).collect()
}

impl Arithmetic for Evaluator<'_> {
    type Ciphertext = Ciphertext;
    type Product = Product;
    type Matrix = LinearTransform;
    type Plain = Plaintext;

    fn limbs(&self, ct: &Ciphertext) -> usize {
        ct.limbs()
    }

    fn scale(&self, ct: &Ciphertext) -> f64 {
        ct.scale
    }

    fn prime(&self, index: usize) -> f64 {
        self.ring.main_prime(index) as f64
    }

    fn drop_to(&self, ct: &mut Ciphertext, limbs: usize) {
        ct.drop_to(self.ring, limbs);
    }

    fn truncated(&self, ct: &Ciphertext, limbs: usize) -> Ciphertext {
        let parts = ct.parts.map(|part| truncated(part, self.ring, limbs));
        Ciphertext { parts, scale: ct.scale }
    }

    fn add_assign(&self, ct: &mut Ciphertext, other: &Ciphertext) {
        Self::check_scales(ct.scale, other.scale);
        ct.parts.c0.add_multiple_assign(self.ring, &other.parts.c0, 1);
        ct.parts.c1.add_multiple_assign(self.ring, &other.parts.c1, 1);
    }

    fn sub_assign(&self, ct: &mut Ciphertext, other: &Ciphertext) {
        Self::check_scales(ct.scale, other.scale);
        ct.parts.c0.add_multiple_assign(self.ring, &other.parts.c0, -1);
        ct.parts.c1.add_multiple_assign(self.ring, &other.parts.c1, -1);
    }

    fn add_constant_assign(&self, ct: &mut Ciphertext, constant: Complex64) {
        ct.parts.c0.add_constant_assign(self.ring, Self::integer(constant, ct.scale));
    }

    fn mul_integer_assign(&self, ct: &mut Ciphertext, factor: i64) {
        ct.parts.c0.mul_integer_assign(self.ring, i128::from(factor));
        ct.parts.c1.mul_integer_assign(self.ring, i128::from(factor));
    }

    fn mul_imaginary_unit_assign(&self, ct: &mut Ciphertext) {
        ct.parts.c0.mul_imaginary_unit_assign(self.ring);
        ct.parts.c1.mul_imaginary_unit_assign(self.ring);
    }

    fn divide_slots_assign(&self, ct: &mut Ciphertext, factor: f64) {
        ct.scale *= factor;
    }

    fn begin_stage(&self, name: &'static str) {
        stages::begin(name);
    }

    fn linear_combinations(
        &self,
        limbs: usize,
        inputs: &[&Ciphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<Ciphertext> {
        combine_parts(inputs, rows, scale, |parts, rows| {
            combination::linear_combinations(self.ring, limbs, parts, rows)
        })
    }

    fn quarter_combinations(
        &self,
        limbs: usize,
        inputs: &[&Ciphertext],
        exponents: &[usize],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<Ciphertext> {
        combine_parts(inputs, rows, scale, |parts, rows| {
            quarter_combinations(self.ring, limbs, parts, exponents, rows)
        })
    }

    fn product_sum(&self, pairs: &[(&Ciphertext, &Ciphertext)]) -> Product {
        let limbs = pairs.iter().map(|(a, b)| a.limbs().min(b.limbs())).min().expect("a pair");
        let scale = pairs[0].0.scale * pairs[0].1.scale;
        pairs.iter().for_each(|(a, b)| Self::check_scales(scale, a.scale * b.scale));
        let pairs: Vec<_> = pairs
            .iter()
            .map(|(a, b)| ((&a.parts.c0, &a.parts.c1), (&b.parts.c0, &b.parts.c1)))
            .collect();
        Product { tensor: combination::tensor(self.ring, limbs, &pairs), scale }
    }

    fn combined_product_sum(
        &self,
        left: &[&Ciphertext],
        right: &[&Ciphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Product {
        let limbs = left.iter().chain(right).map(|ct| ct.limbs()).min().expect("an operand");
        left.iter().for_each(|ct| Self::check_scales(ct.scale, left[0].scale));
        let rows = Self::integers(rows, &scales(right), scale);
        let left_parts: Vec<_> = left.iter().map(|ct| (&ct.parts.c0, &ct.parts.c1)).collect();
        let right: Vec<_> = right.iter().map(|ct| (&ct.parts.c0, &ct.parts.c1)).collect();
        let tensor = combined_tensor(self.ring, limbs, &left_parts, &right, &rows);
        Product { tensor, scale: left[0].scale * scale }
    }

    fn plain_product_sum(&self, pairs: &[(&Ciphertext, &Plaintext)]) -> Ciphertext {
        let limbs = pairs.iter().map(|(ct, _)| ct.limbs()).min().expect("a pair");
        let scale = pairs[0].0.scale * pairs[0].1.scale;
        pairs.iter().for_each(|(ct, plain)| Self::check_scales(scale, ct.scale * plain.scale));
        let pairs: Vec<_> =
            pairs.iter().map(|(ct, p)| ((&ct.parts.c0, &ct.parts.c1), &p.poly)).collect();
        let (c0, c1) = combination::plain_products(self.ring, limbs, &pairs);
        Ciphertext { parts: RlweCiphertext { c0, c1 }, scale }
    }

    fn product_add_assign(&self, product: &mut Product, ct: &Ciphertext, factor: f64) {
        let multiple = (factor * (product.scale / ct.scale)).round() as i128;
        product.tensor.d0.add_multiple_assign(self.ring, &ct.parts.c0, multiple);
        product.tensor.d1.add_multiple_assign(self.ring, &ct.parts.c1, multiple);
    }

    fn add_product_assign(&self, product: &mut Product, other: &Product) {
        Self::check_scales(product.scale, other.scale);
        let (tensor, other) = (&mut product.tensor, &other.tensor);
        tensor.d0.add_multiple_assign(self.ring, &other.d0, 1);
        tensor.d1.add_multiple_assign(self.ring, &other.d1, 1);
        tensor.d2.add_multiple_assign(self.ring, &other.d2, 1);
    }

    fn hide(&self, product: &mut Product, hiding: &Hiding) {
        let key = self.key(KeyPurpose::Relinearization, Basis::main(hiding.key_limbs));
        hiding::hide(self.ring, key, product, &hiding.flooding);
    }

    fn relinearize(&self, product: Product, rescale: usize) -> Ciphertext {
        let ring = self.ring;
        let tensor = product.tensor;
        let basis = tensor.d2.basis();
        let key = self.key(self.slots.relinearization(), basis);
        let add = [Some(&tensor.d0), Some(&tensor.d1)];
        let parts = switch_and_divide(ring, &tensor.d2, key, add, rescale);
        Ciphertext { parts, scale: product.scale / Self::divisor(self.ring, basis, rescale) }
    }

    fn rescale(&self, ct: Ciphertext, count: usize) -> Ciphertext {
        let divisor = Self::divisor(self.ring, ct.parts.c0.basis(), count);
        Ciphertext { parts: ct.parts.divide_round(self.ring, count), scale: ct.scale / divisor }
    }

    fn switch_chain(&self, ct: Ciphertext, chain: usize, limbs: usize) -> Ciphertext {
        let parts = ct.parts.map(|part| part.switch_chain(self.ring, chain, limbs));
        let primes = |basis: Basis| {
            (0..basis.main).map(move |i| self.ring.chain_prime(basis.chain, i) as f64)
        };
        let ratio = ratio_of_products(primes(parts.c0.basis()), primes(ct.parts.c0.basis()));
        Ciphertext { parts, scale: ct.scale * ratio }
    }

    fn rotate(&self, ct: &Ciphertext, rotation: usize) -> Ciphertext {
        self.automorphism(ct, self.ring.rotation_element(rotation))
    }

    fn conjugate(&self, ct: &Ciphertext) -> Ciphertext {
        self.automorphism(ct, self.ring.conjugation_element())
    }

    fn over_inner(&self) -> Self {
        let inner = self.inner_ring();
        Self { ring: inner.within(self.ring), slots: inner.slots(), ..*self }
    }

    fn enter_inner(&self, ct: &Ciphertext) -> Ciphertext {
        match self.inner_ring() {
            InnerRing::Real(real) => real.enter(ct, self.crossing_keys(KeyPurpose::ToReal, ct)),
            InnerRing::Half => {
                let key = self.key(KeyPurpose::ToHalf, ct.parts.c0.basis());
                inner_ring::enter_half(self.ring, ct, key)
            }
        }
    }

    fn leave_inner(&self, ct: &Ciphertext) -> Ciphertext {
        match self.inner_ring() {
            InnerRing::Real(real) => {
                real.leave(self.ring, ct, self.crossing_keys(KeyPurpose::FromReal, ct))
            }
            InnerRing::Half => {
                let key = self.key(KeyPurpose::FromHalf, ct.parts.c0.basis());
                inner_ring::leave_half(self.ring, ct, key)
            }
        }
    }

    fn transform(&self, ct: &Ciphertext, matrix: &LinearTransform, rescale: usize) -> Ciphertext {
        let limbs = matrix.plan().limbs;
        let divisor = Self::divisor(self.ring, matrix.plan().shape.basis, rescale);
        let parts = if ct.limbs() == limbs {
            matrix.apply(self.ring, self.keys, &ct.parts, rescale)
        } else {
            matrix.apply(self.ring, self.keys, &self.truncated(ct, limbs).parts, rescale)
        };
        Ciphertext { parts, scale: ct.scale * matrix.plan().scale / divisor }
    }
}
