//! Selection in slots: products of digits and signs before SlotsToCoeffs, so that selections need no bootstrap.
//!
//! AKP returns outputs of tables of digits, and the sign as 0 or 1, in slots, with two values per slot if packing is
//! full. One conjugation each splits them into real vectors. Then `f·(1 - Σ_k s_k) + Σ_k s_k·g_k` needs one
//! relinearization per part, regardless of the number of signs, where f and g_k are digits of values or constants.
//!
//! **Levels.** `selection_primes` of [`crate::ParametersLiteral`], between AKP's interpolation and SlotsToCoeffs, which
//! has additional matrices for the scale of products.
//!
//! **Noise.** An error of a sign is multiplied by the difference of two digits as fractions of n, at most 1, and at
//! most 1/2 where no digit has more than n/2 values; errors of digits do not change; the product adds its own error.

use cryptable_ckks::bootstrapping::homomorphic_dft::{HomomorphicDft, join, real_parts};
use cryptable_ckks::dry_run::{Shape, SlotNoise};
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::{KeyRequest, NoiseBound};
use num_complex::Complex64;

use crate::bootstrapping::slots_to_coeffs;
use crate::literal::ParametersLiteral;
use crate::multi_precision::circuit::MultiPrecisionCircuit;

/// Mean square of products in a dry run: digits as fractions are within [-1/2, 1/2].
const POWER_OF_DIGITS: f64 = 0.25;

/// Maximum number of signs that select a digit.
pub(crate) const MOST_SIGNS: usize = 2;

/// Values in slots as real vectors: one of real parts and, if packing is full, one of imaginary parts.
pub(crate) type RealSlots<C> = Vec<C>;

/// Operand that a sign selects.
#[derive(Debug)]
pub(crate) enum Selected<'a, C> {
    /// The same fraction everywhere.
    Constant(f64),
    /// Values in slots.
    Slots(&'a RealSlots<C>),
}

/// A sign, 0 or 1, and the operand that it selects.
pub(crate) type Choice<'a, C> = (&'a RealSlots<C>, Selected<'a, C>);

/// The public part of selections for one parameter set.
#[derive(Clone, Debug)]
pub(crate) struct SlotSelection {
    literal: ParametersLiteral,
    /// The plan of SlotsToCoeffs, for the scale of products.
    pub slots_to_coeffs: HomomorphicDft,
    requests: Vec<KeyRequest>,
    /// Noise of coefficients that products add, modulo q_0: the sum over slots.
    noise: SlotNoise,
}

impl SlotSelection {
    /// Plans selections over the given chain of primes; none if a literal has no primes for them.
    pub(crate) fn new(
        literal: &ParametersLiteral,
        circuit: &MultiPrecisionCircuit,
        primes: &[f64],
    ) -> Option<Self> {
        if literal.selection_primes == 0 {
            return None;
        }
        let akp = &circuit.akp;
        let dry_run = akp.dry_run();
        let mut selection = Self {
            literal: literal.clone(),
            slots_to_coeffs: HomomorphicDft::default(),
            requests: Vec::new(),
            noise: SlotNoise::ZERO,
        };
        let products = selection.predict(&dry_run, akp.worst_outputs());
        selection.slots_to_coeffs = slots_to_coeffs::plan(literal, primes, products, 1.0);
        let matrices = selection.slots_to_coeffs.plans();
        selection.noise = selection.finish(&dry_run, &matrices, products).noise;
        selection.requests = dry_run.key_requests();
        Some(selection)
    }

    /// Every key that selections need.
    pub(crate) fn key_requests(&self) -> &[KeyRequest] {
        &self.requests
    }

    /// Splits outputs of AKP into real vectors.
    pub(crate) fn split<A: Arithmetic>(
        &self,
        arithmetic: &A,
        mut outputs: A::Ciphertext,
    ) -> RealSlots<A::Ciphertext> {
        if self.literal.slots < self.literal.ring_degree {
            return vec![outputs];
        }
        arithmetic.divide_slots_assign(&mut outputs, 2.0);
        real_parts(arithmetic, outputs, 2)
    }

