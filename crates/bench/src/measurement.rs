//! Timing: seconds of a call, medians, and the unit u over a run.

use std::time::{Duration, Instant};

use cryptable_ring::unit::measure_unit;

use crate::contract::Contract;
use crate::memory;

/// Returns the median of times.
pub fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Returns the root mean square of errors.
pub fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Runs `f` and returns its result with the seconds it took.
pub fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = f();
    (result, start.elapsed().as_secs_f64())
}

/// Runs `f`, which may fail, and returns its result with the seconds it took.
pub fn try_timed<T, E>(f: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let (result, seconds) = timed(f);
    Ok((result?, seconds))
}

/// Runs `f`, which may fail, on every item, and returns the results with the average seconds per item.
pub fn timed_each<I, T, E>(
    items: &[I],
    f: impl FnMut(&I) -> Result<T, E>,
) -> Result<(Vec<T>, f64), E> {
    let (results, seconds) = try_timed(|| items.iter().map(f).collect::<Result<Vec<_>, E>>())?;
    Ok((results, seconds / items.len() as f64))
}

/// Runs `f` and returns its result with the seconds of processor time that it took, on all threads that still run. If the
/// system does not report processor time, the seconds are those of the clock.
pub fn processor_seconds<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let (start, before) = (Instant::now(), processor_time());
    let result = f();
    let on_processors = processor_time().zip(before).map(|(after, before)| after - before);
    (result, on_processors.unwrap_or_else(|| start.elapsed()).as_secs_f64())
}

/// Returns the processor time of all threads of this process, if the system reports it.
fn processor_time() -> Option<Duration> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let mut sum = 0;
    for thread in threads.flatten() {
        let Ok(text) = std::fs::read_to_string(thread.path().join("schedstat")) else { continue };
        sum += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    (sum > 0).then(|| Duration::from_nanos(sum))
}

/// Least time between two samples of u within a run, so that short evaluations keep their caches.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The unit u over a run: the least of samples at its start, at its end, and between evaluations, at least a second apart. A
/// single sample might be disturbed by other work on the machine.
#[derive(Debug)]
pub struct UnitSampler {
    least: f64,
    last: Instant,
}

impl UnitSampler {
    /// Takes the first sample.
    pub fn start() -> Self {
        Self { least: measure_unit(), last: Instant::now() }
    }

    /// Takes a sample, unless the last one is less than a second old. Call it between evaluations, never within one.
    pub fn sample_if_due(&mut self) {
        if self.last.elapsed() >= SAMPLE_INTERVAL {
            self.sample();
        }
    }

    /// Takes a last sample, and returns u in seconds.
    pub fn finish(mut self) -> f64 {
        self.sample();
        self.least
    }

    /// Takes a sample, and returns the least of all samples so far, in seconds.
    pub fn sample(&mut self) -> f64 {
        self.least = self.least.min(measure_unit());
        self.last = Instant::now();
        self.least
    }
}

/// Evaluations of one kind: the seconds of each, samples of the unit u between them, and the memory before and since.
#[derive(Debug)]
pub struct Runs {
    times: Vec<f64>,
    unit: UnitSampler,
    generation_peak: u64,
}

impl Runs {
    /// Starts a series of evaluations. Memory used before counts as that of key generation.
    pub fn start() -> Self {
        let generation_peak = memory::peak_rss();
        memory::reset_peak();
        Self { times: Vec::new(), unit: UnitSampler::start(), generation_peak }
    }

    /// Times an evaluation.
    pub fn time<T>(&mut self, evaluate: impl FnOnce() -> T) -> T {
        let (result, seconds) = timed(evaluate);
        self.add(seconds);
        result
    }

    /// Adds an evaluation that the caller timed.
    pub fn add(&mut self, seconds: f64) {
        self.times.push(seconds);
        self.unit.sample_if_due();
    }

    /// Returns the number of evaluations.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Enters memory and the median time of an evaluation of `values` values, including `prepare_s` for the preparation of
    /// tables. Returns the seconds of u.
    pub fn enter(self, contract: &mut Contract, values: usize, prepare_s: f64) -> f64 {
        contract.eval_rss_bytes = memory::peak_rss();
        contract.peak_rss_bytes = self.generation_peak.max(contract.eval_rss_bytes);
        let (eval_s, unit) = (prepare_s + median(&self.times), self.unit.finish());
        contract.set_time(eval_s, self.times.len(), values, unit);
        unit
    }
}

/// Counts of results that were compared with the right ones, and their errors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked {
    /// Number of values.
    pub values: usize,
    /// Number of wrong values.
    pub wrong: usize,
    /// The largest error.
    pub worst: f64,
    errors: usize,
    squares: f64,
}

impl Checked {
    /// Compares values.
    pub fn compare<T: PartialEq>(&mut self, found: &[T], expected: &[T]) {
        found.iter().zip(expected).for_each(|(found, expected)| self.count(found != expected));
    }

    /// Counts one more value, right or wrong.
    pub fn count(&mut self, is_wrong: bool) {
        self.values += 1;
        self.wrong += usize::from(is_wrong);
    }

    /// Adds errors.
    pub fn errors(&mut self, errors: impl IntoIterator<Item = f64>) {
        for error in errors {
            self.errors += 1;
            self.squares += error * error;
            self.worst = self.worst.max(error.abs());
        }
    }

    /// Enters everything into a contract, with noise relative to `margin`, the least error of a wrong value.
    pub fn enter(&self, contract: &mut Contract, margin: f64) {
        (contract.values_checked, contract.wrong) = (self.values, self.wrong);
        let deviation = (self.squares / self.errors as f64).sqrt();
        contract.noise_std_log2 = (deviation / margin).log2();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_least_of_all_samples() {
        let mut sampler = UnitSampler::start();
        sampler.least = 1e-9;
        sampler.sample_if_due();
        assert_eq!(sampler.finish(), 1e-9);
        let unit = UnitSampler::start().finish();
        assert!((1e-6..1.0).contains(&unit), "{unit}");
    }

    #[test]
    fn medians_are_of_sorted_times() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0]), 4.0);
    }
}
