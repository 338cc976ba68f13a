//! Predicted noise and cost of operations on bits, for schedules, which are made before any ciphertext exists.

use cryptable_ckks::Arithmetic;
use cryptable_ckks::dry_run::{Counts, Shape, SlotNoise};
use cryptable_lattice::error::{Result, check_within, out_of_range};

use crate::gate::{Gate, SumGate};
use crate::noise::BitNoise;
use crate::parameters::Parameters;
use crate::periodic_evaluation::levels_after_exponential;
use crate::periodic_function::PeriodicFunction;
use crate::sum_functions::functions_of_sums;
use crate::{cleaning, leveled_gates};

impl Parameters {
    /// Levels of gates after a bootstrap, and of fresh bits.
    #[must_use]
    pub fn levels_after_bootstrap(&self) -> usize {
        self.literal().gates.len()
    }

    /// Levels that a cleaning consumes.
    #[must_use]
    pub fn cleaning_levels(&self) -> usize {
        cleaning::LEVELS
    }

    /// Noise of fresh bits, at any level.
    #[must_use]
    pub fn fresh_noise(&self) -> BitNoise {
        self.noise_model().fresh
    }

    /// Noise of bits that a public key encrypted, at any level: one rounding more than fresh bits. The error of the key
    /// itself, divided by a special prime, is below that of fresh bits.
    #[must_use]
    pub fn public_noise(&self) -> BitNoise {
        self.noise_after_lowering(self.fresh_noise())
    }

    /// Noise of bits that were lowered to the level of others: one rounding more.
    #[must_use]
    pub fn noise_after_lowering(&self, x: BitNoise) -> BitNoise {
        x.with_independent(self.noise_model().rounding)
    }

