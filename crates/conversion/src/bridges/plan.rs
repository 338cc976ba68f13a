//! Plans of bridges: the fastest pair of parameters with which all steps together keep the failure probability, and a
//! prediction of every step.

use std::fmt;
use std::time::Duration;

use cryptable_lattice::cost::{CostModel, Prediction, Work};
use cryptable_lattice::{Error, FailureProbability, Result};
use cryptable_packed as packed;

use super::continuation::{Continuation, Returned, sum_log2};
use super::request::{Request, Returning};
use super::{Parameters, Target};
use crate::cost::{self, Masks};

/// log2 of the failure probability below which steps do not show it exactly.
const LOG2_NEVER: f64 = -1000.0;

/// One step of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Name of the step.
    pub name: &'static str,
    /// Probability that any of its values goes wrong in this step; `None` for steps that only add noise, which the next
    /// step accounts for.
    pub failure: Option<FailureProbability>,
    /// Predicted time for all its values.
    pub duration: Duration,
}

/// Parameters of both ends and of the conversions, with a prediction of every step. `Display` prints the list of steps.
#[derive(Clone, Debug)]
pub struct Plan<T: Target> {
    parameters: Parameters<T>,
    steps: Vec<Step>,
    value_failure: FailureProbability,
    values: usize,
    taken_out: usize,
    threads: usize,
    peak_bytes: usize,
}

impl<T: Target> Plan<T> {
    /// Returns the parameters for generating keys: [`super::SecretKeys::generate`].
    #[must_use]
    pub fn parameters(&self) -> &Parameters<T> {
        &self.parameters
    }

    /// Returns all steps in order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the number of values that are looked up at once.
    #[must_use]
    pub fn values(&self) -> usize {
        self.values
    }

    /// Returns the number of values that are extracted.
    #[must_use]
    pub fn taken_out(&self) -> usize {
        self.taken_out
    }

    /// Returns the number of threads that times are predicted for.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the predicted time of all steps.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.steps.iter().map(|step| step.duration).sum()
    }

    /// Returns log2 of [`Plan::failure_probability`].
    #[must_use]
    pub fn log2_fail(&self) -> f64 {
        total_log2_fail(&self.steps)
    }

    /// Returns the probability that any value of a packed ciphertext goes wrong in any step: the sum over all steps and
    /// all their values.
    #[must_use]
    pub fn failure_probability(&self) -> FailureProbability {
        FailureProbability::from_log2(self.log2_fail())
    }

    /// Returns the probability that one value goes wrong in any step.
    #[must_use]
    pub fn value_failure_probability(&self) -> FailureProbability {
        self.value_failure
    }

    /// Returns the predicted memory of the server in bytes, keys of both ends included.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes
    }

    /// Returns the number of bytes of the server's keys in their file, without headers.
    #[must_use]
    pub fn key_file_bytes(&self) -> usize {
        let parameters = &self.parameters;
        let packed = parameters.packed().prediction().key_file_bytes;
        let single = parameters.single().evaluation_key_bytes()[1];
        packed + single + parameters.key_file_bytes() as usize
    }
}

impl<T: Target> fmt::Display for Plan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameters, steps, values, taken_out, threads, .. } = self;
        let packed = parameters.packed();
        let (p, output) = (packed.input_modulus(), packed.output_modulus());
        write!(
            f,
            "packed: {}, tables {p} -> {output}; then {}, ",
            packed.method_name(),
            parameters.single().name()
        )?;
        if parameters.security_level().is_insecure() {
            writeln!(f, "INSECURE")?;
        } else {
            writeln!(f, "{:.1} bits of security", parameters.security_bits())?;
        }
        writeln!(
            f,
            "  over all steps, a value fails with a probability of {}, a ciphertext with {}",
            self.value_failure_probability(),
            self.failure_probability()
        )?;
        let gigabytes = |bytes: usize| bytes as f64 / 1e9;
        writeln!(
            f,
            "  {:.2} GB of memory, evaluation keys of {:.2} GB",
            gigabytes(self.peak_bytes),
            gigabytes(self.key_file_bytes())
        )?;
        let plural = if *threads == 1 { "" } else { "s" };
        write!(
            f,
            "  {values} values looked up, {taken_out} taken out, {threads} thread{plural}, predicted:"
        )?;
        for Step { name, failure, duration } in steps {
            write!(f, "\n    {name:<38} {:>9.2} s", duration.as_secs_f64())?;
            match failure {
                Some(failure) if failure.log2() < LOG2_NEVER => {
                    write!(f, "  fails with less than 2^{LOG2_NEVER}")?;
                }
                Some(failure) => write!(f, "  fails with {failure}")?,
                None => (),
            }
        }
        Ok(())
    }
}

