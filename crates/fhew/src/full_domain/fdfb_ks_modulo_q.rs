//! FDFB-KS as published (Kluczniak, Schild, TCHES 2023, "KS22"; Table 8 of Ma et al., TCHES 2024): the test polynomial
//! that the sign bit selects is decomposed modulo Q.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::HalfTables;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::sign_selection;
use crate::full_domain::table_lookup::TableLookup;
use crate::noise::NoiseModel;
use crate::parameters::Parameters;
use crate::test_polynomial::encode;

/// d_g1: three digits are too noisy for p = 16 under a prime of 47 bits; the paper's fastest rows also have four.
const DIGITS: u32 = 4;

/// Rotates f_pos + MSB·(f_neg - f_pos) by the input's phase, the difference decomposed modulo Q with d_g1 = 4 balanced
/// digits of base B = 2^⌈log2 Q/4⌉, each times a packed bootstrap of the sign, MSB·B^k: five bootstraps. Any even p.
///
/// [`FdfbKs`](crate::full_domain::FdfbKs) decomposes integers modulo P instead, with one or two digits.
///
/// Noise (Table 8): `σ_acc² + d_g1·B²/4·(σ_acc² + N·σ_pk²)` for the worst table; for a known table, the digits' mean square
/// replaces B²/4. Only the constant coefficient of a sign's bootstrap carries noise, where the paper counts all N.
#[derive(Clone, Copy, Debug)]
pub struct FdfbKsModuloQ;

/// log2 of B.
fn base_log2(parameters: &Parameters) -> u32 {
    (parameters.prime().ilog2() + 1).div_ceil(DIGITS)
}

/// Returns the balanced digits of a number modulo Q, the least significant first; the last one is what remains.
fn split(parameters: &Parameters, value: u64) -> Vec<i64> {
    let base_log2 = base_log2(parameters);
    let (base, half) = (1i64 << base_log2, 1i64 << (base_log2 - 1));
    let mut rest = parameters.modulus().center(value);
    let mut digits = Vec::new();
    for _ in 1..DIGITS {
        let digit = (rest + half).rem_euclid(base) - half;
        digits.push(digit);
        rest = (rest - digit) >> base_log2;
    }
    digits.push(rest);
    digits
}

/// Returns the digits of f_neg - f_pos at slot m below p/2, as phases modulo Q.
fn difference(parameters: &Parameters, tables: &HalfTables<'_>, slot: u64) -> Vec<i64> {
    let modulus = tables.0.output_modulus();
    let phase = |value| encode(value, modulus, parameters.prime());
    let difference =
        parameters.modulus().sub(phase(tables.negative(slot)), phase(tables.positive(slot)));
    split(parameters, difference)
}

impl FullDomainMethod for FdfbKsModuloQ {
    fn name(&self) -> &'static str {
        "FDFB-KS, modulo Q"
    }

    fn operations(&self) -> Operations {
        sign_selection::operations(DIGITS as usize)
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let digits = |tables: &HalfTables<'_>, slot| difference(parameters, tables, slot);
        Ok(sign_selection::encode(parameters, table, digits))
    }

    /// Tables share the bootstraps of the sign.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let parameters = lookup.key.parameters();
        let (m, base_log2) = (parameters.modulus(), base_log2(parameters));
        let half = m.inv(2);
        let half_weights = (0..DIGITS).map(|k| m.mul(half, m.reduce(1 << (k * base_log2))));
        Ok(sign_selection::look_up(lookup, half_weights))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let parameters = model.parameters();
        let square = match table {
            TableKind::Given(table) => sign_selection::mean_square(table, |tables, slot| {
                difference(parameters, tables, slot)
            }),
            TableKind::Worst { .. } => {
                f64::from(DIGITS) * f64::from(2 * base_log2(parameters) - 2).exp2()
            }
        };
        sign_selection::noise(model, table, input, square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_balanced_and_come_back() {
        let parameters = Parameters::insecure_toy();
        let base = 1i64 << base_log2(&parameters);
        let q = parameters.prime();
        for value in [0, 1, q - 1, q / 2, q / 2 + 1, q / 3, q - q / 16] {
            let digits = split(&parameters, value);
            assert_eq!(digits.len(), DIGITS as usize);
            assert!(digits.iter().all(|digit| digit.abs() <= base / 2), "{digits:?}");
            let sum = digits.iter().rev().fold(0, |sum, digit| sum * base + digit);
            assert_eq!(parameters.modulus().reduce_i64(sum), value);
        }
    }
}
