//! Tests of functional bootstrapping of single values, in one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod automorphism_counts;
mod automorphism_rotation;
mod booleans;
mod bootstrapping;
mod compressed_lists;
mod decomposition;
mod functions;
mod gates;
mod hidden_tables;
mod integers;
mod linear_operations;
mod packing_variants;
mod parameters;
mod product_noise;
mod public_keys;
mod rekeying;
mod variants;
