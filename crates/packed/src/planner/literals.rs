//! The literal of a request: every number except those that are searched for.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_lattice::{Owners, SecurityLevel};

use crate::akp::hermite_kernel::{HermiteKernel, HermiteOrder};
use crate::literal::{DftLiteral, ParametersLiteral};
use crate::multiplexer::circuit::entry_factor;
use crate::parameters::hidden_tables::MAX_CONSTANT_BITS;
use crate::planner::digit_choice::{DigitChoice, OutputPrecision, split_evenly};
use crate::planner::request::Request;

/// Hamming weight of the encapsulated secret: the least that the security tables contain.
const SPARSE_WEIGHT: u32 = 32;

/// Maximum number of butterfly levels per matrix where the chain has few levels to spare: fewest matrices and primes.
const LEVELS_OF_MATRIX: u32 = 5;

/// Maximum number of butterfly levels per matrix where every prime saved is a limb less in the table step.
const LEVELS_OF_WHOLE_PRIME: u32 = 8;

/// Bits of such a matrix beyond those of outputs, if selectors spare bits: rounding errors are then a tenth of half an
/// output step.
const MATRIX_BITS: f64 = 14.0;

/// Number of baby steps of such a matrix of up to 511 diagonals.
const BABY_STEPS_OF_WHOLE_PRIME: usize = 32;

/// Number of primes of a product of two values in slots, both of which have constants in their scales; these constants
/// amount to one prime.
const SELECTION_PRIMES: usize = 2;

/// log2 of the number of constants up to which half of a prime is enough for constants.
const LOG_FEW_CONSTANTS: u32 = 8;

/// log2 of the number of coefficients of an interpolation from which on fewer baby steps are faster. By count, they
/// save a fifth of powers and interpolation for 256 coefficients, and a quarter for 1,024.
const LOG_MANY_COEFFICIENTS: u32 = 5;

/// Number of tables up to which fewer baby steps are faster.
const FEW_TABLES: usize = 2;

/// The way in which tables are evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evaluation<'a> {
    /// AKP, with an interpolation of this order.
    Akp(HermiteOrder),
    /// AKP for formulas.
    Formulas(HermiteOrder, FormulaShape),
    /// A multiplexer tree.
    Tree(&'a DigitChoice),
    /// AKP on one digit after the other, the least significant first.
    Digits(&'a [u64]),
    /// AKP on one digit after the other, with selection of digits by signs in slots.
    Selecting(&'a [u64]),
}

/// Properties of formulas that parameters depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormulaShape {
    /// Depth of nested choices.
    pub choices: usize,
    /// Number of groups that results are added up by; 0 if there are none.
    pub groups: usize,
    /// log2 of the factor by which sums of columns increase noise.
    pub sum_bits: u32,
}

impl Evaluation<'_> {
    /// A short name of the method.
    fn name(self) -> String {
        match self {
            Self::Tree(choice) => choice.name(),
            Self::Akp(HermiteOrder::First) => "akp".into(),
            Self::Akp(order) => format!("akp{}", order.derivatives()),
            Self::Formulas(order, FormulaShape { choices, groups, sum_bits }) => {
                let part = |name, count| match count {
                    0 => String::new(),
                    count => format!("_{name}_{count}"),
                };
                let (groups, sums) = (part("groups", groups), part("sums", sum_bits as usize));
                format!("formulas{}_{choices}{groups}{sums}", order.derivatives())
            }
            Self::Digits(digits) | Self::Selecting(digits) => {
                let sizes: Vec<String> = digits.iter().map(u64::to_string).collect();
                format!("digits_{}", sizes.join("x"))
            }
        }
    }
}

/// The literal of one way to evaluate a request's tables, without digits of keys and sizes of primes
/// ([`ParametersLiteral::with_primes`]).
pub(crate) fn literal(request: &Request, evaluation: Evaluation<'_>) -> ParametersLiteral {
    let literal = match evaluation {
        Evaluation::Akp(order) => of_akp(request, order),
        Evaluation::Formulas(order, shape) => of_formulas(request, order, shape),
        Evaluation::Tree(choice) => of_tree(request, choice),
        Evaluation::Digits(digits) => of_digits(request, digits),
        Evaluation::Selecting(digits) => {
            let selection_primes = SELECTION_PRIMES;
            ParametersLiteral { selection_primes, ..of_digits(request, digits) }
        }
    };
    let name = name_of(request, &evaluation.name(), &literal);
    ParametersLiteral { name, ..literal }
}

