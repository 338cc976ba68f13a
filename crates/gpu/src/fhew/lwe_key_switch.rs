//! LWE key switching of batches: `cryptable_fhew::switching::lwe_key_switching`.

use cryptable_fhew::switching::LweKeySwitchingKey;
use cryptable_lattice::error::{Result, demand};
use cryptable_lattice::lwe_list::LweShape;
use rayon::prelude::*;

use crate::arguments::fhew::LweKeySwitch;
use crate::device::{Device, Words};
use crate::fhew::lwe_batch::LweBatch;
use crate::kernels::{self, Grid};

/// Ciphertexts and words of results of a block.
const TILE: (usize, usize) = (16, 256);
/// Digits of a ciphertext that a block has at once.
const DIGITS: usize = 512;

/// A key that switches batches of LWE ciphertexts to another dimension, modulo a power of two.
#[derive(Debug)]
pub(crate) struct DeviceLweKeySwitch {
    rows: Words,
    /// All but the batch.
    arguments: LweKeySwitch,
    shape: LweShape,
}

impl DeviceLweKeySwitch {
    /// Puts a key on a card.
    ///
    /// # Errors
    /// If the modulus is above 2^31, or digits are more than a block takes.
    pub(crate) fn new(device: &Device, key: &LweKeySwitchingKey) -> Result<Self> {
        let (gadget, dimension) = (key.gadget(), key.dimension());
        let (modulus, length) = (gadget.modulus(), gadget.length());
        demand(modulus <= 1 << 31, "LWE modulus", modulus as f64, "on a card it is at most 2^31")?;
        demand(length <= DIGITS, "key switching digits", length as f64, "on a card at most 512")?;
        let words = key.words();
        let source_dimension = words.len() / ((dimension + 1) * length);
        let stride = (dimension + 1).next_multiple_of(2);
        let mut packed = vec![0; words.len() / (dimension + 1) * stride / 2];
        let rows = words.par_chunks_exact(dimension + 1);
        packed.par_chunks_exact_mut(stride / 2).zip(rows).for_each(|(out, row)| {
            for (out, pair) in out.iter_mut().zip(row.chunks(2)) {
                *out = pair[0] | pair.get(1).map_or(0, |high| high << 32);
            }
        });
        let digits = gadget.fraction_digits();
        let rows = device.upload(&packed);
        let arguments = LweKeySwitch {
            source: 0,
            key: rows.address(0),
            out: 0,
            bias: digits.biases(),
            halves: digits.halves().map(|half| half as u32),
            base_log2: gadget.base_log2(),
            length: length as u32,
            log2_modulus: modulus.ilog2(),
            offset: key.offset() as u32,
            source_dimension: source_dimension as u32,
            dimension: dimension as u32,
            source_stride: 0,
            key_stride: stride as u32,
            out_stride: 0,
            count: 0,
        };
        Ok(Self { rows, arguments, shape: LweShape { dimension, modulus } })
    }

    /// The same phases under the key's target secret.
    ///
    /// # Panics
    /// If the batch's modulus or dimension is not the key's.
    pub(crate) fn switch(&self, batch: &LweBatch, out: &mut LweBatch, start: usize) {
        let from = batch.shape();
        let expected = self.arguments.source_dimension as usize;
        assert_eq!((from.dimension, from.modulus), (expected, self.shape.modulus), "LWE shape");
        let arguments = LweKeySwitch {
            source: batch.address(0),
            out: out.address(start),
            source_stride: batch.stride(),
            out_stride: out.stride(),
            count: batch.len() as u32,
            ..self.arguments
        };
        let (ciphertexts, words) = TILE;
        let columns = (self.shape.dimension + 1).div_ceil(words);
        let blocks = [batch.len().div_ceil(ciphertexts) as u32, columns as u32, 1];
        let grid = Grid { blocks, threads: words as u32 };
        self.rows.device().launch(&kernels::LWE_KEY_SWITCH, grid, &arguments);
    }
}
