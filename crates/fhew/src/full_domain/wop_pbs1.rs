//! WoP-PBS1 (Chillotti, Ligier, Orfila, Tap, ASIACRYPT 2021, "CLOT21") and WoPPBS1-Refine (Algorithm 5 of Ma et al.,
//! TCHES 2024): one circuit with two analyses of its noise.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::eval_func::half_domain_test;
use crate::full_domain::half_tables::check_unscaled_modulus;
use crate::full_domain::input_decision::extra_bit_decision;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::multi_value::factored_test::{FactoredTest, UnscaledTest};
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode, slot_of};

/// Doubles the modulus, which adds an unknown top bit; looks up (-1)^MSB·f(m) and (-1)^MSB, and multiplies them. Any
/// even p.
///
/// Noise (Theorem 5): `P²·σ_u²·(σ_f² + σ_sgn²)` dominates (see `crate::multiplication`). CLOT21 assumes N times more, and
/// so needs finer gadgets. The input's margin is that of an extra bit, 1/4p of twice the modulus.
#[derive(Clone, Copy, Debug)]
pub struct WopPbs1 {
    /// Whether noise is predicted by WoPPBS1-Refine instead of CLOT21.
    pub refined: bool,
    /// Whether one rotation serves both lookups.
    pub multi_value: bool,
}

impl WopPbs1 {
    /// Returns the whole table over half the domain, in units of Q/P.
    fn unscaled(parameters: &Parameters, table: &Table) -> UnscaledTest {
        let degree = parameters.ring_degree();
        UnscaledTest::from_fn(degree, table.output_modulus(), |x| {
            table.output(slot_of(x, table.input_modulus(), degree as u64))
        })
    }

    /// Returns |TV_1|² of the table and of the sign.
    fn squared_norms(self, parameters: &Parameters, table: TableKind<'_>) -> [f64; 2] {
        if !self.multi_value {
            return [1.0, 1.0];
        }
        let norm = match table {
            TableKind::Given(table) => Self::unscaled(parameters, table).squared_norm(),
            TableKind::Worst { input_modulus, output_modulus } => {
                UnscaledTest::worst_squared_norm(input_modulus, output_modulus)
            }
        };
        // The sign shares the rotation, so the table's noise includes the sign's.
        [norm + 4.0, 4.0]
    }
}

impl FullDomainMethod for WopPbs1 {
    fn name(&self) -> &'static str {
        match (self.refined, self.multi_value) {
            (false, false) => "WoP-PBS1",
            (false, true) => "WoP-PBS1*",
            (true, false) => "WoPPBS1-Refine",
            (true, true) => "WoPPBS1-Refine*",
        }
    }

    fn operations(&self) -> Operations {
        let rotations = if self.multi_value { 1 } else { 2 };
        Operations { rotations, packings: 2, products: 1, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let modulus = table.output_modulus();
        check_unscaled_modulus(modulus)?;
        // The last test is that of (-1)^MSB·Q/P.
        let (tests, factored) = if self.multi_value {
            let sign = FactoredTest::sign(parameters.ring_degree(), modulus, 2);
            (Vec::new(), vec![Self::unscaled(parameters, table).factored(), sign])
        } else {
            let unit = encode(1, modulus, parameters.prime());
            let sign = TestPolynomial::sign(parameters.ring(), unit);
            (vec![half_domain_test(parameters, table), sign], Vec::new())
        };
        Ok(EncodedTable::new(parameters, table, tests, factored))
    }

    /// Tables share the sign; with multi-value bootstrapping, the one rotation.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, modulus) = (lookup.key, lookup.output_modulus());
        let raw = lookup.in_all_tests(1, &lookup.phase_with_extra_bit());
        let mut packed: Vec<_> =
            raw.iter().map(|raw| key.pack(raw, PackedLength::Constant)).collect();
        let sign = packed.pop().expect("a sign");
        let ring = key.parameters().ring();
        let product = |signed| key.bfv_multiply(&sign, signed, modulus).extract(ring, 0);
        Ok(packed.iter().map(product).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let [value, sign] = self
            .squared_norms(model.parameters(), table)
            .map(|norm| model.packed(model.blind_rotation() * norm));
        let modulus = table.output_modulus();
        let product = if self.refined {
            model.bfv_multiplication(sign, value, modulus)
        } else {
            model.bfv_multiplication_unrefined(sign, value, modulus)
        };
        MethodNoise {
            output: product.with_independent(model.key_switching().law()),
            decisions: vec![extra_bit_decision(model, table.input_modulus(), input)],
        }
    }
}
