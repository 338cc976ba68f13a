//! An engine without encryption, with bounds on noise as if values were encrypted.

use std::sync::LazyLock;

use cryptable_integers::{DigitArithmetic, DigitDecryption, DigitEncryption, LookupModel, Places};
use cryptable_lattice::error::check_equal;
use cryptable_lattice::gaussian_tail::gaussian_ratio_for;
use cryptable_lattice::{NoiseBound, Progress, Result, Table};

const LOG2_FAIL: f64 = -64.0;

/// Values modulo p in the clear, with noise bounds as if they were encrypted: results admit sums of up to `terms`
/// terms.
#[derive(Debug)]
pub struct Clear {
    pub modulus: u64,
    pub terms: u64,
    pub places: usize,
    /// Largest difference of two outputs of a table.
    pub output_range: Option<u64>,
}

impl Clear {
    /// Makes an engine with tables of any outputs.
    pub fn new(modulus: u64, terms: u64, places: usize) -> Self {
        Self { modulus, terms, places, output_range: None }
    }

    /// Restricts tables to the least range of outputs that all operations need.
    pub fn with_least_outputs(self) -> Self {
        let (bits, half) = (self.modulus.ilog2(), 1u64 << (self.modulus.ilog2() / 2));
        let base = if bits.is_multiple_of(2) { half } else { self.modulus / 2 };
        let output_range = Some((2 * half - 1).max(self.modulus / half).max(base));
        Self { output_range, ..self }
    }
}

#[derive(Clone, Debug)]
pub struct ClearCiphertext {
    /// Values of all places.
    values: Vec<u64>,
    count: usize,
    noise: NoiseBound,
    is_fresh: bool,
}

impl LookupModel for Clear {
    fn modulus(&self) -> Result<u64> {
        Ok(self.modulus)
    }

    fn output_range(&self) -> Option<u64> {
        self.output_range
    }

    fn stated_log2_fail(&self) -> f64 {
        LOG2_FAIL
    }

    fn fresh_noise(&self) -> NoiseBound {
        // Computed numerically once, since thousands of operations use it.
        static RATIO: LazyLock<f64> = LazyLock::new(|| gaussian_ratio_for(LOG2_FAIL));
        let margin = 0.5 / self.modulus as f64 / *RATIO;
        NoiseBound::new(margin / (self.terms as f64 + 0.01), 0.0)
    }

    fn result_noise(&self, _input: NoiseBound, _range: u64) -> NoiseBound {
        self.fresh_noise()
    }

    fn lookup_log2_fail(&self, input: NoiseBound) -> f64 {
        input.log2_fail(self.modulus)
    }
}

impl Clear {
    fn zip(
        &self,
        x: &ClearCiphertext,
        y: impl Iterator<Item = u64>,
        f: impl Fn(u64, u64) -> u64,
    ) -> Vec<u64> {
        x.values.iter().zip(y).map(|(&x, y)| f(x, y) % self.modulus).collect()
    }
}

impl DigitArithmetic for Clear {
    type Ciphertext = ClearCiphertext;
    type Table = Table;

    fn model(&self) -> &dyn LookupModel {
        self
    }

    fn noise(&self, x: &ClearCiphertext) -> NoiseBound {
        x.noise
    }

    fn count(&self, x: &ClearCiphertext) -> usize {
        x.count
    }

    fn add(&self, x: &ClearCiphertext, y: &ClearCiphertext) -> Result<ClearCiphertext> {
        check_equal("number of values", x.count, y.count)?;
        let noise = x.noise + y.noise;
        noise.check_decryption("a sum", self.modulus, LOG2_FAIL)?;
        let values = self.zip(x, y.values.iter().copied(), |x, y| x + y);
        Ok(ClearCiphertext { values, count: x.count, noise, is_fresh: false })
    }

    fn mul_scalar(&self, x: &ClearCiphertext, factor: i64) -> Result<ClearCiphertext> {
        let noise = x.noise.times(factor.unsigned_abs());
        noise.check_decryption("a multiple", self.modulus, LOG2_FAIL)?;
        let factor = factor.rem_euclid(self.modulus as i64) as u64;
        let values = self.zip(x, std::iter::repeat(factor), |x, factor| x * factor);
        Ok(ClearCiphertext { values, noise, is_fresh: false, ..*x })
    }

    fn add_plain(&self, x: &ClearCiphertext, constants: &[u64]) -> Result<ClearCiphertext> {
        check_equal("number of constants", constants.len(), x.count)?;
        let constants = constants.iter().copied().chain(std::iter::repeat(0));
        Ok(ClearCiphertext { values: self.zip(x, constants, |x, y| x + y), ..*x })
    }

    fn prepare(&self, table: &Table) -> Result<Table> {
        table.check_moduli(self.modulus, self.modulus)?;
        let outputs = table.centered();
        let range = outputs.iter().max().unwrap().abs_diff(*outputs.iter().min().unwrap());
        assert!(self.output_range.is_none_or(|most| range <= most), "outputs differ by {range}");
        Ok(table.clone())
    }

    fn look_up(
        &self,
        x: &ClearCiphertext,
        tables: &[Table],
        _progress: Progress<'_>,
    ) -> Result<Vec<ClearCiphertext>> {
        x.noise.check_decryption("a lookup", self.modulus, LOG2_FAIL)?;
        let noise = self.fresh_noise();
        let result = |table: &Table| {
            let values = x.values.iter().map(|&value| table[value as usize]).collect();
            ClearCiphertext { values, count: x.count, noise, is_fresh: false }
        };
        Ok(tables.iter().map(result).collect())
    }
}

impl Places for Clear {
    fn places(&self) -> usize {
        self.places
    }

    fn is_fresh(&self, x: &ClearCiphertext) -> bool {
        x.is_fresh
    }

    fn shift(&self, x: &ClearCiphertext, offset: i64, count: usize) -> Result<ClearCiphertext> {
        let places = self.places as i64;
        let value = |place: i64| {
            let source = (place - offset).rem_euclid(2 * places);
            let value = x.values[(source % places) as usize];
            if source < places { value } else { (self.modulus - value) % self.modulus }
        };
        let values = (0..places).map(value).collect();
        Ok(ClearCiphertext { values, count, noise: x.noise, is_fresh: false })
    }
}

impl DigitEncryption for Clear {
    type Ciphertext = ClearCiphertext;

    fn modulus(&self) -> u64 {
        self.modulus
    }

    fn encrypt(&self, values: &[u64]) -> Result<ClearCiphertext> {
        let mut values = values.to_vec();
        let count = values.len();
        values.resize(self.places, 0);
        Ok(ClearCiphertext { values, count, noise: self.fresh_noise(), is_fresh: true })
    }
}

impl DigitDecryption for Clear {
    fn decrypt(&self, x: &ClearCiphertext) -> Result<Vec<u64>> {
        x.noise.check_decryption("decryption", self.modulus, LOG2_FAIL)?;
        Ok(x.values[..x.count].to_vec())
    }
}
