//! Parameter sets by name, and plans on them.

use std::fmt;

use anyhow::Result;
use clap::ValueEnum;
use cryptable::circuits::{Circuit, Packing, Parameters, Plan, PlanError, PlanOptions};
use cryptable::{CostModel, FailureProbability};

use crate::args::circuit::{ScheduleArgs, SetArg};

/// The parameters of a set; toy ones where the tests of this program want them.
///
/// # Errors
/// Never for sets that ship.
pub fn parameters(set: Option<SetArg>) -> Result<Parameters> {
    Ok(match set {
        None => Parameters::insecure_toy(Packing::Real)?,
        Some(SetArg::Latency) => Parameters::latency_128(Packing::Real)?,
        Some(SetArg::Functions) => Parameters::functions_128(Packing::Complex)?,
        Some(SetArg::Balanced) => Parameters::balanced_128()?,
        Some(SetArg::Throughput) => Parameters::throughput_128()?,
    })
}

/// Which sets come into question.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// All of them.
    Any,
    /// One.
    Only(SetArg),
    /// None but toy parameters.
    InsecureToy,
}

impl Choice {
    /// From options.
    pub fn of(set: Option<SetArg>, insecure_toy: bool) -> Self {
        match set {
            _ if insecure_toy => Self::InsecureToy,
            Some(set) => Self::Only(set),
            None => Self::Any,
        }
    }

    fn sets(self) -> Vec<Option<SetArg>> {
        match self {
            Self::Any => SetArg::value_variants().iter().copied().map(Some).collect(),
            Self::Only(set) => vec![Some(set)],
            Self::InsecureToy => vec![None],
        }
    }
}

/// A plan on a parameter set.
pub struct Candidate {
    /// The set's name.
    pub name: &'static str,
    /// The parameters.
    pub parameters: Parameters,
    /// The plan.
    pub plan: Plan,
    /// Predicted seconds of one batch on one thread.
    pub batch_s: f64,
}

impl Candidate {
    /// Predicted seconds on one thread: of so many words, or of one of a full batch.
    pub fn seconds(&self, words: Option<u64>) -> f64 {
        let at_once = self.plan.words() as u64;
        words.map_or(self.batch_s / at_once as f64, |words| {
            words.div_ceil(at_once) as f64 * self.batch_s
        })
    }
}

/// Plans of a circuit, the fastest first, and sets that have none.
pub struct Candidates {
    /// At least one.
    pub found: Vec<Candidate>,
    /// Sets and why.
    pub refused: Vec<(&'static str, PlanError)>,
}

impl Candidates {
    /// Plans a circuit on every set in question.
    ///
    /// # Errors
    /// If no set has a plan: the reasons of all.
    pub fn new(
        circuit: &Circuit,
        choice: Choice,
        words: Option<u64>,
        schedule: ScheduleArgs,
    ) -> Result<Self> {
        let options = options(schedule);
        let (mut found, mut refused) = (Vec::new(), Vec::new());
        for set in choice.sets() {
            let parameters = parameters(set)?;
            let name = set.map_or("insecure toy", name);
            match Plan::new(circuit, &parameters, &options) {
                Ok(plan) => {
                    let batch_s = options.cost.seconds(&plan.work());
                    found.push(Candidate { name, parameters, plan, batch_s });
                }
                Err(error) => refused.push((name, error)),
            }
        }
        found.sort_by(|a, b| a.seconds(words).total_cmp(&b.seconds(words)));
        let all = Self { found, refused };
        anyhow::ensure!(
            !all.found.is_empty(),
            "no parameter set runs it: {}",
            Refusals(&all.refused)
        );
        Ok(all)
    }

    /// The fastest.
    #[cfg(feature = "client")]
    pub fn into_best(self) -> Candidate {
        self.found.into_iter().next().expect("at least one")
    }
}

/// The name that the option takes.
fn name(set: SetArg) -> &'static str {
    match set {
        SetArg::Latency => "latency",
        SetArg::Functions => "functions",
        SetArg::Balanced => "balanced",
        SetArg::Throughput => "throughput",
    }
}

/// What plans are to keep to.
pub fn options(schedule: ScheduleArgs) -> PlanOptions {
    PlanOptions {
        parallel: usize::from(schedule.parallel),
        memory_limit: schedule.memory,
        failure_limit: schedule.log2_fail.map(FailureProbability::from_log2),
        cost: CostModel::calibrated(),
    }
}

struct Refusals<'a>(&'a [(&'static str, PlanError)]);

impl fmt::Display for Refusals<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, error)) in self.0.iter().enumerate() {
            write!(f, "{}{name}: {error}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}
