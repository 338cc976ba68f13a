//! Key switches in a dry run: keys, counts and noise.

use cryptable_lattice::{KeyPurpose, KeyRequest, SwitchingKeyShape};
use cryptable_ring::Basis;

use super::{DryRun, Shape, SlotNoise};
use crate::counts::Counts;
use crate::inner_ring::Slots;
use crate::transform_plan::lifted_limbs;

/// A key switch of polynomials of one basis.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedSwitch {
    /// The cheapest key.
    pub(super) shape: SwitchingKeyShape,
    pub(super) counts: Counts,
    /// Slot variance that the switch adds before its rounding, at scale 1.
    noise: f64,
}

/// Purpose of a key switch, which determines the possible keys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Switching {
    Relinearization,
    Automorphism,
}

impl DryRun {
    /// Returns the cheapest of `shapes` for polynomials of a basis.
    fn cheapest(shapes: &[SwitchingKeyShape], basis: Basis) -> SwitchingKeyShape {
        let serve = shapes.iter().filter(|shape| shape.serves(basis));
        *serve
            .min_by_key(|shape| shape.transforms_at(basis.main))
            .unwrap_or_else(|| panic!("no key shape serves {basis:?}"))
    }

    /// Counts one key switch with the cheapest possible key, records the key, and returns the slot variance that the
    /// switch adds before its rounding.
    pub(super) fn switch(
        &self,
        purpose: KeyPurpose,
        basis: Basis,
        kind: Switching,
        scale: f64,
    ) -> SlotNoise {
        let planned = self.planned(basis, kind);
        self.add_counts(planned.counts);
        self.switch_planned(purpose, planned, scale)
    }

    /// Records the key of a switch that is counted elsewhere, and returns the slot variance that it adds before its
    /// rounding.
    pub(super) fn switch_planned(
        &self,
        purpose: KeyPurpose,
        PlannedSwitch { shape, noise, .. }: PlannedSwitch,
        scale: f64,
    ) -> SlotNoise {
        self.request(KeyRequest { purpose, shape });
        let noise = noise / (scale * scale);
        match self.slots {
            Slots::Complex | Slots::Half => SlotNoise::switches(noise),
            Slots::Real => SlotNoise::products(noise),
        }
    }

    /// The key switch of polynomials of a basis.
    pub(super) fn planned(&self, basis: Basis, kind: Switching) -> PlannedSwitch {
        let planned = &self.switches[kind as usize][basis.chain][basis.main];
        *planned.get_or_init(|| self.plan_switch(basis, kind))
    }

    fn plan_switch(&self, basis: Basis, kind: Switching) -> PlannedSwitch {
        let parameters = &self.parameters;
        let (shapes, key_error) = match kind {
            Switching::Relinearization => {
                (&parameters.relinearization, parameters.relinearization_error())
            }
            Switching::Automorphism => (&parameters.automorphism, parameters.automorphism_error()),
        };
        let shape = Self::cheapest(shapes, basis);
        let (digits, special) = (shape.digits_at(basis.main), shape.basis.special);
        let (stored, all) = (basis.limbs(), basis.limbs() + special);
        let (conversions, keys) = (stored * all + 2 * special * stored, 2 * digits * all);
        PlannedSwitch {
            shape,
            counts: Counts {
                transforms: shape.transforms_at(basis.main),
                limb_products: keys,
                conversion_products: conversions,
                key_switches: 1,
                lifted_limbs: lifted_limbs(shape, stored),
                streamed_limbs: keys,
                ..Counts::default()
            },
            noise: self.switching_noise(1.0, basis.main, shape, key_error),
        }
    }

    /// Slot variance that one key switch adds before its rounding: `M·N·σ²/12·Σ_i (D_i/P)²` for digits D_i. It is small
    /// compared with the rounding if the special primes exceed a digit by some bits.
    pub(super) fn switching_noise(
        &self,
        scale: f64,
        limbs: usize,
        shape: SwitchingKeyShape,
        key_error: f64,
    ) -> f64 {
        let primes = &self.log2_primes[shape.basis.chain];
        let basis = shape.raised(limbs);
        let widths = (0..shape.digits_at(limbs)).map(|digit| {
            let range = shape.digit_range(digit, limbs);
            let own = (0..limbs).filter(|&i| range.contains(&(basis.shared.limbs(i + 1) - 1)));
            own.map(|i| primes[i]).sum()
        });
        self.noise_of_digits(scale, widths, shape, key_error)
    }

    /// Slot variance that a key switch adds to a mask modulo q_0 that was raised to any primes.
    pub(super) fn raising_noise(
        &self,
        scale: f64,
        shape: SwitchingKeyShape,
        key_error: f64,
    ) -> f64 {
        self.noise_of_digits(scale, [self.log2_primes[0][0]].into_iter(), shape, key_error)
    }

    /// Slot variance that digits of these widths add. Widths are in bits.
    fn noise_of_digits(
        &self,
        scale: f64,
        widths: impl Iterator<Item = f64>,
        shape: SwitchingKeyShape,
        key_error: f64,
    ) -> f64 {
        let n = self.parameters.degree as f64;
        let special = self.parameters.log2_special * shape.basis.special as f64;
        let digits: f64 = widths.map(|width| (2.0 * (width - special)).exp2()).sum();
        self.slots_of_coefficients(digits * n * key_error / 12.0, scale)
    }

    pub(super) fn automorphism(&self, ct: &Shape, element: usize) -> Shape {
        let basis = self.basis_of(ct);
        let purpose = self.slots.automorphism(element);
        let switching = self.switch(purpose, basis, Switching::Automorphism, ct.scale);
        let noise = ct.noise + switching + self.rounding_noise(ct.scale);
        Shape { noise, ..*ct }
    }
}
