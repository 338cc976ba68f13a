//! The kernels by name, with what each takes.

use std::marker::PhantomData;

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
}
