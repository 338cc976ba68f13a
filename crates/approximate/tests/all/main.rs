//! Tests of CKKS bootstrapping and tables in slots, in one program, which is linked once.

mod bootstrapping;
mod files;
mod known_answers;
mod levels_toy;
mod lookup_plans;
mod lookups;
mod packed_integers;
mod public_keys;
mod smooth_functions;
