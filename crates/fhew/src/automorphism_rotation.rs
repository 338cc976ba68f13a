//! Blind rotation by automorphisms (Lee, Micciancio, Kim, Choi, Deryabin, Eom, Yoo, EUROCRYPT 2023, "LMKCDEY").
//!
//! One RGSW ciphertext of X^(s_i) a coefficient of the LWE secret, whatever its distribution: the accumulator's
//! automorphisms bring the exponents. Odd numbers modulo 2N are ±g^k, g = 5. While the accumulator is its image
//! under X ↦ X^(1/t), t odd, a product with X^(s_i) multiplies what it is the image of by X^(t·s_i). So t visits
//! all exponents e_i = -a_i, in the order
//!
//! `-g^(N/2-1), …, -g, -1, g^(N/2-1), …, g, 1`,
//!
//! N *places*. From one place to the next the accumulator takes X ↦ X^g, between the signs X ↦ X^(-g). With keys for
//! `window` powers of g, places without products are passed in longer steps. The last place is t = 1, where the
//! accumulator is itself again.
//!
//! Even exponents are e = (e - 1) + 1: a further product at the last place; [`EvaluationKey::to_rotation_modulus`]
//! rounds to odd ones.
//!
//! If all are even they are e = (e + 1) - 1 instead, and one product with RGSW(X^(-Σ s_i)) at the last place serves
//! all (Wang et al., EUROCRYPT 2024, Sec. 4.4 and Algorithm 6). Multiples of 2^θ, θ >= 2 (sparse rounding), get
//! exponents of 1 modulo 2^θ: powers of g^(2^(θ-2)), a group of only 2N/2^θ places, all in the second half, so that no
//! sign ever changes (Sec. 4.1, Algorithms 3 and 4: their g generates that group, and is 2^θ + 1). Algorithm 6
//! multiplies by the auxiliary key first (line 4), after which Algorithm 4 would take it to another power of X; here
//! it comes last, where the accumulator is itself.
//!
//! [`EvaluationKey::to_rotation_modulus`]: crate::evaluation_key::EvaluationKey::to_rotation_modulus

use std::sync::Arc;

use cryptable_ring::external_product::{ExternalProduct, GadgetProduct, RgswGadget, Scratch};
use cryptable_ring::gadget::Gadget;
use cryptable_ring::prime_ring::{PreparedKey, PreparedRows, PrimeRing};
use cryptable_ring::{Buffer, torus};

use crate::automorphism_counts::expected_sparse_automorphisms;
use crate::noise::{NoiseModel, Variance, second_moment};
use crate::rlwe::RlweCiphertext;

/// g: with -1 it generates all odd numbers modulo a power of two.
pub const GENERATOR: usize = 5;

/// Exponents of the rotation's automorphisms, in the order of their keys: g, g², …, g^window, then -g.
///
/// ```
/// use cryptable_fhew::automorphism_rotation::key_exponents;
/// assert_eq!(key_exponents(32, 3).collect::<Vec<_>>(), [5, 25, 61, 59]);
/// ```
pub fn key_exponents(degree: usize, window: usize) -> impl Iterator<Item = usize> {
    let times_generator = move |&power: &usize| Some(power * GENERATOR % (2 * degree));
    let powers = std::iter::successors(Some(GENERATOR), times_generator);
    powers.take(window).chain([2 * degree - GENERATOR])
}

/// Keys of the automorphisms: all rotation keys share them.
#[derive(Debug)]
pub struct RotationAutomorphisms {
    gadget: Gadget,
    keys: PreparedRows,
    exponents: Vec<usize>,
    /// Place of the odd number 2i + 1.
    places: Vec<u32>,
}

/// A step of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An automorphism, by its number in [`key_exponents`].
    Automorphism(usize),
    /// A product with RGSW(X^(s_i)); for i = n with RGSW(X^(-Σ s_i)).
    Product(usize),
}

