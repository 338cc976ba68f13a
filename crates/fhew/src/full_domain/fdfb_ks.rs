//! FDFB-KS (Kluczniak, Schild, TCHES 2023, "KS22") with digits of integers modulo P: a bootstrap with a test polynomial
//! that an encrypted sign bit selects.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::HalfTables;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::sign_selection;
use crate::full_domain::table_lookup::TableLookup;
use crate::noise::NoiseModel;
use crate::parameters::Parameters;

/// Rotates f_pos + MSB·(f_neg - f_pos) by the input's phase. The difference is written as integers modulo P in balanced
/// digits, and each digit is multiplied by a packed bootstrap of the sign, MSB·B^k·Q/P. Any even p.
///
/// Kluczniak and Schild decompose the test polynomial modulo Q, with d_g1 = ⌈log_B Q⌉ bootstraps (Table 8 of Ma et
/// al., TCHES 2024: d_g1 + 1), as in [`FdfbKsModuloQ`](crate::full_domain::FdfbKsModuloQ). Decomposing the integers
/// modulo P that it encodes needs only ⌈log_B P⌉; with one digit, the whole method needs two bootstraps.
///
/// Noise: that of the selection by a sign (`sign_selection.rs`).
#[derive(Clone, Copy, Debug)]
pub struct FdfbKs {
    /// Number of digits of values modulo P: more digits mean less noise and more bootstraps.
    pub digits: usize,
}

impl FdfbKs {
    /// Returns the least base B with P <= B^digits.
    fn base(self, modulus: u64) -> u64 {
        let power = |base: u64| base.saturating_pow(self.digits as u32);
        let mut base = (modulus as f64).powf(1.0 / self.digits as f64).floor() as u64;
        while power(base) < modulus {
            base += 1;
        }
        base
    }

    /// Returns the balanced digits of `value` modulo P, the least significant first; the last one is what remains.
    fn split(self, value: u64, modulus: u64) -> Vec<i64> {
        let base = self.base(modulus) as i64;
        let centred = |x: i64, q: i64| if 2 * x > q { x - q } else { x };
        let mut rest = centred(value as i64, modulus as i64);
        (1..=self.digits)
            .map(|k| {
                let last = k == self.digits;
                let digit = if last { rest } else { centred(rest.rem_euclid(base), base) };
                rest = (rest - digit) / base;
                digit
            })
            .collect()
    }

    /// Returns the digits of f_neg - f_pos at slot m below p/2.
    fn difference(self, tables: &HalfTables<'_>, slot: u64) -> Vec<i64> {
        self.split(tables.difference(slot), tables.0.output_modulus())
    }

    /// Returns Σ_k v_k(m)², averaged over m; for the worst table, its maximum.
    fn mean_square(self, table: TableKind<'_>) -> f64 {
        match table {
            TableKind::Given(table) => {
                sign_selection::mean_square(table, |tables, slot| self.difference(tables, slot))
            }
            TableKind::Worst { output_modulus, .. } => {
                // The last digit includes the carry, so it may be one more than half the base.
                let carry = if self.digits == 1 { 0.0 } else { 1.0 };
                let digit = self.base(output_modulus) as f64 / 2.0;
                (self.digits - 1) as f64 * digit.powi(2) + (digit + carry).powi(2)
            }
        }
    }

    fn check(self, parameters: &Parameters, table: &Table) -> Result<()> {
        let modulus = table.output_modulus();
        if self.digits == 0 || modulus > parameters.prime() >> 16 {
            let reason = format!("it is too large for {} digits", self.digits);
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        Ok(())
    }
}

impl FullDomainMethod for FdfbKs {
    fn name(&self) -> &'static str {
        match self.digits {
            1 => "FDFB-KS",
            2 => "FDFB-KS, 2 digits",
            _ => "FDFB-KS, more digits",
        }
    }

    fn operations(&self) -> Operations {
        sign_selection::operations(self.digits)
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        self.check(parameters, table)?;
        Ok(sign_selection::encode(parameters, table, |tables, slot| self.difference(tables, slot)))
    }

    /// Tables share the bootstraps of the sign.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let modulus = lookup.output_modulus();
        let prime = u128::from(lookup.key.parameters().prime());
        // B^k·Q/2P.
        let half_weights = (0..self.digits).map(|k| {
            let weight = u128::from(self.base(modulus).pow(k as u32));
            (weight * prime / (2 * u128::from(modulus))) as u64
        });
        Ok(sign_selection::look_up(lookup, half_weights))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        sign_selection::noise(model, table, input, self.mean_square(table))
    }
}
