//! Wang, Wen, Li, Lu, Wei, Liu, Wang: Circuit Bootstrapping: Faster and Smaller (EUROCRYPT 2024, ePrint 2024/323): what
//! blind rotations by automorphisms take.

mod automorphism_sets;
mod rotation_counts;

pub use automorphism_sets::AutomorphismSet;
pub use rotation_counts::RotationCounts;
