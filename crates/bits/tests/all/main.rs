//! Tests of bits in slots, in one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod bootstrapping;
mod files;
mod half_form;
mod leveled_gates;
mod long_sums;
mod partial_decryptions;
mod predictions;
mod sum_gates;
mod tables;
mod throughput;