impl<C: Continuation> Request<C> {
    /// Finds the fastest parameters of both ends with which all steps together keep the failure probability and the
    /// memory limit.
    ///
    /// # Errors
    /// If an end has no parameters; [`Error::FailureUnreachable`], which names the worst step, if no pair keeps the
    /// probability; [`Error::Memory`] if no pair fits.
    pub fn plan(&self) -> Result<Plan<C::Target>> {
        let limit = self.limit();
        let targets =
            if self.is_toy { self.next.insecure_toys()? } else { self.target_candidates()? };
        let (mut drafts, refusal) = self.drafts(&self.packed_candidates(None)?, &targets);
        if !self.is_toy && drafts.iter().all(|draft| draft.log2_fail() > limit) {
            drafts.extend(self.drafts_for_returned_noise(&drafts, &targets));
        }
        drafts.sort_by_key(Draft::duration);
        let Some(least) = drafts.iter().map(Draft::peak_bytes).min() else {
            return Err(refusal.expect("no parameters are an error of the engines"));
        };
        let best_failure = |drafts: &[Draft<'_, C>]| {
            let best = drafts.iter().min_by(|a, b| a.log2_fail().total_cmp(&b.log2_fail()));
            best.map(|best| best.refusal(limit)).expect("there are drafts")
        };
        let failing = best_failure(&drafts);
        drafts.retain(|draft| draft.log2_fail() <= limit);
        if drafts.is_empty() {
            return Err(failing);
        }
        let memory = self.memory.unwrap_or(usize::MAX);
        let mut refusal = Error::Memory { needed: least, limit: memory };
        for draft in drafts.into_iter().filter(|draft| draft.peak_bytes() <= memory) {
            match draft.finish() {
                Ok(plan) => return Ok(plan),
                Err(error) => refusal = error,
            }
        }
        Err(refusal)
    }

    /// Drafts a plan for every pair of parameters, and returns the last error of a pair that has none.
    fn drafts<'a>(
        &'a self,
        packed: &[packed::Parameters],
        targets: &'a [C::Target],
    ) -> (Vec<Draft<'a, C>>, Option<Error>) {
        let (mut drafts, mut refusal) = (Vec::new(), None);
        for packed in packed {
            for target in targets {
                match Draft::new(self, packed, target) {
                    Ok(draft) => drafts.push(draft),
                    Err(error) => refusal = Some(error),
                }
            }
        }
        (drafts, refusal)
    }

    /// Drafts plans whose trees clean returned digits, which are noisier than fresh inputs, given the least noise that
    /// any of `drafts` returns. Returns no drafts if nothing is looked up again, or no tree accepts such digits.
    fn drafts_for_returned_noise<'a>(
        &'a self,
        drafts: &[Draft<'a, C>],
        targets: &'a [C::Target],
    ) -> Vec<Draft<'a, C>> {
        let noise = |inputs: &packed::DigitInputs| inputs.noise.largest(self.limit());
        let returned = drafts.iter().filter_map(|draft| draft.looked_up);
        let least = returned.min_by(|a, b| noise(a).total_cmp(&noise(b)));
        let packed = least.and_then(|inputs| self.packed_candidates(Some(inputs)).ok());
        packed.map_or_else(Vec::new, |packed| self.drafts(&packed, targets).0)
    }
}

