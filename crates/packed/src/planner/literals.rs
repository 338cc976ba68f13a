//! The literal of a request: every number but those that are searched for.

use cryptable_ckks::bootstrapping::exponential::{Exponential, ExponentialShape, PhaseFunction};
use cryptable_ckks::bootstrapping::subring_trace::TraceHalvings;
use cryptable_ckks::overflow::EncapsulatedSecret;
use cryptable_lattice::{Owners, SecurityLevel};

use crate::akp::hermite_kernel::{HermiteKernel, HermiteOrder};
use crate::literal::{DftLiteral, MultiplexerLiteral, ParametersLiteral};
use crate::multiplexer::circuit::entry_factor;
use crate::parameters::hidden_tables::MAX_CONSTANT_BITS;
use crate::planner::digit_choice::{Evaluation, FormulaShape, OutputPrecision};
use crate::planner::request::Request;

/// Hamming weight of the encapsulated secret: the least that the security tables know.
const SPARSE_WEIGHT: u32 = 32;

/// Most butterfly levels of a matrix where levels of the chain are short: fewest matrices, and fewest primes.
const LEVELS_OF_MATRIX: u32 = 5;

/// Most butterfly levels of a matrix where every prime saved is a limb less in the table step.
const LEVELS_OF_WHOLE_PRIME: u32 = 8;

/// Bits of such a matrix beyond those of outputs where selectors spare them: errors of rounding then take a tenth of half an
/// output step.
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

/// The literal of one way to evaluate a request's tables, but for digits of keys and sizes of primes
/// ([`ParametersLiteral::with_primes`]).
pub(crate) fn literal(request: &Request, evaluation: Evaluation<'_>) -> ParametersLiteral {
    let (degree, slots) = (request.degree(), request.slots());
    let is_tree = matches!(evaluation, Evaluation::Tree(_));
    let real_slots = matches!(evaluation, Evaluation::Tree(choice) if choice.real_slots);
    // The ways to real slots and back are as a matrix more each, for which two primes of three matrices have no room in trees.
    let crossed = |dft: DftLiteral| DftLiteral {
        primes: dft.primes + usize::from(real_slots && dft.stages.len() > 2),
        ..dft
    };
    // Slots of complex outputs hold two values each; those of a tree's inputs could.
    let output_levels = (slots.max(2) / 2).trailing_zeros() + u32::from(request.complex_outputs);
    let levels = output_levels - u32::from(request.complex_outputs && !is_tree);
    let (extra_primes, exponential, hermite_order) = exponential_of(request, evaluation);
    let (digits, interpolated) = match evaluation {
        Evaluation::Digits(digits) | Evaluation::Selecting(digits) => {
            (digits.to_vec(), largest_digit(digits))
        }
        Evaluation::Akp(_) | Evaluation::Formulas(..) | Evaluation::Tree(_) => {
            (Vec::new(), request.input_modulus)
        }
    };
    let hidden_bits = request.hidden_bits.filter(|_| matches!(evaluation, Evaluation::Akp(_)));
    let log_coefficients = log_coefficients(hermite_order, interpolated);
    let slots_to_coeffs = match evaluation.output_precision() {
        OutputPrecision::FewestPrimes => crossed(dft(output_levels, LEVELS_OF_MATRIX, 0)),
        OutputPrecision::PrimeMore => crossed(dft(output_levels, LEVELS_OF_MATRIX, 1)),
        OutputPrecision::WholePrimes => dft_of_whole_primes(output_levels),
        OutputPrecision::SpareBits => {
            let whole = dft_of_whole_primes(output_levels);
            DftLiteral { primes: whole.primes - usize::from(!real_slots), ..whole }
        }
    };
    // Of 2^13 coefficients and more, at the largest degree, blocks take more memory than powers.
    let most_log_babies = if degree > 1 << 16 { 6 } else { 5 };
    ParametersLiteral {
        name: name_of(request, evaluation),
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
        // Smaller matrices have fewer giant steps, whose roundings stay in slots.
        coeffs_to_slots: crossed(dft(levels, LEVELS_OF_MATRIX - extra_primes as u32, extra_primes)),
        raising_matrix: false,
        block_secret: None,
        slots_to_coeffs,
        chebyshev_log_length: exponential.log_length,
        chebyshev_left_out: exponential.left_out,
        chebyshev_log_babies: exponential.log_babies,
        chebyshev_least_depth: exponential.least_depth,
        doublings: exponential.doublings,
        exponential_cleanings: exponential.cleanings,
        multiplexer: multiplexer_of(evaluation),
        digits,
        selection_primes: selection_primes_of(evaluation),
        groups: groups_of(evaluation),
        hermite_order,
        output_range: output_range_of(request, evaluation),
        complex_outputs: request.complex_outputs,
        real_slots,
        half_digits: 0,
        hidden_bits,
        log_babies: log_babies(request, evaluation, log_coefficients).clamp(1, most_log_babies),
        constant_bits: 0.0,
        log2_ciphertext_modulus: log2_ciphertext_modulus_of(request, evaluation),
        sparse_weight: SPARSE_WEIGHT,
        owners: request.owners,
        log2_fail: request.failure_of_value().log2(),
    }
}