    /// Returns `otherwise` where no sign is 1, else the operand that the sign 1 selects.
    ///
    /// # Panics
    /// If there is no sign.
    pub(crate) fn select<A: Arithmetic>(
        &self,
        arithmetic: &A,
        otherwise: &RealSlots<A::Ciphertext>,
        choices: &[Choice<'_, A::Ciphertext>],
    ) -> A::Ciphertext {
        let select_part = |(part, f): (usize, &A::Ciphertext)| {
            let mut none = choices[0].0[part].clone();
            choices[1..].iter().for_each(|(sign, _)| arithmetic.add_assign(&mut none, &sign[part]));
            arithmetic.mul_integer_assign(&mut none, -1);
            arithmetic.add_constant_assign(&mut none, Complex64::ONE);
            arithmetic.declare_power(&mut none, 1.0);
            let selected: Vec<_> =
                choices.iter().map(|(_, it)| of_part(arithmetic, it, part, f)).collect();
            let signs = choices.iter().map(|(sign, _)| &sign[part]);
            let mut pairs = vec![(&none, f)];
            pairs.extend(
                signs.zip(&selected).filter_map(|(sign, it)| it.as_ref().map(|it| (sign, it))),
            );
            let product = arithmetic.product_sum(&pairs);
            let mut found = arithmetic.relinearize(product, self.literal.selection_primes);
            arithmetic.declare_power(&mut found, POWER_OF_DIGITS);
            found
        };
        join(arithmetic, otherwise.iter().enumerate().map(select_part))
    }

    /// Applies SlotsToCoeffs to products.
    pub(crate) fn finish<A: Arithmetic>(
        &self,
        arithmetic: &A,
        matrices: &[A::Matrix],
        products: A::Ciphertext,
    ) -> A::Ciphertext {
        let plan = &self.slots_to_coeffs;
        slots_to_coeffs::apply(arithmetic, &self.literal, plan, matrices, products)
    }

    /// Returns the noise of a selected digit, if digits have noise `digit`, and each of the `signs` signs has noise
    /// `sign`.
    pub(crate) fn noise(&self, digit: NoiseBound, sign: NoiseBound, signs: usize) -> NoiseBound {
        let of_signs = signs as f64 * self.largest_difference();
        let own = self.literal.coefficient_bound(self.noise, self.literal.slots);
        let of_operands = digit.law() + sign.law().times(of_signs);
        let law = of_operands.with_independent(own.law());
        let bias = digit.bias() + of_signs * sign.bias() + own.bias();
        // Accounts for the product of both errors.
        let both = 1.0 + 2.0 * signs as f64 * sign.bias();
        NoiseBound::of_law(law.times(both), both * bias)
    }

    /// The largest difference of two digits of results, as a fraction of n.
    fn largest_difference(&self) -> f64 {
        let (last, others) = self.literal.digits.split_last().expect("digits");
        let most = others.iter().copied().chain([last / 2]).max().unwrap_or(1);
        let largest = self.literal.interpolated_modulus();
        // Digits of more than n/2 values may differ by up to 1, since all fractions are centred.
        if 2 * most <= largest { most as f64 / largest as f64 } else { 1.0 }
    }

    /// Predicts products of exact values with the maximum number of signs.
    fn predict(&self, dry_run: &DryRun, outputs: Shape) -> Shape {
        let digits = self.split(dry_run, Shape { noise: SlotNoise::ZERO, ..outputs });
        let mut sign = digits.clone();
        sign.iter_mut().for_each(|part| dry_run.declare_power(part, 1.0));
        let choices = [(); MOST_SIGNS].map(|()| (&sign, Selected::Slots(&digits)));
        self.select(dry_run, &digits, &choices)
    }
}

/// Returns the operand that a sign selects for one part; `None` for 0.
fn of_part<A: Arithmetic>(
    arithmetic: &A,
    selected: &Selected<'_, A::Ciphertext>,
    part: usize,
    like: &A::Ciphertext,
) -> Option<A::Ciphertext> {
    match selected {
        Selected::Constant(0.0) => None,
        Selected::Constant(value) => {
            let mut constant = like.clone();
            arithmetic.mul_integer_assign(&mut constant, 0);
            arithmetic.add_constant_assign(&mut constant, Complex64::from(*value));
            Some(constant)
        }
        Selected::Slots(slots) => Some(slots[part].clone()),
    }
}
