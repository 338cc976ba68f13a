//! The cost model of this machine beside the built-in one: part of `bench primitives`.

use cryptable_lattice::calibration::cache_file;
use cryptable_lattice::cost::CostModel;
use serde::Serialize;

use crate::origin::Origin;

/// One field of the model.
#[derive(Debug, Serialize)]
struct Line {
    operation: String,
    seconds: f64,
    unit_us: f64,
    units: f64,
    built_in_units: f64,
    #[serde(flatten)]
    origin: Origin,
}

/// Measures all fields and prints one line per field; saves them for later processes if `keep` is set.
pub fn run(keep: bool, json: bool) -> anyhow::Result<()> {
    let model = if keep { CostModel::recalibrate()? } else { CostModel::measure()? };
    let unit = model.unit();
    let built_in = CostModel::of_unit(unit).fields();
    for ((name, seconds), (_, built_in)) in model.fields().into_iter().zip(built_in) {
        let line = Line {
            operation: format!("cost model: {name}"),
            seconds,
            unit_us: unit * 1e6,
            units: seconds / unit,
            built_in_units: built_in / unit,
            origin: Origin::here(),
        };
        if json {
            println!("{}", serde_json::to_string(&line)?);
        } else {
            let nanos = seconds * 1e9;
            let (units, built_in) = (line.units, line.built_in_units);
            println!("{name:<20} {nanos:>12.4} ns   {units:>9.3e} u   built-in {built_in:>9.3e} u");
        }
    }
    if let (true, false, Some(file)) = (keep, json, cache_file()) {
        println!("kept in {}", file.display());
    }
    Ok(())
}
