//! Sets with names for slots fewer than half the ring degree.

use cryptable_lattice::error::demand;
use cryptable_lattice::security::{SecretDistribution, max_log2_modulus};
use cryptable_lattice::{Result, SecurityLevel};

use crate::literal_choice::Sizes;
use crate::parameters::Parameters;

/// Fewest slots of a set: those of two matrices.
const LEAST_SLOTS: usize = 4;

impl Parameters {
    /// Bootstrapping of `slots` slots, fewer than the 32,768 of [`Parameters::bootstrapping_128`], at its ring degree
    /// of 2^16 and with the sizes of its primes, at lower cost: matrices of fewer levels, one exponential for real and
    /// imaginary parts. 128 bits of security, 7 levels of 40 bits after a bootstrap.
    ///
    /// ```
    /// use cryptable_approximate::Parameters;
    /// let parameters = Parameters::sparse_bootstrapping_128(4096)?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert_eq!((parameters.slots(), parameters.levels()), (4096, 7));
    /// let transforms = |p: Parameters| p.bootstrap_counts().expect("parameters with bootstrapping").transforms;
    /// assert!(transforms(parameters) < transforms(Parameters::bootstrapping_128()?) * 3 / 4);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the number of slots is not a power of two from 4 to 16,384.
    pub fn sparse_bootstrapping_128(slots: usize) -> Result<Self> {
        let degree = 1 << 16;
        let secret = SecretDistribution::UniformTernary;
        let modulus = max_log2_modulus(degree, secret).expect("a degree of the tables");
        sparse("sparse_bootstrapping_128", SecurityLevel::Bits128, degree, slots, modulus)
    }

    /// Sizes of primes of [`Parameters::sparse_bootstrapping_128`] at ring degree 2^10, for tests only: **insecure**.
    ///
    /// # Errors
    /// If the number of slots is not a power of two from 4 to 256.
    pub fn insecure_toy_sparse_bootstrapping(slots: usize) -> Result<Self> {
        let name = "insecure_toy_sparse_bootstrapping";
        sparse(name, SecurityLevel::Insecure, 1 << 10, slots, 1747.0)
    }
}

fn sparse(
    name: &str,
    security: SecurityLevel,
    ring_degree: usize,
    slots: usize,
    log2_modulus: f64,
) -> Result<Parameters> {
    let most = ring_degree / 4;
    let ok = slots.is_power_of_two() && (LEAST_SLOTS..=most).contains(&slots);
    let limit = format!("a power of two from {LEAST_SLOTS} to {most}");
    demand(ok, "number of sparse slots", slots as f64, &limit)?;
    let sizes = Sizes {
        ring_degree,
        slots,
        levels: (7, 40.0),
        base: 47.0,
        log2_range: 5.0,
        matrices: [33.0, 41.5],
        most_merged: 4,
        exponential: 49.0,
        series: (4, 5),
        sines: 2,
        baby_steps: 8,
        digit_limbs: 5,
        log2_fail: -80.0,
    };
    let literal = sizes.literal(name.into(), security, log2_modulus);
    Parameters::new(literal.expect("a modulus that is large enough"))
}
