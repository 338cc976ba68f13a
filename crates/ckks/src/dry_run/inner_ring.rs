//! The inner ring in a dry run: the ways to it and back, and the noise of its slots.
//!
//! An element of the real ring of degree N is an element of the ring of degree 2N in which each coefficient's error
//! occurs twice among the 2N coefficients. An error of variance v per coefficient therefore has variance 2N·v in a
//! slot, and a secret 4N/3. In the half ring, noise is that of half the degree. The key switch on the way there has the
//! noise of N coefficients, of which the even part is left.

use std::sync::Arc;

use cryptable_lattice::evaluation_keys::Coordinate;
use cryptable_lattice::{KeyPurpose, KeyRequest};

use super::key_switches::Switching;
use super::{DryRun, ENCODING_DEVIATIONS, PlannedInner, Shape, SlotNoise, SlotVariance};
use crate::counts::Counts;
use crate::inner_ring::Slots;
use crate::transform_plan::division_transforms;

impl DryRun {
    /// Makes the dry run of the inner ring, which adds to the same counts.
    ///
    /// # Panics
    /// If there is no inner ring.
    pub(super) fn inner(&self) -> Self {
        let mut parameters = self.parameters.clone();
        let slots = match self.planned_inner() {
            PlannedInner::Real(_) => {
                parameters.degree *= 2;
                parameters.noise_coefficients = parameters.degree;
                Slots::Real
            }
            PlannedInner::Half(shapes) => {
                parameters.degree /= 2;
                assert!(parameters.noise_coefficients <= parameters.degree, "slots do not repeat");
                parameters.relinearization.clone_from(shapes);
                parameters.automorphism.clone_from(shapes);
                Slots::Half
            }
        };
        Self {
            slots,
            counts: Arc::clone(&self.counts),
            stages: Arc::clone(&self.stages),
            requests: Arc::clone(&self.requests),
            ..Self::new(parameters)
        }
    }

    fn planned_inner(&self) -> &PlannedInner {
        self.inner.as_ref().expect("an inner ring")
    }

    /// Scale of the plaintexts of both ways, to real slots and back.
    ///
    /// # Panics
    /// If the inner ring does not have real slots.
    fn entry_scale(&self) -> f64 {
        match self.planned_inner() {
            PlannedInner::Real(scale) => *scale,
            PlannedInner::Half(_) => unreachable!("the half ring is entered without plaintexts"),
        }
    }

    /// Returns the variance in a slot of the rounding of a plaintext of 2N coefficients, on the way to real slots or back.
    fn entry_error(&self) -> f64 {
        2.0 * self.parameters.degree as f64 / 12.0 / self.entry_scale().powi(2)
    }

    /// Shape after [`crate::Arithmetic::enter_inner`].
    pub(super) fn entered(&self, ct: &Shape) -> Shape {
        match self.planned_inner() {
            PlannedInner::Real(_) => self.entered_real(ct),
            PlannedInner::Half(_) => self.entered_half(ct),
        }
    }

    /// Shape after [`crate::Arithmetic::leave_inner`].
    pub(super) fn left(&self, ct: &Shape) -> Shape {
        match self.planned_inner() {
            PlannedInner::Real(_) => self.left_real(ct),
            PlannedInner::Half(_) => {
                let (basis, kind) = (self.basis_of(ct), Switching::Automorphism);
                let switching = self.switch(KeyPurpose::FromHalf, basis, kind, ct.scale);
                Shape { noise: ct.noise + switching + self.rounding_noise(ct.scale), ..*ct }
            }
        }
    }

    /// Shape after the switch to the half ring, by a key for the secret of the half ring with one of the shapes for
    /// which it is secure.
    fn entered_half(&self, ct: &Shape) -> Shape {
        let (inner, basis) = (self.inner(), self.basis_of(ct));
        let planned = inner.planned(basis, Switching::Automorphism);
        self.request(KeyRequest { purpose: KeyPurpose::ToHalf, shape: planned.shape });
        let raised = planned.shape.raised(basis.main);
        let mut counts = planned.counts;
        // Only half of the sums is divided.
        counts.transforms -= division_transforms(raised, 0);
        counts.limb_products += 2 * raised.limbs();
        self.add_counts(counts);
        let key_error = self.parameters.automorphism_error();
        let switching = self.switching_noise(ct.scale, basis.main, planned.shape, key_error);
        let noise = SlotNoise::switches(switching) + inner.rounding_noise(ct.scale);
        Shape { noise: ct.noise + noise, ..*ct }
    }

    /// Shape after the way to real slots: twice the real part of a product has twice its variance.
    fn entered_real(&self, ct: &Shape) -> Shape {
        let encoding = SlotNoise::gaussian(2.0 * ct.power.0 * self.entry_error());
        // Phases are random, and so is the error that they cause together with that of the plaintext.
        self.crossed(&self.inner(), ct, encoding, KeyPurpose::ToReal)
    }

    /// Shape after the way back from real slots: complex slots have the noise of two real ones.
    fn left_real(&self, ct: &Shape) -> Shape {
        let error = 2.0 * ct.power.0 * self.entry_error();
        let encoding = SlotNoise::fixed(error, ENCODING_DEVIATIONS * error.sqrt());
        self.crossed(self, ct, encoding, KeyPurpose::FromReal)
    }

    /// Shape after either way between complex and real slots, with both switches in the ring of `to`. The way in also
    /// divides by the top prime.
    fn crossed(
        &self,
        to: &Self,
        ct: &Shape,
        encoding: SlotNoise,
        purpose: impl Fn(Coordinate) -> KeyPurpose,
    ) -> Shape {
        let basis = self.basis_of(ct);
        let wide = ct.scale * self.entry_scale();
        let mut noise = ct.noise * 2.0 + encoding;
        let planned = to.planned(basis, Switching::Automorphism);
        for coordinate in Coordinate::BOTH {
            noise += to.switch_planned(purpose(coordinate), planned, wide);
        }
        let raised = planned.shape.raised(basis.main);
        // Three traces, and both switches added up before one division.
        let mut counts = Counts {
            limb_products: 9 * basis.limbs() + 2 * raised.limbs(),
            streamed_limbs: 6 * basis.limbs(),
            ..Counts::default()
        };
        counts += planned.counts;
        counts += planned.counts;
        counts.transforms -= 2 * division_transforms(raised, 0);
        self.add_counts(counts);
        let rescale = usize::from(to.slots == Slots::Real);
        let scale = wide / self.divisor(basis, rescale);
        Shape {
            limbs: ct.limbs - rescale,
            scale,
            power: SlotVariance(2.0 * ct.power.0),
            noise: noise + to.rounding_noise(scale),
            ..*ct
        }
    }
}
