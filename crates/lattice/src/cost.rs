//! The cost model of every engine: the seconds of the few operations that lookups consist of.
//!
//! Engines count operations; this module says how long they take on a machine. Costs are for one thread. They are built
//! in ([`CostModel::default`], [`CostModel::of_unit`]) or measured ([`CostModel::calibrated`], see
//! [`crate::calibration`]).

use std::iter::Sum;
use std::ops::{AddAssign, Mul};
use std::time::Duration;

use cryptable_ring::kernels::{MIN_RESIDUE_COLUMNS, fewest_numbers};
use serde::{Deserialize, Serialize};

/// Time of a transform of the engines, without its memory traffic, in transforms of the crate `tfhe-ntt`, which define
/// u. Fitted with the proportions of [`CostModel::of_unit`].
const OWN_TRANSFORM: f64 = 0.522;

/// Memory traffic of a transform, in products of limbs: u is measured in the second-level cache, which is too small for
/// the limbs of lookups. With this traffic, a transform takes 0.83 u on a Zen 4, and 1.1 u and 1.03 u on a Zen 5 and an
/// Intel Xeon.
const TRANSFORM_TRAFFIC: f64 = 2.0;

/// Seconds of each kind of work on one thread.
///
/// ```
/// use cryptable_lattice::cost::{CostModel, Work};
/// let model = CostModel::of_unit(66e-6);
/// let work = Work { transforms: 1000.0, ..Work::default() };
/// assert!((model.seconds(&work) - 0.828 * 0.066).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostModel {
    /// One forward transform of degree 65,536 over a 50-bit prime: the unit u of benchmarks.
    pub transform: f64,
    /// A multiply-accumulate of one limb of degree 65,536, memory traffic included.
    pub limb_product: f64,
    /// A multiply-accumulate of one limb of degree 65,536 by a constant of a linear combination.
    pub combination_product: f64,
    /// A multiply-accumulate of one limb of degree 65,536 by a table entry, for a table of 256 rows and columns: see
    /// [`table_products`].
    pub table_product: f64,
    /// One transform of degree 2,048 within a gadget product, digits and products included.
    pub digit_transform: f64,
    /// One byte of bootstrapping or key switching key, read from memory.
    pub key_byte: f64,
}

impl CostModel {
    /// Returns the built-in proportions for a machine with this unit. They were fitted to benchmarks of packed values
    /// on one thread of a Zen 4 with AVX-512 IFMA (u = 133 µs).
    ///
    /// The engines' own transforms take 0.83 u, their memory traffic included, a product of limbs 0.153 u, a base
    /// conversion's product and one by a constant 0.104 and 0.054 u. A product with a table's entry takes 0.0235 u on
    /// processors without a matrix unit. AKP of 1 to 13 bits and trees of 8 to 20 bits are predicted within 5 % on a
    /// quiet machine: `committed_lines_are_near_what_is_predicted` of `cryptable-packed` tests this, and prints the
    /// best fit. On other processors proportions differ: on a Zen 5 (u = 58 µs) a product of limbs takes 0.30 u, since
    /// memory is no faster, and lookups take 1.3 to 2.5 times as long as predicted here. See [`CostModel::calibrated`].
    #[must_use]
    pub const fn of_unit(unit: f64) -> Self {
        Self {
            transform: unit,
            limb_product: 0.153 * unit,
            combination_product: 0.054 * unit,
            table_product: 0.0235 * unit,
            digit_transform: unit / 57.0,
            key_byte: unit / 4.07e6,
        }
    }

    /// Returns the seconds that some work takes.
    #[must_use]
    pub fn seconds(&self, work: &Work) -> f64 {
        (OWN_TRANSFORM * self.transform + TRANSFORM_TRAFFIC * self.limb_product) * work.transforms
            + self.limb_product * work.limb_products
            + self.combination_product * work.combination_products
            + self.table_product * work.table_products
            + self.digit_transform * work.digit_transforms
            + self.key_byte * work.key_bytes
    }

