//! Wang, Wen, Li, Lu, Wei, Liu, Wang: Circuit Bootstrapping: Faster and Smaller (EUROCRYPT 2024, ePrint 2024/323): costs of
//! blind rotations by automorphisms, parameter sets as printed, and running times.

mod automorphism_sets;
mod circuit_bootstrapping_sets;
pub mod published_times;
mod rotation_counts;

pub use automorphism_sets::AutomorphismSet;
pub use circuit_bootstrapping_sets::{
    PUBLISHED_AUTO_SETS, PUBLISHED_CMUX_SETS, PublishedAutoSet, PublishedCmuxSet,
    insecure_auto_set, insecure_cmux_set,
};
pub use rotation_counts::RotationCounts;
