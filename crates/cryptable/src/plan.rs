//! The planner for lookups: compares candidates of all engines.

mod candidates;
mod display;

use std::time::Duration;

use cryptable_lattice::cost::CostModel;

use crate::request::Goal;
use crate::{Engine, Error, Parameters, Prediction, Request, Result};

/// Waiting time that users do not notice: keys that are generated or read faster do not count when engines are
/// compared.
const UNNOTICED: Duration = Duration::from_millis(250);

/// One way to serve a request: parameters, and what a lookup with them is predicted to need.
#[derive(Clone, Debug)]
pub struct Candidate {
    parameters: Parameters,
    prediction: Prediction,
    duration: Duration,
    key_duration: Duration,
    reading_duration: Duration,
    transfer_duration: Option<Duration>,
}

impl Candidate {
    /// Returns the parameters, for which keys can be generated.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the predicted work and memory, and the sizes of keys and ciphertexts in bytes.
    #[must_use]
    pub fn prediction(&self) -> &Prediction {
        &self.prediction
    }

    /// Returns the predicted time for all values of the request, on its number of threads, with a key that is in memory.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Returns the predicted time of a command that generates the evaluation key, on the request's number of threads.
    #[must_use]
    pub fn key_duration(&self) -> Duration {
        self.key_duration
    }

    /// Returns the time for sending the evaluation key to the server at the request's bandwidth, or `None` if none is
    /// stated.
    #[must_use]
    pub fn transfer_duration(&self) -> Option<Duration> {
        self.transfer_duration
    }

    /// Returns the seconds that a user waits until keys are generated, sent and read.
    fn wait_for_keys(&self) -> f64 {
        let sent = self.transfer_duration.unwrap_or_default().as_secs_f64();
        let noticed = |it: Duration| it.saturating_sub(UNNOTICED).as_secs_f64();
        noticed(self.key_duration) + sent + noticed(self.reading_duration)
    }

    /// Returns the predicted time of a command that reads the evaluation key and looks up all values of the request.
    #[must_use]
    pub fn first_duration(&self) -> Duration {
        self.reading_duration + self.duration
    }
}

impl AsRef<Parameters> for Candidate {
    fn as_ref(&self) -> &Parameters {
        &self.parameters
    }
}

/// All ways to serve a request, best first, as returned by [`Request::plan`]. `Display` prints a table with one line
/// per candidate.
///
/// Engines are compared by the time that a user waits: generating and reading the key, if either takes more than a
/// quarter of a second; sending it, if [`Request::bandwidth`] is stated; and the number of lookups that
/// [`Request::lookups`] states. Candidates of one engine are compared by their lookups alone, since their keys differ
/// less.
///
/// ```
/// use cryptable::{Engine, Request};
/// let plan = Request::new(16, 16).values(10).plan()?;
/// println!("{plan}");
/// let single = plan.best_of(Engine::Single).expect("tables of 4 bits");
/// assert!(plan.best().duration() <= single.duration());
/// assert!(single.parameters().security_bits() >= 128.0);
/// # Ok::<(), cryptable::Error>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    values: u64,
    /// Whether the request did not state `values`.
    values_assumed: bool,
    threads: usize,
    lookups: u64,
    cost: CostModel,
    /// Never empty.
    candidates: Vec<Candidate>,
    refusals: Vec<(Engine, Error)>,
}

/// Converts to the parameters of the best candidate, so that a plan can be passed to
/// [`SecretKey::generate`](crate::SecretKey::generate).
impl AsRef<Parameters> for Plan {
    fn as_ref(&self) -> &Parameters {
        self.best().parameters()
    }
}

impl Plan {
    /// Returns the best candidate by the request's [`Goal`].
    #[must_use]
    pub fn best(&self) -> &Candidate {
        &self.candidates[0]
    }

