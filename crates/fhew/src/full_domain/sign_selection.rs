//! Selecting a test polynomial by an encrypted sign bit, and rotating it (Kluczniak, Schild, TCHES 2023, "KS22"): the code
//! that FDFB-KS and its variant with digits of integers share.
//!
//! The selected polynomial is `f_pos + MSB·(f_neg - f_pos)`. The difference is written with digits, v = Σ_k v_k·w_k, and
//! each digit polynomial v_k multiplies a packed bootstrap of the sign, MSB·w_k.
//!
//! Noise after its rotation: that of the rotation, and for each digit polynomial v_k(m)²·σ_acc² of the sign's bootstrap,
//! which only the constant coefficient carries, and |v_k|²·σ_pk² of packing, which all coefficients carry.

use cryptable_lattice::Table;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::noise_law::NoiseLaw;

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::HalfTables;
use crate::full_domain::input_decision::input_decision;
use crate::full_domain::method::{MethodNoise, Operations, TableKind};
use crate::full_domain::table_lookup::TableLookup;
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::NoiseModel;
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::rlwe::RlweCiphertext;
use crate::test_polynomial::{TestPolynomial, slot_of};

/// Encodes the test polynomial of f_pos, then those of the digits that `digits_of` returns for a slot below p/2.
pub(super) fn encode(
    parameters: &Parameters,
    table: &Table,
    digits_of: impl Fn(&HalfTables<'_>, u64) -> Vec<i64>,
) -> EncodedTable {
    let (ring, m) = (parameters.ring(), parameters.modulus());
    let (two_n, p) = (parameters.rotation_modulus(), table.input_modulus());
    let tables = HalfTables(table);
    let digits: Vec<Vec<i64>> = (0..p / 2).map(|slot| digits_of(&tables, slot)).collect();
    let positive = tables.test(parameters, table.output_modulus(), |slot| tables.positive(slot));
    let digit = |k: usize| {
        TestPolynomial::from_fn(ring, |x| m.reduce_i64(digits[slot_of(x, p, two_n) as usize][k]))
    };
    let tests = std::iter::once(positive).chain((0..digits[0].len()).map(digit)).collect();
    EncodedTable::new(parameters, table, tests, Vec::new())
}

/// Counts a packed bootstrap of the sign per digit, and a rotation of the selected test polynomial.
pub(super) fn operations(digits: usize) -> Operations {
    Operations { rotations: digits + 1, packings: digits, ..Operations::KEY_SWITCH }
}

/// Returns f(m) of every table, LWE modulo Q; `half_weights` are w_k/2 modulo Q. Tables share the bootstraps of the sign.
pub(super) fn look_up(
    lookup: &TableLookup<'_>,
    half_weights: impl Iterator<Item = u64>,
) -> Vec<LweCiphertext> {
    let (key, phase) = (lookup.key, lookup.phase());
    let rows: Vec<RlweCiphertext> =
        half_weights.map(|half_weight| sign_row(key, &phase, half_weight)).collect();
    let rotate =
        |table: &&EncodedTable| key.boot_raw_encrypted(&selected(key, table, &rows), &phase);
    lookup.tables.iter().map(rotate).collect()
}

/// Returns an RLWE ciphertext of the constant MSB·w, given w/2 modulo Q.
fn sign_row(key: &EvaluationKey, phase: &LweCiphertext, half_weight: u64) -> RlweCiphertext {
    let parameters = key.parameters();
    let sign = TestPolynomial::sign(parameters.ring(), parameters.modulus().neg(half_weight));
    let mut bit = key.boot_raw(&sign, phase);
    bit.add_constant_assign(half_weight);
    key.pack(&bit, PackedLength::Constant)
}

/// Returns the selected test polynomial, computed with the rows of the sign.
fn selected(
    key: &EvaluationKey,
    table: &EncodedTable,
    sign_rows: &[RlweCiphertext],
) -> RlweCiphertext {
    let ring = key.parameters().ring();
    let mut sum = table.test(0).to_rlwe(ring);
    for (k, row) in sign_rows.iter().enumerate() {
        let digits = ring.prepare(table.test(k + 1).coefficients());
        let mut row = row.clone();
        for polynomial in row.words_mut().chunks_exact_mut(ring.degree()) {
            ring.multiply_assign(polynomial, &digits);
        }
        sum.add_assign(ring, &row);
    }
    sum
}

/// Returns Σ_k v_k(m)², averaged over the slots of a table.
pub(super) fn mean_square(
    table: &Table,
    digits_of: impl Fn(&HalfTables<'_>, u64) -> Vec<i64>,
) -> f64 {
    let slots = table.input_modulus() / 2;
    let square = |slot| {
        let digits = digits_of(&HalfTables(table), slot);
        digits.iter().map(|&digit| (digit as f64).powi(2)).sum::<f64>()
    };
    (0..slots).map(square).sum::<f64>() / slots as f64
}

/// Predicts the noise for a mean of Σ_k v_k(m)².
pub(super) fn noise(
    model: &NoiseModel,
    table: TableKind<'_>,
    input: NoiseLaw,
    mean_square: f64,
) -> MethodNoise {
    let output = model.blind_rotation() * (1.0 + mean_square)
        + model.packing(PackedLength::All) * mean_square
        + model.key_switching();
    MethodNoise {
        output: output.law(),
        decisions: vec![input_decision(model, table.input_modulus(), input)],
    }
}
