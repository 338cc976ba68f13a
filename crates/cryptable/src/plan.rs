//! The planner for lookups: compares candidates of all engines.

mod display;

use std::time::Duration;

use cryptable_lattice::cost::CostModel;

use crate::engines::packed::EntryKind;
use crate::engines::{bridged, leveled, packed, single};
use crate::request::{Goal, Lookups};
use crate::{Engine, Error, Parameters, Prediction, Request, Result};

/// Largest input modulus for which single values are considered. No larger one is served, and the search takes a while.
const MAX_SINGLE_MODULUS: u64 = 1 << 6;

/// One way to serve a request: parameters, and what a lookup with them is predicted to need.
#[derive(Clone, Debug)]
pub struct Candidate {
    parameters: Parameters,
    prediction: Prediction,
    duration: Duration,
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

    /// Returns the predicted time for all values of the request, on its number of threads.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.duration
    }
}

impl AsRef<Parameters> for Candidate {
    fn as_ref(&self) -> &Parameters {
        &self.parameters
    }
}

/// All ways to serve a request, best first, as returned by [`Request::plan`]. Its `Display` is a table with one line
/// per candidate.
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
    /// Returns `None` if one of the two ways was not asked for or has no candidate, or if packing is not faster even
    /// for a full ciphertext.
    #[must_use]
    pub fn crossing(&self) -> Option<u64> {
        let bridged = self.candidates.iter().find_map(|c| c.parameters.bridged().ok())?;
        let single =
            self.candidates.iter().find(|c| matches!(c.parameters, Parameters::Single(_)))?;
        bridged.crossing_against(&self.cost, &single.prediction)
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

/// Asks every engine that the request allows.
fn plan(request: &Request) -> Result<Plan> {
    let asked = [
        ("number of values", request.limits.values),
        ("number of threads", request.limits.threads.map(|threads| threads as u64)),
    ];
    if let Some((name, _)) = asked.into_iter().find(|(_, value)| *value == Some(0)) {
        return Err(Error::TooSmall { name, value: 0, limit: 1 });
    }
    let cost = request.limits.cost();
    let threads = request.limits.threads();
    let (mut found, mut refusals) = (Vec::new(), Vec::new());
    for way in ways(request)? {
        match candidates(way, request) {
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
        (prediction.duration(&cost, timed, threads), Candidate { parameters, prediction, duration })
    };
    let mut timed: Vec<_> = found.into_iter().map(candidate).collect();
    retain_within_memory(&mut timed, request, &mut refusals);
    if timed.is_empty() {
        return Err(nothing_found(request, refusals));
    }
    timed.sort_by_key(|&(time, _)| time);
    let candidates = timed.into_iter().map(|(_, candidate)| candidate).collect();
    let values_assumed = request.limits.values.is_none();
    Ok(Plan { values, values_assumed, threads, cost, candidates, refusals })
}

/// A way to look values up.
#[derive(Clone, Copy)]
enum Way {
    /// By the engine that encrypts the values.
    Same(Engine),
    /// By the packed engine, after the server has packed values that were encrypted one by one.
    Bridged,
}

impl Way {
    /// Returns the engine that looks values up.
    fn engine(self) -> Engine {
        match self {
            Self::Same(engine) => engine,
            Self::Bridged => Engine::Packed,
        }
    }
}

/// Returns the ways that a request allows.
///
/// # Errors
/// If the request's engine never looks up values of the engine that encrypts them.
fn ways(request: &Request) -> Result<Vec<Way>> {
    let Lookups { mut engine, inputs, .. } = request.job;
    if has_chains(request) {
        let asked = *engine.get_or_insert(Engine::Leveled);
        if asked != Engine::Leveled {
            let what =
                format!("automata and chains of CMUXes with the engine {asked}: leveled has them");
            return Err(Error::Unsupported(what));
        }
    }
    let all = match inputs {
        None => Engine::ALL.map(Way::Same).to_vec(),
        Some(Engine::Single) => vec![Way::Same(Engine::Single), Way::Bridged],
        Some(encrypting) => vec![Way::Same(encrypting)],
    };
    let open: Vec<Way> =
        all.into_iter().filter(|way| engine.is_none_or(|e| e == way.engine())).collect();
    match (open.is_empty(), engine, inputs) {
        (true, Some(engine), Some(inputs)) => Err(Error::Unsupported(format!(
            "lookups by the engine {engine} of values of the engine {inputs}"
        ))),
        _ => Ok(open),
    }
}

/// Returns whether words or chains are asked for.
fn has_chains(request: &Request) -> bool {
    request.job.word_length > 0 || request.job.chain > 0
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

/// Chooses the number of values by which ways are compared if the request states none: the capacity of a packed
/// ciphertext if the packed engine is among the ways, or is missing only for lack of memory. A memory limit thus
/// decides which ways there are, and not for how many values they are compared.
fn assumed_values(request: &Request, found: &[Parameters], refusals: &[(Engine, Error)]) -> u64 {
    if request.limits.goal == Goal::Latency {
        return 1;
    }
    let lacks_memory =
        refusals.iter().any(|found| matches!(found, (Engine::Packed, Error::Memory { .. })));
    let packed = lacks_memory.then(|| packed_request(request).ok()).flatten();
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

/// Returns the parameters of one way. The request may name a method as in options, or in full as plans show it.
fn candidates(way: Way, request: &Request) -> Result<Vec<Parameters>> {
    let found = all_candidates(way, request);
    let (Some(name), Err(error)) = (&request.job.method, &found) else { return found };
    // Other errors are about something else than the name.
    if !matches!(error, Error::Unsupported(_)) {
        return found;
    }
    let mut any_method = request.clone();
    any_method.job.method = None;
    let Ok(mut named) = all_candidates(way, &any_method) else { return found };
    named.retain(|parameters| parameters.method_name().eq_ignore_ascii_case(name));
    if named.is_empty() { found } else { Ok(named) }
}

fn all_candidates(way: Way, request: &Request) -> Result<Vec<Parameters>> {
    fn all<P: Into<Parameters>>(found: Vec<P>) -> Vec<Parameters> {
        found.into_iter().map(Into::into).collect()
    }
    if request.limits.insecure_toy {
        return Ok(vec![toy(way, request)?]);
    }
    Ok(match way {
        Way::Same(Engine::Packed) => {
            all(packed::Parameters::candidates(&packed_request(request)?)?)
        }
        Way::Same(Engine::Single) => {
            let mut found = single::Parameters::candidates(&single_request(request)?)?;
            retain_lookups_in_a_row(&mut found, request.job.lookups_in_a_row)?;
            all(found)
        }
        Way::Same(Engine::Leveled) => {
            all(leveled::Parameters::candidates(&leveled_request(request)?)?)
        }
        Way::Bridged if request.job.complex_outputs => {
            return Err(unserved_complex("of single values"));
        }
        Way::Bridged if request.job.entries != EntryKind::Shared => {
            return Err(unserved_entries("of single values", request.job.entries));
        }
        Way::Bridged => all(bridged::Parameters::candidates(&packed_request(request)?)?),
    })
}

/// Returns the toy parameters of a way, for tests.
fn toy(way: Way, request: &Request) -> Result<Parameters> {
    let Lookups { input_modulus, output_modulus, .. } = request.job;
    match way {
        Way::Same(Engine::Leveled) if has_chains(request) => {
            Ok(leveled::Parameters::insecure_toy_for(&leveled_request(request)?)?.into())
        }
        Way::Same(engine) => Parameters::insecure_toy(engine, input_modulus, output_modulus),
        Way::Bridged => {
            Ok(bridged::Parameters::insecure_toy(input_modulus, output_modulus)?.into())
        }
    }
}

/// Retains the parameters of single values that allow `wanted` lookups in a row.
fn retain_lookups_in_a_row(found: &mut Vec<single::Parameters>, wanted: u32) -> Result<()> {
    let count = |parameters: &single::Parameters| {
        parameters.sum_limits().lookups_in_a_row.unwrap_or(u32::MAX)
    };
    let most = found.iter().map(count).max().unwrap_or(u32::MAX);
    if most < wanted {
        let (name, value) = ("number of lookups in a row", wanted.into());
        return Err(Error::TooLarge { name, value, limit: most.into() });
    }
    found.retain(|parameters| count(parameters) >= wanted);
    Ok(())
}

fn packed_request(request: &Request) -> Result<packed::Request> {
    let method = request.job.method.as_deref().map(packed::Method::parse_with_order).transpose()?;
    Ok(packed::Request {
        ring_degree: request.job.ring_degree,
        count: request.limits.count().map(|count| count.min(1 << 17)),
        method: method.map(|(method, _)| method),
        order: method.and_then(|(_, order)| order),
        lookups_in_a_row: request.job.lookups_in_a_row,
        digit_bits: request.job.digit_bits,
        memory: request.limits.memory,
        tables: request.job.tables,
        log2_fail: request.limits.log2_fail,
        entries: request.job.entries,
        complex_outputs: request.job.complex_outputs,
        ..packed::Request::new(request.job.input_modulus, request.job.output_modulus)
    })
}

fn single_request(request: &Request) -> Result<single::Request> {
    refuse_packed_options(Engine::Single, request)?;
    if request.job.input_modulus > MAX_SINGLE_MODULUS {
        let value = request.job.input_modulus;
        let name = "input modulus of single values";
        return Err(Error::TooLarge { name, value, limit: MAX_SINGLE_MODULUS });
    }
    Ok(single::Request {
        method: request.job.method.clone(),
        log2_fail: request.limits.log2_fail,
        ..single::Request::new(request.job.input_modulus, request.job.output_modulus)
    })
}

fn leveled_request(request: &Request) -> Result<leveled::Request> {
    if request.job.lookups_in_a_row > 1 {
        let what = "lookups of results with the engine leveled: its inputs are other ciphertexts";
        return Err(Error::Unsupported(what.into()));
    }
    refuse_packed_options(Engine::Leveled, request)?;
    let method = request.job.method.as_deref().map(str::parse).transpose()?;
    Ok(leveled::Request {
        method,
        log2_fail: request.limits.log2_fail,
        word_length: request.job.word_length,
        chain: request.job.chain,
        ..leveled::Request::new(request.job.input_modulus, request.job.output_modulus)
    })
}

/// Refuses options that only the packed engine has. The other engines have one ring degree and no tree digits.
fn refuse_packed_options(engine: Engine, request: &Request) -> Result<()> {
    if request.job.entries != EntryKind::Shared {
        return Err(unserved_entries(&format!("with the engine {engine}"), request.job.entries));
    }
    if request.job.complex_outputs {
        return Err(unserved_complex(&format!("with the engine {engine}")));
    }
    let option = match (request.job.ring_degree, request.job.digit_bits) {
        (Some(_), _) => "a ring degree of one's choice",
        (None, Some(_)) => "a digit width of one's choice",
        (None, None) => return Ok(()),
    };
    Err(Error::Unsupported(format!("{option} with the engine {engine}: it is for packed values")))
}

/// Returns the error for a kind of entries that only the packed engine has.
fn unserved_entries(place: &str, entries: EntryKind) -> Error {
    Error::Unsupported(format!("{entries} {place}: that is for packed values"))
}

/// Returns the error for complex outputs, which only the packed engine has.
fn unserved_complex(place: &str) -> Error {
    Error::Unsupported(format!("complex outputs {place}: that is for packed values"))
}

/// Returns the error for a request that no engine serves: the reason of the only engine asked, or the reasons of all.
fn nothing_found(request: &Request, mut refusals: Vec<(Engine, Error)>) -> Error {
    if refusals.len() == 1 {
        return refusals.swap_remove(0).1;
    }
    // If only memory is missing, the least that is needed says more than a list.
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
