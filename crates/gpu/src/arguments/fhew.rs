//! What the kernels of single values take: `blind_rotation.cu`, `prepare_rows.cu`, `lwe_modulus_switch.cu`,
//! `lwe_key_switch.cu`, `ring_dimension_switching.cu`, `circuit_bootstrapping.cu`.

use cryptable_lattice::lwe::Scale;
use cryptable_ring::Modulus;
use cryptable_ring::gadget::Gadget;
use cryptable_ring::torus::FRACTION_BITS;

use super::arguments;

/// A prime with `floor(2^116/q)` in two words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct FractionModulus {
    value: u64,
    whole: u64,
    part: u64,
}

impl FractionModulus {
    pub(crate) fn new(m: &Modulus) -> Self {
        let ratio = (1u128 << (FRACTION_BITS + 64)) / u128::from(m.value());
        Self { value: m.value(), whole: (ratio >> 64) as u64, part: ratio as u64 }
    }
}

/// How a polynomial of fractions is decomposed.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decomposition {
    bias: [u64; 2],
    offset: [f64; 2],
    base_log2: u32,
    length: u32,
}

impl Decomposition {
    /// The digits of a gadget.
    pub(crate) fn new(gadget: Gadget) -> Self {
        let (digits, base_log2) = (gadget.fraction_digits(), gadget.base_log2());
        let offset = digits.halves().map(|half| ((1u64 << FRACTION_BITS) + half) as f64);
        Self { bias: digits.biases(), offset, base_log2, length: digits.length() as u32 }
    }
}

/// `blind_rotation.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlindRotation {
    pub key: u64,
    pub key_stride: u64,
    pub twiddles: u64,
    pub test: u64,
    pub phases: u64,
    pub out: u64,
    pub modulus: FractionModulus,
    pub digits: [Decomposition; 2],
    pub phase_stride: u32,
    pub steps: u32,
    pub count: u32,
    pub per_key: u32,
    pub tests: u32,
    pub are_fractions: u32,
}

/// `prepare_rows.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct PrepareRows {
    pub coefficients: u64,
    pub out: u64,
    pub twiddles: u64,
    pub modulus: u64,
    pub scale: f64,
}

/// A change of an LWE modulus.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScaleArguments {
    reciprocal: u64,
    modulus: u64,
    shift: u32,
    compensated: u32,
}

impl ScaleArguments {
    /// From a modulus to another; with the mean of roundings taken back in the body if `compensated`.
    ///
    /// # Panics
    /// If the new modulus is 2^31 or more: kernels have words of 32 bits.
    pub(crate) fn new(from: u64, to: u64, compensated: bool) -> Self {
        assert!(to < 1 << 31, "LWE modulus {to} on a card");
        let (reciprocal, shift) = Scale::new(from, to).reciprocal();
        let shift = shift - Scale::FRACTION_BITS;
        Self { reciprocal, modulus: to, shift, compensated: compensated.into() }
    }
}

/// `switch_gate_inputs` of `lwe_modulus_switch.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct GateInputs {
    pub a: u64,
    pub b: u64,
    pub out: u64,
    pub scale: ScaleArguments,
    pub stride: u32,
    pub out_stride: u32,
    pub dimension: u32,
    pub mask: u32,
    pub factor: u32,
    pub constant: u32,
    pub shift: u32,
    pub padding: u32,
}

/// `extract_and_switch` of `lwe_modulus_switch.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extraction {
    pub source: u64,
    pub out: u64,
    pub modulus: u64,
    pub scale: ScaleArguments,
    pub degree: u32,
    pub position: u32,
    pub out_stride: u32,
    pub is_lwe: u32,
}

/// `extract_lwe` of `lwe_modulus_switch.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExtractLwe {
    pub source: u64,
    pub out: u64,
    pub modulus: u64,
    pub degree: u32,
    pub shift: u32,
    pub outputs: u32,
    pub padding: u32,
}

/// `lwe_key_switch.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct LweKeySwitch {
    pub source: u64,
    pub key: u64,
    pub out: u64,
    pub bias: [u64; 2],
    pub halves: [u32; 2],
    pub base_log2: u32,
    pub length: u32,
    pub log2_modulus: u32,
    pub offset: u32,
    pub source_dimension: u32,
    pub dimension: u32,
    pub source_stride: u32,
    pub key_stride: u32,
    pub out_stride: u32,
    pub count: u32,
}

/// `ring_dimension_switching.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RingDimensionSwitch {
    pub source: u64,
    pub key: u64,
    pub twiddles: u64,
    pub out: u64,
    pub modulus: FractionModulus,
    pub digits: Decomposition,
    pub source_stride: u32,
    pub blocks: u32,
}

/// `circuit_bootstrapping.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct RgswRows {
    pub rotated: u64,
    pub trace: u64,
    pub relinearization: u64,
    pub twiddles: u64,
    pub out: u64,
    pub half_weights: u64,
    pub q: [u64; 5],
    pub modulus: FractionModulus,
    pub inverse_degree: u64,
    pub trace_digits: Decomposition,
    pub relinearization_digits: Decomposition,
    pub length: u32,
    pub rows: u32,
}

arguments!(
    ExtractLwe,
    RingDimensionSwitch,
    RgswRows,
    BlindRotation,
    PrepareRows,
    GateInputs,
    Extraction,
    LweKeySwitch
);
