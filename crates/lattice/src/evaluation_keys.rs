//! The set of switching keys that a server holds.

use cryptable_ring::random::Seed;
use cryptable_ring::{Basis, Ring, RingModuli};
use serde::{Deserialize, Serialize};

use crate::switching_key::{SwitchingKey, SwitchingKeyShape};

/// One of the two coordinates of a secret over a smaller ring, each of which has a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Coordinate {
    /// The trace itself.
    First,
    /// The trace after a product with the second element of the basis: i over the real ring, X over the other.
    Second,
}

impl Coordinate {
    /// Both, in order.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];
}

/// Purpose of a switching key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum KeyPurpose {
    /// Switches from s² to s, after a multiplication.
    Relinearization,
    /// Switches from s to its preimage under `X -> X^element`: the automorphism is applied after the switch.
    Galois(u32),
    /// Switches from the dense secret to the sparse one, at `q_0·p_0` only.
    DenseToSparse,
    /// Switches from the sparse secret to the dense one, after ModRaise.
    SparseToDense,
    /// Switches from the sparse secret to the preimage of the dense one under `X -> X^element`, after ModRaise: the
    /// automorphism is applied after the switch.
    SparseGalois(u32),
    /// Switches from the dense secret times 2 to this power to the block secret ([`crate::block_secret`]).
    DenseToBlocks(u32),
    /// No switch: the ciphertext with this number of bits of the block secret, in slots, under the dense secret.
    BlockBits(u32),
    /// Switches from s² to s, where s is the secret of real slots, in the real ring.
    RealRelinearization,
    /// Switches from this coordinate of the dense secret to the secret of real slots, in the real ring.
    ToReal(Coordinate),
    /// Switches from this coordinate of the secret of real slots to the dense one.
    FromReal(Coordinate),
    /// Switches from s² to s, where s is the secret of the half ring ([`Ring::half`]), in that ring.
    HalfRelinearization,
    /// Switches from the secret of the half ring to its preimage under `X -> X^element`, in that ring.
    HalfGalois(u32),
    /// Switches from the dense secret to that of the half ring at the square of X.
    ToHalf,
    /// Switches from the secret of the half ring at the square of X to the dense one.
    FromHalf,
}

impl KeyPurpose {
    /// Returns whether the key involves the secret of real slots.
    #[must_use]
    pub fn is_real(self) -> bool {
        matches!(self, Self::RealRelinearization | Self::ToReal(_) | Self::FromReal(_))
    }

    /// Returns whether the key involves the secret of the half ring.
    #[must_use]
    pub fn is_half(self) -> bool {
        self.is_in_half() || matches!(self, Self::ToHalf | Self::FromHalf)
    }

    /// Returns whether the rows of the key are in the half ring.
    fn is_in_half(self) -> bool {
        matches!(self, Self::HalfRelinearization | Self::HalfGalois(_))
    }

    /// Returns the ring degree of the key's rows, given the ring degree of ciphertexts.
    #[must_use]
    pub fn degree(self, degree: usize) -> usize {
        if self.is_in_half() { degree / 2 } else { degree }
    }

    /// Returns the ring of the key's rows: `ring`, or its half ring.
    #[must_use]
    pub fn ring(self, ring: &Ring) -> &Ring {
        if self.is_in_half() { ring.half() } else { ring }
    }
}

/// A key to be generated: its purpose and shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyRequest {
    /// The switch that the key is for, with its secrets.
    pub purpose: KeyPurpose,
    /// The level and the number of digits.
    pub shape: SwitchingKeyShape,
}

impl KeyRequest {
    /// Returns the bytes of the key's bodies, which are also those of its masks, for a ring with these moduli.
    /// Saturates.
    #[must_use]
    pub fn body_bytes(&self, moduli: &RingModuli) -> usize {
        let bytes = self.shape.body_bytes(moduli);
        if self.purpose.is_in_half() { bytes / 2 } else { bytes }
    }

    /// Returns the bytes of the key in memory, bodies and masks. Saturates.
    #[must_use]
    pub fn memory_bytes(&self, moduli: &RingModuli) -> usize {
        self.body_bytes(moduli).saturating_mul(2)
    }

    /// Returns the bytes of the key on disk: a seed and bodies. Saturates.
    #[must_use]
    pub fn stored_bytes(&self, moduli: &RingModuli) -> usize {
        self.body_bytes(moduli).saturating_add(Seed::BYTES)
    }
}

/// All switching keys of one client.
#[derive(Debug, Default)]
pub struct EvaluationKeys {
    keys: Vec<(KeyPurpose, SwitchingKey)>,
}

impl EvaluationKeys {
    /// Returns an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key.
    pub fn insert(&mut self, purpose: KeyPurpose, key: SwitchingKey) {
        self.keys.push((purpose, key));
    }

    /// Returns the keys with their purposes, in the order of insertion.
    pub fn iter(&self) -> impl Iterator<Item = (KeyPurpose, &SwitchingKey)> {
        self.keys.iter().map(|(purpose, key)| (*purpose, key))
    }

    /// Returns the key for this purpose that switches a polynomial of this basis with the fewest NTTs.
    #[must_use]
    pub fn find(&self, purpose: KeyPurpose, basis: Basis) -> Option<&SwitchingKey> {
        self.keys
            .iter()
            .filter(|(other, key)| *other == purpose && key.shape().serves(basis))
            .map(|(_, key)| key)
            .min_by_key(|key| key.shape().transforms_at(basis.main))
    }

    /// Returns the key for this purpose with exactly the level and special primes of `basis`.
    #[must_use]
    pub fn find_shape(&self, purpose: KeyPurpose, basis: Basis) -> Option<&SwitchingKey> {
        self.keys
            .iter()
            .find(|(other, key)| *other == purpose && key.shape().basis == basis)
            .map(|(_, key)| key)
    }

    /// Returns the bytes of all keys in memory, bodies and masks.
    #[must_use]
    pub fn memory_bytes(&self, moduli: &RingModuli) -> usize {
        let bytes = |(purpose, key): &(_, SwitchingKey)| {
            KeyRequest { purpose: *purpose, shape: key.shape() }.memory_bytes(moduli)
        };
        self.keys.iter().map(bytes).sum()
    }
}
