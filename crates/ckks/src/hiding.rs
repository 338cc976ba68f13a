//! Products that reveal only the real parts of their slots, with noise of a stated law, to the holder of the secret.
//!
//! A product `d_0 + d_1·s + d_2·s²` is a ciphertext whose words depend on everything that it was computed from. Three
//! things are added:
//!
//! - **masks**: encryptions of zero, `(b·v, a·v + e)` with fresh ternary v, to (d_0, d_1) and to (d_1, d_2). Someone
//!   who knows s, but not v, cannot tell d_1 and d_2 from uniform polynomials, if RLWE with ternary secrets is hard.
//!   (b, a) is a row of a switching key: the row of a digit is an encryption of zero modulo the primes of all other
//!   digits;
//! - **imaginary parts**: `u - u(X^-1)` for uniform u, which is uniform among polynomials whose slots are imaginary;
//! - **flooding** of every coefficient by a [`WideGaussian`].
//!
//! Whoever decrypts sees only sums of the coefficients of X^k and X^-k of the phase: the real parts of slots, with
//! flooding. The encryptions of zero add `e·v + e'·s` to them, and s times another such term, with a norm below
//! [`zero_norm`], which flooding far exceeds.

use cryptable_lattice::{ERROR_VARIANCE, SwitchingKey, SwitchingKeyShape};
use cryptable_ring::random::{RandomStream, SecretSeed, WideGaussian};
use cryptable_ring::{Basis, Coefficients, Evaluations, Isa, Poly, Ring};

use crate::ciphertext::Product;
use crate::counts::Counts;

/// How a product is hidden.
#[derive(Clone, Debug)]
pub struct Hiding {
    /// Flooding of every coefficient.
    pub flooding: WideGaussian,
    /// Limbs of the relinearization key whose last digit is beyond the primes of products.
    pub key_limbs: usize,
}

impl Hiding {
    /// Operation counts for hiding a product with this number of limbs: transforms of flooding, two ternary polynomials
    /// and two errors. Drawing them is not counted.
    #[must_use]
    pub fn counts(&self, limbs: usize) -> Counts {
        Counts { transforms: 5 * limbs, limb_products: 10 * limbs, ..Counts::default() }
    }
}

/// A bound on the Euclidean norm of what encryptions of zero add to a phase, except with probability 2^-150.
///
/// A coefficient of `w = e·v + e'·s` is within 16 deviations, if norms of keys are within 1.25 of their mean squares. A
/// coefficient of `w·s` is at most the largest coefficient of w times the sum of the absolute coefficients of s.
#[must_use]
pub fn zero_norm(degree: usize) -> f64 {
    let n = degree as f64;
    let largest = 16.0 * (2.0 * n * 1.25 * 1.25 * ERROR_VARIANCE * 2.0 / 3.0).sqrt();
    n.sqrt() * largest * (1.0 + n)
}

/// Returns the digit of a key that is an encryption of zero modulo the first `limbs` primes, if it has one.
#[must_use]
pub fn zero_digit(shape: SwitchingKeyShape, limbs: usize) -> Option<usize> {
    let last = shape.digits() - 1;
    (last > 0 && shape.digit_range(last, shape.basis.main).start >= limbs).then_some(last)
}

/// Hides a product.
///
/// # Panics
/// If no digit of the key is beyond the product's primes. Validation of parameters excludes this.
pub(crate) fn hide(
    ring: &Ring,
    key: &SwitchingKey,
    product: &mut Product,
    flooding: &WideGaussian,
) {
    let tensor = &mut product.tensor;
    let basis = tensor.d2.basis();
    let digit = zero_digit(key.shape(), basis.main).expect("a digit beyond the product's primes");
    let zero = key_row(ring, key, digit, basis);
    add_zero(ring, &zero, &mut tensor.d0, &mut tensor.d1);
    add_zero(ring, &zero, &mut tensor.d1, &mut tensor.d2);
    let seed = SecretSeed::random();
    let flooding = flooding.sample(ring, basis, seed.as_bytes()).into_evaluations(ring);
    tensor.d0.add_assign(ring, &flooding);
    let uniform = uniform(ring, basis);
    tensor.d0.add_assign(ring, &uniform);
    tensor.d0.sub_assign(ring, &uniform.automorphism(ring, ring.conjugation_element()));
}

/// The pair (b, a) of a digit modulo the primes of a basis.
fn key_row(ring: &Ring, key: &SwitchingKey, digit: usize, basis: Basis) -> [Poly<Evaluations>; 2] {
    let of_key = key.shape().raised(basis.main);
    let mut row = [(); 2].map(|()| Poly::unspecified(ring, basis));
    let [b, a] = &mut row;
    let degree = ring.degree();
    let limbs = b.words_mut().chunks_mut(degree).zip(a.words_mut().chunks_mut(degree));
    for (limb, (b, a)) in limbs.enumerate() {
        let (of_b, of_a) = key.limb(digit, of_key, limb);
        of_b.unpack(Isa::detect(), b);
        of_a.unpack(Isa::detect(), a);
    }
    row
}

/// Adds an encryption of zero to a body and a mask.
fn add_zero(
    ring: &Ring,
    [b, a]: &[Poly<Evaluations>; 2],
    body: &mut Poly<Evaluations>,
    mask: &mut Poly<Evaluations>,
) {
    let basis = body.basis();
    let (degree, mut stream) = (ring.degree(), RandomStream::from_os());
    let evaluations = |small: &[i8]| {
        let wide: Vec<i64> = small.iter().map(|&c| i64::from(c)).collect();
        Poly::<Coefficients>::from_signed(ring, basis, &wide).into_secret_evaluations(ring)
    };
    let v = evaluations(&stream.uniform_ternary(degree));
    let error = evaluations(&stream.centered_binomial(degree));
    let mut product = v.clone();
    product.mul_assign(ring, b);
    body.add_assign(ring, &product);
    let mut product = v;
    product.mul_assign(ring, a);
    product.add_assign(ring, &error);
    mask.add_assign(ring, &product);
}

/// A uniform polynomial.
fn uniform(ring: &Ring, basis: Basis) -> Poly<Evaluations> {
    let mut stream = RandomStream::from_os();
    let mut poly = Poly::unspecified(ring, basis);
    for (limb, words) in poly.words_mut().chunks_mut(ring.degree()).enumerate() {
        stream.uniform_assign(words, ring.modulus(ring.prime_index(basis, limb)).value());
    }
    poly
}
