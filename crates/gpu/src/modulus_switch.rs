//! Modulus switching between a power of two and the first prime, and from the first prime to others: the ends of
//! bootstrapping.

use cryptable_lattice::error::Result;
use cryptable_ring::{Basis, Coefficients};

use crate::arguments::ModulusSwitch;
use crate::kernels::{self, Kernel};
use crate::poly::{DevicePoly, word_grid};
use crate::ring::DeviceRing;

/// The most bits of a power of two.
const MAX_BITS: u32 = 62;

impl DevicePoly<Coefficients> {
    /// `round(q·x / 2^bits) mod q` for words x in `[0, 2^bits)`, in place: to residues modulo the polynomial's one limb.
    ///
    /// # Panics
    /// If there are several limbs, or `bits` is above 62.
    pub fn from_power_of_two_assign(&mut self, ring: &DeviceRing<'_>, bits: u32) {
        self.switch_assign(ring, &kernels::FROM_POWER_OF_TWO, bits);
    }

    /// `round(2^bits·x / q) mod 2^bits` for residues x modulo the polynomial's one limb, in place.
    ///
    /// # Panics
    /// If there are several limbs, or `bits` is above 62.
    pub fn to_power_of_two_assign(&mut self, ring: &DeviceRing<'_>, bits: u32) {
        self.switch_assign(ring, &kernels::TO_POWER_OF_TWO, bits);
    }

    /// Words modulo `2^bits` of a client, rounded to residues modulo the one limb of a basis.
    ///
    /// # Panics
    /// If there are not N words, several limbs, or `bits` is above 62.
    #[must_use]
    pub fn from_power_of_two(
        ring: &DeviceRing<'_>,
        basis: Basis,
        words: &[u64],
        bits: u32,
    ) -> Self {
        let mut poly = Self::upload_words(ring, basis, words);
        poly.from_power_of_two_assign(ring, bits);
        poly
    }

    /// Residues modulo the one limb, rounded to words modulo `2^bits`, on the processor.
    ///
    /// # Errors
    /// The first error of the card.
    ///
    /// # Panics
    /// If there are several limbs, or `bits` is above 62.
    pub fn into_power_of_two(mut self, ring: &DeviceRing<'_>, bits: u32) -> Result<Vec<u64>> {
        self.to_power_of_two_assign(ring, bits);
        Ok(self.download(ring)?.into_words())
    }

    fn switch_assign(&mut self, ring: &DeviceRing<'_>, kernel: &Kernel<ModulusSwitch>, bits: u32) {
        assert!(bits <= MAX_BITS, "2^{bits}");
        launch(ring, kernel, self, (self.limb(0), self.basis()), bits);
    }
}

/// Centred residues modulo the one limb of a polynomial as integers modulo all primes of a basis: ModRaise.
///
/// # Panics
/// If the polynomial has several limbs.
#[must_use]
pub fn lift(
    ring: &DeviceRing<'_>,
    poly: &DevicePoly<Coefficients>,
    basis: Basis,
) -> DevicePoly<Coefficients> {
    let out = DevicePoly::unspecified(ring, basis);
    launch(ring, &kernels::LIFT_CENTERED, poly, (out.limb(0), basis), 0);
    out
}

/// Runs a kernel on the one limb of a polynomial, for so many of the output.
fn launch(
    ring: &DeviceRing<'_>,
    kernel: &Kernel<ModulusSwitch>,
    input: &DevicePoly<Coefficients>,
    (out, basis): (u64, Basis),
    bits: u32,
) {
    assert_eq!(input.basis().limbs(), 1, "limbs of what is switched");
    let arguments = ModulusSwitch {
        moduli: ring.moduli(),
        out,
        input: input.limb(0),
        degree: ring.degree() as u32,
        bits,
        source: ring.ring().prime_index(input.basis(), 0) as u32,
        limbs: ring.limbs(basis),
    };
    ring.device().launch(kernel, word_grid(ring, basis.limbs()), &arguments);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Device, samples};
    use cryptable_ring::modulus_switch::{from_power_of_two_assign, to_power_of_two_assign};
    use cryptable_ring::{Poly, Ring, kernels, primes::ntt_primes};

    /// Rings whose first limb is of 50 bits, of 62 bits, of 13 bits.
    fn rings() -> [Ring; 3] {
        let bottom = [12.6, 61.0].map(|bits| ntt_primes(1024, bits, 1, &[])[0]);
        let above = ntt_primes(1024, 50.0, 2, &[]);
        let [small, huge] = bottom.map(|bottom| Ring::new(1024, &[bottom, above[0]], &above[1..]));
        [samples::ring(1024), small, huge]
    }

    #[test]
    fn switching_is_that_of_the_processor() {
        for ring in rings() {
            let on_card = DeviceRing::new(&Device::for_tests(), &ring);
            let (m, basis) = (ring.modulus(0), ring.main_basis(1));
            for bits in [0, 1, 10, 13, 32, 50, 61, 62] {
                let mut state = 7;
                let (last, half) = ((1u64 << bits) - 1, (1u64 << bits) >> 1);
                let mut words: Vec<u64> = (0..1024)
                    .map(|i| match i % 16 {
                        0 => last - (i / 16).min(last),
                        1 => (half + i / 16).min(last),
                        _ => samples::random(&mut state) & last,
                    })
                    .collect();
                let found = DevicePoly::from_power_of_two(&on_card, basis, &words, bits);
                from_power_of_two_assign(m, &mut words, bits);
                assert_eq!(found.download(&on_card).unwrap().words(), words, "{bits} bits");

                let poly: Poly<Coefficients> = samples::poly(&ring, basis, u64::from(bits) + 1);
                let found = DevicePoly::upload(&on_card, &poly).into_power_of_two(&on_card, bits);
                let mut expected = poly.into_words();
                to_power_of_two_assign(m, &mut expected, bits);
                assert_eq!(found.unwrap(), expected, "{bits} bits");
            }
        }
    }

    #[test]
    fn lifts_are_those_of_the_processor() {
        for ring in rings() {
            let on_card = DeviceRing::new(&Device::for_tests(), &ring);
            let poly: Poly<Coefficients> = samples::poly(&ring, ring.main_basis(1), 1);
            let mut expected = Poly::<Coefficients>::unspecified(&ring, ring.full_basis());
            expected.for_each_limb(&ring, |m, words| {
                kernels::lift_centered(m, words, poly.limb(0), ring.modulus(0));
            });
            let found = lift(&on_card, &DevicePoly::upload(&on_card, &poly), ring.full_basis());
            assert_eq!(found.download(&on_card).unwrap(), expected);
        }
    }
}
