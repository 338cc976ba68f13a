//! Named parameter sets.

use cryptable_lattice::security::SecretDistribution;

use super::Parameters;
use super::gadget_literal::{GadgetLiteral, RgswGadgetLiteral};
use super::literal::ParametersLiteral;
use crate::rotation::method::RotationMethod;
use crate::switching::intermediate_ring::IntermediateRing;

impl Parameters {
    /// Returns the default: n = 741, N = 2,048, one rotation digit; tables of 16 inputs over the full domain by
    /// FDFB-Compress, with failure probability below 2^-64.
    #[must_use]
    pub fn default_128() -> Self {
        Self::new(ParametersLiteral {
            lwe_dimension: 741,
            lwe_secret: SecretDistribution::Binary,
            log2_lwe_modulus: 18,
            ring_degree: 2048,
            log2_prime: 46.9,
            ring_secret: SecretDistribution::Binary,
            rotation_method: RotationMethod::Cmux,
            rotation: GadgetLiteral { base_log2: 22, length: 1 }.into(),
            finer_rotations: [None; 3],
            intermediate: Some(IntermediateRing::SECURE_1024),
            key_switching: GadgetLiteral { base_log2: 2, length: 7 },
            automorphism: GadgetLiteral { base_log2: 9, length: 5 },
            relinearization: GadgetLiteral { base_log2: 15, length: 3 },
            packing: GadgetLiteral { base_log2: 6, length: 4 },
        })
        .expect("a valid set")
    }

    /// Returns a toy of LWE dimension 64 and ring degree 512 for tests: not secure.
    #[must_use]
    pub fn insecure_toy() -> Self {
        Self::insecure(ParametersLiteral {
            lwe_dimension: 64,
            lwe_secret: SecretDistribution::Binary,
            log2_lwe_modulus: 22,
            ring_degree: 2048,
            log2_prime: 46.9,
            ring_secret: SecretDistribution::Binary,
            rotation_method: RotationMethod::Cmux,
            rotation: GadgetLiteral { base_log2: 12, length: 3 }.into(),
            finer_rotations: [None; 3],
            intermediate: None,
            key_switching: GadgetLiteral { base_log2: 4, length: 5 },
            automorphism: GadgetLiteral { base_log2: 7, length: 6 },
            relinearization: GadgetLiteral { base_log2: 12, length: 3 },
            packing: GadgetLiteral { base_log2: 6, length: 4 },
        })
        .expect("a valid set")
    }

    /// Returns parameters for decomposition into digits of up to 5 bits, and lookups of them: n = 820, N = 2,048, rotation
    /// keys of 1, 2, 4 and 10 digits.
    #[must_use]
    pub fn decomposition_128() -> Self {
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        Self::new(ParametersLiteral {
            lwe_dimension: 820,
            log2_lwe_modulus: 20,
            // The largest prime below 2^47, so that rounding errors are the smallest fractions of it.
            log2_prime: 46.99,
            key_switching: gadget(2, 8),
            finer_rotations: [(15, 2), (9, 4), (4, 10)].map(|(b, l)| Some(gadget(b, l).into())),
            ..*Self::default_128().literal()
        })
        .expect("a valid set")
    }

    /// Returns parameters like [`Parameters::decomposition_128`], for failure probabilities below 2^-128: n = 894, a larger
    /// LWE modulus, and rotation keys of 1, 3, 6 and 11 digits.
    #[must_use]
    pub fn sure_decomposition_128() -> Self {
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        Self::new(ParametersLiteral {
            lwe_dimension: 894,
            log2_lwe_modulus: 22,
            key_switching: gadget(3, 6),
            finer_rotations: [(11, 3), (7, 6), (4, 11)].map(|(b, l)| Some(gadget(b, l).into())),
            ..*Self::decomposition_128().literal()
        })
        .expect("a valid set")
    }

    /// Returns parameters like [`Parameters::decomposition_128`], for values of up to 28 bits: a prime of 50 bits, which is
    /// beyond the fastest kernels, and rotation keys of 1, 2, 7 and 16 digits.
    #[must_use]
    pub fn wide_decomposition_128() -> Self {
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        Self::new(ParametersLiteral {
            // The largest prime below 2^50.
            log2_prime: 49.999_999_999_99,
            finer_rotations: [(16, 2), (6, 7), (3, 16)].map(|(b, l)| Some(gadget(b, l).into())),
            automorphism: gadget(10, 5),
            relinearization: gadget(16, 3),
            ..*Self::decomposition_128().literal()
        })
        .expect("a valid set")
    }

    /// Returns parameters for Boolean gates with failure probability below 2^-64: degree 1,024.
    #[must_use]
    pub fn gates_128() -> Self {
        let gadget = |base_log2, length| GadgetLiteral { base_log2, length };
        Self::new(ParametersLiteral {
            lwe_dimension: 662,
            log2_lwe_modulus: 16,
            ring_degree: 1024,
            log2_prime: 24.9,
            rotation: RgswGadgetLiteral { body: gadget(6, 2), mask: gadget(6, 3) },
            intermediate: None,
            key_switching: gadget(3, 4),
            automorphism: gadget(4, 5),
            relinearization: gadget(8, 3),
            ..*Self::default_128().literal()
        })
        .expect("a valid set")
    }
}