/// The numbers that all ways to evaluate a request's tables share, and those of AKP of the first order except its
/// exponential.
fn common(request: &Request) -> ParametersLiteral {
    let (degree, slots) = (request.degree(), request.slots());
    let levels = (slots.max(2) / 2).trailing_zeros();
    // Slots of complex outputs hold two values each.
    let output_levels = levels + u32::from(request.complex_outputs);
    let none = ExponentialShape::default();
    ParametersLiteral {
        name: String::new(),
        security: SecurityLevel::Bits128,
        ring_degree: degree,
        input_modulus: request.input_modulus,
        output_modulus: request.output_modulus,
        slots,
        log2_scale: 0.0,
        log2_special: 50.0,
        dnum: 0,
        relinearization: Vec::new(),
        trace_halvings: TraceHalvings::of(levels + 1 < degree.trailing_zeros()),
        coeffs_to_slots: dft(levels, LEVELS_OF_MATRIX, 0),
        raising_matrix: false,
        block_secret: None,
        slots_to_coeffs: dft(output_levels, LEVELS_OF_MATRIX, 0),
        chebyshev_log_length: none.log_length,
        chebyshev_left_out: none.left_out,
        chebyshev_log_babies: none.log_babies,
        chebyshev_least_depth: none.least_depth,
        doublings: none.doublings,
        exponential_cleanings: none.cleanings,
        multiplexer: None,
        digits: Vec::new(),
        selection_primes: 0,
        groups: 0,
        hermite_order: HermiteOrder::First,
        output_range: None,
        complex_outputs: request.complex_outputs,
        real_slots: false,
        half_digits: 0,
        hidden_bits: None,
        log_babies: 1,
        constant_bits: 0.0,
        log2_ciphertext_modulus: (bits(request.output_modulus).max(request.input_modulus.ilog2())
            + 20)
            .min(32),
        sparse_weight: SPARSE_WEIGHT,
        owners: request.owners,
        log2_fail: request.failure_of_value().log2(),
    }
}

/// The literal of AKP on whole inputs, with an interpolation of this order.
fn of_akp(request: &Request, order: HermiteOrder) -> ParametersLiteral {
    let p = request.input_modulus;
    let amplification = request.output_width() * gain(p, order);
    let function = match request.hidden_bits {
        Some(_) => PhaseFunction::Exponential,
        None => akp_function(p, order),
    };
    let shape = akp_exponential(request, function, request.output_modulus, amplification, 0.0);
    let akp = ParametersLiteral {
        hermite_order: order,
        output_range: request.output_range,
        hidden_bits: request.hidden_bits,
        log_babies: log_babies(request, log_coefficients(order, p)),
        ..common(request)
    };
    if request.hidden_bits.is_none() {
        return akp.with_exponential(shape);
    }
    // Errors of modulus would be the largest errors that hidden tables must hide, so they are cleaned. Errors of phases
    // are squared, but must also be small compared with the errors that are hidden anyway.
    let log2_ciphertext_modulus = (bits(request.output_modulus).max(bits(p)) + 24).min(48);
    let shape = ExponentialShape { doublings: shape.doublings.max(1), cleanings: 1, ..shape };
    ParametersLiteral { log2_ciphertext_modulus, ..akp.with_exponential(shape) }
}

