//! FDFB-Select (Algorithm 3 of Ma et al., TCHES 2024): a bootstrap selects between the results of two tables.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::{HalfTables, check_unscaled_modulus};
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{Decision, FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::multi_value::factored_test::FactoredTest;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::test_polynomial::TestPolynomial;

/// Looks up in both halves of the table; packs the first result into the lower half of a test polynomial's
/// coefficients and the negative of the second into the upper half; rotates by ±1/8, the sign. Any even p.
///
/// Noise (Theorem 3): two rotations and two packings. With one rotation for the first three lookups (FDFB-Select*),
/// the noise of the first rotation counts |TV_1|² times, for the half of the table that is selected.
#[derive(Clone, Copy, Debug)]
pub struct FdfbSelect {
    /// Whether one rotation serves the first three lookups.
    pub multi_value: bool,
}

/// Finds the constant TV_1 of the sign that is nearest to 1/8, in units of 1/2P; for P < 4 units are halved.
///
/// Returns the factor by which units are finer, and the constant.
fn sign_units(output_modulus: u64) -> (u64, u64) {
    let finer = if output_modulus < 4 { 2 } else { 1 };
    let quarter = (finer * output_modulus + 2) / 4;
    (finer, quarter)
}

impl FullDomainMethod for FdfbSelect {
    fn name(&self) -> &'static str {
        if self.multi_value { "FDFB-Select*" } else { "FDFB-Select" }
    }

    fn operations(&self) -> Operations {
        let rotations = if self.multi_value { 2 } else { 4 };
        Operations { rotations, packings: 2, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let (halves, modulus) = (HalfTables(table), table.output_modulus());
        if self.multi_value {
            check_unscaled_modulus(modulus)?;
            let (finer, constant) = sign_units(modulus);
            let [positive, negative] = halves.factored(parameters).map(|test| test.finer(finer));
            let degree = parameters.ring_degree();
            let sign = FactoredTest::sign(degree, finer * modulus, constant as i64);
            let factored = vec![positive, negative, sign];
            return Ok(EncodedTable::new(parameters, table, Vec::new(), factored));
        }
        let [positive, negative] = halves.tests(parameters);
        let sign = TestPolynomial::sign(parameters.ring(), (parameters.prime() + 4) / 8);
        Ok(EncodedTable::new(parameters, table, vec![positive, negative, sign], Vec::new()))
    }

    /// Tables share the sign; with multi-value bootstrapping, the rotation of all lookups by the input's phase.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, phase) = (lookup.key, lookup.phase());
        let mut raw = lookup.in_all_tests(1, &phase);
        let sign = raw.pop().expect("a sign");
        let sign = key.to_rotation_modulus(&key.key_switch(&sign), phase.modulus());
        let ring = key.parameters().ring();
        let select = |halves: &[LweCiphertext]| {
            let upper = key.pack(&halves[1], PackedLength::Half);
            let mut packed = key.pack(&halves[0], PackedLength::Half);
            packed.sub_assign(ring, &upper.times_monomial(ring, ring.degree() / 2));
            key.boot_raw_encrypted(&packed, &sign)
        };
        Ok(raw.chunks_exact(2).map(select).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let rotation = model.blind_rotation();
        let mut lookup = rotation;
        let (mut sign, mut margin) = (rotation, 0.125);
        if self.multi_value {
            let (finer, constant) = sign_units(table.output_modulus());
            let finer = finer as f64;
            let norm = HalfTables::squared_norm(model.parameters(), table);
            let amplitude = constant as f64 / (2.0 * finer * table.output_modulus() as f64);
            lookup = rotation * (norm * finer * finer);
            sign = rotation * (constant as f64).powi(2);
            margin = amplitude.min(0.25 - amplitude);
        }
        let sign = sign + model.common(model.parameters().rotation_modulus());
        let sign = Decision { name: "sign", noise: sign.law(), margin };
        let packings = model.packing(PackedLength::Half) * 2.0;
        MethodNoise {
            output: (lookup + rotation + packings + model.key_switching()).law(),
            decisions: vec![input_decision(model, table.input_modulus(), input), sign],
        }
    }
}