impl ParametersLiteral {
    /// Returns the same with `dnum` digits of keys and primes of `log2_scale` bits, and with the constants that these have room for.
    pub(crate) fn with_primes(&self, dnum: usize, log2_scale: u32) -> Self {
        let log2_scale = f64::from(log2_scale);
        let constant_bits = self.constant_bits_of(log2_scale);
        Self { dnum, log2_scale, constant_bits, ..self.clone() }.with_spare_bits()
    }

    /// Returns the same with as many spare bits of selectors as matrices of SlotsToCoeffs need, if selectors have any.
    ///
    /// Outputs have the scale of a prime, times the units of their integers, less what all selectors spare: the product of
    /// the scales of all matrices takes it, by the primes of SlotsToCoeffs, to that of q_0, a prime as well.
    pub(crate) fn with_spare_bits(mut self) -> Self {
        let (units, crossing) = (entry_factor(&self) * self.output_modulus, self.crossing_scale());
        let matrices = &self.slots_to_coeffs;
        let bits = (self.output_modulus as f64).log2() + MATRIX_BITS;
        let needed = matrices.stages.len() as f64 * bits + (units as f64 * crossing).log2();
        let missing = needed - matrices.primes as f64 * self.log2_scale;
        if let Some(tree) = &mut self.multiplexer
            && tree.spare_bits > 0
        {
            tree.spare_bits = (missing / tree.selectors.len() as f64).ceil().max(1.0) as u32;
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

/// Primes more of CoeffsToSlots, the exponential, and the order of the interpolation.
fn exponential_of(
    request: &Request,
    evaluation: Evaluation<'_>,
) -> (usize, ExponentialShape, HermiteOrder) {
    let Request { input_modulus, output_modulus, owners, .. } = *request;
    let log2_fail = request.failure_of_value().log2();
    let secret = EncapsulatedSecret { degree: request.degree(), weight: SPARSE_WEIGHT, owners };
    match evaluation {
        Evaluation::Tree(choice) => {
            let exponential = choice.exponential(secret, output_modulus, log2_fail);
            (choice.extra_primes, exponential, HermiteOrder::First)
        }
        Evaluation::Akp(order) => {
            let amplification = request.output_width() * gain(input_modulus, order);
            let function = match request.hidden_bits {
                Some(_) => PhaseFunction::Exponential,
                None => akp_function(input_modulus, order),
            };
            let bound = secret.bound_for(log2_fail - 1.0);
            let shape = akp_exponential(function, output_modulus, amplification, bound);
            // Errors of modulus are what hidden tables would have to hide most.
            let doublings = shape.doublings.max(1);
            match request.hidden_bits {
                Some(_) => (0, ExponentialShape { doublings, cleanings: 1, ..shape }, order),
                None => (0, shape, order),
            }
        }
        Evaluation::Formulas(order, FormulaShape { choices, .. }) => {
            // Errors of the conditions of choices within each other, and of what they choose, may add up.
            let modulus = output_modulus * (choices as u64 + 1);
            let function = akp_function(input_modulus, order);
            let bound = secret.bound_for(log2_fail - 1.0);
            (0, akp_exponential(function, modulus, gain(input_modulus, order), bound), order)
        }
        Evaluation::Digits(digits) | Evaluation::Selecting(digits) => {
            let (largest, order) = (largest_digit(digits), HermiteOrder::First);
            // Values are raised once per digit.
            let log2_fail = log2_fail - (digits.len() as f64).log2();
            let (function, bound) =
                (akp_function(largest, order), secret.bound_for(log2_fail - 1.0));
            (0, akp_exponential(function, output_modulus, gain(largest, order), bound), order)
        }
    }
}

/// Digits and selectors of a tree.
fn multiplexer_of(evaluation: Evaluation<'_>) -> Option<MultiplexerLiteral> {
    match evaluation {
        Evaluation::Tree(choice) => Some(choice.multiplexer.clone()),
        Evaluation::Akp(_)
        | Evaluation::Formulas(..)
        | Evaluation::Digits(_)
        | Evaluation::Selecting(_) => None,
    }
}

/// log2 of the baby steps of the interpolation: more where many tables share them, or where they are hidden, for which all steps
/// are made. A step costs as much as a join of blocks, but higher in the chain.
fn log_babies(request: &Request, evaluation: Evaluation<'_>, log_coefficients: u32) -> u32 {
    let half = log_coefficients.div_ceil(2);
    let is_long = log_coefficients >= LOG_MANY_COEFFICIENTS;
    let has_one = request.tables <= FEW_TABLES && request.hidden_bits.is_none();
    match evaluation {
        Evaluation::Formulas(..) => log_coefficients / 2 + 1,
        // Trees have no interpolation.
        Evaluation::Tree(_) => half,
        _ if is_long && has_one => half - 1,
        _ => half,
    }
}

/// Primes of products in slots: of those that select digits; of choices within each other, beside that of constants of tables.
fn selection_primes_of(evaluation: Evaluation<'_>) -> usize {
    match evaluation {
        Evaluation::Selecting(_) => SELECTION_PRIMES,
        Evaluation::Formulas(_, FormulaShape { choices, .. }) => choices + 1,
        Evaluation::Akp(_) | Evaluation::Tree(_) | Evaluation::Digits(_) => 0,
    }
}

/// Groups that results of formulas are added up by.
fn groups_of(evaluation: Evaluation<'_>) -> usize {
    if let Evaluation::Formulas(_, shape) = evaluation { shape.groups } else { 0 }
}

/// log2 of the modulus of ciphertexts: room for noise below inputs and outputs.
fn log2_ciphertext_modulus_of(request: &Request, evaluation: Evaluation<'_>) -> u32 {
    let bits = |modulus: u64| modulus.next_power_of_two().ilog2();
    let (input_bits, output_bits) = (bits(request.input_modulus), bits(request.output_modulus));
    match evaluation {
        Evaluation::Tree(_) => (output_bits.max(input_bits) + 20).min(48),
        // The lowest digit's noise is that of the input.
        Evaluation::Digits(_) | Evaluation::Selecting(_) => {
            (output_bits.max(input_bits) + 20).min(48.max(input_bits + 16))
        }
        // Errors of phases are squared, and still are to be small beside those that are hidden anyway.
        Evaluation::Akp(_) if request.hidden_bits.is_some() => {
            (output_bits.max(input_bits) + 24).min(48)
        }
        Evaluation::Akp(_) => (output_bits.max(request.input_modulus.ilog2()) + 20).min(32),
        Evaluation::Formulas(_, FormulaShape { sum_bits, .. }) => {
            ((output_bits.max(request.input_modulus.ilog2()) + 20).min(32) + sum_bits).min(48)
        }
    }
}

/// The range of outputs that parameters state: the failure model knows those of AKP alone.
fn output_range_of(request: &Request, evaluation: Evaluation<'_>) -> Option<u64> {
    request.output_range.filter(|_| matches!(evaluation, Evaluation::Akp(_)))
}

/// Returns the name of the parameters: method, tables, ring degree and slots.
fn name_of(request: &Request, evaluation: Evaluation<'_>) -> String {
    let Request { input_modulus, output_modulus, .. } = *request;
    let (degree, slots) = (request.degree(), request.slots());
    let method = match evaluation {
        Evaluation::Tree(choice) => choice.name(),
        Evaluation::Akp(HermiteOrder::First) => "akp".into(),
        Evaluation::Akp(order) => format!("akp{}", order.derivatives()),
        Evaluation::Formulas(order, FormulaShape { choices, groups, sum_bits }) => {
            let part = |name, count| match count {
                0 => String::new(),
                count => format!("_{name}_{count}"),
            };
            let (groups, sums) = (part("groups", groups), part("sums", sum_bits as usize));
            format!("formulas{}_{choices}{groups}{sums}", order.derivatives())
        }
        Evaluation::Digits(digits) | Evaluation::Selecting(digits) => {
            let sizes: Vec<String> = digits.iter().map(u64::to_string).collect();
            format!("digits_{}", sizes.join("x"))
        }
    };
    let range = output_range_of(request, evaluation);
    let range = range.map_or(String::new(), |range| format!("_by_{range}"));
    // Parameters with a level for entries are others than those without.
    let suffix = match evaluation {
        Evaluation::Tree(choice) if choice.multiplexer.entry_levels > 0 => "_entries",
        Evaluation::Akp(_) | Evaluation::Tree(_) if request.complex_outputs => "_complex",
        _ => "",
    };
    let hidden = request.hidden_bits.map_or(String::new(), |bits| format!("_hidden{bits}"));
    let owners = match request.owners {
        Owners::ONE => String::new(),
        owners => format!("_owners{owners}"),
    };
    format!(
        "{method}_{input_modulus}_to_{output_modulus}{range}_n{degree}_s{slots}{suffix}{owners}{hidden}"
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

/// The exponential of AKP for phases up to a bound: its error, amplified by the table, may take 1/64 of half an output step.
fn akp_exponential(
    function: PhaseFunction,
    output_modulus: u64,
    amplification: f64,
    bound: f64,
) -> ExponentialShape {
    let tolerance = 0.5 / output_modulus as f64 / (1.0 + amplification) / 64.0;
    Exponential::choose(function, bound, tolerance, 0)
}

/// The size of the largest digit, whose interpolation serves all.
fn largest_digit(digits: &[u64]) -> u64 {
    digits.iter().copied().max().unwrap_or(2)
}

/// Butterfly levels in matrices of at most `most` levels each, as even as possible.
pub(crate) fn split_levels(levels: u32, most: u32) -> Vec<u32> {
    let count = levels.div_ceil(most).max(1);
    (0..count).map(|i| levels / count + u32::from(i < levels % count)).collect()
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
