//! Toy parameters for tests: they are **insecure**, and marked as such.

use cryptable_lattice::error::{Error, Result};
use cryptable_lattice::{Owners, SecurityLevel};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::formulas::stages::PreparedFormulas;
use crate::literal::{BlockSecretLiteral, MultiplexerLiteral};
use crate::parameters::parameter_set::Parameters;
use crate::planner::comparison_request::comparison_digits;
use crate::planner::digit_choice::{DigitChoice, OutputPrecision};
use crate::planner::few_values::with_block_secret;
use crate::planner::literals::{Evaluation, literal};
use crate::planner::prime_choice::LARGEST_LOG2_SCALE;
use crate::planner::request::Request;

/// Number of digits of keys (dnum) of toys.
const DNUM: usize = 2;

impl Parameters {
    /// Returns a toy set of AKP at ring degree 1024, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a modulus is out of range.
    pub fn insecure_toy(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Self::insecure_toy_of(input_modulus, output_modulus, 1024, 1024)
    }

    /// Returns a toy set of AKP for any ring degree and packing, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_of(
        input_modulus: u64,
        output_modulus: u64,
        degree: usize,
        slots: usize,
    ) -> Result<Self> {
        Self::insecure_toy_of_order(
            input_modulus,
            output_modulus,
            degree,
            slots,
            HermiteOrder::First,
        )
    }

    /// Returns a toy set of AKP at ring degree 1024 for a key of several owners, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a modulus is out of range.
    pub fn insecure_toy_of_owners(
        input_modulus: u64,
        output_modulus: u64,
        owners: Owners,
    ) -> Result<Self> {
        let request = Request { owners, ..Request::new(input_modulus, output_modulus) };
        toy_of(&request, 1024, 1024, Evaluation::Akp(HermiteOrder::First))
    }

    /// Returns a toy set of AKP at ring degree 1024 that hides tables up to a distance of 2^-bits, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_hidden(input_modulus: u64, output_modulus: u64, bits: u32) -> Result<Self> {
        let hidden_bits = Some(bits);
        let request = Request { hidden_bits, ..Request::new(input_modulus, output_modulus) };
        toy_of(&request, 1024, 1024, Evaluation::Akp(HermiteOrder::First))
    }

    /// Returns a toy set for formulas at ring degree 1024, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a modulus or a result of a formula is out of range.
    pub fn insecure_toy_formulas(output_modulus: u64, formulas: &PreparedFormulas) -> Result<Self> {
        Self::insecure_toy_formulas_of(output_modulus, formulas, 1024)
    }

    /// Returns a toy set like [`Parameters::insecure_toy_formulas`], with `slots` slots: **insecure**.
    pub(crate) fn insecure_toy_formulas_of(
        output_modulus: u64,
        formulas: &PreparedFormulas,
        slots: usize,
    ) -> Result<Self> {
        formulas.check_output_modulus(output_modulus)?;
        let of_order = |order| {
            let evaluation = formulas.evaluation(order);
            let found = toy(formulas.input_modulus(), output_modulus, 1024, slots, evaluation)?;
            found.checked_formula_noise(formulas, &[]).map(|_| found)
        };
        let [first, others @ ..] = HermiteOrder::ALL;
        others.into_iter().fold(of_order(first), |found, order| found.or_else(|_| of_order(order)))
    }

    /// Returns a toy set of AKP with complex outputs at ring degree 1024, for up to 512 values, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_complex(
        input_modulus: u64,
        output_modulus: u64,
        slots: usize,
    ) -> Result<Self> {
        let request =
            Request { complex_outputs: true, ..Request::new(input_modulus, output_modulus) };
        toy_of(&request, 1024, slots, Evaluation::Akp(HermiteOrder::First))
    }

    /// Returns a toy set of a multiplexer tree with complex outputs, with N/2 values at ring degree N, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_complex_tree(
        output_modulus: u64,
        degree: usize,
        multiplexer: MultiplexerLiteral,
    ) -> Result<Self> {
        let choice = tree(multiplexer, 0);
        let input_modulus = input_modulus_of(&choice.multiplexer.digits)?;
        let request =
            Request { complex_outputs: true, ..Request::new(input_modulus, output_modulus) };
        toy_of(&request, degree, degree / 2, Evaluation::Tree(&choice))
    }

    /// Returns a toy set of AKP with an interpolation of any order, for any moduli, ring degree and number of slots,
    /// for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_of_order(
        input_modulus: u64,
        output_modulus: u64,
        degree: usize,
        slots: usize,
        order: HermiteOrder,
    ) -> Result<Self> {
        toy(input_modulus, output_modulus, degree, slots, Evaluation::Akp(order))
    }

    /// Returns a toy set of AKP under a secret of blocks at ring degree 1024, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_blocks(modulus: u64, slots: usize, blocks: usize) -> Result<Self> {
        let request = Request {
            ring_degree: Some(1024),
            count: Some(slots),
            ..Request::new(modulus, modulus)
        };
        request.check()?;
        let literal = literal(&request, Evaluation::Akp(HermiteOrder::First)).with_primes(3, 40);
        let secret = BlockSecretLiteral { dimension: 512, blocks, log2_prime: 29.0 };
        let mut literal = with_block_secret(literal, secret);
        literal.name = format!("insecure_{}", literal.name);
        literal.security = SecurityLevel::Insecure;
        Self::new(literal)
    }

    /// Returns a toy set that processes inputs digit by digit, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_digits(digits: &[u64], output_modulus: u64) -> Result<Self> {
        let input_modulus = input_modulus_of(digits)?;
        toy(input_modulus, output_modulus, 1024, 1024, Evaluation::Digits(digits))
    }

    /// Returns a toy set for comparisons of integers of `bits` bits, for tests only: **insecure**. Digits have up to
    /// three bits, modulo 8.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_comparisons(bits: u32) -> Result<Self> {
        let digits = comparison_digits(bits, 3).ok_or(Error::TooSmall {
            name: "bits of integers that are compared",
            value: bits.into(),
            limit: 3,
        })?;
        toy(1 << (bits + 1), 8, 1024, 1024, Evaluation::Selecting(&digits))
    }

    /// Returns a toy set for tables per value, in the clear or encrypted, for tests only: **insecure**. The method is a
    /// tree of two digits.
    ///
    /// # Errors
    /// If the input modulus does not have two factors, or a number is out of range.
    pub fn insecure_toy_entries(input_modulus: u64, output_modulus: u64) -> Result<Self> {
        Self::insecure_toy_entries_of(input_modulus, output_modulus, 1024)
    }

    /// Returns a toy set like [`Parameters::insecure_toy_entries`], with `slots` values per ciphertext: **insecure**.
    ///
    /// # Errors
    /// The same errors.
    pub fn insecure_toy_entries_of(
        input_modulus: u64,
        output_modulus: u64,
        slots: usize,
    ) -> Result<Self> {
        let digits = two_digits(input_modulus).ok_or_else(|| {
            Error::Unsupported(format!("input modulus {input_modulus}: it is not a product"))
        })?;
        let multiplexer = MultiplexerLiteral {
            digits: digits.to_vec(),
            selectors: vec![1, 1],
            entry_levels: 1,
            ..MultiplexerLiteral::default()
        };
        Self::insecure_toy_tree(output_modulus, 1024, slots, multiplexer, 0)
    }

    /// Returns a toy set of a multiplexer tree, for tests only: **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_tree(
        output_modulus: u64,
        degree: usize,
        slots: usize,
        multiplexer: MultiplexerLiteral,
        exponential_cleanings: u32,
    ) -> Result<Self> {
        toy_tree(output_modulus, degree, slots, tree(multiplexer, exponential_cleanings))
    }

    /// Returns a toy set of a multiplexer tree in real slots, with N values at ring degree N, for tests only:
    /// **insecure**.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn insecure_toy_real_tree(
        output_modulus: u64,
        degree: usize,
        multiplexer: MultiplexerLiteral,
        exponential_cleanings: u32,
    ) -> Result<Self> {
        let choice = DigitChoice { real_slots: true, ..tree(multiplexer, exponential_cleanings) };
        toy_tree(output_modulus, degree, degree, choice)
    }
}

