//! Numbers of keys, automorphisms and transforms of blind rotations (Table 13): LMKC+ (Algorithm 7) compared with sparse
//! rounding (Algorithms 4 to 6), and with CMUXes.

use cryptable_fhew::rotation::{
    cmux_rgsw_count, expected_automorphisms, expected_sparse_automorphisms,
};
use cryptable_lattice::security::SecretDistribution;

/// Costs of a rotation (Table 13 of Wang et al., EUROCRYPT 2024; keys are counted in RLWE' ciphertexts).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationCounts {
    /// Number of RLWE' ciphertexts of the keys: two per RGSW ciphertext, one per automorphism.
    pub keys: usize,
    /// Number of external products.
    pub external_products: usize,
    /// Mean number of automorphisms.
    pub automorphisms: f64,
    /// The paper's bound on the number of automorphisms.
    pub worst_automorphisms: f64,
}

impl RotationCounts {
    /// Counts a rotation by CMUXes (GINX): one RGSW ciphertext per coefficient of a binary secret, two for a ternary secret.
    #[must_use]
    pub fn cmux(dimension: usize, secret: SecretDistribution) -> Self {
        let rgsw = cmux_rgsw_count(dimension, secret);
        Self {
            keys: 2 * rgsw,
            external_products: rgsw,
            automorphisms: 0.0,
            worst_automorphisms: 0.0,
        }
    }

    /// Counts a rotation by odd exponents (LMKC+, Algorithm 7): 2n + w + 1 keys for any secret, at most
    /// `(w - 1)/w·n + N/w` automorphisms, and one for the change of sign.
    #[must_use]
    pub fn lmkc(degree: usize, dimension: usize, window: usize) -> Self {
        Self {
            keys: 2 * dimension + window + 1,
            external_products: dimension,
            automorphisms: expected_automorphisms(degree, dimension, window),
            worst_automorphisms: worst(dimension, degree, window) + 1.0,
        }
    }

    /// Counts a rotation by exponents that are 1 modulo 2^θ, θ >= 2 (Algorithm 5): 2n + w keys for any secret, and at most
    /// `(w - 1)/w·min(n, N') + N'/w` automorphisms, N' = 2N/2^θ.
    ///
    /// Like the paper, `window` counts powers of the generator g' of that group, each of which is 2^(θ-2) powers of 5.
    ///
    /// # Panics
    /// If θ is below 2, or 2^θ is not below 2N.
    #[must_use]
    pub fn sparse(degree: usize, dimension: usize, window: usize, sparsity_log2: u32) -> Self {
        assert!(sparsity_log2 >= 2, "odd numbers are no cyclic group");
        let places = (2 * degree) >> sparsity_log2;
        Self {
            keys: 2 * dimension + window,
            external_products: dimension,
            automorphisms: expected_sparse_automorphisms(
                degree,
                dimension,
                window << (sparsity_log2 - 2),
                sparsity_log2,
            ),
            worst_automorphisms: worst(dimension, places, window),
        }
    }

    /// Counts a rotation like [`RotationCounts::sparse`], but for several tables (Algorithms 6 and 8): masks are multiples of
    /// 2^θ, and the auxiliary RGSW(X^(-Σ s_i)) brings them to exponents that are 1 modulo 2^θ.
    ///
    /// # Panics
    /// Same as [`RotationCounts::sparse`].
    #[must_use]
    pub fn multi_value(degree: usize, dimension: usize, window: usize, sparsity_log2: u32) -> Self {
        let one = Self::sparse(degree, dimension, window, sparsity_log2);
        Self { keys: one.keys + 2, external_products: one.external_products + 1, ..one }
    }

    /// Returns the number of transforms: 2(ℓ + 1) per external product, and ℓ' + 2 per automorphism (the paper counts ℓ' + 1,
    /// since it keeps the body's transform).
    #[must_use]
    pub fn transforms(&self, product_digits: usize, automorphism_digits: usize) -> f64 {
        (self.external_products * 2 * (product_digits + 1)) as f64
            + self.automorphisms * (automorphism_digits + 2) as f64
    }
}

/// Returns `(w - 1)/w·min(n, places) + places/w`: a step ends at every product, and after every w places without one.
fn worst(dimension: usize, places: usize, window: usize) -> f64 {
    let (places, window) = (places as f64, window as f64);
    (window - 1.0) / window * (dimension as f64).min(places) + places / window
}
