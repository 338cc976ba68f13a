//! Tables with an odd number of inputs: one bootstrap for any table.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::noise::NoiseModel;
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode_output};

/// Looks up by one bootstrap: for odd p no value is opposite to another, as m/p + 1/2 = (2m + p)/2p, and 2m + p is odd.
///
/// The domain has 2p slots of width 1/2p, centred at j/2p. Slots with even j belong to m = j/2; slots with odd j are
/// opposite to m = (j - p)/2 modulo p, and negacyclicity fills them with -f(m). Odd p >= 3.
///
/// Noise: that of one bootstrap. The input's margin is 1/4p, half that of even moduli.
#[derive(Clone, Copy, Debug)]
pub struct OddModulus;

impl OddModulus {
    fn test(parameters: &Parameters, table: &Table) -> TestPolynomial {
        let (p, degree) = (table.input_modulus(), parameters.ring_degree() as u64);
        TestPolynomial::from_fn(parameters.ring(), |x| {
            // The nearest centre: ⌊x·2p/2N⌉.
            let slot = (2 * x * p + degree) / (2 * degree);
            if slot % 2 == 0 {
                encode_output(table, parameters.prime(), slot / 2)
            } else {
                parameters.modulus().neg(encode_output(table, parameters.prime(), (slot + p) / 2))
            }
        })
    }
}

impl FullDomainMethod for OddModulus {
    fn name(&self) -> &'static str {
        "odd modulus"
    }

    fn operations(&self) -> Operations {
        Operations { rotations: 1, ..Operations::KEY_SWITCH }
    }

    /// Checks that the modulus is odd and leaves at least two phases for every value and for its opposite.
    fn check_input_modulus(&self, parameters: &Parameters, modulus: u64) -> Result<()> {
        let limit = parameters.rotation_modulus() / 4;
        if modulus % 2 == 1 && (3..=limit).contains(&modulus) {
            return Ok(());
        }
        let reason = format!("it must be odd and from 3 to {limit}");
        Err(Error::PlaintextModulus { modulus, reason })
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let tests = vec![Self::test(parameters, table)];
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    /// Bootstraps once per table; tables share only the reading of the key by the key switch.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let two_n = lookup.key.parameters().rotation_modulus();
        Ok(lookup.in_test(0, &lookup.key.to_rotation_modulus(lookup.input, two_n)))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        MethodNoise {
            output: (model.blind_rotation() + model.key_switching()).law(),
            // Half the margin of even moduli: slots are of width 1/2p.
            decisions: vec![input_decision(model, 2 * table.input_modulus(), input)],
        }
    }
}
