//! Comp (Clet, Zuber, Boudguiga, Sirdey, Gouy-Pailler, ePrint 2022/149, "CZB+22"): a table as the sum of an odd and
//! an even one, with two bootstraps per summand.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{Decision, FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::multi_value::factored_test::{FactoredTest, UnscaledTest, boot_raw_factored};
use crate::noise::NoiseModel;
use crate::parameters::Parameters;
use crate::test_polynomial::{TestPolynomial, encode, slot_of};

/// Splits a table into an even and an odd part. With x = (m + 1/2)/p in (-1/2, 1/2) as a fraction of the modulus, -x
/// belongs to p - 1 - m, and `f = f_even + f_odd`, `2·f_even(m) = f(m) + f(p - 1 - m)`,
/// `2·f_odd(m) = f(m) - f(p - 1 - m)`. Any even p.
///
/// - Even: x ↦ |x| - 1/4 is negacyclic. Its values stay within half the domain, where any table can be looked up.
/// - Odd: the negacyclic extension of x ↦ x from (0, 1/2) gives |x| + 1/2 for negative x: opposite phases for
///   opposite x, as a second, negacyclic lookup of an odd table needs.
///
/// Noise (Table 8 of Ma et al., TCHES 2024): 2σ_acc² in the result; intermediate phases have a margin of 1/2p.
#[derive(Clone, Copy, Debug)]
pub struct Comp {
    /// Whether one rotation serves both first bootstraps (Comp*). Their test polynomials are the same for all tables;
    /// |TV_1|² is 2p - 4 and p² + 2p - 4 (footnote 3 of Table 8: at most 2p² - 4 together).
    pub multi_value: bool,
}

/// Returns the value of the first bootstrap, in units of Q/2p, for slot `slot` of the lower half.
fn compressed(part: Part, p: u64, slot: u64) -> u64 {
    match part {
        Part::Even => (2 * slot + 1 + 2 * p - p / 2) % (2 * p),
        Part::Odd => 2 * slot + 1,
    }
}

/// One of the two summands of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Even,
    Odd,
}

impl Part {
    /// Returns the first bootstrap's integer test polynomial.
    fn unscaled(self, degree: usize, p: u64) -> UnscaledTest {
        let slot = |x| slot_of(x, p, 2 * degree as u64);
        UnscaledTest::from_fn(degree, 2 * p, |x| compressed(self, p, slot(x)))
    }

    /// Returns twice this part of the table at slot `slot` of the lower half, modulo 2P.
    fn doubled_output(self, table: &Table, slot: u64) -> u64 {
        let mirrored = table.output(table.input_modulus() - 1 - slot);
        let modulus = 2 * table.output_modulus();
        match self {
            Self::Even => (table.output(slot) + mirrored) % modulus,
            Self::Odd => (table.output(slot) + modulus - mirrored) % modulus,
        }
    }

    /// Returns the second bootstrap's test polynomial.
    fn evaluation(self, parameters: &Parameters, table: &Table) -> TestPolynomial {
        let (q, m) = (parameters.prime(), parameters.modulus());
        let (p, two_n) = (table.input_modulus(), parameters.rotation_modulus());
        let encoded =
            |slot| encode(self.doubled_output(table, slot), 2 * table.output_modulus(), q);
        TestPolynomial::from_fn(parameters.ring(), |x| match self {
            Self::Odd => encoded(slot_of(x, p, two_n)),
            // Slots start at -N/2. Phase x of [N/2, N) looks up the negative of phase x - N.
            Self::Even if x < two_n / 4 => encoded(slot_of(x + two_n / 4, p, two_n)),
            Self::Even => m.neg(encoded(slot_of(x - two_n / 4, p, two_n))),
        })
    }
}

const PARTS: [Part; 2] = [Part::Even, Part::Odd];

impl Comp {
    /// Returns both compressed phases, modulo 2N.
    fn compress(self, lookup: &TableLookup<'_>) -> Vec<LweCiphertext> {
        let (key, table, phase) = (lookup.key, lookup.tables[0], lookup.phase());
        let raw = if self.multi_value {
            boot_raw_factored(key, table.factored(), &phase)
        } else {
            [2, 3].map(|test| key.boot_raw(table.test(test), &phase)).to_vec()
        };
        let two_n = key.parameters().rotation_modulus();
        let switched = key.key_switch_many(&raw);
        switched.iter().map(|phase| key.to_rotation_modulus(phase, two_n)).collect()
    }
}

impl FullDomainMethod for Comp {
    fn name(&self) -> &'static str {
        if self.multi_value { "Comp*" } else { "Comp" }
    }

    fn operations(&self) -> Operations {
        let rotations = if self.multi_value { 3 } else { 4 };
        Operations { rotations, key_switches: 3, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        let p = table.input_modulus();
        let mut tests = PARTS.map(|part| part.evaluation(parameters, table)).to_vec();
        let compressing = PARTS.map(|part| part.unscaled(parameters.ring_degree(), p));
        if self.multi_value {
            let factored = compressing.iter().map(UnscaledTest::factored).collect();
            return Ok(EncodedTable::new(parameters, table, tests, factored));
        }
        tests.extend(compressing.map(|test| {
            let encoded = |x| encode(test.values()[x as usize], 2 * p, parameters.prime());
            TestPolynomial::from_fn(parameters.ring(), encoded)
        }));
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    /// Tables share the first bootstraps.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let compressed = self.compress(lookup);
        let mut sums = lookup.in_test(0, &compressed[0]);
        for (sum, odd) in sums.iter_mut().zip(lookup.in_test(1, &compressed[1])) {
            sum.add_assign(&odd);
        }
        Ok(sums)
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let parameters = model.parameters();
        let (p, two_n) = (table.input_modulus(), parameters.rotation_modulus());
        let margin = 0.5 / p as f64;
        let mut decisions = vec![input_decision(model, p, input)];
        for (part, name) in PARTS.into_iter().zip(["even phase", "odd phase"]) {
            let raw = if self.multi_value {
                let factored: FactoredTest = part.unscaled(parameters.ring_degree(), p).factored();
                factored.noise(model)
            } else {
                model.blind_rotation()
            };
            decisions.push(Decision { name, noise: (raw + model.common(two_n)).law(), margin });
        }
        let output = (model.blind_rotation() * 2.0 + model.key_switching()).law();
        MethodNoise { output, decisions }
    }
}
