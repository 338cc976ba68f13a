//! Tests of conversions between engines, in one program, which is linked once.

#[path = "../bridge_ends/mod.rs"]
mod bridge_ends;
#[path = "../../../packed/tests/common/joint_keys.rs"]
mod joint_keys;

mod bridge_plans;
mod bridge_refusals;
mod bridges;
mod bridges_full_size;
mod conversions;
mod foreign;
mod lookup;
mod owners;
mod packed_bits;
mod packed_gates;
