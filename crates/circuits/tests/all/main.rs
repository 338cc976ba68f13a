//! Tests of circuits, in one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod aes;
mod aes_encrypted;
mod large;
mod lut_cells;
mod netlists;
mod schedules;
mod words;
