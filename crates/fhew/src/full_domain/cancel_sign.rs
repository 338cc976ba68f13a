//! FDFB-CancelSign (Algorithm 2 of Ma et al., TCHES 2024): two bootstraps by the same phase, whose signs cancel.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::eval_func::half_domain_test;
use crate::full_domain::input_phase::{extra_bit_decision, input_phase_with_extra_bit};
use crate::full_domain::method::{FullDomainMethod, MethodNoise, TableKind};
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance};
use crate::packing::key_switching::PackingKey;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
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

/// Encodes a table for both kinds of lookup.
fn encode_half_domain(parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
    parameters.check_plaintext_modulus(table.input_modulus())?;
    let tests = vec![half_domain_test(parameters, table)];
    Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
}

/// Algorithm 2, with line 3 as given, table after table.
fn lookup_packing(
    key: &EvaluationKey,
    tables: &[&EncodedTable],
    input: &LweCiphertext,
    pack: impl Fn(&LweCiphertext) -> RlweCiphertext,
) -> Result<Vec<LweCiphertext>> {
    let phase = input_phase_with_extra_bit(key, input, tables[0].input_modulus())?;
    let look_up = |table: &&EncodedTable| {
        let signed = key.boot_raw(table.test(0), &phase);
        key.boot_raw_encrypted(&pack(&signed), &phase)
    };
    Ok(key.key_switch_all(&tables.iter().map(look_up).collect::<Vec<_>>()))
}

/// Theorem 2, with σ_pk² as given.
fn noise_packing(
    model: &NoiseModel,
    table: TableKind<'_>,
    input: NoiseLaw,
    packing: Variance,
) -> MethodNoise {
    MethodNoise {
        output: (model.blind_rotation() * 2.0 + packing + model.key_switching()).law(),
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

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        encode_half_domain(parameters, table)
    }

    fn evaluate(
        &self,
        key: &EvaluationKey,
        tables: &[&EncodedTable],
        input: &LweCiphertext,
    ) -> Result<Vec<LweCiphertext>> {
        lookup_packing(key, tables, input, |signed| key.pack(signed, PackedLength::All))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
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

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        encode_half_domain(parameters, table)
    }

    fn evaluate(
        &self,
        key: &EvaluationKey,
        tables: &[&EncodedTable],
        input: &LweCiphertext,
    ) -> Result<Vec<LweCiphertext>> {
        let packing_key = self.packing_key;
        if packing_key.length() != PackedLength::All || packing_key.parameters() != key.parameters()
        {
            let key = "a packing key of these parameters to all coefficients";
            return Err(Error::MissingKey { method: self.name(), key });
        }
        lookup_packing(key, tables, input, |signed| packing_key.pack(signed))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        noise_packing(model, table, input, model.packing_key_switching())
    }
}
