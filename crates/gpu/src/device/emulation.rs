//! Kernels on the processor, block after block.

use std::ptr;

use crate::arguments::Arguments;
use crate::kernels::{Grid, Kernel};

pub(super) fn run<A: Arguments>(kernel: &Kernel<A>, grid: Grid, arguments: &A) {
    let [x, y, z] = grid.blocks;
    // SAFETY: the kernel takes such a structure, and `Arguments` promises that its addresses are good.
    unsafe { (kernel.emulated)(ptr::from_ref(arguments).cast(), x, y, z, grid.threads) };
}
