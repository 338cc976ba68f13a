//! Noise of the operators (Lemma 1), of bootstrapping (Sec. 2.4) and of BFV multiplication (Lemma 2, Theorem 10,
//! Proposition 1), as printed in the paper.

use super::{BOUND, PaperNumbers, SwitchNumbers};

/// σ_ms²(n) = n/18 + 1/12 (Lemma 1), in squared units of the target modulus.
///
/// ```
/// use cryptable_papers::ma_2024::noise::operators::modulus_switch;
/// assert_eq!(modulus_switch(18), 1.0 + 1.0 / 12.0);
/// ```
#[must_use]
pub fn modulus_switch(dimension: usize) -> f64 {
    dimension as f64 / 18.0 + 1.0 / 12.0
}

/// σ_ks²(n, q_ks, B_ks) = d_ks·(1 - 1/B_ks)·n·(σ² + 1/4) (Lemma 1), in squared units of the output modulus.
#[must_use]
pub fn key_switch(dimension: usize, switch: SwitchNumbers, error_variance: f64) -> f64 {
    f64::from(switch.digits())
        * (1.0 - 1.0 / switch.base())
        * dimension as f64
        * (error_variance + 0.25)
}

/// ⌈log_B modulus⌉, a number of digits.
pub(super) fn digits(log2_modulus: f64, base_log2: u32) -> f64 {
    (log2_modulus / f64::from(base_log2)).ceil()
}

impl PaperNumbers {
    /// d_g = ⌈log_(B_g) Q⌉ (Lemma 1).
    #[must_use]
    pub fn rotation_digits(&self) -> f64 {
        digits(self.log2_prime, self.rotation_base_log2)
    }

    /// σ_ms²(n), in squared units of the target modulus.
    #[must_use]
    pub fn lwe_modulus_switch(&self) -> f64 {
        modulus_switch(self.lwe_dimension)
    }

    /// σ_ms²(N), in squared units of the target modulus.
    #[must_use]
    pub fn ring_modulus_switch(&self) -> f64 {
        modulus_switch(self.ring_degree)
    }

    /// σ_ks²(N, q_ks, B_ks), in squared units of q_ks.
    #[must_use]
    pub fn key_switch(&self) -> f64 {
        key_switch(self.ring_degree, self.key_switching, self.error_variance)
    }

    /// σ_pk² = σ_ks²(N, q_pk, B_pk) (Table 2 and Sec. 2.4), in squared units of Q. Table 8 writes σ_ks² for it.
    #[must_use]
    pub fn packing(&self) -> f64 {
        key_switch(self.ring_degree, self.packing, self.error_variance)
    }

    /// σ_acc² = 2·d_g·B_g²·n·N·σ²/3 (Lemma 1), in squared units of Q.
    #[must_use]
    pub fn accumulator(&self) -> f64 {
        let base_squared = f64::from(2 * self.rotation_base_log2).exp2();
        let (n, degree) = (self.lwe_dimension as f64, self.ring_degree as f64);
        2.0 * self.rotation_digits() * base_squared * n * degree * self.error_variance / 3.0
    }

    /// σ_com² = (q/q_ks)²·(σ_ms²(N) + σ_ks²) + σ_ms²(n) (Sec. 2.4): steps (3) to (5) of Figure 2, in squared units
    /// of q.
    #[must_use]
    pub fn common(&self) -> f64 {
        let ratio = self.q / self.key_switching.modulus();
        ratio * ratio * (self.ring_modulus_switch() + self.key_switch()) + self.lwe_modulus_switch()
    }

    /// (q/Q)²: turns squared units of Q into those of q.
    #[must_use]
    pub fn prime_to_q(&self) -> f64 {
        (self.q / self.prime()).powi(2)
    }

    /// σ_boot² = (q/Q)²·σ_acc² + σ_com² (Lemma 1), in squared units of q.
    #[must_use]
    pub fn bootstrap(&self) -> f64 {
        self.prime_to_q() * self.accumulator() + self.common()
    }

    /// β = bnd·σ_boot (Sec. 2.4), in units of q.
    #[must_use]
    pub fn beta(&self) -> f64 {
        BOUND * self.bootstrap().sqrt()
    }

    /// p_max = q/(2β) = N/β (caption of Table 8): no lookup takes a larger plaintext modulus.
    #[must_use]
    pub fn largest_plaintext_modulus(&self) -> f64 {
        self.q / (2.0 * self.beta())
    }
}

/// Error variances of the two factors of a BFV multiplication, in squared units of Q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BfvErrors {
    /// σ_0², σ_1²: of the constant terms alone.
    pub constant: [f64; 2],
    /// σ'_0², σ'_1²: of every coefficient.
    pub coefficients: [f64; 2],
}

/// p²·σ_ms²(N)·(σ_0² + σ_1²) (Lemma 2): the dominant term for factors whose messages are constant polynomials, in
/// squared units of Q. It takes |m_0| <= 1 and σ_i² far above N·σ'_i².
#[must_use]
pub fn bfv_dominant(numbers: &PaperNumbers, p: f64, constant: [f64; 2]) -> f64 {
    p * p * numbers.ring_modulus_switch() * (constant[0] + constant[1])
}

/// N·p²·σ_ms²(N)·(σ_0² + σ_1²) (Proposition 1): the same by the earlier analysis of WoP-PBS.
#[must_use]
pub fn bfv_dominant_unrefined(numbers: &PaperNumbers, p: f64, constant: [f64; 2]) -> f64 {
    numbers.ring_degree as f64 * bfv_dominant(numbers, p, constant)
}

