//! Encrypted vectors of real and complex numbers, for `cryptable/ckks.py`.

mod clear_numbers;
mod functions;
mod parameter_set;
mod parameters;
mod public_key;
mod secret_key;
mod server;
mod shared_secret;
mod vector;

pub(crate) use functions::{LeveledTable, LinearMap, Polynomial, SlotTable, SmoothFunction};
pub(crate) use parameters::{LookupCandidate, LookupPlan, Parameters, plan_lookups};
pub(crate) use public_key::PublicKey;
pub(crate) use secret_key::SecretKey;
pub(crate) use server::{EvaluationKey, PreparedMap};
pub(crate) use shared_secret::SharedSecret;
pub(crate) use vector::{Vector, restore_vector};
