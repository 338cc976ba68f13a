//! Why there are no steps.

use crate::schedule::plan::PlanError;

/// Why a placement is not turned into steps.
#[derive(Debug)]
pub(in crate::schedule) enum NotEmitted {
    /// It takes more bootstraps than another plan.
    TooDear,
    /// It does not hold.
    Error(PlanError),
}

impl From<PlanError> for NotEmitted {
    fn from(error: PlanError) -> Self {
        Self::Error(error)
    }
}
