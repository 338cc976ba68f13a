//! Blind rotation by automorphisms (Lee, Micciancio, Kim, Choi, Deryabin, Eom, Yoo, EUROCRYPT 2023, "LMKCDEY").
//!
//! The key has one RGSW ciphertext of X^(s_i) per coefficient of the LWE secret, for any distribution of the secret;
//! automorphisms of the accumulator provide the exponents. While the accumulator is an image under X ↦ X^(1/t), t odd, a
//! product with X^(s_i) multiplies the preimage by X^(t·s_i). So t visits all exponents e_i = -a_i, in the order of
//! the *places* of an [`ExponentGroup`]: of all odd numbers (LMKCDEY), or only of numbers that are 1 modulo 2^θ (Algorithms
//! 3 to 5 of Wang et al., EUROCRYPT 2024). From one place to the next, X ↦ X^g is applied to the accumulator; between the
//! signs, if there are any, X ↦ X^(-g). With keys for `window` powers of g, places without products are passed in
//! longer steps. The last place is t = 1, where the accumulator is itself again.
//!
//! [`EvaluationKey::to_rotation_modulus`] rounds masks to exponents of the group, -a = 1 modulo 2^θ. Any other
//! exponent is an element of the group plus r < 2^θ, which needs r further products at the last place.
//!
//! If all exponents are multiples of 2^θ, they are written as e = (e + 1) - 1, and one product with RGSW(X^(-Σ s_i)) at
//! the last place accounts for all terms -1 (Sec. 4.4 and Algorithms 6 and 8 of Wang et al.). With keys for all odd numbers,
//! exponents that are 1 modulo 2^θ stay in the second half, so that no sign changes and few places are left. Algorithm 6
//! multiplies by the auxiliary key first (line 4), after which Algorithm 4 would turn it into another power of X; here the
//! auxiliary key comes last, where the accumulator is itself.
//!
//! [`EvaluationKey::to_rotation_modulus`]: crate::keys::EvaluationKey::to_rotation_modulus
//! [`ExponentGroup`]: crate::rotation::ExponentGroup

use std::sync::Arc;

use cryptable_lattice::external_product::{ExternalProduct, GadgetProduct, RgswGadget, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedKey, PreparedRows, PrimeRing};
use cryptable_ring::{Buffer, torus};

use crate::rlwe::RlweCiphertext;
use crate::rotation::exponent_group::AutomorphismWindow;
use crate::variance::{RingNumbers, Variance};

/// The keys of the automorphisms, which all rotation keys share.
#[derive(Debug)]
pub struct RotationAutomorphisms {
    window: AutomorphismWindow,
    keys: PreparedRows,
    exponents: Vec<usize>,
    /// [`ExponentGroup::places`](crate::rotation::ExponentGroup::places).
    places: Vec<u32>,
}

/// A step of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An automorphism, by its number in [`AutomorphismWindow::key_exponents`].
    Automorphism(usize),
    /// A product with RGSW(X^(s_i)); for i = n with RGSW(X^(-Σ s_i)).
    Product(usize),
}

impl RotationAutomorphisms {
    /// Collects prepared keys: gadget ciphertexts of σ(s) for [`AutomorphismWindow::key_exponents`], in their order.
    ///
    /// # Panics
    /// If the number of keys is not that of the exponents.
    #[must_use]
    pub fn new(window: AutomorphismWindow, keys: PreparedRows) -> Self {
        assert_eq!(keys.count(), window.key_count(), "automorphism keys of a rotation");
        Self { window, keys, exponents: window.key_exponents(), places: window.group.places() }
    }

