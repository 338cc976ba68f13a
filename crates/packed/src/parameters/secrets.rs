//! The LWE problems that protect the secrets of a parameter set, and their security.

use cryptable_lattice::Result;
use cryptable_lattice::security::{LweInstance, SecretDistribution, max_log2_modulus};
use cryptable_ring::Basis;

use crate::literal::ParametersLiteral;

/// Number of words of the shortest masks that are considered.
const LEAST_MASK: usize = 1024;

/// Least degree at which toys have short masks, and the ratio of that degree to the length of a short mask.
const LEAST_TOY_DEGREE: usize = 1024;
const TOY_PARTS: usize = 16;

/// Checks the claimed security of all secrets, and returns the estimated one.
pub(super) fn check_security(
    literal: &ParametersLiteral,
    main: &[u64],
    special: &[u64],
) -> Result<f64> {
    if literal.security.is_insecure() {
        return Ok(0.0);
    }
    let instances = lwe_instances(literal, main, special);
    instances.iter().try_for_each(LweInstance::check)?;
    Ok(LweInstance::least_security_bits(&instances))
}

/// The LWE problems that protect the secrets: that of the dense secret at all primes, and that of the sparse secret at
/// q_0·p_0 or of the secret of blocks at its prime, which are the only moduli where these are used.
pub(super) fn lwe_instances(
    literal: &ParametersLiteral,
    main: &[u64],
    special: &[u64],
) -> Vec<LweInstance> {
    let degree = literal.ring_degree;
    // The topmost prime, of sums over blocks, is never used together with special primes, and one of those is at least
    // as large.
    let all = log2_product(main[..literal.switched_limbs()].iter().chain(special));
    let dense = LweInstance::ring("dense secret", degree, SecretDistribution::UniformTernary, all);
    let other = match (&literal.block_secret, literal.block_prime()) {
        (Some(secret), Some(prime)) => {
            let distribution = SecretDistribution::Blocks(secret.blocks as u32);
            let bits = (prime as f64).log2();
            LweInstance::ring("secret of blocks", secret.dimension, distribution, bits)
        }
        _ => {
            let sparse = SecretDistribution::FixedWeightTernary(literal.sparse_weight);
            let bottom = log2_product([&main[0], &special[0]].into_iter());
            LweInstance::ring("sparse secret", degree, sparse, bottom)
        }
    };
    // The widest key of this secret is that of the way to real slots.
    let real = literal.real_slots.then(|| {
        let widest = log2_product(main[..literal.entry_limbs()].iter().chain(special));
        let uniform = SecretDistribution::UniformTernary;
        LweInstance::ring("secret of real slots", degree, uniform, widest)
    });
    let half = (literal.half_digits > 0).then(|| {
        let shapes = literal.half_shapes().into_iter();
        let bits = shapes.map(|shape| {
            let Basis { main: limbs, special: count, .. } = shape.basis;
            log2_product(main[..limbs].iter().chain(&special[..count]))
        });
        let (uniform, widest) = (SecretDistribution::UniformTernary, bits.fold(0.0, f64::max));
        LweInstance::ring("secret of the half ring", degree / 2, uniform, widest)
    });
    let masks = mask_words(literal, main, special).map(|words| {
        let bottom = log2_product([&main[0], &special[0]].into_iter());
        LweInstance::ring(
            "secret of short masks",
            words,
            SecretDistribution::UniformTernary,
            bottom,
        )
    });
    [dense, other].into_iter().chain(real).chain(half).chain(masks).collect()
}

/// Number of words of the short masks of results: the least degree at which q_0·p_0 is secure, or for a toy a sixteenth
/// of its degree. None if there are several owners, whose results are decrypted in another way, or if masks would not
/// be much shorter.
pub(super) fn mask_words(
    literal: &ParametersLiteral,
    main: &[u64],
    special: &[u64],
) -> Option<usize> {
    let degree = literal.ring_degree;
    if !literal.owners.is_one() {
        return None;
    }
    if literal.security.is_insecure() {
        return (degree >= LEAST_TOY_DEGREE).then_some(degree / TOY_PARTS);
    }
    let bottom = log2_product([&main[0], &special[0]].into_iter());
    let is_secure = |words: &usize| {
        let most = max_log2_modulus(*words, SecretDistribution::UniformTernary);
        most.is_some_and(|most| bottom <= most)
    };
    let words = (LEAST_MASK.ilog2()..degree.ilog2() - 1).map(|log2| 1 << log2);
    words.into_iter().find(is_secure)
}

/// log2 of the product of primes.
pub(super) fn log2_product<'a>(primes: impl Iterator<Item = &'a u64>) -> f64 {
    primes.map(|&q| (q as f64).log2()).sum()
}
