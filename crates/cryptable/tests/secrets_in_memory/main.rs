//! Tests that a process holds no trace of a secret after it has dropped the key.
//!
//! A client in its own process generates a key, uses it for all its operations, and drops it. It sends the secret, as
//! the bytes of its file, to the test. The test derives every form of the secret that the library computes, and
//! searches all writable memory of the client for it: heap, stacks, recycled buffers. It reads the client's memory from
//! outside, so that it does not find its own copies.
//!
//! The control is the same client while it still holds all forms, each of which must be found.
#![cfg(target_os = "linux")]

mod client;
mod patterns;
mod process;

use client::Case;
use cryptable_ring::Isa;
use patterns::Pattern;
use process::Client;

/// Fails if a client, having dropped its key, still holds any form of the secret or of what it encrypted.
fn assert_nothing_is_left(case: Case) {
    assert_nothing_is_left_on(Isa::detect(), case);
}

/// Checks the same with an instruction set, since kernels differ in what they spill to the stack.
fn assert_nothing_is_left_on(isa: Isa, case: Case) {
    let client = Client::run(isa, case, false);
    let patterns = patterns::of(case, &client.sent());
    let found = client.scan(&patterns);
    assert!(found.is_empty(), "{case:?}, {isa:?}: memory after the drop still holds {found:#?}");
}

#[test]
fn packed_keys_leave_nothing() {
    assert_nothing_is_left(Case::Packed);
}

#[test]
fn keys_of_single_values_leave_nothing() {
    assert_nothing_is_left(Case::Single);
}

#[test]
fn leveled_keys_leave_nothing() {
    assert_nothing_is_left(Case::Leveled);
}

#[test]
fn boolean_keys_leave_nothing() {
    assert_nothing_is_left(Case::Booleans);
}

#[test]
fn integer_keys_leave_nothing() {
    assert_nothing_is_left(Case::Integers);
}

#[test]
fn transciphering_leaves_nothing() {
    assert_nothing_is_left(Case::Transciphering);
}

#[test]
fn keys_of_bits_in_slots_leave_nothing() {
    assert_nothing_is_left(Case::Bits);
}

#[test]
fn keys_of_vectors_leave_nothing() {
    assert_nothing_is_left(Case::Vectors);
}

#[test]
fn keys_of_values_that_may_be_packed_leave_nothing() {
    assert_nothing_is_left(Case::Bridged);
}

#[test]
fn keys_of_both_ends_of_a_bridge_leave_nothing() {
    assert_nothing_is_left(Case::Bridge);
}

#[test]
fn keys_of_each_engine_leave_nothing_on_slower_instruction_sets() {
    for isa in Isa::available().into_iter().filter(|&isa| isa != Isa::detect()) {
        for case in [Case::Packed, Case::Single, Case::Leveled] {
            assert_nothing_is_left_on(isa, case);
        }
    }
}

#[test]
fn seeds_and_draws_leave_nothing() {
    assert_nothing_is_left(Case::Seeds);
}

#[test]
fn the_scanner_finds_every_form_of_what_is_alive() {
    for case in [Case::Single, Case::Transciphering, Case::Bits, Case::Bridged, Case::Seeds] {
        let client = Client::run(Isa::detect(), case, true);
        let patterns = patterns::of(case, &client.sent());
        let found = client.scan(&patterns);
        for Pattern { name, .. } in &patterns {
            let is_found = found.iter().any(|finding| finding.pattern == *name);
            assert!(is_found, "{case:?}: {name} is alive, and was not found among {found:#?}");
        }
    }
}

/// Runs the client in the process that the tests above start.
#[test]
#[ignore = "only of use where another test starts it"]
fn client_process() {
    process::client_main();
}
