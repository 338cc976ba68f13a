//! FDFB-CancelSign (Algorithm 2 of Ma et al., TCHES 2024): two bootstraps by the same phase, whose signs cancel.

use cryptable_rlwe::lwe::LweCiphertext;

use crate::error::Result;
use crate::evaluation_key::EvaluationKey;
use crate::full_domain::eval_func::{extra_bit_decision, half_domain_test, with_extra_bit};
use crate::full_domain::{FullDomainMethod, MethodNoise, TableKind};
use crate::noise::{NoiseModel, Variance};
use crate::table::Table;
use crate::trace_packing::PackedLength;

/// Doubles the modulus, which adds an unknown top bit; looks up, which gives (-1)^MSB·f(m); packs that into all
/// coefficients of a test polynomial, and rotates it by the same phase: another factor (-1)^MSB. Any even p.
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

    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table<'_>,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        key.check(input)?;
        let parameters = key.parameters();
        parameters.check_plaintext_modulus(table.input_modulus())?;
        let phase = with_extra_bit(input, table.input_modulus());
        let phase = key.to_rotation_modulus(&phase, parameters.rotation_modulus());
        let signed = key.boot_raw(&half_domain_test(key, table), &phase);
        let packed = key.pack(&signed, PackedLength::All);
        Ok(key.boot_encrypted(&packed, &phase))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise {
        MethodNoise {
            output: model.blind_rotation() * 2.0
                + model.packing(PackedLength::All)
                + model.key_switching(),
            decisions: vec![extra_bit_decision(model, table.input_modulus(), input)],
        }
    }
}
