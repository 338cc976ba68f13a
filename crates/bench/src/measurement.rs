//! Timing: seconds of a call, medians, and the unit u over a run.

use std::time::{Duration, Instant};

use cryptable_ring::unit::measure_unit;

use crate::contract::Contract;
use crate::memory;

/// The median of some times.
pub fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The root of the mean of the squares of some errors.
pub fn root_mean_square(errors: &[f64]) -> f64 {
    (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt()
}

/// Runs `f` and returns its result with the seconds it took.
pub fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = f();
    (result, start.elapsed().as_secs_f64())
}

/// Runs `f` and returns its result, unless it fails, with the seconds it took.
pub fn try_timed<T, E>(f: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let (result, seconds) = timed(f);
    Ok((result?, seconds))
}

/// Runs `f` on every item and returns the results, unless one fails, with the seconds that each took on average.
pub fn timed_each<I, T, E>(
    items: &[I],
    f: impl FnMut(&I) -> Result<T, E>,
) -> Result<(Vec<T>, f64), E> {
    let (results, seconds) = try_timed(|| items.iter().map(f).collect::<Result<Vec<_>, E>>())?;
    Ok((results, seconds / items.len() as f64))
}

/// Runs `f` and returns its result with the seconds of processor time that it took, on all threads that still run; of the
/// clock where the system does not tell.
pub fn processor_seconds<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let (start, before) = (Instant::now(), processor_time());
    let result = f();
    let on_processors = processor_time().zip(before).map(|(after, before)| after - before);
    (result, on_processors.unwrap_or_else(|| start.elapsed()).as_secs_f64())
}

/// Processor time of all threads of this process.
fn processor_time() -> Option<Duration> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let mut sum = 0;
    for thread in threads.flatten() {
        let Ok(text) = std::fs::read_to_string(thread.path().join("schedstat")) else { continue };
        sum += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    (sum > 0).then(|| Duration::from_nanos(sum))
}

/// Least time between two samples of u within a run: short evaluations keep their caches.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The unit u over a run: the least of samples at its start, at its end, and at least a second apart between
/// evaluations. One sample alone may meet other work on the machine.
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

    /// Takes a sample, unless the last is less than a second old. Call it between evaluations, never within one.
    pub fn sample_if_due(&mut self) {
        if self.last.elapsed() >= SAMPLE_INTERVAL {
            self.sample();
        }
    }

    /// Takes a last sample; seconds of u.
    pub fn finish(mut self) -> f64 {
        self.sample();
        self.least
    }

    /// Takes a sample; the least of all so far, in seconds.
    pub fn sample(&mut self) -> f64 {
        self.least = self.least.min(measure_unit());
        self.last = Instant::now();
        self.least
    }
}

/// Evaluations of one kind: the seconds of each, the unit u between them, and memory before and since.
#[derive(Debug)]
pub struct Runs {
    times: Vec<f64>,
    unit: UnitSampler,
    generation_peak: u64,
}

impl Runs {
    /// Starts; what memory took before is that of key generation.
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

    /// Adds an evaluation that was timed.
    pub fn add(&mut self, seconds: f64) {
        self.times.push(seconds);
        self.unit.sample_if_due();
    }

    /// The number of evaluations.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Enters the median time of an evaluation of `values` values, to which preparing tables adds `prepare_s`, and memory;
    /// returns the seconds of u.
    pub fn enter(self, contract: &mut Contract, values: usize, prepare_s: f64) -> f64 {
        contract.eval_rss_bytes = memory::peak_rss();
        contract.peak_rss_bytes = self.generation_peak.max(contract.eval_rss_bytes);
        let (eval_s, unit) = (prepare_s + median(&self.times), self.unit.finish());
        contract.set_time(eval_s, self.times.len(), values, unit);
        unit
    }
}

/// Results that were compared with what they should be, and their errors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked {
    /// Values.
    pub values: usize,
    /// Values that are wrong.
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

    /// Enters all into a contract; the noise relative to `margin`, the least error of a wrong value.
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
