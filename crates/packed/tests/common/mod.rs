//! Helpers for tests of packed values.
#![allow(dead_code)]

pub mod joint_keys;

use std::ops::ControlFlow;
use std::sync::Mutex;

use cryptable_packed::{Ciphertext, EvaluationKey, PreparedTable, Progress, Result, Table};

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
