//! The client's key for engines that compute in one ring: a ternary secret, its file, and the switching keys made from
//! it.

use std::io::{self, Write};
use std::sync::Arc;

use cryptable_ring::random::Seed;
use cryptable_ring::{Ring, clear_stack};
use cryptable_wire::{
    BodyWriter, CHECKSUM_BYTES, HEADER_BYTES, KeyId, ObjectType, ObjectWriter, WireError,
    pack_ternary, secret_key_bytes, unpack_ternary,
};
use zeroize::Zeroizing;

use crate::binding::Binding;
use crate::block_secret::BlockSecretShape;
use crate::error::Result;
use crate::evaluation_keys::{EvaluationKeys, KeyRequest};
use crate::key_generation::{EphemeralSecrets, generate_stored_keys, generate_switching_keys};
use crate::progress::Progress;
use crate::result_key::{ResultKey, ResultKeyShape};
use crate::ring_evaluation_key::{RingEvaluationKey, RingEvaluationParameters, RingParameters};
use crate::secret::TernarySecret;
use crate::trust::ReadOptions;

/// The longest body of a secret key, 1 MiB.
const MAX_SECRET_KEY_BYTES: u64 = 1 << 20;

/// Parameters of an engine whose client has one ternary secret.
pub trait RingSecretParameters: RingParameters + Clone {
    /// The type of the files of secret keys.
    const SECRET_KEY: ObjectType;
    /// The domain in which identifiers of secret keys are hashed.
    const IDENTIFIER: &'static str;

    /// Returns the Hamming weight of the ephemeral sparse secret of bootstraps.
    fn sparse_weight(&self) -> u32;

    /// Returns the shape of the block secret, if phases are exponentiated under one.
    fn block_secret(&self) -> Option<BlockSecretShape> {
        None
    }

    /// Returns the bytes whose hash identifies a secret.
    fn identified_bytes(&self, secret: &TernarySecret) -> Zeroizing<Vec<u8>> {
        pack_ternary(secret.coefficients())
    }
}

/// Returns a secret key in its wire format: parameters, followed by two bits per coefficient.
#[must_use]
pub fn secret_key_file<P: RingSecretParameters>(
    parameters: &P,
    secret: &TernarySecret,
) -> Zeroizing<Vec<u8>> {
    let packed = pack_ternary(secret.coefficients());
    let (digest, literal) = (parameters.digest(), parameters.to_bytes());
    let length = 8 + packed.len();
    let bytes =
        secret_key_bytes(P::SECRET_KEY, &digest, &literal, length, |writer| writer.bytes(&packed));
    clear_stack();
    bytes
}

/// The secret key of one client: a uniform ternary polynomial. Zeroized on drop, redacted in Debug, not `Clone`.
#[derive(Debug)]
pub struct RingSecretKey<P> {
    parameters: P,
    ring: Arc<Ring>,
    secret: TernarySecret,
    binding: Binding,
}

impl<P: RingSecretParameters> RingSecretKey<P> {
    crate::bound_key!(P, id);

    /// Draws a fresh secret.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    #[must_use]
    pub fn generate(parameters: &P) -> Self {
        let ring = parameters.ring();
        let secret = TernarySecret::uniform(ring.degree());
        Self::new(parameters.clone(), ring, secret)
    }

    /// Returns the key for a secret that another key of the client has, too.
    #[must_use]
    pub fn from_secret(parameters: P, secret: TernarySecret) -> Self {
        let ring = parameters.ring();
        Self::new(parameters, ring, secret)
    }

    fn new(parameters: P, ring: Arc<Ring>, secret: TernarySecret) -> Self {
        let bytes = parameters.identified_bytes(&secret);
        let key_id = KeyId::of_secret(P::IDENTIFIER, &bytes);
        clear_stack();
        let binding = Binding { parameter_digest: parameters.digest(), key_id };
        Self { parameters, ring, secret, binding }
    }

