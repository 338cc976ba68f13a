//! The literal of a request: every number but those that are searched for.

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

/// Hamming weight of the encapsulated secret: the least that the security tables know.
const SPARSE_WEIGHT: u32 = 32;

/// Most butterfly levels of a matrix where levels of the chain are short: fewest matrices, and fewest primes.
const LEVELS_OF_MATRIX: u32 = 5;

/// Most butterfly levels of a matrix where every prime saved is a limb less in the table step.
const LEVELS_OF_WHOLE_PRIME: u32 = 8;

/// Bits of such a matrix beyond those of outputs where selectors spare them: errors of rounding then take a tenth of half an output
/// step.
const MATRIX_BITS: f64 = 14.0;

/// Baby steps of such a matrix, of up to 511 diagonals.
const BABY_STEPS_OF_WHOLE_PRIME: usize = 32;

/// Primes of a product of two values in slots, each of which has its constants in its scale: it then has as much as one prime.
const SELECTION_PRIMES: usize = 2;

/// log2 of the number of constants up to which half of a prime is enough for them.
const LOG_FEW_CONSTANTS: u32 = 8;

/// log2 of the coefficients of an interpolation from which on fewer baby steps are faster: by count, a fifth of powers and
/// interpolation for 256 coefficients, a quarter for 1,024.
const LOG_MANY_COEFFICIENTS: u32 = 5;

/// Tables up to which fewer baby steps are faster.
const FEW_TABLES: usize = 2;