/// A pair of parameters with its steps, before a plan is made of it.
struct Draft<'a, C: Continuation> {
    target: &'a C::Target,
    /// Parameters of the bridge, whose conversions determine the noise.
    parameters: Parameters<C::Target>,
    steps: Vec<Step>,
    /// log2 of the probability that one value goes wrong in the steps so far.
    value_log2_fail: f64,
    request: &'a Request<C>,
    values: usize,
    taken_out: usize,
    /// Digits that are packed again and looked up again.
    looked_up: Option<packed::DigitInputs>,
}

impl<'a, C: Continuation> Draft<'a, C> {
    /// Predicts all steps with a pair of parameters, whether or not they fail too often.
    ///
    /// # Errors
    /// If the parameters cannot be joined, whatever their noise.
    fn new(
        request: &'a Request<C>,
        packed: &packed::Parameters,
        target: &'a C::Target,
    ) -> Result<Self> {
        let parameters = Parameters::unchecked(packed.clone(), target.clone())?;
        let slots = packed.literal().slots;
        let values = request.values.unwrap_or(slots);
        let taken_out = request.taken_out.unwrap_or(values).min(values);
        let mut draft = Self {
            target,
            parameters,
            steps: Vec::new(),
            value_log2_fail: f64::NEG_INFINITY,
            request,
            values,
            taken_out,
            looked_up: None,
        };
        draft.outward()?;
        if request.returning != Returning::Single {
            let again = request.returning == Returning::LookedUp;
            let input_modulus = again.then_some(request.input_modulus);
            let returned = request.next.returned(target, input_modulus)?;
            draft.inward(&returned)?;
        }
        Ok(draft)
    }

    /// Adds the packed lookup and the operation on its results.
    fn outward(&mut self) -> Result<()> {
        let packed = self.parameters.packed();
        let (next, tables) = (&self.request.next, self.request.next.tables());
        let fresh = packed.fresh_noise(packed.input_modulus());
        let tables_fail =
            FailureProbability::from_log2(packed.lookup_log2_fail(fresh)).of_any(tables);
        let lookup = self.lookup_time(tables);
        let noise = self.parameters.result_noise();
        let extraction = cost::extraction(
            self.parameters.conversion(),
            packed.literal().slots,
            self.taken_out as f64,
        );
        let failure = next.log2_fail(self.target, noise)?;
        // There is no work to predict if functions would fail too often, but then the draft is refused anyway.
        let work = next.work(self.target, noise).unwrap_or_default();
        let of_values = self.one_by_one(work);
        let extraction = self.time_of(extraction * tables as f64);
        self.push_failing("packed lookup", tables_fail, self.values, lookup);
        self.push("values taken out", extraction);
        let failure = FailureProbability::from_log2(failure);
        self.push_failing(next.name(), failure, self.taken_out, of_values);
        Ok(())
    }

    /// Adds the packing of results, and the second lookup if it is requested.
    fn inward(&mut self, returned: &Returned) -> Result<()> {
        let packed = self.parameters.packed().clone();
        let noise = self.parameters.packed_noise(returned.noise);
        let packing = cost::packing(
            self.parameters.conversion(),
            packed.literal().slots,
            self.taken_out as f64,
            Masks::Computed,
        );
        let (leaving, packing) =
            (self.one_by_one(returned.work), self.time_of(packing * returned.digits as f64));
        let decryption = FailureProbability::from_log2(noise.log2_fail(returned.modulus));
        self.push("results prepared for packing", leaving);
        let decryption = decryption.of_any(returned.digits);
        self.push_failing("ring packing", decryption, self.taken_out, packing);
        if self.request.returning == Returning::LookedUp {
            let widths = packed.digits_of_inputs(returned.modulus, returned.digits)?;
            let inputs: Vec<_> = widths.into_iter().map(|digits| (noise, digits)).collect();
            let again = FailureProbability::from_log2(packed.lookup_digits_log2_fail(&inputs));
            let lookup = self.lookup_time(1);
            let name = "packed lookup of returned results";
            self.push_failing(name, again, self.taken_out, lookup);
            self.looked_up = Some(packed::DigitInputs { modulus: returned.modulus, noise });
        }
        Ok(())
    }

