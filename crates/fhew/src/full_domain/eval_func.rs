//! EvalFunc (Liu, Micciancio, Polyakov, ASIACRYPT 2022, "LMP22"): two bootstraps, the first of which finds a bit.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::input_decision::extra_bit_decision;
use crate::full_domain::method::{Decision, FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::{TableLookup, with_extra_bit};
use crate::noise::NoiseModel;
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode_output, slot_of};

/// Doubles the modulus, which adds an unknown top bit; finds the bit by a bootstrap and cancels it; looks up in the
/// remaining half of the domain. Any even p.
///
/// The phase, as a fraction of the doubled modulus, is `x = MSB/2 + (m + 1/2)/2p`. The first bootstrap returns
/// `(-1)^MSB/4 = 1/4 - MSB/2`, so that `x + (-1)^MSB/4 - 1/4` is below 1/2.
///
/// Noise: that of one bootstrap. The second lookup's phase carries the noise of the input and of the first bootstrap
/// (Table 8 of Ma et al., TCHES 2024: 2σ_boot²), against a margin of 1/4p. The two are added at the LWE modulus, so that
/// one switch to 2N counts instead of two.
#[derive(Clone, Copy, Debug)]
pub struct EvalFunc;

/// Returns the test polynomial of the whole table over half the domain: phase x = m·N/p, below N, belongs to m.
pub(crate) fn half_domain_test(parameters: &Parameters, table: &Table) -> TestPolynomial {
    let degree = parameters.ring_degree() as u64;
    TestPolynomial::from_fn(parameters.ring(), |x| {
        encode_output(table, parameters.prime(), slot_of(x, table.input_modulus(), degree))
    })
}

impl FullDomainMethod for EvalFunc {
    fn name(&self) -> &'static str {
        "EvalFunc"
    }

    fn operations(&self) -> Operations {
        Operations { rotations: 2, key_switches: 2, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let tests = vec![half_domain_test(parameters, table)];
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    /// Tables share the bootstrap of the extra bit.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, parameters) = (lookup.key, lookup.key.parameters());
        let two_n = parameters.rotation_modulus();
        let mut sum = with_extra_bit(lookup.input, lookup.input_modulus());
        let sign = TestPolynomial::sign(parameters.ring(), (parameters.prime() + 2) / 4);
        let mut bit = key.boot(&sign, &key.to_rotation_modulus(&sum, two_n));
        // The same fraction of twice the modulus, exactly.
        bit = bit.mod_up(sum.modulus());
        bit.mul_integer_assign(2);
        sum.add_assign(&bit);
        sum.add_constant_assign(sum.modulus() / 4 * 3);
        Ok(lookup.in_test(0, &key.to_rotation_modulus(&sum, two_n)))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let p = table.input_modulus();
        MethodNoise {
            output: (model.blind_rotation() + model.key_switching()).law(),
            decisions: vec![
                extra_bit_decision(model, p, input),
                Decision {
                    name: "input without the extra bit",
                    noise: input.times(0.5).with_independent(model.bootstrap().law()),
                    margin: 0.25 / p as f64,
                },
            ],
        }
    }
}
