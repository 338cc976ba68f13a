//! Functional bootstrapping of slots: any function of integers or of points of a grid, even a discontinuous one, and
//! smooth functions on an interval. It also restores levels.

use cryptable_ckks::bootstrapping::mod_raise;
use cryptable_ckks::dry_run::Shape;
use cryptable_lattice::RlweCiphertext;
use cryptable_lattice::error::{Error, Result, demand};

use crate::bootstrap_circuit::{BootstrapCircuit, BootstrapMatrices};
use crate::bounds::{SlotBounds, SlotError};
use crate::ciphertext::{Ciphertext, Tags};
use crate::evaluation_key::EvaluationKey;
use crate::lookup_circuit::PredictedLookup;
use crate::parameters::Parameters;
use crate::phase_series::{PhaseSeries, SlotPeriod};
use crate::slot_function::SlotFunction;

/// Predicted error and cost of a lookup.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LookupPrediction {
    /// Largest error of a slot and of the circuit, except with probability [`LookupPrediction::log2_fail_per_slot`], as
    /// a fraction of half the distance of two points. From 1 on, slots would be taken for others, and lookups are
    /// refused. For smooth functions, a fraction of a 64th of the interval, the distance beyond it for which errors are
    /// stated.
    pub phase_error: f64,
    /// Errors of the result: their deviation and bias for the worst inputs.
    pub error: SlotError,
    /// Standard deviation of a part of a slot to expect in measurements.
    pub expected_deviation: f64,
    /// Levels of the result.
    pub level: usize,
    /// log2 of the probability per slot that its error exceeds the stated bias and noise. It includes the overflow and
    /// both errors of the phase.
    pub log2_fail_per_slot: f64,
}

impl Parameters {
    /// Predicts [`EvaluationKey::lookup`]: levels, errors, and the probability that a slot fails.
    ///
    /// # Errors
    /// If there is no bootstrap, the function needs more levels than there are, the ciphertext has none, or its slots
    /// exceed the interval of a smooth function.
    pub fn predict_lookup<'a>(
        &self,
        ct: &Ciphertext,
        function: impl Into<SlotFunction<'a>>,
    ) -> Result<LookupPrediction> {
        let found = self.checked_prediction(ct, function.into())?;
        Ok(self.lookup_prediction(&found))
    }

    /// Returns the prediction that users see from that of a dry run.
    pub(crate) fn lookup_prediction(&self, found: &PredictedLookup) -> LookupPrediction {
        LookupPrediction {
            phase_error: found.phase_error,
            error: self.slot_error(found.shape.noise, found.bias),
            expected_deviation: found.expected_deviation,
            level: found.shape.limbs - self.level_scales().bottom(),
            log2_fail_per_slot: self
                .literal()
                .bootstrapping
                .as_ref()
                .map_or(0.0, |it| it.log2_fail),
        }
    }

    fn checked_prediction(
        &self,
        ct: &Ciphertext,
        function: SlotFunction<'_>,
    ) -> Result<PredictedLookup> {
        let name = "a lookup with parameters without bootstrapping";
        let circuit = self.bootstrap_circuit().ok_or_else(|| Error::Unsupported(name.into()))?;
        self.check_series(function.series())?;
        self.check_level(ct, function.series().period)?;
        if let SlotFunction::Smooth(smooth) = function {
            let (bound, most) = (ct.bounds().part(), smooth.largest_input());
            let limit = format!("at most {most}, the larger end of the function's interval");
            demand(bound <= most, "bound of slots", bound, &limit)?;
        }
        let parts = ct.bounds().parts();
        Ok(circuit.predict_lookup(&self.dry_run(), &ct.shape, ct.error(), parts, function))
    }

    /// Checks that a series does not need more levels than bootstraps restore.
    ///
    /// # Errors
    /// If it needs more.
    pub(crate) fn check_series(&self, series: &PhaseSeries) -> Result<()> {
        let circuit = self.bootstrap_circuit();
        let found = circuit.is_some_and(|circuit| circuit.level_after(series).is_some());
        let limit = "it exceeds the levels after the exponential: use fewer points, a lower order or a larger tolerance";
        demand(found, "levels of the table", series.levels() as f64, limit)
    }

    /// Checks that a ciphertext has the levels that lookups with this period need.
    ///
    /// # Errors
    /// If it has fewer.
    pub(crate) fn check_level(&self, ct: &Ciphertext, period: SlotPeriod) -> Result<()> {
        let least = self.bootstrap_circuit().map_or(0, |circuit| circuit.level_before(period));
        let (level, limit) = (ct.level(), format!("it must be at least {least}"));
        demand(level >= least, "level of a lookup's input", level as f64, &limit)
    }
}

