//! Requests for formulas.

use cryptable_packed::PreparedFormulas;

use crate::engines::packed;
use crate::operation_plan::Title;
use crate::{OperationPlan, PlannedOperation, Request, Result};

/// The job of evaluating formulas on columns: trees of choices, sums of tables, filters.
#[derive(Clone, Debug, PartialEq)]
pub struct Formulas {
    formulas: PreparedFormulas,
    output_modulus: u64,
}

impl Request<Formulas> {
    /// Creates a request for formulas with results modulo `output_modulus`. Keys for it serve these formulas, and all
    /// others on columns with the same modulus and with the same number of groups whose choices are nested no deeper
    /// and whose results are no larger.
    #[must_use]
    pub fn formulas(formulas: &PreparedFormulas, output_modulus: u64) -> Self {
        Self::of(Formulas { formulas: formulas.clone(), output_modulus })
    }

    /// Finds the fastest parameters, and predicts the evaluation of all formulas on a full ciphertext per column.
    ///
    /// # Errors
    /// If a number is out of range, or if no parameters meet the request; the error states what is needed.
    pub fn plan(&self) -> Result<OperationPlan<Formulas>> {
        let Self { job, limits } = self;
        let Formulas { formulas, output_modulus } = job;
        let parameters = if limits.insecure_toy {
            packed::Parameters::insecure_toy_formulas(*output_modulus, formulas)?
        } else {
            let request = packed::Request {
                log2_fail: limits.log2_fail,
                memory: limits.memory,
                count: limits.count(),
                ..packed::Request::new(formulas.input_modulus(), *output_modulus)
            };
            packed::Parameters::for_formulas(formulas, &request)?
        };
        let (slots, threads) = (parameters.literal().slots as u64, limits.threads());
        let prediction = parameters.formula_prediction(formulas)?;
        let operation = PlannedOperation {
            name: "evaluate",
            lookups: parameters.formula_lookups(formulas)?,
            tables: formulas.tables(),
            duration: prediction.duration(&limits.cost(), slots, threads),
            failure: parameters.formula_failure(formulas),
        };
        Ok(OperationPlan {
            job: job.clone(),
            threads,
            operations: vec![operation],
            peak_bytes: prediction.peak_bytes(),
            key_file_bytes: prediction.key_file_bytes,
            parameters: parameters.into(),
        })
    }
}

impl Title for OperationPlan<Formulas> {
    fn title(&self) -> String {
        let Formulas { formulas, output_modulus } = &self.job;
        let (columns, modulus) = (formulas.columns(), formulas.input_modulus());
        let groups = formulas
            .groups()
            .map_or(String::new(), |groups| format!(", added up by {groups} groups"));
        if formulas.is_sort() {
            let limit = modulus / 4;
            return format!(
                "a sort of {columns} columns modulo {modulus}, by values below {limit}"
            );
        }
        format!(
            "formulas of {columns} columns modulo {modulus}, results modulo {output_modulus}{groups}"
        )
    }
}
