//! Generation of the keys of a bridge by the client, who has both secrets.

use std::io::Write;

use cryptable_fhew::keys::ClientKey;
use cryptable_lattice::error::check_parameters;
use cryptable_lattice::{Progress, Result};
use cryptable_packed as packed;
use cryptable_wire::object_bytes;

use super::bridge::BRIDGE;
use super::{Bridge, Parameters, Target};
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::packing::{RingPackingKey, SeededRingPackingKey};
use crate::secrets::Secrets;

impl<T: Target> Bridge<T> {
    /// Generates a key between a client's two secret keys.
    ///
    /// # Errors
    /// If a secret key is of other parameters.
    ///
    /// # Panics
    /// If the operating system provides no randomness.
    pub fn generate(
        parameters: &Parameters<T>,
        packed: &packed::SecretKey,
        single: &ClientKey<T>,
    ) -> Result<Self> {
        let (packing, extraction) = parameters.keys(packed, single)?;
        let keys = (RingPackingKey::expand(&packing), ExtractionKey::expand(&extraction));
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
    /// If the operating system provides no randomness.
    pub fn write_key(
        &self,
        packed: &packed::SecretKey,
        single: &ClientKey<T>,
        out: &mut dyn Write,
        progress: Progress<'_>,
    ) -> Result<()> {
        let steps = progress.steps(2)?;
        let (packing, extraction) = self.keys(packed, single)?;
        steps.done()?;
        let mut parts = [const { Vec::new() }; 2];
        packing.write(&mut parts[0])?;
        extraction.write(&mut parts[1])?;
        let bytes = object_bytes(T::OBJECT_TYPE, &self.digest(), |writer| {
            writer.bytes(&self.to_bytes())?;
            [single.id(), packed.id()].iter().try_for_each(|id| writer.raw(&id.0))?;
            parts.iter().try_for_each(|part| writer.bytes(part))
        });
        out.write_all(&bytes)?;
        steps.done()
    }

    fn keys(
        &self,
        packed: &packed::SecretKey,
        single: &ClientKey<T>,
    ) -> Result<(SeededRingPackingKey, SeededExtractionKey)> {
        check_parameters(BRIDGE, self.packed().digest(), packed.parameters().digest())?;
        check_parameters(BRIDGE, self.single().digest(), single.parameters().digest())?;
        let clients = Clients { lwe: single.id(), ring: packed.id() };
        // Packed values are encrypted under the same secret that values are extracted to.
        let lwe = single.fhew().ring_coefficients();
        let secrets = Secrets { lwe, ring: packed.secret(), clients };
        let conversion = self.conversion();
        Ok((secrets.packing_key(conversion)?, secrets.extraction_key(conversion)?))
    }
}
