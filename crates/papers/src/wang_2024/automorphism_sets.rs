//! Parameter sets that compare rotations: by CMUXes, by all odd exponents (LMKCDEY) and by sparse ones (Algorithm 5 of
//! Wang et al., EUROCRYPT 2024), on the same ring with the same digits.
//!
//! The sets are the paper's settings adapted to 128 bits: those of gates at N = 1024 (Table 11, where approximate
//! decomposition saves LMKCDEY digits) and those of circuit bootstrapping at N = 2048 (Tables 2, 12, 13). LWE has
//! modulus 2^16. Its secret is binary for CMUXes and ternary for automorphisms, which support any secret, with the least
//! dimension that has 128 bits (662 and 615; the paper's 571 and 458 have less by today's estimates). Windows are those of
//! Table 2. A table of two inputs and four outputs fails with a probability of at most 2^-64 on results of others.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_lattice::security::{SecretDistribution, least_lwe_dimension};

/// A ring, a method of blind rotation, and the decomposition of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomorphismSet {
    /// Ring degree N: 1024 or 2048.
    pub ring_degree: usize,
    /// θ: 1 for all odd exponents, more for exponents that are 1 modulo 2^θ; `None` for CMUXes.
    pub sparsity_log2: Option<u32>,
    /// Decomposition of rotation keys and of automorphism keys.
    pub digits: GadgetLiteral,
}

/// log2 of the LWE modulus.
const LOG2_LWE_MODULUS: u32 = 16;

const fn set(
    ring_degree: usize,
    sparsity_log2: Option<u32>,
    base_log2: u32,
    length: usize,
) -> AutomorphismSet {
    let digits = GadgetLiteral { base_log2, length };
    AutomorphismSet { ring_degree, sparsity_log2, digits }
}

impl AutomorphismSet {
    /// All sets, grouped by ring.
    pub const ALL: [Self; 8] = [
        set(1024, None, 6, 3),
        // The canonical decomposition, of all of the prime's 25 bits.
        set(1024, Some(1), 5, 5),
        set(1024, Some(1), 6, 3),
        set(1024, Some(2), 6, 3),
        set(2048, None, 22, 1),
        set(2048, Some(1), 22, 1),
        set(2048, Some(2), 22, 1),
        set(2048, Some(3), 22, 1),
    ];

    /// Returns the set's name.
    #[must_use]
    pub fn name(&self) -> String {
        let Self { ring_degree, sparsity_log2, digits } = self;
        let method = match sparsity_log2 {
            None => "CMUX".to_owned(),
            Some(1) => "LMKCDEY".to_owned(),
            Some(sparsity) => format!("Algorithm 5, theta {sparsity}"),
        };
        format!("{method}, N = {ring_degree}, digits {}", digits.length)
    }

    /// Returns w of Table 2 for this number of places; 1 for CMUXes.
    fn window(&self) -> usize {
        match self.sparsity_log2.map(|sparsity| (2 * self.ring_degree) >> sparsity) {
            None => 1,
            Some(..=512) => 8,
            Some(513..=1024) => 15,
            Some(_) => 30,
        }
    }

    /// Returns the method of blind rotation.
    #[must_use]
    pub fn rotation_method(&self) -> RotationMethod {
        let (window, digits) = (self.window(), self.digits);
        match self.sparsity_log2 {
            None => RotationMethod::Cmux,
            Some(..=1) => RotationMethod::Automorphism { window, digits },
            Some(sparsity_log2) => {
                RotationMethod::SparseAutomorphism { sparsity_log2, window, digits }
            }
        }
    }

    /// Returns the parameters of the set, with 128 bits of security.
    ///
    /// # Panics
    /// If the set is not in [`AutomorphismSet::ALL`] and its numbers are out of range.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let base = match self.ring_degree {
            1024 => Parameters::gates_128(),
            _ => Parameters::default_128(),
        };
        let lwe_secret = match self.sparsity_log2 {
            None => SecretDistribution::Binary,
            Some(_) => SecretDistribution::UniformTernary,
        };
        let lwe_dimension = least_lwe_dimension(lwe_secret, f64::from(LOG2_LWE_MODULUS));
        Parameters::new(ParametersLiteral {
            lwe_dimension: lwe_dimension.expect("a modulus of the tables"),
            lwe_secret,
            log2_lwe_modulus: LOG2_LWE_MODULUS,
            rotation_method: self.rotation_method(),
            rotation: self.digits.into(),
            key_switching: Parameters::default_128().literal().key_switching,
            ..*base.literal()
        })
        .expect("a valid set")
    }
}
