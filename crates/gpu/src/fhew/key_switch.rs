//! From LWE modulo Q under the ring secret to LWE under the LWE secret, in batches: `EvaluationKey::key_switch`.

use cryptable_fhew::keys::EvaluationKey;
use cryptable_fhew::parameters::Parameters;
use cryptable_lattice::Result;
use cryptable_lattice::lwe_list::LweShape;

use crate::device::Device;
use crate::fhew::lwe_batch::LweBatch;
use crate::fhew::lwe_key_switch::DeviceLweKeySwitch;
use crate::fhew::lwe_modulus_switch::LweSource;
use crate::fhew::ring_dimension_switch::DeviceRingSwitch;

/// The keys of a key switch, through a ring of lower degree if the parameters have one.
#[derive(Debug)]
pub(crate) struct DeviceKeySwitch {
    parameters: Parameters,
    ring: Option<DeviceRingSwitch>,
    lwe: DeviceLweKeySwitch,
}

impl DeviceKeySwitch {
    /// Puts the keys on a card.
    ///
    /// # Errors
    /// If rings or numbers are none that kernels take.
    pub(crate) fn new(device: &Device, key: &EvaluationKey) -> Result<Self> {
        let ring = key.ring_dimension().map(|key| DeviceRingSwitch::new(device, key));
        let lwe = DeviceLweKeySwitch::new(device, key.key_switching())?;
        Ok(Self { parameters: key.parameters().clone(), ring: ring.transpose()?, lwe })
    }

    /// Switches `count` ciphertexts of dimension N modulo Q, to `out` from number `start` on.
    pub(crate) fn switch(
        &self,
        source: LweSource<'_>,
        count: usize,
        out: &mut LweBatch,
        start: usize,
    ) {
        let parameters = &self.parameters;
        let (secret, modulus) = (parameters.literal().ring_secret, parameters.lwe_modulus());
        let from = parameters.extracted_shape();
        let Some(ring) = &self.ring else {
            let low = source.switch_modulus(from, count, modulus, secret);
            return self.lwe.switch(&low, out, start);
        };
        let small = ring.small();
        let low = source.switch_modulus(from, count, small.prime(), secret);
        let switched = ring.switch(&low);
        let from = LweShape { dimension: small.ring.degree(), modulus: small.prime() };
        let secret = small.literal.secret;
        let low = LweSource::Constants(&switched).switch_modulus(from, count, modulus, secret);
        self.lwe.switch(&low, out, start);
    }
}