/// How tables are evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evaluation<'a> {
    /// AKP, by an interpolation of this order.
    Akp(HermiteOrder),
    /// AKP for formulas.
    Formulas(HermiteOrder, FormulaShape),
    /// A multiplexer tree.
    Tree(&'a DigitChoice),
    /// AKP on one digit after the other, the least significant first.
    Digits(&'a [u64]),
    /// The same, with what selects digits by signs in slots.
    Selecting(&'a [u64]),
}

/// Properties of formulas that parameters depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormulaShape {
    /// Choices within each other.
    pub choices: usize,
    /// Groups that results are added up by; 0 if they are not.
    pub groups: usize,
    /// log2 of the factor by which sums of columns raise their noise.
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

/// The literal of one way to evaluate a request's tables, but for digits of keys and sizes of primes
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

/// The numbers that all ways to evaluate a request's tables share, and those of AKP by the first order but for its exponential.
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

/// AKP on whole inputs, by an interpolation of this order.
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
    // Errors of modulus are what hidden tables would have to hide most. Errors of phases are squared, and still are to be small
    // beside those that are hidden anyway.
    let log2_ciphertext_modulus = (bits(request.output_modulus).max(bits(p)) + 24).min(48);
    let shape = ExponentialShape { doublings: shape.doublings.max(1), cleanings: 1, ..shape };
    ParametersLiteral { log2_ciphertext_modulus, ..akp.with_exponential(shape) }
}

/// AKP for formulas, by an interpolation of this order.
fn of_formulas(request: &Request, order: HermiteOrder, shape: FormulaShape) -> ParametersLiteral {
    let (p, FormulaShape { choices, groups, sum_bits }) = (request.input_modulus, shape);
    // Errors of the conditions of choices within each other, and of what they choose, may add up.
    let modulus = request.output_modulus * (choices as u64 + 1);
    let exponential =
        akp_exponential(request, akp_function(p, order), modulus, gain(p, order), 0.0);
    let common = common(request);
    ParametersLiteral {
        hermite_order: order,
        // Products of choices, beside that of constants of tables.
        selection_primes: choices + 1,
        groups,
        log_babies: (log_coefficients(order, p) / 2 + 1).clamp(1, most_log_babies(request)),
        log2_ciphertext_modulus: (common.log2_ciphertext_modulus + sum_bits).min(48),
        ..common
    }
    .with_exponential(exponential)
}

/// AKP on one digit after the other.
fn of_digits(request: &Request, digits: &[u64]) -> ParametersLiteral {
    let (largest, order) = (digits.iter().copied().max().unwrap_or(2), HermiteOrder::First);
    // Values are raised once per digit.
    let (function, raises) = (akp_function(largest, order), (digits.len() as f64).log2());
    let amplification = gain(largest, order);
    let shape = akp_exponential(request, function, request.output_modulus, amplification, raises);
    // The lowest digit's noise is that of the input.
    let (input_bits, output_bits) = (bits(request.input_modulus), bits(request.output_modulus));
    ParametersLiteral {
        digits: digits.to_vec(),
        log_babies: log_babies(request, log_coefficients(order, largest)),
        log2_ciphertext_modulus: (output_bits.max(input_bits) + 20).min(48.max(input_bits + 16)),
        ..common(request)
    }
    .with_exponential(shape)
}

/// A multiplexer tree.
fn of_tree(request: &Request, choice: &DigitChoice) -> ParametersLiteral {
    let Request { input_modulus, output_modulus, owners, .. } = *request;
    let (degree, real_slots) = (request.degree(), choice.real_slots);
    let secret = EncapsulatedSecret { degree, weight: SPARSE_WEIGHT, owners };
    let log2_fail = request.failure_of_value().log2();
    let exponential = choice.exponential(secret, output_modulus, log2_fail);
    // Slots of a tree's inputs could hold two values each, too, where those of outputs do.
    let levels = (request.slots().max(2) / 2).trailing_zeros() + u32::from(request.complex_outputs);
    // The ways to real slots and back are as a matrix more each, for which two primes of three matrices have no room in trees.
    let crossed = |dft: DftLiteral| DftLiteral {
        primes: dft.primes + usize::from(real_slots && dft.stages.len() > 2),
        ..dft
    };
    // Smaller matrices have fewer giant steps, whose roundings stay in slots.
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
    /// Returns the same with an exponential of this shape.
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

    /// Returns the same with `dnum` digits of keys and primes of `log2_scale` bits, and with the constants that these have room for.
    pub(crate) fn with_primes(&self, dnum: usize, log2_scale: u32) -> Self {
        let log2_scale = f64::from(log2_scale);
        let constant_bits = self.constant_bits_of(log2_scale);
        Self { dnum, log2_scale, constant_bits, ..self.clone() }.with_spare_bits()
    }

    /// Returns the same with as many spare bits of selectors as matrices of SlotsToCoeffs need, if selectors have any: up to a bit
    /// per selector less, where the table step has a modulus of its own.
    ///
    /// Outputs have the units of their integers times the scales of all selectors over the primes that rows drop, and the scales
    /// of all matrices take them, by the primes of SlotsToCoeffs, to that of q_0.
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

    /// Bits of constants where primes have this many.
    ///
    /// AKP's take half of a prime, and two more per doubling of many constants, whose roundings may all fall the same way. Those
    /// of hidden tables have as many as it takes for their roundings to change all deltas, each as much as an output of 1 is, by
    /// less than 2^-24.
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

/// log2 of the coefficients of an interpolation of p values, rounded up.
fn log_coefficients(order: HermiteOrder, p: u64) -> u32 {
    order.coefficients(p as usize).next_power_of_two().trailing_zeros()
}

/// Matrices of `levels` levels in all and at most `most` each, with `extra_primes` primes beyond the fewest.
fn dft(levels: u32, most: u32, extra_primes: usize) -> DftLiteral {
    let stages = split_levels(levels, most);
    let primes = stages.len().min(2) + extra_primes;
    DftLiteral { stages, primes, baby_steps: 8, keyed_babies: None, matrix_babies: Vec::new() }
}

/// The fewest matrices, each with a prime of its own: as precise as matrices of five levels with as many primes as
/// matrices, for a prime less. The last one, which has half the diagonals for its levels, is the largest: errors of
/// rounding are then fewest.
fn dft_of_whole_primes(levels: u32) -> DftLiteral {
    let mut stages = split_levels(levels, LEVELS_OF_WHOLE_PRIME);
    stages.reverse();
    let (primes, baby_steps) = (stages.len(), BABY_STEPS_OF_WHOLE_PRIME);
    DftLiteral { stages, primes, baby_steps, keyed_babies: None, matrix_babies: Vec::new() }
}

/// Bits of values of a modulus.
fn bits(modulus: u64) -> u32 {
    modulus.next_power_of_two().ilog2()
}

/// log2 of the baby steps of the interpolation: more where many tables share them, or where they are hidden, for which all steps
/// are made. A step costs as much as a join of blocks, but higher in the chain.
fn log_babies(request: &Request, log_coefficients: u32) -> u32 {
    let is_long = log_coefficients >= LOG_MANY_COEFFICIENTS;
    let has_one = request.tables <= FEW_TABLES && request.hidden_bits.is_none();
    let half = log_coefficients.div_ceil(2) - u32::from(is_long && has_one);
    half.clamp(1, most_log_babies(request))
}

/// log2 of the most baby steps: blocks of 2^13 coefficients and more, at the largest degree, take more memory than powers.
fn most_log_babies(request: &Request) -> u32 {
    if request.degree() > 1 << 16 { 6 } else { 5 }
}

/// Returns the name of the parameters: method, tables, ring degree and slots.
fn name_of(request: &Request, method: &str, literal: &ParametersLiteral) -> String {
    let ParametersLiteral { input_modulus, output_modulus, ring_degree, slots, .. } = literal;
    let range = literal.output_range.map_or(String::new(), |range| format!("_by_{range}"));
    // Parameters with a level for entries are others than those without.
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

/// By how much tables of any outputs amplify errors of the exponential.
fn gain(input_modulus: u64, order: HermiteOrder) -> f64 {
    HermiteKernel::new(input_modulus as usize, order).largest_gain()
}

/// The exponential that AKP evaluates tables of this input modulus on.
fn akp_function(input_modulus: u64, order: HermiteOrder) -> PhaseFunction {
    let is_cosine = input_modulus == 2 && order.is_first();
    if is_cosine { PhaseFunction::Cosine } else { PhaseFunction::Exponential }
}

/// The exponential of AKP for values that are raised 2 to the power `log2_raises` times: its error, amplified by the table, may
/// take 1/64 of half an output step.
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

/// Butterfly levels in matrices of at most `most` levels each, as even as possible.
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
