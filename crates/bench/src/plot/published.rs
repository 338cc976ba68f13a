//! Figures of Dumezy et al. (TCHES 2026(1)), as curves. A point is the bits of the table's inputs and the quantity.

use cryptable_papers::dumezy_2026::{AKP_LOOKUPS, CMT_LOOKUPS, PEAK_MEMORY, PublishedLookup};

use super::chart::Curve;

/// Source of the figures, in the legend.
const SOURCE: &str = "Dumezy et al., their machine";

/// Returns the milliseconds per value.
pub fn time_per_value() -> Vec<Curve> {
    lookups(|lookup| lookup.milliseconds_a_value)
}

/// Returns the seconds per lookup.
pub fn latency() -> Vec<Curve> {
    lookups(|lookup| lookup.seconds)
}

/// Returns the peak memory in GB.
pub fn memory() -> Vec<Curve> {
    let points =
        |column: usize| PEAK_MEMORY.iter().map(move |(bits, memory)| (*bits, memory[column]));
    ["akp", "bmt", "cmt"].iter().zip(0..).map(|(method, i)| curve(method, points(i))).collect()
}

fn lookups(quantity: impl Fn(&PublishedLookup) -> f64) -> Vec<Curve> {
    let points = |lookup: &PublishedLookup| (lookup.bits, quantity(lookup));
    vec![curve("akp", AKP_LOOKUPS.iter().map(points)), curve("cmt", CMT_LOOKUPS.iter().map(points))]
}

fn curve(method: &str, points: impl Iterator<Item = (f64, f64)>) -> Curve {
    Curve { method: method.to_string(), source: Some(SOURCE), points: points.collect() }
}
