//! Real slots in a dry run: the ways to them and back, and the noise that they have.
//!
//! An element of the real ring of degree N is one of the ring of degree 2N whose 2N coefficients have the same errors twice, so
//! that an error of variance v per coefficient has the variance 2N·v in a slot, and a secret 4N/3.

use std::sync::Arc;

use cryptable_lattice::KeyPurpose;
use cryptable_lattice::evaluation_keys::Coordinate;

use super::key_switches::Switching;
use super::{
    DryRun, DryRunParameters, ENCODING_DEVIATIONS, Shape, SlotKind, SlotNoise, SlotVariance,
};
use crate::counts::Counts;
use crate::transform_plan::division_transforms;

impl DryRun {
    /// A dry run of the same parameters with ways to real slots, by plaintexts of this scale.
    #[must_use]
    pub fn with_real_slots(parameters: DryRunParameters, scale: f64) -> Self {
        Self { slots: SlotKind::Complex(Some(scale)), ..Self::new(parameters) }
    }

    /// The dry run of real slots that adds to the same counts.
    pub(super) fn real(&self) -> Self {
        let mut parameters = self.parameters.clone();
        parameters.degree *= 2;
        parameters.noise_coefficients = parameters.degree;
        Self {
            slots: SlotKind::Real,
            counts: Arc::clone(&self.counts),
            stages: Arc::clone(&self.stages),
            requests: Arc::clone(&self.requests),
            ..Self::new(parameters)
        }
    }

    /// Scale of the plaintexts of both ways.
    ///
    /// # Panics
    /// If there are none.
    fn entry_scale(&self) -> f64 {
        match self.slots {
            SlotKind::Complex(Some(scale)) => scale,
            other => panic!("no way to real slots from {other:?}"),
        }
    }

    /// Returns the variance in a slot of the rounding of a plaintext of 2N coefficients, on the way to real slots or back.
    fn entry_error(&self) -> f64 {
        2.0 * self.parameters.degree as f64 / 12.0 / self.entry_scale().powi(2)
    }

    /// See [`crate::Arithmetic::enter_real`]. Twice the real part of a product has twice its variance.
    pub(super) fn entered(&self, ct: &Shape) -> Shape {
        let encoding = SlotNoise::gaussian(2.0 * ct.power.0 * self.entry_error());
        // Phases are random: so is what the error of the plaintext makes of them.
        self.crossed(&self.real(), ct, encoding, KeyPurpose::ToReal)
    }

    /// See [`crate::Arithmetic::leave_real`]. Complex slots have the noise of two real ones.
    pub(super) fn left(&self, ct: &Shape) -> Shape {
        let error = 2.0 * ct.power.0 * self.entry_error();
        let encoding = SlotNoise::fixed(error, ENCODING_DEVIATIONS * error.sqrt());
        self.crossed(self, ct, encoding, KeyPurpose::FromReal)
    }

    /// Goes one way, with both switches in the ring of `to`; the top prime is divided by on the way in.
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
        // Three traces; both switches are added up before one division.
        let mut counts = Counts {
            limb_products: 9 * basis.limbs() + 2 * raised.limbs(),
            streamed_limbs: 6 * basis.limbs(),
            ..Counts::default()
        };
        counts += planned.counts;
        counts += planned.counts;
        counts.transforms -= 2 * division_transforms(raised, 0);
        self.add_counts(counts);
        let rescale = usize::from(to.slots == SlotKind::Real);
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
