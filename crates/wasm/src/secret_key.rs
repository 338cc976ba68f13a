//! Secret keys.

use cryptable::Ciphertext;
use js_sys::{Function, Int32Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::wasm_bindgen;
use zeroize::Zeroizing;

use crate::error::Result;
use crate::key_writer::{self, WrittenKey};
use crate::parameters::{Parameters, read_options};
use crate::public_key::PublicKey;
use crate::typed_arrays::{secret_bytes, signed, to_signed, to_unsigned, unsigned};

/// A secret key. It encrypts and decrypts values and generates the evaluation key for a server. `free()` clears it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SecretKey(cryptable::SecretKey);

#[wasm_bindgen]
impl SecretKey {
    /// Generates a key from the platform's random numbers.
    #[must_use]
    pub fn generate(parameters: &Parameters) -> SecretKey {
        Self(cryptable::SecretKey::generate(parameters.inner()))
    }

    /// Reads a secret key file. The caller must clear its own copy of the bytes.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged secret key, or its parameters are insecure and that is not allowed.
    #[wasm_bindgen(js_name = fromBytes)]
    pub fn from_bytes(
        bytes: &Uint8Array,
        #[wasm_bindgen(js_name = allowInsecure)] allow_insecure: Option<bool>,
    ) -> Result<SecretKey> {
        let bytes = secret_bytes(bytes)?;
        Ok(Self(cryptable::SecretKey::from_bytes(&bytes, read_options(allow_insecure))?))
    }

    /// Returns the key as an unencrypted file: anyone who has the bytes can decrypt.
    #[wasm_bindgen(js_name = toBytes)]
    #[must_use]
    pub fn to_bytes(&self) -> Uint8Array {
        Uint8Array::from(self.0.to_bytes().as_slice())
    }

    /// Identifier that the key, its evaluation keys and its ciphertexts share. It reveals nothing about the secret.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn id(&self) -> String {
        self.0.id().to_string()
    }

    /// Parameters that the key was generated for.
    ///
    /// # Errors
    /// If keys of this kind are not for lookups.
    #[wasm_bindgen(getter)]
    pub fn parameters(&self) -> Result<Parameters> {
        Ok(Parameters::new(self.0.lookup_parameters()?))
    }

    /// Encrypts values below the input modulus; returns a file of ciphertexts.
    ///
    /// # Errors
    /// If there is no value, or one is not below the input modulus.
    pub fn encrypt(&self, values: &Uint32Array) -> Result<Vec<u8>> {
        Ok(self.0.encrypt(&unsigned(values)?)?.to_bytes())
    }

    /// Encrypts signed values, from -p/2 to p/2 - 1 for the input modulus p; returns a file of ciphertexts.
    ///
    /// # Errors
    /// If there is no value, or one is out of range.
    #[wasm_bindgen(js_name = encryptSigned)]
    pub fn encrypt_signed(&self, values: &Int32Array) -> Result<Vec<u8>> {
        Ok(self.0.encrypt_signed(&signed(values)?)?.to_bytes())
    }

    /// Decrypts a file of ciphertexts to exact integers below their modulus.
    ///
    /// # Errors
    /// If the file is damaged, or belongs to another key.
    pub fn decrypt(&self, file: &[u8]) -> Result<Uint32Array> {
        let values = Zeroizing::new(self.0.decrypt(&Ciphertext::from_bytes(file)?)?);
        to_unsigned(&values)
    }

    /// Decrypts a file of signed values.
    ///
    /// # Errors
    /// If the file is damaged, belongs to another key, or its values are unsigned.
    #[wasm_bindgen(js_name = decryptSigned)]
    pub fn decrypt_signed(&self, file: &[u8]) -> Result<Int32Array> {
        let values = Zeroizing::new(self.0.decrypt_signed(&Ciphertext::from_bytes(file)?)?);
        to_signed(&values)
    }

    /// Generates a public key, with which others encrypt for this key.
    ///
    /// # Errors
    /// If keys of this kind have no public keys.
    #[wasm_bindgen(js_name = publicKey)]
    pub fn public_key(&self) -> Result<PublicKey> {
        Ok(PublicKey::new(self.0.public_key()?))
    }

    /// Generates the evaluation key for a server and passes its file to `write`, in pieces of a megabyte; the whole packed
    /// key is never in memory. `progress` receives the number of steps done and the total, and may return `false` to stop.
    ///
    /// # Errors
    /// If `write` throws, with the thrown value; if `progress` stops the work.
    #[wasm_bindgen(js_name = writeEvaluationKey)]
    pub fn write_evaluation_key(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(piece: Uint8Array) => void")] write: &Function,
        #[wasm_bindgen(
            unchecked_optional_param_type = "(done: number, total: number) => boolean | void"
        )]
        progress: Option<Function>,
    ) -> Result<WrittenKey> {
        key_writer::write_evaluation_key(&self.0, write, progress.as_ref())
    }
}