/// The literal of AKP for formulas, with an interpolation of this order.
fn of_formulas(request: &Request, order: HermiteOrder, shape: FormulaShape) -> ParametersLiteral {
    let (p, FormulaShape { choices, groups, sum_bits }) = (request.input_modulus, shape);
    // Errors of the conditions of nested choices, and of the values that they choose, may add up.
    let modulus = request.output_modulus * (choices as u64 + 1);
    let exponential =
        akp_exponential(request, akp_function(p, order), modulus, gain(p, order), 0.0);
    let common = common(request);
    ParametersLiteral {
        hermite_order: order,
        // One prime per nested choice, and one for the constants of tables.
        selection_primes: choices + 1,
        groups,
        log_babies: (log_coefficients(order, p) / 2 + 1).clamp(1, most_log_babies(request)),
        log2_ciphertext_modulus: (common.log2_ciphertext_modulus + sum_bits).min(48),
        ..common
    }
    .with_exponential(exponential)
}

/// The literal of AKP on one digit after the other.
fn of_digits(request: &Request, digits: &[u64]) -> ParametersLiteral {
    let (largest, order) = (digits.iter().copied().max().unwrap_or(2), HermiteOrder::First);
    // Values are raised once per digit.
    let (function, raises) = (akp_function(largest, order), (digits.len() as f64).log2());
    let amplification = gain(largest, order);
    let shape = akp_exponential(request, function, request.output_modulus, amplification, raises);
    // The noise of the lowest digit is that of the input.
    let (input_bits, output_bits) = (bits(request.input_modulus), bits(request.output_modulus));
    ParametersLiteral {
        digits: digits.to_vec(),
        log_babies: log_babies(request, log_coefficients(order, largest)),
        log2_ciphertext_modulus: (output_bits.max(input_bits) + 20).min(48.max(input_bits + 16)),
        ..common(request)
    }
    .with_exponential(shape)
}

/// The literal of a multiplexer tree.
fn of_tree(request: &Request, choice: &DigitChoice) -> ParametersLiteral {
    let Request { input_modulus, output_modulus, owners, .. } = *request;
    let (degree, real_slots) = (request.degree(), choice.real_slots);
    let secret = EncapsulatedSecret { degree, weight: SPARSE_WEIGHT, owners };
    let log2_fail = request.failure_of_value().log2();
    let exponential = choice.exponential(secret, output_modulus, log2_fail);
    // If slots of outputs hold two values each, those of a tree's inputs have room for two as well.
    let levels = (request.slots().max(2) / 2).trailing_zeros() + u32::from(request.complex_outputs);
    // The ways to real slots and back each count as one more matrix. In trees, the two primes of three matrices have no
    // room for it.
    let crossed = |dft: DftLiteral| DftLiteral {
        primes: dft.primes + usize::from(real_slots && dft.stages.len() > 2),
        ..dft
    };
    // Smaller matrices have fewer giant steps, whose rounding errors remain in slots.
    let most = LEVELS_OF_MATRIX - choice.extra_primes as u32;
    let log_coefficients = log_coefficients(HermiteOrder::First, input_modulus);
    ParametersLiteral {
        trace_halvings: TraceHalvings::of(levels + 1 < degree.trailing_zeros()),
        coeffs_to_slots: crossed(dft(levels, most, choice.extra_primes)),
        slots_to_coeffs: match choice.output_precision {
            OutputPrecision::FewestPrimes => crossed(dft(levels, LEVELS_OF_MATRIX, 0)),
            OutputPrecision::PrimeMore => crossed(dft(levels, LEVELS_OF_MATRIX, 1)),
            OutputPrecision::WholePrimes => dft_of_whole_primes(levels),
            OutputPrecision::SpareBits => {
                let whole = dft_of_whole_primes(levels);
                DftLiteral { primes: whole.primes - usize::from(!real_slots), ..whole }
            }
        },
        multiplexer: Some(choice.multiplexer.clone()),
        real_slots,
        // Trees have no interpolation.
        log_babies: log_coefficients.div_ceil(2).clamp(1, most_log_babies(request)),
        log2_ciphertext_modulus: (bits(output_modulus).max(bits(input_modulus)) + 20).min(48),
        ..common(request)
    }
    .with_exponential(exponential)
}

impl ParametersLiteral {
    /// Returns the literal with an exponential of this shape.
    pub(crate) fn with_exponential(self, shape: ExponentialShape) -> Self {
        Self {
            chebyshev_log_length: shape.log_length,
            chebyshev_left_out: shape.left_out,
            chebyshev_log_babies: shape.log_babies,
            chebyshev_least_depth: shape.least_depth,
            doublings: shape.doublings,
            exponential_cleanings: shape.cleanings,
            ..self
        }
    }

