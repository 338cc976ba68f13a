//! Parameters for formulas over columns.

use cryptable_lattice::cost::CostModel;
use cryptable_lattice::error::{Error, Result};

use crate::akp::hermite_kernel::HermiteOrder;
use crate::formulas::sort::SPANS;
use crate::formulas::stages::PreparedFormulas;
use crate::literal::ParametersLiteral;
use crate::parameters::parameter_set::Parameters;
use crate::planner::literals::{Evaluation, FormulaShape};
use crate::planner::matrix_choice::choose_primes_and_matrices;
use crate::planner::request::{Request, surer};

/// Least modulus of columns: tables of two entries are cosines, which have no constants in their scale.
const LEAST_MODULUS: u64 = 3;

/// log2 of the maximum number of baby steps: their powers take memory.
const MAX_LOG_BABIES: usize = 6;

impl Parameters {
    /// Returns the fastest parameters of at least 128 bits for formulas ([`crate::EvaluationKey::evaluate`]).
    ///
    /// The failure probability of a request is that of all columns and a result together
    /// ([`Parameters::formula_failure`]). Its output modulus is that of results; its input modulus is ignored.
    ///
    /// ```
    /// use cryptable_packed::{Formula, Parameters, PreparedFormulas, Request};
    /// let leaf = |value| Box::new(Formula::Constant(value));
    /// let inner = Formula::Choice { column: 1, within: vec![[0, 5]], then: leaf(3), otherwise: leaf(9) };
    /// let tree = Formula::Choice { column: 0, within: vec![[0, 9]], then: Box::new(inner), otherwise: leaf(0) };
    /// let formulas = PreparedFormulas::new(&[tree], 16)?;
    /// let parameters = Parameters::for_formulas(&formulas, &Request::new(16, 16))?;
    /// assert!(parameters.security_bits() >= 128.0);
    /// assert!(parameters.formula_failure(&formulas).log2() <= -64.0);
    /// # Ok::<(), cryptable_packed::Error>(())
    /// ```
    ///
    /// # Errors
    /// If a number is out of range, or no primes serve within the memory limit. The error names what is needed.
    pub fn for_formulas(formulas: &PreparedFormulas, request: &Request) -> Result<Self> {
        let input_modulus = formulas.input_modulus();
        let parts = formulas.failing_parts() as f64;
        let wanted = Request {
            input_modulus,
            log2_fail: Some(request.log2_fail() - parts.log2()),
            ..*request
        };
        wanted.check()?;
        if input_modulus < LEAST_MODULUS {
            let (name, limit) = ("modulus of columns of formulas", LEAST_MODULUS);
            return Err(Error::TooSmall { name, value: input_modulus, limit });
        }
        formulas.check_output_modulus(request.output_modulus)?;
        // Sorts that clean columns more rarely need parameters with less noise.
        let spans = if formulas.is_sort() { &SPANS[2..] } else { &[1] };
        let (mut best, mut last) = (None, None);
        for (order, &span) in
            HermiteOrder::ALL.iter().flat_map(|it| spans.iter().map(move |span| (*it, span)))
        {
            let admits = |found: &Self| found.admits_formulas(formulas, span);
            match choose_primes_and_matrices(&wanted, formulas.evaluation(order), admits) {
                Ok(found) => {
                    let found = with_best_babies(formulas, found, span);
                    let is_faster = best.as_ref().is_none_or(|(least, _)| found.0 < *least);
                    if is_faster {
                        best = Some(found);
                    }
                    if !formulas.is_sort() {
                        break;
                    }
                }
                Err(error) => last = Some(surer(last, error)),
            }
        }
        let Some((_, found)) = best else {
            let (choices, modulus) = (formulas.choices_in_a_row(), request.output_modulus);
            let what = format!("formulas of {choices} nested choices, results below {modulus},");
            return Err(request.unreachable(what, last.expect("an order")));
        };
        let needed = found.formula_prediction(formulas)?.peak_bytes();
        match request.memory {
            Some(limit) if needed > limit => Err(Error::Memory { needed, limit }),
            _ => Ok(found),
        }
    }

    /// Checks that formulas stay within the failure probability, and that a sort on average cleans columns at most once
    /// per `span` exchanges.
    fn admits_formulas(&self, formulas: &PreparedFormulas, span: usize) -> Result<()> {
        if !formulas.is_sort() {
            return self.checked_formula_noise(formulas, &[]).map(|_| ());
        }
        let [exchanges, _, cleaned] = self.times_of_sort(formulas)?;
        let (value, limit) = (cleaned.ceil() as u64, exchanges as u64 / span as u64);
        match value <= limit {
            true => Ok(()),
            false => {
                let name = "number of times that columns are cleaned";
                Err(Error::TooLarge { name, value, limit })
            }
        }
    }
}

impl PreparedFormulas {
    /// The way in which formulas are evaluated, with interpolations of this order.
    pub(super) fn evaluation(&self, order: HermiteOrder) -> Evaluation<'static> {
        let (choices, groups) = (self.choices_in_a_row(), self.groups().unwrap_or(0));
        Evaluation::Formulas(order, FormulaShape { choices, groups, sum_bits: self.sum_bits() })
    }
}

/// Returns the time, and the parameters with the number of baby steps that is fastest for these formulas: powers of a
/// column are computed once for all of its tables.
fn with_best_babies(
    formulas: &PreparedFormulas,
    found: Parameters,
    span: usize,
) -> (f64, Parameters) {
    let seconds = |of: &Parameters| {
        let prediction = of.formula_prediction(formulas);
        prediction.map_or(f64::INFINITY, |it| CostModel::default().seconds(&it.work))
    };
    let most = found.literal().interpolation_levels().min(MAX_LOG_BABIES) as u32;
    let of_babies = |log_babies: u32| {
        let literal = ParametersLiteral { log_babies, ..found.literal().clone() };
        let other = Parameters::new(literal).ok()?;
        other.admits_formulas(formulas, span).ok()?;
        Some((seconds(&other), other))
    };
    let others = (2..=most).filter_map(of_babies).min_by(|a, b| a.0.total_cmp(&b.0));
    others.unwrap_or_else(|| (seconds(&found), found))
}
