//! FDFB-CancelSign (Algorithm 2 of Ma et al., TCHES 2024): two bootstraps by the same phase, whose signs cancel.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::eval_func::half_domain_test;
use crate::full_domain::input_phase::{extra_bit_decision, input_phase_with_extra_bit};
use crate::full_domain::method::{FullDomainMethod, MethodNoise, TableKind};
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;

/// Doubles the modulus, which adds an unknown top bit; looks up, which gives (-1)^MSB·f(m); packs that into all
/// coefficients of a test polynomial, and rotates it by the same phase: another factor (-1)^MSB. Any even p.
///
/// Packs by the trace (line 3) in place of the paper's packing key: its ℓ·log2 N rows are a part of every [`EvaluationKey`].
///
/// Noise (Theorem 2): two rotations and a packing. The input's margin is that of an extra bit, 1/4p of twice the
/// modulus.
#[derive(Clone, Copy, Debug)]
pub struct FdfbCancelSign;

impl FullDomainMethod for FdfbCancelSign {
    fn name(&self) -> &'static str {
        "FDFB-CancelSign"
    }

    fn rotations(&self) -> usize {
        2
    }

    fn packings(&self) -> usize {
        1
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        parameters.check_plaintext_modulus(table.input_modulus())?;
        let tests = vec![half_domain_test(parameters, table)];
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    fn evaluate(
        &self,
        key: &EvaluationKey,
        tables: &[&EncodedTable],
        input: &LweCiphertext,
    ) -> Result<Vec<LweCiphertext>> {
        let phase = input_phase_with_extra_bit(key, input, tables[0].input_modulus())?;
        let look_up = |table: &&EncodedTable| {
            let signed = key.boot_raw(table.test(0), &phase);
            key.boot_raw_encrypted(&key.pack(&signed, PackedLength::All), &phase)
        };
        Ok(key.key_switch_all(&tables.iter().map(look_up).collect::<Vec<_>>()))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let (rotations, packing) = (model.blind_rotation() * 2.0, model.packing(PackedLength::All));
        MethodNoise {
            output: (rotations + packing + model.key_switching()).law(),
            decisions: vec![extra_bit_decision(model, table.input_modulus(), input)],
        }
    }
}
