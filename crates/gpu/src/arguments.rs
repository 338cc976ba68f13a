//! What kernels take: plain structures, the same in Rust as in the kernels' sources.

pub(crate) mod fhew;

/// The most limbs that a polynomial may have on a card.
pub(crate) const MAX_LIMBS: usize = 96;

/// A structure of words, addresses and numbers that a kernel takes, laid out as in C.
///
/// # Safety
/// It must be `repr(C)`, with the fields of the kernel's structure, and addresses in it must be of memory of the device that
/// outlives the kernel's turn on the stream, for as many words as the kernel reads and writes.
pub(crate) unsafe trait Arguments: cudarc::driver::DeviceRepr + Copy {}

/// Declares a structure to be one that kernels take.
macro_rules! arguments {
    ($($name:ty),*) => {$(
        // SAFETY: `repr(C)`, with the fields of the structure of this name in the kernels' sources.
        unsafe impl cudarc::driver::DeviceRepr for $name {}
        // SAFETY: as above.
        unsafe impl $crate::arguments::Arguments for $name {}
    )*};
}
pub(crate) use arguments;

/// The moduli of limbs, by number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limbs {
    pub count: u32,
    pub modulus: [u16; MAX_LIMBS],
}

impl Limbs {
    /// Limbs of these moduli.
    ///
    /// # Panics
    /// If there are more than a kernel takes: no parameter set has as many.
    pub(crate) fn new(moduli: &[usize]) -> Self {
        assert!(moduli.len() <= MAX_LIMBS, "{} limbs", moduli.len());
        let mut modulus = [0; MAX_LIMBS];
        for (to, &from) in modulus.iter_mut().zip(moduli) {
            *to = u16::try_from(from).expect("fewer than 2^16 moduli");
        }
        Self { count: moduli.len() as u32, modulus }
    }
}

/// One operand, or two: `elementwise.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elementwise {
    pub moduli: u64,
    pub out: u64,
    pub a: u64,
    pub b: u64,
    pub degree: u32,
    pub limbs: Limbs,
}

/// A pass of transforms: `ntt.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transform {
    pub moduli: u64,
    pub tables: u64,
    pub from: u64,
    pub to: u64,
    pub factors: u64,
    pub bound: u64,
    pub copy_stride: u64,
    pub log_degree: u32,
    pub first_copy: u32,
    pub digit_limbs: u32,
    pub main_limbs: u32,
    pub by_modulus: u32,
    pub limbs: Limbs,
}

/// One operand, or two, and a constant a limb and half of the evaluations: `scalar.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    pub moduli: u64,
    pub out: u64,
    pub a: u64,
    pub b: u64,
    pub first: [u64; MAX_LIMBS],
    pub second: [u64; MAX_LIMBS],
    pub degree: u32,
    pub limbs: Limbs,
}

/// `automorphism.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Automorphism {
    pub out: u64,
    pub input: u64,
    pub element: u32,
    pub log_degree: u32,
}

/// `modulus_switch.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModulusSwitch {
    pub moduli: u64,
    pub out: u64,
    pub input: u64,
    pub degree: u32,
    pub bits: u32,
    pub source: u32,
    pub limbs: Limbs,
}

/// The most pairs of a [`TensorSum`].
pub(crate) const MAX_PAIRS: usize = 64;

/// Pairs of pairs, or of pairs and polynomials: `tensor.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TensorSum {
    pub moduli: u64,
    pub out: [u64; 3],
    pub parts: [[u64; 4]; MAX_PAIRS],
    pub pairs: u32,
    pub accumulate: u32,
    pub degree: u32,
    pub limbs: Limbs,
}

/// Words that come with the arguments, without an upload.
pub(crate) const FEW_WORDS: usize = 384;

/// Inputs, outputs and constants: `combination.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Combination {
    pub moduli: u64,
    pub many: u64,
    pub few: [u64; FEW_WORDS],
    pub inputs: u32,
    pub rows: u32,
    pub passes: u32,
    pub accumulate: u32,
    pub degree: u32,
    pub limbs: Limbs,
}

/// Left and right operands, and constants: `combined_tensor.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CombinedTensor {
    pub moduli: u64,
    pub out: [u64; 3],
    pub many: u64,
    pub few: [u64; FEW_WORDS],
    pub left: u32,
    pub right: u32,
    pub passes: u32,
    pub accumulate: u32,
    pub degree: u32,
    pub limbs: Limbs,
}

/// Sums of columns by the rows of a table: `table_step.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSums {
    pub moduli: u64,
    pub entries: u64,
    pub columns: u64,
    pub sums: u64,
    pub factor: u64,
    pub column_count: u32,
    pub pieces: u32,
    pub bits: u32,
    pub first_tile: u32,
    pub tiles: u32,
    pub block_tiles: u32,
    pub degree: u32,
    pub limbs: Limbs,
}

/// Products of row sums with selectors: `table_step.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableProducts {
    pub moduli: u64,
    pub sums: u64,
    pub selectors: u64,
    pub results: u64,
    pub first_row: u32,
    pub rows: u32,
    pub inner: u32,
    pub sets: u32,
    pub first_output: u32,
    pub degree: u32,
    pub limbs: Limbs,
}

arguments!(
    Elementwise,
    Transform,
    Constants,
    Automorphism,
    ModulusSwitch,
    TensorSum,
    Combination,
    CombinedTensor,
    TableSums,
    TableProducts
);