    /// Returns the literal with `dnum` digits of keys, primes of `log2_scale` bits, and constants that fit these
    /// primes.
    pub(crate) fn with_primes(&self, dnum: usize, log2_scale: u32) -> Self {
        let log2_scale = f64::from(log2_scale);
        let constant_bits = self.constant_bits_of(log2_scale);
        Self { dnum, log2_scale, constant_bits, ..self.clone() }.with_spare_bits()
    }

    /// Returns the literal with the number of spare bits of selectors that matrices of SlotsToCoeffs need, if selectors
    /// spare any; up to one bit per selector less if the table step has its own modulus.
    ///
    /// The scale of outputs is that of their integer units times the scales of all selectors, over the primes that rows
    /// drop. The scales of all matrices, over the primes of SlotsToCoeffs, bring it to the scale q_0.
    pub(crate) fn with_spare_bits(mut self) -> Self {
        let units = (entry_factor(&self) * self.output_modulus) as f64 * self.crossing_scale();
        let bits = (self.output_modulus as f64).log2() + MATRIX_BITS;
        let matrices = self.slots_to_coeffs.stages.len() as f64 * bits + units.log2();
        let (log2_scale, limbs) = (self.log2_scale, self.table_limbs() as f64);
        if let Some(tree) = &mut self.multiplexer
            && tree.spare_bits > 0
        {
            let (count, has_modulus) = (tree.selectors.len() as f64, tree.table_bits > 0);
            let modulus = if has_modulus { tree.table_bits.into() } else { limbs * log2_scale };
            let all: f64 = tree.spare_bits_of_selectors().iter().sum();
            let unequal = all - count * f64::from(tree.spare_bits);
            let each = (matrices + count * log2_scale - modulus - unequal) / count;
            tree.spare_bits = if has_modulus { each.floor() } else { each.ceil() }.max(1.0) as u32;
        }
        self
    }

    /// Bits of constants for primes of `log2_scale` bits.
    ///
    /// AKP's constants take half of a prime, and two more bits per doubling of many constants, whose rounding errors
    /// may all have the same sign. Constants of hidden tables have enough bits for their roundings to change all deltas
    /// by less than 2^-24, relative to an output of 1.
    fn constant_bits_of(&self, log2_scale: f64) -> f64 {
        if self.multiplexer.is_some() {
            return log2_scale / 2.0;
        }
        if self.is_cosine_table() {
            return 0.0;
        }
        if self.hidden_bits.is_some() {
            let (p, modulus) = (self.input_modulus as f64, self.output_modulus as f64);
            let needed = (p.log2() + modulus.log2() + 25.0).ceil();
            return needed.min(MAX_CONSTANT_BITS).min(log2_scale);
        }
        let log_coefficients = log_coefficients(self.hermite_order, self.interpolated_modulus());
        log2_scale / 2.0 + 2.0 * f64::from(log_coefficients.saturating_sub(LOG_FEW_CONSTANTS))
    }
}

/// log2 of the number of coefficients of an interpolation of p values, rounded up.
fn log_coefficients(order: HermiteOrder, p: u64) -> u32 {
    order.coefficients(p as usize).next_power_of_two().trailing_zeros()
}

/// Matrices with `levels` levels in total and at most `most` levels each, with `extra_primes` primes beyond the fewest.
fn dft(levels: u32, most: u32, extra_primes: usize) -> DftLiteral {
    let stages = split_levels(levels, most);
    let primes = stages.len().min(2) + extra_primes;
    DftLiteral { stages, primes, baby_steps: 8, keyed_babies: None, matrix_babies: Vec::new() }
}

/// The fewest matrices, each with its own prime. They are as precise as matrices of five levels with one prime per
/// matrix, but need one prime less. The last one, which has half the diagonals for its levels, is the largest: this
/// minimizes rounding errors.
fn dft_of_whole_primes(levels: u32) -> DftLiteral {
    let mut stages = split_levels(levels, LEVELS_OF_WHOLE_PRIME);
    stages.reverse();
    let (primes, baby_steps) = (stages.len(), BABY_STEPS_OF_WHOLE_PRIME);
    DftLiteral { stages, primes, baby_steps, keyed_babies: None, matrix_babies: Vec::new() }
}

