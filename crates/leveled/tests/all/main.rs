//! Tests of circuit bootstrapping and trees of CMUXes, in one program, which is linked once.

#[path = "../common/mod.rs"]
mod common;

mod aes;
mod digits;
mod leveled;
mod lookup_full_size;
mod messages;
mod noise_law;
mod wire;
mod words;
