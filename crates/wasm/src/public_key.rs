//! Public keys.

use js_sys::Uint32Array;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Result;
use crate::parameters::{Parameters, read_options};
use crate::typed_arrays::unsigned;

/// A public key: its holder can encrypt for the owner of the secret key, but cannot decrypt.
#[wasm_bindgen]
#[derive(Debug)]
pub struct PublicKey(cryptable::PublicKey);

impl PublicKey {
    pub(crate) fn new(key: cryptable::PublicKey) -> Self {
        Self(key)
    }
}

#[wasm_bindgen]
impl PublicKey {
    /// Reads a public key file.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged public key, or its parameters are insecure and that is not allowed.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        bytes: &[u8],
        #[wasm_bindgen(js_name = allowInsecure)] allow_insecure: Option<bool>,
    ) -> Result<PublicKey> {
        Ok(Self(cryptable::PublicKey::from_bytes(bytes, read_options(allow_insecure))?))
    }

    /// Returns the key as a file.
    #[wasm_bindgen(js_name = toBytes)]
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.to_bytes()
    }

    /// Identifier of the secret key. Compare it with the identifier that its owner sends over another channel.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn id(&self) -> String {
        self.0.id().to_string()
    }

    /// Parameters of the secret key.
    ///
    /// # Errors
    /// If keys of this kind are not for lookups.
    #[wasm_bindgen(getter)]
    pub fn parameters(&self) -> Result<Parameters> {
        Ok(Parameters::new(self.0.parameters().lookups()?))
    }

    /// Encrypts values below the input modulus; returns a file of ciphertexts.
    ///
    /// # Errors
    /// If there is no value, or one is not below the input modulus.
    pub fn encrypt(&self, values: &Uint32Array) -> Result<Vec<u8>> {
        Ok(self.0.encrypt(&unsigned(values)?)?.to_bytes())
    }
}
