//! The cost model of this machine beside the built-in one: `cargo run --release -p
//! cryptable-lattice --example calibration`. Measures, and neither reads nor writes a file.

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
        let micros = seconds * 1e6;
        println!(
            "{name:<20} {micros:>10.6} us {:>9.3e} {:>10.3e}",
            seconds / unit,
            expected / unit
        );
    }
    println!("measured in {elapsed:.2} s");
    Ok(())
}