impl RotationAutomorphisms {
    /// From prepared keys: gadget ciphertexts of σ(s) for [`key_exponents`], in their order.
    ///
    /// # Panics
    /// If there are not window + 1 keys.
    #[must_use]
    pub fn new(ring: &PrimeRing, gadget: Gadget, window: usize, keys: PreparedRows) -> Self {
        assert_eq!(keys.count(), window + 1, "automorphism keys of a rotation");
        let n = ring.degree();
        let mut places = vec![0; n];
        let mut power = 1;
        for k in 0..n / 2 {
            places[(2 * n - power) / 2] = (n / 2 - 1 - k) as u32;
            places[power / 2] = (n - 1 - k) as u32;
            power = power * GENERATOR % (2 * n);
        }
        Self { gadget, keys, exponents: key_exponents(n, window).collect(), places }
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.keys.bytes() + 4 * self.places.len()
    }

    /// Automorphisms from one place to another, round the end if need be: `X ↦ X^(±g^d)`, d the distance modulo
    /// N/2, negative if the signs of the two places differ.
    fn push_moves(&self, steps: &mut Vec<Step>, from: usize, to: usize) {
        let n = self.places.len();
        let window = self.exponents.len() - 1;
        let mut distance = (to + n - from) % (n / 2);
        if (from < n / 2) != (to < n / 2) {
            steps.push(Step::Automorphism(window));
            distance = (distance + n / 2 - 1) % (n / 2);
        }
        while distance > 0 {
            let part = distance.min(window);
            steps.push(Step::Automorphism(part - 1));
            distance -= part;
        }
    }

    /// Places of all products for a mask, with what to multiply by, in order.
    fn products(&self, mask: &[u64]) -> Vec<(u32, usize)> {
        let n = self.places.len();
        let last = n - 1;
        let two_n = 2 * n as u64;
        assert!(mask.iter().all(|&a| a < two_n), "a mask modulo {two_n}");
        let nonzero = mask.iter().filter(|&&a| a != 0).count();
        // All even: one product instead of one each.
        let all_even = mask.iter().all(|a| a.is_multiple_of(2));
        let together = all_even && 2 * nonzero > mask.len() + 1;
        let mut products = Vec::with_capacity(mask.len() + 1);
        for (i, &a) in mask.iter().enumerate() {
            if a == 0 && !together {
                continue;
            }
            // e; if that is even, e + 1 if all are, or e - 1.
            let exponent = match (a % 2, together) {
                (0, true) => two_n + 1 - a,
                (0, false) => 2 * two_n - 1 - a,
                _ => two_n - a,
            } % two_n;
            products.push((self.places[exponent as usize / 2], i));
            if a % 2 == 0 && !together {
                products.push((last as u32, i));
            }
        }
        if together {
            products.push((last as u32, mask.len()));
        }
        products.sort_unstable();
        products
    }

    /// All steps of a rotation, from the last place to the last place.
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

/// Keys of a rotation by automorphisms: RGSW ciphertexts of X^(s_i) for all i, then of X^(-Σ s_i).
#[derive(Debug)]
pub struct AutomorphismRotationKey {
    gadget: RgswGadget,
    monomials: PreparedRows,
    automorphisms: Arc<RotationAutomorphisms>,
}

impl AutomorphismRotationKey {
    /// From prepared RGSW ciphertexts of n + 1 monomials.
    #[must_use]
    pub fn new(
        gadget: RgswGadget,
        monomials: PreparedRows,
        automorphisms: Arc<RotationAutomorphisms>,
    ) -> Self {
        Self { gadget, monomials, automorphisms }
    }

    /// Bytes held, without the automorphisms' keys.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.monomials.bytes()
    }

    /// The automorphisms.
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