    /// Returns the names and seconds of all fields, for tables.
    ///
    /// ```
    /// use cryptable_lattice::cost::CostModel;
    /// assert_eq!(CostModel::of_unit(66e-6).fields()[0], ("transform", 66e-6));
    /// ```
    #[must_use]
    pub fn fields(&self) -> [(&'static str, f64); 6] {
        [
            ("transform", self.transform),
            ("limb_product", self.limb_product),
            ("combination_product", self.combination_product),
            ("table_product", self.table_product),
            ("digit_transform", self.digit_transform),
            ("key_byte", self.key_byte),
        ]
    }

    /// Returns the unit u in seconds.
    #[must_use]
    pub fn unit(&self) -> f64 {
        self.transform
    }
}

/// Costs of a machine on which u is 140 µs: the one that ran the committed benchmarks.
impl Default for CostModel {
    fn default() -> Self {
        Self::of_unit(140e-6)
    }
}

/// Counts of operations, in the units of the fields of [`CostModel`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Transforms, in units of those of degree 65,536.
    pub transforms: f64,
    /// Products of limbs, in units of those of degree 65,536.
    pub limb_products: f64,
    /// Products of limbs by constants of linear combinations, in units of those of degree 65,536.
    pub combination_products: f64,
    /// Products of limbs by table entries, in units of those of degree 65,536.
    pub table_products: f64,
    /// Transforms within gadget products, in units of those of degree 2,048.
    pub digit_transforms: f64,
    /// Bytes of keys that are read.
    pub key_bytes: f64,
}

impl AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.transforms += other.transforms;
        self.limb_products += other.limb_products;
        self.combination_products += other.combination_products;
        self.table_products += other.table_products;
        self.digit_transforms += other.digit_transforms;
        self.key_bytes += other.key_bytes;
    }
}

impl Sum for Work {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |mut sum, part| {
            sum += part;
            sum
        })
    }
}

impl Mul<f64> for Work {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            transforms: factor * self.transforms,
            limb_products: factor * self.limb_products,
            combination_products: factor * self.combination_products,
            table_products: factor * self.table_products,
            digit_transforms: factor * self.digit_transforms,
            key_bytes: factor * self.key_bytes,
        }
    }
}

/// The number of words whose residues fit a second-level cache, times the columns of a table.
const PACKED_WORDS: usize = 56_173;

/// The number of words whose sums fit their buffer, times the rows of a table.
const SUMMED_WORDS: usize = 349_525;

/// The fewest words of a block for which entries are read as fast as they are multiplied.
const WIDE_BLOCK: usize = 64;

/// The most entries of a table of which a third-level cache of 32 MiB holds a part.
const MOST_NEAR_ENTRIES: usize = 1 << 20;

/// Factors on the time of tables whose entries are read for narrower blocks, fitted to lookups of 20 and of 22 bits
/// with 1,024 columns. A lookup of 24 bits with 1,024 columns took 1.45 to 1.53 times as long on two threads.
const NARROW_BLOCKS: f64 = 1.15;
const NARROW_BLOCKS_FROM_MEMORY: f64 = 1.4;

/// Rows that are multiplied by residues at a time: tables are filled up to a multiple of this number.
const TILE_ROWS: usize = 26;

/// Returns the cost of a table's products in units of a table with 256 rows and 256 columns.
///
/// For each small modulus of the residues, a row takes a quarter of an instruction per column, of which Strassen's
/// algorithm needs seven eighths, and 12 instructions to combine its sums. Computing the residues of a column's words
/// takes as long as 4.2 instructions. This fits the table steps of trees of 16, 18 and 20 bits with 256 to 1,024
/// columns within 2 %. Tables with fewer columns are multiplied without residues. The products of a row with selectors,
/// and the words of a column, which come from memory, then take as long as 6.5 and 38 products with entries, fitted to
/// trees of 8 to 18 bits.
///
/// ```
/// use cryptable_lattice::cost::table_products;
/// assert_eq!(table_products(256, 256), 65536.0);
/// assert!(table_products(2048, 512) < 0.9 * 2048.0 * 512.0);
/// assert!(table_products(1024, 1024) > table_products(2048, 512));
/// ```
#[must_use]
pub fn table_products(rows: usize, columns: usize) -> f64 {
    if columns < MIN_RESIDUE_COLUMNS {
        return 1.265 * (rows * columns) as f64 + 6.5 * rows as f64 + 38.0 * columns as f64;
    }
    let instructions = |rows: usize, columns: usize| {
        let (rows, columns) = (rows.next_multiple_of(TILE_ROWS) as f64, columns as f64);
        rows * (columns / 4.0 + 12.0) + 4.2 * columns
    };
    let of_memory = match (PACKED_WORDS / columns).min(SUMMED_WORDS / rows.max(1)) {
        WIDE_BLOCK.. => 1.0,
        _ if rows * columns <= MOST_NEAR_ENTRIES => NARROW_BLOCKS,
        _ => NARROW_BLOCKS_FROM_MEMORY,
    };
    of_memory * instructions(rows, columns) * (256.0 * 256.0) / instructions(256, 256)
}

