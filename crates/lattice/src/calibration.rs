//! The cost model as measured on this machine, and its storage.
//!
//! [`CostModel::of_unit`] has one list of proportions for all processors. They differ, though. With the matrix unit
//! AMX, a product with a table's entry takes 0.012 u, without it 0.03 u; and where u is short, memory is relatively
//! slow. [`CostModel::measure`] times each field in some tenths of a second, and [`CostModel::calibrated`] does so once
//! per machine and keeps the result.
//!
//! # How fields are measured
//! Each field is the least of many batches of about a millisecond, on one thread, through the code that engines run.
//! Other work on the machine affects a field only if it disturbs all of its batches.
//!
//! | field | measured | factor |
//! |---|---|---|
//! | `transform` | [`cryptable_ring::unit::measure_unit`], from the second-level cache | 1: it is the unit u, of which a lookup's own transforms take 0.52, and the memory traffic of two limb products |
//! | `limb_product` | inner products of two digits with a switching key, blocked as in key switching; digits, keys and sums take 48 MiB, more than most caches hold | 0.85, and a `combination_product` |
//! | `combination_product` | sixteen linear combinations of sixteen polynomials, 16 MiB with the results | 1 |
//! | `table_product` | the table step for 128 rows of 256 columns and three limbs, from the second-level cache | 1 |
//! | `digit_transform` | CMUXes of degree 2,048 with three rows (five transforms each), keys from the cache | 1 |
//! | `key_byte` | multiples of rows of 32-bit words, added as in LWE key switching, from 36 MiB | 0.75 |
//!
//! # How factors were fitted
//! Whole lookups do more than the counted operations, and count unlike operations as one. The factors make predictions
//! fit lookups on one thread of a processor of AMD's Zen 5 (AVX-512 IFMA, no AMX; u = 66 µs). They are ratios of a
//! lookup to its innermost loops, and should depend less on the machine than times do.
//!
//! * `limb_product`: products with keys and plaintexts, whose traffic, with that of additions and permutations that are
//!   not counted, is that of 0.85 inner products each. When this was fitted, base conversions were counted among them;
//!   they are combination products now, 1.93 each. The inner product took 35 µs, the combination 4 µs. Predicted
//!   seconds on one thread, with measured ones in parentheses: AKP of 1, 4 and 8 bits 0.37 (0.43), 1.39 (1.40) and 2.92
//!   (2.74); CMT of 8, 12 and 16 bits 4.6 (4.50), 8.2 (9.04) and 16.4 (16.8).
//! * `key_byte`: products fetch the next key while they run, so that a part of the 24 ps for reading is hidden.
//!   Predicted milliseconds, with measured ones in parentheses and 1.4 µs per transform: a functional bootstrap of
//!   degree 2,048 5.3 (5.98), the first set of circuit bootstraps 4.5 (4.37), a NAND 4.0 (3.96).
//!
//! These numbers were measured with other work on the machine, and the benchmarks' results have no lines for them.
//! Memory is shared: while other programs use it, `limb_product` and `key_byte` are measured up to half as long again,
//! and lookups take that much longer, too.
//!
//! # Where it is kept
//! The result is kept in `cryptable/calibration.json` of the user's cache directory (`$XDG_CACHE_HOME` or `~/.cache`;
//! on Windows the local application data), for the last sixteen combinations of machine and program. Entries are
//! identified by processor, instruction set, version of this library, and the program's size and date, since link-time
//! optimisation alone nearly halves a transform. A file that is damaged or has another format counts as empty. If the
//! file cannot be written, every process measures again.
//!
//! Builds with debug assertions use the built-in model: measuring without optimisation takes a minute and is of no use.
//! The environment variable `CRYPTABLE_CALIBRATION=off` selects the built-in model, without measuring, reading or
//! writing anything: for tests, and for output that is the same everywhere.

mod cache;
mod primitives;

use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;

use cache::{Cache, Machine};
use primitives::Primitives;

use crate::cost::CostModel;

/// The environment variable that turns calibration off.
pub const SETTING: &str = "CRYPTABLE_CALIBRATION";

/// Inner products with keys in memory that a counted product of limbs takes, in addition to a combination product.
const STREAMED_SHARE: f64 = 0.85;

/// Time per byte of a key that is fetched while products run, divided by the time per byte that the program waits for.
const KEY_BYTE_FACTOR: f64 = 0.75;

/// The longest plausible time of a transform of degree 65,536 and of a limb product, in seconds.
const MAX_TRANSFORM: f64 = 1.0;

/// The longest plausible time per byte, in seconds: 1 MB/s.
const MAX_KEY_BYTE: f64 = 1e-6;

