//! Work of packing and extraction, by counts. [`cryptable_lattice::cost::CostModel`] converts it to seconds.

use cryptable_lattice::cost::Work;

use crate::literal::BlockLiteral;
use crate::parameters::Parameters;

/// Bytes of a word.
const WORD: f64 = 8.0;

/// Passes over each word of a mask, besides products: rows become columns or columns rows, in pages that are fresh.
/// Like all constants here, fitted to 65,536 values of dimension 820.
const PACKING_PASSES: f64 = 16.0;
const EXTRACTION_PASSES: f64 = 23.0;

/// Cost of drawing 65,536 words of a mask from a seed, in transforms of degree 65,536.
const DRAWING: f64 = 7.6;

/// Cost of a product with the key of a block, in combination products: operands come from the second-level cache.
const PRODUCT: f64 = 1.30;

/// Words of a limb of degree 65,536.
const LIMB: f64 = 65536.0;

/// Origin of the masks of the values that are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masks {
    /// Fresh values: masks are drawn from a seed.
    Drawn,
    /// Computed values: masks are in memory.
    Computed,
}

/// Returns the work of ring packing: n + 2 transforms per block, ℓ + 2 transforms of degree N, `2·n·N` products, and
/// handling the masks of `values` values in a layout of `slots` slots.
pub(crate) fn packing(parameters: &Parameters, slots: usize, values: f64, masks: Masks) -> Work {
    let literal = parameters.literal();
    let n = literal.lwe_dimension as f64;
    let blocks = blocks(slots, &literal.packing);
    let degree = literal.packing.degree;
    let switch = (literal.packing.switching.length + 2) as f64 * relative(literal.ring_degree);
    let drawing = if masks == Masks::Drawn { DRAWING * n * values / LIMB } else { 0.0 };
    Work {
        transforms: blocks * (n + 2.0) * relative(degree) + switch + drawing,
        combination_products: PRODUCT * blocks * 2.0 * n * degree as f64 / LIMB,
        key_bytes: PACKING_PASSES * WORD * n * values,
        ..Work::default()
    }
}

/// Returns the work of extraction: ℓ' + 2 transforms of degree N; for extraction to the LWE secret, ℓ + n + 1
/// transforms per block and `ℓ·(n + 1)·N` products; and handling the masks of `values` values.
pub(crate) fn extraction(parameters: &Parameters, slots: usize, values: f64) -> Work {
    let literal = parameters.literal();
    let switch = (literal.extraction.switching.length + 2) as f64 * relative(literal.ring_degree);
    let width = (literal.lwe_dimension + 1) as f64;
    let key_bytes = EXTRACTION_PASSES * WORD * width * values;
    let Some(digits) = literal.key_switching else {
        return Work { transforms: switch, key_bytes, ..Work::default() };
    };
    let (blocks, degree) = (blocks(slots, &literal.extraction), literal.extraction.degree);
    let length = digits.length as f64;
    Work {
        transforms: blocks * (length + width) * relative(degree) + switch,
        combination_products: PRODUCT * blocks * length * width * degree as f64 / LIMB,
        key_bytes,
        ..Work::default()
    }
}

/// Returns the number of blocks that hold values, which is small for sparse layouts.
fn blocks(slots: usize, block: &BlockLiteral) -> f64 {
    (slots as f64 / block.degree as f64).max(1.0)
}

/// Returns the cost of a transform of this degree in transforms of degree 65,536, by N·log2 N.
fn relative(degree: usize) -> f64 {
    let degree = degree as f64;
    degree * degree.log2() / (LIMB * 16.0)
}
