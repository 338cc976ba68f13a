//! Counts the lookups of operations on packed integers by size of digits, and predicts their time: this is why digits
//! of three bits are used.
//!
//! `cargo run --release -p cryptable-integers --example lookup_counts`

use cryptable_integers::{
    DryRun, Evaluator, IntegerColumn, Outline, packed_parameters, packed_parameters_for,
};
use cryptable_packed::{CostModel, Parameters, Request, Result};

type Column = IntegerColumn<u32, Outline>;
type Operation = fn(&Evaluator<'_, DryRun<'_>>, &Column, &Column) -> Result<()>;

const OPERATIONS: [(&str, Operation); 7] = [
    ("add, reduced", |server, x, y| server.reduce(&server.add(x, y)?).map(drop)),
    ("mul", |server, x, y| server.mul(x, y).map(drop)),
    ("mul, reduced", |server, x, y| server.reduce(&server.mul(x, y)?).map(drop)),
    ("mul_constant", |server, x, _| server.mul_constant(x, 0x9e37_79b9).map(drop)),
    ("lt", |server, x, y| server.lt(x, y).map(drop)),
    ("max", |server, x, y| server.max(x, y).map(drop)),
    ("lt_constants, 4", |server, x, _| {
        server.lt_constants(x, &[1, 9999, 1 << 20, 1 << 30]).map(drop)
    }),
];

/// Counts lookups and tables of an operation, and predicts its time in u.
fn count(parameters: &Parameters, operation: Operation) -> Result<(usize, usize, f64)> {
    let dry_run = DryRun::new(parameters, parameters.literal().slots);
    let server = Evaluator::new(&dry_run)?;
    operation(&server, &dry_run.fresh(&server), &dry_run.fresh(&server))?;
    let lookups = dry_run.lookups();
    let units = lookups.iter().map(|&tables| units(parameters, tables)).sum();
    Ok((lookups.len(), lookups.iter().sum(), units))
}

fn units(parameters: &Parameters, tables: usize) -> f64 {
    let model = CostModel::default();
    model.seconds(&parameters.prediction_of(tables).work) / model.unit()
}

fn main() -> Result<()> {
    let of_sums = packed_parameters_for(4, &Request::new(32, 32));
    for parameters in (2..=4).map(packed_parameters).chain([of_sums]) {
        let parameters = parameters?;
        println!("{parameters}");
        let terms = Evaluator::new(&DryRun::new(&parameters, 1))?.terms();
        let [one, two] = [1, 2].map(|tables| units(&parameters, tables));
        println!("  sums of {terms} results; a table {one:.0} u, one more {:.0} u", two - one);
        for (name, operation) in OPERATIONS {
            let (lookups, tables, units) = count(&parameters, operation)?;
            println!("  {name}: {lookups} lookups of {tables} tables, {units:.0} u");
        }
    }
    Ok(())
}
