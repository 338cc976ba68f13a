//! Choice of a parameter set for a circuit: plans for all sets, the fastest first, and why others have none.

use cryptable_bits::{NamedSet, Parameters};

use crate::circuit::Circuit;
use crate::schedule::{Plan, PlanError, PlanOptions};

/// A plan for a parameter set.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The set's name.
    pub name: &'static str,
    /// The parameter set that the plan is for.
    pub parameters: Parameters,
    /// The fastest schedule of the circuit for the set.
    pub plan: Plan,
}

impl Candidate {
    /// Predicted seconds on one thread: for `words` words, or per word of a full ciphertext.
    #[must_use]
    pub fn seconds(&self, words: Option<u64>) -> f64 {
        let at_once = self.plan.words() as u64;
        let batch = self.plan.seconds();
        words.map_or(batch / at_once as f64, |words| words.div_ceil(at_once) as f64 * batch)
    }
}

/// No parameter set can run a circuit: the reason for each set, and a failure probability that would allow one.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no parameter set can run the circuit: {}{}", reasons(.0), remedy(.0))]
pub struct Unplanned(pub Vec<(&'static str, PlanError)>);

fn reasons(refused: &[(&'static str, PlanError)]) -> String {
    let reason = |(name, error): &(&'static str, PlanError)| format!("{name}: {error}");
    refused.iter().map(reason).collect::<Vec<_>>().join("; ")
}

/// Names the least failure probability that a set reached.
fn remedy(refused: &[(&'static str, PlanError)]) -> String {
    let reached = refused.iter().filter_map(|(name, error)| match error {
        PlanError::Failure { found, .. } => Some((found.log2(), name)),
        _ => None,
    });
    let least = reached.min_by(|a, b| a.0.total_cmp(&b.0));
    let shown = least.map(|(log2, name)| {
        format!("; a failure probability of 2^{} would allow {name}", log2.ceil())
    });
    shown.unwrap_or_default()
}

/// Plans for several sets.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// Plans, the fastest for the number of words first.
    pub found: Vec<Candidate>,
    /// Sets without a plan, with the reason.
    pub refused: Vec<(&'static str, PlanError)>,
}

impl Candidates {
    /// Returns the fastest candidate.
    ///
    /// # Errors
    /// If there is none, with the reason for each set.
    pub fn best(&self) -> Result<&Candidate, Unplanned> {
        self.found.first().ok_or_else(|| Unplanned(self.refused.clone()))
    }

    /// Plans circuits that compute the same ([`crate::named::NamedCircuit::variants`], or one) for each of some sets,
    /// and orders the plans by predicted time for `words` words or, without a number, per word of many.
    ///
    /// # Panics
    /// If there is no circuit.
    #[must_use]
    pub fn new(
        circuits: &[Circuit],
        sets: impl IntoIterator<Item = (&'static str, Parameters)>,
        words: Option<u64>,
        options: &PlanOptions,
    ) -> Self {
        let mut all = Self { found: Vec::new(), refused: Vec::new() };
        for (name, parameters) in sets {
            match Plan::cheapest(circuits, &parameters, options) {
                Ok(plan) => all.found.push(Candidate { name, parameters, plan }),
                Err(error) => all.refused.push((name, error)),
            }
        }
        all.found.sort_by(|a, b| a.seconds(words).total_cmp(&b.seconds(words)));
        all
    }

    /// Plans for all named sets that serve this number of words.
    ///
    /// ```
    /// use cryptable_circuits::{Candidates, PlanOptions, named::NamedCircuit};
    /// let options = PlanOptions { memory_limit: Some(2 << 30), ..PlanOptions::default() };
    /// let candidates = Candidates::of_all_sets(&NamedCircuit::Compare32.variants(), None, &options)?;
    /// for candidate in &candidates.found {
    ///     println!("{}: {:.2} ms a word", candidate.name, 1e3 * candidate.seconds(None));
    /// }
    /// let (name, reason) = &candidates.refused[0];
    /// assert_eq!(*name, "balanced");
    /// assert!(reason.to_string().contains("bytes of memory, above the limit of 2147483648"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Never for the named sets.
    ///
    /// # Panics
    /// If there is no circuit.
    pub fn of_all_sets(
        circuits: &[Circuit],
        words: Option<u64>,
        options: &PlanOptions,
    ) -> cryptable_lattice::Result<Self> {
        let sets = NamedSet::serving(words).map(|set| Ok((set.name(), set.parameters()?)));
        let sets = sets.collect::<cryptable_lattice::Result<Vec<_>>>()?;
        Ok(Self::new(circuits, sets, words, options))
    }
}
