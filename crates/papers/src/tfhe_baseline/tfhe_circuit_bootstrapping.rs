//! The TFHE circuit bootstrap (Chillotti et al., J. Cryptology 2020, with PBSmanyLUT of CLOT21; Wang et al., EUROCRYPT
//! 2024, ePrint 2024/323, Sec. 2.5): the baseline of [`cryptable_leveled::bootstrapping`], for comparison only.
//!
//! 1. Functional bootstrapping: the same blind rotation by sparse rounding, then sample extraction of ℓ values.
//! 2. Ciphertext conversion: 2ℓ private key switches, ℓ to RLWE of bit·weight(k) and ℓ to RLWE of bit·s·weight(k).
//!
//! Per row, of 2N words, and for a private decomposition of ℓ' digits of w bits:
//!
//! | conversion | rows of keys | work for ℓ rows of bit·weight(k) |
//! |---|---|---|
//! | trace and scheme switching | ℓ_trace·log2 N + ℓ_ss | ℓ·(log2 N·(ℓ_trace + 2) + ℓ_ss + 2) transforms |
//! | private, products | 2ℓ'·N | 4ℓ·ℓ'·N² products |
//! | private, pre-computed | 2^w·ℓ'·N | 4ℓ·ℓ'·N² additions |

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::keys::{conversion_key_bytes, evaluation_key_bytes};
use cryptable_fhew::rlwe::RlweCiphertext;
use cryptable_lattice::Result;
use cryptable_lattice::lwe::LweCiphertext;
use cryptable_lattice::rgsw::RgswCiphertext;

use super::private_key_switching::{PrivateFunction, PrivateSwitchingKey};
use super::tfhe_parameters::TfheParameters;
use cryptable_leveled::bootstrapping::CircuitBootstrapping;

/// TFHE circuit bootstraps under a server's keys. Holds no secret, and is `Sync`.
#[derive(Debug)]
pub struct TfheCircuitBootstrapping<'a> {
    rotation: CircuitBootstrapping<'a>,
    private: &'a PrivateSwitchingKey,
}

impl<'a> TfheCircuitBootstrapping<'a> {
    /// Circuit bootstraps by keys of these parameters. Of the evaluation key, those of the trace and of scheme
    /// switching are not used.
    ///
    /// # Panics
    /// If the evaluation key is of other parameters than the private switching key.
    #[must_use]
    pub fn new(key: &'a EvaluationKey, private: &'a PrivateSwitchingKey) -> Self {
        let rotation = CircuitBootstrapping::new(private.parameters().circuit_bootstrapping(), key);
        Self { rotation, private }
    }

    /// The parameters of both keys.
    #[must_use]
    pub fn parameters(&self) -> &TfheParameters {
        self.private.parameters()
    }

    /// Bytes of memory of the keys that it uses.
    #[must_use]
    pub fn key_bytes(&self) -> usize {
        let key = self.rotation.key();
        key.bytes() - key.conversion_bytes() + self.private.bytes()
    }

    /// Bytes of those keys as they are sent, masks as a seed.
    #[must_use]
    pub fn key_file_bytes(&self) -> u64 {
        let below = self.parameters().circuit_bootstrapping().fhew();
        let rotation = evaluation_key_bytes(below) - conversion_key_bytes(below);
        rotation as u64 + self.parameters().key_file_bytes()
    }

    /// The RGSW ciphertext of a bit: of LWE of dimension N modulo Q, of phase bit·Q/2, as
    /// [`CircuitBootstrapping::bootstrap`] takes. Rows have the noise of [`TfheParameters::noise`].
    ///
    /// # Errors
    /// If the ciphertext is not of dimension N modulo Q.
    pub fn bootstrap(&self, bit: &LweCiphertext) -> Result<RgswCiphertext> {
        let gadget = self.rotation.parameters().rgsw_gadget();
        let ring = self.rotation.key().parameters().ring();
        let rotated = self.rotation.rotated(bit)?;
        // From ±weight(k)/2 to bit·weight(k).
        let value = |(k, &half_weight): (usize, &u64)| {
            let mut value = rotated.extract(ring, k);
            value.add_constant_assign(half_weight);
            value
        };
        let half_weights = self.rotation.half_weights();
        let values: Vec<LweCiphertext> = half_weights.iter().enumerate().map(value).collect();
        let mut rows = self.private.switch(PrivateFunction::Identity, &values)?;
        rows.extend(self.private.switch(PrivateFunction::TimesSecret, &values)?);
        let words: Vec<&[u64]> = rows.iter().map(RlweCiphertext::words).collect();
        Ok(RgswCiphertext::from_rows(ring, gadget, &words))
    }
}
