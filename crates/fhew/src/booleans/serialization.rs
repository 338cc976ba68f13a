//! Keys for Boolean gates as bytes, in the wire format.

use cryptable_lattice::switching_key::SharedBytes;
use cryptable_lattice::{ReadOptions, Result};
use cryptable_wire::ObjectType;

use super::{EvaluationKey, Parameters};
use crate::keys::files::key_files;

key_files!(secret: ObjectType::BooleanSecretKey, evaluation: ObjectType::BooleanEvaluationKey);
