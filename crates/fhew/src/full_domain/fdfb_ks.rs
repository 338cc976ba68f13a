//! FDFB-KS (Kluczniak, Schild, TCHES 2023, "KS22"): a bootstrap with a test polynomial that an encrypted sign bit
//! selects.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result, Table};

use crate::full_domain::encoded_table::EncodedTable;
use crate::full_domain::half_tables::HalfTables;
use crate::full_domain::input_phase::{input_decision, input_phase};
use crate::full_domain::method::{FullDomainMethod, MethodNoise, TableKind};
use crate::keys::evaluation_key::EvaluationKey;
use crate::noise::{NoiseModel, Variance};
use crate::packing::trace::PackedLength;
use crate::parameters::Parameters;
use crate::rlwe::RlweCiphertext;
use crate::test_polynomial::{TestPolynomial, slot_of};

/// Rotates f_pos + MSB·(f_neg - f_pos) by the input's phase. The product is that of integers modulo P, written
/// with balanced digits, and one packed bootstrap of the sign for each digit: MSB·B^k·Q/P. Any even p.
///
/// Kluczniak and Schild decompose the test polynomial modulo Q, with d_g1 = ⌈log_B Q⌉ bootstraps (Table 8 of Ma et
/// al., TCHES 2024: d_g1 + 1). Decomposing what it encodes, integers modulo P, takes ⌈log_B P⌉; with one digit two
/// bootstraps are enough for the whole method.
///
/// Noise: a rotation, and for each digit polynomial v_k: v_k(m)²·σ_acc² of the sign's bootstrap, which only the
/// constant coefficient carries, and |v_k|²·σ_pk² of packing, which all do.
#[derive(Clone, Copy, Debug)]
pub struct FdfbKs {
    /// Number of digits of values modulo P: more digits are less noise and more bootstraps.
    pub digits: usize,
}

impl FdfbKs {
    /// The least base B with P <= B^digits.
    fn base(self, modulus: u64) -> u64 {
        let power = |base: u64| base.saturating_pow(self.digits as u32);
        let mut base = (modulus as f64).powf(1.0 / self.digits as f64).floor() as u64;
        while power(base) < modulus {
            base += 1;
        }
        base
    }

    /// Balanced digits of `value` modulo P, the least significant first; the last one takes what remains.
    fn split(self, value: u64, modulus: u64) -> Vec<i64> {
        let base = self.base(modulus) as i64;
        let centred = |x: i64, q: i64| if 2 * x > q { x - q } else { x };
        let mut rest = centred(value as i64, modulus as i64);
        (1..=self.digits)
            .map(|k| {
                let last = k == self.digits;
                let digit = if last { rest } else { centred(rest.rem_euclid(base), base) };
                rest = (rest - digit) / base;
                digit
            })
            .collect()
    }

    /// Digits of f_neg - f_pos at slot m below p/2.
    fn difference(self, tables: &HalfTables<'_>, slot: u64) -> Vec<i64> {
        let modulus = tables.0.output_modulus();
        let difference = modulus + tables.negative(slot) - tables.positive(slot);
        self.split(difference % modulus, modulus)
    }

    /// RLWE of the constant MSB·B^k·Q/P.
    fn sign_row(
        key: &EvaluationKey,
        phase: &LweCiphertext,
        weight: u64,
        modulus: u64,
    ) -> RlweCiphertext {
        let parameters = key.parameters();
        let (q, m) = (u128::from(parameters.prime()), parameters.modulus());
        // weight·Q/2P.
        let half = (u128::from(weight) * q / (2 * u128::from(modulus))) as u64;
        let sign = TestPolynomial::sign(parameters.ring(), m.neg(half));
        let mut bit = key.boot_raw(&sign, phase);
        bit.add_constant_assign(half);
        key.pack(&bit, PackedLength::Constant)
    }

