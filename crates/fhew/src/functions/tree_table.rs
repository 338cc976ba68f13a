//! Trees of tables over digits (Guimarães, Borin, Aranha, TCHES 2021): any table of B^k entries on k digits.
//!
//! The lowest digit is looked up in all B^(k-1) parts of the table, by one blind rotation (multi-value
//! bootstrapping). Each group of B results is packed into an encrypted test polynomial, in which the next digit is looked
//! up, and so on. Digit i > 0 needs B^(k-1-i) rotations.
//!
//! The first bootstrap of FDFB-Compress brings digits to (-1/4, 1/4) of the modulus beforehand, so tables need not be
//! negacyclic.

use cryptable_lattice::error::check_equal;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result};
use rayon::prelude::*;

use crate::full_domain::compress::FdfbCompress;
use crate::full_domain::table_lookup::slot_phase;
use crate::keys::evaluation_key::EvaluationKey;
use crate::multi_value::factored_test::{MAX_UNSCALED_MODULUS, UnscaledTest};
use crate::noise::{NoiseModel, Variance, log2_sum};
use crate::packing::trace::PackedLength;
use crate::rlwe::RlweCiphertext;
use crate::test_polynomial::{TestPolynomial, half_slot};

/// Largest number of entries of a table: the first level keeps B^(k-1) ciphertexts in memory.
pub const MAX_ENTRIES: u64 = 1 << 16;

/// Tables of B^k entries and outputs modulo P on k digits.
///
/// ```
/// use cryptable_fhew::keys::{EvaluationKey, SecretKey};
/// use cryptable_fhew::functions::TreeTable;
/// use cryptable_fhew::parameters::Parameters;
/// let secret = SecretKey::generate(&Parameters::decomposition_128());
/// let key = EvaluationKey::expand(&secret.evaluation_key());
/// let tree = TreeTable::new(&key, 8, 2, 16, -64.0)?;
/// let table: Vec<u64> = (0..64).map(|x| x * x % 16).collect();
/// let digits = [secret.encrypt(5, 8)?, secret.encrypt(6, 8)?]; // 6·8 + 5
/// assert_eq!(secret.decrypt(&tree.lookup(&table, &digits)?, 16)?, 53 * 53 % 16);
/// # Ok::<(), cryptable_lattice::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TreeTable<'a> {
    key: &'a EvaluationKey,
    base: u64,
    digits: usize,
    output_modulus: u64,
    /// The coarsest rotation key that is precise enough.
    rotation_key: usize,
    log2_fail: f64,
}

impl<'a> TreeTable<'a> {
    /// Plans for `digits` digits of this base that are results of lookups under these parameters, and a failure probability
    /// of at most 2^`limit`.
    ///
    /// # Errors
    /// If moduli are out of range, the table is longer than [`MAX_ENTRIES`], or no rotation key is precise enough.
    pub fn new(
        key: &'a EvaluationKey,
        base: u64,
        digits: usize,
        output_modulus: u64,
        limit: f64,
    ) -> Result<Self> {
        key.parameters().check_plaintext_modulus(base)?;
        if !(2..=MAX_UNSCALED_MODULUS).contains(&output_modulus) {
            let reason = format!("outputs must be modulo 2 to {MAX_UNSCALED_MODULUS}");
            return Err(Error::PlaintextModulus { modulus: output_modulus, reason });
        }
        let entries = u32::try_from(digits).ok().and_then(|digits| base.checked_pow(digits));
        if digits == 0 || entries.is_none_or(|entries| entries > MAX_ENTRIES) {
            let limit = format!("tables of trees have from one digit to {MAX_ENTRIES} entries");
            return Err(Error::Parameter { name: "number of digits", value: digits as f64, limit });
        }
        let mut tree = Self { key, base, digits, output_modulus, rotation_key: 0, log2_fail: 0.0 };
        let model = NoiseModel::new(key.parameters());
        for rotation_key in 0..key.parameters().rotation_gadgets().len() {
            tree.rotation_key = rotation_key;
            tree.log2_fail = tree.predict(&model);
            if tree.log2_fail <= limit {
                return Ok(tree);
            }
        }
        let what = format!("a tree of tables modulo {output_modulus}");
        Err(Error::FailureUnreachable { what, found: tree.log2_fail, limit })
    }

    /// Returns log2 of the probability that a digit or the result is mistaken.
    fn predict(&self, model: &NoiseModel) -> f64 {
        let p = self.base as f64;
        let input = model.blind_rotation() + model.common(model.parameters().rotation_modulus());
        let decisions = [(input, 0.5 / p), (model.bootstrap(), 0.25 / p)];
        let digit = decisions.map(|(noise, margin)| noise.law().log2_exceeds(margin));
        let digits = (0..self.digits).flat_map(|_| digit);
        let result = self.output_noise(model).law().log2_exceeds(0.5 / self.output_modulus as f64);
        log2_sum(digits.chain([result]))
    }

