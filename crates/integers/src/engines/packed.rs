//! Engine `packed`: thousands of values per ciphertext.

use cryptable_lattice::error::check_equal;
use cryptable_lattice::{NoiseBound, Result};
use cryptable_packed::{Ciphertext, EvaluationKey, Parameters, PreparedTable};

use crate::digit_arithmetic::{LookupModel, Places};

impl LookupModel for Parameters {
    fn modulus(&self) -> Result<u64> {
        check_equal("output modulus", self.output_modulus(), self.input_modulus())?;
        Ok(self.input_modulus())
    }

    fn output_range(&self) -> Option<u64> {
        Some(self.output_range())
    }

    fn places(&self) -> Option<usize> {
        Some(self.literal().slots)
    }

    fn stated_log2_fail(&self) -> f64 {
        self.stated_log2_fail()
    }

    fn fresh_noise(&self) -> NoiseBound {
        self.fresh_noise(self.input_modulus())
    }

    fn result_noise(&self, input: NoiseBound, range: u64) -> NoiseBound {
        self.result_noise_within(input, range)
    }

    fn lookup_log2_fail(&self, input: NoiseBound) -> f64 {
        self.lookup_log2_fail(input)
    }
}

super::delegate_digits!(EvaluationKey, Ciphertext, PreparedTable, engine 0);

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
super::delegate_encryption!(cryptable_packed::SecretKey, cryptable_packed::PublicKey, Ciphertext);
