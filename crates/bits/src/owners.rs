//! Keys of bits of several owners: [`cryptable_lattice::owners`] over parameters of bits. There are no public keys:
//! bits are results of other lookups under the same joint secret.

use cryptable_lattice::Owners;
use cryptable_lattice::owners::OwnersParameters;
use cryptable_ring::RingModuli;
use cryptable_wire::ObjectType;

use crate::parameters::Parameters;

impl OwnersParameters for Parameters {
    const SESSION: ObjectType = ObjectType::SlotBitsOwnersSession;
    const OWNER_SECRET: ObjectType = ObjectType::SlotBitsOwnerSecret;

    fn owners(&self) -> Owners {
        self.literal().owners
    }

    fn moduli_of_public_keys(&self) -> Option<RingModuli> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JointDecryption;

    /// Sets for several owners keep their security and failure probability, and the owners decrypt bits together.
    #[test]
    fn sets_of_several_owners_are_decrypted_jointly() {
        for (count, levels, largest, width) in [
            (1, 21, -14.7, 0),
            (2, 20, -14.5, 76),
            (3, 20, -13.2, 76),
            (4, 19, -12.1, 84),
            (5, 19, -11.7, 84),
            (8, 19, -10.8, 92),
        ] {
            let owners = Owners::new(count).unwrap();
            let parameters = Parameters::throughput_128_of(owners).unwrap();
            assert_eq!(parameters.levels_after_bootstrap(), levels);
            let after = parameters.noise_after_bin_boot(parameters.fresh_noise());
            let size = parameters.largest_error(after).log2();
            assert!((largest - 0.3..largest).contains(&size), "{count}: 2^{size}");
            let part = parameters.largest_input() / std::f64::consts::SQRT_2;
            assert!(after.log2_exceeds(part) <= parameters.literal().log2_fail, "{count}");
            assert!(parameters.security_bits() >= 128.0);
            if count > 1 {
                let plan = JointDecryption::new(&parameters, owners, -40.0, 65_536).unwrap();
                assert!(plan.log2_fail() < -1000.0);
                assert_eq!(plan.log2_width(), width, "{count}");
            }
        }
    }
}
