//! Finds the parameters for a table in slots. Run `cargo run --release -p cryptable-approximate --example plan_lookups
//! -- POINTS PRECISION_BITS LEVELS SLOTS [complex]`. Defaults: 16 points, 10 bits, 3 levels and all slots.

use cryptable_approximate::{Grid, LookupPlan, LookupRequest};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).map(|text| text.parse::<usize>()).transpose();
    let points = number(0)?.unwrap_or(16);
    let request = LookupRequest {
        precision_bits: number(1)?.unwrap_or(10) as f64,
        levels: number(2)?.unwrap_or(3),
        count: number(3)?,
        complex: arguments.get(4).is_some_and(|word| word == "complex"),
        ..LookupRequest::new(Grid::integers(points))
    };
    print!("{}", LookupPlan::new(&request)?);
    Ok(())
}