/// The number of small moduli for the residues of a limb: the mean over the limbs of the trees that [`table_products`]
/// was fitted to.
const NUMBERS_PER_LIMB: f64 = 7.75;

/// Returns the number of limbs that the table step of a tree counts for. Without residues this is the number of primes,
/// which are given by log2. With residues it is proportional to the number of small moduli, which follows from the
/// modulus and, for random entries of at most `log2_entry` bits in size, from the number of columns.
#[must_use]
pub fn equivalent_limbs(log2_primes: &[f64], log2_entry: f64, columns: usize) -> f64 {
    if columns < MIN_RESIDUE_COLUMNS {
        return log2_primes.len() as f64;
    }
    // Random entries have half the size of the largest one, on average.
    let sum_bits = log2_entry - 1.0 + (columns as f64).log2();
    fewest_numbers(log2_primes, sum_bits.max(0.0)) as f64 / NUMBERS_PER_LIMB
}

/// Speed-up of work that threads share, per doubling of their number, measured on two cores: threads wait for memory
/// and for each other.
const SHARED_WORK: f64 = 1.7;

/// The same speed-up where every thread has values of its own.
const OWN_VALUES: f64 = 1.95;

/// Returns the speed of this number of busy threads, relative to one thread.
fn speedup(threads: usize, per_doubling: f64) -> f64 {
    (threads.max(1) as f64).powf(per_doubling.log2())
}

/// Seconds per word that is drawn for an evaluation key, including all computations with it, on one thread of a Zen 5
/// with ChaCha20 by AVX-512. With AVX2 it took half as long again.
const DRAWN_WORD_SECONDS: f64 = 5.8e-9;

/// Seconds per byte of a file that is written and flushed to the disk, while threads wait.
const WRITTEN_BYTE_SECONDS: f64 = 0.9e-9;

/// Seconds per byte of an evaluation key in memory, for reading it from a file in the system's cache.
const READ_BYTE_SECONDS: f64 = 0.68e-9;

/// Seconds per byte of memory that a process writes for the first time: only the first lookup takes this time.
const FRESH_BYTE_SECONDS: f64 = 0.7e-9;

/// Seconds in which a program starts and opens files.
const START_SECONDS: f64 = 0.02;

/// The same for a command that makes keys, which also draws the secret and writes its file.
const KEYGEN_START_SECONDS: f64 = 0.045;

