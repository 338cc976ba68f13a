//! Why there are no steps.

use crate::schedule::plan::PlanError;

/// Why a placement is not turned into steps.
#[derive(Debug)]
pub(in crate::schedule) enum NotEmitted {
    /// The plan takes more bootstraps than another one.
    TooDear,
    /// The plan violates a limit.
    Error(PlanError),
}

impl From<PlanError> for NotEmitted {
    fn from(error: PlanError) -> Self {
        Self::Error(error)
    }
}
