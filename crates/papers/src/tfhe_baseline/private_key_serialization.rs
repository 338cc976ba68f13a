//! Private switching keys as they are sent: in the wire format, a seed in place of masks.
//!
//! The body is the parameters, which the header's digest names, the client's identifier, the seed, and for each
//! function the bodies of its rows, packed at the width of Q. A key is hundreds of megabytes: it is written in pieces
//! and read from where it lies.

use std::io::{self, Write};

use cryptable_fhew::parameters::GadgetLiteral;
use cryptable_fhew::seeded_rows::SeededRows;
use cryptable_lattice::{ReadOptions, Result};
use cryptable_ring::random::Seed;
use cryptable_wire::{
    BodyWriter, KeyId, ObjectType, ObjectWriter, WireError, open_with_parameters,
    packed_field_bytes,
};
use serde::{Deserialize, Serialize};

use super::private_key_switching::{
    PrivateFunction, PrivateSwitchingKey, SeededPrivateSwitchingKey,
};
use super::tfhe_parameters::{MAX_KEY_BYTES, PrivateKeyForm, TfheParameters};
use cryptable_leveled::parameters::{CircuitBootstrappingLiteral, CircuitBootstrappingParameters};

/// The numbers of a set with a decomposition of private key switching.
#[derive(Serialize, Deserialize)]
struct TfheLiteral {
    circuit_bootstrapping: CircuitBootstrappingLiteral,
    private: GadgetLiteral,
    form: PrivateKeyForm,
}

impl TfheParameters {
    /// Canonical bytes, of which the digest names these parameters.
    ///
    /// # Panics
    /// Never: the numbers serialise.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let gadget = self.private_gadget();
        let literal = TfheLiteral {
            circuit_bootstrapping: *self.circuit_bootstrapping().literal(),
            private: GadgetLiteral { base_log2: gadget.base_log2(), length: gadget.length() },
            form: self.form(),
        };
        serde_json::to_vec(&literal).expect("numbers serialise")
    }

    /// Reads what [`TfheParameters::to_bytes`] wrote and validates it.
    ///
    /// # Errors
    /// If the bytes are no parameters, those are not valid, or insecure and the options do not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let literal: TfheLiteral = serde_json::from_slice(bytes)
            .map_err(|error| WireError::invalid("parameter set", error, "one of this format"))?;
        let circuit = literal.circuit_bootstrapping;
        let circuit = CircuitBootstrappingParameters::read_literal(circuit, options)?;
        Self::new(&circuit, literal.private, literal.form)
    }

    /// BLAKE3 of [`TfheParameters::to_bytes`].
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *blake3::hash(&self.to_bytes()).as_bytes()
    }

    /// Words of the rows of one function.
    fn private_words(&self) -> usize {
        self.rows() as usize * self.circuit_bootstrapping().fhew().ring_degree()
    }
}

impl SeededPrivateSwitchingKey {
    /// Writes the key, which is of these parameters.
    ///
    /// # Errors
    /// If writing fails, or the rows are not as many as those of the parameters.
    pub fn write(&self, parameters: &TfheParameters, out: &mut dyn Write) -> io::Result<()> {
        let numbers = parameters.to_bytes();
        let q = parameters.circuit_bootstrapping().fhew().prime();
        let rows = packed_field_bytes(parameters.private_words(), q);
        let length = (8 + numbers.len() + KeyId::BYTES + Seed::BYTES) as u64 + 2 * rows;
        let digest = parameters.digest();
        let object = ObjectWriter::new(out, ObjectType::PrivateSwitchingKey, &digest, length)?;
        let mut writer = BodyWriter::new(object);
        writer.bytes(&numbers)?;
        writer.raw(&self.key_id.0)?;
        writer.raw(self.seed.as_bytes())?;
        self.rows.iter().try_for_each(|rows| writer.packed_words(rows.bodies(), q))?;
        writer.into_inner().finish()?;
        Ok(())
    }

    /// Reads what [`SeededPrivateSwitchingKey::write`] wrote.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged private switching key, or its parameters insecure and the options do
    /// not allow that.
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<(TfheParameters, Self)> {
        let read = |bytes: &[u8]| TfheParameters::from_bytes(bytes, options);
        let (parameters, mut reader) = open_with_parameters(
            bytes,
            ObjectType::PrivateSwitchingKey,
            MAX_KEY_BYTES,
            read,
            TfheParameters::digest,
        )?;
        let key_id = KeyId(reader.array("client key identifier")?);
        let seed = Seed::from_bytes(reader.array("seed of the masks")?);
        let q = parameters.circuit_bootstrapping().fhew().prime();
        let mut rows = |function: PrivateFunction| {
            let name = "rows of a private switching key";
            let words = reader.packed_words(name, parameters.private_words(), q)?;
            Ok::<_, WireError>(SeededRows::new(function.row_domain(), words))
        };
        let rows = [rows(PrivateFunction::Identity)?, rows(PrivateFunction::TimesSecret)?];
        reader.finish()?;
        Ok((parameters, Self { key_id, seed, rows }))
    }
}

impl PrivateSwitchingKey {
    /// A key from its wire format; masks are drawn from its seed.
    ///
    /// # Errors
    /// As [`SeededPrivateSwitchingKey::from_bytes`].
    pub fn from_bytes(bytes: &[u8], options: ReadOptions) -> Result<Self> {
        let (parameters, key) = SeededPrivateSwitchingKey::from_bytes(bytes, options)?;
        Self::expand(&parameters, &key)
    }
}
