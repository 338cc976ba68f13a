//! The CKKS evaluator on a card: [`Arithmetic`] with the words of [`cryptable_ckks::Evaluator`].

use cryptable_ckks::arithmetic::ratio_of_products;
use cryptable_ckks::bootstrapping::modulus_switch::CoefficientShape;
use cryptable_ckks::{
    Arithmetic, Bootstrapping, Ciphertext, Evaluator, LinearTransform, Plaintext, Transfers, stages,
};
use cryptable_lattice::coefficient_ciphertext::{CoefficientCiphertext, UniformPart};
use cryptable_lattice::{KeyPurpose, Result};
use cryptable_ring::{Basis, Evaluations};
use num_complex::Complex64;

use crate::ciphertext::{DeviceCiphertext, DevicePlaintext, DeviceProduct};
use crate::combination::linear_combinations;
use crate::combined_tensor::combined_tensor;
use crate::key_switching::switch_and_divide;
use crate::linear_transform::DeviceTransform;
use crate::poly::DevicePoly;
use crate::ring::DeviceRing;
use crate::rounded_division::divide_round;
use crate::switching_key::{DeviceKey, DeviceKeys};
use crate::tensor::{DeviceParts, plain_products, tensor};

/// Evaluates on a card, with a ring and keys that are there. Holds no secret; `Sync`.
#[derive(Clone, Copy, Debug)]
pub struct DeviceEvaluator<'a> {
    ring: &'a DeviceRing<'a>,
    keys: &'a DeviceKeys<'a>,
}

impl<'a> DeviceEvaluator<'a> {
    /// An evaluator over `ring` with the given keys.
    #[must_use]
    pub fn new(ring: &'a DeviceRing<'a>, keys: &'a DeviceKeys<'a>) -> Self {
        Self { ring, keys }
    }

    /// The ring that it evaluates in.
    #[must_use]
    pub fn ring(&self) -> &'a DeviceRing<'a> {
        self.ring
    }

    /// The cheapest key for a purpose at a level.
    ///
    /// # Panics
    /// If there is none: a key set is generated from the plan of the circuit that uses it.
    pub(crate) fn key(&self, purpose: KeyPurpose, basis: Basis) -> &'a DeviceKey {
        let found = self.keys.on_processor().find(purpose, basis);
        self.keys.of(found.unwrap_or_else(|| panic!("no key for {purpose:?} at {basis:?}")))
    }

    /// Switches `(c0, c1)` with a Galois key and applies the automorphism.
    fn automorphism(&self, ct: &DeviceCiphertext, element: usize) -> DeviceCiphertext {
        let key = self.key(KeyPurpose::Galois(element as u32), ct.c0.basis());
        let switched = switch_and_divide(self.ring, &ct.c1, key, [Some(&ct.c0), None], 0);
        let [c0, c1] = switched.map(|poly| poly.automorphism(self.ring, element));
        DeviceCiphertext { c0, c1, scale: ct.scale }
    }
}

/// The scales of ciphertexts.
fn scales(cts: &[&DeviceCiphertext]) -> Vec<f64> {
    cts.iter().map(|ct| ct.scale).collect()
}

/// Both parts of every ciphertext.
pub(crate) fn parts<'c>(cts: &[&'c DeviceCiphertext]) -> Vec<DeviceParts<'c>> {
    cts.iter().map(|ct| ct.parts()).collect()
}

