//! The client's key of every face: parameters, secrets, and the binding of everything encrypted under them.

use std::io::Write;

use cryptable_lattice::{Binding, Progress, ReadOptions, Result, bound_key};
use cryptable_ring::clear_stack;
use cryptable_wire::{secret_key_bytes, write_server_keys};
use zeroize::Zeroizing;

use crate::keys::secret_key::SecretKey;
use crate::keys::server_key::{BootstrappingParameters, ServerKey};

/// Longest body of a secret key, 1 MiB.
const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

/// The secret key of one client. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct ClientKey<P> {
    parameters: P,
    secret: SecretKey,
    binding: Binding,
}

impl<P: BootstrappingParameters> ClientKey<P> {
    bound_key!(P, id);

    /// Draws fresh secrets from the operating system's randomness.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn generate(parameters: &P) -> Self {
        Self::from_secret(parameters.clone(), SecretKey::generate(parameters.fhew()))
    }

    fn from_secret(parameters: P, secret: SecretKey) -> Self {
        let (parameter_digest, key_id) = (parameters.digest(), secret.id(P::IDENTIFIER));
        Self { parameters, secret, binding: Binding { parameter_digest, key_id } }
    }

    /// Returns the secrets of LWE and rings, for keys and methods beyond this face. Keep them secret.
    #[must_use]
    pub fn fhew(&self) -> &SecretKey {
        &self.secret
    }

    /// Generates an evaluation key for a server in the same process. `progress` counts two steps: generation, and
    /// expansion of the masks.
    ///
    /// # Errors
    /// If `progress` asks to stop.
    pub fn evaluation_key(&self, progress: Progress<'_>) -> Result<ServerKey<P>> {
        let steps = progress.steps(2)?;
        let key = self.secret.evaluation_key();
        steps.done()?;
        let key = ServerKey::expand(self.parameters.clone(), self.id(), &key)?;
        steps.done()?;
        Ok(key)
    }

    /// Generates an evaluation key and writes it in its wire format, with a seed instead of masks: less than half of its
    /// size in memory. `progress` counts two steps: generation, and writing.
    ///
    /// # Errors
    /// If writing fails, or `progress` asks to stop.
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        let steps = progress.steps(2)?;
        let keys = self.secret.evaluation_key().to_bytes();
        steps.done()?;
        let digest = &self.binding.parameter_digest;
        let parameters = self.parameters.to_bytes();
        write_server_keys(out, P::EVALUATION_KEY, digest, &parameters, self.id(), &keys)?;
        steps.done()
    }

    /// Returns the key in its wire format: parameters, then two bits per coefficient of every secret.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let digest = &self.binding.parameter_digest;
        let parameters = self.parameters.to_bytes();
        let length = self.secret.coefficient_bytes();
        let bytes = secret_key_bytes(P::SECRET_KEY, digest, &parameters, length, |writer| {
            self.secret.write_coefficients(writer)
        });
        clear_stack();
        bytes
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key of this kind, or its parameters are insecure and the options
    /// do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, mut reader) =
            P::open(bytes, P::SECRET_KEY, MAX_SECRET_KEY_BYTES, options)?;
        let secret = SecretKey::read_coefficients(parameters.fhew(), &mut reader)?;
        reader.finish()?;
        Ok(Self::from_secret(parameters, secret))
    }
}
