//! `cryptable bridge`: packed lookups whose results are used one by one.

#[cfg(feature = "client")]
mod decrypt;
mod plan;
mod run;
mod tables;

#[cfg(feature = "client")]
pub use self::decrypt::run as decrypt;
pub use self::plan::plan;
pub use self::run::run;