impl Arithmetic for DeviceEvaluator<'_> {
    type Ciphertext = DeviceCiphertext;
    type Product = DeviceProduct;
    type Matrix = DeviceTransform;
    type Plain = DevicePlaintext;

    /// In turn: a card takes operations one after the other.
    fn map_all<T: Send, U: Send>(&self, items: Vec<T>, f: impl Fn(T) -> U + Send + Sync) -> Vec<U> {
        items.into_iter().map(f).collect()
    }

    fn limbs(&self, ct: &DeviceCiphertext) -> usize {
        ct.limbs()
    }

    fn scale(&self, ct: &DeviceCiphertext) -> f64 {
        ct.scale
    }

    fn prime(&self, index: usize) -> f64 {
        self.ring.ring().main_prime(index) as f64
    }

    fn drop_to(&self, ct: &mut DeviceCiphertext, limbs: usize) {
        ct.c0.drop_to(self.ring, limbs);
        ct.c1.drop_to(self.ring, limbs);
    }

    fn truncated(&self, ct: &DeviceCiphertext, limbs: usize) -> DeviceCiphertext {
        let [c0, c1] = ct.parts().map(|poly| poly.truncated(self.ring, limbs));
        DeviceCiphertext { c0, c1, scale: ct.scale }
    }

    fn add_assign(&self, ct: &mut DeviceCiphertext, other: &DeviceCiphertext) {
        Evaluator::check_scales(ct.scale, other.scale);
        ct.c0.add_multiple_assign(self.ring, &other.c0, 1);
        ct.c1.add_multiple_assign(self.ring, &other.c1, 1);
    }

    fn sub_assign(&self, ct: &mut DeviceCiphertext, other: &DeviceCiphertext) {
        Evaluator::check_scales(ct.scale, other.scale);
        ct.c0.add_multiple_assign(self.ring, &other.c0, -1);
        ct.c1.add_multiple_assign(self.ring, &other.c1, -1);
    }

    fn add_constant_assign(&self, ct: &mut DeviceCiphertext, constant: Complex64) {
        ct.c0.add_constant_assign(self.ring, Evaluator::integer(constant, ct.scale));
    }

    fn mul_integer_assign(&self, ct: &mut DeviceCiphertext, factor: i64) {
        ct.c0.mul_integer_assign(self.ring, i128::from(factor));
        ct.c1.mul_integer_assign(self.ring, i128::from(factor));
    }

    fn mul_imaginary_unit_assign(&self, ct: &mut DeviceCiphertext) {
        ct.c0.mul_imaginary_unit_assign(self.ring);
        ct.c1.mul_imaginary_unit_assign(self.ring);
    }

    fn divide_slots_assign(&self, ct: &mut DeviceCiphertext, factor: f64) {
        ct.scale *= factor;
    }

    fn begin_stage(&self, name: &'static str) {
        stages::begin(name);
    }

    fn linear_combinations(
        &self,
        limbs: usize,
        inputs: &[&DeviceCiphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> Vec<DeviceCiphertext> {
        let rows = Evaluator::integers(rows, &scales(inputs), scale);
        let combine = |part: usize| {
            let inputs: Vec<_> = inputs.iter().map(|ct| ct.parts()[part]).collect();
            linear_combinations(self.ring, limbs, &inputs, &rows)
        };
        let pairs = combine(0).into_iter().zip(combine(1));
        pairs.map(|(c0, c1)| DeviceCiphertext { c0, c1, scale }).collect()
    }

    fn product_sum(&self, pairs: &[(&DeviceCiphertext, &DeviceCiphertext)]) -> DeviceProduct {
        let limbs = pairs.iter().map(|(a, b)| a.limbs().min(b.limbs())).min().expect("a pair");
        let scale = pairs[0].0.scale * pairs[0].1.scale;
        pairs.iter().for_each(|(a, b)| Evaluator::check_scales(scale, a.scale * b.scale));
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.parts(), b.parts())).collect();
        DeviceProduct { tensor: tensor(self.ring, limbs, &pairs), scale }
    }

    fn combined_product_sum(
        &self,
        left: &[&DeviceCiphertext],
        right: &[&DeviceCiphertext],
        rows: &[Vec<Complex64>],
        scale: f64,
    ) -> DeviceProduct {
        let limbs = left.iter().chain(right).map(|ct| ct.limbs()).min().expect("an operand");
        left.iter().for_each(|ct| Evaluator::check_scales(ct.scale, left[0].scale));
        let rows = Evaluator::integers(rows, &scales(right), scale);
        let tensor = combined_tensor(self.ring, limbs, &parts(left), &parts(right), &rows);
        DeviceProduct { tensor, scale: left[0].scale * scale }
    }

    fn plain_product_sum(
        &self,
        pairs: &[(&DeviceCiphertext, &DevicePlaintext)],
    ) -> DeviceCiphertext {
        let limbs = pairs.iter().map(|(ct, _)| ct.limbs()).min().expect("a pair");
        let scale = pairs[0].0.scale * pairs[0].1.scale;
        pairs.iter().for_each(|(ct, plain)| Evaluator::check_scales(scale, ct.scale * plain.scale));
        let pairs: Vec<_> = pairs.iter().map(|(ct, plain)| (ct.parts(), &plain.poly)).collect();
        let (c0, c1) = plain_products(self.ring, limbs, &pairs);
        DeviceCiphertext { c0, c1, scale }
    }

    fn product_add_assign(&self, product: &mut DeviceProduct, ct: &DeviceCiphertext, factor: f64) {
        let multiple = (factor * (product.scale / ct.scale)).round() as i128;
        product.tensor.d0.add_multiple_assign(self.ring, &ct.c0, multiple);
        product.tensor.d1.add_multiple_assign(self.ring, &ct.c1, multiple);
    }

    fn add_product_assign(&self, product: &mut DeviceProduct, other: &DeviceProduct) {
        Evaluator::check_scales(product.scale, other.scale);
        let (tensor, other) = (&mut product.tensor, &other.tensor);
        tensor.d0.add_multiple_assign(self.ring, &other.d0, 1);
        tensor.d1.add_multiple_assign(self.ring, &other.d1, 1);
        tensor.d2.add_multiple_assign(self.ring, &other.d2, 1);
    }

    fn relinearize(&self, product: DeviceProduct, rescale: usize) -> DeviceCiphertext {
        let tensor = product.tensor;
        let basis = tensor.d2.basis();
        let key = self.key(KeyPurpose::Relinearization, basis);
        let add = [Some(&tensor.d0), Some(&tensor.d1)];
        let [c0, c1] = switch_and_divide(self.ring, &tensor.d2, key, add, rescale);
        DeviceCiphertext {
            c0,
            c1,
            scale: product.scale / Evaluator::divisor(self.ring.ring(), basis, rescale),
        }
    }

    fn rescale(&self, ct: DeviceCiphertext, count: usize) -> DeviceCiphertext {
        let divisor = Evaluator::divisor(self.ring.ring(), ct.c0.basis(), count);
        let [c0, c1] = divide_round(self.ring, [ct.c0, ct.c1], count);
        DeviceCiphertext { c0, c1, scale: ct.scale / divisor }
    }

    fn switch_chain(&self, ct: DeviceCiphertext, chain: usize, limbs: usize) -> DeviceCiphertext {
        let [c0, c1] = ct.parts().map(|poly| poly.switch_chain(self.ring, chain, limbs));
        let ring = self.ring.ring();
        let primes =
            |basis: Basis| (0..basis.main).map(move |i| ring.chain_prime(basis.chain, i) as f64);
        let ratio = ratio_of_products(primes(c0.basis()), primes(ct.c0.basis()));
        DeviceCiphertext { c0, c1, scale: ct.scale * ratio }
    }

    fn rotate(&self, ct: &DeviceCiphertext, rotation: usize) -> DeviceCiphertext {
        self.automorphism(ct, self.ring.ring().rotation_element(rotation))
    }

    fn conjugate(&self, ct: &DeviceCiphertext) -> DeviceCiphertext {
        self.automorphism(ct, self.ring.ring().conjugation_element())
    }

    fn transform(
        &self,
        ct: &DeviceCiphertext,
        matrix: &DeviceTransform,
        rescale: usize,
    ) -> DeviceCiphertext {
        let limbs = matrix.plan().limbs;
        let divisor = Evaluator::divisor(self.ring.ring(), matrix.plan().shape.basis, rescale);
        let [c0, c1] = if ct.limbs() == limbs {
            matrix.apply(self.ring, self.keys, ct.parts(), rescale)
        } else {
            let ct = self.truncated(ct, limbs);
            matrix.apply(self.ring, self.keys, ct.parts(), rescale)
        };
        DeviceCiphertext { c0, c1, scale: ct.scale * matrix.plan().scale / divisor }
    }
}

