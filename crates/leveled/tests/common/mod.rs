//! Helpers for tests of circuit bootstrapping.
#![allow(dead_code, reason = "each test binary uses its part")]

use cryptable_fhew::keys::{EvaluationKey, SecretKey};
use cryptable_leveled::bootstrapping::CircuitBootstrapping;
use cryptable_leveled::parameters::CircuitBootstrappingParameters;

/// A client and a server.
pub struct Setting {
    pub parameters: CircuitBootstrappingParameters,
    pub secret: SecretKey,
    pub key: EvaluationKey,
}

impl Setting {
    pub fn new(parameters: CircuitBootstrappingParameters) -> Self {
        let secret = SecretKey::generate(parameters.fhew());
        let key = EvaluationKey::expand(&secret.evaluation_key());
        Self { parameters, secret, key }
    }

    pub fn circuit(&self) -> CircuitBootstrapping<'_> {
        CircuitBootstrapping::new(&self.parameters, &self.key)
    }
}
