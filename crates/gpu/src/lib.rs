//! Lookups on an NVIDIA card: the circuits, parameters and keys of the other crates, with the results of the processor to
//! the bit.
//!
//! The driver is found at run time, and kernels (`kernels/*.cu`) are compiled ahead and kept as PTX: nothing of CUDA is
//! needed to build, and without a card [`Device::card`] says so. Everything runs in order on one stream of a card; the first
//! error is kept, and told where results are fetched ([`Device::check`]).

pub(crate) mod arguments;
pub mod device;
pub mod fhew;
pub(crate) mod kernels;
pub mod poly;
pub mod ring;

pub use device::Device;
