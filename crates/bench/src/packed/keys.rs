//! Keys of packed values, and the time that they took.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Instant;

use cryptable::engines::packed::{
    Ciphertext, EvaluationKey, Parameters, Progress, Result, SecretKey,
};

/// Client and server of one parameter set.
pub struct Keys {
    pub secret: SecretKey,
    pub evaluation_key: EvaluationKey,
    /// Seconds to generate the keys.
    pub keygen_s: f64,
    /// Seconds that the server takes to prepare them.
    pub setup_s: f64,
}

impl Keys {
    /// Generates keys.
    pub fn generate(parameters: &Parameters) -> Result<Self> {
        let start = Instant::now();
        let secret = SecretKey::generate(parameters);
        // The last progress report comes when all keys are generated; matrices are encoded after it.
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

    /// Encrypts values in one ciphertext, or in `parts` ciphertexts with about equal numbers of digits of a multiplexer tree.
    pub fn encrypt_in_parts(
        &self,
        values: &[u64],
        parts: usize,
    ) -> anyhow::Result<Vec<Ciphertext>> {
        let key = &self.secret;
        if parts == 1 {
            return Ok(vec![key.encrypt(values)?]);
        }
        let tree = key.parameters().literal().multiplexer.as_ref();
        let digits = tree.map_or(&[][..], |tree| &tree.digits);
        let found = digits.len();
        anyhow::ensure!(parts <= found, "--parts {parts}: the parameters have {found} digits");
        let mut place = 1;
        let part = |index: usize| {
            let digits = &digits[found * index / parts..found * (index + 1) / parts];
            let modulus = digits.iter().product::<u64>();
            let values: Vec<u64> = values.iter().map(|value| value / place % modulus).collect();
            place *= modulus;
            Ok(key.encrypt_digits(&values, modulus)?)
        };
        (0..parts).map(part).collect()
    }
}