/// Predicted time, memory and sizes for looking up one ciphertext.
///
/// ```
/// use cryptable_lattice::cost::{CostModel, Prediction, Work};
/// // A ciphertext of 1,024 values, and a key of two gigabytes that is half as large in its file.
/// let prediction = Prediction {
///     work: Work { transforms: 10_000.0, ..Work::default() },
///     values_per_ciphertext: 1_024,
///     parallelism: 2,
///     key_memory_bytes: 2_000_000_000,
///     key_file_bytes: 1_000_000_000,
///     key_words: 150_000_000,
///     choice_seconds: 0.03,
///     working_bytes: 300_000_000,
///     second_thread_bytes: 20_000_000,
///     ciphertext_bytes: 500_000,
///     result_bytes: 250_000,
/// };
/// assert_eq!([1, 2].map(|threads| prediction.peak_bytes_on(threads)), [2_300_000_000, 2_320_000_000]);
/// assert!(prediction.key_generation(2) < prediction.key_generation(1));
/// assert!(prediction.key_reading(1) > prediction.key_reading(2));
/// let seconds = |values| prediction.duration(&CostModel::of_unit(1e-4), values, 1).as_secs_f64();
/// assert!((seconds(1_024) - 0.828).abs() < 1e-9 && (seconds(1_025) - 1.656).abs() < 1e-9);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The work of one ciphertext.
    pub work: Work,
    /// The number of values in one ciphertext, which is 1 where every value has its own.
    pub values_per_ciphertext: usize,
    /// The number of threads that one ciphertext keeps busy.
    pub parallelism: usize,
    /// Bytes of the evaluation key in memory, encoded matrices included.
    pub key_memory_bytes: usize,
    /// Bytes of the evaluation key in its file.
    pub key_file_bytes: usize,
    /// Words that are drawn to generate the evaluation key: masks and errors.
    pub key_words: usize,
    /// Seconds that a command that generates the key needs to choose its parameters.
    pub choice_seconds: f64,
    /// Bytes of memory in addition to the key on one thread: table, ciphertexts, and temporaries at the peak.
    pub working_bytes: usize,
    /// Additional bytes if two threads work in parallel.
    pub second_thread_bytes: usize,
    /// Bytes of a fresh ciphertext.
    pub ciphertext_bytes: usize,
    /// Bytes of a result.
    pub result_bytes: usize,
}

impl Prediction {
    /// Returns the peak memory of a lookup, on one thread or two, which is compared with limits.
    #[must_use]
    pub fn peak_bytes(&self) -> usize {
        self.peak_bytes_on(2)
    }

    /// Returns the peak memory of a lookup on `threads` threads, in bytes. Each thread beyond the second adds some
    /// megabytes.
    #[must_use]
    pub fn peak_bytes_on(&self, threads: usize) -> usize {
        let more = if threads > 1 { self.second_thread_bytes } else { 0 };
        self.key_memory_bytes.saturating_add(self.working_bytes).saturating_add(more)
    }

    /// Returns the time of a lookup of `values` values on `threads` threads, with a key that is in memory.
    #[must_use]
    pub fn duration(&self, model: &CostModel, values: u64, threads: usize) -> Duration {
        let ciphertexts = values.div_ceil(self.values_per_ciphertext as u64).max(1);
        let parts = ciphertexts.saturating_mul(self.parallelism as u64);
        let busy = usize::try_from(parts).unwrap_or(usize::MAX).min(threads);
        let seconds = model.seconds(&self.work) * ciphertexts as f64;
        let per_doubling = if self.values_per_ciphertext == 1 { OWN_VALUES } else { SHARED_WORK };
        Duration::from_secs_f64(seconds / speedup(busy, per_doubling))
    }

    /// Returns the time of a command that generates the evaluation key and writes its file, on `threads` threads.
    ///
    /// Like [`Prediction::key_reading`], this is fitted to processors with AVX-512 IFMA and disks of a gigabyte per
    /// second.
    #[must_use]
    pub fn key_generation(&self, threads: usize) -> Duration {
        let generated = DRAWN_WORD_SECONDS * self.key_words as f64 / speedup(threads, SHARED_WORK);
        let written = WRITTEN_BYTE_SECONDS * self.key_file_bytes as f64;
        Duration::from_secs_f64(KEYGEN_START_SECONDS + self.choice_seconds + generated + written)
    }

    /// Returns the time in which a command starts, reads the evaluation key from a file in the system's cache, and
    /// allocates memory for its first lookup, on `threads` threads.
    #[must_use]
    pub fn key_reading(&self, threads: usize) -> Duration {
        let working = self.peak_bytes_on(threads).saturating_sub(self.key_memory_bytes);
        let seconds =
            READ_BYTE_SECONDS * self.key_memory_bytes as f64 + FRESH_BYTE_SECONDS * working as f64;
        Duration::from_secs_f64(START_SECONDS + seconds / speedup(threads, SHARED_WORK))
    }
}
