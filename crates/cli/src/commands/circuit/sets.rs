//! Parameter sets by name, and plans on them.

use std::fmt;

#[cfg(feature = "client")]
use anyhow::Context;
use anyhow::{Result, ensure};
use cryptable::bits::{NamedSet, Packing, Parameters};
#[cfg(feature = "client")]
use cryptable::circuits::Candidate;
use cryptable::circuits::{Candidates, Circuit, InputLevels, InputSupply, PlanError, PlanOptions};
use cryptable::{CostModel, FailureProbability};

use crate::args::circuit::ScheduleArgs;

/// The parameters of a set; toy ones where the tests of this program want them.
///
/// # Errors
/// Never for sets that ship.
pub fn parameters(set: Option<NamedSet>) -> Result<Parameters> {
    Ok(match set {
        None => Parameters::insecure_toy(Packing::Real)?,
        Some(set) => set.parameters()?,
    })
}

/// Which sets come into question.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// All of them.
    Any,
    /// One.
    Only(NamedSet),
    /// None but toy parameters.
    InsecureToy,
}

impl Choice {
    /// From options.
    pub fn of(set: Option<NamedSet>, insecure_toy: bool) -> Self {
        match set {
            _ if insecure_toy => Self::InsecureToy,
            Some(set) => Self::Only(set),
            None => Self::Any,
        }
    }

    /// Names and parameters.
    fn sets(self) -> Result<Vec<(&'static str, Parameters)>> {
        let named = |set: &NamedSet| Ok((set.name(), set.parameters()?));
        match self {
            Self::Any => NamedSet::ALL.iter().map(named).collect(),
            Self::Only(set) => Ok(vec![named(&set)?]),
            Self::InsecureToy => Ok(vec![("insecure toy", parameters(None)?)]),
        }
    }
}

/// Plans a circuit, in all its forms, on every set in question.
///
/// # Errors
/// If no set has a plan: the reasons of all.
pub fn candidates(
    circuits: &[Circuit],
    choice: Choice,
    words: Option<u64>,
    options: &PlanOptions,
) -> Result<Candidates> {
    let all = Candidates::new(circuits, choice.sets()?, words, options);
    ensure!(
        !all.found.is_empty(),
        "no parameter set runs it: {}{}",
        Refusals(&all.refused),
        remedies(&all.refused, choice)
    );
    Ok(all)
}

/// What else may be asked for: the failure probability that a set reached, and the other sets.
fn remedies(refused: &[(&'static str, PlanError)], choice: Choice) -> String {
    let reached = refused.iter().filter_map(|(name, error)| match error {
        PlanError::Failure { found, .. } => Some((found.log2(), name)),
        _ => None,
    });
    let least = reached.min_by(|a, b| a.0.total_cmp(&b.0));
    let lower = least.map(|(log2, name)| format!("; --log2-fail {} admits {name}", log2.ceil()));
    let others = matches!(choice, Choice::Only(_)).then_some("; without --set, all sets are tried");
    lower.unwrap_or_default() + others.unwrap_or_default()
}

/// The fastest plan.
///
/// # Errors
/// As [`candidates`].
#[cfg(feature = "client")]
pub fn best(
    circuits: &[Circuit],
    choice: Choice,
    words: Option<u64>,
    options: &PlanOptions,
) -> Result<Candidate> {
    let found = candidates(circuits, choice, words, options)?.found;
    found.into_iter().next().context("at least one is found")
}

/// What plans are to keep to.
pub fn options(schedule: ScheduleArgs) -> PlanOptions {
    PlanOptions {
        parallel: usize::from(schedule.parallel),
        memory_limit: schedule.memory,
        failure_limit: Some(FailureProbability::from_log2(schedule.log2_fail)),
        inputs: InputLevels::Needed,
        // Bits are read from their file, or encrypted, when they are needed.
        supply: InputSupply::WhenNeeded,
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
