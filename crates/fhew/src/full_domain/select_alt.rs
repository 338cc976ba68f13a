//! FDFB-SelectAlt (Algorithm 4 of Ma et al., TCHES 2024): sum and difference of two tables, with the sign applied
//! to the difference.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Result, Table};

use crate::full_domain::half_tables::{HalfTables, check_unscaled_modulus};
use crate::full_domain::input_phase::{input_decision, input_phase};
use crate::full_domain::method::{FullDomainMethod, MethodNoise, TableKind};
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::boot_raw_factored;
use crate::noise::{NoiseModel, Variance};
use crate::packing::trace::PackedLength;

/// `(f_neg + f_pos)/2 - (-1)^MSB·(f_neg - f_pos)/2`, which is f_pos or f_neg by the sign bit. Any even p.
///
/// The difference is packed into all coefficients of a test polynomial and rotated by the input's phase, which
/// multiplies it by (-1)^MSB. Halves are integers in units of Q/2P; which of their two values does not matter as
/// long as sum and difference agree on it.
///
/// Noise (Theorem 4): three rotations and a packing. With one rotation for the first two lookups (FDFB-SelectAlt*),
/// sum and difference carry the same rotation's errors, so that in their sum what remains is 2·TV_1 of the half of
/// the table that is selected: 4·|TV_1|², and once a rotation. (The paper adds the variances of both, 6p(p - 1)².)
#[derive(Clone, Copy, Debug)]
pub struct FdfbSelectAlt {
    /// Whether one rotation serves the first two lookups.
    pub multi_value: bool,
}

impl FdfbSelectAlt {
    /// Half the sum and half the difference of f_neg and f_pos, LWE modulo Q.
    fn halves(
        self,
        key: &EvaluationKey,
        table: &Table,
        phase: &LweCiphertext,
    ) -> [LweCiphertext; 2] {
        let parameters = key.parameters();
        let tables = HalfTables(table);
        if self.multi_value {
            let [positive, negative] = tables.factored(parameters);
            let tests = [negative.half_sum(&positive), negative.half_difference(&positive)];
            return boot_raw_factored(key, &tests, phase).try_into().expect("two results");
        }
        let modulus = 2 * table.output_modulus();
        let sum = |slot| (tables.negative(slot) + tables.positive(slot)) % modulus;
        let difference = |slot| (modulus + tables.negative(slot) - tables.positive(slot)) % modulus;
        [
            key.boot_raw(&tables.test(parameters, modulus, sum), phase),
            key.boot_raw(&tables.test(parameters, modulus, difference), phase),
        ]
    }
}

impl FullDomainMethod for FdfbSelectAlt {
    fn name(&self) -> &'static str {
        if self.multi_value { "FDFB-SelectAlt*" } else { "FDFB-SelectAlt" }
    }

    fn rotations(&self) -> usize {
        if self.multi_value { 2 } else { 3 }
    }

    fn packings(&self) -> usize {
        1
    }

    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let phase = input_phase(key, input, table.input_modulus())?;
        if self.multi_value {
            check_unscaled_modulus(table.output_modulus())?;
        }
        let [mut result, difference] = self.halves(key, table, &phase);
        let packed = key.pack(&difference, PackedLength::All);
        result.sub_assign(&key.boot_raw_encrypted(&packed, &phase));
        Ok(key.key_switch(&result))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise {
        let lookups = if self.multi_value {
            4.0 * HalfTables::squared_norm(model.parameters(), table)
        } else {
            2.0
        };
        MethodNoise {
            output: model.blind_rotation() * (lookups + 1.0)
                + model.packing(PackedLength::All)
                + model.key_switching(),
            decisions: vec![input_decision(model, table.input_modulus(), input)],
        }
    }
}