impl Bootstrapping for DeviceEvaluator<'_> {
    fn mod_raise(&self, input: &CoefficientCiphertext, limbs: usize) -> DeviceCiphertext {
        let [c0, c1] = self.switch_to_bottom(input);
        self.raise_pair([&c0, &c1], self.ring.ring().main_basis(limbs))
    }

    fn raise(&self, bottom: &DeviceCiphertext, raised: Basis) -> DeviceCiphertext {
        self.raise_pair(bottom.parts(), raised)
    }

    fn switch_to_power_of_two(
        &self,
        ct: DeviceCiphertext,
        shape: CoefficientShape,
    ) -> Result<CoefficientCiphertext> {
        let CoefficientShape { log2_modulus, plaintext_modulus, layout } = shape;
        let switch = |poly: DevicePoly<Evaluations>| {
            assert_eq!(poly.basis(), self.ring.ring().main_basis(1), "limbs after SlotsToCoeffs");
            poly.into_coefficients(self.ring).into_power_of_two(self.ring, log2_modulus)
        };
        let (b, a) = (switch(ct.c0)?, switch(ct.c1)?);
        Ok(CoefficientCiphertext {
            log2_modulus,
            plaintext_modulus,
            layout,
            b,
            a: UniformPart::Words(a),
        })
    }
}

impl Transfers for DeviceEvaluator<'_> {
    fn load(&self, ct: Ciphertext) -> DeviceCiphertext {
        DeviceCiphertext::upload(self.ring, &ct)
    }

    fn load_plain(&self, plain: Plaintext) -> DevicePlaintext {
        DevicePlaintext::upload(self.ring, &plain)
    }

    fn load_matrix(&self, matrix: LinearTransform) -> DeviceTransform {
        DeviceTransform::upload(self.ring, &matrix)
    }

    fn fetch(&self, ct: DeviceCiphertext) -> Result<Ciphertext> {
        ct.download(self.ring)
    }
}
