//! FDFB-CancelSign (Algorithm 2 of Ma et al., TCHES 2024): two bootstraps by the same phase, whose signs cancel.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::eval_func::half_domain_test;
use crate::full_domain::input_phase::{extra_bit_decision, input_phase_with_extra_bit};
use crate::full_domain::method::{FullDomainMethod, MethodNoise, TableKind};
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance};
use crate::packing::key_switching::PackingKey;
use crate::packing::trace::PackedLength;
use crate::rlwe::RlweCiphertext;

/// Doubles the modulus, which adds an unknown top bit; looks up, which gives (-1)^MSB·f(m); packs that into all
/// coefficients of a test polynomial, and rotates it by the same phase: another factor (-1)^MSB. Any even p.
///
/// Packs by the trace (line 3): ℓ·log2 N key rows, which every [`EvaluationKey`] has.
///
/// Noise (Theorem 2): two rotations and a packing. The input's margin is that of an extra bit, 1/4p of twice the
/// modulus.
#[derive(Clone, Copy, Debug)]
pub struct FdfbCancelSign;

/// [`FdfbCancelSign`] that packs by key switching, as the paper does: less noise, for ℓ·N key rows more.
///
/// For the default parameters the packing key has 256 MiB, where the trace's has 1.7 MiB
/// ([`crate::packing`]).
#[derive(Clone, Copy, Debug)]
pub struct FdfbCancelSignPackingKs<'a> {
    /// A packing key to all coefficients.
    pub packing_key: &'a PackingKey,
}

/// Algorithm 2, with line 3 as given.
fn lookup_packing(
    key: &EvaluationKey,
    table: &Table,
    input: &LweCiphertext,
    pack: impl FnOnce(&LweCiphertext) -> RlweCiphertext,
) -> Result<LweCiphertext> {
    let phase = input_phase_with_extra_bit(key, input, table.input_modulus())?;
    let signed = key.boot_raw(&half_domain_test(key, table), &phase);
    Ok(key.boot_encrypted(&pack(&signed), &phase))
}

/// Theorem 2, with σ_pk² as given.
fn noise_packing(
    model: &NoiseModel,
    table: TableKind<'_>,
    input: Variance,
    packing: Variance,
) -> MethodNoise {
    MethodNoise {
        output: model.blind_rotation() * 2.0 + packing + model.key_switching(),
        decisions: vec![extra_bit_decision(model, table.input_modulus(), input)],
    }
}

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

    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        lookup_packing(key, table, input, |signed| key.pack(signed, PackedLength::All))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise {
        noise_packing(model, table, input, model.packing(PackedLength::All))
    }
}

impl FullDomainMethod for FdfbCancelSignPackingKs<'_> {
    fn name(&self) -> &'static str {
        "FDFB-CancelSign (PackingKS)"
    }

    fn rotations(&self) -> usize {
        2
    }

    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let packing_key = self.packing_key;
        if packing_key.length() != PackedLength::All || packing_key.parameters() != key.parameters()
        {
            let key = "a packing key of these parameters to all coefficients";
            return Err(Error::MissingKey { method: self.name(), key });
        }
        lookup_packing(key, table, input, |signed| packing_key.pack(signed))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise {
        noise_packing(model, table, input, model.packing_key_switching())
    }
}
