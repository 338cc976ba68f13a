//! Tests of integers, in one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod all_sizes;
mod any_integer;
mod engines_toy;
mod errors;
mod files;
mod full_size;