    /// The selected test polynomial, by the rows of the sign.
    fn selected(
        parameters: &Parameters,
        table: &EncodedTable,
        sign_rows: &[RlweCiphertext],
    ) -> RlweCiphertext {
        let ring = parameters.ring();
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

    /// Σ_k v_k(m)², on average over m; for the worst table, the most.
    fn mean_square(self, table: TableKind<'_>) -> f64 {
        match table {
            TableKind::Given(table) => {
                let slots = table.input_modulus() / 2;
                let square = |slot| {
                    let digits = self.difference(&HalfTables(table), slot);
                    digits.iter().map(|&digit| (digit as f64).powi(2)).sum::<f64>()
                };
                (0..slots).map(square).sum::<f64>() / slots as f64
            }
            TableKind::Worst { output_modulus, .. } => {
                // The last digit takes what carries leave: one more than half the base.
                let carry = if self.digits == 1 { 0.0 } else { 1.0 };
                let digit = self.base(output_modulus) as f64 / 2.0;
                (self.digits - 1) as f64 * digit.powi(2) + (digit + carry).powi(2)
            }
        }
    }

    fn check(self, parameters: &Parameters, table: &Table) -> Result<()> {
        let modulus = table.output_modulus();
        if self.digits == 0 || modulus > parameters.prime() >> 16 {
            let reason = format!("it is too large for {} digits", self.digits);
            return Err(Error::PlaintextModulus { modulus, reason });
        }
        Ok(())
    }
}

impl FullDomainMethod for FdfbKs {
    fn name(&self) -> &'static str {
        match self.digits {
            1 => "FDFB-KS",
            2 => "FDFB-KS, 2 digits",
            _ => "FDFB-KS, more digits",
        }
    }

    fn rotations(&self) -> usize {
        self.digits + 1
    }

    fn packings(&self) -> usize {
        self.digits
    }

    fn encode(&self, parameters: &Parameters, table: &Table) -> Result<EncodedTable> {
        self.check_input_modulus(parameters, table.input_modulus())?;
        self.check(parameters, table)?;
        let (ring, m) = (parameters.ring(), parameters.modulus());
        let (two_n, modulus) = (parameters.rotation_modulus(), table.output_modulus());
        let tables = HalfTables(table);
        let slots = 0..table.input_modulus() / 2;
        let digits_of: Vec<Vec<i64>> = slots.map(|slot| self.difference(&tables, slot)).collect();
        let digit = |x, k: usize| {
            m.reduce_i64(digits_of[slot_of(x, table.input_modulus(), two_n) as usize][k])
        };
        let positive = tables.test(parameters, modulus, |slot| tables.positive(slot));
        let digits = (0..self.digits).map(|k| TestPolynomial::from_fn(ring, |x| digit(x, k)));
        let tests = std::iter::once(positive).chain(digits).collect();
        Ok(EncodedTable::new(parameters, table, tests, Vec::new()))
    }

    /// Tables share the bootstraps of the sign.
    fn evaluate(
        &self,
        key: &EvaluationKey,
        tables: &[&EncodedTable],
        input: &LweCiphertext,
    ) -> Result<Vec<LweCiphertext>> {
        let parameters = key.parameters();
        let phase = input_phase(key, input, tables[0].input_modulus())?;
        let modulus = tables[0].output_modulus();
        let weights = (0..self.digits).map(|k| self.base(modulus).pow(k as u32));
        let rows: Vec<RlweCiphertext> =
            weights.map(|weight| Self::sign_row(key, &phase, weight, modulus)).collect();
        let look_up = |table: &&EncodedTable| {
            key.boot_raw_encrypted(&Self::selected(parameters, table, &rows), &phase)
        };
        Ok(key.key_switch_all(&tables.iter().map(look_up).collect::<Vec<_>>()))
    }

    fn noise(&self, model: &NoiseModel, table: TableKind<'_>, input: Variance) -> MethodNoise {
        let square = self.mean_square(table);
        MethodNoise {
            output: model.blind_rotation() * (1.0 + square)
                + model.packing(PackedLength::All) * square
                + model.key_switching(),
            decisions: vec![input_decision(model, table.input_modulus(), input)],
        }
    }
}