    /// `accumulator *= X^(-⟨mask, s⟩)`.
    ///
    /// An accumulator without mask (a test polynomial) takes the automorphisms before the first product without keys
    /// and noise.
    ///
    /// # Panics
    /// If the mask's length is not the dimension, or a word of it is not below 2N.
    pub fn rotate_assign(&self, ring: &PrimeRing, accumulator: &mut RlweCiphertext, mask: &[u64]) {
        assert_eq!(self.monomials.count(), mask.len() + 1, "LWE dimension");
        let steps = self.automorphisms.steps(mask);
        let mut room = Room::new(ring, self.gadget.rows(), self.automorphisms.gadget.length());
        let m = ring.modulus();
        torus::from_residues(m, &mut room.fractions, accumulator.words());
        let plain = accumulator.mask().iter().all(|&word| word == 0);
        let leading = if plain { leading_automorphisms(&steps) } else { 0 };
        let exponents = &self.automorphisms.exponents;
        if leading > 0 {
            let exponent = steps[..leading].iter().fold(1, |product, &step| match step {
                Step::Automorphism(number) => product * exponents[number] % (2 * ring.degree()),
                Step::Product(_) => product,
            });
            let (body, _) = room.fractions.split_at_mut(ring.degree());
            torus::automorphism(&mut room.image, body, exponent);
            body.copy_from_slice(&room.image);
        }
        let steps = &steps[leading..];
        for (index, &step) in steps.iter().enumerate() {
            let key = self.key(step);
            let key = steps.get(index + 1).map_or(key, |&next| key.before(self.key(next)));
            match step {
                Step::Automorphism(number) => {
                    let product = GadgetProduct { ring, gadget: self.automorphisms.gadget };
                    room.automorphism(product, exponents[number], key);
                }
                Step::Product(_) => {
                    room.multiply(ExternalProduct { ring, gadget: self.gadget }, key);
                }
            }
        }
        torus::to_residues(m, accumulator.words_mut(), &room.fractions);
    }
}

/// Number of automorphisms before the first product.
fn leading_automorphisms(steps: &[Step]) -> usize {
    steps.iter().take_while(|step| matches!(step, Step::Automorphism(_))).count()
}

/// The accumulator, and room for the next one.
struct Room {
    fractions: Buffer,
    next: Buffer,
    image: Buffer,
    scratch: Scratch,
}

impl Room {
    fn new(ring: &PrimeRing, product_rows: usize, automorphism_rows: usize) -> Self {
        let n = ring.degree();
        Self {
            fractions: Buffer::unspecified(2 * n),
            next: Buffer::zeroed(2 * n),
            image: Buffer::zeroed(n),
            scratch: Scratch::new(ring, automorphism_rows.max(product_rows)),
        }
    }

    /// The external product with an RGSW ciphertext.
    fn multiply(&mut self, product: ExternalProduct<'_>, key: PreparedKey<'_>) {
        self.next.fill(0);
        product.add(&mut self.next, &self.fractions, key, &mut self.scratch);
        std::mem::swap(&mut self.fractions, &mut self.next);
    }

    /// X ↦ X^exponent, and back to the secret.
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

/// Automorphisms that the rotation of a test polynomial by a mask takes, the free ones before the first product
/// left out.
#[must_use]
pub fn automorphism_count(steps: &[Step]) -> usize {
    let automorphism = |step: &&Step| matches!(step, Step::Automorphism(_));
    steps[leading_automorphisms(steps)..].iter().filter(automorphism).count()
}

impl NoiseModel {
    /// σ_acc² of a rotation by automorphisms, of a test polynomial by a mask of multiples of 2^θ; for θ = 0, by an
    /// odd mask.
    ///
    /// n external products, n + 1 if θ > 0, each with the noise of 2ℓ digit products and of rounding the accumulator,
    /// `rounding·(1 + N·E[s²])`; and [`expected_sparse_automorphisms`] gadget products. All else permutes
    /// coefficients and their signs.
    ///
    /// Any mask with even words takes up to n further products. An accumulator with a mask takes the automorphisms
    /// before the first product as well, 1/n more of them.
    #[must_use]
    pub(crate) fn automorphism_rotation(&self, gadget: RgswGadget, sparsity_log2: u32) -> Variance {
        let parameters = self.parameters();
        let Some((window, automorphism)) = parameters.rotation_automorphisms() else {
            return Variance::ZERO;
        };
        let (n, degree) = (parameters.lwe_dimension(), parameters.ring_degree());
        let secret = second_moment(parameters.literal().ring_secret);
        let product = Self::rgsw_noise(gadget, degree as f64) + self.rgsw_rounding(gadget);
        let products = n + usize::from(sparsity_log2 > 0);
        Variance::of_units(products as f64 * product, parameters.prime() as f64)
            + self.gadget_product(automorphism, secret)
                * expected_sparse_automorphisms(degree, n, window, sparsity_log2)
    }
}
