//! Engine `single`: one ciphertext per value.

use cryptable_fhew::lookup::{Ciphertext, EvaluationKey, Parameters, PreparedTable};
use cryptable_lattice::error::check_equal;
use cryptable_lattice::{NoiseBound, Result};

use crate::digit_arithmetic::LookupModel;

impl LookupModel for Parameters {
    fn modulus(&self) -> Result<u64> {
        check_equal("output modulus", self.output_modulus(), self.input_modulus())?;
        Ok(self.input_modulus())
    }

    fn stated_log2_fail(&self) -> f64 {
        self.stated_log2_fail()
    }

    fn fresh_noise(&self) -> NoiseBound {
        self.noise().fresh()
    }

    fn result_noise(&self, _input: NoiseBound, _range: u64) -> NoiseBound {
        self.noise().result()
    }

    fn lookup_log2_fail(&self, input: NoiseBound) -> f64 {
        self.noise().log2_fail(input)
    }
}

super::delegate_digits!(EvaluationKey, Ciphertext, PreparedTable, engine 1);

#[cfg(feature = "client")]
super::delegate_encryption!(
    cryptable_fhew::lookup::SecretKey,
    cryptable_fhew::lookup::PublicKey,
    Ciphertext
);
