//! Times of kernels on a card, for its tuning.

use std::time::{Duration, Instant};

use cryptable_lattice::error::Result;
use cryptable_ring::Ring;

use crate::arguments::Limbs;
use crate::device::Device;
use crate::ntt::{self, Batch};
use crate::ntt_tables::TransformTables;
use crate::ring::DeviceRing;

/// How transforms are run.
#[derive(Clone, Copy, Debug)]
pub struct TransformRun {
    /// How often the limbs of all moduli of the ring are there.
    pub copies: u32,
    /// Integers for all moduli, also those below 2^50.
    pub is_integer: bool,
    /// Words that both passes go over before the next ones; `None` for what is the default.
    pub words_at_once: Option<usize>,
    /// Times that all of it is done.
    pub repeats: u32,
}

/// The time of one transform of each direction, and whether forward and backward led to the same words.
#[derive(Clone, Copy, Debug)]
pub struct TransformTimes {
    /// Coefficients to evaluations.
    pub forward: Duration,
    /// Evaluations to coefficients.
    pub inverse: Duration,
    /// Whether words were the same again.
    pub is_correct: bool,
}

/// Times transforms of all moduli of a ring.
///
/// # Errors
/// The first error of the card.
pub fn transforms(device: &Device, ring: &Ring, run: TransformRun) -> Result<TransformTimes> {
    let tables =
        if run.is_integer { TransformTables::of_integers() } else { TransformTables::new() };
    let tables = match run.words_at_once {
        Some(words) => tables.at_once(words),
        None => tables,
    };
    let on_card = DeviceRing::with_transforms(device, ring, tables);
    let values = ring.moduli().values();
    let words: Vec<u64> = (0..run.copies as usize * values.len() * ring.degree())
        .map(|i| {
            (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                % values[i / ring.degree() % values.len()]
        })
        .collect();
    let there = device.upload(&words);
    let moduli: Vec<usize> = (0..values.len()).collect();
    let batch = Batch { copies: run.copies, ..Batch::of_limbs(Limbs::new(&moduli)) };
    let address = there.address(0);
    let forward = || ntt::forward(&on_card, address, &batch);
    let inverse = || ntt::inverse(&on_card, address, address, &batch);
    // Tables are made, and kernels loaded.
    forward();
    inverse();
    let mut found = vec![0; words.len()];
    there.read(0, &mut found)?;
    let is_correct = found == words;
    let transforms = run.copies * values.len() as u32 * run.repeats;
    let time = |step: &dyn Fn()| -> Result<Duration> {
        device.check()?;
        let start = Instant::now();
        (0..run.repeats).for_each(|_| step());
        device.check()?;
        Ok(start.elapsed() / transforms)
    };
    Ok(TransformTimes { forward: time(&forward)?, inverse: time(&inverse)?, is_correct })
}