    /// Noise after a gate between bootstraps, for bits of one level. Deviations of x and y add up, because x and y may
    /// depend on each other. A rounding is added, and d·ε_x·ε_y, where d is the factor of xy.
    ///
    /// ```
    /// use cryptable_bits::{Gate, Packing, Parameters};
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let fresh = parameters.fresh_noise();
    /// let noise = parameters.noise_after_gate(Gate::And, fresh, fresh);
    /// assert!(noise.deviation() > 2.0 * fresh.deviation());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn noise_after_gate(&self, gate: Gate, x: BitNoise, y: BitNoise) -> BitNoise {
        let (rounding, limit) = (self.noise_model().rounding, self.noise_model().log2_fail);
        leveled_gates::noise_after(gate.polynomial(), x, y, rounding, limit)
    }

    /// Noise of one of several gates that share a product: roundings of the product and of both bits, times their
    /// factors.
    #[must_use]
    pub fn noise_after_shared_gate(&self, gate: Gate, x: BitNoise, y: BitNoise) -> BitNoise {
        let polynomial = gate.polynomial();
        let factors = [polynomial.of_x, polynomial.of_y, polynomial.of_product];
        let roundings: i64 = factors.iter().map(|factor| factor * factor).sum();
        let rounding = self.noise_model().rounding.scaled((roundings as f64).sqrt());
        leveled_gates::noise_after(polynomial, x, y, rounding, self.noise_model().log2_fail)
    }

    /// Noise after cleaning by 3x² - 2x³: `3ε²`, and at most ten roundings.
    #[must_use]
    pub fn noise_after_cleaning(&self, x: BitNoise) -> BitNoise {
        cleaning::noise_after(x, self.noise_model().rounding, self.noise_model().log2_fail)
    }

    /// Noise after BinBoot of one bit: the bit's noise and the phases' own noise, squared, plus what the evaluation of
    /// the function adds.
    #[must_use]
    pub fn noise_after_bin_boot(&self, x: BitNoise) -> BitNoise {
        self.noise_after_bin_boot_sum(&[x])
    }

    /// Noise after BinBoot of a sum of bits: their XOR.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let one = parameters.fresh_noise();
    /// let three = parameters.noise_after_bin_boot_sum(&[one; 3]);
    /// assert!(three.deviation() > parameters.noise_after_bin_boot(one).deviation());
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn noise_after_bin_boot_sum(&self, bits: &[BitNoise]) -> BitNoise {
        self.noise_after_functions(&[PeriodicFunction::bin_boot()], bits)[0]
    }

    /// Noise after GateBoot of two bits. For all bootstraps, bits are expected at the bottom level: add
    /// [`Parameters::noise_after_lowering`] for bits that have levels left.
    #[must_use]
    pub fn noise_after_gate_boot(&self, gate: Gate, x: BitNoise, y: BitNoise) -> BitNoise {
        self.noise_after_functions(&[PeriodicFunction::gate_boot(gate.outputs(), 3)], &[x, y])[0]
    }

    /// Noise after GateBoot' of two bits, which also cleans.
    #[must_use]
    pub fn noise_after_gate_boot_cleaning(&self, gate: Gate, x: BitNoise, y: BitNoise) -> BitNoise {
        self.noise_after_functions(&[PeriodicFunction::hermite(&gate.outputs())], &[x, y])[0]
    }

    /// Noise after functions of a sum of bits, one value per function.
    ///
    /// # Errors
    /// If there are no functions, they have fewer inputs than there are bits, or they need more levels than there are.
    pub fn noise_after_sum_gates(
        &self,
        gates: &[SumGate],
        bits: &[BitNoise],
    ) -> Result<Vec<BitNoise>> {
        let functions = functions_of_sums(gates, bits.len())?;
        self.check_levels(&functions)?;
        Ok(self.noise_after_functions(&functions, bits))
    }

    /// Number of levels after a bootstrap that functions of a sum of bits consume: 0 for one function of degree 1, such
    /// as the majority of three bits or a parity, 1 for several of two or three bits, more for more bits.
    ///
    /// # Errors
    /// If there are no functions.
    pub fn levels_of_sum_gates(&self, gates: &[SumGate]) -> Result<usize> {
        let bits = gates.iter().map(SumGate::inputs).max().unwrap_or(0);
        Ok(levels_after_exponential(&functions_of_sums(gates, bits)?))
    }

    /// Checks that there are enough levels for functions after the exponential.
    ///
    /// # Errors
    /// [`TooSmall`](cryptable_lattice::Error::TooSmall).
    pub(crate) fn check_levels(&self, functions: &[PeriodicFunction]) -> Result<()> {
        check_within(
            "levels after a bootstrap",
            self.levels_after_bootstrap() as u64,
            levels_after_exponential(functions) as u64..,
        )
    }

    /// Returns log2 of the probability that a bit with this noise is off by half. Bounds on the bias hold except with
    /// the stated probability of every bootstrap or cleaning that they come from,
    /// [`crate::ParametersLiteral::log2_fail`]: a circuit fails with at most the sum of all these probabilities.
    #[must_use]
    pub fn log2_fail_per_bit(&self, noise: BitNoise) -> f64 {
        noise.log2_fail()
    }

    /// Returns the largest error of a bit with this noise, except with the stated failure probability. Bootstraps and
    /// cleanings square it.
    ///
    /// ```
    /// use cryptable_bits::{Packing, Parameters};
    /// let parameters = Parameters::insecure_toy(Packing::Real)?;
    /// let fresh = parameters.fresh_noise();
    /// let largest = parameters.largest_error(parameters.noise_after_bin_boot(fresh));
    /// assert!(largest > parameters.largest_error(fresh) && largest < 0.25);
    /// # Ok::<(), cryptable_lattice::Error>(())
    /// ```
    #[must_use]
    pub fn largest_error(&self, noise: BitNoise) -> f64 {
        noise.largest(self.noise_model().log2_fail)
    }

    /// Counts the operations of a gate on bits with `levels` levels left.
    ///
    /// # Errors
    /// If `levels` is not from 1 to [`Parameters::levels_after_bootstrap`].
    pub fn gate_counts(&self, levels: usize) -> Result<Counts> {
        let polynomial = Gate::Xor.polynomial();
        self.counts(levels, 1, |arithmetic, x, _| leveled_gates::gate(arithmetic, polynomial, x, x))
    }

    /// Counts the operations of a bootstrap with several functions of a sum of bits.
    ///
    /// # Errors
    /// The errors of [`Parameters::noise_after_sum_gates`].
    pub fn sum_gate_counts(&self, gates: &[SumGate]) -> Result<Counts> {
        let bits = gates.iter().map(SumGate::inputs).max().unwrap_or(0);
        let functions = functions_of_sums(gates, bits)?;
        self.check_levels(&functions)?;
        Ok(self.circuit().predict(&functions).counts())
    }

    /// Counts the operations of a cleaning of bits with `levels` levels left.
    ///
    /// # Errors
    /// If `levels` is not from 2 to [`Parameters::levels_after_bootstrap`].
    pub fn cleaning_counts(&self, levels: usize) -> Result<Counts> {
        self.counts(levels, cleaning::LEVELS, cleaning::clean)
    }

    /// Counts the operations that lower bits to `levels` levels, from any level above.
    ///
    /// # Errors
    /// If there is no level above `levels`.
    pub fn lowering_counts(&self, levels: usize) -> Result<Counts> {
        self.counts(levels + 1, 1, |dry_run, x, _| self.circuit().lower(dry_run, x, x.limbs - 1))
    }

    /// Scale of bits with `levels` levels left: the factor by which every bit is encoded.
    ///
    /// # Errors
    /// If `levels` exceeds [`Parameters::levels_after_bootstrap`].
    pub fn scale_of_bits(&self, levels: usize) -> Result<f64> {
        Ok(self.circuit().scale_at(self.limbs_of(levels, 0)?))
    }

    /// Returns the number of limbs of bits with `levels` levels left, where `levels` is at least `least`.
    pub(crate) fn limbs_of(&self, levels: usize, least: usize) -> Result<usize> {
        let most = self.levels_after_bootstrap();
        if !(least..=most).contains(&levels) {
            let limit = format!("from {least} to {most}");
            return Err(out_of_range("levels of bits", levels as u64, limit));
        }
        Ok(self.literal().input_limbs() + levels)
    }

    /// Returns the dry run's shape of a part of bits with this number of limbs, without noise.
    pub(crate) fn shape_of_bits(&self, limbs: usize) -> Shape {
        Shape::new(limbs, self.circuit().scale_at(limbs), 1.0, SlotNoise::ZERO)
    }

    /// Runs a dry run on every part of bits with `levels` levels left.
    pub(crate) fn counts(
        &self,
        levels: usize,
        least: usize,
        operation: impl Fn(&cryptable_ckks::DryRun, &Shape, &Shape) -> Shape,
    ) -> Result<Counts> {
        let limbs = self.limbs_of(levels, least)?;
        let dry_run = self.circuit().dry_run();
        for _ in 0..self.packing().parts() {
            let x = self.shape_of_bits(limbs);
            let lowered = dry_run.truncated(&x, limbs - 1);
            let lowered = Shape { scale: self.circuit().scale_at(limbs - 1), ..lowered };
            operation(&dry_run, &x, &lowered);
        }
        Ok(dry_run.counts())
    }
}