    /// Returns all candidates, best first.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Returns the best candidate in which this engine does the lookup, or `None`.
    #[must_use]
    pub fn best_of(&self, engine: Engine) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.parameters.engine() == engine)
    }

    /// Returns the number of values from which packing them ([`Request::inputs`]) is faster than looking them up one by
    /// one, each with its best parameters. The number of threads does not matter.
    ///
    /// Returns `None` if one of the two ways was not requested or has no candidate, or if packing is not faster even
    /// for a full ciphertext.
    #[must_use]
    pub fn crossing(&self) -> Option<u64> {
        let bridged = self.candidates.iter().find_map(|c| c.parameters.bridged().ok())?;
        let single =
            self.candidates.iter().find(|c| matches!(c.parameters, Parameters::Single(_)))?;
        bridged.crossing_against(&self.cost, &single.prediction)
    }

    /// Returns the candidate that would be best if one key served more lookups than [`Plan::lookups`], and the number
    /// of lookups from which it is. `None` if the best candidate has the fastest lookups, too.
    #[must_use]
    pub fn best_for_more_lookups(&self) -> Option<(u64, &Candidate)> {
        let best = self.best();
        let faster = self.candidates.iter().filter(|other| other.duration < best.duration);
        let from = |other: &Candidate| {
            let more = other.wait_for_keys() - best.wait_for_keys();
            let saved = best.duration.as_secs_f64() - other.duration.as_secs_f64();
            // The conversion saturates.
            (more / saved).ceil() as u64
        };
        let found = faster.map(|other| (from(other), other)).min_by_key(|&(lookups, _)| lookups);
        // For latency, candidates are compared by other numbers of values.
        found.filter(|&(lookups, _)| lookups > self.lookups)
    }

    /// Returns the engines that were asked but have no parameters for the request, each with the reason.
    #[must_use]
    pub fn refusals(&self) -> &[(Engine, Error)] {
        &self.refusals
    }

    /// Returns the number of values that times are predicted for.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// Returns whether [`Plan::values`] was assumed, since the request did not state a number.
    #[must_use]
    pub fn values_assumed(&self) -> bool {
        self.values_assumed
    }

    /// Returns the number of threads that times are predicted for.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the number of lookups with one key for which engines are compared.
    #[must_use]
    pub fn lookups(&self) -> u64 {
        self.lookups
    }

    /// Returns the costs of operations that times are predicted with, from [`Request::cost_model`] or measured on this
    /// machine.
    #[must_use]
    pub fn cost_model(&self) -> &CostModel {
        &self.cost
    }
}

impl Request {
    /// Finds all parameters that serve the request, best first.
    ///
    /// The first plan on a machine measures the cost of operations, and keeps the result in the user's cache directory.
    ///
    /// # Errors
    /// If no engine has parameters for the request; the message states the reason of each. [`Error::TooSmall`] if the
    /// number of values or of threads is zero.
    pub fn plan(&self) -> Result<Plan> {
        plan(self)
    }
}

/// Asks every engine that the request allows for candidates.
fn plan(request: &Request) -> Result<Plan> {
    let asked = [
        ("number of values", request.limits.values),
        ("number of threads", request.limits.threads.map(|threads| threads as u64)),
        ("number of lookups", Some(request.job.lookups)),
        ("bandwidth", request.job.bandwidth),
    ];
    if let Some((name, _)) = asked.into_iter().find(|(_, value)| *value == Some(0)) {
        return Err(Error::TooSmall { name, value: 0, limit: 1 });
    }
    let cost = request.limits.cost();
    let threads = request.limits.threads();
    let (mut found, mut refusals) = (Vec::new(), Vec::new());
    for way in candidates::ways(request)? {
        match candidates::of(way, request) {
            Ok(parameters) => found.extend(parameters),
            Err(error) => refusals.push((way.engine(), error)),
        }
    }
    let values =
        request.limits.values.unwrap_or_else(|| assumed_values(request, &found, &refusals));
    let timed = match request.limits.goal {
        Goal::Latency => 1,
        Goal::Throughput => values,
    };
    let candidate = |parameters: Parameters| {
        let prediction = prediction_of(&parameters, request);
        let duration = prediction.duration(&cost, values, threads);
        let key_duration = prediction.key_generation(threads);
        let reading_duration = prediction.key_reading(threads);
        let transfer_duration = request.job.bandwidth.map(|bandwidth| {
            Duration::from_secs_f64(prediction.key_file_bytes as f64 / bandwidth as f64)
        });
        let candidate = Candidate {
            parameters,
            prediction,
            duration,
            key_duration,
            reading_duration,
            transfer_duration,
        };
        (candidate.prediction.duration(&cost, timed, threads), candidate)
    };
    let mut timed: Vec<_> = found.into_iter().map(candidate).collect();
    retain_within_memory(&mut timed, request, &mut refusals);
    if timed.is_empty() {
        return Err(nothing_found(request, refusals));
    }
    let candidates = best_first(timed, request.job.lookups);
    let values_assumed = request.limits.values.is_none();
    let lookups = request.job.lookups;
    Ok(Plan { values, values_assumed, threads, lookups, cost, candidates, refusals })
}

