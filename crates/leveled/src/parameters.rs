//! Parameter sets of circuit bootstrapping (Table 5 of Wang et al., EUROCRYPT 2024), carried over to a prime of 47
//! bits with 128-bit security.
//!
//! The paper's sets (Q near 2^54, n = 571 modulo 2^10) fall short of 128 bits under today's estimates. Here the prime is
//! the largest that blind rotation's fastest kernel takes, and the LWE dimension the least that the tables know;
//! decompositions are chosen anew so that each set reaches the depth of the paper's.

use cryptable_fhew::noise::{NoiseModel, Variance};
use cryptable_fhew::parameters::{
    GadgetLiteral, Parameters, ParametersLiteral, RgswGadgetLiteral, RotationMethod,
};
use cryptable_lattice::security::{SecretDistribution, least_lwe_dimension};
use cryptable_ring::gadget::Gadget;

use crate::digit_selectors::MAX_DIGIT_BITS;
use crate::error::{Error, Result};

/// Parameters of circuit bootstrapping: of everything below, and of the selectors that it makes.
#[derive(Clone, Debug, PartialEq)]
pub struct CircuitParameters {
    parameters: Parameters,
    selector: GadgetLiteral,
    digit_bits: u32,
    /// Largest variance of a digit's phase that a bootstrap takes, as a fraction of the modulus.
    input: Variance,
}

/// log2 of the probability that a circuit bootstrap reads its digit wrong.
pub const LOG2_FAIL: f64 = -64.0;

/// Its name in errors.
const DIGIT_BITS: &str = "number of a ciphertext's bits";

const fn gadget(base_log2: u32, length: usize) -> GadgetLiteral {
    GadgetLiteral { base_log2, length }
}

/// Blind rotations by this many digits of bodies and of masks, the bases with the least noise.
const ONE_DIGIT: RgswGadgetLiteral = RgswGadgetLiteral { body: gadget(19, 1), mask: gadget(22, 1) };
const THREE_ROWS: RgswGadgetLiteral =
    RgswGadgetLiteral { body: gadget(20, 1), mask: gadget(15, 2) };
const TWO_DIGITS: RgswGadgetLiteral =
    RgswGadgetLiteral { body: gadget(15, 2), mask: gadget(15, 2) };

impl CircuitParameters {
    /// From parameters of bootstrapping and the decomposition of selectors: for single bits.
    ///
    /// # Errors
    /// As [`CircuitParameters::for_digits`].
    pub fn new(parameters: &Parameters, selector: GadgetLiteral) -> Result<Self> {
        Self::for_digits(parameters, selector, 1)
    }

    /// From parameters of bootstrapping and the decomposition of selectors: for digits of 1 or 2 bits a ciphertext.
    ///
    /// # Errors
    /// If digits have another number of bits or more than those of selectors.
    /// If the selector's decomposition does not fit the prime, or has more rows than sparse rounding serves, or even
    /// inputs without noise would fail with a probability above 2^-64.
    pub fn for_digits(
        parameters: &Parameters,
        selector: GadgetLiteral,
        digit_bits: u32,
    ) -> Result<Self> {
        if !(1..=MAX_DIGIT_BITS.min(selector.base_log2.max(1))).contains(&digit_bits) {
            let limit = format!("1 to {MAX_DIGIT_BITS}, and no more than a selector's digit");
            return Err(Error::Number { name: DIGIT_BITS, value: digit_bits.into(), limit });
        }
        let bits = u64::from(selector.base_log2).saturating_mul(selector.length as u64);
        let limit = parameters.prime().ilog2();
        if selector.base_log2 == 0 || selector.length == 0 || bits > u64::from(limit) {
            let limit = format!("together they must have from 1 to {limit} bits");
            return Err(Error::Number { name: "selector digits", value: bits, limit });
        }
        let (parameters, input) = (parameters.clone(), Variance::ZERO);
        let mut circuit = Self { parameters, selector, digit_bits, input };
        let spent = circuit.switching(&NoiseModel::new(&circuit.parameters));
        let total = largest_variance(circuit.margin());
        if spent.0.is_nan() || spent.0 >= total.0 {
            let limit = "key switching and sparse rounding leave no room for noise".to_owned();
            let value = selector.length as u64;
            return Err(Error::Number { name: "selector rows", value, limit });
        }
        circuit.input = Variance(total.0 - spent.0);
        Ok(circuit)
    }

    /// The paper's set 1: depth 8.
    #[must_use]
    pub fn set_1() -> Self {
        Self::named(ONE_DIGIT, [gadget(15, 2), gadget(15, 2)], gadget(2, 6))
    }

    /// The paper's set 2: depth 115.
    #[must_use]
    pub fn set_2() -> Self {
        Self::named(THREE_ROWS, [gadget(11, 3), gadget(12, 3)], gadget(3, 5))
    }

