//! FDFB-SelectAlt (Algorithm 4 of Ma et al., TCHES 2024): sum and difference of two tables, with the sign applied
//! to the difference.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::{HalfTables, check_unscaled_modulus};
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;

/// Computes `(f_neg + f_pos)/2 - (-1)^MSB·(f_neg - f_pos)/2`, which is f_pos or f_neg by the sign bit. Any even p.
///
/// The difference is packed into all coefficients of a test polynomial and rotated by the input's phase, which
/// multiplies it by (-1)^MSB. Halves are integers in units of Q/2P. Each half has two possible values; either one works
/// as long as sum and difference agree on it.
///
/// Noise (Theorem 4): three rotations and a packing. With one rotation for the first two lookups (FDFB-SelectAlt*), sum
/// and difference carry the same rotation's errors, so their sum keeps 2·TV_1 of the half of the table that is selected:
/// 4·|TV_1|², plus one rotation. (The paper adds the variances of both, 6p(p - 1)².)
#[derive(Clone, Copy, Debug)]
pub struct FdfbSelectAlt {
    /// Whether one rotation serves the first two lookups.
    pub multi_value: bool,
}

impl FullDomainMethod for FdfbSelectAlt {
    fn name(&self) -> &'static str {
        if self.multi_value { "FDFB-SelectAlt*" } else { "FDFB-SelectAlt" }
    }

    fn operations(&self) -> Operations {
        let rotations = if self.multi_value { 2 } else { 3 };
        Operations { rotations, packings: 1, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let tables = HalfTables(table);
        if self.multi_value {
            check_unscaled_modulus(table.output_modulus())?;
            let [positive, negative] = tables.factored(parameters);
            let factored = vec![negative.half_sum(&positive), negative.half_difference(&positive)];
            return Ok(EncodedTable::new(parameters, table, Vec::new(), factored));
        }
        let modulus = 2 * table.output_modulus();
        let sum = |slot| (tables.negative(slot) + tables.positive(slot)) % modulus;
        let difference = |slot| (modulus + tables.negative(slot) - tables.positive(slot)) % modulus;
        let tests = vec![
            tables.test(parameters, modulus, sum),
            tables.test(parameters, modulus, difference),
        ];
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    /// With multi-value bootstrapping, tables share the first rotation.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, phase) = (lookup.key, lookup.phase());
        // Half the sum and half the difference of f_neg and f_pos, of every table.
        let halves = lookup.in_all_tests(0, &phase);
        let select = |halves: &[LweCiphertext]| {
            let mut result = halves[0].clone();
            let packed = key.pack(&halves[1], PackedLength::All);
            result.sub_assign(&key.boot_raw_encrypted(&packed, &phase));
            result
        };
        Ok(halves.chunks_exact(2).map(select).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let lookups = if self.multi_value {
            4.0 * HalfTables::squared_norm(model.parameters(), table)
        } else {
            2.0
        };
        let output = model.blind_rotation() * (lookups + 1.0)
            + model.packing(PackedLength::All)
            + model.key_switching();
        MethodNoise {
            output: output.law(),
            decisions: vec![input_decision(model, table.input_modulus(), input)],
        }
    }
}
