//! Keys of a bridge, by the client who has both secrets.

use std::io::Write;

use cryptable_fhew::integers;
use cryptable_fhew::keys::SecretKey as FhewSecret;
use cryptable_lattice::error::check_parameters;
use cryptable_lattice::{Progress, ReadOptions, Result};
use cryptable_leveled::lookup as leveled;
use cryptable_packed as packed;
use cryptable_wire::{BodyWriter, KeyId, ObjectWriter};
use zeroize::Zeroizing;

use super::bridge::BRIDGE;
use super::{Bridge, Parameters, Target};
use crate::clients::Clients;
use crate::extraction::{RingExtractionKey, SeededExtractionKey};
use crate::packing::{RingPackingKey, SeededRingPackingKey};
use crate::secrets::Secrets;

/// A client's secret key of an engine of single values.
pub trait TargetSecret<T: Target>: Sized {
    /// Draws fresh secrets.
    fn generate(parameters: &T) -> Self;

    /// The key in its wire format.
    fn to_bytes(&self) -> Zeroizing<Vec<u8>>;

    /// Reads what [`TargetSecret::to_bytes`] wrote.
    ///
    /// # Errors
    /// If the bytes are no such key, or its parameters are not accepted.
    fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self>;

    /// Generates the server's key, in memory.
    ///
    /// # Errors
    /// If `progress` asks to stop.
    fn evaluation_key(&self, progress: Progress<'_>) -> Result<T::EvaluationKey>;

    /// Generates the server's key and writes it in its wire format.
    ///
    /// # Errors
    /// If writing fails, or `progress` asks to stop.
    fn write_evaluation_key(&self, out: &mut dyn Write, progress: Progress<'_>) -> Result<()>;

    /// Its identifier.
    fn key_id(&self) -> KeyId;

    /// Digest of its parameters.
    fn parameter_digest(&self) -> [u8; 32];

    /// Secrets of LWE and of the ring.
    fn fhew(&self) -> &FhewSecret;
}

/// The same for keys of both engines; `$fhew` leads to the secrets of LWE and of the ring.
macro_rules! target_secret {
    ($module:ident, $($fhew:ident).+) => {
        impl TargetSecret<$module::Parameters> for $module::SecretKey {
            fn generate(parameters: &$module::Parameters) -> Self {
                Self::generate(parameters)
            }

            fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
                self.to_bytes()
            }

            fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
                Self::from_bytes(bytes, options)
            }

            fn evaluation_key(&self, progress: Progress<'_>) -> Result<$module::EvaluationKey> {
                self.evaluation_key(progress)
            }

            fn write_evaluation_key(
                &self,
                out: &mut dyn Write,
                progress: Progress<'_>,
            ) -> Result<()> {
                self.write_evaluation_key(out, progress)
            }

            fn key_id(&self) -> KeyId {
                self.id()
            }

            fn parameter_digest(&self) -> [u8; 32] {
                self.parameters().digest()
            }

            fn fhew(&self) -> &FhewSecret {
                self.$($fhew()).+
            }
        }
    };
}

target_secret!(integers, fhew);
target_secret!(leveled, secret.fhew);

impl<T: Target> Bridge<T> {
    /// Generates a key between a client's two secret keys.
    ///
    /// # Errors
    /// If a secret key is of other parameters.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    pub fn generate(
        parameters: &Parameters<T>,
        packed: &packed::SecretKey,
        single: &impl TargetSecret<T>,
    ) -> Result<Self> {
        let (packing, extraction) = parameters.keys(packed, single)?;
        let keys = (RingPackingKey::expand(&packing), RingExtractionKey::expand(&extraction));
        Ok(Self::of_parts(parameters.clone(), keys.0, keys.1))
    }
}

impl<T: Target> Parameters<T> {
    /// Generates a key between a client's two secret keys and writes it in its wire format, which
    /// [`Bridge::from_bytes`] reads: parameters, identifiers of both secret keys, then a ring packing key and an extraction
    /// key, each with its length.
    ///
    /// # Errors
    /// If a secret key is of other parameters, writing fails, or `progress` asks to stop.
    ///
    /// # Panics
    /// If the operating system has no randomness to give.
    pub fn write_key(
        &self,
        (packed, single): (&packed::SecretKey, &impl TargetSecret<T>),
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let steps = progress.steps(2)?;
        let (packing, extraction) = self.keys(packed, single)?;
        steps.done()?;
        let mut parts = [self.to_bytes(), Vec::new(), Vec::new()];
        packing.write(&mut parts[1])?;
        extraction.write(&mut parts[2])?;
        let ids = [single.key_id(), packed.id()];
        let mut body = BodyWriter::new(std::io::sink());
        write_body(&mut body, &parts, ids)?;
        let length = body.position();
        let object = ObjectWriter::new(out, T::OBJECT_TYPE, &self.digest(), length)?;
        let mut writer = BodyWriter::new(object);
        write_body(&mut writer, &parts, ids)?;
        writer.into_inner().finish()?;
        steps.done()
    }

    fn keys(
        &self,
        packed: &packed::SecretKey,
        single: &impl TargetSecret<T>,
    ) -> Result<(SeededRingPackingKey, SeededExtractionKey)> {
        check_parameters(BRIDGE, self.packed().digest(), packed.parameters().digest())?;
        check_parameters(BRIDGE, self.target().digest(), single.parameter_digest())?;
        let clients = Clients { lwe: single.key_id(), ring: packed.id() };
        // What is packed is under the secret that values are taken out to.
        let lwe = single.fhew().ring_coefficients();
        let secrets = Secrets { lwe, ring: packed.secret(), clients };
        let conversion = self.conversion();
        let extraction = secrets.ring_extraction_key(conversion)?;
        Ok((secrets.packing_key(conversion)?, extraction))
    }
}

/// All that stands in a key's file.
fn write_body<W: Write>(
    writer: &mut BodyWriter<W>,
    parts: &[Vec<u8>; 3],
    ids: [KeyId; 2],
) -> std::io::Result<()> {
    writer.bytes(&parts[0])?;
    ids.iter().try_for_each(|id| writer.raw(&id.0))?;
    parts[1..].iter().try_for_each(|part| writer.bytes(part))
}
