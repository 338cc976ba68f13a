//! `cryptable bridge`: packed lookups whose results are used one by one.

mod plan;
mod run;
mod tables;

#[cfg(feature = "client")]
pub use self::plan::HEADROOM_BITS;
pub use self::plan::plan;
pub use self::run::run;