    /// Returns the variance of a result, LWE modulo the LWE modulus: |TV_1|² times that of a rotation for the first lookup,
    /// then that of a packing and a rotation per further digit.
    #[must_use]
    pub fn output_noise(&self, model: &NoiseModel) -> Variance {
        let rotation = model.blind_rotation_by(self.rotation_key);
        let norm = UnscaledTest::worst_squared_norm(self.base, self.output_modulus);
        let level = rotation + model.packing(PackedLength::All);
        rotation * norm + level * (self.digits - 1) as f64 + model.key_switching()
    }

    /// Returns log2 of the failure probability.
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        self.log2_fail
    }

    /// Returns the number of blind rotations of a lookup.
    #[must_use]
    pub fn rotations(&self) -> usize {
        let rest = |digit| self.base.pow((self.digits - 1 - digit) as u32) as usize;
        self.digits + 1 + (1..self.digits).map(rest).sum::<usize>()
    }

    /// Returns table[Σ digit_i·B^i] modulo P, for digits modulo B, the lowest first: LWE modulo the LWE modulus.
    ///
    /// # Errors
    /// If the table does not have B^k entries below P, or there are not k ciphertexts with the key's parameters.
    pub fn lookup(&self, table: &[u64], digits: &[LweCiphertext]) -> Result<LweCiphertext> {
        self.check(table, digits)?;
        let phases: Vec<LweCiphertext> = digits.par_iter().map(|d| self.compress(d)).collect();
        let mut level = self.lowest_level(table, &phases[0]);
        for phase in &phases[1..] {
            let rotate = |results: &[LweCiphertext]| {
                let packed = self.pack(results);
                let rotated = self.key.blind_rotate_by(self.rotation_key, &packed, phase);
                rotated.extract(self.key.parameters().ring(), 0)
            };
            level = level.par_chunks(self.base as usize).map(rotate).collect();
        }
        Ok(self.key.key_switch(&level[0]))
    }

    fn check(&self, table: &[u64], digits: &[LweCiphertext]) -> Result<()> {
        let expected = self.base.pow(self.digits as u32);
        if table.len() as u64 != expected {
            return Err(Error::TableLength { found: table.len(), expected });
        }
        let modulus = self.output_modulus;
        if let Some(index) = table.iter().position(|&output| output >= modulus) {
            return Err(Error::TableEntry { index, value: table[index], limit: modulus });
        }
        check_equal("number of digits", digits.len(), self.digits)?;
        digits.iter().try_for_each(|digit| self.key.check(digit))
    }

    /// Compresses a digit's phase to (-1/4, 1/4), modulo 2N.
    fn compress(&self, digit: &LweCiphertext) -> LweCiphertext {
        let two_n = self.key.parameters().rotation_modulus();
        let phase = slot_phase(self.key, digit, self.base, two_n);
        let compression = FdfbCompress::compression(self.key.parameters(), self.base);
        FdfbCompress::compressed(self.key, &compression, &phase)
    }

    /// Returns the digit to which coefficient x of a test polynomial belongs, and whether it counts negative.
    fn slot(&self, x: u64) -> (u64, bool) {
        let two_n = self.key.parameters().rotation_modulus();
        let slot = FdfbCompress::slot(x, self.base, two_n);
        (slot, slot >= self.base / 2)
    }

    /// Looks the lowest digit up in every part of the table by one rotation: LWE modulo Q.
    fn lowest_level(&self, table: &[u64], phase: &LweCiphertext) -> Vec<LweCiphertext> {
        let ring = self.key.parameters().ring();
        let (q, p) = (ring.modulus().value(), self.output_modulus);
        let common = TestPolynomial::sign(ring, half_slot(p, q)).to_rlwe(ring);
        let rotated = self.key.blind_rotate_by(self.rotation_key, &common, phase);
        let lookup = |part: &[u64]| {
            let test = UnscaledTest::from_fn(ring.degree(), p, |x| match self.slot(x) {
                (slot, false) => part[slot as usize],
                (slot, true) => p - part[slot as usize],
            });
            test.factored().extract(ring, &rotated, 1, 0)
        };
        table.par_chunks_exact(self.base as usize).map(lookup).collect()
    }

    /// Packs results into a test polynomial, with result i in the coefficients of digit i.
    fn pack(&self, results: &[LweCiphertext]) -> RlweCiphertext {
        let ring = self.key.parameters().ring();
        let mut sum = RlweCiphertext::zero(ring);
        for (digit, result) in results.iter().enumerate() {
            let block: Vec<usize> =
                (0..ring.degree()).filter(|&x| self.slot(x as u64).0 == digit as u64).collect();
            let (Some(&first), Some(&last)) = (block.first(), block.last()) else { continue };
            let packed =
                self.key.trace().pack(ring, result, last - first + 1).times_monomial(ring, first);
            if self.slot(first as u64).1 {
                sum.sub_assign(ring, &packed);
            } else {
                sum.add_assign(ring, &packed);
            }
        }
        sum
    }
}
