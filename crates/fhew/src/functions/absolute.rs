//! Absolute value of large precision: every digit, negated if the sign is, summed up.
//!
//! Modulo 2^bits, |x| is x or -x, and either is the sum of its digits times their weights. A digit with the sign of x
//! takes two bootstraps: FDFB-Compress's first brings the digit to (-1/4, 1/4) of the modulus; the sign adds a half;
//! and the second bootstrap, whose test polynomial is negacyclic as all are, gives the digit or its negative.

use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;

use super::large_functions::LargeFunctions;
use crate::decomposition::large_precision::to_large;
use crate::full_domain::compress::FdfbCompress;
use crate::full_domain::input_phase::slot_phase;
use crate::test_polynomial::TestPolynomial;

impl LargeFunctions<'_> {
    /// |x|, modulo 2^bits.
    ///
    /// A sign, and two bootstraps a digit. Adds up the noise of a precise rotation a digit
    /// ([`LargeFunctions::output_noise`]).
    ///
    /// # Errors
    /// If the ciphertext is not one of large precision.
    pub fn absolute(&self, x: &LweCiphertext) -> Result<LweCiphertext> {
        let digits = self.plan.evaluate(self.key, x)?.into_lookup_inputs(self.key);
        let half = self.sign_of(&digits, 2);
        let mut sum = LweCiphertext::trivial(x.dimension(), x.modulus(), 0);
        let mut weight_log2 = 0;
        for (index, digit) in digits.iter().enumerate() {
            let bits = self.plan.digit_bits(index);
            sum.add_assign(&self.signed_digit(digit, bits, &half, weight_log2));
            weight_log2 += bits;
        }
        Ok(sum)
    }

    /// ±digit·2^`weight_log2`, by a sign of phase 0 or 1/2.
    fn signed_digit(
        &self,
        digit: &LweCiphertext,
        bits: u32,
        half: &LweCiphertext,
        weight_log2: u32,
    ) -> LweCiphertext {
        let parameters = self.key.parameters();
        let (two_n, slots) = (parameters.rotation_modulus(), 1 << bits);
        let phase = slot_phase(self.key, digit, slots, two_n);
        let mut signed =
            self.key.boot(&FdfbCompress::compression(self.key.parameters(), slots), &phase);
        signed.add_assign(half);
        let signed = self.key.to_rotation_modulus(&signed, two_n);

        let unit = parameters.prime() as f64 / f64::from(self.plan.bits()).exp2();
        let weight = unit * f64::from(weight_log2).exp2();
        let value = |slot: u64| (slot as f64 * weight).round() as u64;
        let m = parameters.modulus();
        let test = TestPolynomial::from_fn(parameters.ring(), |x| {
            match FdfbCompress::slot(x, slots, two_n) {
                slot if slot < slots / 2 => value(slot),
                slot => m.neg(value(slot)),
            }
        });
        let test = test.to_rlwe(parameters.ring());
        let rotated = self.key.blind_rotate_by(self.rotation_key(), &test, &signed);
        to_large(parameters, &rotated.extract(parameters.ring(), 0))
    }
}
