//! Lines of operations on packed values other than plain lookups, all of which are evaluated, measured and checked alike.

use cryptable::engines::packed::{
    Ciphertext, CostModel, Parameters, ParametersLiteral, Prediction, Result,
};
use serde::Serialize;

use super::keys::Keys;
use crate::contract::Contract;
use crate::measurement::{Checked, Runs};

/// A line. Noise is that of all results, in half steps of their modulus.
#[derive(Debug, Serialize)]
pub struct PackedRecord {
    #[serde(flatten)]
    pub contract: Contract,
    /// Sizes of the digits, least significant first; empty if inputs are not split into digits.
    pub digits: Vec<u64>,
    /// Predicted time by the default cost model, in u.
    pub predicted_units: f64,
    /// Predicted memory.
    pub predicted_peak_bytes: usize,
    /// All numbers of the parameters.
    pub literal: ParametersLiteral,
}

/// Returns the fields that all lines share.
pub fn common(parameters: &Parameters, keys: &Keys) -> Contract {
    let modulus = parameters.input_modulus();
    Contract {
        method: parameters.method_name(),
        bits_in: (modulus as f64).log2(),
        bits_out: (parameters.output_modulus() as f64).log2(),
        modulus_in: modulus,
        ring_degree: parameters.ring_degree(),
        setup_s: keys.setup_s,
        keygen_s: keys.keygen_s,
        eval_key_bytes: keys.evaluation_key.memory_bytes(),
        log2_fail: parameters.log2_fail(),
        security_bits: parameters.security_bits(),
        ..Contract::here()
    }
}

/// Returns the sizes of the digits into which inputs are split.
pub fn digits_of(literal: &ParametersLiteral) -> Vec<u64> {
    literal.multiplexer.as_ref().map_or_else(|| literal.digits.clone(), |it| it.digits.clone())
}

/// Evaluations, and the results of the last one.
pub struct Measured {
    runs: Runs,
    results: Vec<Ciphertext>,
}

impl Measured {
    /// Runs an evaluation `runs` times. Every run has the same results.
    pub fn of(runs: usize, evaluate: impl Fn() -> Result<Vec<Ciphertext>>) -> Result<Self> {
        let mut timed = Runs::start();
        loop {
            let results = timed.time(&evaluate)?;
            if timed.count() >= runs.max(1) {
                return Ok(Self { runs: timed, results });
            }
        }
    }

    /// Returns the results of the last run.
    pub fn results(&self) -> &[Ciphertext] {
        &self.results
    }

    /// Returns a line, after comparing the results with the expected ones. A value is wrong if any of its parts is wrong.
    pub fn record(
        self,
        parameters: &Parameters,
        keys: &Keys,
        prediction: &Prediction,
        expected: &[Vec<u64>],
        contract: Contract,
    ) -> anyhow::Result<PackedRecord> {
        anyhow::ensure!(
            self.results.len() == expected.len() && !expected.is_empty(),
            "{} results, where {} are expected",
            self.results.len(),
            expected.len()
        );
        let mut all_errors = Vec::new();
        let mut is_wrong = vec![false; expected[0].len()];
        for (result, expected) in self.results.iter().zip(expected) {
            all_errors.extend(keys.secret.errors(result, expected)?);
            let decrypted = keys.secret.decrypt(result)?;
            let pairs = decrypted.iter().zip(expected);
            is_wrong.iter_mut().zip(pairs).for_each(|(wrong, (a, b))| *wrong |= a != b);
        }
        Ok(self.checked(parameters, prediction, &all_errors, &is_wrong, contract))
    }

    /// Returns a line of results with these errors in half steps. `is_wrong` marks the wrong values.
    pub fn checked(
        self,
        parameters: &Parameters,
        prediction: &Prediction,
        errors: &[f64],
        is_wrong: &[bool],
        contract: Contract,
    ) -> PackedRecord {
        let mut checked = Checked::default();
        is_wrong.iter().for_each(|is_wrong| checked.count(*is_wrong));
        checked.errors(errors.iter().copied());
        let model = CostModel::default();
        let mut contract = Contract {
            output_bytes: self.results.iter().map(|result| result.to_bytes().len()).sum(),
            ..contract
        };
        checked.enter(&mut contract, 1.0);
        self.runs.enter(&mut contract, is_wrong.len(), 0.0);
        PackedRecord {
            contract,
            digits: digits_of(parameters.literal()),
            predicted_units: model.seconds(&prediction.work) / model.unit(),
            predicted_peak_bytes: prediction.peak_bytes_on(rayon::current_num_threads()),
            literal: parameters.literal().clone(),
        }
    }
}
