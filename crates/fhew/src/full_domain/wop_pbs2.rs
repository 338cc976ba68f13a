//! WoP-PBS2 (Chillotti, Ligier, Orfila, Tap, ASIACRYPT 2021, "CLOT21"): BFV multiplication of both halves of the table
//! by the sign bit and its complement.

use std::f64::consts::SQRT_2;

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::{HalfTables, check_unscaled_modulus};
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::multi_value::factored_test::FactoredTest;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, half_slot};

/// Computes `(1 - MSB)·f_pos + MSB·f_neg`. Any even p.
///
/// Noise (Table 8 of Ma et al., TCHES 2024): two products by CLOT21's analysis, N times the dominating term of
/// Theorem 10. [`FdfbBfvMult`](crate::full_domain::FdfbBfvMult) needs only one product, with less noise.
#[derive(Clone, Copy, Debug)]
pub struct WopPbs2 {
    /// Whether one rotation serves the three lookups.
    pub multi_value: bool,
}

impl FullDomainMethod for WopPbs2 {
    fn name(&self) -> &'static str {
        if self.multi_value { "WoP-PBS2*" } else { "WoP-PBS2" }
    }

    fn operations(&self) -> Operations {
        let rotations = if self.multi_value { 1 } else { 3 };
        Operations { rotations, packings: 4, products: 2, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let (halves, modulus) = (HalfTables(table), table.output_modulus());
        check_unscaled_modulus(modulus)?;
        // The last test is that of the sign, ±Q/2P.
        if self.multi_value {
            let [positive, negative] = halves.factored(parameters);
            let sign = FactoredTest::sign(parameters.ring_degree(), modulus, 1);
            let factored = vec![positive, negative, sign];
            return Ok(EncodedTable::new(parameters, table, Vec::new(), factored));
        }
        let [positive, negative] = halves.tests(parameters);
        let half_unit = half_slot(modulus, parameters.prime());
        let sign = TestPolynomial::sign(parameters.ring(), half_unit);
        Ok(EncodedTable::new(parameters, table, vec![positive, negative, sign], Vec::new()))
    }

    /// Tables share the sign; with multi-value bootstrapping, the one rotation.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, modulus) = (lookup.key, lookup.output_modulus());
        let parameters = key.parameters();
        let mut raw = lookup.in_all_tests(1, &lookup.phase());
        let sign = raw.pop().expect("a sign");
        let pack = |raw: &LweCiphertext| key.pack(raw, PackedLength::Constant);
        let bit = |mut sign: LweCiphertext| {
            sign.add_constant_assign(half_slot(modulus, parameters.prime()));
            pack(&sign)
        };
        let mut opposite = sign.clone();
        opposite.neg_assign();
        let bits = [bit(sign), bit(opposite)];
        let select = |halves: &[LweCiphertext]| {
            let [mut result, negative] = [0, 1].map(|half| {
                let product = key.bfv_multiply(&bits[half], &pack(&halves[half]), modulus);
                product.extract(parameters.ring(), 0)
            });
            result.add_assign(&negative);
            result
        };
        Ok(raw.chunks_exact(2).map(select).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let rotation = model.blind_rotation();
        let norm = if self.multi_value {
            // The sign shares the rotation, so the table's noise includes the sign's.
            HalfTables::squared_norm(model.parameters(), table) + 1.0
        } else {
            1.0
        };
        let product = model.bfv_multiplication_unrefined(
            model.packed(rotation),
            model.packed(rotation * norm),
            table.output_modulus(),
        );
        MethodNoise {
            // Both halves are multiplied by the sign, so their errors depend on each other.
            output: product.times(SQRT_2).with_independent(model.key_switching().law()),
            decisions: vec![input_decision(model, table.input_modulus(), input)],
        }
    }
}
