//! Prints the cost model of this machine beside the built-in one:
//! `cargo run --release -p cryptable-lattice --example calibration`. It measures, and neither reads nor writes a file.

use std::time::Instant;

use cryptable_lattice::cost::CostModel;

fn main() -> std::io::Result<()> {
    let start = Instant::now();
    let measured = CostModel::measure()?;
    let elapsed = start.elapsed().as_secs_f64();
    let built_in = CostModel::of_unit(measured.unit());
    println!("{:<20} {:>13} {:>9} {:>10}", "", "measured", "in u", "built-in");
    for ((name, seconds), (_, expected)) in measured.fields().into_iter().zip(built_in.fields()) {
        let unit = measured.unit();
        let nanos = seconds * 1e9;
        let (units, expected) = (seconds / unit, expected / unit);
        println!("{name:<20} {nanos:>10.4} ns {units:>9.3e} {expected:>10.3e}");
    }
    println!("measured in {elapsed:.2} s");
    Ok(())
}
