//! Parameters that are refused, and why.

use cryptable_fhew::parameters::{GadgetLiteral, Parameters, ParametersLiteral, RotationMethod};
use cryptable_lattice::security::{SecretDistribution, check};

#[test]
fn insecure_sets_are_refused() {
    let good = *Parameters::default_128().literal();
    let refused = |literal: ParametersLiteral| Parameters::new(literal).unwrap_err().to_string();
    let message = refused(ParametersLiteral { lwe_dimension: 700, ..good });
    assert!(message.contains("700") && message.contains("741"), "{message}");
    let message = refused(ParametersLiteral { ring_degree: 1024, intermediate: None, ..good });
    assert!(message.contains("1024") && message.contains("25"), "{message}");
    assert!(check(2048, SecretDistribution::Binary, 46.9).is_ok());
}

#[test]
fn numbers_out_of_range_are_named() {
    let good = *Parameters::default_128().literal();
    for (literal, name) in [
        (ParametersLiteral { ring_degree: 1000, ..good }, "ring_degree"),
        (ParametersLiteral { lwe_dimension: 0, ..good }, "lwe_dimension"),
        (ParametersLiteral { log2_lwe_modulus: 11, ..good }, "log2_lwe_modulus"),
        (ParametersLiteral { log2_lwe_modulus: 36, ..good }, "log2_lwe_modulus"),
        (ParametersLiteral { log2_prime: 50.0, ..good }, "log2_prime"),
        (
            ParametersLiteral {
                rotation: GadgetLiteral { base_log2: 16, length: 3 }.into(),
                ..good
            },
            "rotation body digits",
        ),
        (
            ParametersLiteral { lwe_secret: SecretDistribution::FixedWeightTernary(9), ..good },
            "secret weight",
        ),
    ] {
        let message = Parameters::insecure(literal).unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
}

#[test]
fn rotation_automorphisms_out_of_range_are_named() {
    let by = |window, base_log2, length| {
        let digits = GadgetLiteral { base_log2, length };
        let literal = ParametersLiteral {
            rotation_method: RotationMethod::Automorphism { window, digits },
            ..*Parameters::insecure_toy().literal()
        };
        Parameters::insecure(literal)
    };
    assert_eq!(by(15, 9, 4).unwrap().rotation_automorphisms().map(|w| w.window), Some(15));
    for (window, base_log2, length, name) in [
        (0, 9, 4, "rotation window"),
        (1025, 9, 4, "rotation window"),
        (15, 16, 3, "rotation automorphism digits"),
        (15, 9, 0, "rotation automorphism digits"),
    ] {
        let message = by(window, base_log2, length).unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
    let sparse = |sparsity_log2, window| {
        let digits = GadgetLiteral { base_log2: 9, length: 4 };
        let literal = ParametersLiteral {
            rotation_method: RotationMethod::SparseAutomorphism { sparsity_log2, window, digits },
            ..*Parameters::insecure_toy().literal()
        };
        Parameters::insecure(literal)
    };
    assert!(sparse(2, 1024).is_ok() && sparse(11, 2).is_ok());
    for (sparsity, window, name) in [
        (1, 15, "rotation sparsity"),
        (12, 15, "rotation sparsity"),
        (u32::MAX, 15, "rotation sparsity"),
        (2, 0, "rotation window"),
        (2, 1025, "rotation window"),
    ] {
        let message = sparse(sparsity, window).unwrap_err().to_string();
        assert!(message.contains(name), "{message}");
    }
}
