//! The problems that the secrets of a parameter set rest on, and their security.

use cryptable_lattice::Result;
use cryptable_lattice::security::{LweInstance, SecretDistribution};

use crate::literal::ParametersLiteral;

/// Checks the claimed security of both secrets, and estimates it.
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

/// The problems that the secrets rest on: the dense one at all primes, and the sparse one at q_0·p_0 or the one of blocks at
/// its prime, where alone they are used.
pub(super) fn lwe_instances(
    literal: &ParametersLiteral,
    main: &[u64],
    special: &[u64],
) -> Vec<LweInstance> {
    let degree = literal.ring_degree;
    // The topmost prime of sums over blocks is never beside special ones, of which there is one at least as large.
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
    // Its widest key is that of the way to real slots.
    let real = literal.real_slots.then(|| {
        let widest = log2_product(main[..literal.entry_limbs()].iter().chain(special));
        let uniform = SecretDistribution::UniformTernary;
        LweInstance::ring("secret of real slots", degree, uniform, widest)
    });
    [dense, other].into_iter().chain(real).collect()
}

/// log2 of a product.
pub(super) fn log2_product<'a>(primes: impl Iterator<Item = &'a u64>) -> f64 {
    primes.map(|&q| (q as f64).log2()).sum()
}
