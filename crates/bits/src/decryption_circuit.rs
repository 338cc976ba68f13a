//! Bits whose errors are small enough for partial decryptions: three cleanings `3x² - 2x³` at scales of several primes.
//!
//! Flooding must be at least 2^40 times the error that it hides ([`cryptable_lattice::flooding`]), and a cleaning
//! leaves the roundings of its level: `2^-S` times some 2^19 at degree 65,536 for a scale of S bits. Levels here
//! therefore have two or three primes, and one rescale divides a product by all of them:
//!
//! | cleaning | primes per level | scale | largest error after it, `throughput_128` |
//! |---|---|---|---|
//! | before | 1 | 2^36 | at most 2^-12 |
//! | first | 2 | 2^72 | 2^-22.4 |
//! | second | 2 | 2^72 | 2^-43.2 |
//! | third | 3 | 2^108 | 2^-84.8, and twice that after both parts are joined; roundings are below 2^-88 |
//!
//! Between scales bits are multiplied by a power of two, exactly. In: bits with [`LEVELS`] levels or more. Out: one ciphertext,
//! with the second part in the imaginary parts of slots, modulo as many primes as its scale needs.
//!
//! **Bounds are on errors, not on their variance.** A slot's error is a complex number of size ε. After a cleaning it
//! is at most `(3 + 2ε)·ε²` plus two roundings, each below its bound except with probability 2^-160
//! ([`LOG2_ROUNDING`]).
//!
//! **Public deviations are no errors.** Scales are known to 53 bits, so a slot of bit 1 is decrypted as `1 + δ` with δ
//! some 2^-52. The circuit and its primes determine δ, which is the same in every slot and for every key. Errors are
//! differences from `1 + δ`. Since the slope of a cleaning at `1 + δ` is not 0, it adds [`SLOPE`] times their size.

use cryptable_ckks::cleaning::h1;
use cryptable_ckks::dry_run::SlotNoise;
use cryptable_ckks::{Arithmetic, DryRun};
use cryptable_lattice::error::{check_within, demand};
use cryptable_lattice::{Owners, Result};
use num_complex::Complex64;

use crate::parameters::Parameters;

/// Number of primes by which the levels of each cleaning divide.
const CLEANINGS: [usize; 3] = [2, 2, 3];

/// Levels of one prime that all cleanings use, two levels each, and one that is left: its prime makes room for the
/// scale.
pub(crate) const LEVELS: usize = 2 * (CLEANINGS[0] + CLEANINGS[1] + CLEANINGS[2]) + 1;

/// Bounds on the errors of slots before the first cleaning, as log2 of their size, by number of owners: up to three, up
/// to five, and more, whose exponentials have larger angles. Each bit makes flooding eight bits wider.
const LOG2_LARGEST_INPUTS: [(u32, f64); 3] = [(3, -12.0), (5, -11.0), (Owners::MAX, -10.0)];

/// Largest rounding error of the constant that scales bits up for the first cleaning.
const WIDENING: f64 = 1.0 / (1u64 << 36) as f64;

/// Largest slope of a cleaning at bits with scales known to 53 bits: twelve times a unit in the last place, and room.
const SLOPE: f64 = 1.0 / (1u64 << 47) as f64;

/// log2 of the probability that a rounding in a slot is larger than its bound.
const LOG2_ROUNDING: f64 = -160.0;

/// log2 of the number of roundings in all slots of a ciphertext: two parts of 2^15 slots, six each.
const LOG2_ROUNDINGS: f64 = 18.6;

/// Room between the largest slot, of size √2, and half of the modulus that bits are decrypted in.
const ROOM: f64 = 8.0;

/// Shape and errors of bits before several owners decrypt them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PreparedShape {
    /// Limbs of the ciphertext.
    pub limbs: usize,
    /// Its scale.
    pub scale: f64,
    /// Largest error of a slot, in size.
    pub error: f64,
    /// Variance of a slot's error, both parts together, if all bits are 1. For bits that are 0, half of it.
    #[cfg(feature = "diagnostics")]
    pub variance: f64,
}

impl Parameters {
    /// Returns the largest size of a slot's error before the first cleaning.
    pub(crate) fn largest_input(&self) -> f64 {
        let owners = self.literal().owners.count();
        let found = LOG2_LARGEST_INPUTS.iter().find(|(most, _)| owners <= *most);
        found.expect("no key has more owners").1.exp2()
    }

    /// Checks that there are enough levels.
    ///
    /// # Errors
    /// [`TooSmall`](cryptable_lattice::Error::TooSmall).
    fn check_decryption_levels(&self) -> Result<()> {
        check_within(
            "number of levels for partial decryptions",
            self.levels_after_bootstrap() as u64,
            LEVELS as u64..,
        )
    }