    /// Returns the bytes of memory that the automorphism keys and the table of places occupy.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + 4 * self.places.len()
    }

    /// Appends the automorphisms from one place to another, around the end if necessary: `X ↦ X^(±g^d)`, where d is the
    /// distance modulo the order of g, with a minus if the signs of the two places differ.
    fn push_moves(&self, steps: &mut Vec<Step>, from: usize, to: usize) {
        let AutomorphismWindow { group, window, .. } = self.window;
        let cycle = group.generator_order();
        let mut distance = (to + self.places.len() - from) % cycle;
        if (from < cycle) != (to < cycle) {
            steps.push(Step::Automorphism(window));
            distance = (distance + cycle - 1) % cycle;
        }
        while distance > 0 {
            let part = distance.min(window);
            steps.push(Step::Automorphism(part - 1));
            distance -= part;
        }
    }

    /// Returns the places of all products for a mask, in order, each with the index of its factor.
    fn products(&self, mask: &[u64]) -> Vec<(u32, usize)> {
        let last = self.places.len() - 1;
        let two_n = 2 * self.window.group.degree() as u64;
        assert!(mask.iter().all(|&a| a < two_n), "a mask modulo {two_n}");
        let sparsity = self.window.group.sparsity_log2();
        let spacing = 1 << sparsity;
        let nonzero = mask.iter().filter(|&&a| a != 0).count();
        // If all exponents are multiples of 2^θ: one product instead of 2^θ - 1 per exponent.
        let multiples = mask.iter().all(|a| a.is_multiple_of(spacing));
        let together = multiples && spacing as usize * nonzero > mask.len() + 1;
        let mut products = Vec::with_capacity(mask.len() + 1);
        for (i, &a) in mask.iter().enumerate() {
            if a == 0 && !together {
                continue;
            }
            // One less than the element: e - 1, or e if e is written as (e + 1) - 1.
            let above = (2 * two_n - a - u64::from(!together)) % two_n;
            products.push((self.places[(above >> sparsity) as usize], i));
            let rest = if together { 0 } else { above % spacing };
            products.extend((0..rest).map(|_| (last as u32, i)));
        }
        if together {
            products.push((last as u32, mask.len()));
        }
        products.sort_unstable();
        products
    }

    /// Returns all steps of a rotation, which starts and ends at the last place.
    ///
    /// # Panics
    /// If a word is not below 2N.
    #[must_use]
    pub fn steps(&self, mask: &[u64]) -> Vec<Step> {
        let last = self.places.len() - 1;
        let mut place = last;
        let mut steps = Vec::new();
        for (next, index) in self.products(mask) {
            self.push_moves(&mut steps, place, next as usize);
            steps.push(Step::Product(index));
            place = next as usize;
        }
        self.push_moves(&mut steps, place, last);
        steps
    }
}

/// The keys of a rotation by automorphisms: RGSW ciphertexts of X^(s_i) for all i, then of X^(-Σ s_i).
#[derive(Debug)]
pub struct AutomorphismRotationKey {
    gadget: RgswGadget,
    monomials: PreparedRows,
    automorphisms: Arc<RotationAutomorphisms>,
}

impl AutomorphismRotationKey {
    /// Makes a key from prepared RGSW ciphertexts of n + 1 monomials.
    #[must_use]
    pub fn new(
        gadget: RgswGadget,
        monomials: PreparedRows,
        automorphisms: Arc<RotationAutomorphisms>,
    ) -> Self {
        Self { gadget, monomials, automorphisms }
    }

