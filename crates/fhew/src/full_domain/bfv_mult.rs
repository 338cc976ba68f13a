//! FDFB-BFVMult (Algorithm 6 of Ma et al., TCHES 2024): selects a table by a BFV multiplication with the sign bit.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;
use cryptable_lattice::{Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::{HalfTables, check_unscaled_modulus};
use crate::full_domain::input_decision::input_decision_at;
use crate::full_domain::method::{FullDomainMethod, MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::{TableLookup, slot_phase};
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::{FactoredTest, UnscaledTest};
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::rlwe::RlweCiphertext;
use crate::test_polynomial::{TestPolynomial, encode, half_slot, slot_of};

/// Ways to make the three lookups by the input's phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookups {
    /// One rotation per lookup.
    Separate,
    /// One rotation of TV_0, and a product with each table's TV_1 (FDFB-BFVMult*).
    Factored,
    /// One rotation of f_neg - f_pos and TV_0, interleaved ([`crate::multi_value`]), and a product with TV_1 of
    /// f_pos. BFV multiplication amplifies only f_neg - f_pos and the sign, which have the noise of one rotation; the
    /// price is a phase modulo N.
    Interleaved,
}

/// Computes `f_pos + MSB·(f_neg - f_pos)`: packs both factors and multiplies them by BFV. Any even p.
///
/// Noise (Theorem 6): `P²·σ_u²·(σ_diff² + σ_sgn²)` dominates, two products of two Gaussians each, with σ_u² near N/48
/// (binary secret): about 150 times a rotation's deviation for P = 16, with a heavy tail
/// ([`crate::multiplication`]). TV_1 of the sign is the constant -1: Q/2P is TV_0 itself. (The paper takes tables
/// modulo 2P, which quadruples |TV_1|² of f_neg - f_pos.)
#[derive(Clone, Copy, Debug)]
pub struct FdfbBfvMult {
    /// How the lookups share rotations.
    pub lookups: Lookups,
}

/// Results of the lookups, LWE modulo Q: f_pos, f_neg - f_pos, and the sign as ±Q/2P.
struct Looked {
    positive: LweCiphertext,
    difference: LweCiphertext,
    sign: LweCiphertext,
}

impl FdfbBfvMult {
    /// Looks the input up in every table.
    fn look_up(self, lookup: &TableLookup<'_>) -> Vec<Looked> {
        if self.lookups == Lookups::Interleaved {
            return interleaved(lookup);
        }
        let mut raw = lookup.in_all_tests(1, &lookup.phase());
        let sign = raw.pop().expect("a sign");
        let looked = |raw: &[LweCiphertext]| Looked {
            positive: raw[0].clone(),
            difference: raw[1].clone(),
            sign: sign.clone(),
        };
        raw.chunks_exact(2).map(looked).collect()
    }

    /// Returns the squared norms by which the rotation's variance is multiplied: of f_pos and of f_neg - f_pos.
    fn squared_norms(self, model: &NoiseModel, table: TableKind<'_>) -> [f64; 2] {
        let degree = model.parameters().ring_degree();
        let norms = match table {
            TableKind::Given(table) => {
                let tables = HalfTables(table);
                let positive = tables.factored_test(degree, |slot| tables.positive(slot));
                let difference = tables.factored_test(degree, |slot| tables.difference(slot));
                [positive.squared_norm(), difference.squared_norm()]
            }
            TableKind::Worst { input_modulus, output_modulus } => {
                [UnscaledTest::worst_squared_norm(input_modulus / 2, output_modulus); 2]
            }
        };
        match self.lookups {
            Lookups::Separate => [1.0, 1.0],
            Lookups::Factored => norms,
            Lookups::Interleaved => [norms[0], 1.0],
        }
    }
}

/// Encodes the test polynomials of f_pos and f_neg - f_pos, then the sign.
fn encode_separate(parameters: &Parameters, table: &Table) -> EncodedTable {
    let (tables, modulus) = (HalfTables(table), table.output_modulus());
    let positive = tables.test(parameters, modulus, |slot| tables.positive(slot));
    let difference = tables.test(parameters, modulus, |slot| tables.difference(slot));
    let sign = TestPolynomial::sign(parameters.ring(), half_slot(modulus, parameters.prime()));
    EncodedTable::new(parameters, table, vec![positive, difference, sign], Vec::new())
}

/// Encodes TV_1 of f_pos, f_neg - f_pos and the sign.
fn encode_factored(parameters: &Parameters, table: &Table) -> EncodedTable {
    let (tables, degree) = (HalfTables(table), parameters.ring_degree());
    let positive = tables.factored_test(degree, |slot| tables.positive(slot));
    let difference = tables.factored_test(degree, |slot| tables.difference(slot));
    let sign = FactoredTest::sign(degree, table.output_modulus(), 1);
    EncodedTable::new(parameters, table, Vec::new(), vec![positive, difference, sign])
}

/// Encodes a test whose coefficients alternate between f_neg - f_pos and the constant of TV_0, and TV_1 of f_pos.
fn encode_interleaved(parameters: &Parameters, table: &Table) -> EncodedTable {
    let ring = parameters.ring();
    let (tables, modulus) = (HalfTables(table), table.output_modulus());
    let slot = |x| slot_of(x, table.input_modulus(), parameters.rotation_modulus());
    let unit = half_slot(modulus, parameters.prime());
    let test = TestPolynomial::from_fn(ring, |x| {
        if x % 2 == 1 {
            unit
        } else {
            encode(tables.difference(slot(x)), modulus, parameters.prime())
        }
    });
    let positive = |y| tables.positive(slot(2 * y));
    let factored = UnscaledTest::from_fn(ring.degree() / 2, modulus, positive).factored();
    EncodedTable::new(parameters, table, vec![test], vec![factored])
}

/// Looks up the interleaved tests: the phase is modulo N, with one rotation per table.
fn interleaved(lookup: &TableLookup<'_>) -> Vec<Looked> {
    let (key, parameters) = (lookup.key, lookup.key.parameters());
    let (ring, modulus) = (parameters.ring(), parameters.rotation_modulus() / 2);
    let phase = slot_phase(key, lookup.input, lookup.input_modulus(), modulus);
    let doubled = phase.words().iter().map(|word| 2 * word).collect();
    let phase = LweCiphertext::from_words(doubled, parameters.rotation_modulus());
    let look_up = |table: &&EncodedTable| {
        let rotated = key.blind_rotate(&table.test(0).to_rlwe(ring), &phase);
        Looked {
            positive: table.factored()[0].extract(ring, &rotated, 2, 1),
            difference: rotated.extract(ring, 0),
            sign: rotated.extract(ring, 1),
        }
    };
    lookup.tables.iter().map(look_up).collect()
}

/// Packs a value as the constant coefficient of a factor.
fn factor(key: &EvaluationKey, raw: &LweCiphertext) -> RlweCiphertext {
    key.pack(raw, PackedLength::Constant)
}

impl FullDomainMethod for FdfbBfvMult {
    fn name(&self) -> &'static str {
        match self.lookups {
            Lookups::Separate => "FDFB-BFVMult",
            Lookups::Factored => "FDFB-BFVMult*",
            Lookups::Interleaved => "FDFB-BFVMult, interleaved",
        }
    }

    fn operations(&self) -> Operations {
        let rotations = if self.lookups == Lookups::Separate { 3 } else { 1 };
        Operations { rotations, packings: 2, products: 1, ..Operations::KEY_SWITCH }
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        check_unscaled_modulus(table.output_modulus())?;
        Ok(match self.lookups {
            Lookups::Separate => encode_separate(parameters, table),
            Lookups::Factored => encode_factored(parameters, table),
            Lookups::Interleaved => encode_interleaved(parameters, table),
        })
    }

    /// Tables share the sign; with multi-value bootstrapping, the one rotation. Interleaved lookups share nothing.
    fn evaluate(&self, lookup: &TableLookup<'_>) -> Result<Vec<LweCiphertext>> {
        let (key, modulus) = (lookup.key, lookup.output_modulus());
        let parameters = key.parameters();
        let multiply = |looked: Looked| {
            let Looked { positive, difference, sign } = looked;
            // MSB·Q/P = Q/2P - (±Q/2P).
            let mut bit = sign;
            bit.neg_assign();
            bit.add_constant_assign(half_slot(modulus, parameters.prime()));
            let (bit, difference) = (factor(key, &bit), factor(key, &difference));
            let product = key.bfv_multiply(&bit, &difference, modulus);
            let mut result = product.extract(parameters.ring(), 0);
            result.add_assign(&positive);
            result
        };
        Ok(self.look_up(lookup).into_iter().map(multiply).collect())
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: NoiseLaw) -> MethodNoise {
        let rotation = model.blind_rotation();
        let [positive, difference] = self.squared_norms(model, table);
        // Results of one rotation depend on each other. The product has M times the noise of the sign and of the
        // difference, with M of deviation P·σ_u. f_pos adds at most P times the noise of the sign and, if the difference
        // is factored, once that of the difference. The noise of the factored difference includes a share of the sign's.
        let added = 1.0 / model.overflow();
        let norms = match self.lookups {
            Lookups::Separate => [1.0, difference],
            Lookups::Factored => [1.0 + added, (1.0 + added) * difference + 1.0],
            Lookups::Interleaved => [1.0 + added, difference],
        };
        let [sign, difference] = norms.map(|norm| model.packed(rotation * norm));
        let product = model.bfv_multiplication(sign, difference, table.output_modulus());
        let two_n = model.parameters().rotation_modulus();
        let modulus = if self.lookups == Lookups::Interleaved { two_n / 2 } else { two_n };
        MethodNoise {
            output: product.with_independent((rotation * positive + model.key_switching()).law()),
            decisions: vec![input_decision_at(model, modulus, table.input_modulus(), input)],
        }
    }
}
