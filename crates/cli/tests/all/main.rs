//! Tests of the command line, in one program, which is linked once. Tests that measure or kill a process have programs of their own.

#[path = "../server/mod.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

mod aes_messages;
mod automaton;
mod bad_inputs;
mod bridge;
mod canaries;
mod categories;
mod circuits;
mod command_reference;
mod compare;
mod csv_inputs;
mod digits;
mod documents;
mod engines;
mod failure_definition;
mod foreign;
mod frames;
mod headers_first;
mod integers;
mod large;
mod messages;
mod one_by_one;
mod outputs;
mod owners;
mod packed_on_the_way;
mod parameter_list;
mod pipes;
mod round_trips;
mod secrets;
mod serve;
mod sums;
mod table_kinds;
mod transciphering;
mod wide;
