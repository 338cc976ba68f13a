//! WoP-PBS2 (Chillotti, Ligier, Orfila, Tap, ASIACRYPT 2021, "CLOT21"): BFV multiplication of both halves of the table
//! by the sign bit and its complement.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Result, Table};

use crate::full_domain::half_tables::{HalfTables, check_unscaled_modulus};
use crate::full_domain::input_phase::{input_decision, input_phase};
use crate::full_domain::method::{FullDomainMethod, MethodNoise, TableKind};
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::{FactoredTest, boot_raw_factored};
use crate::noise::{NoiseModel, Variance};
use crate::packing::trace::PackedLength;
use crate::test_polynomial::TestPolynomial;

/// `(1 - MSB)·f_pos + MSB·f_neg`. Any even p.
///
/// Noise (Table 8 of Ma et al., TCHES 2024): two products, and CLOT21's analysis of them, N times the dominating term
/// of Theorem 10. [`FdfbBfvMult`](crate::full_domain::FdfbBfvMult) needs one product, and less of it.
#[derive(Clone, Copy, Debug)]
pub struct WopPbs2 {
    /// Whether one rotation serves the three lookups.
    pub multi_value: bool,
}

impl WopPbs2 {
    /// LWE modulo Q: f_pos, f_neg, and the sign as ±Q/2P.
    fn look_up(
        self,
        key: &EvaluationKey,
        table: &Table,
        phase: &LweCiphertext,
    ) -> [LweCiphertext; 3] {
        let parameters = key.parameters();
        let (tables, modulus) = (HalfTables(table), table.output_modulus());
        if self.multi_value {
            let [positive, negative] = tables.factored(parameters);
            let sign = FactoredTest::sign(parameters.ring_degree(), modulus, 1);
            let tests = [positive, negative, sign];
            return boot_raw_factored(key, &tests, phase).try_into().expect("three results");
        }
        let unit = (parameters.prime() + modulus) / (2 * modulus);
        [
            tables.test(parameters, modulus, |slot| tables.positive(slot)),
            tables.test(parameters, modulus, |slot| tables.negative(slot)),
            TestPolynomial::sign(parameters.ring(), unit),
        ]
        .map(|test| key.boot_raw(&test, phase))
    }
}

impl FullDomainMethod for WopPbs2 {
    fn name(&self) -> &'static str {
        if self.multi_value { "WoP-PBS2*" } else { "WoP-PBS2" }
    }

    fn rotations(&self) -> usize {
        if self.multi_value { 1 } else { 3 }
    }

    fn packings(&self) -> usize {
        4
    }

    fn products(&self) -> usize {
        2
    }

    fn lookup(
        &self,
        key: &EvaluationKey,
        table: &Table,
        input: &LweCiphertext,
    ) -> Result<LweCiphertext> {
        let (parameters, modulus) = (key.parameters(), table.output_modulus());
        let phase = input_phase(key, input, table.input_modulus())?;
        check_unscaled_modulus(modulus)?;
        let [positive, negative, sign] = self.look_up(key, table, &phase);
        let unit = (parameters.prime() + modulus) / (2 * modulus);
        let select = |value: &LweCiphertext, mut bit: LweCiphertext| {
            bit.add_constant_assign(unit);
            let [bit, value] = [&bit, value].map(|raw| key.pack(raw, PackedLength::Constant));
            key.bfv_multiply(&bit, &value, modulus).extract(parameters.ring(), 0)
        };
        let mut opposite = sign.clone();
        opposite.neg_assign();
        let mut result = select(&positive, sign);
        result.add_assign(&select(&negative, opposite));
        Ok(key.key_switch(&result))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise {
        let rotation = model.blind_rotation();
        let norm = if self.multi_value {
            HalfTables::squared_norm(model.parameters(), table)
        } else {
            1.0
        };
        let product = model.bfv_multiplication_unrefined(
            model.packed(rotation),
            model.packed(rotation * norm),
            table.output_modulus(),
        );
        MethodNoise {
            output: product * 2.0 + model.key_switching(),
            decisions: vec![input_decision(model, table.input_modulus(), input)],
        }
    }
}