    fn push(&mut self, name: &'static str, duration: Duration) {
        self.steps.push(Step { name, failure: None, duration });
    }

    /// Adds a step in which each of `values` values goes wrong with some probability. If there are several ciphertexts,
    /// only the values of one of them count.
    fn push_failing(
        &mut self,
        name: &'static str,
        of_value: FailureProbability,
        values: usize,
        duration: Duration,
    ) {
        let values = values.min(self.parameters.packed().literal().slots);
        self.value_log2_fail = sum_log2([self.value_log2_fail, of_value.log2()]);
        self.steps.push(Step { name, failure: Some(of_value.of_any(values)), duration });
    }

    fn cost(&self) -> CostModel {
        self.request.cost.unwrap_or_else(CostModel::calibrated)
    }

    fn lookup_time(&self, tables: usize) -> Duration {
        let prediction = self.parameters.packed().prediction_of(tables);
        prediction.duration(&self.cost(), self.values as u64, self.request.threads())
    }

    /// Returns the time of conversions, whose work all threads share.
    fn time_of(&self, work: Work) -> Duration {
        self.shared(work, 1, self.request.threads())
    }

    /// Returns the time of an operation on every extracted value.
    fn one_by_one(&self, work: Work) -> Duration {
        self.shared(work, self.taken_out as u64, 1)
    }

    fn shared(&self, work: Work, values: u64, parallelism: usize) -> Duration {
        let prediction =
            Prediction { work, parallelism, values_per_ciphertext: 1, ..self.packed_prediction() };
        prediction.duration(&self.cost(), values, self.request.threads())
    }

    fn packed_prediction(&self) -> Prediction {
        self.parameters.packed().prediction_of(self.request.next.tables())
    }

    /// Returns the predicted time of all steps.
    fn duration(&self) -> Duration {
        self.steps.iter().map(|step| step.duration).sum()
    }

    /// Returns log2 of the probability that any value of a ciphertext goes wrong.
    fn log2_fail(&self) -> f64 {
        total_log2_fail(&self.steps)
    }

    /// Returns the predicted memory: all keys, and the packed lookup or the extracted values, whichever need more.
    fn peak_bytes(&self) -> usize {
        let prediction = self.packed_prediction();
        let tables = self.request.next.tables();
        let keys = prediction.key_memory_bytes
            + self.target.evaluation_key_bytes()[0]
            + self.parameters.key_memory_bytes();
        keys + self.parameters.working_bytes(tables, self.taken_out)
    }

    /// Returns the error for a draft that fails too often: the failure probability of a ciphertext, and the worst step.
    fn refusal(&self, limit: f64) -> Error {
        let log2 = |step: &Step| step.failure.map_or(f64::NEG_INFINITY, FailureProbability::log2);
        let worst = self.steps.iter().max_by(|a, b| log2(a).total_cmp(&log2(b)));
        let worst = worst.expect("a plan has steps");
        let number = 1 + self.steps.iter().take_while(|step| step.name != worst.name).count();
        let (steps, name) = (self.steps.len(), worst.name);
        let what =
            format!("a ciphertext over all steps, most often in step {number} of {steps}, {name},");
        Error::FailureUnreachable { what, found: self.log2_fail(), limit }
    }

    /// Turns the draft into a plan.
    ///
    /// # Errors
    /// If the parameters do not fit together.
    fn finish(self) -> Result<Plan<C::Target>> {
        let peak_bytes = self.peak_bytes();
        let value_failure = FailureProbability::from_log2(self.value_log2_fail);
        let Self { parameters, steps, values, taken_out, request, .. } = self;
        parameters.check_outward()?;
        let threads = request.threads();
        Ok(Plan { parameters, steps, value_failure, values, taken_out, threads, peak_bytes })
    }
}

fn total_log2_fail(steps: &[Step]) -> f64 {
    let failures = steps.iter().filter_map(|step| step.failure);
    failures.fold(f64::NEG_INFINITY, |sum, failure| sum_log2([sum, failure.log2()]))
}
