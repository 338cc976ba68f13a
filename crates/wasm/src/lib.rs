//! The client's side of `cryptable` for browsers and Node: plans, keys, encryption and decryption.
//!
//! `wasm-bindgen` turns the types of this crate into JavaScript classes. Calls block, so a page should make them in a Web
//! Worker, as `js/client.js` does. Secrets live in the memory of the WebAssembly module; `free()` clears them.
//!
//! ```text
//!  page            js/client.js ──messages──▶ js/worker.js ──▶ this crate
//!   │                                              │
//!   └─▶ js/service.js ──HTTP──▶ cryptable serve    └─▶ js/key_file.js: evaluation keys, part by part
//! ```
#![deny(unsafe_code)]

mod error;
mod key_writer;
mod parameters;
mod public_key;
mod secret_key;
mod typed_arrays;

use cryptable::Ciphertext;
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Result;

/// Turns panics into JavaScript errors that carry the panic's message.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| wasm_bindgen::throw_str(&info.to_string())));
}

/// The SHA-256 digest of bytes in hexadecimal digits, the name that a service gives to a file.
#[wasm_bindgen]
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    cryptable_wire::hex(&Sha256::digest(bytes))
}

/// Public facts about a file of ciphertexts, read without a key.
#[wasm_bindgen]
#[derive(Debug)]
pub struct CiphertextInfo(Ciphertext);

#[wasm_bindgen]
impl CiphertextInfo {
    /// Reads a file of ciphertexts.
    ///
    /// # Errors
    /// If the bytes are not exactly one undamaged file.
    #[wasm_bindgen(constructor)]
    pub fn new(file: &[u8]) -> Result<CiphertextInfo> {
        Ok(Self(Ciphertext::from_bytes(file)?))
    }

    /// Number of values.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// Modulus of the values.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn modulus(&self) -> f64 {
        self.0.modulus() as f64
    }

    /// Whether values are signed.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn signed(&self) -> bool {
        self.0.is_signed()
    }

    /// Name of the engine that encrypted the values.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn engine(&self) -> String {
        self.0.engine().to_string()
    }

    /// Identifier of the secret key that decrypts them.
    #[wasm_bindgen(getter, js_name = keyId)]
    #[must_use]
    pub fn key_id(&self) -> String {
        self.0.key_id().to_string()
    }
}