    /// The paper's set 3: depth 236.
    #[must_use]
    pub fn set_3() -> Self {
        Self::named(THREE_ROWS, [gadget(12, 3), gadget(12, 3)], gadget(2, 7))
    }

    /// The paper's set 4: depth 10,900.
    #[must_use]
    pub fn set_4() -> Self {
        Self::named(TWO_DIGITS, [gadget(7, 6), gadget(9, 4)], gadget(4, 4))
    }

    /// The paper's set 5: depth 20,200.
    #[must_use]
    pub fn set_5() -> Self {
        Self::named(TWO_DIGITS, [gadget(7, 6), gadget(12, 3)], gadget(3, 6))
    }

    /// The set of this number, 1 to 5.
    ///
    /// # Errors
    /// If there is none.
    pub fn set(number: u32) -> Result<Self> {
        match number {
            1 => Ok(Self::set_1()),
            2 => Ok(Self::set_2()),
            3 => Ok(Self::set_3()),
            4 => Ok(Self::set_4()),
            5 => Ok(Self::set_5()),
            _ => {
                let limit = "sets are numbered 1 to 5".to_owned();
                Err(Error::Number { name: "parameter set", value: number.into(), limit })
            }
        }
    }

    /// For AES-128: tables of 8 bits, four of whose results are added up; a block of 1,280 circuit bootstraps fails with a
    /// probability below 2^-64.
    #[must_use]
    pub fn aes_128() -> Self {
        Self::named(THREE_ROWS, [gadget(11, 3), gadget(15, 2)], gadget(3, 4))
    }

    /// Digits of two bits, tables of up to 8 bits.
    #[must_use]
    pub fn digits_1() -> Self {
        Self::of_digits(THREE_ROWS, [gadget(11, 3), gadget(16, 2)], gadget(4, 3))
    }

    /// Digits of two bits, tables of up to 13 bits.
    #[must_use]
    pub fn digits_2() -> Self {
        Self::of_digits(THREE_ROWS, [gadget(11, 3), gadget(16, 2)], gadget(3, 4))
    }

    /// Digits of two bits, tables of up to 24 bits.
    #[must_use]
    pub fn digits_3() -> Self {
        let rotation = RgswGadgetLiteral { body: gadget(13, 2), mask: gadget(15, 2) };
        Self::of_digits(rotation, [gadget(9, 4), gadget(12, 3)], gadget(7, 2))
    }

    /// A set for digits of two bits: half the margin of bits, and so a larger LWE modulus.
    fn of_digits(
        rotation: RgswGadgetLiteral,
        conversion: [GadgetLiteral; 2],
        selector: GadgetLiteral,
    ) -> Self {
        let literal = ParametersLiteral {
            lwe_dimension: 662,
            log2_lwe_modulus: 16,
            key_switching: gadget(2, 6),
            ..Self::literal(rotation, conversion)
        };
        let parameters = Parameters::new(literal).expect("a valid set");
        Self::for_digits(&parameters, selector, 2).expect("a valid set")
    }

    /// The paper's set AUTO_1 to AUTO_5: blind rotation by automorphisms, depths 7, 73, 149, 7,900 and 16,800.
    ///
    /// Rotations take one external product a coefficient of a ternary secret, of lower dimension than a binary one of
    /// the same security, and 332 automorphisms (418 in set 4, whose selectors have 4 rows only). They have about
    /// twice the noise of CMUXes with the same digits, so that set 1 has a finer trace than the CMUX one.
    ///
    /// # Errors
    /// If there is no set of this number.
    pub fn auto_set(number: u32) -> Result<Self> {
        // Table 2: a window of 15 for θ = 2, of 8 for θ = 3.
        let fine = gadget(15, 2);
        match number {
            1 => {
                let set = Self::named(ONE_DIGIT, [gadget(11, 3), gadget(15, 2)], gadget(2, 6));
                Ok(set.with_automorphisms(fine, 8))
            }
            2 => Ok(Self::set_2().with_automorphisms(fine, 8)),
            3 => Ok(Self::set_3().with_automorphisms(fine, 8)),
            4 => Ok(Self::set_4().with_automorphisms(fine, 15)),
            5 => Ok(Self::set_5().with_automorphisms(fine, 8)),
            _ => {
                let limit = "sets are numbered 1 to 5".to_owned();
                Err(Error::Number { name: "parameter set", value: number.into(), limit })
            }
        }
    }

