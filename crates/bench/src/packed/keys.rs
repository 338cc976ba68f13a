//! Keys of packed values, and what they took.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use cryptable::engines::packed::{EvaluationKey, Parameters, Progress, Result, SecretKey};

/// Client and server of one parameter set.
pub struct Keys {
    pub secret: SecretKey,
    pub evaluation_key: EvaluationKey,
    /// Seconds of their generation.
    pub keygen_s: f64,
    /// Seconds of what the server makes of them.
    pub setup_s: f64,
}

impl Keys {
    /// Generates keys.
    ///
    /// # Errors
    /// Never: nobody cancels.
    pub fn generate(parameters: &Parameters) -> Result<Self> {
        let start = Instant::now();
        let secret = SecretKey::generate(parameters);
        // The last report comes when all keys are there; matrices are encoded after it.
        let generated = Mutex::new(start);
        let mark = |_, _| {
            *generated.lock().expect("no panic under lock") = Instant::now();
            ControlFlow::Continue(())
        };
        let evaluation_key = secret.evaluation_key(Progress::new(&mark))?;
        let generated = generated.into_inner().expect("no panic under lock");
        let keygen_s = (generated - start).as_secs_f64();
        Ok(Self { secret, evaluation_key, keygen_s, setup_s: generated.elapsed().as_secs_f64() })
    }
}
