//! Tests of the library, in one program, which is linked once. Tests that measure or kill a process have programs of their own.

mod belonging;
mod bridged;
mod bridges;
mod canaries;
mod compression;
mod dependencies;
mod engines;
mod failure_definition;
mod failures;
mod integers;
mod known_answers;
mod known_kinds;
mod known_objects;
mod leveled_toy;
mod linear_operations;
mod public_keys;
mod rekeying;
mod single_full_size;
mod single_toy;
mod vectors_to_integers;