    /// Returns the bytes of memory, without the keys of the automorphisms.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.monomials.bytes()
    }

    /// Returns the automorphisms and the places of the rotation.
    #[must_use]
    pub fn automorphisms(&self) -> &RotationAutomorphisms {
        &self.automorphisms
    }

    fn key(&self, step: Step) -> PreparedKey<'_> {
        match step {
            Step::Automorphism(number) => self.automorphisms.keys.key(number),
            Step::Product(index) => self.monomials.key(index),
        }
    }

    /// Computes `accumulator *= X^(-⟨mask, s⟩)`.
    ///
    /// For an accumulator without mask (a test polynomial), the automorphisms before the first product need no keys and add
    /// no noise.
    ///
    /// # Panics
    /// If the mask's length is not the dimension, or a word of it is not below 2N.
    pub fn rotate_assign(&self, ring: &PrimeRing, accumulator: &mut RlweCiphertext, mask: &[u64]) {
        assert_eq!(self.monomials.count(), mask.len() + 1, "LWE dimension");
        let steps = self.automorphisms.steps(mask);
        let mut state = RotationState::new(
            ring,
            self.gadget.rows().max(self.automorphisms.window.gadget.length()),
        );
        let m = ring.modulus();
        torus::from_residues(m, &mut state.fractions, accumulator.words());
        let plain = accumulator.mask().iter().all(|&word| word == 0);
        let leading = if plain { leading_automorphisms(&steps) } else { 0 };
        let exponents = &self.automorphisms.exponents;
        if leading > 0 {
            let exponent = steps[..leading].iter().fold(1, |product, &step| match step {
                Step::Automorphism(number) => product * exponents[number] % (2 * ring.degree()),
                Step::Product(_) => product,
            });
            let (body, _) = state.fractions.split_at_mut(ring.degree());
            torus::automorphism(&mut state.image, body, exponent);
            body.copy_from_slice(&state.image);
        }
        let steps = &steps[leading..];
        for (index, &step) in steps.iter().enumerate() {
            let key = self.key(step);
            let key = steps.get(index + 1).map_or(key, |&next| key.before(self.key(next)));
            match step {
                Step::Automorphism(number) => {
                    let product = GadgetProduct { ring, gadget: self.automorphisms.window.gadget };
                    state.automorphism(product, exponents[number], key);
                }
                Step::Product(_) => {
                    let product = ExternalProduct { ring, gadget: self.gadget };
                    product.assign(&mut state.fractions, key, &mut state.scratch);
                }
            }
        }
        torus::to_residues(m, accumulator.words_mut(), &state.fractions);
    }
}

/// Returns the number of automorphisms before the first product.
fn leading_automorphisms(steps: &[Step]) -> usize {
    steps.iter().take_while(|step| matches!(step, Step::Automorphism(_))).count()
}

/// The accumulator, as fractions, and scratch memory for its next value.
struct RotationState {
    fractions: Buffer,
    next: Buffer,
    image: Buffer,
    scratch: Scratch,
}

impl RotationState {
    fn new(ring: &PrimeRing, rows: usize) -> Self {
        let n = ring.degree();
        Self {
            fractions: Buffer::unspecified(2 * n),
            next: Buffer::zeroed(2 * n),
            image: Buffer::zeroed(n),
            scratch: Scratch::new(ring, rows),
        }
    }

    /// Applies X ↦ X^exponent and switches back to the secret.
    fn automorphism(&mut self, product: GadgetProduct<'_>, exponent: usize, key: PreparedKey<'_>) {
        let n = self.image.len();
        let (body, mask) = self.fractions.split_at(n);
        let (next_body, next_mask) = self.next.split_at_mut(n);
        torus::automorphism(next_body, body, exponent);
        next_mask.fill(0);
        torus::automorphism(&mut self.image, mask, exponent);
        product.add(&mut self.next, &self.image, key, &mut self.scratch);
        std::mem::swap(&mut self.fractions, &mut self.next);
    }
}

/// Counts the automorphisms for rotating a test polynomial by a mask, without the free ones before the first product.
#[must_use]
pub fn automorphism_count(steps: &[Step]) -> usize {
    let automorphism = |step: &&Step| matches!(step, Step::Automorphism(_));
    steps[leading_automorphisms(steps)..].iter().filter(automorphism).count()
}

/// Returns σ_acc² of a rotation of a test polynomial by automorphisms, from the number of external products and the
/// mean number of automorphisms ([`RotationMethod::automorphisms`](crate::parameters::RotationMethod::automorphisms)).
///
/// An external product has the noise of 2ℓ digit products and of rounding the accumulator, `rounding·(1 + N·E[s²])`; an
/// automorphism has that of a gadget product. All other steps permute coefficients and their signs. An accumulator with a
/// mask also needs keys for the automorphisms before the first product, 1/n more of them.
pub(crate) fn noise(
    ring: &RingNumbers,
    gadget: RgswGadget,
    products: usize,
    automorphism_gadget: Gadget,
    automorphisms: f64,
) -> Variance {
    let product = ring.rgsw_digits(gadget) + ring.rgsw_rounding(gadget);
    ring.units(products as f64 * product)
        + ring.gadget_product(automorphism_gadget, ring.secret_norm()) * automorphisms
}
