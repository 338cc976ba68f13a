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

/// One operand, or two, and a factor a limb: `elementwise.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elementwise {
    pub moduli: u64,
    pub out: u64,
    pub a: u64,
    pub b: u64,
    pub factors: u64,
    pub degree: u32,
    pub limbs: Limbs,
}

arguments!(Elementwise);