    /// Reads a secret key.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key, or if its parameters are insecure and that is not
    /// allowed.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let opened = P::open(bytes, P::SECRET_KEY, MAX_SECRET_KEY_BYTES, options);
        // The checksum was computed on this stack.
        clear_stack();
        let (parameters, mut reader) = opened?;
        let ring = parameters.ring();
        let packed = reader.bytes("coefficients", ring.degree() as u64 / 4)?;
        let coefficients = unpack_ternary(packed, ring.degree())?;
        reader.finish()?;
        let secret = TernarySecret::from_coefficients(coefficients)
            .ok_or_else(|| WireError::invalid("coefficients", "others", "a ternary secret"))?;
        Ok(Self::new(parameters, ring, secret))
    }

    /// Returns the key in its wire format: parameters, followed by two bits per coefficient.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        secret_key_file(&self.parameters, &self.secret)
    }

    /// Returns the ring of the parameters, with its tables.
    #[must_use]
    pub fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// Returns the secret polynomial, for keys between it and other secrets of the client. Nobody else may have it.
    #[must_use]
    pub fn secret(&self) -> &TernarySecret {
        &self.secret
    }

    /// Generates the switching keys for a server in the same process, under a fresh ephemeral sparse secret. Progress
    /// counts switching keys.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn generate_keys<E: RingEvaluationParameters>(
        &self,
        parameters: E,
        progress: Progress<'_>,
    ) -> Result<RingEvaluationKey<E>> {
        let mut keys = EvaluationKeys::new();
        let requests = parameters.key_requests();
        let ephemeral = self.ephemeral_secrets();
        generate_switching_keys(
            &self.ring,
            &self.secret,
            ephemeral,
            requests,
            progress,
            |request, key| {
                keys.insert(request.purpose, key);
                Ok(())
            },
        )?;
        let results = parameters.result_key().map(|shape| ResultKey::generate(shape, &self.secret));
        let key = RingEvaluationKey::new(parameters, self.id(), Arc::clone(&self.ring), keys);
        Ok(key.with_result_key(results))
    }

    /// Generates switching keys and writes them as an evaluation key, one at a time: parameters, the key identifier,
    /// and the seed and words of every switching key. Progress counts switching keys.
    ///
    /// # Errors
    /// If writing fails, or [`crate::Error::Cancelled`].
    pub fn write_keys<E: RingEvaluationParameters>(
        &self,
        parameters: &E,
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let (requests, literal) = (parameters.key_requests(), parameters.to_bytes());
        let results = parameters.result_key();
        let of_results = results.as_ref().map_or(0, ResultKeyShape::stored_bytes);
        let length = self.body_bytes(&literal, &requests, of_results)?;
        let object = ObjectWriter::new(out, E::EVALUATION_KEY, &parameters.digest(), length)?;
        let mut writer = BodyWriter::new(object);
        writer.bytes(&literal)?;
        writer.raw(&self.id().0)?;
        let ephemeral = self.ephemeral_secrets();
        generate_stored_keys(&self.ring, &self.secret, ephemeral, &requests, progress, |key| {
            writer.raw(key.seed.as_bytes())?;
            Ok(writer.raw(key.rows)?)
        })?;
        if let Some(shape) = results {
            ResultKey::generate(shape, &self.secret).write(&mut writer)?;
        }
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Returns the secrets besides this one that keys are generated under.
    fn ephemeral_secrets(&self) -> EphemeralSecrets {
        let parameters = &self.parameters;
        let (sparse_weight, blocks) = (parameters.sparse_weight(), parameters.block_secret());
        EphemeralSecrets { sparse_weight, blocks }
    }

    /// Returns the number of bytes of the body of an evaluation key, of which `results` belong to the key that shortens
    /// the masks of results. The same writer, without output, counts them, padding included.
    fn body_bytes(
        &self,
        literal: &[u8],
        requests: &[KeyRequest],
        results: usize,
    ) -> io::Result<u64> {
        let mut length = BodyWriter::new(io::sink());
        length.bytes(literal)?;
        length.raw(&[0; KeyId::BYTES])?;
        for request in requests {
            length.raw(&[0; Seed::BYTES])?;
            length.skip(request.body_bytes(self.ring.moduli()));
        }
        length.skip(results);
        Ok(length.position())
    }
}

impl<P: RingSecretParameters + RingEvaluationParameters> RingSecretKey<P> {
    /// Generates an evaluation key and writes it, one switching key at a time. Progress counts switching keys.
    ///
    /// # Errors
    /// If writing fails, or [`crate::Error::Cancelled`].
    pub fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()> {
        self.write_keys(&self.parameters, out, progress)
    }

    /// Returns the number of bytes that [`RingSecretKey::write_evaluation_key`] writes.
    ///
    /// # Errors
    /// Never: nothing is written.
    pub fn evaluation_key_bytes(&self) -> Result<u64> {
        let (literal, requests) = (self.parameters.to_bytes(), self.parameters.key_requests());
        let results = self.parameters.result_key().map_or(0, |shape| shape.stored_bytes());
        Ok(self.body_bytes(&literal, &requests, results)? + (HEADER_BYTES + CHECKSUM_BYTES) as u64)
    }
}
