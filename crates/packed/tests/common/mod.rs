//! Helpers for tests of packed values.
#![allow(dead_code)]

pub mod joint_keys;

use std::ops::ControlFlow;
use std::sync::Mutex;

use cryptable_packed::{
    Ciphertext, EvaluationKey, Formula, Parameters, ParametersLiteral, PreparedTable, Progress,
    Result, Table,
};

/// The same parameters with tables that are evaluated in the half ring, by keys of two digits.
pub fn in_half_ring(of: &Parameters) -> Parameters {
    Parameters::new(ParametersLiteral { half_digits: 2, ..of.literal().clone() }).unwrap()
}

/// Prepares tables.
pub fn prepare(key: &EvaluationKey, tables: &[Table]) -> Vec<PreparedTable> {
    tables.iter().map(|table| key.prepare(table).unwrap()).collect()
}

/// Prepares one table and looks it up.
pub fn look_up(key: &EvaluationKey, input: &Ciphertext, table: &Table) -> Ciphertext {
    key.lookup(input, &key.prepare(table).unwrap(), Progress::silent()).unwrap()
}

/// Prepares several tables and looks them up in one input.
pub fn look_up_many(key: &EvaluationKey, input: &Ciphertext, tables: &[Table]) -> Vec<Ciphertext> {
    let tables = prepare(key, tables);
    key.lookup_many(input, &tables.iter().collect::<Vec<_>>(), Progress::silent()).unwrap()
}

/// Returns the progress that `work` reports if nobody stops it.
pub fn reports<T>(work: impl FnOnce(Progress<'_>) -> Result<T>) -> Vec<(usize, usize)> {
    let seen = Mutex::new(Vec::new());
    let callback = |done, total| {
        seen.lock().unwrap().push((done, total));
        ControlFlow::Continue(())
    };
    work(Progress::new(&callback)).unwrap();
    seen.into_inner().unwrap()
}

/// Returns the error of `work` if it is stopped after `steps` steps. Concurrent steps may still report.
pub fn stopped_after<T>(
    steps: usize,
    work: impl FnOnce(Progress<'_>) -> Result<T>,
) -> cryptable_packed::Error {
    let callback = |done: usize, _total: usize| {
        assert!(done <= steps + 1, "a step after the stop");
        if done < steps { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    match work(Progress::new(&callback)) {
        Ok(_) => panic!("not stopped after {steps} steps"),
        Err(error) => error,
    }
}

/// A number that looks random.
pub fn mixed(seed: u64, index: u64) -> u64 {
    let x = (seed << 32 | index).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33
}

/// A full binary tree with leaves from -`most` to `most`.
pub fn tree(seed: u64, depth: u64, columns: usize, modulus: u64, most: i64) -> Formula {
    if depth == 0 {
        let value = mixed(seed, 0) % (2 * most.unsigned_abs() + 1);
        return Formula::Constant(value as i64 - most);
    }
    let below = |side| Box::new(tree(3 * seed + side, depth - 1, columns, modulus, most));
    Formula::Choice {
        column: (mixed(seed, 1) % columns as u64) as usize,
        within: vec![[0, 1 + mixed(seed, 2) % (modulus - 1)]],
        then: below(1),
        otherwise: below(2),
    }
}
