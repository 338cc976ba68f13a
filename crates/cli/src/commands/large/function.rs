//! Piecewise linear functions of integers, in CSV files.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use cryptable::large_values::RealFunction;

use crate::formats::lines::Lines;
use crate::formats::records::quoted;
use crate::input_file;

/// A function that is linear between points, and constant beyond them.
#[derive(Clone, Debug, PartialEq)]
pub struct Piecewise {
    /// Points in the order of x, in units of 2^(bits - 1); two at 0 where it jumps.
    points: Vec<(f64, f64)>,
}

/// Reads lines `x,y` of a function of integers, for ciphertexts of this number of bits.
pub fn read(path: &Path, bits: u32) -> Result<Piecewise> {
    let mut lines = Lines::open(path, ["x", "y"])?;
    let one = f64::from(1u32 << (bits - 1));
    let mut points: Vec<(f64, f64)> = Vec::new();
    while lines.advance()? {
        let place = lines.place();
        let number = |column: usize| -> Result<f64> {
            let text = lines.text(column)?;
            let found = text.parse::<f64>().ok().map(|number| number / one);
            found.filter(|number| (-1.0..1.0).contains(number)).with_context(|| {
                format!("{place}: {} is not a number from {} to below {one}", quoted(text), -one)
            })
        };
        let point = (number(0)?, number(1)?);
        if let Some(&(before, _)) = points.last() {
            let jumps = before == 0.0 && point.0 == 0.0;
            ensure!(
                point.0 > before || jumps,
                "{place}: x must increase from line to line; a function may jump only at 0"
            );
        }
        points.push(point);
    }
    let name = input_file::name(path);
    ensure!(points.len() >= 2, "{name}: a function has at least two points");
    Ok(Piecewise { points })
}

impl Piecewise {
    /// Calls `call` with the function in the library's form.
    pub fn on<T>(&self, call: impl FnOnce(&RealFunction<'_>) -> T) -> T {
        let value = |v: f64| self.value(v);
        call(&RealFunction { function: &value, lipschitz: self.slope() })
    }

    /// Returns the value at a point; at a jump, the value of the right side.
    fn value(&self, v: f64) -> f64 {
        let after = self.points.partition_point(|&(x, _)| x <= v);
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        match after {
            0 => first.1,
            _ if after == self.points.len() => last.1,
            _ => {
                let ((x, y), (next, to)) = (self.points[after - 1], self.points[after]);
                y + (to - y) * (v - x) / (next - x)
            }
        }
    }

    /// Returns the largest slope.
    fn slope(&self) -> f64 {
        let slopes = self.points.windows(2).filter(|pair| pair[1].0 > pair[0].0);
        let slopes = slopes.map(|pair| ((pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0)).abs());
        slopes.fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_linear_between_points() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("f.csv");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read(&path, 8).map_err(|error| format!("{error:#}"))
        };
        let function = read("x,y\n-64,0\n0,16\n0,-16\n64,48\n").unwrap();
        let at = |x: f64| 128.0 * function.value(x / 128.0);
        assert_eq!(
            [-100.0, -64.0, -32.0, 0.0, 32.0, 64.0, 100.0].map(at),
            [0.0, 0.0, 8.0, -16.0, 16.0, 48.0, 48.0]
        );
        assert!((function.slope() - 1.0).abs() < 1e-12);
        let message = |text: &str| read(text).unwrap_err();
        assert!(message("1,2\n").contains("two points"));
        assert!(message("1,2\n1,3\n").contains("x must increase"));
        assert!(message("1,2\n128,3\n").contains("line 2: \"128\" is not a number"));
        assert!(message("1,2,3\n2,3,4\n").contains("3 columns; there must be `x,y`"));
    }
}
