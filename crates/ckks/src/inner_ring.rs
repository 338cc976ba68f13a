//! A ring beside that of a circuit, in which its slots are computed for a while: the ring of real slots
//! ([`crate::real_slots`]), or the half ring.
//!
//! Few values repeat in slots, so that messages are in the ring of half the degree whose X is the square of this ring's
//! X ([`Ring::half`]). There an operation takes half of the time, and is possible as long as the modulus is small
//! enough for half of the degree to be secure. A key switch to a secret of that ring leads there; only the even part of
//! its sums is divided by the special primes, and noise in the other part is discarded. A key switch to the dense
//! secret leads back.

use cryptable_lattice::divided_key_switch::switch_and_rescale;
use cryptable_lattice::key_switching::switch;
use cryptable_lattice::{KeyPurpose, SwitchingKey};
use cryptable_ring::Ring;

use crate::ciphertext::Ciphertext;
use crate::real_slots::RealSlots;

/// The inner ring of a circuit.
#[derive(Clone, Copy, Debug)]
pub enum InnerRing<'a> {
    /// Real slots, with the ways there and back.
    Real(&'a RealSlots),
    /// The ring of half the degree.
    Half,
}

impl<'a> InnerRing<'a> {
    /// Returns the inner ring, within `ring`.
    pub(crate) fn within(self, ring: &'a Ring) -> &'a Ring {
        match self {
            Self::Real(real_slots) => real_slots.real_ring(),
            Self::Half => ring.half(),
        }
    }

    /// The kind of slots of ciphertexts in the inner ring.
    pub(crate) fn slots(self) -> Slots {
        match self {
            Self::Real(_) => Slots::Real,
            Self::Half => Slots::Half,
        }
    }
}

/// Kind of a ciphertext's slots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slots {
    /// Complex slots of the whole ring.
    Complex,
    /// Real slots.
    Real,
    /// Complex slots of the half ring.
    Half,
}

impl Slots {
    /// The purpose of relinearization keys.
    pub(crate) fn relinearization(self) -> KeyPurpose {
        match self {
            Self::Complex => KeyPurpose::Relinearization,
            Self::Real => KeyPurpose::RealRelinearization,
            Self::Half => KeyPurpose::HalfRelinearization,
        }
    }

    /// The purpose of keys of an automorphism.
    ///
    /// # Panics
    /// If slots are real: they have no automorphisms.
    pub(crate) fn automorphism(self, element: usize) -> KeyPurpose {
        match self {
            Self::Complex => KeyPurpose::Galois(element as u32),
            Self::Real => unreachable!("real slots have no automorphisms"),
            Self::Half => KeyPurpose::HalfGalois(element as u32),
        }
    }
}

/// Moves slots to the half ring, by a key of [`KeyPurpose::ToHalf`].
pub(crate) fn enter_half(ring: &Ring, ct: &Ciphertext, key: &SwitchingKey) -> Ciphertext {
    let sum = switch(ring, &ct.parts.c1, key, [Some(&ct.parts.c0), None]);
    let even = sum.map(|part| part.even_part(ring));
    Ciphertext { parts: even.divide_round(ring.half(), 0), scale: ct.scale }
}

/// Moves slots of the half ring to the whole ring, by a key of [`KeyPurpose::FromHalf`].
pub(crate) fn leave_half(ring: &Ring, ct: &Ciphertext, key: &SwitchingKey) -> Ciphertext {
    let [c0, c1] = [&ct.parts.c0, &ct.parts.c1].map(|part| part.lifted(ring));
    Ciphertext { parts: switch_and_rescale(ring, &c0, &c1, key, 0), scale: ct.scale }
}