    /// The set with a rotation by automorphisms of these digits and this window, under a ternary secret.
    fn with_automorphisms(&self, digits: GadgetLiteral, window: usize) -> Self {
        let literal = *self.parameters.literal();
        let secret = SecretDistribution::UniformTernary;
        let parameters = Parameters::new(ParametersLiteral {
            lwe_dimension: least_lwe_dimension(secret, f64::from(literal.log2_lwe_modulus))
                .expect("a modulus of the tables"),
            lwe_secret: secret,
            rotation_method: RotationMethod::SparseAutomorphism {
                sparsity_log2: self.sparsity_log2(),
                window,
                digits,
            },
            ..literal
        })
        .expect("a valid set");
        Self::new(&parameters, self.selector).expect("a valid set")
    }

    /// A named set: decompositions of blind rotation, of trace and scheme switching, and of selectors.
    fn named(
        rotation: RgswGadgetLiteral,
        conversion: [GadgetLiteral; 2],
        selector: GadgetLiteral,
    ) -> Self {
        let parameters = Parameters::new(Self::literal(rotation, conversion)).expect("a valid set");
        Self::new(&parameters, selector).expect("a valid set")
    }

    /// What named sets have in common.
    fn literal(
        rotation: RgswGadgetLiteral,
        [automorphism, relinearization]: [GadgetLiteral; 2],
    ) -> ParametersLiteral {
        ParametersLiteral {
            lwe_dimension: 583,
            log2_lwe_modulus: 14,
            // The largest below 2^47: fractions of it are as small as they get.
            log2_prime: 46.99,
            rotation,
            key_switching: gadget(2, 5),
            automorphism,
            relinearization,
            ..*Parameters::default_128().literal()
        }
    }

    /// A toy of LWE dimension 64 for tests. It is not secure.
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn insecure_toy() -> Self {
        Self::aes_128().insecure()
    }

    /// A toy of LWE dimension 64 for tests, with digits of two bits. It is not secure.
    ///
    /// # Panics
    /// Never: the set is valid.
    #[must_use]
    pub fn insecure_toy_of_digits() -> Self {
        Self::digits_1().insecure()
    }

    fn insecure(&self) -> Self {
        let literal = ParametersLiteral { lwe_dimension: 64, ..*self.parameters.literal() };
        let parameters = Parameters::insecure(literal).expect("a valid set");
        Self::for_digits(&parameters, self.selector, self.digit_bits).expect("a valid set")
    }

    /// Parameters of bootstrapping.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Decomposition of selectors.
    #[must_use]
    pub fn selector_gadget(&self) -> Gadget {
        let GadgetLiteral { base_log2, length } = self.selector;
        Gadget::new(self.parameters.prime(), base_log2, length)
    }

    /// log2 of what phases are rounded to multiples of, so that one rotation makes all rows of all selectors of a
    /// digit (ϑ).
    #[must_use]
    pub fn sparsity_log2(&self) -> u32 {
        (self.digit_bits as usize * self.selector.length).next_power_of_two().ilog2()
    }

    /// Bits that a ciphertext holds: 1, or 2 ([`crate::digit_selectors`]).
    #[must_use]
    pub fn digit_bits(&self) -> u32 {
        self.digit_bits
    }

    /// The largest error of a phase that leaves its digit, 1/2^(d + 1), as a fraction of the modulus.
    #[must_use]
    pub fn margin(&self) -> f64 {
        0.5 / f64::from(self.digit_bits).exp2()
    }

    /// Demands single bits.
    ///
    /// # Errors
    /// If ciphertexts hold digits.
    pub(crate) fn check_single_bits(&self) -> Result<()> {
        if self.digit_bits == 1 {
            return Ok(());
        }
        let limit = "this is for single bits".to_owned();
        Err(Error::Number { name: DIGIT_BITS, value: self.digit_bits.into(), limit })
    }

    /// 2N/2^ϑ.
    #[must_use]
    pub fn sparse_modulus(&self) -> u64 {
        self.parameters.rotation_modulus() >> self.sparsity_log2()
    }

    /// Variance of a digit's phase that a circuit bootstrap may get: it fails with probability 2^-64 then.
    #[must_use]
    pub fn input_variance(&self) -> Variance {
        self.input
    }

    /// What switching a digit to dimension n and to the sparse modulus adds.
    fn switching(&self, model: &NoiseModel) -> Variance {
        model.key_switching() + model.lwe_modulus_switch(self.sparse_modulus())
    }

    /// Least security of LWE and both rings, in bits.
    #[must_use]
    pub fn security_bits(&self) -> f64 {
        self.parameters.security_bits()
    }
}

/// The largest variance whose errors exceed `margin` with a probability of at most 2^[`LOG2_FAIL`].
fn largest_variance(margin: f64) -> Variance {
    let ratio = cryptable_lattice::gaussian_tail::gaussian_ratio_for(LOG2_FAIL);
    Variance((margin / ratio).powi(2))
}
