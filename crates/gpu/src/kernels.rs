//! The kernels by name, with what each takes.

use std::marker::PhantomData;

use crate::arguments::fhew::{BlindRotation, Extraction, GateInputs, LweKeySwitch, PrepareRows};
use crate::arguments::{Arguments, Elementwise};

/// A kernel as the emulation runs it: its argument, the blocks of the grid, and the threads of a block.
#[cfg(feature = "emulation")]
pub(crate) type Emulated = unsafe extern "C" fn(*const std::ffi::c_void, u32, u32, u32, u32);

/// A kernel and the type of its argument.
#[derive(Debug)]
pub(crate) struct Kernel<A: Arguments> {
    /// Its name in the sources.
    pub name: &'static str,
    #[cfg(feature = "emulation")]
    pub emulated: Emulated,
    arguments: PhantomData<fn(A)>,
}

/// The blocks of a grid, and the threads of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub blocks: [u32; 3],
    pub threads: u32,
}

/// Declares kernels: `CONSTANT = name(Arguments);`.
macro_rules! kernels {
    ($($(#[$doc:meta])* $constant:ident = $name:ident, $emulated:ident ($arguments:ty);)*) => {
        #[cfg(feature = "emulation")]
        unsafe extern "C" {
            $(fn $emulated(arguments: *const std::ffi::c_void, x: u32, y: u32, z: u32, threads: u32);)*
        }
        $($(#[$doc])*
        pub(crate) const $constant: Kernel<$arguments> = Kernel {
            name: stringify!($name),
            #[cfg(feature = "emulation")]
            emulated: $emulated,
            arguments: PhantomData,
        };)*
        /// The names of all kernels.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];
    };
}

kernels! {
    /// `out = a + b`.
    ADD = add, add_emulated(Elementwise);
    /// `out = a - b`.
    SUBTRACT = subtract, subtract_emulated(Elementwise);
    /// `out = a·b`.
    MULTIPLY = multiply, multiply_emulated(Elementwise);
    /// `out = a·factor`.
    MULTIPLY_SCALAR = multiply_scalar, multiply_scalar_emulated(Elementwise);
    /// `out = a + b·factor`.
    ADD_MULTIPLE = add_multiple, add_multiple_emulated(Elementwise);
    /// `out = a mod q`.
    REDUCE = reduce, reduce_emulated(Elementwise);
    /// Blind rotation by CMUXes, degree 256.
    BLIND_ROTATE_256 = blind_rotate_256, blind_rotate_256_emulated(BlindRotation);
    /// Degree 512.
    BLIND_ROTATE_512 = blind_rotate_512, blind_rotate_512_emulated(BlindRotation);
    /// Degree 1,024.
    BLIND_ROTATE_1024 = blind_rotate_1024, blind_rotate_1024_emulated(BlindRotation);
    /// Degree 2,048.
    BLIND_ROTATE_2048 = blind_rotate_2048, blind_rotate_2048_emulated(BlindRotation);
    /// Degree 4,096.
    BLIND_ROTATE_4096 = blind_rotate_4096, blind_rotate_4096_emulated(BlindRotation);
    /// Rows of keys to evaluations, degree 256.
    PREPARE_ROWS_256 = prepare_rows_256, prepare_rows_256_emulated(PrepareRows);
    /// Degree 512.
    PREPARE_ROWS_512 = prepare_rows_512, prepare_rows_512_emulated(PrepareRows);
    /// Degree 1,024.
    PREPARE_ROWS_1024 = prepare_rows_1024, prepare_rows_1024_emulated(PrepareRows);
    /// Degree 2,048.
    PREPARE_ROWS_2048 = prepare_rows_2048, prepare_rows_2048_emulated(PrepareRows);
    /// Degree 4,096.
    PREPARE_ROWS_4096 = prepare_rows_4096, prepare_rows_4096_emulated(PrepareRows);
    /// Sums of gates' inputs, to the modulus of rotation.
    SWITCH_GATE_INPUTS = switch_gate_inputs, switch_gate_inputs_emulated(GateInputs);
    /// A coefficient of RLWE ciphertexts as LWE, to another modulus.
    EXTRACT_AND_SWITCH = extract_and_switch, extract_and_switch_emulated(Extraction);
    /// LWE key switching.
    LWE_KEY_SWITCH = lwe_key_switch, lwe_key_switch_emulated(LweKeySwitch);
}
