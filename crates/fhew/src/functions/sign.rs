//! Sign of a value of large precision (Liu, Micciancio, Polyakov, ASIACRYPT 2022; Sec. 4 of Ma et al., TCHES 2024):
//! the upper bit of its highest digit.

use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::{Error, Result};

use super::large_functions::LargeFunctions;
use crate::test_polynomial::{TestPolynomial, encode};

impl LargeFunctions<'_> {
    /// 1 if x < 0, else 0: phase sign·q/`output_modulus`, LWE modulo the LWE modulus.
    ///
    /// A decomposition, and one bootstrap.
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision, or the output modulus is below 2 or above the LWE modulus.
    pub fn sign(&self, x: &LweCiphertext, output_modulus: u64) -> Result<LweCiphertext> {
        let q = self.key.parameters().lwe_modulus();
        if !(2..=q).contains(&output_modulus) {
            let reason = format!("it must be from 2 to the LWE modulus {q}");
            return Err(Error::PlaintextModulus { modulus: output_modulus, reason });
        }
        let digits = self.plan.evaluate(self.key, x)?.into_lookup_inputs(self.key);
        Ok(self.sign_of(&digits, output_modulus))
    }

    /// The sign of decomposed digits.
    pub(super) fn sign_of(&self, digits: &[LweCiphertext], output_modulus: u64) -> LweCiphertext {
        let parameters = self.key.parameters();
        let highest = digits.last().expect("a digit");
        let mut phase = highest.clone();
        // What lies below the highest digit is within half a slot of it.
        let bits = self.plan.digit_bits(digits.len() - 1);
        phase.add_constant_assign(phase.modulus() >> (bits + 1));
        let phase = self.key.to_rotation_modulus(&phase, parameters.rotation_modulus());
        // -1/2P for phases below 1/2, 1/2P above; then 1/2P is added.
        let half = encode(1, 2 * output_modulus, parameters.prime());
        let test = TestPolynomial::sign(parameters.ring(), parameters.modulus().neg(half));
        let mut sign = self.key.boot_raw(&test, &phase);
        sign.add_constant_assign(half);
        self.key.key_switch(&sign)
    }
}
