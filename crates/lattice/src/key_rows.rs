//! The rows of switching keys: encrypted secrets, from seeds and errors.

use std::ops::Deref;
use std::sync::OnceLock;

use cryptable_ring::random::{RandomStream, Seed};
use cryptable_ring::{Buffer, Ring, inverse_element, kernels};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::key_switching::special_product;
use crate::secret::{TernarySecret, widened};
use crate::switching_key::{SwitchingKeyShape, fill_rows};

/// The evaluations of a secret modulo every prime of a ring, each computed on first use.
pub(crate) struct EvaluatedSecret<'a> {
    ring: &'a Ring,
    secret: &'a TernarySecret,
    limbs: Vec<OnceLock<Zeroizing<Buffer>>>,
}

impl<'a> EvaluatedSecret<'a> {
    pub(crate) fn new(ring: &'a Ring, secret: &'a TernarySecret) -> Self {
        let limbs = ring.moduli().values().iter().map(|_| OnceLock::new()).collect();
        Self { ring, secret, limbs }
    }

    pub(crate) fn ring(&self) -> &'a Ring {
        self.ring
    }

    pub(crate) fn secret(&self) -> &'a TernarySecret {
        self.secret
    }

    pub(crate) fn limb(&self, prime: usize) -> &[u64] {
        self.limbs[prime]
            .get_or_init(|| evaluations(self.ring, prime, &widened(self.secret.coefficients())))
    }

    /// Returns the evaluations of the secret's preimage under `X -> X^element` modulo a prime.
    pub(crate) fn preimage_under<'b>(
        &'b self,
        element: u32,
    ) -> impl Fn(usize) -> SecretRow<'b> + Sync {
        let inverse = inverse_element(self.ring.degree(), element as usize);
        let permutation = self.ring.galois_permutation(inverse);
        move |prime| {
            let mut preimage = Buffer::unspecified(self.ring.degree());
            kernels::permute(&mut preimage, self.limb(prime), permutation.whole());
            SecretRow::Own(Zeroizing::new(preimage))
        }
    }

    /// Makes the rows of a key from the secret to its preimage under an automorphism.
    pub(crate) fn fill_galois(&self, element: u32, shape: SwitchingKeyShape, rows: KeyRows<'_>) {
        let own = |prime| SecretRow::Shared(self.limb(prime));
        fill_from_to(self.ring, shape, rows, own, self.preimage_under(element));
    }

    /// Makes the rows of a key from the square of the secret to the secret.
    pub(crate) fn fill_relinearization(&self, shape: SwitchingKeyShape, rows: KeyRows<'_>) {
        let own = |prime| SecretRow::Shared(self.limb(prime));
        let square = |prime| {
            let mut square = Buffer::copied(self.limb(prime));
            kernels::mul_assign(self.ring.modulus(prime), &mut square, self.limb(prime));
            SecretRow::Own(Zeroizing::new(square))
        };
        fill_from_to(self.ring, shape, rows, square, own);
    }
}

/// Computes the evaluations of a small secret polynomial modulo one prime.
pub(crate) fn evaluations(ring: &Ring, prime: usize, coefficients: &[i64]) -> Zeroizing<Buffer> {
    let mut words = Zeroizing::new(Buffer::unspecified(ring.degree()));
    kernels::from_signed(ring.modulus(prime), &mut words, coefficients);
    ring.table(prime).forward_secret_assign(&mut words);
    words
}

/// The seed and the errors of a key, and the places that it is written to: the bodies, and the masks if they are
/// wanted.
pub(crate) struct KeyRows<'a> {
    /// The seed of the masks.
    pub seed: &'a Seed,
    /// One error per digit.
    pub errors: &'a [KeyError],
    /// The bodies.
    pub b: &'a mut [u8],
    /// The masks.
    pub a: Option<&'a mut [u8]>,
}

/// Coefficients of an error.
pub(crate) type KeyError = Zeroizing<Vec<i64>>;

/// Draws the errors of a key of a shape. `stream` returns the stream for a digit.
pub(crate) fn key_errors(
    ring: &Ring,
    shape: SwitchingKeyShape,
    stream: impl Fn(usize) -> RandomStream + Sync,
) -> Vec<KeyError> {
    let error = |digit| widened(&stream(digit).centered_binomial(ring.degree()));
    (0..shape.digits()).into_par_iter().map(error).collect()
}

/// Writes `b_i = -a_i·s + e_i + P·g_i·s'` for every digit i. `from` and `to` return s' and s modulo the prime with a
/// number.
pub(crate) fn fill_from_to<'b>(
    ring: &Ring,
    shape: SwitchingKeyShape,
    KeyRows { seed, errors, b, a }: KeyRows<'_>,
    from: impl Fn(usize) -> SecretRow<'b> + Sync,
    to: impl Fn(usize) -> SecretRow<'b> + Sync,
) {
    let basis = shape.basis;
    fill_rows(ring, shape, seed, b, a, |digit, limb, words| {
        let prime = ring.prime_index(basis, limb);
        let m = ring.modulus(prime);
        kernels::mul_assign(m, words, &to(prime));
        kernels::neg_assign(m, words);
        kernels::add_assign(m, words, &evaluations(ring, prime, &errors[digit]));
        let own = digit * shape.digit_limbs..(digit + 1) * shape.digit_limbs;
        if limb < basis.main_limbs() && own.contains(&limb) {
            let factor = special_product(ring, basis, prime);
            kernels::mul_scalar_add_assign(m, words, &from(prime), factor);
        }
    })
}

/// The evaluations of a secret modulo one prime.
pub(crate) enum SecretRow<'a> {
    /// Evaluations that all keys share.
    Shared(&'a [u64]),
    /// Evaluations for one key.
    Own(Zeroizing<Buffer>),
}

impl Deref for SecretRow<'_> {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Shared(words) => words,
            Self::Own(words) => words,
        }
    }
}
