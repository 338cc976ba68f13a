//! Lines of `bench primitives`: an operation, its time and its count.

use cryptable_lattice::SwitchingKeyShape;
use cryptable_ring::{Isa, Ring};
use serde::Serialize;

use crate::measurement::{UnitSampler, median, timed};
use crate::origin::Origin;

/// One line of output.
#[derive(Debug, Serialize)]
pub struct Line {
    pub operation: String,
    ring_degree: usize,
    limbs: usize,
    special: usize,
    digits: usize,
    threads: usize,
    pub seconds: f64,
    pub unit_us: f64,
    pub units: f64,
    pub transforms: usize,
    pub count_units: f64,
    pub bytes: usize,
    #[serde(flatten)]
    pub origin: Origin,
}

/// The ring and the shape of keys that operations run on.
pub struct Setup {
    pub ring: Ring,
    pub shape: SwitchingKeyShape,
}

/// Measures operations, and keeps one line per operation.
pub struct Bench {
    runs: usize,
    /// The unit, which is sampled before the first operation and after each.
    unit: UnitSampler,
    lines: Vec<Line>,
}

impl Bench {
    /// Starts measurements, and samples the unit.
    pub fn start(runs: usize) -> Self {
        Self { runs, unit: UnitSampler::start(), lines: Vec::new() }
    }

    /// Measures `f` by the median of its runs, after one run that warms up.
    pub fn measure(
        &mut self,
        setup: &Setup,
        operation: &str,
        transforms: usize,
        limbs_moved: usize,
        mut f: impl FnMut(),
    ) {
        f();
        let times: Vec<f64> = (0..self.runs.max(1)).map(|_| timed(&mut f).1).collect();
        let mut line =
            self.line(operation, setup.ring.degree(), median(&times), transforms, limbs_moved);
        (line.limbs, line.special) = (setup.shape.basis.main, setup.shape.basis.special);
        line.digits = setup.shape.digits();
        self.lines.push(line);
    }

    /// Measures kernels on one instruction set, by the least time of many runs, since each takes microseconds.
    pub fn measure_on(
        &mut self,
        isa: Isa,
        degree: usize,
        operation: &str,
        transforms: usize,
        limbs_moved: usize,
        mut f: impl FnMut(),
    ) {
        const RUNS: usize = 50;
        f();
        let times = (0..RUNS * self.runs.max(1)).map(|_| timed(&mut f).1);
        let seconds = times.fold(f64::INFINITY, f64::min);
        let mut line = self.line(operation, degree, seconds, transforms, limbs_moved);
        line.origin.simd = format!("{isa:?}");
        self.lines.push(line);
    }

    fn line(
        &mut self,
        operation: &str,
        degree: usize,
        seconds: f64,
        transforms: usize,
        limbs_moved: usize,
    ) -> Line {
        let unit = self.unit.sample();
        let size = degree as f64 * (degree as f64).log2() / (65536.0 * 16.0);
        Line {
            operation: operation.into(),
            ring_degree: degree,
            limbs: 1,
            special: 0,
            digits: 0,
            threads: rayon::current_num_threads(),
            seconds,
            unit_us: unit * 1e6,
            units: seconds / unit,
            transforms,
            count_units: transforms as f64 * size,
            bytes: limbs_moved * degree * 8,
            origin: Origin::here(),
        }
    }

    /// Returns all lines, in the least unit of the run.
    pub fn finish(mut self) -> Vec<Line> {
        let unit = self.unit.finish();
        for line in &mut self.lines {
            (line.unit_us, line.units) = (unit * 1e6, line.seconds / unit);
        }
        self.lines
    }
}