/// σ'_ms² = σ_ms²(N) + N²/27, plus d_rl·B_rl²/4·N·σ² (proof of Theorem 10): switching the tensor product to Q, and
/// relinearization, in squared units of Q.
#[must_use]
pub fn bfv_relinearization(numbers: &PaperNumbers) -> f64 {
    let n = numbers.ring_degree as f64;
    let base_log2 = numbers.relinearization_base_log2;
    let base_squared = f64::from(2 * base_log2).exp2();
    let rows = digits(numbers.log2_prime, base_log2) * base_squared / 4.0;
    numbers.ring_modulus_switch() + n * n / 27.0 + rows * n * numbers.error_variance
}

/// Theorem 10: the variance of a BFV product of constants, all terms, as the theorem prints them, in squared units
/// of Q.
///
/// Three of the terms in the N·(…) do not follow from the products that the proof expands: see
/// [`theorem_10_expanded`]. None of the three matters where Lemma 2 applies.
#[must_use]
pub fn theorem_10(numbers: &PaperNumbers, p: f64, errors: BfvErrors) -> f64 {
    let ms = numbers.ring_modulus_switch();
    let (q, auxiliary) = (numbers.prime(), numbers.log2_auxiliary.exp2());
    let ([s0, _], [t0, t1]) = (errors.constant, errors.coefficients);
    let polynomials = (p / q).powi(2) * s0 * t1
        + (p / auxiliary).powi(2) * s0 * ms
        + p * p * ms * (t0 + t1)
        + (p * q / auxiliary).powi(2) * ms * t0;
    scalar_terms(numbers, p, errors)
        + numbers.ring_degree as f64 * polynomials
        + bfv_relinearization(numbers)
}

/// Theorem 10 with the last line by the proof's expansion, p/Q·e_0·e_1 + p/P·e_0·e_ms + p·(u_0·e_1 + u_1·e_0) +
/// pQ/P·u_0·e_ms for polynomials e_i: σ'_0² in place of σ_0² in its first two terms, σ_ms² in place of σ'_0² in its
/// last.
#[must_use]
pub fn theorem_10_expanded(numbers: &PaperNumbers, p: f64, errors: BfvErrors) -> f64 {
    let ms = numbers.ring_modulus_switch();
    let (q, auxiliary) = (numbers.prime(), numbers.log2_auxiliary.exp2());
    let [t0, t1] = errors.coefficients;
    let polynomials = (p / q).powi(2) * t0 * t1
        + (p / auxiliary).powi(2) * t0 * ms
        + p * p * ms * (t0 + t1)
        + (p * q / auxiliary).powi(2) * ms * ms;
    scalar_terms(numbers, p, errors)
        + numbers.ring_degree as f64 * polynomials
        + bfv_relinearization(numbers)
}

/// The terms of Theorem 10 outside N·(…): products of scalars, and of scalars and polynomials.
fn scalar_terms(numbers: &PaperNumbers, p: f64, errors: BfvErrors) -> f64 {
    let ms = numbers.ring_modulus_switch();
    let (q, auxiliary) = (numbers.prime(), numbers.log2_auxiliary.exp2());
    let ([s0, s1], [t0, t1]) = (errors.constant, errors.coefficients);
    let scalars = s1 + p * p / 4.0 * s0 + (p / q).powi(2) * s0 * s1;
    let by_messages = t1 + (q / auxiliary).powi(2) * ms + p * p / 4.0 * t0;
    let by_errors = (p / q).powi(2) * (s0 * t1 + s1 * t0) + (p / auxiliary).powi(2) * s0 * ms;
    scalars + by_messages + by_errors + bfv_dominant(numbers, p, errors.constant)
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
        // (113.86 + 82742)/2^16 + 42.31, and 0.0787 of the rotation.
        close(numbers.common(), 43.5699);
        close(numbers.bootstrap(), 43.6486);
        close(numbers.beta(), 41.8732);
        close(numbers.largest_plaintext_modulus(), 48.91);
    }

    #[test]
    fn dominant_terms_dominate() {
        let numbers = LweSet::Fast.numbers(18);
        let acc = numbers.accumulator();
        let t = numbers.packing();
        assert!(acc > numbers.ring_degree as f64 * t);
        let errors = BfvErrors { constant: [acc; 2], coefficients: [t; 2] };
        let dominant = bfv_dominant(&numbers, 16.0, errors.constant);
        close(dominant, 2.0 * 256.0 * numbers.ring_modulus_switch() * acc);
        for full in
            [theorem_10(&numbers, 16.0, errors), theorem_10_expanded(&numbers, 16.0, errors)]
        {
            assert!((1.0..1.1).contains(&(full / dominant)), "{}", full / dominant);
        }
        close(bfv_dominant_unrefined(&numbers, 16.0, errors.constant), 2048.0 * dominant);
        // 2·2^52·2048·10.1761: two digits of 27 bits.
        close(bfv_relinearization(&numbers), 1.877_1e20);
    }

    fn units(variance: Variance, modulus: f64) -> f64 {
        variance.0 * modulus * modulus
    }

    /// What rounding digits leaves of a blind rotation, for a binary secret, in squared units of Q.
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
            // The paper leaves out what transforms over doubles round: up to a twentieth.
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