    /// Returns the shape of bits before partial decryptions, for a secret of `owners` owners.
    ///
    /// # Errors
    /// If there are not enough levels after a bootstrap.
    pub(crate) fn prepared_shape(&self, owners: Owners) -> Result<PreparedShape> {
        self.check_decryption_levels()?;
        let dry_run = self.circuit().dry_run();
        // The secret of every owner beyond those that the parameters count adds its own variance, and in a slot may be
        // as large as all others together.
        let owners =
            (f64::from(owners.count()) / f64::from(self.literal().owners.count())).max(1.0);
        let limit = owners * self.noise_model().slot_limit;
        let mut error = self.largest_input() + WIDENING;
        let mut x =
            self.widened(&dry_run, &self.shape_of_bits(self.literal().input_limbs() + LEVELS));
        for step in 0..CLEANINGS.len() {
            x.noise = SlotNoise::ZERO;
            x = self.cleaned(&dry_run, &x, step);
            let added = x.noise * owners;
            // The law of a part, with the variance of both parts, bounds the size of both.
            let cleaned = (3.0 + 2.0 * error) * error * error + SLOPE * error;
            error = cleaned + added.law(limit, 1).largest(LOG2_ROUNDING);
        }
        let parts = self.packing().parts() as f64;
        let limbs = self.decryption_limbs(x.scale, x.limbs);
        let modulus: f64 = (0..limbs).map(|index| dry_run.prime(index).log2()).sum();
        let room = modulus - x.scale.log2();
        demand(room >= ROOM.log2(), "bits of room for partial decryptions", room, "3 and more")?;
        Ok(PreparedShape {
            limbs,
            scale: x.scale,
            error: parts * error,
            #[cfg(feature = "diagnostics")]
            variance: parts * owners * x.noise.total(),
        })
    }

    /// log2 of the probability that any slot's error exceeds its bound, given errors below
    /// [`Parameters::largest_input`] before.
    pub(crate) fn log2_roundings_exceed() -> f64 {
        LOG2_ROUNDING + LOG2_ROUNDINGS
    }

    /// Number of primes, `limbs` at most, of a modulus in which this scale leaves enough room.
    fn decryption_limbs(&self, scale: f64, limbs: usize) -> usize {
        let dry_run: DryRun = self.circuit().dry_run();
        let mut modulus = 1.0;
        (0..limbs)
            .find(|&index| {
                modulus *= dry_run.prime(index);
                modulus >= ROOM * scale
            })
            .map_or(limbs, |index| index + 1)
    }

    /// Applies all cleanings to every part and joins the parts: the second one goes to the imaginary parts of slots.
    pub(crate) fn prepared<A: Arithmetic>(
        &self,
        arithmetic: &A,
        parts: &[A::Ciphertext],
    ) -> A::Ciphertext {
        let clean = |part: &A::Ciphertext| {
            let x = self.widened(arithmetic, part);
            (0..CLEANINGS.len()).fold(x, |x, step| self.cleaned(arithmetic, &x, step))
        };
        let mut parts = arithmetic.map_all(parts.iter().collect(), clean).into_iter();
        let mut joined = parts.next().expect("a part");
        if let Some(mut imaginary) = parts.next() {
            arithmetic.mul_imaginary_unit_assign(&mut imaginary);
            arithmetic.add_assign(&mut joined, &imaginary);
        }
        let limbs = self.decryption_limbs(arithmetic.scale(&joined), arithmetic.limbs(&joined));
        arithmetic.drop_to(&mut joined, limbs);
        joined
    }

    /// Raises a part to the level and scale where cleanings begin: the square of the scale that bits have there.
    /// Rounding the constant leaves 2^-37 of a bit, which is public.
    fn widened<A: Arithmetic>(&self, arithmetic: &A, part: &A::Ciphertext) -> A::Ciphertext {
        let limbs = self.literal().input_limbs() + LEVELS;
        let scale = self.circuit().scale_at(limbs).powi(CLEANINGS[0] as i32);
        let row = [vec![Complex64::ONE]];
        arithmetic.linear_combinations(limbs, &[part], &row, scale).swap_remove(0)
    }

    /// One cleaning, at the scale of its levels.
    fn cleaned<A: Arithmetic>(
        &self,
        arithmetic: &A,
        x: &A::Ciphertext,
        step: usize,
    ) -> A::Ciphertext {
        let primes = CLEANINGS[step];
        let more = primes - CLEANINGS[step.saturating_sub(1)];
        let mut x = x.clone();
        for _ in 0..more {
            let factor = arithmetic.prime(arithmetic.limbs(&x) - 1).log2().round().exp2();
            arithmetic.mul_integer_assign(&mut x, factor as i64);
            arithmetic.divide_slots_assign(&mut x, factor);
        }
        let mut cleaned = h1(arithmetic, &x, &x, primes);
        arithmetic.declare_power(&mut cleaned, 1.0);
        cleaned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bounds of the production set, by number of owners: the numbers at the head of this file.
    #[test]
    fn errors_are_bounded_far_below_the_scale() {
        let parameters = Parameters::throughput_128().unwrap();
        for (owners, bound) in [(1, -83.5), (3, -83.3), (16, -82.5)] {
            let shape = parameters.prepared_shape(Owners::new(owners).unwrap()).unwrap();
            assert!((bound - 1.0..bound).contains(&shape.error.log2()), "{}", shape.error.log2());
            assert!((shape.scale.log2() - 108.0).abs() < 0.2 && shape.limbs == 4);
        }
    }
}
