//! The engines that integers run on.

pub(crate) mod packed;
pub(crate) mod single;
