//! From packed results to single values and back, for `cryptable/bridges.py`.

mod keys;
mod plan;
mod values;

pub(crate) use keys::{EvaluationKeys, SecretKeys};
pub(crate) use plan::{BridgePlan, plan_bridge};
pub(crate) use values::{Integers, LeveledValues, SmallValues};
