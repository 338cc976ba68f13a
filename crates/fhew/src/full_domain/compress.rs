//! FDFB-Compress (Algorithm 1 of Ma et al., TCHES 2024): two bootstraps, the first of which compresses the phase.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{Decision, FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::NoiseModel;
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode_output, slot_of};

/// Maps the phase of m to ±(m mod p/2 + 1/2)·q/2p, then looks that up in half the domain.
///
/// By equations (1) and (2), the upper half of the domain (m >= p/2) comes out negative, so both halves together stay
/// within (-q/4, q/4), and no two phases are opposite. Any even p.
///
/// Noise (Theorem 1): that of one bootstrap; the compressed phase needs an error below q/4p.
#[derive(Clone, Copy, Debug)]
pub struct FdfbCompress;

impl FdfbCompress {
    /// Returns the test polynomial of f_C, with values modulo Q.
    pub(crate) fn compression(parameters: &Parameters, p: u64) -> TestPolynomial {
        let (two_n, q) = (parameters.rotation_modulus(), u128::from(parameters.prime()));
        TestPolynomial::from_fn(parameters.ring(), |x| {
            let slot = u128::from(slot_of(x, p, two_n));
            // (slot + 1/2)·Q/2p, rounded.
            (((2 * slot + 1) * q + 2 * u128::from(p)) / (4 * u128::from(p))) as u64
        })
    }

    /// Compresses a phase by the first bootstrap, with the test polynomial of [`FdfbCompress::compression`]. The result is
    /// a phase modulo 2N.
    pub(crate) fn compressed(
        key: &EvaluationKey,
        compression: &TestPolynomial,
        phase: &LweCiphertext,
    ) -> LweCiphertext {
        key.to_rotation_modulus(&key.boot(compression, phase), phase.modulus())
    }

    /// Returns the test polynomial of f_eval; `of` returns the value modulo Q for an input below p. Phases of [0, 2N/4) are
    /// compressed values of the lower half, phases of [-2N/4, 0) those of the upper half.
    pub(crate) fn evaluation(
        parameters: &Parameters,
        p: u64,
        of: impl Fn(u64) -> u64,
    ) -> TestPolynomial {
        let (two_n, m) = (parameters.rotation_modulus(), parameters.modulus());
        TestPolynomial::from_fn(parameters.ring(), |x| match Self::slot(x, p, two_n) {
            slot if slot < p / 2 => of(slot),
            slot => m.neg(of(slot)),
        })
    }

    /// Returns the input to which coefficient x < N of a test polynomial belongs. For inputs of the upper half, from p/2 on,
    /// the compressed phase is -x, so the coefficient counts negative.
    pub(crate) fn slot(x: u64, p: u64, two_n: u64) -> u64 {
        if x < two_n / 4 {
            2 * p * x / two_n
        } else {
            // Phase x of [2N/4, 2N/2) looks up the negative of phase x + N, which is -(N - x).
            let slot = 2 * p * (two_n / 2 - x) / two_n;
            slot.min(p / 2 - 1) + p / 2
        }
    }
}

impl FullDomainMethod for FdfbCompress {
    fn name(&self) -> &'static str {
        "FDFB-Compress"
    }

    fn operations(&self) -> Operations {
        Operations { rotations: 2, key_switches: 2, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let (p, q) = (table.input_modulus(), parameters.prime());
        let evaluation = Self::evaluation(parameters, p, |slot| encode_output(table, q, slot));
        let tests = vec![Self::compression(parameters, p), evaluation];
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    /// Tables share the first bootstrap.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        Ok(lookup
            .in_test(1, &Self::compressed(lookup.key, lookup.tables[0].test(0), &lookup.phase())))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let p = table.input_modulus() as f64;
        MethodNoise {
            output: (model.blind_rotation() + model.key_switching()).law(),
            decisions: vec![
                input_decision(model, table.input_modulus(), input),
                Decision {
                    name: "compressed phase",
                    noise: model.bootstrap().law(),
                    margin: 0.25 / p,
                },
            ],
        }
    }
}
