//! Noise of the operators (Lemma 1) and of bootstrapping (Sec. 2.4), as printed in the paper.

use super::{BOUND, PaperNumbers, SwitchNumbers};

/// Returns σ_ms²(n) = n/18 + 1/12 (Lemma 1), in squared units of the target modulus.
///
/// ```
/// use cryptable_papers::ma_2024::noise::operators::modulus_switch;
/// assert_eq!(modulus_switch(18), 1.0 + 1.0 / 12.0);
/// ```
#[must_use]
pub fn modulus_switch(dimension: usize) -> f64 {
    dimension as f64 / 18.0 + 1.0 / 12.0
}

/// Returns σ_ks²(n, q_ks, B_ks) = d_ks·(1 - 1/B_ks)·n·(σ² + 1/4) (Lemma 1), in squared units of the output modulus.
#[must_use]
pub fn key_switch(dimension: usize, switch: SwitchNumbers, error_variance: f64) -> f64 {
    f64::from(switch.digits())
        * (1.0 - 1.0 / switch.base())
        * dimension as f64
        * (error_variance + 0.25)
}

/// Returns ⌈log_B modulus⌉, a number of digits.
pub(super) fn digits(log2_modulus: f64, base_log2: u32) -> f64 {
    (log2_modulus / f64::from(base_log2)).ceil()
}

impl PaperNumbers {
    /// Returns d_g = ⌈log_(B_g) Q⌉ (Lemma 1).
    #[must_use]
    pub fn rotation_digits(&self) -> f64 {
        digits(self.log2_prime, self.rotation_base_log2)
    }

    /// Returns σ_ms²(n), in squared units of the target modulus.
    #[must_use]
    pub fn lwe_modulus_switch(&self) -> f64 {
        modulus_switch(self.lwe_dimension)
    }

    /// Returns σ_ms²(N), in squared units of the target modulus.
    #[must_use]
    pub fn ring_modulus_switch(&self) -> f64 {
        modulus_switch(self.ring_degree)
    }

    /// Returns σ_ks²(N, q_ks, B_ks), in squared units of q_ks.
    #[must_use]
    pub fn key_switch(&self) -> f64 {
        key_switch(self.ring_degree, self.key_switching, self.error_variance)
    }

    /// Returns σ_pk² = σ_ks²(N, q_pk, B_pk) (Table 2 and Sec. 2.4), in squared units of Q. Table 8 writes σ_ks² for it.
    #[must_use]
    pub fn packing(&self) -> f64 {
        key_switch(self.ring_degree, self.packing, self.error_variance)
    }

    /// Returns σ_acc² = 2·d_g·B_g²·n·N·σ²/3 (Lemma 1), in squared units of Q.
    #[must_use]
    pub fn accumulator(&self) -> f64 {
        let base_squared = f64::from(2 * self.rotation_base_log2).exp2();
        let (n, degree) = (self.lwe_dimension as f64, self.ring_degree as f64);
        2.0 * self.rotation_digits() * base_squared * n * degree * self.error_variance / 3.0
    }

    /// Returns σ_com² = (q/q_ks)²·(σ_ms²(N) + σ_ks²) + σ_ms²(n) (Sec. 2.4): steps (3) to (5) of Figure 2, in squared units
    /// of q.
    #[must_use]
    pub fn common(&self) -> f64 {
        let ratio = self.q / self.key_switching.modulus();
        ratio * ratio * (self.ring_modulus_switch() + self.key_switch()) + self.lwe_modulus_switch()
    }

    /// Returns (q/Q)², which converts squared units of Q to those of q.
    #[must_use]
    pub fn prime_to_q(&self) -> f64 {
        (self.q / self.prime()).powi(2)
    }

    /// Returns σ_boot² = (q/Q)²·σ_acc² + σ_com² (Lemma 1), in squared units of q.
    #[must_use]
    pub fn bootstrap(&self) -> f64 {
        self.prime_to_q() * self.accumulator() + self.common()
    }

    /// Returns β = bnd·σ_boot (Sec. 2.4), in units of q.
    #[must_use]
    pub fn beta(&self) -> f64 {
        BOUND * self.bootstrap().sqrt()
    }

