//! Automorphisms on coefficients that are torus fractions.

use crate::Isa;

/// `out(X) = source(X^exponent)`, modulo X^N + 1; coefficients are wrapping words.
///
/// # Panics
/// If lengths differ or are no power of two, or if the exponent is even.
pub fn automorphism(out: &mut [u64], source: &[u64], exponent: usize) {
    let n = source.len();
    assert!(
        n.is_power_of_two() && out.len() == n && exponent % 2 == 1,
        "X^{exponent} of degree {n}"
    );
    automorphism_on(Isa::detect(), out, source, exponent);
}

/// Maps coefficients like [`automorphism`], with a chosen instruction set.
///
/// # Panics
/// Panics like [`automorphism`], or if the processor lacks the instruction set.
fn automorphism_on(isa: Isa, out: &mut [u64], source: &[u64], exponent: usize) {
    assert!(isa.is_available(), "{isa:?}");
    dispatch!(
        isa,
        [avx2: avx2_automorphism, avx512f: avx512_automorphism],
        automorphism(out, source, exponent)
    );
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
                let mut expected = vec![0; n];
                scalar::automorphism(&mut expected, &source, exponent);
                for isa in Isa::available() {
                    let mut found = vec![0; n];
                    automorphism_on(isa, &mut found, &source, exponent);
                    assert_eq!(found, expected, "{isa:?}, X^{exponent} of degree {n}");
                }
            }
        }
    }
}
