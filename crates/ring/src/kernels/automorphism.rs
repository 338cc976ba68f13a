//! Automorphisms on coefficients that are torus fractions.

use crate::Isa;

/// `out(X) = source(X^exponent)`, modulo X^N + 1; coefficients are wrapping words.
///
/// # Panics
/// If lengths differ, are no power of two, or the exponent is even.
pub fn automorphism(out: &mut [u64], source: &[u64], exponent: usize) {
    let n = source.len();
    assert!(
        n.is_power_of_two() && out.len() == n && exponent % 2 == 1,
        "X^{exponent} of degree {n}"
    );
    dispatch!(Isa::detect(), [avx512f: avx512_automorphism], automorphism(out, source, exponent));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::scalar;

    #[test]
    fn automorphisms_on_every_instruction_set_agree() {
        for n in [2usize, 8, 16, 2048] {
            let source: Vec<u64> = (0..n as u64).map(|i| (i + 1) << 40).collect();
            for exponent in (1..2 * n).step_by(2 * n.div_ceil(32)).chain([2 * n - 1]) {
                let (mut found, mut expected) = (vec![0; n], vec![0; n]);
                automorphism(&mut found, &source, exponent);
                scalar::automorphism(&mut expected, &source, exponent);
                assert_eq!(found, expected, "X^{exponent} of degree {n}");
            }
        }
    }
}
