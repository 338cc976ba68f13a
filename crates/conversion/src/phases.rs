//! RLWE ciphertexts modulo q_0 with one phase per coefficient: the output of ring packing, and the input of extraction.

use cryptable_lattice::Result;
use cryptable_lattice::RlweCiphertext;
use cryptable_lattice::coefficient_ciphertext::CoefficientLayout;
use cryptable_lattice::error::{check_client, check_equal, check_parameters, check_within, demand};
use cryptable_ring::Basis;
use cryptable_wire::KeyId;

use crate::parameters::Parameters;

/// Name of a ciphertext in errors.
const OBJECT: &str = "ciphertext of phases";

/// Ciphertext `c0 + c1·z` modulo q_0, whose coefficient t·gap is `q_0·phase_t`: a phase is a fraction of the modulus,
/// plus noise.
///
/// After CoeffsToSlots, real and imaginary parts of slots hold the lower and the upper half of the coefficients.
#[derive(Clone, Debug)]
pub struct EncryptedPhases {
    ciphertext: RlweCiphertext,
    layout: CoefficientLayout,
    parameter_digest: [u8; 32],
    key_id: KeyId,
}

impl EncryptedPhases {
    /// Wraps a ciphertext of one limb that another method computed under the ring key `key_id`: `count` values in
    /// `slots` coefficients.
    ///
    /// # Errors
    /// If its degree or number of limbs differs from the parameters, there are more values than slots, or the number of
    /// slots is not a power of two up to the degree.
    pub fn new(
        parameters: &Parameters,
        key_id: KeyId,
        ciphertext: RlweCiphertext,
        slots: usize,
        count: usize,
    ) -> Result<Self> {
        let degree = parameters.literal().ring_degree;
        for part in [&ciphertext.c0, &ciphertext.c1] {
            check_equal("number of special limbs", part.basis().special, 0)?;
            check_equal("number of limbs", part.basis().main, 1)?;
            check_equal("ring degree", part.words().len(), degree)?;
            let limit = parameters.literal().bottom_prime;
            cryptable_lattice::error::check_values(part.words(), limit)?;
        }
        let layout = layout(degree, slots, count)?;
        Ok(Self { ciphertext, layout, parameter_digest: parameters.digest(), key_id })
    }

    /// Returns the RLWE ciphertext.
    #[must_use]
    pub fn ciphertext(&self) -> &RlweCiphertext {
        &self.ciphertext
    }

    /// Returns the layout, which tells which coefficients hold phases.
    #[must_use]
    pub fn layout(&self) -> CoefficientLayout {
        self.layout
    }

    /// Returns the identifier of the ring's secret key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Checks that the ciphertext is of these parameters and this client.
    pub(crate) fn check(&self, parameters: &Parameters, key_id: KeyId) -> Result<()> {
        check_parameters(OBJECT, parameters.digest(), self.parameter_digest)?;
        check_client(OBJECT, key_id, self.key_id)
    }

    /// Builds a ciphertext from parts that are known to fit.
    pub(crate) fn trusted(
        parameters: &Parameters,
        key_id: KeyId,
        ciphertext: RlweCiphertext,
        layout: CoefficientLayout,
    ) -> Self {
        debug_assert_eq!(ciphertext.c0.basis(), Basis::main(1));
        Self { ciphertext, layout, parameter_digest: parameters.digest(), key_id }
    }
}

/// Returns the layout of `count` values in `slots` coefficients.
///
/// # Errors
/// If `slots` is not a power of two up to the degree, or there are more values than slots.
pub(crate) fn layout(ring_degree: usize, slots: usize, count: usize) -> Result<CoefficientLayout> {
    let is_power = slots.is_power_of_two() && slots <= ring_degree;
    demand(is_power, "number of slots", slots as f64, "a power of two up to the ring degree")?;
    check_within("number of values", count as u64, ..=slots as u64)?;
    Ok(CoefficientLayout { ring_degree, slots, count })
}
