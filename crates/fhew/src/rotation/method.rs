//! The methods of blind rotation, and their requirements.

use cryptable_lattice::Result;
use cryptable_lattice::error::demand;
use serde::{Deserialize, Serialize};

use crate::parameters::gadget_literal::GadgetLiteral;
use crate::rotation::expected_automorphisms::expected_sparse_automorphisms;
use crate::rotation::exponent_group::ExponentGroup;

/// Methods by which blind rotation multiplies by X^(a_i·s_i).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RotationMethod {
    /// A CMUX for every coefficient of the secret (Chillotti et al., J. Cryptology 2020).
    Cmux,
    /// Automorphisms between external products (Lee et al., EUROCRYPT 2023, "LMKCDEY"): one RGSW ciphertext per
    /// coefficient of any secret, but phases with 4 times the rounding noise. Sparse phases, multiples of 2^θ, need
    /// fewer automorphisms and have no more rounding noise. See [`crate::rotation`].
    Automorphism {
        /// Number of powers g, …, g^window of the generator that have keys, besides -g: from 1 to N/2. More keys mean fewer
        /// automorphisms, down to one per distinct exponent; 10 keys come near that if n is N/4 or more.
        window: usize,
        /// Decomposition of the automorphisms' keys (modulo Q).
        digits: GadgetLiteral,
    },
    /// Automorphisms for phases that are -1 modulo 2^θ (Wang et al., EUROCRYPT 2024, Algorithms 4 and 5): fewer automorphisms
    /// and no key of -g, but 4^θ times the rounding noise. See [`crate::rotation`].
    SparseAutomorphism {
        /// θ: from 2 to log2 N.
        sparsity_log2: u32,
        /// Number of powers g, …, g^window of the generator that have keys: from 1 to 2N/2^θ.
        window: usize,
        /// Decomposition of the automorphisms' keys (modulo Q).
        digits: GadgetLiteral,
    },
}

impl RotationMethod {
    /// Returns the decomposition of the automorphisms' keys, if there are any.
    #[must_use]
    pub fn digits(&self) -> Option<GadgetLiteral> {
        match *self {
            Self::Cmux => None,
            Self::Automorphism { digits, .. } | Self::SparseAutomorphism { digits, .. } => {
                Some(digits)
            }
        }
    }

    /// Returns the exponents of the automorphisms, and the number of powers of their generator that have keys.
    pub(crate) fn exponents(&self, degree: usize) -> Option<(ExponentGroup, usize)> {
        match *self {
            Self::Cmux => None,
            Self::Automorphism { window, .. } => Some((ExponentGroup::odd(degree), window)),
            Self::SparseAutomorphism { sparsity_log2, window, .. } => {
                Some((ExponentGroup::sparse(degree, sparsity_log2), window))
            }
        }
    }

    /// Returns the mean number of automorphisms of a rotation by a mask of `dimension` multiples of 2^θ, θ = `sparsity_log2`;
    /// for θ = 0, by a mask that is rounded for the method.
    ///
    /// # Panics
    /// If θ is positive but below that of the method.
    #[must_use]
    pub fn automorphisms(&self, degree: usize, dimension: usize, sparsity_log2: u32) -> f64 {
        let Some((group, window)) = self.exponents(degree) else { return 0.0 };
        let sparsity = if sparsity_log2 == 0 { group.sparsity_log2() } else { sparsity_log2 };
        assert!(sparsity >= group.sparsity_log2(), "2^{sparsity} in {group:?}");
        // The window, counted in powers of 5.
        let powers = window << group.sparsity_log2().saturating_sub(2);
        expected_sparse_automorphisms(degree, dimension, powers, sparsity)
    }

    /// Checks that the automorphisms of a rotation exist.
    pub(crate) fn check(&self, degree: usize) -> Result<()> {
        let (window, most, limit) = match *self {
            Self::Cmux => return Ok(()),
            Self::Automorphism { window, .. } => (window, degree / 2, "N/2"),
            Self::SparseAutomorphism { sparsity_log2, window, .. } => {
                demand(
                    (2..=degree.ilog2()).contains(&sparsity_log2),
                    "rotation sparsity",
                    sparsity_log2.into(),
                    "it must be from 2 to log2(N)",
                )?;
                (window, ExponentGroup::sparse(degree, sparsity_log2).order(), "2N/2^sparsity")
            }
        };
        let limit = format!("it must be from 1 to {limit}");
        demand((1..=most).contains(&window), "rotation window", window as f64, &limit)
    }
}
