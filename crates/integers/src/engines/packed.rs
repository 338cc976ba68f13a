//! Engine `packed`: packed values: thousands in a ciphertext.

use cryptable_lattice::error::check_equal;
use cryptable_lattice::{NoiseBound, Progress, Result, Table};
use cryptable_packed::{Ciphertext, EvaluationKey, Parameters, PreparedTable};
use cryptable_wire::KeyId;

use crate::digit_arithmetic::{DigitArithmetic, LookupModel, Places};
use crate::serialization::DigitCiphertext;

impl LookupModel for Parameters {
    fn modulus(&self) -> Result<u64> {
        check_equal("output modulus", self.output_modulus(), self.input_modulus())?;
        Ok(self.input_modulus())
    }

    fn output_range(&self) -> Option<u64> {
        Some(self.output_range())
    }

    fn stated_log2_fail(&self) -> f64 {
        self.stated_log2_fail()
    }

    fn fresh_noise(&self) -> NoiseBound {
        self.fresh_noise(self.input_modulus())
    }

    fn result_noise(&self, input: NoiseBound) -> NoiseBound {
        self.result_noise(input)
    }

    fn lookup_log2_fail(&self, input: NoiseBound) -> f64 {
        self.lookup_log2_fail(input)
    }
}

impl DigitArithmetic for EvaluationKey {
    type Ciphertext = Ciphertext;
    type Table = PreparedTable;

    fn model(&self) -> &dyn LookupModel {
        self.parameters()
    }

    fn noise(&self, x: &Ciphertext) -> NoiseBound {
        x.noise()
    }

    fn count(&self, x: &Ciphertext) -> usize {
        x.count()
    }

    fn add(&self, x: &Ciphertext, y: &Ciphertext) -> Result<Ciphertext> {
        self.add(x, y)
    }

    fn mul_scalar(&self, x: &Ciphertext, factor: i64) -> Result<Ciphertext> {
        self.mul_scalar(x, factor)
    }

    fn add_plain(&self, x: &Ciphertext, constants: &[u64]) -> Result<Ciphertext> {
        self.add_plain(x, constants)
    }

    fn prepare(&self, table: &Table) -> Result<PreparedTable> {
        self.prepare(table)
    }

    fn look_up(
        &self,
        x: &Ciphertext,
        tables: &[PreparedTable],
        progress: Progress<'_>,
    ) -> Result<Vec<Ciphertext>> {
        self.lookup_many(x, &tables.iter().collect::<Vec<_>>(), progress)
    }
}

impl DigitCiphertext for Ciphertext {
    const ENGINE: u16 = 0;

    fn modulus(&self) -> u64 {
        self.modulus()
    }

    fn count(&self) -> usize {
        self.count()
    }

    fn parameter_digest(&self) -> [u8; 32] {
        self.parameter_digest()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }

    fn is_fresh(&self) -> bool {
        self.is_fresh()
    }

    fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::from_bytes(bytes)
    }
}

impl Places for EvaluationKey {
    fn places(&self) -> usize {
        self.parameters().literal().slots
    }

    fn is_fresh(&self, x: &Ciphertext) -> bool {
        x.is_fresh()
    }

    fn shift(&self, x: &Ciphertext, offset: i64, count: usize) -> Result<Ciphertext> {
        self.shift(x, offset, count)
    }
}

#[cfg(feature = "client")]
impl crate::digit_arithmetic::DigitEncryption for cryptable_packed::SecretKey {
    type Ciphertext = Ciphertext;

    fn modulus(&self) -> u64 {
        self.parameters().input_modulus()
    }

    fn encrypt(&self, values: &[u64]) -> Result<Ciphertext> {
        self.encrypt(values)
    }

    fn decrypt(&self, x: &Ciphertext) -> Result<Vec<u64>> {
        self.decrypt(x)
    }
}
