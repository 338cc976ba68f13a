//! FDFB-CancelSign (Algorithm 2 of Ma et al., TCHES 2024): two bootstraps by the same phase, the signs of which cancel.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::eval_func::half_domain_test;
use crate::full_domain::input_decision::extra_bit_decision;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;

/// Doubles the modulus, which adds an unknown top bit; looks up (-1)^MSB·f(m); packs it into all coefficients of a test
/// polynomial; and rotates that by the same phase, which multiplies by (-1)^MSB again. Any even p.
///
/// Packs by the trace (line 3) instead of the paper's packing key. Every evaluation key has its ℓ·log2 N rows anyway.
///
/// Noise (Theorem 2): two rotations and a packing. The input's margin is that of an extra bit, 1/4p of twice the
/// modulus.
#[derive(Clone, Copy, Debug)]
pub struct FdfbCancelSign;

impl FullDomainMethod for FdfbCancelSign {
    fn name(&self) -> &'static str {
        "FDFB-CancelSign"
    }

    fn operations(&self) -> Operations {
        Operations { rotations: 2, packings: 1, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let tests = vec![half_domain_test(parameters, table)];
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, phase) = (lookup.key, lookup.phase_with_extra_bit());
        let cancel = |signed: &LweCiphertext| {
            key.boot_raw_encrypted(&key.pack(signed, PackedLength::All), &phase)
        };
        Ok(lookup.in_test(0, &phase).iter().map(cancel).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let (rotations, packing) = (model.blind_rotation() * 2.0, model.packing(PackedLength::All));
        MethodNoise {
            output: (rotations + packing + model.key_switching()).law(),
            decisions: vec![extra_bit_decision(model, table.input_modulus(), input)],
        }
    }
}