/// A multiplexer tree with the least precision.
fn tree(multiplexer: MultiplexerLiteral, exponential_cleanings: u32) -> DigitChoice {
    DigitChoice {
        multiplexer,
        exponential_cleanings,
        extra_primes: 0,
        output_precision: OutputPrecision::FewestPrimes,
        real_slots: false,
    }
}

/// Returns a toy set of a multiplexer tree, with this ring degree and number of values.
fn toy_tree(
    output_modulus: u64,
    degree: usize,
    slots: usize,
    choice: DigitChoice,
) -> Result<Parameters> {
    let input_modulus = input_modulus_of(&choice.multiplexer.digits)?;
    toy(input_modulus, output_modulus, degree, slots, Evaluation::Tree(&choice))
}

/// Returns the product of digits.
fn input_modulus_of(digits: &[u64]) -> Result<u64> {
    let product = digits.iter().copied().try_fold(1u64, u64::checked_mul);
    let too_large = || format!("digits {digits:?}: their product is too large");
    product.ok_or_else(|| Error::Unsupported(too_large()))
}

/// Returns two factors of a number, as even as possible, the smaller first.
fn two_digits(modulus: u64) -> Option<[u64; 2]> {
    let small = (2..=modulus.isqrt()).rev().find(|&d| modulus.is_multiple_of(d))?;
    Some([small, modulus / small])
}

fn toy(
    input_modulus: u64,
    output_modulus: u64,
    degree: usize,
    slots: usize,
    evaluation: Evaluation<'_>,
) -> Result<Parameters> {
    toy_of(&Request::new(input_modulus, output_modulus), degree, slots, evaluation)
}

/// Returns a toy set for a request, at this ring degree and with `slots` slots.
fn toy_of(
    request: &Request,
    degree: usize,
    slots: usize,
    evaluation: Evaluation<'_>,
) -> Result<Parameters> {
    let request = Request { ring_degree: Some(degree), count: Some(slots), ..*request };
    if !matches!(evaluation, Evaluation::Digits(_) | Evaluation::Selecting(_)) {
        request.check()?;
    }
    let mut literal = literal(&request, evaluation).with_primes(DNUM, LARGEST_LOG2_SCALE);
    literal.name = format!("insecure_{}", literal.name);
    literal.security = SecurityLevel::Insecure;
    Parameters::new(literal)
}