/// Number of bits of values of a modulus.
fn bits(modulus: u64) -> u32 {
    modulus.next_power_of_two().ilog2()
}

/// log2 of the number of baby steps of the interpolation: more if many tables share them, or if tables are hidden, for
/// which all steps are made. A step costs as much as joining two blocks, but higher in the chain.
fn log_babies(request: &Request, log_coefficients: u32) -> u32 {
    let is_long = log_coefficients >= LOG_MANY_COEFFICIENTS;
    let has_one = request.tables <= FEW_TABLES && request.hidden_bits.is_none();
    let half = log_coefficients.div_ceil(2) - u32::from(is_long && has_one);
    half.clamp(1, most_log_babies(request))
}

/// log2 of the maximum number of baby steps. At the largest degree, blocks of 2^13 and more coefficients take more
/// memory than powers.
fn most_log_babies(request: &Request) -> u32 {
    if request.degree() > 1 << 16 { 6 } else { 5 }
}

/// Returns the name of the parameters: method, tables, ring degree and slots.
fn name_of(request: &Request, method: &str, literal: &ParametersLiteral) -> String {
    let ParametersLiteral { input_modulus, output_modulus, ring_degree, slots, .. } = literal;
    let range = literal.output_range.map_or(String::new(), |range| format!("_by_{range}"));
    // Parameters with a level for entries differ from those without.
    let suffix = match &literal.multiplexer {
        Some(tree) if tree.entry_levels > 0 => "_entries",
        _ if literal.complex_outputs => "_complex",
        _ => "",
    };
    let hidden = request.hidden_bits.map_or(String::new(), |bits| format!("_hidden{bits}"));
    let owners = match request.owners {
        Owners::ONE => String::new(),
        owners => format!("_owners{owners}"),
    };
    format!(
        "{method}_{input_modulus}_to_{output_modulus}{range}_n{ring_degree}_s{slots}{suffix}{owners}{hidden}"
    )
}

/// The largest factor by which any table amplifies errors of the exponential.
fn gain(input_modulus: u64, order: HermiteOrder) -> f64 {
    HermiteKernel::new(input_modulus as usize, order).largest_gain()
}

/// The function of the phase on which AKP evaluates tables of this input modulus.
fn akp_function(input_modulus: u64, order: HermiteOrder) -> PhaseFunction {
    let is_cosine = input_modulus == 2 && order.is_first();
    if is_cosine { PhaseFunction::Cosine } else { PhaseFunction::Exponential }
}

/// Chooses the exponential of AKP for values that are raised 2 to the power `log2_raises` times. Its error, amplified
/// by the table, is at most 1/64 of half an output step.
fn akp_exponential(
    request: &Request,
    function: PhaseFunction,
    output_modulus: u64,
    amplification: f64,
    log2_raises: f64,
) -> ExponentialShape {
    let (degree, owners) = (request.degree(), request.owners);
    let secret = EncapsulatedSecret { degree, weight: SPARSE_WEIGHT, owners };
    let bound = secret.bound_for(request.failure_of_value().log2() - log2_raises - 1.0);
    let tolerance = 0.5 / output_modulus as f64 / (1.0 + amplification) / 64.0;
    Exponential::choose(function, bound, tolerance, 0)
}

/// Splits butterfly levels into matrices of at most `most` levels each, as evenly as possible.
pub(crate) fn split_levels(levels: u32, most: u32) -> Vec<u32> {
    let count = levels.div_ceil(most).max(1);
    split_evenly(levels, count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_split_evenly() {
        assert_eq!(split_levels(15, 5), [5, 5, 5]);
        assert_eq!(split_levels(14, 5), [5, 5, 4]);
        assert_eq!(split_levels(15, 4), [4, 4, 4, 3]);
        assert_eq!(split_levels(9, 5), [5, 4]);
        assert_eq!(split_levels(2, 3), [2]);
    }
}
