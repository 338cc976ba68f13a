//! Generation of switching keys. The only code that encrypts secrets under secrets.

use cryptable_ring::random::{RandomStream, Seed};
use cryptable_ring::{Coefficients, Evaluations, Poly, Ring, inverse_element, kernels};
use rayon::prelude::*;
use zeroize::Zeroizing;

use crate::error::Result;
use crate::evaluation_keys::{KeyPurpose, KeyRequest};
use crate::key_switching::special_product;
use crate::progress::Progress;
use crate::secret::TernarySecret;
use crate::security::SecretDistribution;
use crate::switching_key::{SwitchingKey, SwitchingKeyShape, expand_mask};

/// The two secrets of a packed method: the dense one that ciphertexts live under, and the ephemeral
/// sparse one of sparse-secret encapsulation (Bossuat, Troncoso-Pastoriza, Hubaux, ePrint 2022/024).
#[derive(Debug)]
pub struct SecretPair<'a> {
    /// Uniform ternary.
    pub dense: &'a TernarySecret,
    /// Of small fixed weight; used between the bottom modulus and ModRaise only.
    pub sparse: &'a TernarySecret,
}

impl SecretPair<'_> {
    /// Generates the switching key for one purpose.
    ///
    /// # Panics
    /// If a key towards the sparse secret is asked for at more than one chain prime and one special
    /// prime: at a larger modulus it would reveal the secret.
    #[must_use]
    pub fn generate_key(
        &self,
        ring: &Ring,
        purpose: KeyPurpose,
        shape: SwitchingKeyShape,
    ) -> SwitchingKey {
        let basis = shape.basis;
        let dense = || self.dense.evaluations(ring, basis);
        let (from, to) = match purpose {
            KeyPurpose::Relinearization => {
                let mut square = dense();
                let copy = Zeroizing::new(Poly::clone(&square));
                square.mul_assign(ring, &copy);
                (square, dense())
            }
            KeyPurpose::Galois(element) => {
                let inverse = inverse_element(ring.degree(), element as usize);
                (dense(), Zeroizing::new(dense().automorphism(ring, inverse)))
            }
            KeyPurpose::DenseToSparse => {
                assert!(
                    basis.main == 1 && basis.special == 1,
                    "the key towards the sparse secret must stay at q0·p0, not {basis:?}"
                );
                (dense(), self.sparse.evaluations(ring, basis))
            }
            KeyPurpose::SparseToDense => (self.sparse.evaluations(ring, basis), dense()),
        };
        generate(ring, shape, &from, &to)
    }
}

/// Generates switching keys one at a time, under a fresh ephemeral sparse secret of the given weight.
///
/// # Errors
/// Whatever `consume` returns, or [`crate::Error::Cancelled`].
pub fn generate_switching_keys(
    ring: &Ring,
    (dense, sparse_weight): (&TernarySecret, u32),
    requests: Vec<KeyRequest>,
    progress: Progress<'_>,
    mut consume: impl FnMut(KeyRequest, SwitchingKey) -> Result<()>,
) -> Result<()> {
    let weight = SecretDistribution::FixedWeightTernary(sparse_weight);
    let sparse = TernarySecret::sample(ring.degree(), weight, &mut RandomStream::from_os());
    let secrets = SecretPair { dense, sparse: &sparse };
    let steps = progress.steps(requests.len())?;
    for request in requests {
        consume(request, secrets.generate_key(ring, request.purpose, request.shape))?;
        steps.done()?;
    }
    Ok(())
}

/// `b_i = -a_i·s + e_i + P·g_i·s'` for every digit i, with a fresh seed for the `a_i`.
fn generate(
    ring: &Ring,
    shape: SwitchingKeyShape,
    from: &Poly<Evaluations>,
    to: &Poly<Evaluations>,
) -> SwitchingKey {
    let (basis, degree) = (shape.basis, ring.degree());
    let seed = Seed::random();
    let mut b = expand_mask(ring, shape, &seed);
    for (digit, words) in b.chunks_mut(degree * basis.limbs()).enumerate() {
        let small = RandomStream::from_os().centered_binomial(degree);
        let wide: Zeroizing<Vec<i64>> =
            Zeroizing::new(small.iter().map(|&e| i64::from(e)).collect());
        let error = Zeroizing::new(
            Poly::<Coefficients>::from_signed(ring, basis, &wide).into_evaluations(ring),
        );
        let own = digit * shape.digit_limbs..(digit + 1) * shape.digit_limbs;
        words.par_chunks_mut(degree).enumerate().for_each(|(limb, words)| {
            let prime = ring.prime_index(basis, limb);
            let m = ring.modulus(prime);
            kernels::mul_assign(m, words, to.limb(limb));
            kernels::neg_assign(m, words);
            kernels::add_assign(m, words, error.limb(limb));
            if limb < basis.main_limbs() && own.contains(&limb) {
                let factor = special_product(ring, basis, prime);
                kernels::mul_scalar_add_assign(m, words, from.limb(limb), factor);
            }
        });
    }
    SwitchingKey::from_owned(ring, shape, seed, b)
}
