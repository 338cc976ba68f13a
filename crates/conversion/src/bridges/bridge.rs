//! The server's key of a bridge, and the operations that all bridges share.

use std::fmt;
use std::ops::Range;

use cryptable_fhew::keys::ServerKey;
use cryptable_lattice::error::{check_client, check_equal, check_parameters};
use cryptable_lattice::lwe_list::LweList;
use cryptable_lattice::{Binding, KeyParameters, NoiseBound, ReadOptions, Result};
use cryptable_packed as packed;
use cryptable_wire::KeyId;
use rayon::prelude::*;

use super::{Parameters, Target};
use crate::clients::Clients;
use crate::extraction::{ExtractionKey, SeededExtractionKey};
use crate::packing::{RingPackingKey, SeededRingPackingKey};
use crate::power_of_two::{from_power_of_two, to_power_of_two};

/// Name of a key in errors.
pub(super) const BRIDGE: &str = "bridge key";

/// Longest body, 2 GiB.
const MAX_BYTES: u64 = 1 << 31;

/// Key that extracts packed values as single values of another engine, and packs such values. Holds no secret, and is
/// `Sync`.
pub struct Bridge<T: Target> {
    parameters: Parameters<T>,
    packing: RingPackingKey,
    extraction: ExtractionKey,
}

impl<T: Target> fmt::Debug for Bridge<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bridge").field("clients", &self.clients()).finish_non_exhaustive()
    }
}

impl<T: Target> Bridge<T> {
    /// Joins keys of one client that were generated or read together.
    pub(super) fn of_parts(
        parameters: Parameters<T>,
        packing: RingPackingKey,
        extraction: ExtractionKey,
    ) -> Self {
        Self { parameters, packing, extraction }
    }

    /// Returns the client's parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters<T> {
        &self.parameters
    }

    /// Returns the identifiers of the client's keys at both ends.
    #[must_use]
    pub fn clients(&self) -> Clients {
        self.extraction.clients()
    }

    /// Returns the number of bytes of memory that the key uses.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.packing.memory_bytes() + self.extraction.memory_bytes()
    }

    /// Checks that the keys at both ends are those that the bridge joins, by parameters and client.
    pub(super) fn check_ends(
        &self,
        packed: &packed::EvaluationKey,
        single: &ServerKey<T>,
    ) -> Result<()> {
        let (expected, found) = (self.parameters.packed().digest(), packed.parameters().digest());
        check_parameters(BRIDGE, expected, found)?;
        let clients = self.clients();
        check_client(BRIDGE, packed.key_id(), clients.ring)?;
        let parameter_digest = self.parameters.single().digest();
        Binding { parameter_digest, key_id: clients.lwe }.check(BRIDGE, single.binding())
    }

    /// Extracts some values of a packed ciphertext as LWE ciphertexts under the other engine's ring secret, with their
    /// noise.
    ///
    /// # Errors
    /// If the ciphertext is of another client or other parameters, or has no such values.
    pub(super) fn take_out(
        &self,
        packed: &packed::EvaluationKey,
        values: &packed::Ciphertext,
        range: Range<usize>,
    ) -> Result<(LweList, NoiseBound)> {
        let body = packed.export(values)?;
        let phases = from_power_of_two(self.parameters.conversion(), packed.key_id(), body)?;
        let modulus = self.parameters.single().shape().modulus;
        let list = self.extraction.take_out(&phases, range, modulus)?;
        Ok((list, self.parameters.taken_out_noise(values.noise())))
    }

    /// Extracts values from one ciphertext per digit, all with this modulus, like [`Bridge::take_out`]. The noise is
    /// that of the noisiest digit.
    ///
    /// # Errors
    /// The errors of [`Bridge::take_out`], or if a digit has another modulus.
    pub(super) fn take_out_digits(
        &self,
        packed: &packed::EvaluationKey,
        digits: &[packed::Ciphertext],
        modulus: u64,
        range: Range<usize>,
    ) -> Result<(Vec<LweList>, NoiseBound)> {
        let mut lists = Vec::with_capacity(digits.len());
        let mut noise = NoiseBound::new(0.0, 0.0);
        for digit in digits {
            check_equal("modulus of the digits", digit.modulus(), modulus)?;
            let (list, of_digit) = self.take_out(packed, digit, range.clone())?;
            lists.push(list);
            noise = noise.max(of_digit);
        }
        Ok((lists, noise))
    }

    /// Packs LWE ciphertexts under the other engine's ring secret into one packed ciphertext of values with a modulus.
    ///
    /// # Errors
    /// If there are more of them than slots; [`cryptable_lattice::Error::NoiseTooLarge`] if packed values would decrypt
    /// wrong with more than the stated probability.
    pub(super) fn pack(
        &self,
        packed: &packed::EvaluationKey,
        list: &LweList,
        modulus: u64,
        noise: NoiseBound,
    ) -> Result<packed::Ciphertext> {
        let literal = self.parameters.packed().literal();
        let phases = self.packing.pack(&[&self.switched(list)?], 0, literal.slots)?;
        let (from, bits) = (self.parameters.conversion(), literal.log2_ciphertext_modulus);
        let body = to_power_of_two(from, &phases, bits, modulus)?;
        packed.import(body, self.parameters.packed_noise(noise))
    }

    /// Switches LWE ciphertexts to the modulus at which they are packed.
    fn switched(&self, list: &LweList) -> Result<LweList> {
        let shape = self.parameters.conversion().lwe_shape();
        let secret = self.parameters.conversion().literal().lwe_secret;
        let switch = |index| list.ciphertext(index).modulus_switch(shape.modulus, secret);
        let switched: Vec<_> = (0..list.len()).into_par_iter().map(switch).collect();
        LweList::computed(shape, switched)
    }

    /// Reads a key in the wire format that [`Parameters::write_key`] writes, and expands it into memory.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged bridge key of this kind, its parts have other parameters or clients,
    /// or `options` refuse its parameters or the memory that it needs.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let kind = T::OBJECT_TYPE;
        let (parameters, mut reader) = Parameters::<T>::open(bytes, kind, MAX_BYTES, options)?;
        options.check_memory("bridge key", parameters.key_memory_bytes() as u64)?;
        let mut id = |name| reader.array(name).map(KeyId);
        let clients =
            Clients { lwe: id("single key identifier")?, ring: id("packed key identifier")? };
        let packing = reader.bytes("ring packing key", MAX_BYTES)?;
        let extraction = reader.bytes("extraction key", MAX_BYTES)?;
        reader.finish()?;
        let conversion = parameters.conversion();
        let packing = SeededRingPackingKey::from_bytes(conversion, clients, packing)?;
        let extraction = SeededExtractionKey::from_bytes(conversion, clients, extraction)?;
        let keys = (RingPackingKey::expand(&packing), ExtractionKey::expand(&extraction));
        Ok(Self::of_parts(parameters, keys.0, keys.1))
    }
}
