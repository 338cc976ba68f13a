//! Keys for packed values with several owners: [`cryptable_lattice::owners`] with the parameters of this engine.

use cryptable_lattice::Owners;
use cryptable_lattice::error::Result;
use cryptable_lattice::owners::{self, OwnersParameters};
use cryptable_lattice::ring_public_key::RingPublicParameters;
use cryptable_ring::RingModuli;
use cryptable_wire::ObjectType;

use super::public_key::PublicKey;
use crate::parameters::parameter_set::Parameters;

/// Parameters and masks that the owners of a joint key for packed values agree on before they make it.
pub type Session = owners::Session<Parameters>;

/// An owner's part of a joint secret key for packed values.
pub type OwnerSecret = owners::OwnerSecret<Parameters>;

/// The commitments of all owners of a joint key for packed values.
pub type Agreement = owners::Agreement<Parameters>;

impl OwnersParameters for Parameters {
    const SESSION: ObjectType = ObjectType::PackedOwnersSession;
    const OWNER_SECRET: ObjectType = ObjectType::PackedOwnerSecret;

    fn owners(&self) -> Owners {
        self.literal().owners
    }

    fn moduli_of_public_keys(&self) -> Option<RingModuli> {
        Some(self.public_moduli())
    }
}

impl PublicKey {
    /// Makes the joint public key from the first shares of all owners, in any order.
    ///
    /// # Errors
    /// The errors of [`owners::Agreement::public_key`].
    pub fn of_owners(agreement: &Agreement, first: &[&[u8]]) -> Result<Self> {
        agreement.public_key(first).map(Self)
    }
}