impl CostModel {
    /// Returns the model of this machine: measured once, then read from the user's cache directory. Returns the
    /// built-in model if `CRYPTABLE_CALIBRATION` is `off`, in builds with debug assertions or for WebAssembly, if no
    /// thread can be started to measure on, or if memory is refused.
    ///
    /// The first call in a process reads a file of some kilobytes; the first call on a machine takes some tenths of a
    /// second and 64 MiB, which are returned afterwards. Later calls cost nothing. Errors of the file system are
    /// ignored.
    ///
    /// ```no_run
    /// use cryptable_lattice::cost::{CostModel, Work};
    /// let work = Work { limb_products: 1000.0, ..Work::default() };
    /// println!("{:.3} s", CostModel::calibrated().seconds(&work));
    /// ```
    #[must_use]
    pub fn calibrated() -> Self {
        static MODEL: OnceLock<CostModel> = OnceLock::new();
        *MODEL.get_or_init(|| {
            // Builds without optimisation would measure for a minute, and the results would be of no use. Browsers run
            // no servers, and WebAssembly by itself has no clock.
            let is_measurable = !cfg!(debug_assertions) && !cfg!(target_family = "wasm");
            if !is_measurable || is_off(std::env::var_os(SETTING).as_deref()) {
                return Self::default();
            }
            let measured = || Self::measure().ok();
            match Cache::of_user() {
                Some(cache) => cache.get_or_measure(&Machine::here(), measured),
                None => measured(),
            }
            .unwrap_or_default()
        })
    }

    /// Measures this machine now, in some tenths of a second; reads and writes no file.
    ///
    /// # Errors
    /// If no thread can be started, or the system refuses memory.
    pub fn measure() -> io::Result<Self> {
        Primitives::measure().map(|primitives| Self::of_primitives(&primitives))
    }

    /// Measures this machine now, and keeps the result for later processes. Running processes, and this one if it has
    /// requested the model already, continue to use the model that they have.
    ///
    /// # Errors
    /// If no thread can be started, the system refuses memory, there is no cache directory, or it cannot be written to.
    pub fn recalibrate() -> io::Result<Self> {
        let model = Self::measure()?;
        let cache = Cache::of_user().ok_or(io::ErrorKind::NotFound)?;
        cache.write(&Machine::here(), &model)?;
        Ok(model)
    }

    /// Computes the model from measured primitives, times the factors in the module's documentation.
    fn of_primitives(primitives: &Primitives) -> Self {
        Self {
            transform: primitives.transform,
            limb_product: STREAMED_SHARE * primitives.streamed_product
                + primitives.combination_product,
            combination_product: primitives.combination_product,
            table_product: primitives.table_product,
            digit_transform: primitives.digit_transform,
            key_byte: KEY_BYTE_FACTOR * primitives.streamed_byte,
        }
    }

    /// Returns whether all fields are positive and not absurdly large. A file with other values is ignored.
    fn is_plausible(&self) -> bool {
        let Self { transform, limb_product, combination_product, table_product, .. } = *self;
        let limbs = [transform, limb_product, combination_product, table_product];
        let fits = |seconds: f64, limit: f64| seconds > 0.0 && seconds <= limit;
        { limbs }.into_iter().all(|seconds| fits(seconds, MAX_TRANSFORM))
            && fits(self.digit_transform, MAX_TRANSFORM)
            && fits(self.key_byte, MAX_KEY_BYTE)
    }
}

/// Returns the file in which calibrations are kept, or `None` if the user has no home directory.
#[must_use]
pub fn cache_file() -> Option<PathBuf> {
    Cache::of_user().map(Cache::into_path)
}

/// Returns whether a setting of the environment turns calibration off.
fn is_off(setting: Option<&std::ffi::OsStr>) -> bool {
    setting.is_some_and(|setting| setting.eq_ignore_ascii_case("off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_fields_are_plausible() {
        let model = CostModel::measure().unwrap();
        assert!(model.is_plausible(), "{model:?}");
    }

    #[test]
    fn implausible_models_are_recognised() {
        assert!(CostModel::default().is_plausible());
        for wrong in [0.0, -1e-6, f64::NAN, f64::INFINITY, 2.0] {
            let model = CostModel { key_byte: wrong, ..CostModel::default() };
            assert!(!model.is_plausible(), "{model:?}");
            let model = CostModel { table_product: wrong, ..CostModel::default() };
            assert!(!model.is_plausible(), "{model:?}");
        }
    }

    #[test]
    fn only_off_turns_it_off() {
        let of = |setting: &str| is_off(Some(setting.as_ref()));
        assert!(of("off") && of("OFF"));
        assert!(!of("on") && !of("") && !is_off(None));
    }
}