/// Sorts candidates, given the duration of a lookup with each. Engines are ordered by the time that a user waits with
/// their fastest candidate, and the candidates of an engine by their speed.
fn best_first(mut timed: Vec<(Duration, Candidate)>, lookups: u64) -> Vec<Candidate> {
    timed.sort_by_key(|&(time, _)| time);
    let way = |candidate: &Candidate| {
        (candidate.parameters.engine(), candidate.parameters.bridged().is_ok())
    };
    let mut waits: Vec<(_, f64)> = Vec::new();
    for (time, candidate) in &timed {
        if waits.iter().all(|&(known, _)| known != way(candidate)) {
            let lookups = time.as_secs_f64() * lookups as f64;
            waits.push((way(candidate), candidate.wait_for_keys() + lookups));
        }
    }
    waits.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    let rank = |candidate: &Candidate| waits.iter().position(|&(known, _)| known == way(candidate));
    timed.sort_by_key(|(_, candidate)| rank(candidate));
    timed.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Predicts a lookup in the request's tables. For single and leveled values, this is a lookup in one table, since most
/// of the work does not depend on the table.
fn prediction_of(parameters: &Parameters, request: &Request) -> Prediction {
    match parameters {
        Parameters::Packed(packed) => {
            packed.prediction_for(request.job.entries, request.job.tables)
        }
        _ => parameters.prediction(),
    }
}

/// Chooses the number of values by which candidates are compared if the request states none: the capacity of a packed
/// ciphertext if the packed engine has a candidate or lacks only memory. A memory limit thus decides which candidates
/// exist, but not the number of values by which they are compared.
fn assumed_values(request: &Request, found: &[Parameters], refusals: &[(Engine, Error)]) -> u64 {
    if request.limits.goal == Goal::Latency {
        return 1;
    }
    let lacks_memory =
        refusals.iter().any(|found| matches!(found, (Engine::Packed, Error::Memory { .. })));
    let packed = lacks_memory.then(|| candidates::packed_request(request).ok()).flatten();
    let packed = packed.map(|packed| packed.values_per_ciphertext() as u64);
    found.iter().map(most_values).chain(packed).max().unwrap_or(1)
}

fn most_values(parameters: &Parameters) -> u64 {
    parameters.prediction().values_per_ciphertext as u64
}

/// Drops candidates above the memory limit. An engine that loses all of them is listed among the refusals, with the
/// least memory that it needs.
fn retain_within_memory(
    candidates: &mut Vec<(Duration, Candidate)>,
    request: &Request,
    refusals: &mut Vec<(Engine, Error)>,
) {
    let Some(limit) = request.limits.memory else { return };
    for engine in Engine::ALL {
        let of_engine = candidates.iter().filter(|(_, c)| c.parameters.engine() == engine);
        let least = of_engine.map(|(_, c)| c.prediction.peak_bytes()).min();
        if let Some(needed) = least.filter(|&least| least > limit) {
            refusals.push((engine, Error::Memory { needed, limit }));
        }
    }
    candidates.retain(|(_, candidate)| candidate.prediction.peak_bytes() <= limit);
}

/// Returns the error for a request that no engine serves: the reason of the only engine asked, or the reasons of all.
fn nothing_found(request: &Request, mut refusals: Vec<(Engine, Error)>) -> Error {
    if refusals.len() == 1 {
        return refusals.swap_remove(0).1;
    }
    // If only memory is missing, the least that would suffice says more than a list.
    let needed = refusals.iter().filter_map(|(_, error)| match error {
        Error::Memory { needed, .. } => Some(*needed),
        _ => None,
    });
    if let (Some(needed), Some(limit)) = (needed.min(), request.limits.memory) {
        return Error::Memory { needed, limit };
    }
    let reasons: Vec<String> =
        refusals.iter().map(|(engine, error)| format!("{engine}: {error}")).collect();
    let (p, q) = (request.job.input_modulus, request.job.output_modulus);
    Error::Unsupported(format!("tables {p} -> {q}: {}", reasons.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request::new(256, 256).cost_model(CostModel::default()).threads(2)
    }

    #[test]
    fn a_memory_limit_does_not_change_how_many_values_are_compared() {
        let all = request().plan().unwrap();
        let few_bytes = request().memory(100_000_000).plan().unwrap();
        assert!(all.best_of(Engine::Packed).is_some());
        assert!(few_bytes.best_of(Engine::Packed).is_none());
        for plan in [&all, &few_bytes] {
            assert_eq!((plan.values(), plan.values_assumed()), (65_536, true));
            let said = "65536 values (assumed: `values` sets another number) on ";
            assert!(plan.to_string().contains(said), "{plan}");
        }
        let time = |plan: &Plan| plan.best_of(Engine::Leveled).unwrap().duration();
        assert_eq!(time(&few_bytes), time(&all));
    }

    #[test]
    fn keys_count_as_often_as_they_are_made() {
        let zen =
            |values: u64| request().threads(1).values(values).cost_model(CostModel::of_unit(58e-6));
        let best = |request: Request| request.plan().unwrap().best().parameters().engine();
        assert_eq!(best(zen(10)), Engine::Leveled);
        assert_eq!(best(zen(1024)), Engine::Packed);
        let plan = zen(10).plan().unwrap();
        let (lookups, packed) = plan.best_for_more_lookups().unwrap();
        assert_eq!(packed.parameters().engine(), Engine::Packed);
        assert!(
            plan.to_string().contains(&format!("is faster from {lookups} lookups with one key on"))
        );
        assert!(plan.to_string().lines().all(|line| line.chars().count() <= 100), "{plan}");
        assert_eq!(best(zen(10).lookups(lookups)), Engine::Packed);
        assert_eq!(best(zen(10).lookups(lookups - 1)), Engine::Leveled);
        assert!(zen(1024).plan().unwrap().best_for_more_lookups().is_none());
        // Only the keys decide between engines.
        let packed = |request: Request| request.engine(Engine::Packed).plan().unwrap();
        let digests = |plan: &Plan| {
            plan.candidates().iter().map(|c| c.parameters().digest()).collect::<Vec<_>>()
        };
        assert_eq!(digests(&packed(zen(200))), digests(&packed(zen(200).lookups(1000))));
        assert!(matches!(zen(1).lookups(0).plan(), Err(Error::TooSmall { value: 0, .. })));
    }

    #[test]
    fn keys_that_are_sent_count_the_bytes_of_their_files() {
        let zen = || request().values(1024).cost_model(CostModel::of_unit(58e-6));
        let plan = zen().bandwidth(1_000_000).plan().unwrap();
        for candidate in plan.candidates() {
            let seconds = candidate.transfer_duration().unwrap().as_secs_f64();
            let bytes = candidate.prediction().key_file_bytes as f64;
            assert!((seconds - bytes / 1e6).abs() < 1e-6, "{seconds} s for {bytes} bytes");
        }
        assert_eq!(plan.best().parameters().engine(), Engine::Leveled);
        assert!(plan.to_string().contains(" send "), "{plan}");
        assert!(plan.to_string().lines().all(|line| line.chars().count() <= 112), "{plan}");
        let plan = zen().plan().unwrap();
        assert_eq!(plan.best().parameters().engine(), Engine::Packed);
        assert!(plan.best().transfer_duration().is_none() && !plan.to_string().contains(" send "));
        assert!(matches!(zen().bandwidth(0).plan(), Err(Error::TooSmall { value: 0, .. })));
    }

    #[test]
    fn one_value_is_assumed_where_packed_ones_are_not_asked_for() {
        for request in [request().engine(Engine::Leveled), request().goal(Goal::Latency)] {
            let plan = request.plan().unwrap();
            assert_eq!((plan.values(), plan.values_assumed()), (1, true));
            let said = "1 value (assumed: `values` sets another number) on ";
            assert!(plan.to_string().contains(said), "{plan}");
        }
        let plan = request().engine(Engine::Leveled).values(7).plan().unwrap();
        assert_eq!((plan.values(), plan.values_assumed()), (7, false));
        assert!(!plan.to_string().contains("assumed"), "{plan}");
    }
}