impl EvaluationKey {
    /// Evaluates a function of every slot and restores levels: a table of points ([`crate::SlotTable`]) by Algorithm 4
    /// of Alexandru, Kim, Polyakov (CRYPTO 2025, ePrint 2024/1623), or a smooth function on an interval
    /// ([`crate::SmoothFunction`]). Real slots need one exponential. For complex slots both parts are looked up, with
    /// two exponentials, or with one if there are fewer slots than half the ring degree.
    ///
    /// Slots hold points of a table's grid with errors, in any period, or numbers of a smooth function's interval.
    /// Results are values with errors that they state. An input of the lowest level is enough if the range of the
    /// bootstrap over the period is an integer. All slots are looked up: unused ones as 0.
    ///
    /// ```
    /// use cryptable_approximate::{
    ///     Grid, KeySet, Parameters, SecretKey, SlotBounds, SlotTable, SmoothFunction,
    /// };
    /// use cryptable_lattice::Progress;
    /// let secret = SecretKey::generate(&Parameters::insecure_toy_bootstrapping()?);
    /// let server = secret.evaluation_key_for(&KeySet::new().lookups(), Progress::silent())?;
    /// let table = SlotTable::new(Grid::integers(4), 1, &[0.5, -1.0, 0.25, 1.0])?;
    /// let digits = [0.0, 1.0, 2.0, 3.0].map(Into::into);
    /// let x = secret.encrypt_within(&digits, SlotBounds::real(3.0))?;
    /// let y = server.lookup(&server.lower(&x, 0)?, &table)?;
    /// let found = secret.decrypt_reals(&y)?;
    /// assert!((found[1] + 1.0).abs() < 1e-4 && (found[2] - 0.25).abs() < 1e-4);
    /// assert_eq!(y.level(), secret.parameters().levels());
    /// // A smooth function, of any number of its interval.
    /// let sigmoid = SmoothFunction::sigmoid(3.0, 1e-5)?;
    /// let y = server.lookup(&x, &sigmoid)?;
    /// assert!((secret.decrypt_reals(&y)?[1] - sigmoid.evaluate(1.0)).abs() < 1e-4);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the ciphertext belongs to another client or to other parameters or has no level, its errors may reach halfway
    /// to another point, the function needs more levels than there are, or slots may be beyond a smooth function's
    /// interval; [`Error::MissingKey`].
    pub fn lookup<'a>(
        &self,
        ct: &Ciphertext,
        function: impl Into<SlotFunction<'a>>,
    ) -> Result<Ciphertext> {
        Ok(self.lookup_many(ct, &[function.into()])?.swap_remove(0))
    }

    /// Evaluates several functions of one period, which share everything but their polynomials.
    ///
    /// # Errors
    /// The errors of [`EvaluationKey::lookup`]; also if there is no function, or their periods differ.
    pub fn lookup_many<'a, F: Copy + Into<SlotFunction<'a>>>(
        &self,
        ct: &Ciphertext,
        functions: &[F],
    ) -> Result<Vec<Ciphertext>> {
        self.check(&[ct])?;
        let functions: Vec<SlotFunction<'a>> = functions.iter().map(|&it| it.into()).collect();
        let Some(first) = functions.first() else {
            return Err(Error::TooSmall { name: "number of tables", value: 0, limit: 1 });
        };
        let period = first.series().period;
        let mut others = functions.iter().map(|it| it.series().period);
        if let Some(other) = others.find(|&other| other != period) {
            let (found, expected) = (format!("{other:?}"), format!("{period:?}"));
            return Err(Error::Mismatch { name: "period of a function", found, expected });
        }
        let (circuit, matrices) = self.lookup_parts()?;
        let parts = ct.bounds().parts();
        let mut results = Vec::with_capacity(functions.len());
        for &function in &functions {
            let found = self.parameters().checked_prediction(ct, function)?;
            results.push(self.admit(&found, function, parts, ct.tags)?);
        }
        let (evaluator, matrices) = (self.arithmetics().0, &matrices.slots_to_coeffs);
        let coefficients =
            circuit.phases_in_periods(&evaluator, matrices, &ct.inner, period, parts);
        Ok(self.look_up_coefficients(&coefficients.parts, &functions, parts, results))
    }

    /// Returns the circuit of lookups and its matrices.
    ///
    /// # Errors
    /// If the server has no keys for them.
    pub(crate) fn lookup_parts(&self) -> Result<(&BootstrapCircuit, &BootstrapMatrices)> {
        let parts = if self.key_set().has_lookups() { self.bootstrap_parts() } else { None };
        parts.ok_or(Error::MissingKey { method: "a lookup", key: "its keys" })
    }

    /// Tags a result with its bounds and errors.
    ///
    /// # Errors
    /// If inputs may be taken for others, or values may exceed the capacity of their level.
    pub(crate) fn admit(
        &self,
        found: &PredictedLookup,
        function: SlotFunction<'_>,
        parts: usize,
        tags: Tags,
    ) -> Result<(Shape, Tags)> {
        let error = found.phase_error;
        let limit = "as a fraction of half the distance of two points, or of a 64th of the interval, it must be \
                     less than 1";
        demand(error < 1.0, "error of a lookup's input", error, limit)?;
        let size = function.magnitude() + found.bias;
        let im = if parts == 2 { size } else { 0.0 };
        let tags = Tags { bounds: SlotBounds { re: size, im }, bias: found.bias, ..tags };
        self.check_capacity(tags, found.shape.limbs)?;
        Ok((found.shape, tags))
    }

    /// Looks up tables on coefficients modulo q_0, fractions of a turn: ModRaise and the following steps.
    ///
    /// # Panics
    /// If there are no keys for bootstraps.
    pub(crate) fn look_up_coefficients(
        &self,
        bottom: &RlweCiphertext,
        functions: &[SlotFunction<'_>],
        parts: usize,
        results: Vec<(Shape, Tags)>,
    ) -> Vec<Ciphertext> {
        let (circuit, matrices) = self.bootstrap_parts().expect("checked by the caller");
        let evaluator = self.arithmetics().0;
        let raised = mod_raise::raise(&evaluator, bottom, circuit.raised_basis());
        let phases = circuit.phases(&evaluator, &matrices.coeffs_to_slots, raised, parts);
        let series: Vec<_> = functions.iter().map(|it| it.series()).collect();
        let found = circuit.look_up(&evaluator, phases, &series, matrices.mask(parts));
        let join = |(inner, (shape, tags))| Ciphertext::join(inner, shape, tags);
        found.into_iter().zip(results).map(join).collect()
    }
}