    /// Returns p_max = q/(2β) = N/β (caption of Table 8): no lookup supports a larger plaintext modulus.
    #[must_use]
    pub fn largest_plaintext_modulus(&self) -> f64 {
        self.q / (2.0 * self.beta())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ma_2024::parameter_sets::{LweSet, insecure_param_fast};
    use cryptable_fhew::noise::{NoiseModel, Variance};
    use cryptable_fhew::parameters::Parameters;
    use cryptable_lattice::ERROR_VARIANCE;
    use cryptable_ring::gadget::Gadget;

    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} instead of {expected}");
    }

    #[test]
    fn lemma_1_by_hand() {
        let numbers = LweSet::Fast.numbers(27);
        close(numbers.lwe_modulus_switch(), 42.3056);
        close(numbers.ring_modulus_switch(), 113.861);
        // 4·(31/32)·2048·(10.1761 + 0.25).
        close(numbers.key_switch(), 82_742.0);
        // Two digits of 27 bits: 4/3·2^54·760·2048·10.1761.
        assert_eq!(numbers.rotation_digits(), 2.0);
        close(numbers.accumulator(), 3.804_4e23);
        close(numbers.prime_to_q(), 2.067_95e-25);
        // (113.86 + 82742)/2^16 + 42.31, and 0.0787 for the rotation.
        close(numbers.common(), 43.5699);
        close(numbers.bootstrap(), 43.6486);
        close(numbers.beta(), 41.8732);
        close(numbers.largest_plaintext_modulus(), 48.91);
    }

    fn units(variance: Variance, modulus: f64) -> f64 {
        variance.0 * modulus * modulus
    }

    /// Returns the variance of the error from rounding digits in a blind rotation, for a binary secret, in squared units of
    /// Q.
    fn rounding(gadget: Gadget, parameters: &Parameters) -> f64 {
        let (n, degree) = (parameters.lwe_dimension() as f64, parameters.ring_degree() as f64);
        n * gadget.rounding_variance() * (1.0 + degree / 2.0) / 2.0
    }

    #[test]
    fn ternary_rotation_has_the_paper_s_noise() {
        let parameters = insecure_param_fast(2).unwrap();
        let (numbers, model) = (PaperNumbers::new(&parameters), NoiseModel::new(&parameters));
        let ratio = units(model.blind_rotation(), numbers.prime()) / numbers.accumulator();
        assert!((0.99..1.05).contains(&ratio), "{ratio}");
        close(units(model.lwe_modulus_switch(4096), 4096.0), numbers.lwe_modulus_switch());
        let ratio = units(model.bootstrap(), numbers.q) / numbers.bootstrap();
        assert!((0.95..1.15).contains(&ratio), "{ratio}");
    }

    #[test]
    fn binary_rotation_has_a_quarter() {
        for parameters in [Parameters::default_128(), Parameters::insecure_toy()] {
            let (numbers, model) = (PaperNumbers::new(&parameters), NoiseModel::new(&parameters));
            let gadget = parameters.rotation_gadget().mask;
            let products =
                units(model.blind_rotation(), numbers.prime()) - rounding(gadget, &parameters);
            let digits = gadget.length() as f64 / numbers.rotation_digits();
            // The paper does not include the rounding errors of transforms over doubles, up to a twentieth.
            let ratio = products / numbers.accumulator() / (digits / 4.0);
            assert!((0.999..1.05).contains(&ratio), "{ratio} of the paper's");
            // The mean of a binary secret is compensated.
            let n = parameters.lwe_dimension() as f64;
            let ratio =
                units(model.lwe_modulus_switch(4096), 4096.0) / numbers.lwe_modulus_switch();
            close(ratio, (n / 4.0 + 1.0) / (2.0 * n / 3.0 + 1.0));
        }
    }

    #[test]
    fn key_switching_digits_multiply_rows() {
        let parameters = insecure_param_fast(2).unwrap();
        let (numbers, model) = (PaperNumbers::new(&parameters), NoiseModel::new(&parameters));
        let modulus = parameters.lwe_modulus();
        let switch = model.ring_modulus_switch(modulus).0;
        let found = units(Variance(model.key_switching().0 - switch), modulus as f64);
        let base = numbers.key_switching.base();
        let factor = (base * base + 2.0) / 12.0 * ERROR_VARIANCE
            / ((1.0 - 1.0 / base) * (ERROR_VARIANCE + 0.25));
        close(found / numbers.key_switch(), factor);
    }
}
