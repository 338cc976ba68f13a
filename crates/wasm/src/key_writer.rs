//! Evaluation keys, passed to JavaScript piece by piece while they are generated.

use std::io::{self, Write};
use std::ops::ControlFlow;

use cryptable::Execution;
use js_sys::{Function, Uint8Array};
use sha2::{Digest, Sha256};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Error, Result};

/// Bytes per piece: large enough for few calls into JavaScript, small enough to use little memory.
const PIECE_BYTES: usize = 1 << 20;

/// Length and digest of a key file that was written.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WrittenKey {
    bytes: u64,
    sha256: String,
}

#[wasm_bindgen]
impl WrittenKey {
    /// Number of bytes.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn bytes(&self) -> f64 {
        self.bytes as f64
    }

    /// SHA-256 digest of the file in hexadecimal digits.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn sha256(&self) -> String {
        self.sha256.clone()
    }
}

/// A writer that passes pieces to a JavaScript function and digests them.
struct Pieces<'a> {
    write: &'a Function,
    digest: Sha256,
    bytes: u64,
    /// Error that the function threw, to be thrown again.
    thrown: Option<JsValue>,
}

impl Write for Pieces<'_> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.digest.update(piece);
        let array = Uint8Array::from(piece);
        match self.write.call1(&JsValue::NULL, &array) {
            Ok(_) => {
                self.bytes += piece.len() as u64;
                Ok(piece.len())
            }
            Err(thrown) => {
                self.thrown = Some(thrown);
                Err(io::Error::other("the function that takes the key threw an error"))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Generates an evaluation key and passes its file to `write`, piece by piece. If `progress` is given, it receives the
/// number of steps done and the total, and stops the work by returning `false`.
///
/// # Errors
/// If `write` throws, with the thrown value; if `progress` stops the work.
pub(crate) fn write_evaluation_key(
    secret: &cryptable::SecretKey,
    write: &Function,
    progress: Option<&Function>,
) -> Result<WrittenKey> {
    let tell = |done: usize, total: usize| {
        let answer = progress.map(|progress| {
            progress.call2(
                &JsValue::NULL,
                &JsValue::from(done as f64),
                &JsValue::from(total as f64),
            )
        });
        match answer {
            Some(Ok(answer)) if answer == JsValue::FALSE => ControlFlow::Break(()),
            Some(Err(_)) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    };
    let pieces = Pieces { write, digest: Sha256::new(), bytes: 0, thrown: None };
    let mut out = io::BufWriter::with_capacity(PIECE_BYTES, pieces);
    let written = secret
        .write_evaluation_key(&mut out, Execution::default().progress(&tell))
        .and_then(|()| Ok(out.flush()?));
    let (pieces, _) = out.into_parts();
    match (written, pieces.thrown) {
        (Ok(()), _) => {
            let sha256 = cryptable_wire::hex(&pieces.digest.finalize());
            Ok(WrittenKey { bytes: pieces.bytes, sha256 })
        }
        (Err(_), Some(thrown)) => Err(Error::thrown(thrown)),
        (Err(error), None) => Err(error.into()),
    }
}
